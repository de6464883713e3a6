"""Windows of a mask: the same rows as the mask, in words that are there and cut where they are too many."""

from __future__ import annotations

import numpy
import pytest
from figure_checks import check_numbers

import workings as w
from workings.figures.mask import mask_of
from workings.figures.windows import windows_of


@pytest.mark.parametrize("size", [1, 3, 12, 15])
def test_each_position_attends_to_itself_and_earlier_ones(size):
    with w.Trace() as trace:
        w.ops.causal_mask(w.given(numpy.ones((size, size)), "query key", name="scores"), name="masked")
    figure = windows_of(trace, "masked")
    assert [sum(row) for row in figure.data.seen] == list(range(1, min(size, 12) + 1))
    assert bool(figure.note) == (size > 12)
    check_numbers(trace, figure)
    if size <= 12:
        mask = mask_of(trace, "masked")
        assert (figure.data.rows, figure.data.seen) == (mask.data.rows, mask.data.seen)
        assert figure.alternative == mask.alternative


@pytest.mark.parametrize(("step", "what"), [("P", "does not have a row for each position"), ("weights", "not a mask")])
def test_step_that_is_not_a_mask_is_rejected(step, what):
    with pytest.raises(w.WorkingsError, match=what):
        windows_of(w.scenario("example-1").trace(), step)
