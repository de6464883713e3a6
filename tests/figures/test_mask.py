"""Masks say which keys each query attends to."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy
import pytest
from figure_checks import check_numbers

import workings as w
from workings.figures import svg_of
from workings.figures.mask import mask_of


def of(array, axes=""):
    with w.Trace() as trace:
        trace.start_from(w.given(array, axes, name="x"))
    return trace


@pytest.mark.parametrize("size", [1, 2, 7, 30])
def test_a_causal_mask_hides_what_comes_later(size):
    with w.Trace() as trace:
        w.ops.causal_mask(w.given(numpy.ones((size, size)), "query key", name="scores"), name="masked")
    figure = mask_of(trace, "masked")
    expected = numpy.tril(numpy.ones((size, size), bool))[:24, :32]
    assert numpy.array_equal(numpy.array(figure.data.seen), expected)
    check_numbers(trace, figure)


def test_zeros_and_ones_are_a_mask():
    figure = mask_of(of([[1.0, 0.0], [0.0, 0.0]], "query key"), "x", {"query": ("a", "b"), "key": ("a", "b")})
    assert figure.data.seen == ((True, False), (False, False))
    assert figure.alternative == "a attends to a. b attends to nothing."


def test_step_that_is_not_a_mask_is_rejected_and_masks_are_named():
    trace = w.scenario("cat-sat").trace("masked")
    with pytest.raises(w.WorkingsError) as error:
        mask_of(trace, "scores")
    assert "masked" in str(error.value)


def test_every_cell_of_the_svg_says_which_entry_it_is():
    figure = mask_of(of([[1.0, 0.0], [1.0, 1.0]], "query key"), "x")
    nodes = [node for node in ElementTree.fromstring(svg_of(figure)).iter() if node.get("data-index")]
    assert [(node[0].text, node.get("data-index")) for node in nodes] == [
        ("1", "0,0"), ("0", "0,1"), ("1", "1,0"), ("1", "1,1"),
    ]  # fmt: skip
