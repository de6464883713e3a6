"""The update: how the gradient moves every weight, as the page of the optimiser says.

The page is recorded once, for one piece of the row of weights, and compiled. The learning rate and the number of the
step are arguments of the program.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy

from ..engine.arithmetic import Float
from ..engine.arrays import Array
from ..engine.compile import Program, compile_recording
from ..engine.recording import Recording
from ..engine.registry import OPS
from ..engine.tensor import Tensor
from ..engine.varying import Varying, VaryingCount
from ..ops.clip_by_norm import clip_by_norm
from ..ops.given import given, parameter
from ..ops.norm import norm as norm_of
from .flat import Flat

# What each optimiser carries from one step to the next, and which of them count the steps.
CARRIED: dict[str, tuple[str, ...]] = {"sgd": (), "momentum": ("velocity",), "adam": ("m", "v"), "adamw": ("m", "v")}
COUNTING = ("adam", "adamw")

# Added to the norm of the gradient before it is divided by, as PyTorch does.
CLIP_EPSILON = 1e-6


@dataclass(frozen=True)
class Optimiser:
    """The rule of the update, its settings, and the greatest norm that a gradient may have."""

    name: str = "sgd"
    settings: Mapping[str, float] = field(default_factory=dict)
    clip: float | None = None

    @property
    def carried(self) -> tuple[str, ...]:
        return CARRIED[self.name]


class Update:
    """Moves a row of weights, a piece at a time."""

    def __init__(self, optimiser: Optimiser, flat: Flat, dtype: str) -> None:
        self.optimiser = optimiser
        self.flat = flat
        self.moves = _compiled_move(optimiser, flat.piece, dtype)
        self.measures = _compiled_norm(flat, dtype) if optimiser.clip is not None else None

    def norm(self, gradient: Array) -> Array:
        """The length of the whole gradient, before it is clipped."""
        assert self.measures is not None
        return numpy.asarray(self.measures(*self.flat.views(gradient).values())[0])

    def __call__(self, weights: Array, gradient: Array, carried: list[Array], rate: float, count: int) -> None:
        """Write the new weights, and what is carried on, over the old."""
        numbers: dict[str, float] = {"rate": rate, "t": count}
        numbers = {name: numbers[name] for name in self.moves.numbers}
        beside = [self.norm(gradient)] if self.measures is not None else []
        rows = [weights, *carried]
        for start in range(0, len(weights), self.flat.piece):
            piece = slice(start, start + self.flat.piece)
            found = self.moves(weights[piece], gradient[piece], *[row[piece] for row in carried], *beside, **numbers)
            for row, new in zip(rows, found, strict=True):
                row[piece] = new


def _compiled_move(optimiser: Optimiser, size: int, dtype: str) -> Program:
    """One piece of weights, its gradient, and what is carried; the norm of the whole gradient if it is clipped."""
    page = OPS[optimiser.name]
    settings: dict[str, Any] = dict(optimiser.settings) | {"rate": Varying("rate", 0.1)}
    if optimiser.name in COUNTING:
        settings["t"] = VaryingCount("t", 7)
    some = numpy.full(size, 0.5, dtype=dtype)
    # A page that is closed is compiled with its settings in it; this one is opened, and compiled here.
    recording = Recording(arithmetic=Float(dtype), closes=False)
    with recording:
        leaves = [parameter(some, "weight", name="W"), given(some, "weight", name="gradient")]
        leaves += [given(some, "weight", name=name) for name in optimiser.carried]
        gradient = leaves[1]
        if optimiser.clip is not None:
            leaves.append(given(some[0], name="norm"))
            gradient = clip_by_norm(gradient, leaves[-1], limit=optimiser.clip, epsilon=CLIP_EPSILON)
        moved: Any = page(leaves[0], gradient, *leaves[2 : 2 + len(optimiser.carried)], **settings)
        results: tuple[Tensor, ...] = moved if isinstance(moved, tuple) else (moved,)
        inputs, outputs = ([recording.step(recording.id_of(x)) for x in side] for side in (leaves, results))
    return compile_recording(recording, inputs, outputs)


def _compiled_norm(flat: Flat, dtype: str) -> Program:
    """The norm of the gradients of all weights together, added up weight by weight, as where a step is recorded."""
    recording = Recording(arithmetic=Float(dtype), closes=False)
    with recording:
        views = flat.views(flat.empty(dtype))
        gradients = [Tensor(view, flat.forms[path], name=f"d{path}") for path, view in views.items()]
        length = norm_of(*gradients)
        inputs, outputs = ([recording.step(recording.id_of(x)) for x in side] for side in (gradients, [length]))
    return compile_recording(recording, inputs, outputs)
