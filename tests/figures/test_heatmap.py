"""Heatmaps: every number is an entry of the trace, and large matrices are cut."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy
import pytest
from figure_checks import check_numbers
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays

import workings as w
from workings.document.notation import Notation
from workings.document.numbers import Style
from workings.figures import svg_of
from workings.figures.bars import bars_of
from workings.figures.heatmap import heatmap_of
from workings.figures.mask import mask_of
from workings.figures.parts.grid import Grid


def of(array, axes="", name="x"):
    with w.Trace() as trace:
        trace.start_from(w.given(array, axes, name=name))
    return trace


def scenario_and_labels(name, run="default"):
    found = w.scenario(name)
    trace = found.trace(run)
    return trace, trace.labels.axes


@settings(max_examples=60, deadline=None)
@given(arrays("float64", some.tuples(some.integers(1, 30), some.integers(1, 40)), elements=some.floats(-1e6, 1e6)))
def test_every_number_is_the_entry_that_it_names(array):
    trace = of(array, "query key")
    figure = heatmap_of(trace, "x")
    check_numbers(trace, figure)
    grid = figure.data
    assert (len(grid.rows), len(grid.rows[0])) == array.shape
    assert not figure.note
    assert bool(grid.column_ticks) == (array.shape[0] > 24 or array.shape[1] > 16)
    assert grid.scale.low <= array.min()
    assert array.max() <= grid.scale.high
    assert grid.scale.low in (0, -grid.scale.high)


@pytest.mark.parametrize(("shape", "shown"), [((64, 128), (64, 128)), ((65, 128), (24, 16)), ((3, 129), (3, 16))])
def test_large_matrix_is_drawn_without_numbers_and_larger_one_is_cut(shape, shown):
    figure = heatmap_of(of(numpy.arange(shape[0] * shape[1]).reshape(shape) / 7.0, "query key"), "x")
    assert (len(figure.data.rows), len(figure.data.rows[0])) == shown
    assert bool(figure.note) == (shape != shown)


def test_ticks_have_the_number_or_the_label_of_their_place():
    grid = heatmap_of(of(numpy.ones((50, 64)), "position model"), "x").data
    assert [tick.text for tick in grid.row_ticks] == ["0", "10", "20", "30", "40"]
    words = tuple(f"word {n}" for n in range(50))
    grid = heatmap_of(of(numpy.ones((50, 64)), "position model"), "x", {"position": words}).data
    assert [tick.text for tick in grid.row_ticks] == [f"word {n}" for n in range(0, 50, 10)]
    assert all(words[int(tick.value)] == tick.text for tick in grid.row_ticks)


def test_numbers_of_a_head_have_their_index_in_the_whole_step():
    trace, labels = scenario_and_labels("cat-sat-encoder")
    figure = heatmap_of(trace, "head2.weights", labels)
    assert figure.title == "head2.weights"
    assert figure.data.rows[2][1].index == (1, 2, 1)
    assert figure.data.row_labels == figure.data.column_labels == ("The", "cat", "sat")
    check_numbers(trace, figure)
    assert figure.data.rows == heatmap_of(trace, "weights", labels, at=(1,)).data.rows


def test_title_names_the_head():
    trace, _ = scenario_and_labels("hello-world")
    assert heatmap_of(trace, "head1.weights").title == "head1.weights"


@pytest.mark.parametrize("figure_of", [heatmap_of, mask_of, bars_of])
def test_note_counts_the_matrices_and_names_the_next(figure_of):
    trace = of(numpy.arange(2 * 3 * 4).reshape(1, 2, 3, 4) % 2.0, "batch head query key", "weights")
    figure = figure_of(trace, "weights")
    assert figure.note == "This is the first of 2 matrices; weights[0][1] is the next one."
    assert figure_of(trace, "weights", at=(0, 1)).note == ""
    assert figure_of(trace, "weights", at=(0,)).note == figure.note
    several = figure_of(of(numpy.ones((3, 2, 1, 65, 40)), name="x"), "x")
    assert several.note.startswith("This is the first of 6 matrices; x[0][1][0] is the next one. These are the first ")


def test_note_has_the_path_of_a_step_with_an_ambiguous_name():
    with w.Trace() as trace:
        for part in ("encoder", "decoder"):
            with trace.scope(part):
                w.ops.softmax(w.given(numpy.ones((2, 2, 2)), "head query key", name="scores"), name="weights")
    figure = heatmap_of(trace, "encoder.weights")
    assert figure.note == "This is the first of 2 matrices; encoder.weights[1] is the next one."
    assert heatmap_of(trace, "encoder.weights", at=(1,)).title.endswith("head[1]")


def test_vectors_and_single_numbers_are_one_row():
    trace, labels = scenario_and_labels("hello-world")
    assert [number.index for number in heatmap_of(trace, "P", labels).data.rows[0]] == [(0,), (1,), (2,), (3,)]
    assert heatmap_of(trace, "loss").data.rows[0][0].index == ()


def test_labels_of_another_length_are_ignored():
    trace = of([[1.0, 2.0, 3.0]], "query key")
    grid = heatmap_of(trace, "x", {"query": ("a", "b"), "key": ("a", "b")}).data
    assert grid.row_labels == grid.column_labels == ()


def test_invisible_labels_are_quoted():
    trace = of([[1.0, 2.0]], "query key")
    assert heatmap_of(trace, "x", {"key": ("\n", " ")}).data.column_labels == (r"'\n'", "' '")


def test_infinite_entries_are_counted_and_do_not_stretch_the_scale():
    trace, labels = scenario_and_labels("cat-sat", "masked")
    figure = heatmap_of(trace, "masked", labels)
    assert "-∞ or not a number: 3" in figure.note
    assert figure.data.scale.high == 2
    with pytest.raises(w.WorkingsError, match="No entry of this step can be drawn"):
        heatmap_of(of([[1e305]]), "x")


def test_matrix_is_transposed_where_vectors_are_columns():
    trace = of([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "token model")
    trace = trace.with_run(style=Style(notation=Notation(vectors="column", count_from=1)))
    grid = heatmap_of(trace, "x", {"token": ("a", "b")}).data
    assert (grid.rows_are, grid.columns_are, grid.column_labels) == ("model", "token", ("a", "b"))
    assert grid.rows[2][0].index == (0, 2)


@pytest.mark.parametrize("at", [(2,), (0, 0), (-1,)])
def test_index_outside_the_step_is_rejected(at):
    with pytest.raises(w.WorkingsError, match="no matrix at"):
        heatmap_of(of(numpy.ones((2, 3, 3)), "head query key"), "x", at=at)


def test_every_matrix_of_a_scenario_can_be_drawn():
    trace, labels = scenario_and_labels("hello-world")
    for step in trace:
        figure = heatmap_of(trace, step, labels)
        assert isinstance(figure.data, Grid)
        check_numbers(trace, figure)


def test_every_number_in_the_svg_says_which_entry_it_is():
    trace, labels = scenario_and_labels("cat-sat-encoder")
    figure = heatmap_of(trace, "head2.weights", labels)
    numbers = [number for row in figure.data.rows for number in row]
    nodes = [node for node in ElementTree.fromstring(svg_of(figure)).iter() if node.get("data-index")]
    assert [(node.text, node.get("data-step"), node.get("data-index")) for node in nodes] == [
        (number.text, number.step, ",".join(map(str, number.index))) for number in numbers
    ]
