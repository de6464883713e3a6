"""Temperature, top-k, top-p and perplexity, and dropout: the sheets of generation and training-vs-inference."""

from __future__ import annotations

import numpy as np

from ..programs.paper import Array
from .attention import softmax
from .examinee import Examinee


class Sampling(Examinee):
    """Nothing is wrong here."""

    lesson = "generation"

    def work(self) -> None:
        scores = self.given["scores"]
        shares = self.write("shares", softmax(scores))
        cold = self.write("cold", self.tempered(scores, 0.5))
        cold_shares = self.write("cold_shares", self.after_temperature(cold, shares, 0.5))
        warm = self.write("warm", self.tempered(scores, 2))
        warm_shares = self.write("warm_shares", self.after_temperature(warm, shares, 2))
        rows = [
            self.write(f"{name}_row", row[None])
            for name, row in zip(("cold", "usual", "warm"), (cold_shares, shares, warm_shares), strict=True)
        ]
        self.write("by_temperature", np.concatenate(rows))
        by_k = self.write("kept_by_k", (scores >= np.sort(scores)[-3]).astype(float))
        cut = self.write("cut_by_k", self.cut(scores, by_k))
        k_shares = self.write("k_shares", self.shares_of_cut(cut, shares, by_k))
        by_p = self.write("kept_by_p", self.nucleus(shares, 0.7))
        p_shares = self.write("p_shares", softmax(self.write("cut_by_p", self.cut(scores, by_p))))
        for name, chosen in (
            ("from_all", shares),
            ("from_k", k_shares),
            ("from_p", p_shares),
            ("low_from_p", p_shares),
        ):
            self.write(f"{name}.running", np.cumsum(chosen))
        self.write("late_total", self.write("late", shares / 2).sum())
        self.write("unshared_running", np.cumsum(self.write("unshared", shares * by_p)))
        coin = self.write("coin_shares", softmax(self.given["coin"]))
        loss = self.write("coin_loss", -self.write("coin_logs", np.log(coin)).mean())
        self.write("coin_perplexity", self.perplexity(loss))

    def tempered(self, scores: Array, temperature: float) -> Array:
        return scores / temperature

    def after_temperature(self, tempered: Array, shares: Array, temperature: float) -> Array:
        return softmax(tempered)

    def cut(self, scores: Array, kept: Array) -> Array:
        return np.where(kept > 0, scores, -np.inf)

    def shares_of_cut(self, cut: Array, shares: Array, kept: Array) -> Array:
        return softmax(cut)

    def nucleus(self, shares: Array, p: float) -> Array:
        order = np.argsort(-shares)
        before = np.cumsum(shares[order]) - shares[order]
        kept = np.zeros_like(shares)
        kept[order[before < p]] = 1
        return kept

    def perplexity(self, loss: Array) -> Array:
        return np.exp(loss)


class TemperatureMultiplied(Sampling):
    wrong_step, names = "cold", frozenset({"divide_by.multiplied"})

    def tempered(self, scores: Array, temperature: float) -> Array:
        return scores * temperature


class TemperatureAfterTheSoftmax(Sampling):
    """Probabilities are divided by the temperature, and made to sum to 1 again: nothing has changed."""

    wrong_step = "cold_shares"
    names = frozenset({"softmax.temperature_afterwards", "divide_by.not_divided"})

    def after_temperature(self, tempered: Array, shares: Array, temperature: float) -> Array:
        hot = shares / temperature
        return hot / hot.sum()


class NotSharedOutAgain(Sampling):
    wrong_step, names = "k_shares", frozenset({"softmax.masked_afterwards"})

    def shares_of_cut(self, cut: Array, shares: Array, kept: Array) -> Array:
        return shares * kept


class NucleusOneShort(Sampling):
    wrong_step, names = "kept_by_p", frozenset({"keep_top_p.stopped_before"})

    def nucleus(self, shares: Array, p: float) -> Array:
        order = np.argsort(-shares)
        kept = np.zeros_like(shares)
        kept[order[np.cumsum(shares[order]) <= p]] = 1
        return kept


class PerplexityOfBits(Sampling):
    wrong_step, names = "coin_perplexity", frozenset({"exp.base_two"})
    says = "You raised 2 to the loss; the loss is in natural logarithms, so e is raised."

    def perplexity(self, loss: Array) -> Array:
        return 2.0**loss


class Dropping(Examinee):
    """Nothing is wrong here."""

    lesson = "training-vs-inference"

    def work(self) -> None:
        given = self.given
        first = self.write("dropped", self.dropped(given["x"], given["kept"]))
        other = self.write("dropped_other", self.dropped(given["x"], given["kept_other"]))
        self.write("average", self.write("both", first + other) / 2)
        self.write("dx", self.back(given["ddropped"], given["kept"]))

    def dropped(self, x: Array, kept: Array) -> Array:
        return x * kept / 0.5

    def back(self, gradient: Array, kept: Array) -> Array:
        return gradient * kept / 0.5


class NotScaledUp(Dropping):
    wrong_step, names = "dropped", frozenset({"dropout.not_divided"})

    def dropped(self, x: Array, kept: Array) -> Array:
        return x * kept


class AnotherMaskGoingBack(Dropping):
    """A new mask is drawn for the backward pass."""

    wrong_step, names = "dx", frozenset({"dropout.other_marks", "dropout.exchanged"})

    def back(self, gradient: Array, kept: Array) -> Array:
        return gradient * self.given["kept_other"] / 0.5


PEOPLE = (
    Sampling,
    TemperatureMultiplied,
    TemperatureAfterTheSoftmax,
    NotSharedOutAgain,
    NucleusOneShort,
    PerplexityOfBits,
    Dropping,
    NotScaledUp,
    AnotherMaskGoingBack,
)
