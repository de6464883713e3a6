"""Attention and the prediction of a word, forward and back, in lines that all lessons share; nothing is wrong here."""

from __future__ import annotations

import numpy as np

from ..programs.paper import Array
from .examinee import Examinee

RATE = 0.1


def softmax(scores: Array) -> Array:
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def flipped(table: Array) -> Array:
    return np.swapaxes(table, -1, -2)


class Attending(Examinee):
    """`at` is the beginning of the names of a part: head1. or example2.block1.attention."""

    # -- forward -----------------------------------------------------------------------------------

    def attend(self, q: Array, k: Array, v: Array, at: str = "") -> tuple[Array, Array]:
        scores = self.write(f"{at}scores", self.scores(q, k, at))
        scaled = self.write(f"{at}scaled", self.scaled(scores, q))
        weights = self.write(f"{at}weights", self.weights(self.visible(scaled, at), scores))
        return weights, self.write(f"{at}context", self.context(weights, v))

    def scores(self, q: Array, k: Array, at: str) -> Array:
        return q @ flipped(k)

    def scaled(self, scores: Array, q: Array) -> Array:
        return scores / np.sqrt(q.shape[-1])

    def visible(self, scaled: Array, at: str) -> Array:
        return scaled

    def weights(self, visible: Array, scores: Array) -> Array:
        return softmax(visible)

    def context(self, weights: Array, v: Array) -> Array:
        return weights @ v

    # -- back --------------------------------------------------------------------------------------

    def attend_back(
        self, q: Array, k: Array, v: Array, weights: Array, dcontext: Array, at: str = "", of: str = ""
    ) -> tuple[Array, Array, Array]:
        dweights = self.write(f"{at}dweights", self.to_weights(dcontext, v))
        dv = self.write(f"{at}dV{of}", self.to_values(weights, dcontext))
        dscaled = self.write(f"{at}dscaled", self.through_softmax(weights, dweights, at))
        dscores = self.write(f"{at}dscores", self.through_root(dscaled, q))
        dq = self.write(f"{at}dQ{of}", self.to_queries(dscores, k))
        dk_flipped = self.write(f"{at}dK{of}_T", self.to_keys(dscores, q, dscaled))
        return dq, self.write(f"{at}dK{of}", flipped(dk_flipped)), dv

    def to_weights(self, dcontext: Array, v: Array) -> Array:
        return dcontext @ flipped(v)

    def to_values(self, weights: Array, dcontext: Array) -> Array:
        return flipped(weights) @ dcontext

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        return weights * (dweights - (weights * dweights).sum(axis=-1, keepdims=True))

    def through_root(self, dscaled: Array, q: Array) -> Array:
        return dscaled / np.sqrt(q.shape[-1])

    def to_queries(self, dscores: Array, k: Array) -> Array:
        return dscores @ k

    def to_keys(self, dscores: Array, q: Array, dscaled: Array) -> Array:
        return flipped(q) @ dscores

    def of_weight(self, x: Array, gradient: Array, name: str) -> Array:
        return x.T @ gradient

    def back_through(self, gradient: Array, weight: Array, name: str) -> Array:
        return gradient @ weight.T

    def collected(self, paths: dict[str, Array], name: str) -> Array:
        """`paths` are the gradients that meet in one value, by where they come from."""
        return sum(paths.values(), np.zeros_like(next(iter(paths.values()))))

    # -- the next word -----------------------------------------------------------------------------

    def probabilities(self, logits: Array) -> Array:
        return softmax(logits)

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        return -np.log(p[target])

    def error(self, p: Array, target: int) -> Array:
        return p - np.eye(len(p))[target]

    def last(self, rows: Array) -> Array:
        return rows[-1]

    def placed(self, row: Array, rows: int) -> Array:
        placed = np.zeros((rows, len(row)))
        placed[-1] = row
        return placed

    def update(self, name: str, gradient: Array) -> None:
        at, _, short = name.rpartition(".")
        self.write(f"{name}_new", self.stepped(self.given[name], gradient, short or at))

    def stepped(self, weight: Array, gradient: Array, name: str) -> Array:
        return weight - RATE * gradient
