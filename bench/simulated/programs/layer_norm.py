"""Layer normalisation of two rows, in one line and line by line, and its gradients: the sheet of layer-norm."""

from __future__ import annotations

import numpy as np

from .paper import Array, Person

EPSILON = 1e-6


class Normalising(Person):
    """Nothing is wrong here."""

    lesson = "layer-norm"

    def work(self) -> None:
        given = self.given
        x, gamma, beta, cotangent = given["x"], given["gamma"], given["beta"], given["cotangent"]
        normed = self.write("normed", self.normed(x, gamma, beta))
        self.write("total", self.write("counted", cotangent * normed).sum())
        deviations = self.write("deviations", x - self.write("average", x.mean(axis=1, keepdims=True)))
        squares = self.write("squares", deviations * deviations)
        variance = self.write("variance", self.variance(squares))
        root = self.write("root", self.root(self.write("raised", variance + given["epsilon"])))
        normalised = self.write("normalised", deviations / root)
        self.write("shifted", self.write("scaled", normalised * gamma) + beta)
        arrives = self.write("arrives", cotangent * gamma)
        shift = self.write("shift", arrives.mean(axis=1, keepdims=True))
        stretch = self.write("stretch", self.write("products", arrives * normalised).mean(axis=1, keepdims=True))
        stretched = self.write("stretched", normalised * stretch)
        rest = self.write("rest", self.write("without_shift", arrives - shift) - stretched)
        self.write("gradient", rest / root)
        self.back(x, gamma, cotangent, normed)

    def back(self, x: Array, gamma: Array, cotangent: Array, normed: Array) -> None:
        dcounted = self.write("dcounted", np.ones_like(x))
        self.write("dcotangent", dcounted * normed)
        dnormed = self.write("dnormed", dcounted * cotangent)
        centred = x - x.mean(axis=1, keepdims=True)
        root = np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPSILON)
        normalised = centred / root
        self.write("dx", self.through_norm(dnormed * gamma, normalised) / root)
        self.write("dgamma", self.write("dgamma.unsummed", dnormed * normalised).sum(axis=0))
        self.write("dbeta", dnormed.sum(axis=0))

    def normed(self, x: Array, gamma: Array, beta: Array) -> Array:
        centred = x - x.mean(axis=1, keepdims=True)
        return centred / np.sqrt((centred**2).mean(axis=1, keepdims=True) + EPSILON) * gamma + beta

    def variance(self, squares: Array) -> Array:
        return squares.mean(axis=1, keepdims=True)

    def root(self, raised: Array) -> Array:
        return np.sqrt(raised)

    def through_norm(self, h: Array, normalised: Array) -> Array:
        mean, share = h.mean(axis=1, keepdims=True), (h * normalised).mean(axis=1, keepdims=True)
        return h - mean - normalised * share


class OneLess(Normalising):
    wrong_step, mistake = "normed", "layer_norm.wrong_n"

    def normed(self, x: Array, gamma: Array, beta: Array) -> Array:
        return (x - x.mean(axis=1, keepdims=True)) / np.sqrt(
            x.var(axis=1, ddof=1, keepdims=True) + EPSILON
        ) * gamma + beta


class Columns(Normalising):
    wrong_step, mistake = "normed", "layer_norm.columns"

    def normed(self, x: Array, gamma: Array, beta: Array) -> Array:
        return (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + EPSILON) * gamma + beta


class VarianceOneLess(Normalising):
    wrong_step, mistake = "variance", "mean.one_less"

    def variance(self, squares: Array) -> Array:
        return squares.sum(axis=1, keepdims=True) / (squares.shape[1] - 1)


class RootLeftOut(Normalising):
    wrong_step, mistake = "root", "sqrt.halved"

    def root(self, raised: Array) -> Array:
        return raised / 2


class DirectWay(Normalising):
    """As if the mean and the size of a row did not hang on its entries."""

    wrong_step, mistake = "dx", "layer_norm.direct_way"

    def through_norm(self, h: Array, normalised: Array) -> Array:
        return h


PEOPLE = (Normalising, OneLess, Columns, VarianceOneLess, RootLeftOut, DirectWay)
