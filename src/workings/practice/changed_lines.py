"""A step computed by its own lines with one thing in them changed: a factor left out, a difference for a sum.

There are too many of these to be listed on the pages of the ops. They are tried only where no mistake of the catalogue
explains a step, and believed only if several wrong numbers agree. What is said of them is what was calculated, not why.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import NamedTuple, TypeAlias

import numpy

from ..document.blocks import plain_text
from ..engine.arrays import Array, Index
from ..engine.hand import Apply, Entry, Expression, Line, Literal, Named, Number, in_float, work_out
from ..engine.recording import Recording
from ..engine.steps import Step
from ..explain.hand_calculation import hand_calculation_of, lines_in_float
from ..explain.line import LineWriter
from ..explain.trace import Trace

CHANGED_LINE, MULTIPLE = "line.changed", "line.multiple"
NUMBER, TIMES, TIMES_PART = "number", "times", "times a part"
MAX_LINES = 60  # of a hand calculation that is still tried
MAX_ENTRIES = 4096  # of a step
FEWEST = 2.0  # that people miscount: by one, as in a mean over all but the last
MULTIPLES = (-1.0, 2.0, 0.5, -2.0, -0.5)  # and the sizes of the axes of what a step reads

IsGiven: TypeAlias = Callable[[float], bool]  # whether a value is what the learner wrote into an entry
Changer: TypeAlias = Callable[[Sequence[Expression]], Expression]

ONE_OF_TWO: Mapping[str, Changer] = {"first": lambda parts: parts[0], "second": lambda parts: parts[1]}
FUNCTIONS = ("exp", "ln", "sqrt", "tanh", "erf")
FUNCTION: Mapping[str, Changer] = {"left out": lambda parts: parts[0]}
CHANGES: Mapping[str, Mapping[str, Changer]] = {
    "+": {**ONE_OF_TWO, "-": lambda parts: parts[0] - parts[1]},
    "-": {"first": lambda parts: parts[0], "+": lambda parts: parts[0] + parts[1], "turned": lambda p: p[1] - p[0]},
    "*": {
        **ONE_OF_TWO,
        "/": lambda parts: parts[0] / parts[1],
        "+": lambda parts: parts[0] + parts[1],
        "-": lambda parts: parts[0] - parts[1],
    },
    "/": {
        "first": lambda parts: parts[0],
        "*": lambda parts: parts[0] * parts[1],
        "-": lambda parts: parts[0] - parts[1],
        "turned": lambda parts: parts[1] / parts[0],
    },
    "pow": {"first": lambda parts: parts[0]},
    "exp": {**FUNCTION, "negative": lambda parts: Apply("exp", (-parts[0],))},
    "sin": {**FUNCTION, "cos": lambda parts: Apply("cos", tuple(parts))},
    "cos": {**FUNCTION, "sin": lambda parts: Apply("sin", tuple(parts))},
    "if": {"second": lambda parts: parts[1]},
    "sqrt": {**FUNCTION, "squared": lambda parts: parts[0] * parts[0]},
    **dict.fromkeys(("ln", "tanh", "erf", "neg"), FUNCTION),
}


class Change(NamedTuple):
    """What is changed, and where: in the lines of one name, at a place in their expressions."""

    lines: str
    place: tuple[int, ...]
    how: str
    number: float = 0.0  # that takes the place of another one, or is multiplied by
    other: tuple[int, ...] = ()  # the place of the part of the line that is multiplied by

    def applied(
        self, expression: Expression, place: tuple[int, ...] | None = None, line: Expression | None = None
    ) -> Expression:
        place, line = (self.place if place is None else place), line or expression
        if not place and self.how == NUMBER:
            return Literal(self.number)
        if not place and self.how == TIMES:
            return _multiplied(expression, self.number)
        if not place and self.how == TIMES_PART:
            return expression * _part(line, self.other)
        if not isinstance(expression, Apply):
            raise ValueError("another entry has another calculation")
        if not place:
            return CHANGES[expression.kind][self.how](expression.parts)
        parts = list(expression.parts)
        parts[place[0]] = self.applied(parts[place[0]], place[1:], line)
        return replace(expression, parts=tuple(parts))


def _part(expression: Expression, place: tuple[int, ...]) -> Expression:
    for number in place:
        if not isinstance(expression, Apply):
            raise ValueError("another entry has another calculation")
        expression = expression.parts[number]
    return expression


def _multiplied(expression: Expression, times: float) -> Expression:
    """As a person writes it: half of something is divided by 2."""
    if times == -1:
        return -expression
    return expression * Literal(times) if abs(times) > 1 else expression / Literal(1 / times)


class ChangedStep(NamedTuple):
    """What a step gives with something in its lines changed, and what to say of it."""

    id: str
    hint: str
    value: Array


def with_changed_lines(
    trace: Trace, recording: Recording, step: Step, wrong: Sequence[tuple[Index, IsGiven]]
) -> Iterator[ChangedStep]:
    """The changes that give all wrong answers."""
    if math.prod(step.form.shape) > MAX_ENTRIES:
        return
    for change in _changes(recording, step, wrong[0][0]):
        if all(is_given(_entry(recording, step, index, change)) for index, is_given in wrong):
            value = numpy.array(recording.value(step.id), dtype=numpy.float64)
            for index in numpy.ndindex(*step.form.shape):
                value[index] = _entry(recording, step, index, change)
            if not numpy.isnan(value).any():
                yield ChangedStep(CHANGED_LINE, _hint(trace, recording, step, wrong[0][0], change), value)


def multiples(recording: Recording, step: Step, wrong: Sequence[tuple[Index, IsGiven]]) -> Iterator[ChangedStep]:
    """The simple multiples of a step that give all wrong answers."""
    own: Array = numpy.asarray(recording.value(step.id), dtype=numpy.float64)
    for times in _factors(recording, step):
        if all(is_given(times * float(own[index])) for index, is_given in wrong):
            yield ChangedStep(MULTIPLE, _multiple_hint(times), times * own)


def _factors(recording: Recording, step: Step) -> list[float]:
    sizes = {size for id in (*step.inputs, step.id) for size in recording.step(id).form.shape if size > 1}
    by_size = (by for n in sorted(sizes) for by in (float(n), 1 / n, *((n / (n - 1),) if n > FEWEST else ())))
    return list(dict.fromkeys((*MULTIPLES, *by_size)))


def _multiple_hint(times: float) -> str:
    if times == -1:
        return "Every sign is reversed: look for a missing or an extra minus."
    factor = Fraction(times).limit_denominator(MAX_ENTRIES)
    return f"Your numbers are the right ones times {factor}: look for a missing or an extra factor."


def _changes(recording: Recording, step: Step, index: Index) -> Iterator[Change]:
    lines, _ = lines_in_float(recording, step, index)
    seen: set[str] = set()
    others = _settings_around(recording, step)
    for line in lines if len(lines) <= MAX_LINES else ():
        stem = _stem(line.symbol)
        if stem not in seen:
            seen.add(stem)
            yield from (Change(stem, place, how) for place, how in _places(line.expression))
            for place in _terms(line):
                yield from (Change(stem, place, TIMES, times) for times in _factors(recording, step))
                entries = (other for other in _entries(line.expression) if other[: len(place)] != place)
                yield from (Change(stem, place, TIMES_PART, other=other) for other in entries)
            for place, own in _numbers(line.expression):
                near = {own - 1, own + 1} if own.is_integer() and own > FEWEST else set()
                yield from (Change(stem, place, NUMBER, other) for other in sorted((others | near) - {own}))


def _places(expression: Expression) -> Iterator[tuple[tuple[int, ...], str]]:
    if not isinstance(expression, Apply):
        return
    if expression.kind != "+" or len(expression.parts) == 2:  # a longer sum has no first and second term
        yield from (((), how) for how in CHANGES.get(expression.kind, ()))
    for number, part in enumerate(expression.parts):
        yield from (((number, *place), how) for place, how in _places(part))


def _terms(line: Line) -> Iterator[tuple[int, ...]]:
    """The places where a factor may be too many: a line on the way, the terms of a sum or a difference of two, and what
    a function is taken of.
    """
    expression = line.expression
    if isinstance(expression, Apply) and expression.kind in FUNCTIONS:
        yield (0,)
    if isinstance(expression, Apply) and line.symbol:
        yield ()
    if isinstance(expression, Apply) and expression.kind in ("+", "-") and len(expression.parts) == 2:
        yield from ((number,) for number, part in enumerate(expression.parts) if isinstance(part, Apply | Named))


def _entries(expression: Expression) -> Iterator[tuple[int, ...]]:
    """The places of the entries of tables in a line."""
    if isinstance(expression, Entry):
        yield ()
    for number, part in enumerate(expression.parts if isinstance(expression, Apply) else ()):
        yield from ((number, *place) for place in _entries(part))


def _numbers(expression: Expression) -> Iterator[tuple[tuple[int, ...], float]]:
    """The places where a number of the method is."""
    if isinstance(expression, Literal):
        yield (), float(expression.value)
    for number, part in enumerate(expression.parts if isinstance(expression, Apply) else ()):
        yield from (((number, *place), value) for place, value in _numbers(part))


def _settings_around(recording: Recording, step: Step) -> set[float]:
    """The numbers that the steps of the same group are told, such as both betas of Adam."""
    group = recording.groups.get(step.group or "")
    near = recording.members(group) if group is not None else [step]
    return {float(value) for one in near for value in one.settings.values() if isinstance(value, float)}


def _stem(symbol: str) -> str:
    """The name that lines of the same kind share: s for s0, s1 and s2."""
    return symbol.rstrip("0123456789") or symbol


def _entry(recording: Recording, step: Step, index: Index, change: Change) -> float:
    """An entry with the change; NaN if it cannot be made or computed there."""
    work = hand_calculation_of(recording, step, index)
    symbols = iter([line.symbol for line in lines_in_float(recording, step, index)[0]])

    def value_of(expression: Expression) -> Number:
        is_changed = _stem(next(symbols)) == change.lines
        return in_float(change.applied(expression) if is_changed else expression)

    try:
        return float(work_out(work[0], value_of)[-1].value) if work is not None else math.nan
    except (ArithmeticError, IndexError, KeyError, StopIteration, ValueError):  # it cannot be made or computed here
        return math.nan


def _hint(trace: Trace, recording: Recording, step: Step, index: Index, change: Change) -> str:
    """The changed line beside the one that it should be."""
    lines, sources = lines_in_float(recording, step, index)
    line = next(line for line in lines if _stem(line.symbol) == change.lines)
    writer = LineWriter(recording, step, index, sources, trace.style)
    both = (change.applied(line.expression), line.expression)
    made, right = (plain_text(writer.in_letters(one) or writer.in_numbers(one)) for one in both)
    name = f"{line.symbol} = " if line.symbol else ""
    return f"You calculated {name}{made} instead of {right}."
