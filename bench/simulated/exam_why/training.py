"""Broken programs: losses and optimizers."""

from __future__ import annotations

import numpy as np

from ..fresh_why.cases import ADAM, GRADIENT, LOGITS, LOSS, Array, Programs, softmax

PROGRAMS = Programs()
broken = PROGRAMS.broken


def picked(logits: Array, target: Array) -> Array:
    """The probability of each target."""
    return softmax(logits)[np.arange(len(target)), target]


def one_hot(logits: Array, target: Array) -> Array:
    return np.eye(logits.shape[1])[target]


# -- cross-entropy ---------------------------------------------------------------------------------------


@broken(
    "cross_entropy",
    {"convention.loss_reduction.sum", "cross_entropy.wrong_reduction"},
    "The losses are added up: they are averaged.",
    **LOSS,
)
def summed(logits, target):
    return -np.log(picked(logits, target)).sum()


@broken(
    "cross_entropy",
    {"cross_entropy.sign_forgotten"},
    "The minus is forgotten: the loss is minus the mean logarithm.",
    **LOSS,
)
def minus_forgotten(logits, target):
    return np.log(picked(logits, target)).mean()


@broken("cross_entropy", {"cross_entropy.base_ten"}, "The logarithm has base 10: it is natural.", **LOSS)
def common_logarithm(logits, target):
    return -np.log10(picked(logits, target)).mean()


@broken(
    "cross_entropy",
    {"cross_entropy.mean_over_classes"},
    "The mean runs over tokens and classes: it runs over tokens only.",
    **LOSS,
)
def mean_of_all_entries(logits, target):
    return -(one_hot(logits, target) * np.log(softmax(logits))).mean()


@broken("cross_entropy", {"cross_entropy.softmax_twice"}, "Softmax is taken twice: the logits need it once.", **LOSS)
def softmax_twice(logits, target):
    return -np.log(picked(softmax(logits), target)).mean()


@broken(
    "cross_entropy",
    {"cross_entropy.no_softmax"},
    "Minus the logit is averaged: the loss averages minus the log-probability.",
    **LOSS,
)
def raw_logits(logits, target):
    return -logits[np.arange(len(target)), target].mean()


@broken(
    "cross_entropy",
    {"log_softmax.wrong_axis", "softmax.wrong_axis"},
    "The softmax runs over the tokens: it runs over classes.",
    **LOSS,
)
def softmax_over_tokens(logits, target):
    return -np.log(softmax(logits, axis=0)[np.arange(len(target)), target]).mean()


@broken(
    "cross_entropy",
    {"cross_entropy.log_of_mean"},
    "The loss is the logarithm of the mean probability: it is the mean of the logarithms.",
    **LOSS,
)
def logarithm_of_the_mean(logits, target):
    return -np.log(picked(logits, target).mean())


@broken(
    "cross_entropy",
    {"cross_entropy.gradient_not_divided"},
    "The gradient is p - y: the loss is a mean, so it is divided by the number of tokens.",
    step="dlogits",
    **LOGITS,
)
def dlogits_not_averaged(logits, target):
    return softmax(logits) - one_hot(logits, target)


@broken(
    "cross_entropy",
    {"cross_entropy.error_turned"},
    "The gradient has the wrong sign, y - p: it is p - y.",
    step="dlogits",
    **LOGITS,
)
def dlogits_reversed(logits, target):
    return (one_hot(logits, target) - softmax(logits)) / len(target)


@broken(
    "cross_entropy",
    {"cross_entropy.answer_forgotten"},
    "The gradient is p alone: 1 is subtracted at each target.",
    step="dlogits",
    **LOGITS,
)
def target_not_subtracted(logits, target):
    return softmax(logits) / len(target)


@broken(
    "cross_entropy",
    {"cross_entropy.gradient_of_probabilities"},
    "The gradient is that of the probabilities, -y/p: that of the logits is p - y.",
    step="dlogits",
    **LOGITS,
)
def gradient_of_probabilities(logits, target):
    return -one_hot(logits, target) / softmax(logits) / len(target)


# -- optimizers ------------------------------------------------------------------------------------------


@broken("sgd", {"sgd.added"}, "The step is added: it is subtracted.", **GRADIENT)
def uphill(W, dW, rate):
    return W + rate * dW


@broken("sgd", {"sgd.rate_forgotten"}, "The learning rate is left out: it multiplies the gradient.", **GRADIENT)
def without_a_rate(W, dW):
    return W - dW


def adam_step(W: Array, dW: Array, m: Array, v: Array, t: int, rate: float) -> Array:
    m_hat, v_hat = m / (1 - 0.9**t), v / (1 - 0.999**t)
    return W - rate * m_hat / (np.sqrt(v_hat) + 1e-8)


@broken(
    "adam",
    {"adam.correction_forgotten", "bias_correction.forgotten"},
    "The averages are not corrected: divide by 1 - βᵗ.",
    **ADAM,
)
def not_corrected(W, dW, m, v, rate):
    m, v = 0.9 * m + 0.1 * dW, 0.999 * v + 0.001 * dW**2
    return W - rate * m / (np.sqrt(v) + 1e-8)


@broken("adam", {"adam_direction.root_forgotten"}, "The step is divided by v: it is divided by its root.", **ADAM)
def root_forgotten(W, dW, m, v, t, rate):
    m, v = 0.9 * m + 0.1 * dW, 0.999 * v + 0.001 * dW**2
    return W - rate * (m / (1 - 0.9**t)) / (v / (1 - 0.999**t) + 1e-8)


@broken(
    "adam", {"running_mean.parts_exchanged"}, "β multiplies the new gradient: it multiplies the old average.", **ADAM
)
def betas_reversed(W, dW, m, v, t, rate):
    return adam_step(W, dW, 0.1 * m + 0.9 * dW, 0.001 * v + 0.999 * dW**2, t, rate)


@broken("adam", {"sgd.added"}, "The step is added to the weights: it is subtracted.", **ADAM)
def step_added(W, dW, m, v, t, rate):
    return 2 * W - adam_step(W, dW, 0.9 * m + 0.1 * dW, 0.999 * v + 0.001 * dW**2, t, rate)


@broken("adam", {"running_mean.rest_forgotten"}, "The gradient enters m whole: it is multiplied by 1 - β₁.", **ADAM)
def gradient_whole_in_m(W, dW, m, v, t, rate):
    return adam_step(W, dW, 0.9 * m + dW, 0.999 * v + 0.001 * dW**2, t, rate)
