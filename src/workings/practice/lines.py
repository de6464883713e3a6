"""The lines of a hand calculation as blanks: of a softmax the largest score, the differences from it, the powers of e
and their sum; of a norm the mean, the variance and the root. They belong to the entry that they lead to, as
`weights[0][1]/total`.

A sheet asks for all of them, for none, or for those of one row of each softmax: the last one with a blank. The last row
belongs to the token that predicts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from ..document.spans import plain_text
from ..engine.arrays import Index
from ..engine.hand import Expression, Line, Named, in_float
from ..engine.op import Op
from ..engine.recording import Recording
from ..engine.steps import Step
from ..explain.hand_calculation import hand_calculation_of, lines_in_float
from ..explain.trace import Trace
from .blanks import Blank
from .tolerance import Rounding

if TYPE_CHECKING:
    from .variant import Variant

# The answers to the lines of a step. A line of a row leads to all entries of the row, so it is known by its true value.
LineAnswers: TypeAlias = Mapping[tuple[str, float], float]
LineLevel: TypeAlias = Literal["none", "softmax", "all"]
LINE_LEVELS: tuple[LineLevel, ...] = get_args(LineLevel)
LINES_IN_CODE: Mapping[str, LineLevel] = {"": "none", "r": "softmax", "l": "all"}  # r: a row of each softmax


def with_lines(variant: Variant, blanks: tuple[Blank, ...], level: LineLevel = "all") -> tuple[Blank, ...]:
    """The blanks, and before those of a step one for each line that leads to them. A line that several entries share
    is asked once.
    """
    worked = set(blanks) if level == "all" else _worked_rows(variant.trace, blanks) if level == "softmax" else set()
    stated = {step.id for step in variant.mistakes.named_steps}
    rounding = Rounding(variant.trace.recording, variant.digits, lambda id, index: id in stated)
    found: list[Blank] = []
    known: set[tuple[str, str, Expression]] = set()
    for position, blank in enumerate(blanks):
        if blank.kind == "number" and (not position or blanks[position - 1].step != blank.step):
            for other in blanks:
                if other.step == blank.step and other.kind == "number" and other in worked:
                    found += _lines_to(variant.trace, other, rounding, known)
        found.append(blank)
    return tuple(found)


def _worked_rows(trace: Trace, blanks: tuple[Blank, ...]) -> set[Blank]:
    """The blanks of one row of each softmax: of the last row that has any."""
    rows: dict[str, list[Blank]] = {}
    for blank in blanks:
        if blank.kind == "number" and trace.find_step(blank.step).op_name == "softmax":
            row = rows.setdefault(blank.step, [])
            if row and _row_of(trace, row[0]) < _row_of(trace, blank):
                row.clear()
            if not row or _row_of(trace, row[0]) == _row_of(trace, blank):
                row.append(blank)
    return {blank for row in rows.values() for blank in row}


def _row_of(trace: Trace, blank: Blank) -> Index:
    """Which row of a softmax an entry lies in: its index without that along the axis that is normalized."""
    axis = softmax_axis(trace, trace.find_step(blank.step))
    return blank.index[:axis] + blank.index[axis + 1 :]


def softmax_axis(trace: Trace, step: Step) -> int:
    """The axis that a softmax normalizes, as a position."""
    assert isinstance(step.op, Op)
    forms = tuple(tensor.form for tensor in trace.recording.input_tensors(step))
    return int(step.op.positional(forms, step.settings)["axis"]) % len(step.form.shape)


def _lines_to(
    trace: Trace, blank: Blank, rounding: Rounding, known: set[tuple[str, str, Expression]]
) -> Iterator[Blank]:
    step = trace.find_step(blank.step)
    lines = [line for line in lines_of(trace.recording, step, blank.index)[:-1] if isinstance(line.value, float)]
    new = [line for line in lines if (blank.step, line.symbol, line.expression) not in known]
    if not new:
        return
    tolerances = rounding.of_lines(step, blank.index)
    shown = trace[blank.step].cell(*blank.index).lines
    letters = {plain_text(line.left): plain_text(line.forms[0]) for line in shown if line.forms}
    for line in new:
        known.add((blank.step, line.symbol, line.expression))
        label = f"{blank.label}/{line.symbol}"
        yield replace(
            blank,
            label=label,
            kind="line",
            true=line.value,
            tolerance=tolerances[line.symbol],
            question=f"{label} = {letters[line.symbol]}" if line.symbol in letters else "",
            line=line.symbol,
        )


def lines_of(recording: Recording, step: Step, index: Index) -> list[Line]:
    """The lines of the hand calculation of an entry; the last one is the entry itself."""
    return lines_in_float(recording, step, index)[0]


def carried_lines(
    recording: Recording, truth: Recording, step: Step, index: Index, answers: LineAnswers
) -> dict[str, float]:
    """What each line gives from the learner's own numbers, those of the lines before it included. The entry itself has
    no symbol. Where the learner's numbers make a line impossible, there are no more.
    """
    true = {line.symbol: float(line.value) for line in lines_of(truth, step, index)}
    work = hand_calculation_of(recording, step, index)
    found: dict[str, float] = {}
    if work is None:
        return found
    hand = work[0]
    try:
        if isinstance(hand, Expression):
            return {"": float(in_float(hand))}
        result: Named | None = None
        while True:
            try:
                symbol, expression = hand.send(result) if result is not None else next(hand)
            except StopIteration as end:
                return {**found, "": float(in_float(end.value))}
            found[symbol] = float(in_float(expression))
            result = Named(symbol, answers.get((symbol, true[symbol]), found[symbol]))
    except (ArithmeticError, ValueError):
        return found
