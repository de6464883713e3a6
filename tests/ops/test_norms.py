"""Norms at their edges: rows whose entries are all the same, and rows whose squares are too large."""

import contextlib

import numpy
import pytest

import workings as w
from workings.engine.errors import NumberError
from workings.ops import layer_norm, rms_norm

FLAT = [[2.0, 2.0, 2.0], [0.5, -1.0, 3.0]]
GAMMA, BETA = [1.5, 0.8, -0.6], [0.1, -0.2, 0.3]


def trace_of(place):
    with w.Trace() as trace:
        x = w.given(FLAT, "token model", name="x")
        gamma, beta = w.parameter(GAMMA, "model", name="gamma"), w.parameter(BETA, "model", name="beta")
        layer_norm(x, gamma, beta, epsilon=1e-6, place=place, name="y")
    return trace


@pytest.mark.parametrize("place", ["inside", "outside"])
def test_a_flat_row_becomes_beta(place):
    assert trace_of(place)["y"].value[0].tolist() == BETA


def test_a_flat_row_has_a_gradient_while_epsilon_stands_under_the_root():
    cotangent = numpy.asarray([[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]])
    h = cotangent[0] * GAMMA
    found = trace_of("inside").backward("y", cotangent)["dx"].value[0]
    assert numpy.allclose(found, (h - h.mean()) / 1e-3, rtol=1e-12)


def test_the_root_of_a_flat_row_has_no_slope_of_its_own():
    with pytest.raises(NumberError, match=r"Entry \[0\]\[0\] would be divided by 0") as caught:
        trace_of("outside").backward("y", numpy.ones((2, 3)))
    assert caught.value.where == "dx.slope"


@pytest.mark.parametrize(("dtype", "large"), [("float64", 1e155), ("float32", 1e20)])
@pytest.mark.parametrize("context", [contextlib.nullcontext, w.Trace])
def test_squares_that_are_too_large_are_refused_before_they_hide_in_a_quotient(dtype, large, context):
    x, gamma = numpy.asarray([[1.0, large]], dtype=dtype), numpy.ones(2, dtype=dtype)
    for op, inputs in ((rms_norm, (x, gamma)), (layer_norm, (x, gamma, gamma))):
        with context(), pytest.raises(NumberError, match=r"squares of row \[0\], with 1e\+"):
            op(*inputs)


def test_squares_that_vanish_are_refused_without_an_epsilon():
    for row in ([[1e-200, 2e-200]], [[3.0, 3.0]]):
        with pytest.raises(NumberError, match=r"Row \[0\] has the size 0"):
            layer_norm(numpy.asarray(row), numpy.ones(2), numpy.ones(2), epsilon=0.0)
    with pytest.raises(NumberError, match="has the size 0"):
        rms_norm(numpy.asarray([[1e-200, 0.0]]), numpy.ones(2), epsilon=0.0)


def test_whole_numbers_can_be_normalised():
    whole = layer_norm(numpy.asarray([[1, 2, 6]]), numpy.ones(3), numpy.zeros(3))
    real = layer_norm(numpy.asarray([[1.0, 2.0, 6.0]]), numpy.ones(3), numpy.zeros(3))
    assert whole.array.tolist() == real.array.tolist()
