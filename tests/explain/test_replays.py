"""Explanations of replays: with values put in place and with mistakes made, no line says what is not so."""

import math

import pytest
from printed_arithmetic import calculate
from traces import cells, small

from workings.document.blocks import Number, plain_text
from workings.document.numbers import Style
from workings.engine.errors import WorkingsError
from workings.engine.op import OPS

PINNED = [
    "X",
    "Q",
    "scores",
    "scaled",
    "weights",
    "context",
    "logits",
    "dlogits",
    "dcontext",
    "dweights",
    "dscores",
    "dX",
]
MISTAKES = [
    ("scores", "matmul.entry_by_entry"),
    ("scaled", "divide_by_root.root_forgotten"),
    ("weights", "softmax.wrong_axis"),
    ("context", "attention.unscaled"),
    ("context", "attention.wrong_axis"),
    ("context", "attention.keys_and_values_exchanged"),
    ("context", "attention.queries_and_keys_exchanged"),
    ("loss", "cross_entropy.base_ten"),
    ("dscaled", "softmax.diagonal_only"),
    ("dscores", "divide_by_root.gradient_not_divided"),
    ("dV", "matmul.factors_exchanged"),
    ("dX", "collect.assigned"),
    ("dE", "lookup.to_all_rows"),
]


def check(trace):
    """Every line of every entry, to the last digit: its numbers give its result."""
    trace = trace.with_run(style=Style(17))
    for cell in cells(trace):
        for line in cell.lines:
            value = line.value.value
            if line.value.role == "entry":
                assert trace.recording.value(line.value.step)[line.value.index].item() == value
            if line.forms and any(isinstance(span, Number) for span in line.forms[-1]):
                result = float(calculate(plain_text(line.forms[-1])))
                assert math.isclose(result, value, rel_tol=1e-12, abs_tol=1e-14), str(line)


@pytest.mark.parametrize("name", PINNED)
def test_a_value_that_was_put_in_place_is_given_and_the_rest_follows(name):
    trace = small("attention-backward")
    changed = trace.replay(values={name: trace[name].value + 0.25})
    view = changed[name]
    cell = view.cell(*(0 for _ in view.shape))
    assert [line.forms for line in cell.lines] == [()]
    assert cell.note == "given"
    check(changed)
    assert changed.document().blocks


@pytest.mark.parametrize(("name", "mistake"), MISTAKES)
def test_steps_after_a_mistake_follow_from_the_wrong_numbers(name, mistake):
    changed = small("attention-backward").replay(ops={name: mistake})
    check(changed)
    assert changed.document().blocks


def test_a_gradient_through_a_value_that_was_put_in_place_is_still_explained():
    changed = small("attention-backward").replay(values={"scores": [[1.0, 2.0], [3.0, 4.0]]})
    assert str(changed["dQ"].cell(1, 0)).startswith("dQ[1][0] = dscores[1] · K[:,0] = ")
    assert changed["dQ"].formula == r"dQ_{ij} = \sum_k \mathrm{dscores}_{ik} \, K_{kj}"


def test_other_settings_reach_the_calculation_and_the_formula():
    changed = small("attention-backward").replay(settings={"scaled": {"d": 5}})
    assert str(changed["scaled"].cell(1, 0)).startswith("root = √(5) = 2.236\n")
    assert str(changed["dscores"].cell(1, 0)).startswith("root = √(5) = 2.2361\n")
    assert r"\sqrt{5}" in changed["dscores"].formula
    check(changed)


def test_every_possible_mistake_can_be_explained():
    trace = small("attention-backward")
    told = set()
    for step in trace.recording.steps.values():
        groups = [group for group in trace.recording.groups.values() if group.result == step.id]
        for page in {step.op_name, *(group.op.name for group in groups)} & set(OPS):
            for mistake in OPS[page].page.mistakes.values():
                if mistake.id in told:
                    continue
                try:
                    changed = trace.replay(ops={step.id: mistake})
                except WorkingsError:
                    continue
                assert changed.document().blocks
                told.add(mistake.id)
    assert len(told) > 40
