"""Gradients with one thing wrong, against the backward pass of an op from the same upstream gradient."""

from __future__ import annotations

import numpy as np

from .attention import softmax
from .checked import Array, Programs
from .parts import LAYER, LOSS, NORM, ROWS, TARGETS, normalized

PROGRAMS = Programs()
DRAWN = np.random.default_rng(5772)
UPSTREAM = DRAWN.standard_normal(ROWS.shape)
OF_LAYER = DRAWN.standard_normal((4, 6))
SOFTMAX = {"x": ROWS, "cotangent": UPSTREAM, "step": "dx"}
NORMED = NORM | {"cotangent": UPSTREAM, "step": "dx"}
GAMMA = NORM | {"cotangent": UPSTREAM, "step": "dgamma"}
WEIGHT = LAYER | {"cotangent": OF_LAYER, "step": "dW"}
BIAS = LAYER | {"cotangent": OF_LAYER, "step": "db"}
INPUT = LAYER | {"cotangent": OF_LAYER, "step": "dx"}
LOGITS = LOSS | {"cotangent": 1.0, "step": "dlogits"}
P = softmax(ROWS)
DEVIATION = np.sqrt(ROWS.var(axis=1, keepdims=True) + 1e-5)
ARRIVES = UPSTREAM * NORM["gamma"]


def mean(rows: Array) -> Array:
    return rows.mean(axis=1, keepdims=True)


@PROGRAMS.broken("softmax", SOFTMAX, "softmax.average_forgotten")
def p_times_g() -> Array:
    return P * UPSTREAM


@PROGRAMS.broken("softmax", SOFTMAX, "softmax.diagonal_only")
def diagonal_of_the_jacobian() -> Array:
    return P * (1 - P) * UPSTREAM


@PROGRAMS.broken("softmax", SOFTMAX, "softmax.slope_of_input")
def slope_from_the_inputs() -> Array:
    """x (1 - x) with the scores, from a question about a network for MNIST."""
    return ROWS * (UPSTREAM - (ROWS * UPSTREAM).sum(axis=1, keepdims=True))


@PROGRAMS.broken("layer_norm", NORMED, "layer_norm.direct_way")
def divided_by_the_deviation_only() -> Array:
    return ARRIVES / DEVIATION


@PROGRAMS.broken("layer_norm", NORMED, "layer_norm.variance_term_forgotten")
def without_the_variance() -> Array:
    return (ARRIVES - mean(ARRIVES)) / DEVIATION


@PROGRAMS.broken("layer_norm", NORMED, "layer_norm.gradient_without_gamma")
def without_gamma() -> Array:
    hat = normalized(ROWS)
    return (UPSTREAM - mean(UPSTREAM) - hat * mean(UPSTREAM * hat)) / DEVIATION


@PROGRAMS.broken("layer_norm", NORMED, "layer_norm.divided_by_n", "relation.factor")
def divided_by_n_once_more() -> Array:
    """1/n in front of a bracket that has means in it already."""
    hat = normalized(ROWS)
    return (ARRIVES - mean(ARRIVES) - hat * mean(ARRIVES * hat)) / DEVIATION / ROWS.shape[1]


@PROGRAMS.broken("layer_norm", GAMMA, "layer_norm.gamma_from_output", "layer_norm.own_output")
def gamma_from_the_output() -> Array:
    return (UPSTREAM * (normalized(ROWS) * NORM["gamma"] + NORM["beta"])).sum(axis=0)


@PROGRAMS.broken("linear", WEIGHT, "linear.layout_out_in", "linear.factors_exchanged", "relation.transposed")
def weight_gradient_of_torch() -> Array:
    return OF_LAYER.T @ LAYER["x"]


@PROGRAMS.broken("linear", WEIGHT, "linear.weight_averaged")
def weight_gradient_averaged() -> Array:
    return LAYER["x"].T @ OF_LAYER / len(OF_LAYER)


@PROGRAMS.broken("linear", INPUT, "linear.not_transposed")
def weight_not_transposed() -> Array:
    return OF_LAYER @ LAYER["W"]


@PROGRAMS.broken("cross_entropy", LOGITS, "cross_entropy.gradient_not_divided", "convention.loss_reduction.sum")
def not_divided_by_the_rows() -> Array:
    return softmax(2 * ROWS) - np.eye(7)[TARGETS]


@PROGRAMS.broken("cross_entropy", LOGITS, "cross_entropy.target_only")
def only_the_right_word() -> Array:
    return (softmax(2 * ROWS) - 1) * np.eye(7)[TARGETS] / len(TARGETS)
