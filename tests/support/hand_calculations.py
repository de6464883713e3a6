"""All hand calculations of a recording, and all its primitive steps judged in `decimal`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from decimal import localcontext
from functools import partial
from typing import Any

import decimal_judges
import numpy
from example_runs import same_bits

from workings.engine.arithmetic import Calculator
from workings.engine.arrays import brackets, indices
from workings.engine.hand import Hand, Paper
from workings.engine.inside import inside
from workings.engine.op import Op
from workings.engine.recording import Recording
from workings.engine.steps import GroupRecord, Step
from workings.engine.tensor import Tensor


def hand_calculations(recording: Recording) -> Iterator[tuple[str, Hand, tuple[int, ...], float]]:
    """Every entry that a page can work out by hand: what it is, the calculation, and the recorded value."""
    for step in recording.steps.values():
        if isinstance(step.op, Op):
            calculate = _forward_by_hand(recording, step)
            value = recording.value(step.id)
            if value.shape != step.form.shape:
                raise AssertionError(f"{step.path} has the shape {value.shape}, but says {step.form.shape}")
            for at in indices(value.shape):
                yield f"{step.path} ({step.op_name})", calculate(at), at, value[at].item()
    for group in recording.groups.values():
        if group.rule_of:
            calculate = _rule_by_hand(recording, group)
            value = recording.value(group.result)
            for at in indices(value.shape):
                yield f"{group.path} (rule of {group.op.name})", calculate(at), at, value[at].item()


def _forward_by_hand(recording: Recording, step: Step) -> Callable[[tuple[int, ...]], Hand]:
    op: Any = step.op
    tensors = recording.input_tensors(step)
    papers = [Paper(name, x.array) for name, x in zip(op.slot_names(len(tensors)), tensors, strict=True)]
    settings = op.positional(tuple(x.form for x in tensors), step.settings)
    return lambda at: op.by_hand(at, *papers, **settings)


def _rule_by_hand(recording: Recording, group: GroupRecord) -> Callable[[tuple[int, ...]], Hand]:
    op, forward = group.op, recording.step(group.rule_of or "")
    name = op.input_name(group.slot)
    rule = op.page.rules[name]
    tensors = recording.input_tensors(forward)
    known = op.known(tensors, forward.tensor, group.slot)
    papers = [_paper(read, known(read)) for read in rule.signature.reads]
    positional = op.positional(tuple(x.form for x in tensors), forward.settings)
    settings = {setting: positional[setting] for setting in rule.signature.settings}
    g = Paper("g", recording.value(group.inputs[0]))
    return lambda at: getattr(op, f"by_hand_d{name}")(at, g, *papers, **settings)


def _paper(name: str, known: Any) -> Any:
    """What a rule reads, on paper; a variadic input is several sheets, and `which` stays a number."""
    if isinstance(known, tuple):
        return tuple(Paper(f"{name}{n}", tensor.array) for n, tensor in enumerate(known, 1))
    return Paper(name, known.array) if isinstance(known, Tensor) else known


def judge_in_decimal(where: str, recording: Recording) -> None:
    """Every primitive step, also inside composites, against its definition in `decimal`."""
    for step in recording.steps.values():
        if step.kind == "composite":
            opened = inside(recording, step)
            judge_in_decimal(where, opened)
            same_bits(f"{where}: {step.path} opened", opened.value(opened.result), recording.value(step.id))
        elif step.kind == "primitive":
            _judge_step_in_decimal(where, recording, step)


def _judge_step_in_decimal(where: str, recording: Recording, step: Step) -> None:
    op: Any = step.op
    calculator: Any = recording.arithmetic
    assert isinstance(calculator, Calculator)
    # A page without a judge is judged through its own forward, on arrays of decimals.
    judge = decimal_judges.JUDGES.get(op.name, op.forward)

    def written(exact: Any) -> Any:
        return decimal_judges.round_as_people_do(exact, calculator.digits, calculator.unit)

    if op.name in decimal_judges.IN_LINES:
        judge = partial(judge, written=written)
    tensors = recording.input_tensors(step)
    settings = op.positional(tuple(x.form for x in tensors), step.settings)
    with localcontext(decimal_judges.WIDE):
        exact = judge(*(decimal_judges.decimals_of(x.array) for x in tensors), **settings)
    exact = numpy.asarray(exact, dtype=object)
    value = recording.value(step.id)
    if exact.shape != value.shape:
        raise AssertionError(f"{where}: {step.path}: got the shape {value.shape}, expected {exact.shape}")
    for at in indices(value.shape):
        expected = float(written(exact[at]))
        if value[at].item() != expected:
            raise AssertionError(f"{where}: {step.path}{brackets(at)}: got {value[at].item()!r}, expected {expected!r}")
