"""A matrix product: the row and the column are those of the entry, its arithmetic is true, and nothing is too wide."""

from __future__ import annotations

from dataclasses import replace
from xml.etree import ElementTree

import numpy
import pytest
from figure_checks import check_numbers, drawn_width

import workings as w
from workings.document.notation import Notation
from workings.figures import figure_rows, svg_of
from workings.figures.parts.options import read_options
from workings.figures.product import ProductOptions, product_of


def small(rows, inner, columns):
    """A product whose numbers say where they are."""
    with w.Trace() as trace:
        X = w.given(numpy.arange(rows * inner).reshape(rows, inner) / 7, "token model", name="X")
        W = w.parameter(numpy.arange(inner * columns).reshape(inner, columns) / 9 - 1, "model head_size", name="W")
        w.ops.matmul(X, W, name="Q")
    return trace


@pytest.mark.parametrize("shape", [(1, 1, 1), (2, 4, 2), (3, 8, 5), (9, 9, 9), (4, 300, 70)])
def test_row_and_column_are_those_of_the_entry(shape):
    trace = small(*shape)
    rows, inner, columns = shape
    cell = rows - 1, columns - 1
    figure = product_of(trace["Q"], cell=cell)
    data = figure.data
    assert data.inner == inner
    assert data.result.rows[data.row][data.column].index == cell
    assert {one.index[0] for one in data.left.rows[data.row]} == {cell[0]}
    assert {row[data.column].index[1] for row in data.right.rows} == {cell[1]}
    assert [one.index[1] for one in data.left.rows[0]] == [row[0].index[0] for row in data.right.rows]
    assert ("largest are drawn" in figure.note) == (len(data.left.rows[0]) < inner)
    assert data.lines[-1].value == data.result.rows[data.row][data.column]
    assert drawn_width(figure) <= 600
    check_numbers(trace, replace(figure, data=data.left))
    check_numbers(trace, replace(figure, data=data.right))


def test_largest_entry_is_highlighted_where_none_is_chosen():
    data = product_of(small(2, 3, 2)["Q"]).data
    values = [[abs(one.value) for one in row] for row in data.result.rows]
    assert values[data.row][data.column] == max(map(max, values))


@pytest.mark.parametrize(
    ("scenario", "step", "at"),
    [
        ("cat-sat-encoder", "head2.scores", ()),
        ("cat-sat-encoder", "attention.Q", ()),
        ("sort", "block1.attention.scores", (3, 1)),
        ("sort", "block1.feed_forward.hidden", ()),
        ("hello-world", "logits", ()),
        ("example-3", "dW_Q", ()),
    ],
)
def test_product_of_any_model_is_drawn(scenario, step, at):
    trace = w.scenario(scenario).trace()
    view = trace[step]
    figure = product_of(view, trace.labels(view), at)
    assert drawn_width(figure) <= 600
    assert figure.alternative.endswith(f"{figure.data.lines[-1]}.")
    assert ElementTree.fromstring(svg_of(figure)) is not None


def test_head_is_one_of_packed_heads():
    trace = w.scenario("cat-sat-encoder").trace()
    data = product_of(trace["head2.scores"]).data
    assert {one.index[0] for row in data.result.rows for one in row} == {1}


def test_column_vectors_put_the_weight_first():
    trace = small(2, 3, 2)
    turned = trace.with_run(style=replace(trace.style, notation=Notation(vectors="column")))
    figure = product_of(turned["Q"], cell=(1, 0))
    assert figure.title == "Q = W · X"
    assert figure.data.result.rows[0][1].index == (1, 0)
    assert (figure.data.row, figure.data.column) == (0, 1)


def test_matrices_are_arranged_as_on_paper_where_there_is_room():
    figure = product_of(small(2, 3, 2)["Q"])
    assert figure_rows(figure, 80)[0].startswith(" " * 20)
    assert not figure_rows(figure, 30)[0].startswith(" ")


@pytest.mark.parametrize(
    ("build", "what"),
    [
        (lambda: product_of(w.scenario("example-1").trace()["weights"]), "not a matrix product"),
        (lambda: product_of(small(2, 2, 2)["Q"], cell=(2, 0)), "no entry in row 2 and column 0"),
        (lambda: product_of(small(2, 2, 2)["Q"], at=(1,)), "no matrix at"),
        (lambda: read_options(ProductOptions, {"cell": "1"}), "a row and a column"),
    ],
)
def test_what_is_no_entry_of_a_product_is_rejected(build, what):
    with pytest.raises(w.WorkingsError, match=what):
        build()
