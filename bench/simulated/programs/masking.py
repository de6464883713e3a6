"""Scores of which the later ones are hidden, forward and back: the sheet of causal-mask."""

from __future__ import annotations

import numpy as np

from .paper import Array, Person


class Masking(Person):
    """Nothing is wrong here."""

    lesson = "causal-mask"

    def work(self) -> None:
        v, dcontext = self.given["V"], self.given["dcontext"]
        masked = self.write("masked", self.masked(self.given["scores"]))
        weights = self.write("weights", self.shares(masked))
        self.write("context", weights @ v)
        dweights = self.write("dweights", dcontext @ v.T)
        self.write("dV", weights.T @ dcontext)
        dmasked = self.write("dmasked", weights * (dweights - (weights * dweights).sum(axis=1, keepdims=True)))
        self.write("dscores", np.where(np.isneginf(masked), 0, dmasked))

    def masked(self, scores: Array) -> Array:
        return np.where(np.tri(len(scores), dtype=bool), scores, -np.inf)

    def shares(self, masked: Array) -> Array:
        return np.exp(masked) / np.exp(masked).sum(axis=1, keepdims=True)


class OneAhead(Masking):
    wrong_step, mistake = "masked", "causal_mask.one_ahead"

    def masked(self, scores: Array) -> Array:
        return np.where(np.tri(len(scores), k=1, dtype=bool), scores, -np.inf)


class MaskedAfterwards(Masking):
    """The shares are made of all scores; then the later ones are struck out."""

    wrong_step, mistake = "weights", "softmax.masked_afterwards"

    def shares(self, masked: Array) -> Array:
        shares = super().shares(self.given["scores"])
        return np.where(np.isneginf(masked), 0, shares)


PEOPLE = (Masking, OneAhead, MaskedAfterwards)
