"""Layer normalization of two rows, in one line and line by line, and its gradients: the sheet of layer-norm."""

from __future__ import annotations

import numpy as np

from .backward_mistakes import BACK_THROUGH_NORM, GammaTimesInput
from .layer_mistakes import NORMS
from .operations import Calculation
from .paper import Array, Person, person


class Normalizing(Calculation):
    """Nothing is wrong here."""

    lesson = "layer-norm"

    def work(self) -> None:
        given = self.given
        x, gamma, beta, cotangent = given["x"], given["gamma"], given["beta"], given["cotangent"]
        normed = self.write("normed", self.layer_norm("normed", x, gamma, beta))
        self.write("total", self.write("counted", cotangent * normed).sum())
        deviations = self.write("deviations", x - self.write("average", self.average(x)))
        squares = self.write("squares", self.squares(deviations))
        variance = self.write("variance", self.variance(squares))
        root = self.write("root", self.root(self.write("raised", variance + given["epsilon"])))
        normalized = self.write("normalised", self.divided(deviations, root))
        self.write("shifted", self.shifted(self.write("scaled", normalized * gamma), beta))
        arrives = self.write("arrives", cotangent * gamma)
        shift = self.write("shift", arrives.mean(axis=1, keepdims=True))
        stretch = self.write("stretch", self.write("products", arrives * normalized).mean(axis=1, keepdims=True))
        stretched = self.write("stretched", normalized * stretch)
        rest = self.write("rest", self.write("without_shift", arrives - shift) - stretched)
        self.write("gradient", rest / root)
        dcounted = self.write("dcounted", np.ones_like(x))
        self.write("dcotangent", dcounted * normed)
        dnormed = self.write("dnormed", dcounted * cotangent)
        self.write("dx", self.back_through_norm("dx", dnormed, x, gamma))
        unsummed = self.write("dgamma.unsummed", self.back_to_gamma(dnormed, x))
        self.write("dgamma", self.back_to_bias("dgamma", unsummed))
        self.write("dbeta", self.back_to_bias("dbeta", dnormed))

    def average(self, x: Array) -> Array:
        return x.mean(axis=1, keepdims=True)

    def squares(self, deviations: Array) -> Array:
        return deviations * deviations

    def variance(self, squares: Array) -> Array:
        return squares.mean(axis=1, keepdims=True)

    def root(self, raised: Array) -> Array:
        return np.sqrt(raised)

    def divided(self, deviations: Array, root: Array) -> Array:
        return deviations / root

    def shifted(self, scaled: Array, beta: Array) -> Array:
        return scaled + beta


class VarianceOneLess(Normalizing):
    wrong_step, names = "variance", frozenset({"mean.one_less"})

    def variance(self, squares: Array) -> Array:
        return squares.sum(axis=1, keepdims=True) / (squares.shape[1] - 1)


class VarianceNotDivided(Normalizing):
    wrong_step, names = "variance", frozenset({"mean.not_divided"})

    def variance(self, squares: Array) -> Array:
        return squares.sum(axis=1, keepdims=True)


class Doubled(Normalizing):
    """2 x for x squared."""

    wrong_step, names = "squares", frozenset({"mul.added"})

    def squares(self, deviations: Array) -> Array:
        return deviations + deviations


class RootHalved(Normalizing):
    wrong_step, names = "root", frozenset({"sqrt.halved"})

    def root(self, raised: Array) -> Array:
        return raised / 2


class RootLeftOut(Normalizing):
    wrong_step, names = "root", frozenset({"sqrt.forgotten"})

    def root(self, raised: Array) -> Array:
        return raised


class ShiftSubtracted(Normalizing):
    wrong_step, names = "shifted", frozenset({"add.subtracted"})

    def shifted(self, scaled: Array, beta: Array) -> Array:
        return scaled - beta


PEOPLE: tuple[type[Person], ...] = (
    VarianceOneLess, VarianceNotDivided, Doubled, RootHalved, RootLeftOut, ShiftSubtracted,
    *(person(mistake, Normalizing, "normed") for mistake in NORMS),
    *(person(mistake, Normalizing, "dx") for mistake in BACK_THROUGH_NORM),
    person(GammaTimesInput, Normalizing, "dgamma.unsummed"),
)  # fmt: skip
