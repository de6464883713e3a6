"""Broken programs: norms, linear layers, feed-forward networks, activations, positions and embeddings."""

from __future__ import annotations

import math

import numpy as np

from .cases import BACK, EPS, FEED_FORWARD, LINEAR, NORM, Array, Programs, normal, rows

PROGRAMS = Programs()
broken = PROGRAMS.broken
RMS = {"x": rows, "gamma": NORM["gamma"]}
PLACES = {"positions": np.arange(7), "size": 8}
TABLE = {"E": normal(5, 3), "ids": np.array([3, 1, 3, 0])}
erf = np.vectorize(math.erf)


def normalized(x: Array) -> Array:
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + EPS)


# -- norms -----------------------------------------------------------------------------------------------


@broken(
    "layer_norm",
    {
        "convention.norm_correction.1",
        "convention.norm_epsilon_place.outside",
        "layer_norm.std_plus_epsilon",
        "layer_norm.wrong_n",
    },
    "The variance is divided by n - 1 (ddof=1): a layer norm divides by n.",
    **NORM,
)
def unbiased_std(x, gamma, beta):
    std = x.std(axis=-1, keepdims=True, ddof=1)
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / (std + EPS) + beta


@broken(
    "layer_norm",
    {"layer_norm.root_forgotten"},
    "Deviations are divided by the variance: they are divided by its root.",
    **NORM,
)
def root_missing(x, gamma, beta):
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / (x.var(axis=-1, keepdims=True) + EPS) + beta


@broken(
    "layer_norm",
    {"layer_norm.columns"},
    "Mean and variance are taken over the tokens: a layer norm takes them along each row.",
    **NORM,
)
def statistics_of_the_batch(x, gamma, beta):
    return gamma * (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + EPS) + beta


@broken("layer_norm", {"layer_norm.shifted_first"}, "Beta is added before gamma multiplies: it is added last.", **NORM)
def shift_before_scale(x, gamma, beta):
    return (normalized(x) + beta) * gamma


@broken(
    "layer_norm",
    {"layer_norm.variance_not_centred"},
    "The mean square of x is used as variance: the mean has to be subtracted before squaring.",
    **NORM,
)
def variance_around_zero(x, gamma, beta):
    root = np.sqrt((x**2).mean(axis=-1, keepdims=True) + EPS)
    return gamma * (x - x.mean(axis=-1, keepdims=True)) / root + beta


@broken(
    "rms_norm",
    {"div.multiplied"},
    "x is divided by the reciprocal of the root, which multiplies it: it is divided by the root.",
    **RMS,
)
def divided_by_rsqrt(x, gamma):
    rsqrt = 1 / np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6)
    return x / rsqrt * gamma


@broken(
    "rms_norm",
    {"rms_norm.not_averaged"},
    "x is divided by its length: it is divided by the root of its mean square.",
    **RMS,
)
def unit_vectors(x, gamma):
    return x / np.linalg.norm(x, axis=-1, keepdims=True) * gamma


@broken(
    "rms_norm", {"rms_norm.centred_first"}, "The mean is subtracted, as in a layer norm: an RMS norm keeps it.", **RMS
)
def centered_rms(x, gamma):
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-6) * gamma


@broken(
    "layer_norm",
    {"layer_norm.direct_way"},
    "dx treats mean and variance as constants: both depend on x and add a term each.",
    step="dx",
    **NORM,
    **BACK,
)
def statistics_detached(x, gamma, cotangent):
    return cotangent * gamma / np.sqrt(x.var(axis=-1, keepdims=True) + EPS)


@broken(
    "layer_norm",
    {"layer_norm.gradient_without_gamma"},
    "dx leaves out gamma: the gradient is multiplied by it before it passes the norm.",
    step="dx",
    **NORM,
    **BACK,
)
def gamma_missing_in_backward(x, cotangent):
    hat, g = normalized(x), cotangent
    inner = g - g.mean(axis=-1, keepdims=True) - hat * (g * hat).mean(axis=-1, keepdims=True)
    return inner / np.sqrt(x.var(axis=-1, keepdims=True) + EPS)


@broken(
    "rms_norm",
    {"pending.mean_term_in_rms_gradient"},
    "dx has the mean term of a layer norm: an RMS norm subtracts no mean and has none.",
    step="dx",
    **RMS,
    **BACK,
)
def copied_from_layer_norm(x, gamma, cotangent):
    rms, h = np.sqrt((x**2).mean(axis=-1, keepdims=True) + 1e-6), cotangent * gamma
    hat = x / rms
    return (h - h.mean(axis=-1, keepdims=True) - hat * (h * hat).mean(axis=-1, keepdims=True)) / rms


@broken(
    "layer_norm",
    {"layer_norm.not_normalised"},
    "dgamma is made of x itself: it is made of the normalized x.",
    step="dgamma",
    **NORM,
    **BACK,
)
def raw_input_for_gamma(x, cotangent):
    return (cotangent * x).sum(axis=0)


# -- linear layers and feed-forward networks -------------------------------------------------------------


@broken(
    "linear",
    {"linear.bias_averaged", "sum_to.averaged"},
    "The gradient of the bias is the mean over the rows: it is their sum.",
    step="db",
    **LINEAR,
    **BACK,
)
def bias_mean(cotangent):
    return cotangent.mean(axis=0)


@broken(
    "linear",
    {"linear.weight_averaged", "matmul.weight_averaged"},
    "The gradient of the weight is divided by the number of rows: it is xᵀ dy, undivided.",
    step="dW",
    **LINEAR,
    **BACK,
)
def one_over_m(x, cotangent):
    return x.T @ cotangent / len(x)


@broken(
    "linear",
    {"linear.factors_exchanged", "linear.pytorch_layout", "matmul.factors_exchanged", "matmul.pytorch_layout"},
    "The gradient of the weight is dyᵀ x, transposed: it is xᵀ dy.",
    step="dW",
    **LINEAR,
    **BACK,
)
def weight_gradient_transposed(x, cotangent):
    return cotangent.T @ x


@broken(
    "linear",
    {"linear.not_transposed", "matmul.not_transposed", "matmul.second_transposed", "transpose.forgotten"},
    "The gradient of the input is dy W: it is dy Wᵀ, with the weight transposed.",
    step="dx",
    **LINEAR,
    **BACK,
)
def backward_without_transpose(W, cotangent):
    return cotangent @ W


@broken(
    "feed_forward",
    {"add.bias_forgotten", "add.forgotten", "linear.bias_forgotten"},
    "b_1 is not added: the hidden layer is x W_1 + b_1.",
    **FEED_FORWARD,
)
def first_bias_missing(x, W_1, W_2, b_2):
    return np.maximum(x @ W_1, 0) @ W_2 + b_2


@broken(
    "feed_forward",
    {"linear.relu_only_after_second_layer", "matmul.relu_only_after_second_layer"},
    "The ReLU comes after the second layer: it belongs between the two.",
    **FEED_FORWARD,
)
def relu_on_the_output(x, W_1, b_1, W_2, b_2):
    return np.maximum((x @ W_1 + b_1) @ W_2 + b_2, 0)


@broken(
    "feed_forward",
    {"relu.mask_from_gradient"},
    "The gradient is stopped where it is negative itself: the ReLU stops it where the hidden layer was negative.",
    step="dhidden",
    **FEED_FORWARD,
    **BACK,
)
def gate_of_the_gradient(W_2, cotangent):
    arrives = cotangent @ W_2.T
    arrives[arrives < 0] = 0
    return arrives


@broken(
    "feed_forward",
    {"relu.mask_forgotten"},
    "dW_1 is made with a gradient that passed the ReLU untouched: it is 0 where the hidden layer was negative.",
    step="dW_1",
    **FEED_FORWARD,
    **BACK,
)
def gate_missing_in_weight_gradient(x, W_2, cotangent):
    return x.T @ (cotangent @ W_2.T)


# -- activations -----------------------------------------------------------------------------------------


@broken("gelu", {"gelu.root_forgotten"}, "The error function is taken of x: it is taken of x / √2.", x=rows)
def erf_without_root(x):
    return 0.5 * x * (1 + erf(x))


@broken(
    "gelu",
    {"gelu.share_only"},
    "The slope is Φ(x) alone: by the product rule x φ(x) is added.",
    step="dx",
    x=rows,
    **BACK,
)
def product_rule_forgotten(x, cotangent):
    return cotangent * 0.5 * (1 + erf(x / np.sqrt(2)))


@broken(
    "sigmoid",
    {"sigmoid.slope_of_input"},
    "The slope is computed from the input, x (1 - x): it is s (1 - s), from the output.",
    step="dx",
    x=rows,
    **BACK,
)
def slope_of_the_argument(x, cotangent):
    return cotangent * x * (1 - x)


@broken(
    "tanh", {"tanh.square_forgotten"}, "The slope of tanh is 1 - tanh x: it is 1 - tanh² x.", step="dx", x=rows, **BACK
)
def square_forgotten(x, cotangent):
    return cotangent * (1 - np.tanh(x))


# -- positions and embeddings ----------------------------------------------------------------------------


@broken(
    "positional_encoding",
    {"positional_encoding.pairs_doubled"},
    "The exponent is 2 times the even column, which is 2i already: it is 2i / d, not 4i / d.",
    **PLACES,
)
def column_doubled(positions, size):
    found = np.zeros((len(positions), size))
    for place, position in enumerate(positions):
        for i in range(0, size, 2):
            found[place, i] = np.sin(position / 10000 ** (2 * i / size))
            found[place, i + 1] = np.cos(position / 10000 ** (2 * i / size))
    return found


@broken(
    "positional_encoding",
    {"positional_encoding.cosine_exponent"},
    "The cosine of a pair has the next exponent, 2(i + 1) / d: sine and cosine of a pair share one.",
    **PLACES,
)
def cosine_one_further(positions, size):
    i = np.arange(size // 2)
    found = np.zeros((len(positions), size))
    found[:, 0::2] = np.sin(positions[:, None] / 10000 ** (2 * i / size))
    found[:, 1::2] = np.cos(positions[:, None] / 10000 ** (2 * (i + 1) / size))
    return found


@broken(
    "positional_encoding",
    {"pending.precedence_of_the_exponent"},
    "The power is taken before the division by d: the exponent is 2i / d.",
    **PLACES,
)
def parentheses_missing(positions, size):
    angles = positions[:, None] / 10000 ** np.arange(0, size, 2) / size
    return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(positions), size)


@broken(
    "lookup",
    {"add_rows.last_kept", "lookup.last_kept"},
    "dE[ids] += g adds only one gradient of a repeated id: all of them are added (np.add.at).",
    step="dE",
    **TABLE,
    cotangent=normal(4, 3),
)
def fancy_index_in_place(E, ids, cotangent):
    found = np.zeros_like(E)
    found[ids] += cotangent
    return found
