"""The error function with SciPy and without it, and with every array library."""

import math
import subprocess
import sys

import array_api_compat.torch
import array_api_strict
import numpy
import pytest
from scipy import special

from workings import ops
from workings.engine.arrays import namespace
from workings.ops.erf import error_function

POINTS = [-30.0, -3.0, -1.2, -1e-9, 0.0, 0.1, 0.5, 1.0, 2.7, 30.0]


@pytest.fixture(params=["with SciPy", "without SciPy"])
def scipy(request, monkeypatch):
    """What is remembered of the way is forgotten, before and after."""
    error_function.cache_clear()
    if request.param == "without SciPy":
        monkeypatch.setitem(sys.modules, "scipy", None)
        monkeypatch.setitem(sys.modules, "scipy.special", None)
    yield request.param == "with SciPy"
    error_function.cache_clear()


def test_the_way_is_the_one_that_was_asked_for(scipy):
    assert (error_function(numpy) is special.erf) == scipy


@pytest.mark.parametrize("dtype", ["float64", "float32", "float16"])
def test_the_values_and_their_type(scipy, dtype):
    points = numpy.asarray(POINTS, dtype=dtype)
    result = ops.erf(points).array
    assert result.dtype == dtype
    expected = [math.erf(x) for x in points.tolist()]
    assert numpy.max(numpy.abs(result - expected)) <= 2 * numpy.finfo(dtype).eps


@pytest.mark.parametrize("shape", [(), (10,), (2, 5), (2, 1, 5)])
def test_the_shape_stays(scipy, shape):
    points = numpy.resize(POINTS, shape)
    result = ops.erf(points).array
    assert result.shape == shape
    numpy.testing.assert_allclose(result, numpy.vectorize(math.erf)(points), rtol=1e-15)


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_other_libraries_need_no_scipy(dtype, monkeypatch):
    error_function.cache_clear()
    monkeypatch.setitem(sys.modules, "scipy", None)
    for xp in (array_api_strict, array_api_compat.torch):
        points = xp.asarray(POINTS, dtype=getattr(xp, dtype))
        result = ops.erf(points).array
        assert namespace(result) is namespace(points)
        assert result.dtype == points.dtype
        assert [float(y) for y in result] == pytest.approx([math.erf(float(x)) for x in points], rel=1e-6)
    error_function.cache_clear()


def test_scipy_is_loaded_when_it_is_first_used():
    code = (
        "import sys, numpy, workings.ops as ops; print('scipy' in sys.modules);"
        "ops.erf(numpy.ones(2)); print('scipy' in sys.modules, 'torch' in sys.modules)"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split() == ["False", "True", "False"]
