"""Heatmaps and masks: every number is an entry of the trace, large matrices are cut, masks say who sees whom."""

from __future__ import annotations

import numpy
import pytest
from figure_checks import check_numbers
from hypothesis import given, settings
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays

import workings as w
from workings.explain.bars import bars_of
from workings.explain.document import Grid
from workings.explain.heatmap import heatmap_of, mask_of
from workings.explain.notation import Notation
from workings.explain.numbers import Style
from workings.models.labels import labels_of


def of(array, axes="", name="x"):
    with w.Trace() as trace:
        trace.start_from(w.given(array, axes, name=name))
    return trace


def scenario_and_labels(name, run="default"):
    found = w.scenario(name)
    trace = found.trace(run)
    return trace, labels_of(found, run, trace)


@settings(max_examples=60, deadline=None)
@given(arrays("float64", some.tuples(some.integers(1, 30), some.integers(1, 40)), elements=some.floats(-1e6, 1e6)))
def test_every_number_is_the_entry_that_it_says_it_is(array):
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
def test_of_a_large_matrix_the_colours_are_drawn_and_of_a_larger_one_the_corner(shape, shown):
    figure = heatmap_of(of(numpy.arange(shape[0] * shape[1]).reshape(shape) / 7.0, "query key"), "x")
    assert (len(figure.data.rows), len(figure.data.rows[0])) == shown
    assert bool(figure.note) == (shape != shown)


def test_a_few_places_are_named_by_their_number_or_label():
    grid = heatmap_of(of(numpy.ones((50, 64)), "position model"), "x").data
    assert [tick.text for tick in grid.row_ticks] == ["0", "10", "20", "30", "40"]
    words = tuple(f"word {n}" for n in range(50))
    grid = heatmap_of(of(numpy.ones((50, 64)), "position model"), "x", {"position": words}).data
    assert [tick.text for tick in grid.row_ticks] == [f"word {n}" for n in range(0, 50, 10)]
    assert all(words[int(tick.value)] == tick.text for tick in grid.row_ticks)


def test_a_head_knows_its_place_in_the_whole_step():
    trace, labels = scenario_and_labels("cat-sat-encoder")
    figure = heatmap_of(trace, "head2.weights", labels)
    assert figure.title == "head2.weights"
    assert figure.data.rows[2][1].index == (1, 2, 1)
    assert figure.data.row_labels == figure.data.column_labels == ("The", "cat", "sat")
    check_numbers(trace, figure)
    assert figure.data.rows == heatmap_of(trace, "weights", labels, at=(1,)).data.rows


def test_a_head_with_matrices_of_its_own_says_which_it_is():
    trace, _ = scenario_and_labels("hello-world")
    assert heatmap_of(trace, "head1.weights").title == "head1.weights"


@pytest.mark.parametrize("figure_of", [heatmap_of, mask_of, bars_of])
def test_of_several_matrices_it_says_how_many_there_are_and_how_the_next_is_named(figure_of):
    trace = of(numpy.arange(2 * 3 * 4).reshape(1, 2, 3, 4) % 2.0, "batch head query key", "weights")
    figure = figure_of(trace, "weights")
    assert figure.note == "The first of 2 matrices; weights[0][1] is the next one."
    assert figure_of(trace, "weights", at=(0, 1)).note == ""
    assert figure_of(trace, "weights", at=(0,)).note == figure.note
    several = figure_of(of(numpy.ones((3, 2, 1, 65, 40)), name="x"), "x")
    assert several.note.startswith("The first of 6 matrices; x[0][1][0] is the next one. The first ")


def test_a_name_that_several_steps_have_is_said_with_its_path():
    with w.Trace() as trace:
        for part in ("encoder", "decoder"):
            with trace.scope(part):
                w.ops.softmax(w.given(numpy.ones((2, 2, 2)), "head query key", name="scores"), name="weights")
    figure = heatmap_of(trace, "encoder.weights")
    assert figure.note == "The first of 2 matrices; encoder.weights[1] is the next one."
    assert heatmap_of(trace, "encoder.weights", at=(1,)).title.endswith("head[1]")


def test_vectors_and_single_numbers_are_one_row():
    trace, labels = scenario_and_labels("hello-world")
    assert [number.index for number in heatmap_of(trace, "P", labels).data.rows[0]] == [(0,), (1,), (2,), (3,)]
    assert heatmap_of(trace, "loss").data.rows[0][0].index == ()


def test_labels_that_do_not_fit_the_axis_are_left_out():
    trace = of([[1.0, 2.0, 3.0]], "query key")
    grid = heatmap_of(trace, "x", {"query": ("a", "b"), "key": ("a", "b")}).data
    assert grid.row_labels == grid.column_labels == ()


def test_labels_that_cannot_be_seen_are_quoted():
    trace = of([[1.0, 2.0]], "query key")
    assert heatmap_of(trace, "x", {"key": ("\n", " ")}).data.column_labels == (r"'\n'", "' '")


def test_entries_without_a_colour_are_counted_and_do_not_stretch_the_scale():
    trace, labels = scenario_and_labels("cat-sat", "masked")
    figure = heatmap_of(trace, "masked", labels)
    assert "-∞ or no numbers: 3" in figure.note
    assert figure.data.scale.high == 2
    with pytest.raises(w.WorkingsError, match="no entry that could be drawn"):
        heatmap_of(of([[1e305]]), "x")


def test_as_columns_it_is_turned_and_the_entries_stay_what_they_are():
    trace = of([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]], "token model")
    trace.style = Style(notation=Notation(vectors="column", count_from=1))
    grid = heatmap_of(trace, "x", {"token": ("a", "b")}).data
    assert (grid.rows_are, grid.columns_are, grid.column_labels) == ("model", "token", ("a", "b"))
    assert grid.rows[2][0].index == (0, 2)


@pytest.mark.parametrize("at", [(2,), (0, 0), (-1,)])
def test_a_place_that_is_not_there(at):
    with pytest.raises(w.WorkingsError, match="no matrix at"):
        heatmap_of(of(numpy.ones((2, 3, 3)), "head query key"), "x", at=at)


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
    assert figure.alternative == "a sees a. b sees nothing."


def test_what_is_no_mask_is_refused_and_those_that_are_one_are_named():
    trace, _ = scenario_and_labels("cat-sat", "masked")
    with pytest.raises(w.WorkingsError) as error:
        mask_of(trace, "scores")
    assert "masked" in str(error.value)


def test_every_matrix_of_a_scenario_can_be_drawn():
    trace, labels = scenario_and_labels("hello-world")
    for step in trace:
        figure = heatmap_of(trace, step, labels)
        assert isinstance(figure.data, Grid)
        check_numbers(trace, figure)
