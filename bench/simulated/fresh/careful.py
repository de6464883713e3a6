"""People who do everything right, each in a way of their own."""

from __future__ import annotations

import numpy as np

from ..heldout.adam import Adam
from ..heldout.attention import flipped, softmax
from ..heldout.batch import Batch
from ..heldout.block import EPSILON, Encoder
from ..heldout.examinee import Examinee
from ..heldout.recurrent import Recurrent
from ..heldout.sampling import Sampling
from ..heldout.tips import Tips
from ..heldout.token_i import TokenI
from ..programs.paper import Array, Person
from .lessons import Decoder, Five, Heads, Masked, Norm, One, Residual, Sleeping, Three, Two

# -- how numbers are kept --------------------------------------------------------------------------------


class Exact(Person):
    """Every digit of the computer is kept, and written."""

    def write(self, name: str, value: Array) -> Array:
        self.written[name] = np.asarray(value)
        return self.written[name]


class ExactNetwork(Exact, Five):
    """Five, exactly."""


class ExactAdam(Exact, Adam):
    """Adam, exactly."""


class TwoGuardDigits(Person):
    """Two more digits than the sheet asks for, on the sheet too."""

    def round(self, value: Array) -> Array:
        entries = [float(f"{entry:.{self.digits + 1}e}") for entry in np.ravel(value)]
        return np.array(entries).reshape(np.shape(value))


class GuardedHeads(TwoGuardDigits, Heads):
    """Two heads with guard digits."""

    def spelled(self, number: float) -> str:
        return repr(number)


class GuardedBatch(TwoGuardDigits, Batch):
    """A batch with guard digits."""

    def spelled(self, number: float) -> str:
        return f"{number:.{self.digits + 2}g}"


class OnlyAnswersRounded(Person):
    """Goes on with what the calculator shows, and writes rounded numbers."""

    def write(self, name: str, value: Array) -> Array:
        super().write(name, value)
        return np.asarray(value)


class CalculatorUpdates(OnlyAnswersRounded, Three):
    """Every update from unrounded gradients."""


class CalculatorLabels(OnlyAnswersRounded, Sleeping):
    """Yes or no, from unrounded numbers."""


class EveryProductRounded(Person):
    """Each product of a sum is rounded before it is added, and so is each sum."""

    def product(self, a: Array, b: Array) -> Array:
        left = a[..., None, :] if a.ndim > 1 else a[None, :]
        right = np.swapaxes(b, -1, -2)[..., None, :, :] if b.ndim > 1 else b
        terms = self.round(left * right)
        total = np.zeros(terms.shape[:-1])
        for place in range(terms.shape[-1]):
            total = self.round(total + terms[..., place])
        return total.reshape((a @ b).shape)


class RoundedProducts(EveryProductRounded, Two):
    """One prediction, product by product."""


class RoundedProductsOfTheResidual(EveryProductRounded, Residual):
    """Attention with a residual, product by product."""


class EveryLineWritten(Person):
    """Rounds each line of a calculation, whatever the others do."""

    def line(self, value: Array) -> Array:
        return self.round(value)


class LinesOfTheNorm(EveryLineWritten, Norm):
    """A norm, line by line."""


class LinesOfTheMask(EveryLineWritten, Masked):
    """A masked softmax, line by line."""


# -- how numbers are written -----------------------------------------------------------------------------


class ZerosKept(One):
    """0.5000 for 0.5, and 0.000 for 0."""

    def spelled(self, number: float) -> str:
        if number == 0 or not np.isfinite(number):
            return "0.000" if number == 0 else repr(number)
        return np.format_float_positional(number, self.digits, fractional=False, trim="k", min_digits=self.digits)


class LeadingZeroDropped(Tips):
    """.25 for 0.25, as on a calculator."""

    def spelled(self, number: float) -> str:
        text = np.format_float_positional(number, trim="-")
        return text.replace("0.", ".", 1) if text.lstrip("-").startswith("0.") else text


class PlusSigns(Sampling):
    """+0.25 for 0.25; powers of ten for small numbers."""

    def spelled(self, number: float) -> str:
        return f"{number:+.{self.digits}g}"


# -- other ways to the same numbers ----------------------------------------------------------------------


class MaximumSubtracted(Three):
    """A softmax shifted by the largest score, with a loss that comes from the logits."""

    def softmax(self, scores: Array) -> Array:
        powers = self.line(np.exp(self.line(scores - scores.max(axis=-1, keepdims=True))))
        return powers / self.line(powers.sum(axis=-1, keepdims=True))

    def cross_entropy(self, p: Array, target: Array) -> Array:
        logits = self.written["logits"]
        return self.line(np.log(np.exp(logits).sum())) - logits[int(target)]


class NormInThreeTerms(Decoder):
    """The gradients of the variance and of the mean, each by itself, as in papers about batch norm."""

    def back_through_norm(self, at: str, gradient: Array, x: Array, gamma: Array) -> Array:
        n, h = x.shape[-1], gradient * gamma
        deviations = x - x.mean(axis=-1, keepdims=True)
        inverse = 1 / np.sqrt((deviations**2).mean(axis=-1, keepdims=True) + EPSILON)
        dvariance = (h * deviations).sum(axis=-1, keepdims=True) * -0.5 * inverse**3
        dmean = -(h * inverse).sum(axis=-1, keepdims=True)
        return h * inverse + dvariance * 2 * deviations / n + dmean / n


class OneColumnAtATime(Encoder):
    """Bias gradients by a row of ones, and the norm's deviation as the root of summed squares over the root of n."""

    def of_bias(self, gradient: Array) -> Array:
        return np.ones(len(gradient)) @ gradient

    def deviation(self, x: Array) -> Array:
        deviations, n = x - x.mean(axis=-1, keepdims=True), x.shape[-1]
        return np.sqrt((deviations**2).sum(axis=-1, keepdims=True) + n * EPSILON) / np.sqrt(n)


class TransposedThroughout(TokenI):
    """Columns are tokens: every product is transposed, computed in the other order and transposed back."""

    def scores(self, q: Array, k: Array, at: str) -> Array:
        return flipped(k @ flipped(q))

    def weights(self, visible: Array, scores: Array) -> Array:
        return flipped(np.array([softmax(row) for row in visible]).T)

    def context(self, weights: Array, v: Array) -> Array:
        return flipped(flipped(v) @ flipped(weights))

    def to_weights(self, dcontext: Array, v: Array) -> Array:
        return flipped(v @ flipped(dcontext))

    def of_weight(self, x: Array, gradient: Array, name: str) -> Array:
        return flipped(flipped(gradient) @ x)


class TanhByPowers(Recurrent):
    """The slope of tanh as (1 - h)(1 + h)."""

    def through_tanh(self, gradient: Array, word: str, h: Array) -> Array:
        return gradient * (1 - h) * (1 + h)


PEOPLE: tuple[type[Examinee], ...] = (
    ExactNetwork, ExactAdam, GuardedHeads, GuardedBatch, CalculatorUpdates, CalculatorLabels, RoundedProducts,
    RoundedProductsOfTheResidual, LinesOfTheNorm, LinesOfTheMask, ZerosKept, LeadingZeroDropped, PlusSigns,
    MaximumSubtracted, NormInThreeTerms, OneColumnAtATime, TransposedThroughout, TanhByPowers,
)  # fmt: skip
