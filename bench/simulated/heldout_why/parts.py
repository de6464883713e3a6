"""Softmax, norms, losses, activations, positions, layers and optimizers with one thing wrong."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from .attention import softmax
from .checked import Array, Programs

PROGRAMS = Programs()
DRAWN = np.random.default_rng(3141)
ROWS = DRAWN.standard_normal((5, 7))
SCORES = {"x": ROWS}
NORM = {"x": ROWS, "gamma": DRAWN.uniform(0.5, 1.5, 7), "beta": DRAWN.uniform(-1, 1, 7)}
SMALL = {"x": ROWS / 50, "epsilon": 1e-3}
TARGETS = np.array([3, 0, 6, 2, 2])
LOSS = {"logits": 2 * ROWS, "target": TARGETS}
ORDER = np.arange(1, 7)
PLACES = {"positions": ORDER, "size": 8}
SIZE = 6
LAYER = {
    "x": DRAWN.standard_normal((4, SIZE)),
    "W": DRAWN.standard_normal((SIZE, SIZE)),
    "b": DRAWN.standard_normal(SIZE),
}
NETWORK = {
    "x": DRAWN.standard_normal((4, 5)),
    "W_1": DRAWN.standard_normal((5, 9)),
    "b_1": DRAWN.standard_normal(9),
    "W_2": DRAWN.standard_normal((9, 5)),
    "b_2": DRAWN.standard_normal(5),
}
MOMENTS: dict[str, Any] = {
    "W": DRAWN.standard_normal((3, 4)),
    "dW": DRAWN.standard_normal((3, 4)),
    "m": DRAWN.standard_normal((3, 4)) / 5,
    "v": DRAWN.uniform(0.01, 0.2, (3, 4)),
    "t": 4,
    "rate": 0.05,
}


def log_softmax(rows: Array) -> Array:
    return rows - np.log(np.exp(rows).sum(axis=-1, keepdims=True))


# -- softmax ------------------------------------------------------------------------------------------


@PROGRAMS.broken("softmax", SCORES, "softmax.base_two", "exp.base_two")
def powers_of_two() -> Array:
    """exp2 without the factor log2 e, as in attention kernels."""
    return np.exp2(ROWS) / np.exp2(ROWS).sum(axis=1, keepdims=True)


@PROGRAMS.broken("softmax", SCORES, "softmax.maximum_only_above")
def maximum_only_in_the_numerator() -> Array:
    return np.exp(ROWS - ROWS.max(axis=1, keepdims=True)) / np.exp(ROWS).sum(axis=1, keepdims=True)


@PROGRAMS.broken("softmax", SCORES, "softmax.as_sigmoid")
def a_sigmoid_for_each() -> Array:
    return 1 / (1 + np.exp(-ROWS))


@PROGRAMS.broken("softmax", SCORES, "softmax.logarithm_kept", "softmax.as_log_softmax")
def logarithm_of_it() -> Array:
    return log_softmax(ROWS)


# -- norms --------------------------------------------------------------------------------------------


def normalized(x: Array, epsilon: float = 1e-5, **options: Any) -> Array:
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True, **options) + epsilon)


@PROGRAMS.broken("layer_norm", NORM, "layer_norm.wrong_n", "convention.norm_correction.1")
def deviation_of_torch() -> Array:
    """x.std() divides by n - 1."""
    return normalized(ROWS, ddof=1) * NORM["gamma"] + NORM["beta"]


@PROGRAMS.broken("layer_norm", SMALL, "convention.norm_epsilon_place.outside")
def epsilon_after_the_root() -> Array:
    x = SMALL["x"]
    return (x - x.mean(axis=1, keepdims=True)) / (x.std(axis=1, keepdims=True) + 1e-3)


@PROGRAMS.broken(
    "layer_norm",
    SMALL,
    "layer_norm.annotated",
    "layer_norm.wrong_n",
    "convention.norm_correction.1",
    "convention.norm_epsilon_place.outside",
)
def norm_of_the_annotated_transformer() -> Array:
    x = SMALL["x"]
    return (x - x.mean(axis=1, keepdims=True)) / (x.std(axis=1, ddof=1, keepdims=True) + 1e-3)


@PROGRAMS.broken("layer_norm", NORM, "layer_norm.whole_table")
def one_mean_for_the_batch() -> Array:
    return (ROWS - ROWS.mean()) / np.sqrt(ROWS.var() + 1e-5) * NORM["gamma"] + NORM["beta"]


@PROGRAMS.broken("layer_norm", NORM, "layer_norm.columns")
def batch_norm() -> Array:
    return (ROWS - ROWS.mean(axis=0)) / np.sqrt(ROWS.var(axis=0) + 1e-5) * NORM["gamma"] + NORM["beta"]


@PROGRAMS.broken("layer_norm", NORM, "layer_norm.gamma_forgotten")
def gamma_forgotten() -> Array:
    return normalized(ROWS) + NORM["beta"]


@PROGRAMS.broken("layer_norm", NORM, "layer_norm.one_added", "layer_norm.gamma_plus_one")
def gamma_around_zero() -> Array:
    """1 + gamma, as in the norms of Gemma."""
    return normalized(ROWS) * (1 + NORM["gamma"]) + NORM["beta"]


@PROGRAMS.broken("layer_norm", NORM, "layer_norm.as_rms_norm", "layer_norm.shifted")
def root_mean_square() -> Array:
    return ROWS / np.sqrt((ROWS**2).mean(axis=1, keepdims=True) + 1e-5) * NORM["gamma"] + NORM["beta"]


@PROGRAMS.broken("rms_norm", {"x": ROWS, "gamma": NORM["gamma"]}, "rms_norm.not_averaged")
def length_instead_of_rms() -> Array:
    return ROWS / np.sqrt((ROWS**2).sum(axis=1, keepdims=True) + 1e-6) * NORM["gamma"]


# -- losses -------------------------------------------------------------------------------------------


def picked(rows: Array, target: Array = TARGETS) -> Array:
    return rows[np.arange(len(target)), target]


@PROGRAMS.broken("cross_entropy", LOSS, "cross_entropy.softmax_twice")
def loss_of_probabilities() -> Array:
    """bkitano/llama-from-scratch issue 5."""
    return -picked(log_softmax(softmax(2 * ROWS))).mean()


@PROGRAMS.broken(
    "cross_entropy",
    LOSS,
    "cross_entropy.divided_by_entries",
    "cross_entropy.gradient_over_classes",
    "cross_entropy.mean_over_classes",
    "cross_entropy.all_classes",
)
def mean_over_the_one_hot_table() -> Array:
    """(y * log p).mean() counts the zeros of y too."""
    return -(np.eye(7)[TARGETS] * log_softmax(2 * ROWS)).mean()


@PROGRAMS.broken(
    "cross_entropy",
    LOSS,
    "cross_entropy.targets_shifted",
    "cross_entropy.targets_shifted_twice",
    "cross_entropy.targets_unshifted",
)
def targets_shifted_once_more() -> Array:
    """The labels are shifted already, and the model shifts them again."""
    return -picked(log_softmax(2 * ROWS[:-1]), TARGETS[1:]).mean()


@PROGRAMS.broken("cross_entropy", LOSS, "cross_entropy.log_of_mean")
def logarithm_of_the_mean() -> Array:
    return -np.log(picked(softmax(2 * ROWS)).mean())


@PROGRAMS.broken("cross_entropy", LOSS, "cross_entropy.one_minus_p", "negative_log_likelihood.no_logarithm")
def one_minus_probability() -> Array:
    return (1 - picked(softmax(2 * ROWS))).mean()


# -- activations and positions ------------------------------------------------------------------------


@PROGRAMS.broken("gelu", SCORES, "gelu.as_silu", "gelu.by_logistic")
def silu() -> Array:
    return ROWS / (1 + np.exp(-ROWS))


@PROGRAMS.broken("gelu", SCORES, "gelu.by_sigmoid")
def quick_gelu() -> Array:
    return ROWS / (1 + np.exp(-1.702 * ROWS))


@PROGRAMS.broken("gelu", SCORES, "gelu.by_tanh", "convention.activation.gelu_tanh")
def gelu_of_gpt2() -> Array:
    return 0.5 * ROWS * (1 + np.tanh(math.sqrt(2 / math.pi) * (ROWS + 0.044715 * ROWS**3)))


def waves(angles: Array) -> Array:
    return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(angles), -1)


@PROGRAMS.broken("positional_encoding", PLACES, "positional_encoding.multiplied")
def position_times_the_power() -> Array:
    """harvardnlp/annotated-transformer issue 131."""
    return waves(ORDER[:, None] * 10000 ** (np.arange(0, 8, 2) / 8))


@PROGRAMS.broken(
    "positional_encoding",
    PLACES,
    "positional_encoding.own_exponent",
    "positional_encoding.cosine_exponent",
    "positional_encoding.exponent_doubled",
)
def exponent_of_each_column() -> Array:
    """BrianPulfer/PapersReimplementations issue 9."""
    angles = ORDER[:, None] / 10000 ** (np.arange(8) / 8)
    return np.where(np.arange(8) % 2 == 0, np.sin(angles), np.cos(angles))


@PROGRAMS.broken("positional_encoding", PLACES, "positional_encoding.exponent_doubled")
def exponent_doubled() -> Array:
    """2i / d, where i counts columns already."""
    return waves(ORDER[:, None] / 10000 ** (2 * np.arange(0, 8, 2) / 8))


@PROGRAMS.broken("positional_encoding", PLACES, "positional_encoding.exponent_zero")
def integers_divided() -> Array:
    """Kyubyong/transformer pull request 81: 2i // d is 0."""
    return waves(ORDER[:, None] / 10000.0 ** (np.arange(0, 8, 2) // 8))


# -- layers -------------------------------------------------------------------------------------------


@PROGRAMS.broken("linear", LAYER, "linear.bias_subtracted")
def bias_subtracted() -> Array:
    return LAYER["x"] @ LAYER["W"] - LAYER["b"]


@PROGRAMS.broken("linear", LAYER, "linear.weight_transposed")
def weight_of_torch() -> Array:
    return LAYER["x"] @ LAYER["W"].T + LAYER["b"]


def network(hidden: Array) -> Array:
    return hidden @ NETWORK["W_2"] + NETWORK["b_2"]


HIDDEN = NETWORK["x"] @ NETWORK["W_1"] + NETWORK["b_1"]


@PROGRAMS.broken(
    "feed_forward",
    NETWORK,
    "relu.after_second_layer",
    "linear.relu_afterwards",
    "linear.relu_after_second_layer",
    "matmul.relu_after_second_layer",
)
def activated_at_the_end_too() -> Array:
    return np.maximum(network(np.maximum(HIDDEN, 0)), 0)


@PROGRAMS.broken("feed_forward", NETWORK, "convention.activation.gelu", "relu.as_gelu")
def gelu_instead_of_relu() -> Array:
    return network(HIDDEN * np.vectorize(lambda x: (1 + math.erf(x / math.sqrt(2))) / 2)(HIDDEN))


# -- optimizers ---------------------------------------------------------------------------------------


def adam(t: int = 4, beta1: float = 0.9, beta2: float = 0.999, power: float = 0.5, decay: float = 0.0) -> Array:
    """Right as it stands."""
    weight, gradient = MOMENTS["W"], MOMENTS["dW"] + decay * MOMENTS["W"]
    m = beta1 * MOMENTS["m"] + (1 - beta1) * gradient
    v = beta2 * MOMENTS["v"] + (1 - beta2) * gradient**2
    m, v = m / (1 - beta1**t), v / (1 - beta2**t)
    return weight - MOMENTS["rate"] * m / (v**power + 1e-8)


@PROGRAMS.broken("adam", MOMENTS, "bias_correction.power_forgotten")
def correction_without_the_power() -> Array:
    """eriklindernoren/ML-From-Scratch issue 35."""
    m = 0.9 * MOMENTS["m"] + 0.1 * MOMENTS["dW"]
    v = 0.999 * MOMENTS["v"] + 0.001 * MOMENTS["dW"] ** 2
    return MOMENTS["W"] - MOMENTS["rate"] * (m / 0.1) / (np.sqrt(v / (1 - 0.999)) + 1e-8)


@PROGRAMS.broken("adam", MOMENTS, "adam_direction.root_forgotten")
def root_of_v_forgotten() -> Array:
    return adam(power=1.0)


@PROGRAMS.broken("adam", MOMENTS, "bias_correction.counted_from_zero")
def steps_counted_from_zero() -> Array:
    return adam(t=3)


@PROGRAMS.broken("adamw", MOMENTS | {"decay": 0.1}, "adamw.decay_in_gradient")
def decay_in_the_gradient() -> Array:
    return adam(decay=0.1)
