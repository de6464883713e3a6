"""Axes: they end at round numbers, and so do the numbers along them."""

import pytest

from workings.document.numbers import Style
from workings.figures.parts.axes import place_axis, round_above, round_below, value_axis


@pytest.mark.parametrize(
    ("values", "low", "high", "texts"),
    [
        ([0.45, 1.6], 0.4, 1.6, ["0.4", "0.6", "0.8", "1.0", "1.2", "1.4", "1.6"]),
        ([0.3, 0.8], 0.3, 0.8, ["0.3", "0.4", "0.5", "0.6", "0.7", "0.8"]),
        ([-3.0, 2.5], -3.0, 3.0, ["-3.0", "-2.0", "-1.0", "0.0", "1.0", "2.0", "3.0"]),
        ([1.386, 1.3859], 1.3859, 1.386, ["1.38590", "1.38592", "1.38594", "1.38596", "1.38598", "1.38600"]),
        ([0.25, 0.25], 0.225, 0.275, ["0.25"]),
        ([0.0, 0.0], -1.0, 1.0, ["0.0"]),
        ([3e-4, 1.0], 2e-4, 1.0, ["0.001", "0.01", "0.1", "1.0"]),
    ],
)
def test_ticks_of_values_are_round_numbers(values, low, high, texts):
    axis = value_axis("loss", values)
    assert (axis.low, axis.high) == (low, high)
    assert [tick.text for tick in axis.ticks] == texts


def test_ticks_follow_the_style_of_the_page():
    assert [tick.text for tick in value_axis("loss", [0.0, 1.0], Style(point=",")).ticks][1] == "0,2"


@pytest.mark.parametrize(
    ("places", "texts"),
    [
        (range(1, 9), ["1", "4", "6", "8"]),
        (range(1, 4), ["1", "2", "3"]),
        (range(1, 2), ["1"]),
        (range(1, 5001), ["1", "1000", "2000", "3000", "4000", "5000"]),
        ([100, 200, 300], ["100", "150", "200", "250", "300"]),
        ([0.5, 1.0], ["0.5", "0.6", "0.7", "0.8", "0.9", "1"]),
    ],
)
def test_ticks_of_steps_are_round_numbers(places, texts):
    assert [tick.text for tick in place_axis("step", places).ticks] == texts


@pytest.mark.parametrize("power", range(-12, 13))
def test_round_numbers_are_the_nearest_ones(power):
    for factor, below, above in ((1.0, 1, 1), (1.5, 1, 2), (2.0, 2, 2), (4.99, 2, 5), (5.01, 5, 10), (9.99, 5, 10)):
        size = float(f"{factor}e{power}")
        assert float(round_below(size)) == float(f"{below}e{power}")
        assert float(round_above(size)) == float(f"{above}e{power}")


def test_numbers_too_small_to_count_are_one_place_on_an_axis():
    for values in ([0.0, 5e-324], [5e-324, 5e-324], [-1e-310, 1e-310]):
        axis = value_axis("x", values)
        assert axis.low < min(values) <= max(values) < axis.high
