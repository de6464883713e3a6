"""Three tokens with embeddings of five numbers, a yes or no for each, and everything learned: cat-sleeps."""

from __future__ import annotations

import numpy as np

from .operations import Calculation
from .paper import Array, Person


class CatSleeps(Calculation):
    """Nothing is wrong here."""

    lesson = "cat-sleeps"

    def work(self) -> None:
        given = self.given
        x = given["X"]
        q, k, v = (self.write(name, self.project(f".{name}", x, given[f"W_{name}"])) for name in "QKV")
        scores = self.write("scores", self.scores(q, k))
        scaled = self.write("scaled", self.scale(scores, k.shape[1], x.shape[1]))
        weights = self.write("weights", self.attention_weights(scaled))
        o = self.write("O", self.context(weights, v))
        hidden = self.write("hidden", self.linear("hidden", o, given["W_1"], given["b_1"]))
        h = self.write("H", self.activate(hidden))
        z = self.write("z", self.second_layer("z", h, given["W_2"], given["b_2"]))
        y = self.write("y", self.sigmoid(z))
        self.write("loss", self.binary_cross_entropy(y, given["labels"]))
        dz = self.write("dz", self.error_of_labels(y, given["labels"]))
        dh = self.write("dH", self.back_to_input("dH", dz, given["W_2"]))
        dhidden = self.write("dhidden", self.back_through_relu(dh, hidden, h))
        do = self.write("dO", self.back_to_input("dO", dhidden, given["W_1"]))
        self.write("dW_2", self.back_to_weight("dW_2", h, dz))
        self.write("db_2", self.back_to_bias("db_2", dz))
        self.write("dW_1", self.back_to_weight("dW_1", o, dhidden))
        self.write("db_1", self.back_to_bias("db_1", dhidden))
        self.back_through_attention(x, q, k, v, weights, do)
        for name in ("X", "W_Q", "W_K", "W_V", "W_1", "b_1", "W_2", "b_2"):
            self.write(f"{name}_new", self.updated(self.given[name], self.written[f"d{name}"]))

    def back_through_attention(self, x: Array, q: Array, k: Array, v: Array, weights: Array, do: Array) -> None:
        dweights = self.write("dweights", self.back_to_weights_of_attention(do, v))
        dv = self.write("dV", self.back_to_values(weights, do))
        dscaled = self.write("dscaled", self.back_through_softmax(weights, dweights))
        dscores = self.write("dscores", self.back_through_scale(dscaled, k.shape[1]))
        dq = self.write("dQ", self.back_to_queries(dscores, k))
        dk = self.write("dK", self.write("dK_T", self.back_to_keys(dscores, q)).T)
        paths = []
        for name, gradient in (("V", dv), ("K", dk), ("Q", dq)):
            at = f"dX.via_{name}"
            paths.append(self.write(at, self.back_to_input(at, gradient, self.given[f"W_{name}"])))
            self.write(f"dW_{name}", self.back_to_weight(f"dW_{name}", x, gradient))
        self.write("dX", self.collect("dX", *paths))

    def sigmoid(self, z: Array) -> Array:
        return 1 / self.line(1 + self.line(np.exp(-z)))

    def binary_cross_entropy(self, y: Array, labels: Array) -> Array:
        return -self.line(np.log(np.where(labels == 1, y, 1 - y))).sum()

    def error_of_labels(self, y: Array, labels: Array) -> Array:
        return y - labels


class SigmoidReversed(CatSleeps):
    wrong_step, names = "y", frozenset({"sigmoid.sign_forgotten"})

    def sigmoid(self, z: Array) -> Array:
        return 1 / (1 + np.exp(z))


class SigmoidWithoutOne(CatSleeps):
    wrong_step, names = "y", frozenset({"sigmoid.one_forgotten"})

    def sigmoid(self, z: Array) -> Array:
        return 1 / np.exp(-z)


BCE = "binary_cross_entropy_from_logits"


class LossAveraged(CatSleeps):
    wrong_step, names = "loss", frozenset({f"{BCE}.wrong_reduction"})

    def binary_cross_entropy(self, y: Array, labels: Array) -> Array:
        return super().binary_cross_entropy(y, labels) / len(labels)


class LabelsExchanged(CatSleeps):
    wrong_step, names = "loss", frozenset({f"{BCE}.labels_exchanged"})

    def binary_cross_entropy(self, y: Array, labels: Array) -> Array:
        return super().binary_cross_entropy(y, 1 - labels)


class OnlyTheYes(CatSleeps):
    """Tokens whose label is 0 are left out."""

    wrong_step, names = "loss", frozenset({f"{BCE}.no_forgotten"})

    def binary_cross_entropy(self, y: Array, labels: Array) -> Array:
        return -(labels * np.log(y)).sum()


class BinaryToBaseTen(CatSleeps):
    wrong_step, names = "loss", frozenset({f"{BCE}.base_ten"})

    def binary_cross_entropy(self, y: Array, labels: Array) -> Array:
        return super().binary_cross_entropy(y, labels) / np.log(10)


class ErrorOfLabelsReversed(CatSleeps):
    wrong_step, names = "dz", frozenset({f"{BCE}.error_turned"})

    def error_of_labels(self, y: Array, labels: Array) -> Array:
        return labels - y


class SlopeTwice(CatSleeps):
    """The slope of the sigmoid is multiplied once more."""

    wrong_step, names = "dz", frozenset({f"{BCE}.slope_again"})

    def error_of_labels(self, y: Array, labels: Array) -> Array:
        return (y - labels) * y * (1 - y)


class ErrorAveraged(CatSleeps):
    wrong_step, names = "dz", frozenset({f"{BCE}.wrong_reduction", f"{BCE}.gradient_divided"})

    def error_of_labels(self, y: Array, labels: Array) -> Array:
        return (y - labels) / len(labels)


PEOPLE: tuple[type[Person], ...] = (
    SigmoidReversed, SigmoidWithoutOne, LossAveraged, LabelsExchanged, OnlyTheYes, BinaryToBaseTen,
    ErrorOfLabelsReversed, SlopeTwice, ErrorAveraged,
)  # fmt: skip
