"""One update: the matrices are those of the step, and the losses before and after it are those of its training."""

from __future__ import annotations

from dataclasses import replace

import numpy
import pytest
from figure_checks import check_numbers, drawn_width, smallest_label

import workings as w
from workings.figures import figure_rows, svg_of
from workings.figures.update import update_of

AFTER = w.scenario("example-2").trace("after")


def test_new_weight_is_the_old_one_minus_the_rate_times_the_gradient():
    figure = update_of(AFTER["step1.W_vocab_new"])
    old, slope, new = (
        numpy.asarray([[one.value for one in row] for row in part.rows])
        for part in (figure.data.weight, figure.data.gradient, figure.data.new)
    )
    assert numpy.allclose(old - figure.data.rate.value * slope, new)
    for part in (figure.data.weight, figure.data.gradient, figure.data.new):
        check_numbers(AFTER, replace(figure, data=part))
    assert figure.data.rate.value == AFTER["step1.W_vocab_new"].settings["rate"]


def test_losses_are_those_of_the_passes_before_and_after():
    data = update_of(AFTER["step1.W_vocab_new"]).data
    assert data.before.loss == AFTER["step1.loss"].number()
    assert data.after.loss == AFTER["step2.loss"].number()
    assert data.before.target == "C"
    assert data.before.probability == AFTER["step1.P"].number(2)
    assert data.after.probability == AFTER["step2.P"].number(2)
    assert data.after.loss.value < data.before.loss.value


def test_entry_with_the_largest_gradient_is_marked():
    data = update_of(AFTER["step1.W_vocab_new"]).data
    assert abs(data.changes[1].value) == numpy.abs(AFTER["step1.W_vocab_new"].inputs[1].value).max()
    assert data.lines[-1].value.value == data.changes[2].value


def test_weight_stands_for_its_first_update():
    assert update_of(AFTER["W_vocab"]) == update_of(AFTER["step1.W_vocab_new"])


def test_update_without_a_later_pass_has_only_the_loss_before():
    figure = update_of(w.scenario("example-2").trace()["W_vocab"])
    assert figure.data.before is not None
    assert figure.data.after is None
    assert "after the update" not in svg_of(figure)


def test_other_weights_that_change_too_are_said():
    trace = w.scenario("hello-world").trace("after")
    assert "all trained weights" in update_of(trace["step1.W_vocab_new"]).note
    assert "all trained weights" not in update_of(AFTER["step1.W_vocab_new"]).note


def test_direction_of_adam_takes_the_place_of_the_gradient():
    with w.Trace() as trace:
        zeros = w.given([[0.0, 0.0]], "model hidden", name="zeros")
        W = w.parameter([[1.0, 2.0]], "model hidden", name="W")
        dW = w.given([[0.5, -3.0]], "model hidden", name="dW")
        w.ops.adam(W, dW, zeros, zeros, t=1, rate=0.1)
    figure = update_of(trace["W"])
    assert figure.title == "W_new = W − 0.1 × W_direction"
    assert figure.alternative.endswith("because that of W_direction is -1.0.")
    assert figure.data.before is None
    assert figure_rows(figure, 60)


@pytest.mark.parametrize(
    ("scenario", "run", "weight"),
    [
        ("hello-world", "after", "step1.embedding.E_new"),
        ("hello-world", "after", "step1.block1.feed_forward.b_1_new"),
        ("hello-world", "default", "head2.W_V"),
        ("example-3", "default", "W_Q"),
    ],
)
def test_update_of_any_weight_is_drawn(scenario, run, weight):
    trace = w.scenario(scenario).trace(run)
    view = trace[weight]
    figure = update_of(view, trace.labels(view))
    assert drawn_width(figure) <= 600
    assert smallest_label(figure)[1] >= 12
    assert max(map(len, figure_rows(figure, 44))) <= 44


def test_step_that_is_not_updated_is_rejected():
    with pytest.raises(w.WorkingsError, match="E is not updated in this run"):
        update_of(AFTER["E"])
