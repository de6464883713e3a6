"""Several numbers, pasted in any notation."""

import time
from contextlib import suppress

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.engine.errors import InputError, WorkingsError
from workings.practice.answers.matrix import read_matrix

SETTINGS = settings(deadline=None, derandomize=True, database=None)

NUMBERS = st.floats(allow_nan=False, allow_infinity=False, width=32)
SIGNS = st.text(alphabet="01234.,;-+e/%[](){}|&\\\n\t acrfrinbegdmtx=*^_'\"<>…", max_size=60)


def small_matrices(least=1):
    sizes = st.tuples(st.integers(least, 4), st.integers(least, 4))
    return sizes.flatmap(
        lambda size: st.lists(st.lists(NUMBERS, min_size=size[1], max_size=size[1]), min_size=size[0], max_size=size[0])
    )


def rows_in(matrix, between, end, comma=False):
    text = end.join(between.join(map(repr, row)) for row in matrix)
    return text.replace(".", ",") if comma else text


def latex(matrix, kind, comma=False):
    arguments = "{" + "c" * len(matrix[0]) + "}" if kind == "array" else ""
    rows = rows_in(matrix, " & ", r" \\ ", comma)
    return rf"\begin{{{kind}}}{arguments} {rows} \end{{{kind}}}"


def markdown(matrix, comma=False):
    rows = [f"| {rows_in([row], ' | ', '', comma)} |" for row in matrix]
    width = len(matrix[0])
    return "\n".join([f"|{' |' * width}", f"|{'---|' * width}", *rows])


def numpy_shows(show, matrix):
    with numpy.printoptions(floatmode="unique"):
        return show(numpy.array(matrix))


NOTATIONS = {
    "Python": repr,
    "Python, indented": lambda matrix: "[\n" + "".join(f"    {row},\n" for row in matrix) + "]",
    "tuples": lambda matrix: repr(tuple(map(tuple, matrix))),
    "NumPy": lambda matrix: numpy_shows(repr, matrix),
    "NumPy, printed": lambda matrix: numpy_shows(str, matrix),
    "scalars of NumPy": lambda matrix: repr([[numpy.float64(number) for number in row] for row in matrix]),
    "array with a type": lambda matrix: f"array({matrix}, dtype=float32)",
    "MATLAB": lambda matrix: f"[{rows_in(matrix, ' ', '; ')}]",
    "MATLAB with commas": lambda matrix: "A = [" + rows_in(matrix, ", ", ";\n ") + "];",
    "rows": lambda matrix: rows_in(matrix, " ", "; "),
    "lines": lambda matrix: rows_in(matrix, "  ", "\n"),
    "CSV": lambda matrix: rows_in(matrix, ",", "\n"),
    "CSV with semicolons": lambda matrix: rows_in(matrix, ";", "\n"),
    "CSV with semicolons and decimal commas": lambda matrix: rows_in(matrix, ";", "\n", comma=True),
    "CSV with tabs": lambda matrix: rows_in(matrix, "\t", "\r\n"),
    "CSV with tabs and decimal commas": lambda matrix: rows_in(matrix, "\t", "\n", comma=True),
    "spaces and decimal commas": lambda matrix: rows_in(matrix, " ", "; ", comma=True),
    "bmatrix": lambda matrix: latex(matrix, "bmatrix"),
    "bmatrix with decimal commas": lambda matrix: latex(matrix, "bmatrix", comma=True),
    "pmatrix": lambda matrix: f"W = {latex(matrix, 'pmatrix')}",
    "vmatrix": lambda matrix: f"${latex(matrix, 'vmatrix')}$",
    "array in brackets": lambda matrix: rf"\left( {latex(matrix, 'array')} \right)",
    "LaTeX without its environment": lambda matrix: rows_in(matrix, " & ", r" \\ ") + r" \\",
    "Markdown": markdown,
    "Markdown with decimal commas": lambda matrix: markdown(matrix, comma=True),
    "Mathematica": lambda matrix: repr(matrix).replace("[", "{").replace("]", "}").replace("e", "*10^"),
    "Typst": lambda matrix: f"mat({rows_in(matrix, ', ', '; ')})",
}


@pytest.mark.parametrize("notation", NOTATIONS)
@SETTINGS
@given(matrix=small_matrices())
def test_every_matrix_comes_back_in_every_notation(notation, matrix):
    text = NOTATIONS[notation](matrix)
    shape = numpy.shape(matrix)
    found = read_matrix(text, shape)
    assert found.shape == shape
    assert found.array.tolist() == matrix


@pytest.mark.parametrize("notation", [name for name in NOTATIONS if "spaces and" not in name])
@SETTINGS
@given(matrix=small_matrices(least=2))
def test_a_matrix_whose_shape_nobody_knows_comes_back_as_well(notation, matrix):
    assert read_matrix(NOTATIONS[notation](matrix)).shape == numpy.shape(matrix)


@SETTINGS
@given(small_matrices())
def test_what_pytorch_prints_comes_back(matrix):
    tensor = torch.tensor(matrix, dtype=torch.float64, requires_grad=True)
    torch.set_printoptions(precision=17, sci_mode=True)
    try:
        printed = (repr(tensor), repr(tensor * 1), repr(torch.nn.Parameter(tensor.detach())))
    finally:
        torch.set_printoptions(profile="default")
    for text in printed:
        assert read_matrix(text).array.tolist() == matrix


@pytest.mark.parametrize(
    ("text", "shape"),
    [
        ("[[[1, 2]], [[3, 4]]]", (2, 1, 2)),
        ("tensor([[[1., 2.],\n         [3., 4.]]], device='cuda:0', dtype=torch.bfloat16)", (1, 2, 2)),
        ("tensor(0.5, grad_fn=<MeanBackward0>)", ()),
        ("Parameter containing:\ntensor([0.5], requires_grad=True)", (1,)),
        ("[tensor([1., 2.]), tensor([3., 4.])]", (2, 2)),
        ("np.float64(0.5)", ()),
        ("scores = [[1, 2], [3, 4]]", (2, 2)),
        ("[1, 2], [3, 4]", (2, 2)),
        ("1 2 3", (3,)),
        ("1;2;3", (3, 1)),
        ("5", ()),
        ("[5]", (1,)),
        ("[1, 2,\n 3, 4]", (4,)),
        ("[1, 2,\n 3, 4,\n]", (4,)),
        ("[1,\n 2,\n 3]", (3,)),
        ("| a | b |\n|---|---|\n| 1 | 2 |\n| 3 | 4 |", (2, 2)),
        ('"1,5","2,5"\n"3,5","4,5"', (2, 2)),
        (r"\begin{bmatrix} 1 \\ 2 \end{bmatrix}", (2, 1)),
        (r"$\mathbf{W}_Q = \begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}$", (2, 2)),
        (r"\[ \left[ \begin{array}{cc} 1 & 2 \\ \hline 3 & 4 \end{array} \right] \]", (2, 2)),
        ("[[1. 2.]\r\n [3. 4.]]\r\n", (2, 2)),
        ("[float('nan'), -float('inf')]", (2,)),
    ],
)
def test_the_shape_follows_from_the_notation(text, shape):
    assert read_matrix(text).shape == shape


@pytest.mark.parametrize(
    ("text", "asked", "numbers"),
    [
        ("1,5; 2,5", (2, 1), [[1.5], [2.5]]),
        ("1,5; 2,5", (2, 2), [[1, 5], [2, 5]]),
        ("1,5; 2,5", (2,), [1.5, 2.5]),
        ("1,5; 2,5", (1, 2), [[1.5, 2.5]]),
        ("1,5", (), 1.5),
        ("1,5", (2,), [1, 5]),
        ("1,5 2,5", (2,), [1.5, 2.5]),
        ("[1,5 2,5]", (4,), [1, 5, 2, 5]),
        ("[1,5 2,5]", (2,), [1.5, 2.5]),
        ("[[1,5 2,5]\n [3,5 4,5]]", (2, 2), [[1.5, 2.5], [3.5, 4.5]]),
        ("[1,5; 2,5]", (2, 1), [[1.5], [2.5]]),
        ("[1,5; 2,5]", (2,), [1.5, 2.5]),
        ("[1,5; 2,5]", (2, 2), [[1, 5], [2, 5]]),
        ("[1,5 2,5; 3,5 4,5]", (2, 2), [[1.5, 2.5], [3.5, 4.5]]),
        ("[1,5]", (1,), [1.5]),
        ("[[1,5], [2,5]]", (2, 1), [[1.5], [2.5]]),
        ("[[1,5], [2,5]]", (2, 2), [[1, 5], [2, 5]]),
        ("1 2 3", (1, 3), [[1, 2, 3]]),
        ("1 2 3", (3, 1), [[1], [2], [3]]),
        ("1; 2; 3", (3,), [1, 2, 3]),
        (r"\begin{bmatrix} 1 \\ 2 \end{bmatrix}", (2,), [1, 2]),
        ("[1 2\n3 4]", (2, 2), [[1, 2], [3, 4]]),
        ("[1 2\n3 4]", (4,), [1, 2, 3, 4]),
        ("| 1 | 2 |\n|---|---|\n| 3 | 4 |", (2, 2), [[1, 2], [3, 4]]),
    ],
)
def test_the_shape_asked_for_decides_where_two_things_can_be_meant(text, asked, numbers):
    assert read_matrix(text, asked).array.tolist() == numbers


@pytest.mark.parametrize("asked", [None, (2, 2), (3, 3)])
def test_commas_in_a_list_of_python_separate(asked):
    assert read_matrix("[[1,5],[2,5]]", asked).array.tolist() == [[1, 5], [2, 5]]


@pytest.mark.parametrize("text", ["1 2 3; 4 5 6", "[[1, 2, 3], [4, 5, 6]]", r"1 & 2 & 3 \\ 4 & 5 & 6"])
def test_numbers_of_another_shape_are_read_as_well(text):
    assert read_matrix(text, (3, 2)).shape == (2, 3)
    assert read_matrix("[[1, 2, 3]]", (3,)).shape == (1, 3)
    assert read_matrix(r"1 \\ 2 \\ 3", (1, 3)).shape == (3, 1)  # a column is no row


@pytest.mark.parametrize(
    "text", ["[[1, _], [?, 4]]", "1, ; , 4", "1\t\n\t4", "| | |\n|--|:-:|\n| 1 | ____ |\n| | 4 |", "1 _; - 4"]
)
def test_blanks_keep_their_places(text):
    found = read_matrix(text, (2, 2))
    assert [entry is None for entry in found.entries] == [False, True, True, False]
    assert numpy.isnan(found.array).tolist() == [[False, True], [True, False]]


def test_each_entry_keeps_its_digits():
    assert [entry.unit for entry in read_matrix("[0.50, 1/3; 2e-3, 4]").entries] == [0.01, 0, 1e-3, 1]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("two one", "'two one' is not a matrix of numbers: 'two' is not a number."),
        ("[1, true]", "'true' is not a number."),
        ("[1, 2", "its brackets do not match."),
        ("1 2)", "its brackets do not match."),
        ("[1, (2])", "its brackets do not match."),
        ("[[1, 2], [[3, 4]]]", "its brackets do not match."),
        ("[[1, 2], 3, [4, 5]]", "'3' is more than a number."),
        ("", "it has none."),
        ("[[], []]", "it has none."),
        ("[" * 5000, "its brackets are nested too deeply."),
        ("1/0 1", "'1/0' divides by 0."),
        ("1 2; 3", "The rows have different lengths: row 0 has 2 numbers, row 1 has 1."),
        ("[[1, 2], [3, 4], [5]]", "The rows have different lengths: row 0 has 2 numbers, row 2 has 1."),
        (r"1 & 2 \\ 3", "row 0 has 2 numbers, row 1 has 1."),
        ("1,5 2,5", "'1,5 2,5' can be read as 1 5 2 5, or as 1.5 2.5."),
        ("1,5; 2,5", "'1,5; 2,5' can be read as 1 5; 2 5, or as 1.5; 2.5."),
        ("[1,5; 2,5]", "'[1,5; 2,5]' can be read as 1 5; 2 5, or as 1.5; 2.5."),
        ("[1 nan\n3 4]", "'[1 nan 3 4]' can be read as 1 nan; 3 4, or as 1 nan 3 4.\n  try:   Put brackets"),
        ("[1 2\n3 4]", "'[1 2 3 4]' can be read as 1 2; 3 4, or as 1 2 3 4."),
        ("[0. 1. ... 9.]", "dots replace some of its numbers."),
        (r"x = 2 \begin{bmatrix} 1 \end{bmatrix}", "'2' is more than a number."),
        (r"\begin{bmatrix} 1 \end{bmatrix}^T", "'^T' is more than a number."),
        ("__import__('os').system('ls')", "is not a matrix of numbers"),
        ("1 " * 600_000, "has 1200000 characters, too many for one answer."),
        ("1 " * 200_000, "has 200000 numbers, too many for one answer."),
    ],
)
def test_what_cannot_be_read_is_refused_in_a_sentence(text, said):
    with pytest.raises(InputError) as refused:
        read_matrix(text)
    assert said in str(refused.value)
    assert "\n  try:   " in str(refused.value)


@pytest.mark.parametrize(
    "piece",
    [
        "[",
        "]",
        "a",
        "a(",
        ", a=<",
        r"\frac{",
        "1/",
        "*",
        "10^",
        "|",
        "&",
        "'",
        r"\begin{",
        "1,",
        "[1],",
        "\n",
        " ",
        "--|",
    ],
)
def test_no_text_takes_long(piece):
    start = time.perf_counter()
    with pytest.raises(InputError):
        read_matrix(piece * (400_000 // len(piece)) + "x")
    assert (
        time.perf_counter() - start < 30
    )  # it takes about one; time that grows with the square of the length would be hours


@SETTINGS
@given(st.one_of(st.text(), SIGNS), st.sampled_from([None, (), (2,), (2, 2), (1, 3)]))
def test_no_text_does_more_harm_than_a_refusal(text, shape):
    with suppress(WorkingsError):
        found = read_matrix(text, shape)
        assert found.array.shape == found.shape
        assert str(found)
