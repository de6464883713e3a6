"""The types and the layouts of positional encodings."""

import numpy
import pytest

import workings as w
from workings import ops

POSITIONS = w.ids([0, 1, 2, 511])


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_the_type_is_the_one_that_was_asked_for(dtype):
    exact = ops.positional_encoding(POSITIONS, size=8).array
    result = ops.positional_encoding(POSITIONS, size=8, dtype=dtype).array
    assert result.dtype == dtype
    assert numpy.array_equal(result, exact.astype(dtype))


def test_both_layouts_hold_the_same_columns():
    taking_turns = ops.positional_encoding(POSITIONS, size=8).array
    in_halves = ops.positional_encoding(POSITIONS, size=8, layout="concatenated").array
    assert numpy.array_equal(in_halves[:, :4], taking_turns[:, ::2])
    assert numpy.array_equal(in_halves[:, 4:], taking_turns[:, 1::2])


def test_the_first_wave_is_one_radian_a_token_and_the_last_one_is_long():
    result = ops.positional_encoding(POSITIONS, size=8).array
    assert result[:, 0] == pytest.approx(numpy.sin([0, 1, 2, 511]))
    assert result[:, -1] == pytest.approx(numpy.cos(numpy.asarray([0, 1, 2, 511]) / 1000))
