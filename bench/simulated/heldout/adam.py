"""Six steps of Adam down a bowl: the sheet of adam."""

from __future__ import annotations

import numpy as np

from ..programs.paper import Array
from .examinee import PATH_FORGOTTEN, Examinee

STEPS, RATE, BETA_1, BETA_2, EPSILON = 6, 0.5, 0.9, 0.999, 1e-8


class Adam(Examinee):
    """Nothing is wrong here."""

    lesson = "adam"

    def work(self) -> None:
        given = self.given
        w, m, v = given["w"], given["w_m0"], given["w_v0"]
        for t in range(1, STEPS + 1):
            at = f"step{t}."
            g = self.gradient(at, self.weights_at(t, w))
            self.write("dw" if t == 1 else f"step{t - 1}.dw_new", g)
            square = self.write(f"{at}w_squared", self.squared(g, m))
            m = self.write(f"{at}w_m", self.average(m, g, BETA_1))
            v = self.write(f"{at}w_v", self.average(v, square, BETA_2))
            m_hat = self.write(f"{at}w_m_hat", self.corrected(m, BETA_1, t))
            v_hat = self.write(f"{at}w_v_hat", self.corrected(v, BETA_2, t))
            direction = self.write(f"{at}w_direction", self.direction(m, m_hat, v_hat))
            w = self.write(f"{at}w_new", w - RATE * direction)

    def gradient(self, at: str, w: Array) -> Array:
        steep = self.given["steep"]
        away = self.write(f"{at}away", w - self.given["bottom"])
        squares = self.write(f"{at}squares", away * away)
        weighed = self.write(f"{at}weighed", steep * squares)
        self.write(f"{at}loss", weighed.sum())
        ones = self.write(f"{at}dweighed", np.ones_like(weighed))
        dsquares = self.write(f"{at}dsquares", ones * steep)
        half = self.write(f"{at}daway.via_squares_a", dsquares * away)
        self.write(f"{at}daway.via_squares_b", dsquares * away)
        daway = self.write(f"{at}daway", self.both(half))
        if at == "step1.":
            self.write("dsteep", ones * squares)
            self.write("dbottom", -daway)
        return daway

    def weights_at(self, t: int, w: Array) -> Array:
        return w

    def both(self, half: Array) -> Array:
        return 2 * half

    def squared(self, g: Array, m: Array) -> Array:
        return g * g

    def average(self, old: Array, new: Array, beta: float) -> Array:
        return beta * old + (1 - beta) * new

    def corrected(self, average: Array, beta: float, t: int) -> Array:
        return average / (1 - beta**t)

    def direction(self, m: Array, m_hat: Array, v_hat: Array) -> Array:
        return m_hat / (np.sqrt(v_hat) + EPSILON)


class PowerForgotten(Adam):
    """1 - beta at every step, as in eriklindernoren/ML-From-Scratch issue 35; the first step is still right."""

    wrong_step, names = "step2.w_m_hat", frozenset({"bias_correction.power_forgotten"})

    def corrected(self, average: Array, beta: float, t: int) -> Array:
        return average / (1 - beta)


class OneBetaForBoth(Adam):
    wrong_step, names = "step1.w_v_hat", frozenset({"bias_correction.other_beta"})
    says = "You corrected v with beta1; its own beta2 belongs there."

    def corrected(self, average: Array, beta: float, t: int) -> Array:
        return average / (1 - BETA_1**t)


class AverageNotCorrected(Adam):
    """The corrected average is written down, and m is used."""

    wrong_step = "step1.w_direction"
    names = frozenset({"adam_direction.uncorrected", "bias_correction.forgotten", "adam.correction_forgotten"})

    def direction(self, m: Array, m_hat: Array, v_hat: Array) -> Array:
        return m / (np.sqrt(v_hat) + EPSILON)


class PartsExchanged(Adam):
    wrong_step, names = "step1.w_m", frozenset({"running_mean.parts_exchanged", "running_mean.part_instead_of_rest"})

    def average(self, old: Array, new: Array, beta: float) -> Array:
        return (1 - beta) * old + beta * new


class OneOfTwoFactors(Adam):
    """The slope of x² without the 2."""

    wrong_step = "step1.daway"
    names = frozenset(
        {
            "collect.assigned",
            "collect.averaged",
            *PATH_FORGOTTEN,
        }
    )

    def both(self, half: Array) -> Array:
        return half


class StartsAnew(Adam):
    """The averages are set to zero before every step."""

    wrong_step, names = "step2.w_m", frozenset({"running_mean.past_forgotten"})

    def average(self, old: Array, new: Array, beta: float) -> Array:
        return (1 - beta) * new


class OldWeights(Adam):
    """Every gradient is taken where the first one was."""

    wrong_step, names = "step2.away", frozenset({"sgd.forward_not_repeated"})

    def weights_at(self, t: int, w: Array) -> Array:
        return self.given["w"]


PEOPLE = (
    Adam,
    PowerForgotten,
    OneBetaForBoth,
    AverageNotCorrected,
    PartsExchanged,
    OneOfTwoFactors,
    StartsAnew,
    OldWeights,
)
