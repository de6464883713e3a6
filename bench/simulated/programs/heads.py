"""Attention in two heads, forward: the sheet of multi-head. The way back stays blank."""

from __future__ import annotations

import numpy as np

from .paper import Array, Person

HEADS = 2


class InHeads(Person):
    """Nothing is wrong here."""

    lesson = "multi-head"

    def work(self) -> None:
        given = self.given
        x = self.write("X", given["E"][given["tokens"]])
        q, k, v = (self.write(name, x @ given[f"W_{name}"]) for name in "QKV")
        q, k, v = (self.write(f"{name}_heads", self.split(part)) for name, part in zip("QKV", (q, k, v), strict=True))
        scores = self.write("scores", q @ k.transpose(0, 2, 1))
        scaled = self.write("scaled", scores / np.sqrt(self.size(x)))
        weights = self.write("weights", np.exp(scaled) / np.exp(scaled).sum(axis=2, keepdims=True))
        context = self.write("context", weights @ v)
        joined = self.write("joined", context.transpose(1, 0, 2).reshape(x.shape))
        self.write("attended", joined @ given["W_O"])

    def split(self, part: Array) -> Array:
        tokens, width = part.shape
        return part.reshape(tokens, HEADS, width // HEADS).transpose(1, 0, 2)

    def size(self, x: Array) -> int:
        return int(x.shape[1]) // HEADS


class SizeOfTheModel(InHeads):
    wrong_step, mistake = "scaled", "divide_by_root.root_of_model"

    def size(self, x: Array) -> int:
        return int(x.shape[1])


class CutWithoutTurning(InHeads):
    wrong_step, mistake = "Q_heads", "split_heads.reshape_without_transpose"

    def split(self, part: Array) -> Array:
        tokens, width = part.shape
        return part.reshape(HEADS, tokens, width // HEADS)


PEOPLE = (InHeads, SizeOfTheModel, CutWithoutTurning)
