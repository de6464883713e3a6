"""Running the example of an op page: the machinery that page_checks.py is written in.

Nothing here knows a single op. An example becomes arrays of some library, is recorded, and is
walked backward with a cotangent; results are compared as NumPy arrays, entry by entry.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy

from workings.engine.arithmetic import arithmetic
from workings.engine.arrays import Array, brackets, indices, is_float, namespace
from workings.engine.backward import backward
from workings.engine.errors import UnreachedError
from workings.engine.form import form_of
from workings.engine.op import Op, first_of
from workings.engine.page import Example
from workings.engine.recording import Level, Recording
from workings.engine.steps import Step
from workings.engine.tensor import Tensor

EXACT = 1e-12  # float64 arithmetic in another order
DIFFERENCES = 1e-6  # central differences
STEP = 1e-5


@dataclass(frozen=True)
class Run:
    """One recorded example."""

    op: Op
    example: Example
    recording: Recording
    inputs: tuple[str, ...]  # the step of each input
    result: Step

    @property
    def value(self) -> Array:
        return self.result.tensor.array


# -- an example as arrays --------------------------------------------------------------------


def title(op: Op, example: Example) -> str:
    """`softmax, example 0`: how every message begins."""
    examples = op.page.examples
    number = examples.index(example) if example in examples else "of a test"
    return f"{op.name}, example {number}"


def arrays_of(example: Example, xp: Any = numpy) -> list[Array]:
    """The inputs of an example: whole numbers stay whole, all others are float64."""
    plain = [numpy.asarray(value.numbers) for value in example.inputs]
    return [xp.asarray(x.tolist(), dtype=getattr(xp, x.dtype.name)) for x in plain]


def tensors_of(op: Op, example: Example, arrays: list[Array]) -> list[Tensor]:
    """The inputs of an example with the words of their axes, named as on the page."""
    names = op.slot_names(len(arrays))
    tensors = []
    for value, x, name in zip(example.inputs, arrays, names, strict=True):
        form = form_of(value.axes or ("",) * x.ndim, tuple(x.shape))
        tensors.append(Tensor(x, form, name=name))
    return tensors


def random_array(shape: tuple[int, ...], seed: int = 7) -> Array:
    """Seeded random numbers: a cotangent or a direction that no rule has been fitted to."""
    return numpy.random.default_rng(seed).standard_normal(shape)


def cotangents(op: Op, example: Example, shape: tuple[int, ...]) -> dict[str, Array]:
    """The example's own cotangent, and a random one."""
    own = example.cotangent
    if own is None and not shape:
        own = 1.0
    found = {"random": random_array(shape)}
    if own is not None:
        found["own"] = numpy.asarray(own, dtype="float64")
    elif op.page.rules:
        raise AssertionError(f"{title(op, example)}: the page has rules, so its example needs a cotangent")
    return found


def without_infinite(weights: Array, values: Array) -> Array:
    """The weights with 0 where the value is infinite (a masked score): no small step moves such a value."""
    return numpy.where(numpy.isinf(plain(values)), 0.0, weights)


def projected(values: Array, weights: Array) -> float:
    """Σ value · weight; a weight of 0 takes out its value, even an infinite one."""
    return float(numpy.sum(numpy.where(weights == 0, 0.0, values) * weights))


def other_numbers(array: Array) -> Array:
    """Inputs of the same kind: real numbers one part in a hundred smaller, the marks 0 and 1 read from the other
    end; ids and labels stay what they are.
    """
    if not is_float(array):
        return array
    if array.ndim and bool(numpy.all((array == 0) | (array == 1))):
        return numpy.asarray(array[..., ::-1].copy())
    return numpy.asarray(array * 0.99)


def slots_with_gradient(op: Op, arrays: list[Array]) -> list[int]:
    """The inputs that must get a gradient: real numbers with a rule. A group has no rules of its own."""
    floats = [slot for slot, x in enumerate(arrays) if is_float(x)]
    return [slot for slot in floats if op.kind == "group" or op.input_name(slot) in op.page.rules]


# -- recording and backward ------------------------------------------------------------------


def record(
    op: Op,
    example: Example,
    *,
    arrays: list[Array] | None = None,
    precision: str = "float64",
    level: Level = "trace",
    opened: bool = False,
) -> Run:
    """Record an example as its page computes it; `opened` records the steps inside a composite instead.

    Users' recordings run compiled (engine/compiled_recording.py): check_replay proves that those give the same bits.
    """
    tensors = tensors_of(op, example, arrays_of(example) if arrays is None else arrays)
    recording = Recording(level, arithmetic(precision))
    with recording:
        ids = tuple(recording.id_of(tensor) for tensor in tensors)
        call = op.forward if opened else op
        output = call(*tensors, **op.complete(example.settings))
        result = recording.step(recording.id_of(first_of(output)))
    return Run(op, example, recording, ids, result)


def pull_back(run: Run, cotangent: Array | None, target: Step | None = None) -> dict[int, Tensor]:
    """The gradient for each input that has one, by slot; nothing where the target depends on none."""
    try:
        found = backward(run.recording, target or run.result, cotangent)
    except UnreachedError:
        found = {}
    return {slot: found[id] for slot, id in enumerate(run.inputs) if id in found}


def gradients(run: Run, cotangent: Array) -> dict[int, Array]:
    """The gradient arrays of all inputs that must have one; an input that a group does not use has zeros."""
    xp = namespace(run.value)
    found = pull_back(run, xp.asarray(cotangent.tolist(), dtype=xp.float64))
    arrays = [run.recording.value(id) for id in run.inputs]
    slots = slots_with_gradient(run.op, arrays)
    if run.op.kind != "group" and sorted(found) != slots:
        where = title(run.op, run.example)
        raise AssertionError(f"{where}: gradients for the inputs {sorted(found)}, expected {slots}")
    return {slot: found[slot].array if slot in found else xp.zeros_like(arrays[slot]) for slot in slots}


def slot_title(op: Op, example: Example, slot: int) -> str:
    """`softmax, example 0: dx`."""
    return f"{title(op, example)}: d{op.slot_names(len(example.inputs))[slot]}"


# -- comparing -------------------------------------------------------------------------------


def plain(array: Array) -> numpy.ndarray:
    """An array of any library as a NumPy array."""
    return numpy.asarray(array.detach() if hasattr(array, "detach") else array)


def is_off(got: float, expected: float, tolerance: float) -> bool:
    """Whether a number is off by more than the tolerance (relative above 1). Infinity must be met exactly."""
    if math.isinf(got) or math.isinf(expected):
        return got != expected
    return not abs(got - expected) <= tolerance * max(1.0, abs(expected))


def same(what: str, got: Array, expected: Array, tolerance: float, judge: str) -> None:
    """Refuse another shape, and any entry that is off by more than the tolerance (relative above 1)."""
    got, expected = plain(got), plain(expected)
    if got.shape != expected.shape:
        raise AssertionError(f"{what}: got the shape {got.shape}, expected {expected.shape} ({judge})")
    for at in indices(got.shape):
        one, other = float(got[at]), float(expected[at])
        if is_off(one, other, tolerance):
            raise AssertionError(f"{what}{brackets(at)}: got {one!r}, expected {other!r} ({judge})")


def same_bits(what: str, got: Array, expected: Array) -> None:
    """Refuse any difference at all, even 0.0 for -0.0."""
    if got.dtype != expected.dtype or got.shape != expected.shape:
        raise AssertionError(
            f"{what}: got {got.dtype} of shape {got.shape}, expected {expected.dtype} of shape {expected.shape}"
        )
    for at in indices(got.shape):
        one, other = got[at], expected[at]
        if one.tobytes() != other.tobytes():
            raise AssertionError(f"{what}{brackets(at)}: got {one.item()!r}, expected the bits of {other.item()!r}")


def same_gradients(
    run: Run, got: Mapping[int, Array], expected: Mapping[int, Array], tolerance: float, judge: str
) -> None:
    """Compare gradients slot by slot."""
    for slot in got:
        same(slot_title(run.op, run.example, slot), got[slot], expected[slot], tolerance, judge)


def central_differences(
    function: Callable[[list[Array]], float], arrays: list[Array], slots: list[int]
) -> dict[int, Array]:
    """The slope of a number by every entry of some inputs: one small step to each side."""
    slopes = {}
    for slot in slots:
        slopes[slot] = numpy.zeros_like(arrays[slot])
        for at in indices(arrays[slot].shape):
            moved = []
            for step in (STEP, -STEP):
                changed = [x.copy() for x in arrays]
                changed[slot][at] += step
                moved.append(function(changed))
            slopes[slot][at] = (moved[0] - moved[1]) / (2 * STEP)
    return slopes
