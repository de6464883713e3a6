"""Broken programs: losses, optimizers, dropout and sampling."""

from __future__ import annotations

import numpy as np

from ..exam_why.training import one_hot, picked
from ..fresh_why.cases import ADAM, GRADIENT, LOGITS, LOSS, Programs, softmax
from ..fresh_why.training import CHANCES, DROPPED, LABELS, MOMENTUM

PROGRAMS = Programs()
broken = PROGRAMS.broken


@broken("cross_entropy", {"cross_entropy.base_two"}, "The logarithm has base 2: it is natural.", **LOSS)
def in_bits(logits, target):
    return -np.log2(picked(logits, target)).mean()


@broken(
    "cross_entropy", {"cross_entropy.no_logarithm"}, "The loss is the mean of 1 - p: it has minus logarithms.", **LOSS
)
def one_minus_p(logits, target):
    return (1 - picked(logits, target)).mean()


@broken(
    "cross_entropy", {"cross_entropy.entropy"}, "The entropy of the prediction is averaged: the targets count.", **LOSS
)
def entropy(logits, target):
    p = softmax(logits)
    return -(p * np.log(p)).sum(axis=1).mean()


@broken(
    "cross_entropy",
    {"cross_entropy.targets_rolled"},
    "Each row is asked for the next row's target: it has its own.",
    **LOSS,
)
def targets_rolled(logits, target):
    return -np.log(picked(logits, np.roll(target, -1))).mean()


@broken("cross_entropy", {"cross_entropy.perplexity"}, "The perplexity is returned: the loss is its logarithm.", **LOSS)
def perplexity(logits, target):
    return np.exp(-np.log(picked(logits, target)).mean())


@broken(
    "cross_entropy",
    {"cross_entropy.gradient_divided_twice"},
    "The error is divided twice: once.",
    step="dlogits",
    **LOGITS,
)
def divided_twice(logits, target):
    return (softmax(logits) - one_hot(logits, target)) / len(target) ** 2


@broken(
    "cross_entropy",
    {"cross_entropy.gradient_over_classes"},
    "It is divided by the classes: by rows.",
    step="dlogits",
    **LOGITS,
)
def divided_by_classes(logits, target):
    return (softmax(logits) - one_hot(logits, target)) / logits.shape[1]


@broken(
    "cross_entropy",
    {"cross_entropy.slope_again"},
    "The error is multiplied by p (1 - p): it is not.",
    step="dlogits",
    **LOGITS,
)
def slope_again(logits, target):
    p = softmax(logits)
    return (p - one_hot(logits, target)) * p * (1 - p) / len(target)


@broken(
    "binary_cross_entropy_from_logits",
    {"binary_cross_entropy_from_logits.sign_forgotten"},
    "The minus is left out: the loss has it.",
    **LABELS,
)
def no_minus(z, y):
    p = 1 / (1 + np.exp(-z))
    return (y * np.log(p) + (1 - y) * np.log(1 - p)).mean()


@broken("sgd", {"sgd.rate_divided"}, "The gradient is divided by the rate: it is multiplied by it.", **GRADIENT)
def divided_by_the_rate(W, dW, rate):
    return W - dW / rate


@broken("sgd", {"sgd.sign_only"}, "Only the sign of the gradient counts: its size counts too.", **GRADIENT)
def sign_only(W, dW, rate):
    return W - rate * np.sign(dW)


@broken("adam", {"pending.adam_m_not_corrected"}, "Only v is corrected: m is corrected too.", **ADAM)
def only_v_corrected(W, dW, m, v, t, rate):
    m, v = 0.9 * m + 0.1 * dW, 0.999 * v + 0.001 * dW**2
    return W - rate * m / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)


@broken("adam", {"pending.adam_v_not_corrected"}, "Only m is corrected: v is corrected too.", **ADAM)
def only_m_corrected(W, dW, m, v, t, rate):
    m, v = 0.9 * m + 0.1 * dW, 0.999 * v + 0.001 * dW**2
    return W - rate * (m / (1 - 0.9**t)) / (np.sqrt(v) + 1e-8)


@broken("adam", {"pending.adam_one_beta"}, "v has β₁: it has β₂.", **ADAM)
def one_beta(W, dW, m, v, t, rate):
    m, v = 0.9 * m + 0.1 * dW, 0.9 * v + 0.1 * dW**2
    return W - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.9**t)) + 1e-8)


@broken("momentum", {"momentum.velocity_forgotten"}, "The step is the gradient: it is the velocity.", **MOMENTUM)
def velocity_not_used(W, dW, rate):
    return W - rate * dW


@broken("dropout", {"dropout.multiplied"}, "Kept entries are multiplied by 0.8: they are divided.", **DROPPED)
def multiplied(x, kept):
    return x * kept * 0.8


@broken("dropout", {"dropout.exchanged"}, "Kept entries become 0: the others do.", **DROPPED)
def kept_ones_dropped(x, kept):
    return x * (1 - kept) / 0.8


@broken("keep_top_p", {"keep_top_p.not_sorted"}, "The probabilities are not sorted: the largest come first.", **CHANCES)
def not_sorted(shares, p):
    return (np.cumsum(shares) - shares < p).astype(float)
