"""Lines between words: one for each entry, described in words, and rejected where there is nothing to draw between."""

from __future__ import annotations

import numpy
import pytest
from figure_checks import check_numbers

import workings as w
from workings.document.notation import Notation
from workings.document.numbers import Style
from workings.figures import figure_rows, picture
from workings.figures.links import links_of
from workings.figures.windows import windows_of


def of(array, axes="query key"):
    with w.Trace() as trace:
        trace.start_from(w.given(array, axes, name="x"))
    return trace


def test_each_head_has_its_own_lines():
    trace = w.scenario("cat-sat-encoder").trace()
    figure = links_of(trace, "head2.weights", {"query": ("The", "cat", "sat"), "key": ("The", "cat", "sat")})
    check_numbers(trace, figure)
    assert figure.data.rows[2][1].index == (1, 2, 1)
    assert figure.data.rows == links_of(trace, "weights", at=(1,)).data.rows
    assert figure.alternative.startswith("From The to The 0.1761, cat 0.2319, sat 0.592.")


def test_words_name_the_strongest_of_many_lines_even_if_negative():
    trace = of([[0.1, 0.2, -0.7, 0.2, 0.1, 0.1, 0.2]])
    figure = links_of(trace, "x")
    assert figure.alternative == "The strongest line from query[0] leads to key[2]: -0.7."
    assert "A dashed line" in figure.note
    assert "A dashed line" not in links_of(of([[0.5, 0.5]]), "x").note


def test_entries_that_cannot_be_drawn_are_counted():
    figure = links_of(of([[1.0, 1e305], [1e305, 1e305]]), "x", {"query": ("a", "b"), "key": ("a", "b")})
    assert figure.alternative == "From a to a 1.0. No line starts at b."
    assert "Not drawn: 3" in figure.note
    with pytest.raises(w.WorkingsError, match="No entry of this step can be drawn"):
        links_of(of([[1e305]]), "x")


def test_many_words_are_cut_and_the_note_says_so():
    figure = links_of(of(numpy.ones((20, 30))), "x")
    assert (len(figure.data.rows), len(figure.data.rows[0])) == (16, 16)
    assert figure.note.startswith("These are the first 16 rows and 16 columns of query 20 × key 30")


def test_the_queries_stay_at_the_left_where_vectors_are_columns():
    trace = of([[0.25, 0.75, 0.0]])
    trace = trace.with_run(style=Style(notation=Notation(vectors="column")))
    assert (links_of(trace, "x").data.rows_are, len(links_of(trace, "x").data.rows)) == ("query", 1)


@pytest.mark.parametrize("step", ["P", "loss"])
def test_step_without_rows_is_rejected(step):
    with pytest.raises(w.WorkingsError, match="has no rows and columns"):
        links_of(w.scenario("hello-world").trace(), step)


def test_text_of_a_long_row_skips_arrows_that_are_too_short():
    rows = figure_rows(links_of(of([[0.001] * 8 + [0.5, 0.492]]), "x"), 80)
    assert [row.split()[-1] for row in rows] == ["key", "0.5", "0.492", "…"]
    short = figure_rows(links_of(of([[0.001, 0.999]]), "x"), 80)
    assert [row.split()[-1] for row in short] == ["key", "0.001", "0.999"]


@pytest.mark.parametrize(
    ("maker", "names"), [(links_of, ("token[1]", "token[2]", "model[1]", "model[2]")), (windows_of, ("1", "2"))]
)
def test_places_without_labels_follow_the_notation(maker, names):
    trace = of([[1.0, 0.0], [1.0, 1.0]], "token model")
    trace = trace.with_run(style=Style(notation=Notation(count_from=1)))
    figure = maker(trace, "x")
    for shown in ("\n".join(figure_rows(figure, 80)), picture(figure, "svg").decode()):
        assert "model[0]" not in shown
        assert "token[0]" not in shown
        for name in names:
            assert name in shown, shown
    assert "model[1]" in figure.alternative
