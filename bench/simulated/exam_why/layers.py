"""Broken programs: linear layers, activations and positions."""

from __future__ import annotations

import math

import numpy as np

from ..fresh_why.cases import BACK, LINEAR, Programs, rows

PROGRAMS = Programs()
broken = PROGRAMS.broken
PLACES = {"positions": np.arange(5), "size": 6}
phi = np.vectorize(lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))))

# -- linear ----------------------------------------------------------------------------------------------


@broken(
    "linear",
    {"linear.weight_transposed", "matmul.second_transposed"},
    "x Wᵀ is computed, as in PyTorch: x W is meant.",
    **LINEAR,
)
def weight_transposed(x, W, b):
    return x @ W.T + b


@broken(
    "linear",
    {"add.bias_forgotten", "add.forgotten", "linear.bias_forgotten"},
    "The bias is left out: it is added.",
    **LINEAR,
)
def without_bias(x, W):
    return x @ W


@broken(
    "linear",
    {"linear.factors_exchanged", "linear.pytorch_layout", "matmul.factors_exchanged", "matmul.pytorch_layout"},
    "dW is dyᵀ x: it is xᵀ dy.",
    step="dW",
    **LINEAR,
    **BACK,
)
def weight_gradient_transposed(x, cotangent):
    return cotangent.T @ x


@broken(
    "linear",
    {"linear.weight_averaged", "matmul.weight_averaged"},
    "The gradient of W is averaged over tokens: it is a sum.",
    step="dW",
    **LINEAR,
    **BACK,
)
def weight_gradient_averaged(x, cotangent):
    return x.T @ cotangent / len(x)


@broken(
    "linear",
    {"linear.bias_averaged", "sum_to.averaged"},
    "The gradient of b is the mean over tokens: it is the sum.",
    step="db",
    **LINEAR,
    **BACK,
)
def bias_gradient_averaged(cotangent):
    return cotangent.mean(axis=0)


@broken(
    "linear",
    {"linear.not_transposed", "matmul.not_transposed"},
    "dx is dy W: it is dy Wᵀ.",
    step="dx",
    **LINEAR,
    **BACK,
)
def input_gradient_not_transposed(W, cotangent):
    return cotangent @ W


# -- activations -----------------------------------------------------------------------------------------


@broken("relu", {"relu.leaky_tenth"}, "A tenth of a negative number is kept: it becomes 0.", x=rows)
def leaky(x):
    return np.where(x > 0, x, 0.1 * x)


@broken(
    "relu",
    {"relu.mask_forgotten"},
    "The gradient passes everywhere: it passes only where x is positive.",
    step="dx",
    x=rows,
    **BACK,
)
def no_gate(cotangent):
    return cotangent


@broken(
    "relu",
    {"relu.mask_from_gradient"},
    "Negative gradients are stopped: the gradient is stopped where x is negative.",
    step="dx",
    x=rows,
    **BACK,
)
def gate_by_the_gradient(cotangent):
    return np.maximum(cotangent, 0)


@broken("gelu", {"gelu.as_silu"}, "x is multiplied by its sigmoid, which is SiLU: GELU multiplies by Φ(x).", x=rows)
def silu(x):
    return x / (1 + np.exp(-x))


@broken("gelu", {"gelu.share_only"}, "The slope is taken to be Φ(x): it is Φ(x) + x φ(x).", step="dx", x=rows, **BACK)
def only_the_first_term(x, cotangent):
    return cotangent * phi(x)


@broken("sigmoid", {"sigmoid.sign_forgotten"}, "The exponent has lost its sign: it is e to the power -x.", x=rows)
def sign_lost(x):
    return 1 / (1 + np.exp(x))


@broken(
    "sigmoid",
    {"sigmoid.slope_of_input"},
    "The slope is computed from the input, x (1 - x): with the result s it is s (1 - s).",
    step="dx",
    x=rows,
    **BACK,
)
def slope_of_the_input(x, cotangent):
    return cotangent * x * (1 - x)


# -- positions -------------------------------------------------------------------------------------------


@broken(
    "positional_encoding", {"positional_encoding.exchanged"}, "Even columns have cosines: they have sines.", **PLACES
)
def cosines_first(positions, size):
    angles = positions[:, None] / 10000 ** (np.arange(0, size, 2) / size)
    return np.stack((np.cos(angles), np.sin(angles)), axis=-1).reshape(len(positions), size)


@broken(
    "positional_encoding",
    {"convention.position.concatenated", "positional_encoding.other_layout"},
    "Sines come first, then cosines: they alternate.",
    **PLACES,
)
def in_two_halves(positions, size):
    angles = positions[:, None] / 10000 ** (np.arange(0, size, 2) / size)
    return np.hstack((np.sin(angles), np.cos(angles)))


@broken(
    "positional_encoding",
    {"positional_encoding.cosine_exponent"},
    "Each column has a frequency of its own: a sine and its cosine share one.",
    **PLACES,
)
def frequency_of_every_column(positions, size):
    found = positions[:, None] / 10000 ** (np.arange(size) / size)
    found[:, 0::2], found[:, 1::2] = np.sin(found[:, 0::2]), np.cos(found[:, 1::2])
    return found


@broken("positional_encoding", {"positional_encoding.counted_from_one"}, "The first position is 1: it is 0.", **PLACES)
def counted_from_one(positions, size):
    angles = (positions[:, None] + 1) / 10000 ** (np.arange(0, size, 2) / size)
    return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(positions), size)
