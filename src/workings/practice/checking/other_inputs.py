"""Relations to the inputs of a step: its own op, applied to something else.

The values projected from the wrong rows, a residual that adds the normed input, the gain of another norm, a bias that
was subtracted: one input differs, and everything else is right.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import Any, NamedTuple

import numpy

from ...document.numbers import write
from ...engine.arithmetic import Float
from ...engine.arrays import Array, is_float
from ...engine.context import Context, within
from ...engine.errors import WorkingsError
from ...engine.op import Op
from ...engine.tensor import Tensor
from ...explain.step_view import StepView
from ..changed_lines import with_changed_lines
from .relations import ArrayPair

COMPARED_FIRST = 6  # entries, before all are
MIN_ENTRIES = 3  # with fewer, one of many inputs would fit by chance
MAX_WORK = 20_000_000  # entries that all attempts together may read
FINE = 1e-4  # of the numbers: where they are told so finely, one is enough
FUNCTIONS: dict[str, Callable[[Array], Array]] = {
    "the sigmoid": lambda x: 1 / (1 + numpy.exp(-x)),
    "the SiLU": lambda x: x / (1 + numpy.exp(-x)),
    "tanh": numpy.tanh,
    "the ReLU": lambda x: numpy.maximum(x, 0.0),
    "the leaky ReLU": lambda x: numpy.where(x > 0, x, 0.01 * x),
    "the softplus": lambda x: numpy.logaddexp(x, 0.0),
    "the exponential": numpy.exp,
    "the square": numpy.square,
}


class OtherInput(NamedTuple):
    """Other inputs of a step, and what is said of them."""

    tensors: tuple[Tensor, ...]
    hint: str
    settings: Mapping[str, Any] = {}


def other_input(pair: ArrayPair, view: StepView) -> str | None:
    """The step with one input replaced, turned or left out, or along another axis."""
    op = view.step.op
    if not isinstance(op, Op) or not _tells_enough(pair):
        return None
    tensors = tuple(view.recording.step(id).tensor for id in view.step.inputs)
    budget = MAX_WORK // max(1, sum(tensor.array.size for tensor in tensors))
    for number, other in enumerate(_others(view, tensors)):
        if number >= budget:
            return None
        value = _computed(op, other.tensors, {**view.step.settings, **other.settings})
        if value is not None and value.shape == pair.got.shape and pair.equal(value):
            return other.hint
    return _multiple(pair, view) if view.op == "add" else None


def changed_line(pair: ArrayPair, view: StepView) -> str | None:
    """The step by its own lines with one thing in them changed."""
    is_finite = bool(numpy.all(numpy.isfinite(pair.got)) and numpy.all(numpy.isfinite(pair.truth)))
    if view.step.op is None or not is_finite or not _tells_enough(pair):
        return None
    gap = numpy.abs(pair.got - pair.truth)
    furthest = numpy.argsort(-gap, axis=None)[:COMPARED_FIRST]
    indices = [tuple(map(int, numpy.unravel_index(int(place), gap.shape))) for place in furthest]
    wrong = [(index, partial(_is_near, float(pair.got[index]), float(pair.allowed[index]))) for index in indices]
    changed = with_changed_lines(view.trace, view.recording, view.step, wrong)
    return next((one.hint for one in changed if pair.equal(one.value)), None)


def _is_near(given: float, allowed: float, value: float) -> bool:
    return abs(given - value) <= allowed


def _tells_enough(pair: ArrayPair) -> bool:
    """Whether there are so many numbers, or so fine ones, that an input does not fit by chance."""
    finite = numpy.abs(pair.got[numpy.isfinite(pair.got)])
    is_fine = float(numpy.max(pair.allowed, initial=0.0)) <= FINE * float(numpy.max(finite, initial=0.0))
    return pair.got.size >= MIN_ENTRIES or is_fine


def _multiple(pair: ArrayPair, view: StepView) -> str | None:
    """A sum in which one of the two terms is multiplied by a number."""
    for one, other in (view.inputs, reversed(view.inputs)):
        if one.shape == other.shape == view.shape and pair.got.size > MIN_ENTRIES:
            value, rest = numpy.asarray(one.value, dtype=float), pair.got - other.value
            times = float(numpy.sum(rest * value)) / (float(numpy.sum(value * value)) or 1.0)
            if pair.equal(value * times + other.value):
                return f"They are what this step gives with {one.path} times {write(times)}."
    return None


def function_applied(pair: ArrayPair, view: StepView) -> str | None:
    """The true numbers, or the input of the step, with a function applied to each entry."""
    sources = [("the true numbers", pair.truth)]
    sources += [(source.path, numpy.asarray(source.value, dtype=float)) for source in view.inputs[:1]]
    for name, array in sources:
        for words, function in FUNCTIONS.items() if array.shape == pair.got.shape and _tells_enough(pair) else ():
            with numpy.errstate(all="ignore"):
                value = function(array)
            if numpy.all(numpy.isfinite(value)) and pair.equal(value):
                return f"They are {words} of {name}."
    return None


def _others(view: StepView, tensors: tuple[Tensor, ...]) -> Iterator[OtherInput]:
    """For each input: the same with another sign, doubled, left out, transposed; then every other step of its form."""
    earlier = [step for step in view.trace if step.step.stage == "forward" and step.path != view.path]
    for slot, source in enumerate(view.inputs):
        array, name = tensors[slot].array, source.path
        if is_float(array):
            changed = [(-array, f"{name} with the opposite sign"), (2 * array, f"{name} taken twice")]
            changed += [(numpy.zeros_like(array), f"{name} left out"), (numpy.ones_like(array), f"1 instead of {name}")]
            if array.ndim >= 2 and array.shape[-1] == array.shape[-2]:
                changed.append((numpy.swapaxes(array, -1, -2), f"{name} transposed"))
            yield from (_with(tensors, {slot: other}, words) for other, words in changed)
        for step in earlier:
            is_alike = step.shape == source.shape and is_float(step.value) == is_float(array)
            if is_alike and step.path != name:
                yield _with(tensors, {slot: step.value}, f"{step.path} in the place of {name}")
    yield from _other_weights(view, tensors, earlier)
    for axis, word in enumerate(view.axes) if "axis" in view.step.settings else ():
        yield OtherInput(tensors, f"They are what this step gives along the axis {word or axis}.", {"axis": axis})


def _other_weights(view: StepView, tensors: tuple[Tensor, ...], earlier: list[StepView]) -> Iterator[OtherInput]:
    """All weights of the step from another place: those of another norm or another layer; or none of a norm's."""
    weights = [(slot, source) for slot, source in enumerate(view.inputs) if source.step.leaf == "parameter"]
    if len(weights) < 2:
        return
    if view.op in ("layer_norm", "rms_norm"):
        plain = {slot: numpy.full(source.shape, float(source.name == "gamma")) for slot, source in weights}
        yield _with(tensors, plain, "neither gamma nor beta")
    by_path = {step.path: step for step in earlier}
    for place in dict.fromkeys(step.path.rpartition(".")[0] for step in earlier):
        others = [by_path.get(f"{place}.{source.name}") for _, source in weights]
        found = [(slot, other) for (slot, source), other in zip(weights, others, strict=True) if other is not None]
        if len(found) == len(weights) and all(other.path != view.inputs[slot].path for slot, other in found):
            yield _with(tensors, {slot: other.value for slot, other in found}, f"the weights of {place}")


def _with(tensors: tuple[Tensor, ...], arrays: dict[int, Array], words: str) -> OtherInput:
    changed = (Tensor(arrays.get(slot, tensor.array), tensor.form) for slot, tensor in enumerate(tensors))
    return OtherInput(tuple(changed), f"They are what this step gives with {words}.")


def _computed(op: Op, tensors: tuple[Tensor, ...], settings: Mapping[str, Any]) -> Array | None:
    plain = Float()
    try:
        with within(Context(plain)), numpy.errstate(all="ignore"):
            return numpy.asarray(plain.run(op, tensors, settings).array, dtype=float)
    except WorkingsError:  # the op refuses these numbers
        return None
