"""An op page with its own numbers: one of its examples, recorded forward and, where there are rules, backward."""

from __future__ import annotations

import itertools
from typing import Any

import numpy

from ..document.numbers import PLAIN, Style
from ..engine.compiled_recording import CompiledRecording
from ..engine.op import Op, first_of
from ..engine.page import Values
from ..engine.tensor import Tensor
from ..ops.given import given, ids
from .op_page import OpRun, run_op

COTANGENT = (1.0, 0.5, -1.0, 2.0)  # repeated, for an example without a cotangent


def example_run(op: Op, number: int = 0, style: Style = PLAIN) -> OpRun:
    """One of the examples of a page, by its number.

    >>> import workings as w
    >>> example_run(w.ops.exp).trace["dx"].shape
    (2, 3)
    """
    example = op.page.examples[number]
    settings = dict(example.settings)
    return run_op(op, example_inputs(op, number), settings, example_cotangent(op, number), style=style)


def example_inputs(op: Op, number: int = 0) -> list[Tensor]:
    """The inputs of an example under their names on the page."""
    inputs = op.page.examples[number].inputs
    return [_tensor(name, model) for name, model in zip(op.slot_names(len(inputs)), inputs, strict=True)]


def example_cotangent(op: Op, number: int = 0) -> Any:
    """The upstream gradient of an example; None for an op without rules."""
    if not op.page.rules:
        return None
    example = op.page.examples[number]
    with CompiledRecording():
        shape = first_of(op(*example_inputs(op, number), **example.settings)).shape
    if example.cotangent is not None and numpy.shape(example.cotangent) == shape:
        return numpy.asarray(example.cotangent, dtype=float)
    endless = itertools.cycle(COTANGENT)
    return numpy.asarray([next(endless) for _ in range(int(numpy.prod(shape)))]).reshape(shape)


def _tensor(name: str, model: Values) -> Tensor:
    words = " ".join(model.axes)
    return ids(model.numbers, words, name=name) if _whole(model.numbers) else given(model.numbers, words, name=name)


def _whole(numbers: Any) -> bool:
    return all(map(_whole, numbers)) if isinstance(numbers, list) else isinstance(numbers, int)
