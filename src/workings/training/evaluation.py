"""Evaluation: the loss of a model on texts that training never saw, and how many of them it gets right."""

from __future__ import annotations

from collections.abc import Mapping

import numpy

from ..engine.arithmetic import arithmetic
from ..engine.arrays import Array
from ..engine.compile import CompiledProgram, compile_recording
from ..engine.compiled_recording import CompiledRecording
from ..engine.tensor import Tensor
from ..nn.module import Module
from ..ops.argmax import argmax
from .averaging import logits_of, loss_of
from .batch import Batch


class Evaluator:
    """Evaluates batches in portions of one size, with a program that is compiled once."""

    def __init__(self, model: Module, portion: int, dtype: str) -> None:
        self.model = model
        self.portion = portion
        self.dtype = dtype
        self._programs: dict[tuple[tuple[int, ...], ...], CompiledProgram] = {}

    def __call__(self, weights: Mapping[str, Tensor], batch: Batch) -> tuple[float, float]:
        """The mean loss of all tokens that count, and the fraction of texts without a single wrong prediction."""
        total_loss, exact = 0.0, 0
        counted = float(batch.counted.sum())
        for start in range(0, batch.size, self.portion):
            part = batch.rows(slice(start, start + self.portion))
            loss, predictions = self._run(weights, part.tensors(part.counted / counted, self.dtype))
            total_loss += float(loss)
            # Every prediction follows the right tokens; if all are right, greedy decoding gives the same text.
            exact += int(numpy.all((predictions == part.target) | (part.counted == 0), axis=1).sum())
        return total_loss, exact / batch.size

    def _run(self, weights: Mapping[str, Tensor], inputs: Mapping[str, Tensor]) -> tuple[Array, ...]:
        arrays = [tensor.array for tensor in (*weights.values(), *inputs.values())]
        shapes = tuple(array.shape for array in arrays)
        if shapes not in self._programs:
            self._programs[shapes] = self._compiled(weights, inputs)
        return self._programs[shapes](*arrays)

    def _compiled(self, weights: Mapping[str, Tensor], inputs: Mapping[str, Tensor]) -> CompiledProgram:
        recording = CompiledRecording(arithmetic=arithmetic(self.dtype))
        with recording:
            leaves = [recording.step(recording.id_of(tensor)) for tensor in (*weights.values(), *inputs.values())]
            logits = logits_of(self.model.with_parameters(weights), inputs)
            found = [loss_of(logits, inputs), argmax(logits)]
        return compile_recording(recording, leaves, [recording.step(recording.id_of(tensor)) for tensor in found])
