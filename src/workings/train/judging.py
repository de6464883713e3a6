"""Judging: what a model makes of texts that training never saw."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy

from ..engine.arithmetic import arithmetic
from ..engine.arrays import Array
from ..engine.compile import Program, compile_recording
from ..engine.recording import Recording
from ..engine.tensor import Tensor
from ..nn.module import Module
from ..ops.argmax import argmax
from .averaging import loss_of, scores_of
from .batch import Batch


@dataclass(frozen=True)
class Verdict:
    """The mean loss of all tokens that count, and the share of texts that were answered without a single mistake."""

    loss: float
    exact: float


class Judge:
    """Looks at batches in portions of one size, with a program that is compiled once."""

    def __init__(self, model: Module, portion: int, dtype: str) -> None:
        self.model = model
        self.portion = portion
        self.dtype = dtype
        self._programs: dict[tuple[tuple[int, ...], ...], Program] = {}

    def __call__(self, weights: Mapping[str, Tensor], batch: Batch) -> Verdict:
        losses, exact = 0.0, 0
        total = float(batch.counted.sum())
        for start in range(0, batch.size, self.portion):
            part = batch.rows(slice(start, start + self.portion))
            inputs = part.tensors(part.counted / total, self.dtype)
            loss, guesses = self._run(weights, inputs)
            losses += float(loss)
            # A text is right if every answer is, given those before it: so it would be written token by token, too.
            exact += int(numpy.all((guesses == part.target) | (part.counted == 0), axis=1).sum())
        return Verdict(losses, exact / batch.size)

    def _run(self, weights: Mapping[str, Tensor], inputs: Mapping[str, Tensor]) -> tuple[Array, ...]:
        arrays = [tensor.array for tensor in (*weights.values(), *inputs.values())]
        shapes = tuple(array.shape for array in arrays)
        if shapes not in self._programs:
            self._programs[shapes] = self._compiled(weights, inputs)
        return self._programs[shapes](*arrays)

    def _compiled(self, weights: Mapping[str, Tensor], inputs: Mapping[str, Tensor]) -> Program:
        recording = Recording(arithmetic=arithmetic(self.dtype))
        given: list[Any] = [*weights.values(), *inputs.values()]
        with recording:
            leaves = [recording.step(recording.id_of(tensor)) for tensor in given]
            logits = scores_of(self.model.with_parameters(weights), inputs)
            found = [loss_of(logits, inputs), argmax(logits)]
        return compile_recording(recording, leaves, [recording.step(recording.id_of(tensor)) for tensor in found])
