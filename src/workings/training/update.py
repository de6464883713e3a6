"""The compiled update: how the gradient moves every weight, as the page of the optimizer says.

The page is recorded once, for one piece of the row of weights, and compiled. The learning rate and the number of the
update are arguments of the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy

from ..engine.arithmetic import Float
from ..engine.arrays import Array
from ..engine.compile import CompiledProgram, compile_recording
from ..engine.op import OPS
from ..engine.recording import Recording
from ..engine.tensor import Tensor
from ..engine.varying import Varying, VaryingCount
from ..ops.clip_by_norm import clip_by_norm
from ..ops.given import given, parameter
from ..ops.norm import norm as norm_of
from .flat import Flat

# What each optimizer remembers of a weight from one update to the next, and which of them count the updates.
MEMORY: dict[str, tuple[str, ...]] = {"sgd": (), "momentum": ("velocity",), "adam": ("m", "v"), "adamw": ("m", "v")}
COUNTING = ("adam", "adamw")

# Added to the norm of the gradient before dividing by it, as PyTorch does.
CLIP_EPSILON = 1e-6


@dataclass(frozen=True)
class Optimizer:
    """The rule of the update, its settings, and the largest norm that the gradient of all weights may have."""

    name: str = "sgd"
    settings: Mapping[str, float] = field(default_factory=dict)
    max_grad_norm: float | None = None

    @property
    def memory(self) -> tuple[str, ...]:
        return MEMORY[self.name]

    def settings_at(self, rate: Any, number: Any) -> dict[str, Any]:
        """All settings of its page for the update of this number, counted from 1."""
        counted = {"t": number} if self.name in COUNTING else {}
        return {**self.settings, "rate": rate, **counted}


class Update:
    """Moves a row of weights, a piece at a time."""

    def __init__(self, optimizer: Optimizer, flat: Flat, dtype: str) -> None:
        self.optimizer = optimizer
        self.flat = flat
        self.program = _compiled_update(optimizer, flat.piece, dtype)
        self.norm_program = _compiled_norm(flat, dtype) if optimizer.max_grad_norm is not None else None

    def norm(self, gradient: Array) -> Array:
        """The norm of the whole gradient, before it is clipped."""
        assert self.norm_program is not None
        return numpy.asarray(self.norm_program(*self.flat.views(gradient).values())[0])

    def __call__(self, weights: Array, gradient: Array, memory: list[Array], rate: float, number: int) -> None:
        """Overwrite the weights and the optimizer's memory."""
        numbers: dict[str, float] = {"rate": rate, "t": number}
        numbers = {name: numbers[name] for name in self.program.numbers}
        norm = [self.norm(gradient)] if self.norm_program is not None else []
        rows = [weights, *memory]
        for start in range(0, len(weights), self.flat.piece):
            piece = slice(start, start + self.flat.piece)
            found = self.program(weights[piece], gradient[piece], *[row[piece] for row in memory], *norm, **numbers)
            for row, new in zip(rows, found, strict=True):
                row[piece] = new


def _compiled_update(optimizer: Optimizer, size: int, dtype: str) -> CompiledProgram:
    """Takes one piece of weights, its gradient and the memory of it; if gradients are clipped, their norm as well."""
    settings = optimizer.settings_at(Varying("rate", 0.1), VaryingCount("t", 7))
    some = numpy.full(size, 0.5, dtype=dtype)
    # A page that is closed would be compiled with its settings in it; this one is opened, and compiled here.
    recording = Recording(arithmetic=Float(dtype))
    with recording:
        leaves = [parameter(some, "weight", name="W"), given(some, "weight", name="gradient")]
        leaves += [given(some, "weight", name=name) for name in optimizer.memory]
        gradient = leaves[1]
        if optimizer.max_grad_norm is not None:
            leaves.append(given(some[0], name="norm"))
            gradient = clip_by_norm(gradient, leaves[-1], limit=optimizer.max_grad_norm, epsilon=CLIP_EPSILON)
        moved: Any = OPS[optimizer.name](leaves[0], gradient, *leaves[2 : 2 + len(optimizer.memory)], **settings)
        results: tuple[Tensor, ...] = moved if isinstance(moved, tuple) else (moved,)
        inputs, outputs = ([recording.step(recording.id_of(x)) for x in side] for side in (leaves, results))
    return compile_recording(recording, inputs, outputs)


def _compiled_norm(flat: Flat, dtype: str) -> CompiledProgram:
    """The norm of the gradients of all weights, added up weight by weight, as in a recorded step."""
    recording = Recording(arithmetic=Float(dtype))
    with recording:
        views = flat.views(flat.empty(dtype))
        gradients = [Tensor(view, flat.forms[path], name=f"d{path}") for path, view in views.items()]
        length = norm_of(*gradients)
        inputs, outputs = ([recording.step(recording.id_of(x)) for x in side] for side in (gradients, [length]))
    return compile_recording(recording, inputs, outputs)
