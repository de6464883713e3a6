"""Lines between words: one for each entry, told in words, and refused where there is nothing between which to draw."""

from __future__ import annotations

import numpy
import pytest
from figure_checks import check_numbers

import workings as w
from workings.explain.links import links_of
from workings.explain.notation import Notation
from workings.explain.numbers import Style
from workings.explain.windows import windows_of
from workings.render.figure_text import figure_rows
from workings.render.svg import picture


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


def test_of_many_lines_the_strongest_is_told_even_if_it_is_below_zero():
    trace = of([[0.1, 0.2, -0.7, 0.2, 0.1, 0.1, 0.2]])
    figure = links_of(trace, "x")
    assert figure.alternative == "From query[0] the strongest line leads to key[2]: -0.7."
    assert "A broken line" in figure.note
    assert "A broken line" not in links_of(of([[0.5, 0.5]]), "x").note


def test_what_cannot_be_drawn_is_counted():
    figure = links_of(of([[1.0, 1e305], [1e305, 1e305]]), "x", {"query": ("a", "b"), "key": ("a", "b")})
    assert figure.alternative == "From a to a 1.0. From b no line leads anywhere."
    assert "Not drawn: 3" in figure.note
    with pytest.raises(w.WorkingsError, match="no entry that could be drawn"):
        links_of(of([[1e305]]), "x")


def test_many_words_are_cut_and_the_note_says_so():
    figure = links_of(of(numpy.ones((20, 30))), "x")
    assert (len(figure.data.rows), len(figure.data.rows[0])) == (16, 16)
    assert figure.note.startswith("The first 16 rows and 16 columns of query 20 × key 30")


def test_the_queries_stay_at_the_left_where_vectors_are_columns():
    trace = of([[0.25, 0.75, 0.0]])
    trace.style = Style(notation=Notation(vectors="column"))
    assert (links_of(trace, "x").data.rows_are, len(links_of(trace, "x").data.rows)) == ("query", 1)


@pytest.mark.parametrize("step", ["P", "loss"])
def test_a_step_without_rows_is_refused(step):
    with pytest.raises(w.WorkingsError, match="has no rows and columns"):
        links_of(w.scenario("hello-world").trace(), step)


def test_in_letters_a_long_row_shows_the_lines_that_can_be_seen():
    rows = figure_rows(links_of(of([[0.001] * 8 + [0.5, 0.492]]), "x"), 80)
    assert [row.split()[-1] for row in rows] == ["key", "0.5", "0.492", "…"]
    short = figure_rows(links_of(of([[0.001, 0.999]]), "x"), 80)
    assert [row.split()[-1] for row in short] == ["key", "0.001", "0.999"]


@pytest.mark.parametrize("maker", [links_of, windows_of])
def test_places_without_words_are_counted_as_the_notation_says(maker):
    trace = of([[1.0, 0.0], [1.0, 1.0]], "token model")
    trace.style = Style(notation=Notation(count_from=1))
    figure = maker(trace, "x")
    for shown in ("\n".join(figure_rows(figure, 80)), picture(figure, "svg").decode()):
        assert "model[0]" not in shown
        assert "token[0]" not in shown
        for name in ("token[1]", "token[2]", "model[1]", "model[2]"):
            assert name in shown, shown
    assert "model[1]" in figure.alternative
