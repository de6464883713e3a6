"""Temperatures: the columns are softmaxes of the same logits, and each says by what they were divided."""

from __future__ import annotations

import numpy
import pytest
from figure_checks import check_numbers, drawn_width, numbers_in, smallest_label

import workings as w
from workings.figures.temperature import temperature_of


def tempered(logits, divisors, axes="vocab"):
    """A trace with a softmax for each divisor."""
    with w.Trace() as trace:
        source = w.given(logits, axes, name="logits")
        trace.start_from(source)
        for place, divisor in enumerate(divisors):
            scaled = source if divisor is None else w.ops.divide_by(source, divisor=divisor)
            w.ops.softmax(scaled, axis="vocab", name=f"P{place}")
    return trace


def test_each_column_says_its_temperature():
    trace = tempered([2.0, 1.0, -1.0], (0.25, None, 3.0))
    figure = temperature_of([trace["P0"], trace["P1"], trace["P2"]])
    assert [column.title for column in figure.data.columns] == ["T = 0.25", "T = 1", "T = 3"]
    for column, divisor in zip(figure.data.columns, (0.25, 1, 3), strict=True):
        expected = numpy.exp(numpy.asarray([2.0, 1.0, -1.0]) / divisor)
        assert numpy.allclose([one.value for one in column.probabilities], expected / expected.sum())


def test_numbers_are_entries_of_the_trace():
    trace = tempered([2.0, 1.0, -1.0], (None,))
    check_numbers(trace, temperature_of([trace["P0"]]))


def test_of_many_words_the_largest_logits_are_drawn():
    trace = tempered(list(numpy.linspace(-3, 3, 40)), (None, 2.0))
    figure = temperature_of([trace["P0"], trace["P1"]])
    assert figure.data.words == tuple(str(place) for place in range(30, 40))
    assert figure.note == "These are the 10 largest of 40 logits."


def test_last_row_is_drawn_where_none_is_chosen():
    trace = tempered([[1.0, 2.0], [4.0, 3.0]], (None,), "token vocab")
    assert [one.index for one in temperature_of([trace["P0"]]).data.logits] == [(1, 0), (1, 1)]
    assert [one.index for one in temperature_of([trace["P0"]], at=(0,)).data.logits] == [(0, 0), (0, 1)]


def test_scaling_by_the_root_is_a_temperature_too():
    trace = w.scenario("cat-sat").trace()
    (column,) = temperature_of([trace["weights"]]).data.columns
    assert column.title == "÷ √64"


@pytest.mark.parametrize("words", [("a", "b", "c"), ("unbelievable", "transformers", "embedding")])
def test_four_temperatures_have_room(words):
    trace = tempered([5.0, 1.0, -4.0], (0.25, 0.5, None, 2.0))
    figure = temperature_of([trace[f"P{place}"] for place in range(4)], {"vocab": words})
    assert drawn_width(figure) <= 650
    assert smallest_label(figure)[0] >= 7
    assert len(list(numbers_in(figure.data))) == 3 + 4 * 3 + 3


@pytest.mark.parametrize(
    ("names", "at", "what"),
    [
        (["logits"], (), "not the result of a softmax"),
        (["P0"] * 5, (), "no room side by side"),
        (["P0"], (1,), "no row at"),
    ],
)
def test_what_has_no_temperature_is_rejected(names, at, what):
    trace = tempered([2.0, 1.0], (None,))
    with pytest.raises(w.WorkingsError, match=what):
        temperature_of([trace[name] for name in names], at=at)


def test_softmaxes_of_other_logits_are_rejected():
    trace = w.scenario("example-1").trace()
    with pytest.raises(w.WorkingsError, match="not the same logits: scores and logits"):
        temperature_of([trace["weights"], trace["P"]])
    with pytest.raises(w.WorkingsError, match="not the same logits: logits and logits"):
        temperature_of([trace["P"], w.scenario("example-1").trace("twin")["P"]])
