"""Noise: what rounding leaves over of a 0.

The gradient of the keys' bias is 0: its terms cancel. A program has -4e-10 there and we have 5e-10, and neither says
anything. How large such a rest may be follows from the terms: a small part of their sum without signs.
"""

from __future__ import annotations

from typing import Any

import numpy

from ...engine.arithmetic import Float
from ...engine.arrays import is_float
from ...engine.context import Context, within
from ...engine.errors import WorkingsError
from ...engine.op import Op
from ...engine.recording import Recording
from ...engine.steps import Step
from ...engine.tensor import Tensor
from ...explain.step_view import StepView
from .user_array import NARROW, UserArray

# The gap between neighboring numbers of a type, in parts of the number.
GAP = {"float64": 2.0**-52, "float32": 2.0**-23, "float16": 2.0**-10, "bfloat16": 2.0**-7}
SLACK = 4.0  # gaps that the sum of several terms may be off by
# Ops that make terms larger or smaller, or move them, and add nothing.
CARRIERS = ("mul", "scale", "divide_by", "divide_by_root", "outer", "split_heads", "merge_heads", "mean", "linear")
MIN_PRINTED_DIGITS = 2  # significant ones of a number that a program printed; 1e-9 is not a result
MAX_SUMS = 2  # one after the other, that are followed back to their terms


def noise_of(view: StepView, kind: str) -> Any:
    """How large each entry of a step may be and still be 0 in exact arithmetic, if it is computed in this type.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     rest = w.ops.sub(w.given([1.0, 5.0], name="x"), w.given([1.0, 2.0], name="y"), name="rest")
    >>> noise_of(trace["rest"], "float32").round(9)
    array([9.540e-07, 3.338e-06])
    """
    terms = _without_signs(view.recording, view.step, MAX_SUMS)
    return SLACK * GAP[kind] * (terms if terms.shape == view.shape else numpy.abs(view.value))  # of one head, its own


def noise_type(got: UserArray) -> str:
    """The type whose noise numbers may have. Numbers as text were often printed by a program in float32."""
    is_text = got.digits.get("significant", 0) >= MIN_PRINTED_DIGITS
    return got.stored if got.stored in NARROW else "float32" if is_text else "float64"


def is_noise(got: UserArray, view: StepView) -> Any:
    """Where a user's entries and the true ones are both 0 up to rounding: they say nothing."""
    with numpy.errstate(invalid="ignore"):
        size = numpy.maximum(numpy.abs(got.array.astype(float)), numpy.abs(numpy.asarray(view.value, dtype=float)))
        return (size <= noise_of(view, noise_type(got))) & (size > 0) & numpy.isfinite(size)


def _without_signs(recording: Recording, step: Step, sums: int) -> Any:
    """The sum of the terms of each entry without their signs; of an entry that is no sum, its size."""
    value = numpy.abs(numpy.asarray(recording.value(step.id), dtype=float))
    op = step.op
    adds = bool(getattr(op, "adds", False))
    if not isinstance(op, Op) or not (adds or getattr(op, "view", False) or op.name in CARRIERS) or (adds and not sums):
        return value
    inputs = [recording.step(id) for id in step.inputs]
    if not all(is_float(recording.value(source.id)) for source in inputs):
        return value
    terms = [_without_signs(recording, source, sums - adds) for source in inputs]
    if op.name == "sub":
        terms[1] = -terms[1]
    tensors = tuple(Tensor(array, source.form) for array, source in zip(terms, inputs, strict=True))
    plain = Float()
    try:
        with within(Context(plain)), numpy.errstate(all="ignore"):
            total = numpy.abs(numpy.asarray(plain.unchecked().run(op, tensors, step.settings).array))
    except WorkingsError:  # a sum that is too large for any number
        return value
    return numpy.maximum(value, total) if total.shape == value.shape else value
