"""How far answers move for learners who work on a paper of their own and ignore what is printed.

The tolerance of an answer allows for the roundings since the numbers that stand before it on the sheet. On a paper of
one's own, all roundings from the first line on come together, and where large numbers cancel they may move an entry
by far more. No tolerance is fair there: either a careful learner is wrong, or a wrong number right. So such entries
are not asked for.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy

from ..engine.arrays import Array, indices, is_float
from .carried_forward import CarriedForward
from .tolerance import half_unit, is_short, rounded_to

if TYPE_CHECKING:
    from .variant import Variant

MAX_MOVE = 10.0  # tolerances that an entry may move and still be asked for
DRAWS = 6  # of roundings that go one way or the other by chance


def moves_on_own_paper(variant: Variant) -> dict[str, Array]:
    """By how many tolerances each entry moves, by path: the most that several learners with papers of their own find.
    One rounds every line, one only what has a name, and some round at random.
    """
    from .variant import distance  # it asks for the moves of a variant

    found = {step.path: numpy.zeros(step.form.shape) for step in variant.steps}
    for own in _papers(variant):
        for path, moves in found.items():
            limit = variant.tolerances[path] * (1 + 1e-6) + 1e-12
            numpy.maximum(moves, distance(own[path], variant.trace[path].value, limit), out=moves)
    return found


def _papers(variant: Variant) -> Iterator[dict[str, Array]]:
    by_line = variant.trace.in_precision(f"calculator {variant.digits} significant")
    yield {step.path: by_line[step.path].value for step in variant.steps}
    yield _paper(variant, None)
    draw = numpy.random.default_rng(0)
    yield from (_paper(variant, draw) for _ in range(DRAWS))


def _paper(variant: Variant, draw: numpy.random.Generator | None) -> dict[str, Array]:
    """Every named step rounded: to the nearest number, or up to half a unit away by chance."""
    carried = CarriedForward(variant.trace.recording)
    named = {step.id for step in variant.mistakes.named_steps}
    found = {}
    for step in variant.trace.recording.steps.values():
        value = carried.compute(step)
        if step.id in named and step.op is not None and is_float(value):
            value = rounded_to(value, variant.digits) if draw is None else _moved(value, variant.digits, draw)
            carried.state(step, value)
            found[step.path] = value
    return found


def _moved(value: Array, digits: int, draw: numpy.random.Generator) -> Array:
    moved: Array = numpy.array(value, dtype=numpy.float64)
    for index in indices(moved.shape):
        entry = float(moved[index])
        if not is_short(entry, digits):
            moved[index] = entry + draw.uniform(-1, 1) * half_unit(entry, digits)
    return moved
