"""Six steps of Adam down a bowl: the sheet of adam."""

from __future__ import annotations

import numpy as np

from .operations import Calculation
from .paper import Array, Person

BETA_1, BETA_2, EPSILON, STEPS = 0.9, 0.999, 1e-8, 6


class Adam(Calculation):
    """Nothing is wrong here."""

    lesson, rate = "adam", 0.5

    def work(self) -> None:
        w, m, v = self.given["w"], np.zeros((1, 2)), np.zeros((1, 2))
        for t in range(1, STEPS + 1):
            gradient = self.slope(t, w)
            squared = self.write(f"step{t}.w_squared", self.squared(gradient))
            m = self.write(f"step{t}.w_m", self.momentum(m, gradient))
            v = self.write(f"step{t}.w_v", self.mean_square(v, squared))
            m_hat = self.write(f"step{t}.w_m_hat", self.corrected(m, BETA_1, t))
            v_hat = self.write(f"step{t}.w_v_hat", self.corrected(v, BETA_2, t))
            direction = self.write(f"step{t}.w_direction", self.direction(m_hat, v_hat))
            w = self.write(f"step{t}.w_new", self.updated(w, direction))

    def slope(self, t: int, w: Array) -> Array:
        bottom, steep = self.given["bottom"], self.given["steep"]
        away = self.write(f"step{t}.away", w - bottom)
        squares = self.write(f"step{t}.squares", away * away)
        weighed = self.write(f"step{t}.weighed", steep * squares)
        self.write(f"step{t}.loss", weighed.sum())
        b = "" if t == 1 else f"backward{t}."
        dweighed = self.write(f"{b}step{t}.dweighed", np.ones_like(w))
        if t == 1:
            self.write("dsteep", dweighed * squares)
        dsquares = self.write(f"{b}step{t}.dsquares", dweighed * steep)
        paths = [self.write(f"{b}step{t}.daway.via_squares_{end}", dsquares * away) for end in "ab"]
        daway = self.write(f"{b}step{t}.daway", self.collect("daway", *paths))
        gradient = self.write("dw" if t == 1 else f"{b}step{t - 1}.dw_new", daway)
        if t == 1:
            self.write("dbottom", -daway)
        return gradient

    def squared(self, gradient: Array) -> Array:
        return gradient * gradient

    def momentum(self, m: Array, gradient: Array) -> Array:
        return BETA_1 * m + (1 - BETA_1) * gradient

    def mean_square(self, v: Array, squared: Array) -> Array:
        return BETA_2 * v + (1 - BETA_2) * squared

    def corrected(self, moment: Array, beta: float, t: int) -> Array:
        return moment / self.line(1 - beta**t)

    def direction(self, m_hat: Array, v_hat: Array) -> Array:
        return m_hat / (self.line(np.sqrt(v_hat)) + EPSILON)


class OnePathOfTheSquare(Adam):
    """x times x: only one of the two factors gets a gradient."""

    wrong_step, names = "step1.daway", frozenset({"collect.assigned", "collect.path_forgotten", "collect.first_only"})

    def collect(self, at: str, *paths: Array) -> Array:
        return paths[0]


class MomentsExchanged(Adam):
    wrong_step, names = "step1.w_m", frozenset({"adam.betas_exchanged", "running_mean.parts_exchanged"})

    def momentum(self, m: Array, gradient: Array) -> Array:
        return (1 - BETA_1) * m + BETA_1 * gradient


class BetasExchanged(Adam):
    wrong_step, names = "step1.w_m", frozenset({"adam.betas_exchanged"})

    def momentum(self, m: Array, gradient: Array) -> Array:
        return BETA_2 * m + (1 - BETA_2) * gradient

    def mean_square(self, v: Array, squared: Array) -> Array:
        return BETA_1 * v + (1 - BETA_1) * squared


class RestForgotten(Adam):
    wrong_step, names = "step1.w_m", frozenset({"running_mean.rest_forgotten", "running_mean.factor_forgotten"})

    def momentum(self, m: Array, gradient: Array) -> Array:
        return BETA_1 * m + gradient


class SquareForgotten(Adam):
    """The second moment is made of the gradient itself."""

    wrong_step, names = "step1.w_v", frozenset({"adam.square_forgotten"})

    def mean_square(self, v: Array, squared: Array) -> Array:
        return BETA_2 * v + (1 - BETA_2) * np.sqrt(squared)


class CorrectionForgotten(Adam):
    wrong_step, names = "step1.w_m_hat", frozenset({"bias_correction.forgotten", "adam.correction_forgotten"})

    def corrected(self, moment: Array, beta: float, t: int) -> Array:
        return moment


class CorrectionWithoutPower(Adam):
    wrong_step, names = "step2.w_m_hat", frozenset({"bias_correction.power_forgotten"})

    def corrected(self, moment: Array, beta: float, t: int) -> Array:
        return moment / (1 - beta)


class CorrectionMultiplied(Adam):
    wrong_step, names = "step1.w_m_hat", frozenset({"bias_correction.multiplied"})

    def corrected(self, moment: Array, beta: float, t: int) -> Array:
        return moment * (1 - beta**t)


class RootForgotten(Adam):
    wrong_step, names = "step1.w_direction", frozenset({"adam_direction.root_forgotten"})

    def direction(self, m_hat: Array, v_hat: Array) -> Array:
        return m_hat / (v_hat + EPSILON)


class NotDivided(Adam):
    wrong_step, names = "step1.w_direction", frozenset({"adam_direction.not_divided"})

    def direction(self, m_hat: Array, v_hat: Array) -> Array:
        return m_hat


class MomentsNotCarried(Adam):
    """Every step starts from nothing."""

    wrong_step, names = "step2.w_m", frozenset({"running_mean.past_forgotten"})

    def momentum(self, m: Array, gradient: Array) -> Array:
        return (1 - BETA_1) * gradient


class AdamUphill(Adam):
    wrong_step, names = "step1.w_new", frozenset({"sgd.added"})

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight + self.rate * gradient


class AdamWithoutRate(Adam):
    wrong_step, names = "step1.w_new", frozenset({"sgd.rate_forgotten"})

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight - gradient


PEOPLE: tuple[type[Person], ...] = (
    OnePathOfTheSquare, MomentsExchanged, BetasExchanged, RestForgotten, SquareForgotten, CorrectionForgotten,
    CorrectionWithoutPower, CorrectionMultiplied, RootForgotten, NotDivided, MomentsNotCarried, AdamUphill,
    AdamWithoutRate,
)  # fmt: skip
