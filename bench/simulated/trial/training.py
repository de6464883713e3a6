"""Mistakes with batches, updates and Adam."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Five, Layers, Sleeping, Three, Two, pending
from ..heldout.adam import BETA_1, EPSILON, Adam
from ..heldout.batch import Batch
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..programs.paper import Array

A = "block1.attention"


class ATenthOfTheRate(Three):
    wrong_step, names = f"{A}.W_Q_new", pending("a_tenth_of_the_rate")
    says = "The learning rate is 0.01: it is 0.1."

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight - 0.01 * gradient


class DividedByTheRate(Two):
    wrong_step, names = "W_vocab_new", frozenset({"sgd.rate_divided"})
    says = "The gradient is divided by the learning rate: it is multiplied by it."

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight - gradient / self.rate


class StepTimesTheWeight(Five):
    wrong_step, names = f"{A}.W_Q_new", pending("step_times_the_weight")
    says = "The step is multiplied by the weight: rate times gradient is subtracted as it is."

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight * (1 - self.rate * gradient)


class GradientLessWeight(Layers):
    wrong_step, names = "embedding.E_new", pending("gradient_less_weight")
    factor = True
    says = "The weight is subtracted from the step: the step is subtracted from the weight."

    def updated(self, weight: Array, gradient: Array) -> Array:
        return self.rate * gradient - weight


class SignOfTheGradient(Sleeping):
    wrong_step, names = "X_new", frozenset({"sgd.sign_only"})
    says = "Every weight moves by the learning rate, whatever the size of its gradient: the size counts."

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight - self.rate * np.sign(gradient)


class BiasesUphill(HelloWorld):
    wrong_step, names = "b_1_new", frozenset({"sgd.added"})
    says = "The steps of the biases are added: they are subtracted, as those of the weights are."

    def stepped(self, weight: Array, gradient: Array, name: str) -> Array:
        return super().stepped(weight, -gradient if name.startswith("b_") else gradient, name)


class FirstExampleForgotten(Batch):
    wrong_step, names = "dW_vocab", frozenset({"collect.last_path_forgotten"})
    says = "The gradients of two examples are added up: those of all three are."

    def collected(self, paths: dict[str, Array], name: str) -> Array:
        return super().collected(dict(list(paths.items())[: 3 if name == "X" else -1]), name)


class HalfForEachExample(Batch):
    wrong_step, names = "dtotal2", pending("half_for_each_example")
    factor = True
    says = "Each example's loss gets half of the gradient: there are three, so each gets a third."

    def part(self) -> Array:
        return np.array(0.5)


class BetaTimesTheStep(Adam):
    wrong_step, names = "step2.w_m_hat", frozenset({"bias_correction.beta_times_t"})
    factor = True
    says = "The averages are divided by 1 - β t: they are divided by 1 - βᵗ."

    def corrected(self, average: Array, beta: float, t: int) -> Array:
        return average / (1 - beta * t)


class OneBetaForBothAverages(Adam):
    wrong_step, names = "step1.w_v", pending("one_beta_for_both_averages")
    says = "The average of the squares has β₁: it has β₂."

    def average(self, old: Array, new: Array, beta: float) -> Array:
        return super().average(old, new, BETA_1)


class LatestGradientInTheStep(Adam):
    wrong_step, names = "step2.w_direction", pending("latest_gradient_in_the_step")
    says = "The step has the latest gradient in its numerator, as in RMSprop: it has the corrected average."

    def direction(self, m: Array, m_hat: Array, v_hat: Array) -> Array:
        latest = next(self.written[name] for name in reversed(self.written) if name.endswith(("dw", "dw_new")))
        return latest / (np.sqrt(v_hat) + EPSILON)


class SquareOfTheAverage(Adam):
    wrong_step, names = "step1.w_direction", pending("square_of_the_average")
    says = "The step is divided by the square of v: it is divided by its root."

    def direction(self, m: Array, m_hat: Array, v_hat: Array) -> Array:
        return m_hat / (v_hat**2 + EPSILON)


PEOPLE: tuple[type[Examinee], ...] = (
    ATenthOfTheRate, DividedByTheRate, StepTimesTheWeight, GradientLessWeight, SignOfTheGradient, BiasesUphill,
    FirstExampleForgotten, HalfForEachExample, BetaTimesTheStep, OneBetaForBothAverages, LatestGradientInTheStep,
    SquareOfTheAverage,
)  # fmt: skip
