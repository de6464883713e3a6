"""People who do everything right, each in a way of their own."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from ..programs.paper import Array
from .adam import Adam
from .attention import flipped
from .batch import Batch
from .block import EPSILON, Encoder
from .cross import Cross
from .hello_world import HelloWorld
from .recurrent import Recurrent
from .sampling import Dropping, Sampling
from .tips import Tips
from .token_i import TokenI


def rounded(value: Array, digits: int) -> Array:
    """To significant digits."""
    entries = [float(f"{entry:.{digits - 1}e}") for entry in np.ravel(value)]
    return np.array(entries).reshape(np.shape(value))


class SixDigits(TokenI):
    def write(self, name: str, value: Array) -> Array:
        self.written[name] = rounded(value, 6)
        return self.written[name]


class AllDigits(HelloWorld):
    """A program that prints what it has."""

    def write(self, name: str, value: Array) -> Array:
        self.written[name] = np.asarray(value)
        return self.written[name]


class OwnPaper(Encoder):
    """Goes on with unrounded numbers, and puts rounded ones on the sheet."""

    def write(self, name: str, value: Array) -> Array:
        super().write(name, value)
        return np.asarray(value)


class EveryLineRounded(Tips):
    """Each product, each sum, each power is rounded before the next line."""

    def product(self, a: Array, b: Array) -> Array:
        total = np.zeros((a.shape[0], b.shape[1]))
        for term in range(a.shape[1]):
            total = rounded(total + rounded(np.outer(a[:, term], b[term]), self.digits), self.digits)
        return total

    def projected(self, x: Array, name: str) -> Array:
        return self.product(x, self.given[f"W_{name}"])

    def scores(self, q: Array, k: Array, at: str) -> Array:
        return self.product(q, k.T)

    def scaled(self, scores: Array, q: Array) -> Array:
        return scores / rounded(np.sqrt(q.shape[-1]), self.digits)

    def weights(self, visible: Array, scores: Array) -> Array:
        powers = rounded(np.exp(visible), self.digits)
        return powers / rounded(powers.sum(axis=-1, keepdims=True), self.digits)

    def context(self, weights: Array, v: Array) -> Array:
        return self.product(weights, v)

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        products = rounded(weights * dweights, self.digits)
        return weights * rounded(dweights - rounded(products.sum(axis=-1, keepdims=True), self.digits), self.digits)


class ExponentsOfTen(Batch):
    def spelled(self, number: float) -> str:
        return f"{number:.{self.digits - 1}e}"


class AsFractions(Dropping):
    def spelled(self, number: float) -> str:
        return str(Fraction(repr(number)))


class DecimalComma(Cross):
    def spelled(self, number: float) -> str:
        return repr(number).replace(".", ",")


class EndZerosKept(Adam):
    """0.7000 for 0.7."""

    def spelled(self, number: float) -> str:
        return np.format_float_positional(number, self.digits, fractional=False, trim="k", min_digits=self.digits)


class EndZerosDropped(Sampling):
    """2 for 2.000."""

    def spelled(self, number: float) -> str:
        return f"{number:.{self.digits}g}"


class ByTheJacobian(Cross):
    """Queries are scaled before the product, powers come from the logarithm of their sum, and the gradient passes the
    softmax by its whole Jacobian, row by row.
    """

    def scaled(self, scores: Array, q: Array) -> Array:
        return (q / np.sqrt(q.shape[-1])) @ self.written["K"].T

    def weights(self, visible: Array, scores: Array) -> Array:
        return np.exp(visible - np.log(np.exp(visible).sum(axis=-1, keepdims=True)))

    def through_softmax(self, weights: Array, dweights: Array, at: str) -> Array:
        slopes = [np.diag(row) - np.outer(row, row) for row in weights]
        return np.array([slope @ row for slope, row in zip(slopes, dweights, strict=True)])

    def to_values(self, weights: Array, dcontext: Array) -> Array:
        return sum((np.outer(row, g) for row, g in zip(weights, dcontext, strict=True)), np.zeros((3, 2)))


class LossFromLogits(Batch):
    """The loss comes straight from the logits, not from the rounded probabilities."""

    def loss(self, p: Array, target: int, logits: Array) -> Array:
        return np.log(np.exp(logits).sum()) - logits[target]


class MomentsOfARow(Encoder):
    """The variance as the mean of squares minus the square of the mean, and the norm's rule with n in front."""

    def deviation(self, x: Array) -> Array:
        return np.sqrt((x * x).mean(axis=-1, keepdims=True) - x.mean(axis=-1, keepdims=True) ** 2 + EPSILON)

    def through_norm(self, dnormed: Array, x: Array, part: str) -> Array:
        h, normalized, n = dnormed * self.norm_weights(part)[0], self.normalized(x), x.shape[-1]
        inner = n * h - h.sum(axis=-1, keepdims=True) - normalized * (h * normalized).sum(axis=-1, keepdims=True)
        return inner / (n * self.deviation(x))


class OneMatrixForTheWords(Recurrent):
    """The slope of tanh as 1 / cosh², and one product for all outer products."""

    def through_tanh(self, gradient: Array, word: str, h: Array) -> Array:
        at = self.written.get(f"sum_{word}", self.written[f"from_{word}"])
        return gradient / np.cosh(at) ** 2

    def of_state(self, before: Array, through: Array) -> Array:
        return flipped(before[None]) @ through[None]


PEOPLE = (
    SixDigits,
    AllDigits,
    OwnPaper,
    EveryLineRounded,
    ExponentsOfTen,
    AsFractions,
    DecimalComma,
    EndZerosKept,
    EndZerosDropped,
    ByTheJacobian,
    LossFromLogits,
    MomentsOfARow,
    OneMatrixForTheWords,
)
