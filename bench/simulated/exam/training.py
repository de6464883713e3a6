"""Mistakes with batches, updates and Adam."""

from __future__ import annotations

import numpy as np

from ..fresh.lessons import Three, Two, pending
from ..heldout.adam import Adam
from ..heldout.batch import Batch
from ..heldout.examinee import Examinee
from ..heldout.hello_world import HelloWorld
from ..programs.paper import Array

A = "block1.attention"


class BatchNotAveraged(Batch):
    wrong_step, names = "dtotal2", frozenset({"divide_by.gradient_not_divided", "mean.gradient_not_divided"})
    factor = True
    says = "Each example's loss gets the gradient 1: the loss is a mean of three, so each gets a third."

    def part(self) -> Array:
        return np.array(1.0)


class OnlyTwoExamplesCounted(Batch):
    wrong_step, names = "loss", frozenset({"mean.one_less"})
    factor = True
    says = "The sum of the three losses is divided by 2: it is divided by the number of examples."

    def mean(self, total: Array) -> Array:
        return total / 2


class UphillStep(Three):
    wrong_step, names = f"{A}.W_Q_new", frozenset({"sgd.added"})
    says = "The step is added to the weights, which makes the loss larger: it is subtracted."

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight + self.rate * gradient


class NoLearningRate(Two):
    wrong_step, names = "W_vocab_new", frozenset({"sgd.rate_forgotten"})
    says = "The whole gradient is subtracted: it is multiplied by the learning rate first."

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight - gradient


class BiasesNotUpdated(HelloWorld):
    wrong_step, names = "b_1_new", pending("biases_not_updated")
    says = "The biases stay as they were: they are updated with their gradients as the weights are."

    def stepped(self, weight: Array, gradient: Array, name: str) -> Array:
        return weight if name.startswith("b_") else super().stepped(weight, gradient, name)


class BiasNotCorrected(Adam):
    wrong_step, names = "step1.w_m_hat", frozenset({"adam.correction_forgotten", "bias_correction.forgotten"})
    factor = True
    says = "The averages are used without bias correction: each is divided by 1 - βᵗ."

    def corrected(self, average: Array, beta: float, t: int) -> Array:
        return average


class StepsCountedTooFar(Adam):
    wrong_step, names = "step1.w_m_hat", frozenset({"bias_correction.one_step_ahead"})
    factor = True
    says = "The bias correction takes the next step's number, 2 in the first step: steps are counted from 1."

    def corrected(self, average: Array, beta: float, t: int) -> Array:
        return average / (1 - beta ** (t + 1))


class GradientAddedWhole(Adam):
    wrong_step, names = "step1.w_m", frozenset({"running_mean.rest_forgotten"})
    factor = True
    says = "The new gradient is added whole, as in plain momentum: in Adam it is multiplied by 1 - β."

    def average(self, old: Array, new: Array, beta: float) -> Array:
        return beta * old + new


class UncorrectedMomentumInTheStep(Adam):
    wrong_step, names = "step1.w_direction", frozenset({"bias_correction.forgotten"})
    used = ("step1.w_m", "step1.w_m_hat")
    factor = True
    says = "The step has m in its numerator: it has the corrected one."

    def direction(self, m: Array, m_hat: Array, v_hat: Array) -> Array:
        return super().direction(m, m, v_hat)


class GradientsNotSquared(Adam):
    wrong_step, names = "step1.w_squared", frozenset({"adam.square_forgotten"})
    says = "The second average is fed with the sizes of the gradients: it is fed with their squares."

    def squared(self, g: Array, m: Array) -> Array:
        return np.abs(g)


PEOPLE: tuple[type[Examinee], ...] = (
    BatchNotAveraged, OnlyTwoExamplesCounted, UphillStep, NoLearningRate, BiasesNotUpdated, BiasNotCorrected,
    StepsCountedTooFar, GradientAddedWhole, UncorrectedMomentumInTheStep, GradientsNotSquared,
)  # fmt: skip
