"""Which entries of a step depend on some entries of its inputs.

NaN is put in the place of those entries, and the op is carried out once more: whatever becomes NaN depends on them,
also through a factor that happens to be 0. An op that compares, or that goes by ids, does not hand NaN on; there other
numbers are tried.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy
from numpy.typing import NDArray

from ...engine.arithmetic import Float, Operation
from ...engine.arrays import Array, is_float
from ...engine.context import Context, within
from ...engine.op import Op
from ...engine.page import Mistake
from ...engine.recording import Recording
from ...engine.steps import Step
from ...engine.tensor import Tensor
from ...engine.varying import settled

Marks = NDArray[numpy.bool_]

TRIALS = (1e3, -1e3, 1.0, -1.0, 0.3, -0.3)  # what is added where NaN says nothing; a mark of 0 or 1 becomes the other
MOST_IDS = 64  # ids that are tried in the place of another one
MOST_GENERIC = 4096  # entries of a table that is filled with different numbers, so that another id always shows
BY_MARKS = frozenset({"add_rows"})  # it multiplies by the marks of ids, so by many a 0 that is in no hand calculation


def depending(recording: Recording, step: Step, marks: Mapping[str, Marks]) -> Marks:
    """The entries of a step that depend on the marked entries of its inputs, which are given by their ids.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     weights = w.ops.softmax(w.given([[2.0, 1.5], [0.3, 0.1]], "query key", name="scores"), name="weights")
    >>> first = numpy.asarray([[True, False], [False, False]])
    >>> depending(trace.recording, trace["weights"].step, {trace["scores"].id: first}).tolist()
    [[True, True], [False, False]]
    """
    tensors = recording.input_tensors(step)
    inputs = [marks.get(id) for id in step.inputs]
    if step.op_name == "matmul":
        return _of_product(inputs, [tensor.form.shape for tensor in tensors])
    arrays = [numpy.asarray(tensor.array) for tensor in tensors]
    marked = [slot for slot, places in enumerate(inputs) if places is not None]
    found = numpy.zeros(step.form.shape, dtype=bool)
    if step.op_name not in BY_MARKS and any(is_float(arrays[slot]) for slot in marked):
        found |= numpy.isnan(_carried_out(step, tensors, _replaced(arrays, inputs, math.nan, floats=True)))
    if step.op_name in BY_MARKS or not all(_has_rule(step, slot) for slot in marked):
        found |= _tried(step, tensors, arrays, inputs)
    return found


def _of_product(inputs: Sequence[Marks | None], shapes: Sequence[tuple[int, ...]]) -> Marks:
    """A product needs no multiplying: a mark reaches its whole row or column. Most of the time would go here."""
    found: Any = False
    for side, marked in enumerate(inputs):
        if marked is not None:
            factors: list[Any] = []
            for place, shape in enumerate(shapes):
                axis = -1 if place == 0 or len(shape) == 1 else -2  # the one along which the products are added up
                kept = [1 if n == axis % len(shape) else size for n, size in enumerate(shape)]
                factors.append(marked.any(axis=axis, keepdims=True) if place == side else numpy.ones(kept, dtype=bool))
            found = found | (factors[0] @ factors[1])
    return numpy.asarray(found)


def _has_rule(step: Step, slot: int) -> bool:
    """Whether small changes of an input show. Where they do not, the op compares, or goes by ids."""
    return isinstance(step.op, Op) and step.op.input_name(slot) in step.op.page.rules


def _tried(step: Step, tensors: Sequence[Tensor], arrays: list[Array], inputs: Sequence[Marks | None]) -> Marks:
    """The entries that other numbers in the marked places change."""
    found = numpy.zeros(step.form.shape, dtype=bool)
    kinds = {is_float(array) for array, places in zip(arrays, inputs, strict=True) if places is not None}
    if False in kinds:
        arrays = [
            array if places is not None else _generic(array) for array, places in zip(arrays, inputs, strict=True)
        ]
    right = _carried_out(step, tensors, arrays)
    for floats in kinds:
        for change in TRIALS if floats else range(MOST_IDS):
            try:
                wrong = _carried_out(step, tensors, _replaced(arrays, inputs, change, floats))
            except IndexError:  # there is no such id
                break
            found |= (wrong != right) & ~(numpy.isnan(wrong) & numpy.isnan(right))
    return found


def _replaced(arrays: list[Array], inputs: Sequence[Marks | None], change: float, floats: bool) -> list[Array]:
    """The inputs with other numbers in the marked places of those that hold real numbers: each is moved a little
    further than the one before. Or of those that hold ids, with this id in the marked places.
    """
    found = []
    for array, places in zip(arrays, inputs, strict=True):
        other = array
        if places is not None and is_float(array) == floats:
            other = array.copy()
            old = array[places]
            other[places] = old + change * numpy.linspace(1, 1.1, len(old)) if floats else change
        found.append(other)
    return found


def _generic(array: Array) -> Array:
    """A small table with numbers that are all different: a row that is taken in the place of another then shows."""
    if not is_float(array) or array.size > MOST_GENERIC:
        return array
    return numpy.random.default_rng(0).uniform(0.1, 0.9, array.shape)


class _Unguarded(Float):
    """Arithmetic that lets NaN pass, and refuses nothing."""

    checks = False

    def primitive(self, op: Operation, arrays: list[Array], settings: Mapping[str, Any]) -> Array:
        return op.forward(*arrays, **settled(settings))


def _carried_out(step: Step, tensors: Sequence[Tensor], arrays: list[Array]) -> NDArray[numpy.float64]:
    """The op of a step with other numbers."""
    given = tuple(Tensor(array, tensor.form) for array, tensor in zip(arrays, tensors, strict=True))
    op, arithmetic = step.op, _Unguarded()
    assert op is not None
    with numpy.errstate(all="ignore"), within(Context(arithmetic)):
        made = op.run(given, step.settings) if isinstance(op, Mistake) else arithmetic.run(op, given, step.settings)
    return numpy.asarray(made.array, dtype=float)
