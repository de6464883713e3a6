"""Broken programs: norms, linear layers, activations and positions."""

from __future__ import annotations

import numpy as np

from ..exam_why.layers import PLACES, phi
from ..exam_why.norms import RMS, RMS_EPS, normalized, root_of
from ..fresh_why.block import BLOCK, W_1, W_2, WIDTH, attention, network, norm
from ..fresh_why.cases import BACK, FEED_FORWARD, LINEAR, NORM, Programs, normal, rows

PROGRAMS = Programs()
broken = PROGRAMS.broken
X = normal(5, WIDTH)

# -- norms -----------------------------------------------------------------------------------------------


@broken("layer_norm", {"layer_norm.as_rms_norm"}, "Nothing is subtracted, as in RMSNorm: the mean is.", **NORM)
def mean_square_only(x, gamma, beta):
    return x / np.sqrt((x * x).mean(axis=-1, keepdims=True) + 1e-5) * gamma + beta


@broken("layer_norm", {"pending.beta_subtracted"}, "Beta is subtracted: it is added.", **NORM)
def beta_subtracted(x, gamma, beta):
    return normalized(x) * gamma - beta


@broken("layer_norm", {"layer_norm.shifted_first"}, "Beta is added before the scale: it is added after it.", **NORM)
def shifted_before_scaled(x, gamma, beta):
    return (normalized(x) + beta) * gamma


@broken("layer_norm", {"layer_norm.not_divided"}, "Nothing is divided: rows are divided by their deviation.", **NORM)
def centered_only(x, gamma, beta):
    return (x - x.mean(axis=-1, keepdims=True)) * gamma + beta


@broken(
    "layer_norm", {"layer_norm.absolute_values"}, "The mean absolute deviation divides: the standard one does.", **NORM
)
def absolute_deviation(x, gamma, beta):
    away = x - x.mean(axis=-1, keepdims=True)
    return away / np.abs(away).mean(axis=-1, keepdims=True) * gamma + beta


@broken(
    "layer_norm",
    {"layer_norm.gradient_without_gamma"},
    "Gamma is left out going back: it multiplies.",
    step="dx",
    **NORM,
    **BACK,
)
def gamma_lost_back(x, cotangent):
    y = normalized(x)
    centered = cotangent - cotangent.mean(axis=-1, keepdims=True)
    return (centered - y * (cotangent * y).mean(axis=-1, keepdims=True)) / root_of(x)


@broken(
    "layer_norm",
    {"layer_norm.mean_term_forgotten"},
    "The mean term is left out: it is there.",
    step="dx",
    **NORM,
    **BACK,
)
def mean_term_lost_back(x, gamma, cotangent):
    h, y = cotangent * gamma, normalized(x)
    return (h - y * (h * y).mean(axis=-1, keepdims=True)) / root_of(x)


@broken(
    "layer_norm",
    {"layer_norm.not_normalised"},
    "dγ has the raw rows: it has normalized ones.",
    step="dgamma",
    **NORM,
    **BACK,
)
def gamma_of_raw_rows(x, cotangent):
    return (cotangent * x).sum(axis=0)


@broken("rms_norm", {"rms_norm.centred_first"}, "The mean is subtracted, as in a layer norm: it is not.", **RMS)
def centered_first(x, gamma):
    away = x - x.mean(axis=-1, keepdims=True)
    return away / np.sqrt((away * away).mean(axis=-1, keepdims=True) + RMS_EPS) * gamma


@broken("rms_norm", {"rms_norm.not_averaged"}, "The squares are added up: they are averaged.", **RMS)
def length_for_the_mean(x, gamma):
    return x / np.sqrt((x * x).sum(axis=-1, keepdims=True) + RMS_EPS) * gamma


# -- linear layers and activations -----------------------------------------------------------------------


@broken("linear", {"linear.bias_subtracted"}, "The bias is subtracted: it is added.", **LINEAR)
def bias_subtracted(x, W, b):
    return x @ W - b


@broken("linear", {"linear.bias_first"}, "The bias is added before the product: it is added after it.", **LINEAR)
def bias_first(x, W, b):
    return (x + b) @ W


@broken("feed_forward", {"relu.forgotten"}, "There is no ReLU: there is one between the layers.", **FEED_FORWARD)
def no_activation(x, W_1, b_1, W_2, b_2):
    return (x @ W_1 + b_1) @ W_2 + b_2


@broken(
    "feed_forward",
    {"linear.relu_after_second_layer", "matmul.relu_after_second_layer"},
    "The second layer has a ReLU too: only the first has.",
    **FEED_FORWARD,
)
def activation_at_the_end(x, W_1, b_1, W_2, b_2):
    return np.maximum(np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2, 0)


@broken(
    "feed_forward",
    {"add.bias_forgotten", "add.forgotten", "linear.bias_forgotten"},
    "The second bias is left out: it is added.",
    **FEED_FORWARD,
)
def no_second_bias(x, W_1, b_1, W_2):
    return np.maximum(x @ W_1 + b_1, 0) @ W_2


@broken("feed_forward", {"relu.as_sigmoid"}, "The activation is a sigmoid: it is a ReLU.", **FEED_FORWARD)
def sigmoid_between(x, W_1, b_1, W_2, b_2):
    return 1 / (1 + np.exp(-(x @ W_1 + b_1))) @ W_2 + b_2


@broken("relu", {"relu.absolute"}, "Negative numbers lose their sign: they become 0.", x=rows)
def absolute_value(x):
    return abs(x)


@broken("relu", {"relu.times_activation"}, "The gradient is multiplied by x: by 1 or 0.", step="dx", x=rows, **BACK)
def slope_is_the_result(x, cotangent):
    return cotangent * np.maximum(x, 0)


@broken("gelu", {"gelu.not_multiplied"}, "Φ(x) alone is returned: it is multiplied by x.", x=rows)
def share_alone(x):
    return phi(x)


@broken("sigmoid", {"sigmoid.rest_forgotten"}, "The gradient is s: it is s (1 - s).", step="dx", x=rows, **BACK)
def value_for_the_slope(x, cotangent):
    return cotangent / (1 + np.exp(-x))


@broken("tanh", {"tanh.square_forgotten"}, "The slope is 1 - h: it is 1 - h².", step="dx", x=rows, **BACK)
def square_forgotten(x, cotangent):
    return cotangent * (1 - np.tanh(x))


@broken("positional_encoding", {"pending.base"}, "The base is 1000: it is 10000.", **PLACES)
def base_of_a_thousand(positions, size):
    angles = positions[:, None] / 1000 ** (np.arange(0, size, 2) / size)
    return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(positions), size)


@broken(
    "positional_encoding", {"positional_encoding.all_sines"}, "All columns have sines: odd ones have cosines.", **PLACES
)
def sines_only(positions, size):
    return np.sin(np.repeat(positions[:, None] / 10000 ** (np.arange(0, size, 2) / size), 2, axis=1))


# -- a block ---------------------------------------------------------------------------------------------


@broken(BLOCK, {"add.sublayers_parallel"}, "Both sublayers read the input: the second reads what the first gave.", X=X)
def side_by_side(X):
    return X + attention(norm(X, "first")) + network(norm(X, "second"))


@broken(BLOCK, {"add.subtracted"}, "The residuals are subtracted: they are added.", X=X)
def sublayers_subtracted(X):
    middle = X - attention(norm(X, "first"))
    return middle - network(norm(middle, "second"))


@broken(BLOCK, {"pending.network_first"}, "The network comes before attention: it comes after it.", X=X)
def network_first(X):
    middle = X + network(norm(X, "second"))
    return middle + attention(norm(middle, "first"))


@broken(
    BLOCK,
    {"add.bias_forgotten", "add.forgotten", "convention.biases.none", "linear.bias_forgotten"},
    "The biases of the network are left out: they are added.",
    X=X,
)
def network_without_biases(X):
    middle = X + attention(norm(X, "first"))
    return middle + np.maximum(norm(middle, "second") @ W_1, 0) @ W_2
