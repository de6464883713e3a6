"""Broken programs: losses, optimizers, dropout, sampling, and whole blocks."""

from __future__ import annotations

import numpy as np

from .block import BLOCK, attention, network, norm
from .cases import ADAM, GRADIENT, LOGITS, LOSS, Array, Programs, normal, rows, softmax

PROGRAMS = Programs()
broken = PROGRAMS.broken
MOMENTUM = {**GRADIENT, "velocity": normal(4, 3)}
LABELS = {"z": normal(6), "y": np.array([1.0, 0, 0, 1, 1, 0])}
DROPPED = {"x": rows, "kept": lambda numbers: (numbers.random((5, 6)) < 0.8).astype(float), "rate": 0.2}
CHANCES = {"shares": np.array([0.12, 0.31, 0.05, 0.28, 0.24]), "p": 0.7}
STEEP = {"x": normal(4, 3), "norm": np.array(0.5), "limit": 1.0}


def log_softmax(x: Array) -> Array:
    return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))


# -- losses ----------------------------------------------------------------------------------------------


@broken(
    "cross_entropy",
    {"cross_entropy.mean_over_classes", "negative_log_likelihood.mean_over_classes"},
    "The mean runs over rows and words: it runs over the rows only.",
    **LOSS,
)
def mean_of_every_entry(logits, target):
    return -(np.eye(logits.shape[1])[target] * log_softmax(logits)).mean()


@broken(
    "cross_entropy",
    {"cross_entropy.softmax_twice"},
    "Probabilities are given to a loss that takes logits, so there are two softmaxes: there is one.",
    **LOSS,
)
def probabilities_as_logits(logits, target):
    return -log_softmax(softmax(logits))[np.arange(len(target)), target].mean()


@broken(
    "cross_entropy",
    {"pending.every_target_of_every_row"},
    "[:, target] takes the targets of all rows in every row: [arange, target] takes one entry of each.",
    **LOSS,
)
def columns_for_entries(logits, target):
    return -log_softmax(logits)[:, target].mean()


@broken(
    "cross_entropy",
    {"cross_entropy.no_softmax"},
    "Raw logits are taken for log-probabilities: they have to pass a log-softmax first.",
    **LOSS,
)
def nll_of_logits(logits, target):
    return -logits[np.arange(len(target)), target].mean()


@broken(
    "cross_entropy",
    {"cross_entropy.gradient_not_divided"},
    "The gradient of the logits is not divided by the number of rows: the loss is their mean.",
    step="dlogits",
    **LOGITS,
)
def error_whole(logits, target):
    p = softmax(logits)
    p[np.arange(len(target)), target] -= 1
    return p


@broken(
    "cross_entropy",
    {"cross_entropy.error_turned"},
    "The gradient of the logits is one-hot minus p: it is p minus one-hot.",
    step="dlogits",
    **LOGITS,
)
def error_reversed(logits, target):
    return (np.eye(logits.shape[1])[target] - softmax(logits)) / len(target)


@broken(
    "cross_entropy",
    {"pending.every_column_minus_one"},
    "p[:, target] -= 1 changes these columns in all rows: 1 is subtracted from one entry of each row.",
    step="dlogits",
    **LOGITS,
)
def columns_reduced(logits, target):
    p = softmax(logits)
    p[:, target] -= 1
    return p / len(target)


@broken(
    "binary_cross_entropy_from_logits",
    {"binary_cross_entropy.no_forgotten", "binary_cross_entropy_from_logits.no_forgotten"},
    "Tokens with the label 0 add nothing to the loss: each adds -ln(1 - p).",
    **LABELS,
)
def only_positive_labels(z, y):
    return -(y * np.log(1 / (1 + np.exp(-z)))).mean()


# -- optimizers ------------------------------------------------------------------------------------------


def adam_step(W, dW, m, v, t, rate, epsilon=1e-8):
    m, v = 0.9 * m + 0.1 * dW, 0.999 * v + 0.001 * dW**2
    return W - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + epsilon)


@broken(
    "adam",
    {"adam.correction_forgotten", "bias_correction.forgotten"},
    "Neither average is corrected: each is divided by 1 - beta^t.",
    **ADAM,
)
def no_bias_correction(W, dW, m, v, rate):
    m, v = 0.9 * m + 0.1 * dW, 0.999 * v + 0.001 * dW**2
    return W - rate * m / (np.sqrt(v) + 1e-8)


@broken("adam", {"bias_correction.power_forgotten"}, "The corrections lack the power: they are 1 - beta^t.", **ADAM)
def power_missing(W, dW, m, v, rate):
    m, v = 0.9 * m + 0.1 * dW, 0.999 * v + 0.001 * dW**2
    return W - rate * (m / (1 - 0.9)) / (np.sqrt(v / (1 - 0.999)) + 1e-8)


@broken(
    "adam",
    {"bias_correction.counted_from_zero"},
    "The step count is one behind: the correction has t, counted from 1.",
    **ADAM,
)
def t_one_behind(W, dW, m, v, t, rate):
    return adam_step(W, dW, m, v, t - 1, rate)


@broken(
    "adamw",
    {"adamw.decay_in_gradient"},
    "The decay is added to the gradient and enters the averages: AdamW shrinks the weight directly.",
    **ADAM,
    decay=0.5,
)
def l2_for_decay(W, dW, m, v, t, rate, decay):
    return adam_step(W, dW + decay * W, m, v, t, rate)


@broken(
    "adamw",
    {"weight_decay.rate_forgotten"},
    "The decay is not multiplied by the learning rate: the weight shrinks by rate times decay.",
    **ADAM,
    decay=0.5,
)
def decay_at_full_strength(W, dW, m, v, t, rate, decay):
    return adam_step(W, dW, m, v, t, rate) - decay * W


@broken(
    "adamw",
    {"adamw.decay_last"},
    "The decay shrinks the weight after the step: it shrinks the weight from before the step.",
    **ADAM,
    decay=0.5,
)
def decay_after_the_step(W, dW, m, v, t, rate, decay):
    return adam_step(W, dW, m, v, t, rate) * (1 - rate * decay)


@broken(
    "momentum",
    {"momentum.averaged"},
    "The velocity gets 1 - beta of the gradient, as in Adam: it gets all of it.",
    **MOMENTUM,
)
def velocity_as_average(W, dW, velocity, rate):
    return W - rate * (0.9 * velocity + 0.1 * dW)


@broken(
    "clip_by_norm",
    {"clip_by_norm.always_scaled"},
    "The gradient is scaled to the limit even when its norm is below it: then it stays as it is.",
    **STEEP,
)
def always_scaled(x, norm, limit):
    return x * limit / norm


# -- dropout and sampling --------------------------------------------------------------------------------


@broken(
    "dropout",
    {"dropout.divided_by_rate"},
    "Kept entries are divided by the drop rate: they are divided by 1 - rate.",
    **DROPPED,
)
def divided_by_rate(x, kept, rate):
    return x * kept / rate


@broken("dropout", {"dropout.not_divided"}, "Kept entries are not scaled up: they are divided by 1 - rate.", **DROPPED)
def only_masked(x, kept):
    return x * kept


@broken(
    "keep_top_p",
    {"keep_top_p.stopped_before"},
    "The entry that reaches p is left out: it belongs to the nucleus.",
    **CHANCES,
)
def crossing_entry_lost(shares, p):
    order = np.argsort(shares)[::-1]
    kept = np.zeros_like(shares)
    kept[order[np.cumsum(shares[order]) <= p]] = 1
    return kept


@broken(
    "keep_top_p",
    {"keep_top_p.not_sorted"},
    "Probabilities are added up in the order of the vocabulary: they are sorted first, largest first.",
    **CHANCES,
)
def cumulated_unsorted(shares, p):
    return (np.cumsum(shares) - shares < p).astype(float)


@broken(
    "keep_top_k",
    {"keep_top_k.one_too_few"},
    "Only entries above the k-th largest are kept: the k-th is kept too.",
    x=rows,
    k=3,
)
def strictly_above(x, k):
    return (x > np.sort(x, axis=-1)[:, -k, None]).astype(float)


# -- blocks ----------------------------------------------------------------------------------------------


@broken(
    BLOCK,
    {"convention.norm_place.post"},
    "The norms follow the additions: they belong before each sublayer.",
    X=normal(5, 8),
)
def post_norm(X):
    middle = norm(X + attention(X), "first")
    return norm(middle + network(middle), "second")


@broken(
    BLOCK,
    {"add.forgotten", "add.residual_forgotten"},
    "The feed-forward output replaces the stream: it is added to it.",
    X=normal(5, 8),
)
def second_residual_missing(X):
    middle = X + attention(norm(X, "first"))
    return network(norm(middle, "second"))


@broken(
    BLOCK,
    {"add.residual_of_normalised"},
    "The normed input is added to the output of attention: the input from before the norm is added.",
    X=normal(5, 8),
)
def residual_after_norm(X):
    normed = norm(X, "first")
    middle = normed + attention(normed)
    return middle + network(norm(middle, "second"))


@broken(
    BLOCK,
    {"layer_norm.reads_block_input"},
    "The feed-forward network gets the block's input: it gets the residual stream after attention.",
    X=normal(5, 8),
)
def sublayers_in_parallel(X):
    return X + attention(norm(X, "first")) + network(norm(X, "second"))
