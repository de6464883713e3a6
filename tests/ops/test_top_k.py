"""top_k and the kinds of numbers that cannot be turned round by a minus sign; clip_by_norm and lengths."""

import array_api_strict
import numpy
import pytest
import torch

import workings as w
from workings import ops
from workings.engine.errors import CallError, NumberError
from workings.engine.tensor import leaf

ROWS = {
    "uint8": [[0, 3, 255, 3, 0], [7, 7, 0, 255, 1]],
    "int8": [[-128, 3, 127, 3, -128], [0, -128, -127, 127, -1]],
    "int64": [[-(2**63), 3, 2**63 - 1, 3, -(2**63)], [0, 2**63 - 2, 2**63 - 1, 1, -1]],
    "float32": [[-0.0, 0.0, -9.0, 2.5, 2.5], [1.0, -1.0, 0.5, 0.0, 0.25]],
}
LIBRARIES = {"numpy": numpy, "array_api_strict": array_api_strict, "torch": torch}


def expected(rows, k):
    """From the definition: the larger first, of equal ones the first."""
    return [sorted(range(len(row)), key=lambda place: (-row[place], place))[:k] for row in rows]


@pytest.mark.parametrize("k", [1, 3, 5])
@pytest.mark.parametrize("dtype", ROWS)
@pytest.mark.parametrize("library", LIBRARIES)
def test_the_largest_of_any_kind_of_numbers(library, dtype, k):
    xp, rows = LIBRARIES[library], ROWS[dtype]
    found = ops.top_k(xp.asarray(rows, dtype=getattr(xp, dtype)), k=k).array
    assert [[int(found[i, j]) for j in range(k)] for i in range(len(rows))] == expected(rows, k)


def test_truth_values_have_an_order_too():
    rows = [[False, True, False, True], [True, False, False, False]]
    for xp in (numpy, torch):
        assert ops.top_k(xp.asarray(rows), k=3).array.tolist() == expected(rows, 3) == [[1, 3, 0], [0, 1, 2]]


@pytest.mark.parametrize("dtype", ROWS)
def test_the_compiled_one_is_the_same(dtype):
    rows = numpy.asarray(ROWS[dtype], dtype=dtype)
    with w.Trace() as trace:
        x = leaf(rows, ("token", "vocab"), name="x", kind="given")
        ops.top_k(x, k=4, name="best")
    (found,) = trace.compile(["x"], ["best"])(rows[::-1].copy())
    again = trace.replay(values={"x": rows[::-1].copy()})["best"].value
    assert (found.dtype, found.tolist()) == (again.dtype, again.tolist())
    assert found.tolist() == expected(rows[::-1].tolist(), 4)


def test_k_goes_up_to_the_length_of_a_row():
    for k in (0, 5):
        with pytest.raises(CallError, match=f"k of top_k cannot be {k}") as caught:
            ops.top_k(numpy.zeros((2, 3, 4)), k=k)
        assert "a whole number from 1 to 4" in str(caught.value)


def test_a_norm_below_zero_is_refused():
    x = numpy.asarray([0.3, -0.4])
    for epsilon in (0.0, 1.0):
        with pytest.raises(NumberError, match=r"The norm is -0\.5, but a length is never below 0"):
            ops.clip_by_norm(x, numpy.asarray(-0.5), limit=1.0, epsilon=epsilon)
    assert ops.clip_by_norm(x, numpy.asarray(0.0), limit=1.0, epsilon=1e-6).array.tolist() == x.tolist()
