"""Two ways from word to word: the numbers of the states, and the attention weights of the last word."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from figure_checks import check_numbers, drawn_width, smallest_label

import workings as w
from workings.figures import figure_rows, svg_of
from workings.figures.path import path_of

TRACE = w.scenario("cat-sat").trace("recurrent")
STATES = [TRACE[name] for name in ("dh1", "dh2", "dh3", "dh4")]


def chained(words, weights):
    """A trace with a state for each word."""
    with w.Trace() as trace:
        for place in range(words):
            trace.start_from(w.given(0.8**place, name=f"h{place}"))
        trace.start_from(w.given(weights, "query key" if isinstance(weights[0], list) else "key", name="weights"))
    return [*(trace[f"h{place}"] for place in range(words)), trace["weights"]]


def test_numbers_are_entries_of_the_trace():
    figure = path_of([*STATES, TRACE["weights"]], TRACE.labels(TRACE["weights"]))
    check_numbers(TRACE, figure)
    assert figure.data.words == ("cat", "we", "saw", "sat")
    assert figure.title == "Two ways from cat to sat"


def test_last_query_and_last_keys_are_drawn():
    views = chained(2, [[0.1, 0.2, 0.7], [0.3, 0.3, 0.4]])
    figure = path_of(views, {"key": ("The", "cat", "sat")})
    assert [one.index for one in figure.data.weights] == [(1, 1), (1, 2)]
    assert figure.data.words == ("cat", "sat")
    assert figure.note == "Only the last 2 of 3 keys are drawn."


def test_there_is_one_arc_to_each_earlier_word():
    root = ElementTree.fromstring(svg_of(path_of([*STATES, TRACE["weights"]])))
    arcs = [node for node in root.iter() if "C" in (node.get("d") or "")]
    assert len(arcs) == len(STATES) - 1
    widths = [float(node.get("stroke-width")) for node in arcs]
    assert max(widths) == widths[-1]  # that of the first word, which is drawn last


@pytest.mark.parametrize("words", [2, 7, 9])
def test_path_of_any_length_has_room(words):
    views = chained(words, [1 / words] * words)
    figure = path_of(views, words=[f"word{place}" for place in range(words)])
    assert drawn_width(figure) <= 700
    assert smallest_label(figure)[0] >= 7
    assert max(map(len, figure_rows(figure, 44))) <= 44


@pytest.mark.parametrize(
    ("views", "words", "what"),
    [
        ([TRACE["weights"], TRACE["weights"]], (), "A path of 1 states|not a single number"),
        ([STATES[0], TRACE["weights"]], (), "A path of 1 states"),
        ([*STATES, STATES[0], TRACE["weights"]], (), "has 4 keys, but there are 5"),
        ([*STATES, TRACE["weights"]], ("a", "b"), "2 labels for 4 states"),
    ],
)
def test_what_is_no_path_is_rejected(views, words, what):
    with pytest.raises(w.WorkingsError, match=what):
        path_of(views, words=words)
