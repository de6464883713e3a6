"""A step with an operation too many, or another one: a function of its numbers, or of a table that it reads; another
table that was multiplied, divided, added or subtracted entry by entry; two tables that were combined so.

Like other inputs, these are tried only where no mistake of the catalogue explains a step, and believed only if several
wrong answers agree.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from functools import partial

import numpy

from ...engine.arrays import Array, is_float
from ...engine.changes import Changes
from ...engine.errors import WorkingsError
from ...engine.recording import Recording
from ...engine.replay import replay
from ...engine.steps import Step
from ..blanks import step_label
from ..changed_lines import CHANGED_LINE
from ..mistakes import MistakeFinder, MistakeOutcome, same
from .other_inputs import tables_read

MAX_ENTRIES = 4096  # of a step


def _softmax(x: Array) -> Array:
    powers = numpy.exp(x - numpy.max(x, axis=-1, keepdims=True))
    return powers / numpy.sum(powers, axis=-1, keepdims=True)


FUNCTIONS: Mapping[str, Callable[[Array], Array]] = {
    "the ReLU": lambda x: numpy.maximum(x, 0.0),
    "the absolute value": numpy.abs,
    "the square": numpy.square,
    "the square root": numpy.sqrt,
    "the exponential": numpy.exp,
    "the logarithm": numpy.log,
    "the sigmoid": lambda x: 1 / (1 + numpy.exp(-x)),
    "tanh": numpy.tanh,
    "the softmax": _softmax,
    "the sign": numpy.sign,
    "one minus the number": lambda x: 1 - x,
    "the reciprocal": lambda x: 1 / x,
}
PAIRS: Mapping[str, Callable[[Array, Array], Array]] = {
    "You multiplied {one} by {other}, entry by entry.": numpy.multiply,
    "You divided {one} by {other}, entry by entry.": numpy.divide,
    "You added {one} and {other}.": numpy.add,
    "You subtracted {other} from {one}.": numpy.subtract,
}
COMMUTING = (numpy.multiply, numpy.add)


def with_other_operations(finder: MistakeFinder, step: Step, base: Recording) -> Iterator[MistakeOutcome]:
    """The step with a function or a table too many."""
    own: Array = numpy.asarray(base.value(step.id))
    if not is_float(own) or own.size > MAX_ENTRIES:
        return
    yield from _of_results(finder, step, own)
    yield from _with_tables(finder, step, base, own)
    yield from _of_inputs(finder, step, base, own)


def _of_results(finder: MistakeFinder, step: Step, own: Array) -> Iterator[MistakeOutcome]:
    for name, function in FUNCTIONS.items():
        yield from _outcome(finder, step, own, partial(function, own), f"You took {name} of the result as well.")


def _with_tables(finder: MistakeFinder, step: Step, base: Recording, own: Array) -> Iterator[MistakeOutcome]:
    """Two tables of its shape, entry by entry: itself, what it or its twin reads, its twin."""
    twins = [base.step(step.twin)] if step.twin is not None else []
    near = [step, *twins, *(one for part in (step, *twins) for one in tables_read(finder, part))]
    by_id = {one.id: one for one in near if one.form.shape == own.shape and is_float(base.value(one.id))}
    for first, second in itertools.permutations(by_id.values(), 2):
        words = {"one": step_label(finder.trace, first), "other": step_label(finder.trace, second)}
        tables = base.value(first.id), base.value(second.id)
        for hint, function in PAIRS.items():
            if function not in COMMUTING or int(first.id) < int(second.id):
                yield from _outcome(finder, step, own, partial(function, *tables), hint.format(**words))


def _of_inputs(finder: MistakeFinder, step: Step, base: Recording, own: Array) -> Iterator[MistakeOutcome]:
    """With a function of one table that it reads in the place of the table."""
    earlier = [one for one in finder.named_steps if one.op is not None and int(one.id) < int(step.id)]
    noted = {one.id: base.value(one.id) for one in earlier}
    for source in tables_read(finder, step):
        table = numpy.asarray(base.value(source.id))
        if not is_float(table):
            continue
        for name, function in FUNCTIONS.items():
            with numpy.errstate(all="ignore"):
                other = function(table)
            if not numpy.all(numpy.isfinite(other)) or same(other, table):
                continue
            made = partial(_replayed, base, Changes(values={**noted, source.id: other}), step)
            words = f"You took {name} of {step_label(finder.trace, source)} first."
            yield from _outcome(finder, step, own, made, words)


def _replayed(base: Recording, changes: Changes, step: Step) -> Array:
    return replay(base, changes, until=step.id).value(step.id)


def _outcome(
    finder: MistakeFinder, step: Step, own: Array, made: Callable[[], Array], hint: str
) -> Iterator[MistakeOutcome]:
    try:
        with numpy.errstate(all="ignore"):
            value = made()
    except WorkingsError:  # it cannot be computed from these
        return
    if value.shape == own.shape and numpy.all(numpy.isfinite(value)) and not same(value, own):
        yield MistakeOutcome(CHANGED_LINE, step.path, step.path, hint, value, None)
