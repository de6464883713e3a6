"""Matrices as people write them: lists, texts and words; what is no matrix is refused with its position."""

import numpy
import pytest

from workings.engine.errors import ScenarioError
from workings.scenarios.reading.matrices import ids_of, matrix_of


@pytest.mark.parametrize(
    ("value", "shape", "expected"),
    [
        ([[2, 1.5], [1, 0]], None, [[2, 1.5], [1, 0]]),
        (((2, 1.5), (1, 0)), (2, 2), [[2, 1.5], [1, 0]]),
        ("2 1.5; 1 0", (2, 2), [[2, 1.5], [1, 0]]),
        ("2 1.5\n1 0\n", (2, 2), [[2, 1.5], [1, 0]]),
        ("2, 1.5; 1, -1/4", (2, 2), [[2, 1.5], [1, -0.25]]),
        (["2 1.5", "1 0"], (2, 2), [[2, 1.5], [1, 0]]),
        (["1/3", 1], (2,), [1 / 3, 1]),
        ("1 2 3", (3,), [1, 2, 3]),
        ("1 2 3;", (1, 3), [[1, 2, 3]]),
        ("0.5", (), 0.5),
        (3, (), 3),
        ("0.1 I", (2, 2), [[0.1, 0], [0, 0.1]]),
        ("I", (2, 2), [[1, 0], [0, 1]]),
        ("-I", (2, 2), [[-1, 0], [0, -1]]),
        ("1/2 * I", (2, 2), [[0.5, 0], [0, 0.5]]),
        ("zeros", (1, 2), [[0, 0]]),
        ("ones", (2,), [1, 1]),
        ("-0.5 ones", (2,), [-0.5, -0.5]),
        ([[[1], [2]]], (1, 2, 1), [[[1], [2]]]),
    ],
)
def test_matrices_as_people_write_them(value, shape, expected):
    found = matrix_of(value, shape)
    assert found.dtype == numpy.float64
    numpy.testing.assert_array_equal(found, expected)
    assert found.shape == numpy.shape(expected)


@pytest.mark.parametrize(
    ("value", "shape", "says"),
    [
        ([[1, 2], [3, 4]], (2, 3), "needed 2 × 3, given 2 × 2"),
        (1, (2, 2), "needed 2 × 2, given one number"),
        ("1 2", (), "needed one number, given 2"),
        ("I", (2, 3), "2 × 3 is needed"),
        ("I", (2,), "2 is needed"),
        ("ones", None, "ones needs a shape"),
        ("", None, "nothing is not a number"),
        ("1;;2", None, "nothing is not a number"),
        ("- + I", (2, 2), "not a number"),
        ("--2 I", (2, 2), "not a number"),
        ("inf", None, "inf is not a number"),
        ([None], None, "None is not a number"),
        (float("nan"), None, "not a finite number"),
        (10**400, None, "not a finite number"),
        ("1e-999999999/3 x", None, "not a number"),
        ([1, [2]], None, "[1] has 1, the first has one number"),
        ([[], []], None, "no numbers"),
    ],
)
def test_what_is_no_matrix(value, shape, says):
    with pytest.raises(ScenarioError) as raised:
        matrix_of(value, shape, ("given", "X"))
    assert says in str(raised.value)
    assert raised.value.hint
    assert raised.value.keys[:2] == ("given", "X")


@pytest.mark.parametrize(
    ("value", "index"),
    [([[1, 2], [3, "x"]], (1, 1)), ("1 2; 3", (1,)), ([[1], []], (1,)), ([1, [2]], (1,)), ("1 2; 3 x", (1,))],
)
def test_errors_have_the_position_of_the_entry(value, index):
    with pytest.raises(ScenarioError) as raised:
        matrix_of(value, None, ("given", "X"))
    assert raised.value.keys == ("given", "X", *index)


def test_labels_are_whole_numbers():
    assert ids_of([2, 0]).dtype == numpy.int64
    assert ids_of("2; 0").tolist() == [[2], [0]]
    assert ids_of(3).shape == ()
    with pytest.raises(ScenarioError, match=r"1\.5 is not a whole number"):
        ids_of([1, 1.5])
    with pytest.raises(ScenarioError, match="is not a whole number"):
        ids_of(2**60)
