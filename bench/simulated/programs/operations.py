"""What people compute by hand, each operation written once as it is right: forward, backward and update.

`at` is the name of the step that the result is for. A person with a mistake overrides one of these.
"""

from __future__ import annotations

import numpy as np

from .paper import Array, Person

EPSILON = 1e-6
BASE = 10000


def turned(matrix: Array) -> Array:
    return np.swapaxes(matrix, -1, -2)


class Calculation(Person):
    """Nothing is wrong here."""

    rate = 0.1

    # -- forward -------------------------------------------------------------------------------------------

    def lookup(self, table: Array, tokens: Array) -> Array:
        return table[tokens]

    def positions(self, order: Array, width: int) -> Array:
        angles = order[:, None] / BASE ** (np.arange(0, width, 2) / width)
        places = np.empty((len(order), width))
        places[:, 0::2], places[:, 1::2] = np.sin(angles), np.cos(angles)
        return places

    def order(self, tokens: int) -> Array:
        return np.arange(tokens)

    def add_positions(self, embedded: Array, places: Array) -> Array:
        return embedded + places

    def project(self, at: str, x: Array, weight: Array) -> Array:
        return self.product(x, weight)

    def linear(self, at: str, x: Array, weight: Array, bias: Array) -> Array:
        return self.product(x, weight) + bias

    def split(self, part: Array, heads: int) -> Array:
        tokens, width = part.shape
        return part.reshape(tokens, heads, width // heads).transpose(1, 0, 2)

    def merge(self, parts: Array) -> Array:
        heads, tokens, size = parts.shape
        return parts.transpose(1, 0, 2).reshape(tokens, heads * size)

    def scores(self, q: Array, k: Array) -> Array:
        return self.product(q, turned(k))

    def scale(self, scores: Array, size: int, width: int) -> Array:
        return scores / np.sqrt(size)

    def mask(self, scaled: Array) -> Array:
        return np.where(np.tri(scaled.shape[-1], dtype=bool), scaled, -np.inf)

    def attention_weights(self, scaled: Array) -> Array:
        return self.softmax(scaled)

    def probabilities(self, logits: Array) -> Array:
        return self.softmax(logits)

    def softmax(self, scores: Array) -> Array:
        powers = self.line(np.exp(scores))
        return powers / self.line(powers.sum(axis=-1, keepdims=True))

    def context(self, weights: Array, v: Array) -> Array:
        return self.product(weights, v)

    def add_residual(self, at: str, x: Array, result: Array, normed: Array, block_input: Array) -> Array:
        return x + result

    def activate(self, hidden: Array) -> Array:
        return np.maximum(hidden, 0)

    def second_layer(self, at: str, activated: Array, weight: Array, bias: Array) -> Array:
        return self.linear(at, activated, weight, bias)

    def centered(self, x: Array) -> tuple[Array, Array]:
        """What is above the mean of a row, and by how much to divide it."""
        deviations = self.line(x - self.line(x.mean(axis=-1, keepdims=True)))
        variance = self.line((deviations**2).mean(axis=-1, keepdims=True))
        return deviations, self.line(np.sqrt(variance + EPSILON))

    def normalized(self, x: Array) -> Array:
        deviations, root = self.centered(x)
        return self.line(deviations / root)

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return self.normalized(x) * gamma + beta

    def last(self, rows: Array) -> Array:
        return rows[-1]

    def targets(self) -> Array:
        return self.given["target"]

    def cross_entropy(self, p: Array, target: Array) -> Array:
        rows, wanted = np.atleast_2d(p), np.atleast_1d(target)
        return -self.line(np.log(rows[np.arange(len(wanted)), wanted])).sum() / len(wanted)

    # -- backward ------------------------------------------------------------------------------------------

    def error(self, p: Array, y: Array) -> Array:
        """The gradient of the mean cross-entropy."""
        return (p - y) / (len(p) if p.ndim > 1 else 1)

    def back_to_input(self, at: str, gradient: Array, weight: Array) -> Array:
        return self.product(gradient, weight.T)

    def back_to_weight(self, at: str, x: Array, gradient: Array) -> Array:
        return np.outer(x, gradient) if x.ndim == 1 else self.product(x.T, gradient)

    def back_to_bias(self, at: str, gradient: Array) -> Array:
        return gradient.sum(axis=0)

    def back_to_rows(self, dlast: Array, rows: int) -> Array:
        found = np.zeros((rows, len(dlast)))
        found[-1] = dlast
        return found

    def back_to_residual(self, gradient: Array) -> Array:
        """The part that goes past the block."""
        return gradient

    def back_through_relu(self, gradient: Array, hidden: Array, activated: Array) -> Array:
        return gradient * (hidden > 0)

    def back_through_norm(self, at: str, gradient: Array, x: Array, gamma: Array) -> Array:
        deviations, root = self.centered(x)
        normalized = self.line(deviations / root)
        h = self.line(gradient * gamma)
        above = self.line(h - self.line(h.mean(axis=-1, keepdims=True)))
        share = self.line((h * normalized).mean(axis=-1, keepdims=True))
        return self.line(above - self.line(normalized * share)) / root

    def back_to_gamma(self, gradient: Array, x: Array) -> Array:
        return gradient * self.normalized(x)

    def back_to_weights_of_attention(self, dcontext: Array, v: Array) -> Array:
        return self.product(dcontext, turned(v))

    def back_to_values(self, weights: Array, dcontext: Array) -> Array:
        return self.product(turned(weights), dcontext)

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        average = self.line((weights * gradient).sum(axis=-1, keepdims=True))
        return weights * self.line(gradient - average)

    def back_through_mask(self, gradient: Array) -> Array:
        return np.where(np.tri(gradient.shape[-1], dtype=bool), gradient, 0.0)

    def back_through_scale(self, gradient: Array, size: int) -> Array:
        return gradient / np.sqrt(size)

    def back_to_queries(self, dscores: Array, k: Array) -> Array:
        return self.product(dscores, k)

    def back_to_keys(self, dscores: Array, q: Array) -> Array:
        """The gradient of the transposed keys."""
        return self.product(turned(q), dscores)

    def split_back(self, joined: Array, heads: int) -> Array:
        tokens, width = joined.shape
        return joined.reshape(tokens, heads, width // heads).transpose(1, 0, 2)

    def merge_back(self, parts: Array) -> Array:
        heads, tokens, size = parts.shape
        return parts.transpose(1, 0, 2).reshape(tokens, heads * size)

    def collect(self, at: str, *paths: Array) -> Array:
        return np.sum(paths, axis=0)

    def back_to_table(self, table: Array, tokens: Array, gradient: Array) -> Array:
        found = np.zeros_like(table)
        np.add.at(found, tokens, gradient)
        return found

    # -- update --------------------------------------------------------------------------------------------

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight - self.rate * gradient
