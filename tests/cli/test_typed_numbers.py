"""Matrices on the command line: the same reader as for answers, and whole numbers stay whole."""

import pytest

from workings.cli.numbers import read_matrix
from workings.engine.errors import InputError


@pytest.mark.parametrize(
    ("typed", "numbers"),
    [
        ("1 0; 2 -3", [[1, 0], [2, -3]]),
        ("1 0.0", [1, 0.0]),
        ("[[1, 2], [3, 4]]", [[1, 2], [3, 4]]),
        ("array([[1., 2.],\n       [3., 4.]])", [[1.0, 2.0], [3.0, 4.0]]),
        ("tensor([[[1, 2]]], dtype=torch.int32)", [[[1, 2]]]),
        (r"\begin{bmatrix} 1 & \frac{1}{2} \end{bmatrix}", [1, 0.5]),
        ("7", 7),
        ("1e2", 100.0),
        ("12345678901234567", 12345678901234567),
    ],
)
def test_what_is_pasted_becomes_nested_lists(typed, numbers):
    found = read_matrix(typed)
    assert found == numbers
    assert repr(found) == repr(numbers)  # 1 is not 1.0


def test_a_blank_is_no_number(tmp_path):
    with pytest.raises(InputError, match="one of them is left open"):
        read_matrix("1 _; 3 4")


def test_a_pasted_matrix_is_computed_with(works):
    pasted = "tensor([[2., 1.],\n        [0., 3.]], grad_fn=<AddBackward0>)"
    assert works("op", "softmax", "--x", pasted) == works("op", "softmax", "--x", "2.0 1.0; 0.0 3.0")
