"""A chain of states: entries, rows or steps, each with its number, and the names and words that were given."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest
from figure_checks import check_numbers

import workings as w
from workings.figures import svg_of
from workings.figures.chain import chain_of

SVG = "{http://www.w3.org/2000/svg}"


def of(**given):
    with w.Trace() as trace:
        trace.start_from(*(w.given(value, name=name) for name, value in given.items()))
    return trace


def texts(figure):
    return [state.number.text for state in figure.data.states]


def test_an_entry_a_row_or_a_step_is_a_state():
    trace = of(sizes=[0.25, 0.5, 1.0], rows=[[1.0, -3.0], [0.5, 0.25]], one=0.5)
    for what, expected in (
        (trace["sizes"], ["0.25", "0.5", "1.0"]),
        (trace["rows"], ["-3.0", "0.5"]),
        ([trace["sizes"], trace["one"], trace["rows"]], ["1.0", "0.5", "-3.0"]),
    ):
        figure = chain_of(what)
        check_numbers(trace, figure)
        assert texts(figure) == expected
    assert chain_of(trace["sizes"]).note == ""
    assert "largest entry by magnitude" in chain_of(trace["rows"]).note
    assert chain_of([trace["sizes"], trace["one"]]).title == "sizes to one along a chain"


def test_names_and_words_must_be_as_many_as_the_states():
    view = of(sizes=[0.25, 0.5])["sizes"]
    assert chain_of(view, words=("The", "cat")).alternative == "sizes[0] (The) 0.25, sizes[1] (cat) 0.5."
    for wrong in ({"names": ("h",)}, {"words": ("a", "b", "c")}):
        with pytest.raises(w.WorkingsError, match="but the chain has 2 states"):
            chain_of(view, **wrong)


@pytest.mark.parametrize(
    ("value", "what"),
    [(1.0, "not a chain"), ([1.0], "not a chain"), ([[[1.0]]], "not a chain"), ([1e305, 1e305], "No entry")],
)
def test_step_that_is_not_a_chain_is_rejected(value, what):
    with pytest.raises(w.WorkingsError, match=what):
        chain_of(of(x=value)["x"])


def test_a_long_chain_is_cut_and_what_cannot_be_drawn_is_counted():
    figure = chain_of(of(x=[0.5] * 39 + [1.0])["x"])
    assert len(figure.data.states) == 32
    assert figure.note == "These are the first 32 of 40; the rest is in the data."
    assert "Not drawn: 1" in chain_of(of(x=[1.0, 1e305])["x"]).note


def test_the_smaller_a_number_the_lower_its_bar_and_the_thinner_its_arrow():
    root = ElementTree.fromstring(svg_of(chain_of(of(x=[0.1, 0.2, 0.4, 0.8])["x"])))
    bars = [float(node.get("height")) for node in root.iter(f"{SVG}rect") if node.get("class") == "accent"]
    lines = [float(node.get("stroke-width")) for node in root.iter(f"{SVG}line")]
    assert bars == pytest.approx([bars[0], bars[0] * 2, bars[0] * 4, bars[0] * 8], rel=1e-2)
    assert lines == sorted(lines)
    assert len(lines) == 3


def test_a_long_chain_goes_on_below_and_stays_inside_the_picture():
    root = ElementTree.fromstring(svg_of(chain_of(of(x=[0.5**n for n in range(20)])["x"])))
    boxes = [node for node in root.iter(f"{SVG}rect") if node.get("rx")]
    assert len(boxes) == 20
    assert len({node.get("y") for node in boxes}) > 1
    assert max(float(node.get("x")) + float(node.get("width")) for node in boxes) <= float(root.get("width")) - 24
