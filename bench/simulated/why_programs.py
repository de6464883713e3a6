"""Programs of engineers in plain NumPy: 60 that are broken. `why_right.py` has 40 that are right."""

from __future__ import annotations

import numpy as np

from .why_cases import BACK, FEED_FORWARD, LINEAR, LOSS, NORM, ONE, QKV, Collection, normal, rows, softmax
from .why_right import RIGHT

programs = Collection()
broken = programs.broken
EPS = 1e-5
ADAM = {"W": normal(4, 3), "dW": normal(4, 3), "m": normal(4, 3), "v": lambda r: r.random((4, 3)), "t": 3, "rate": 0.1}

# -- softmax ---------------------------------------------------------------------------------------------


@broken("softmax", "softmax.wrong_axis", x=rows)
def over_columns(x):
    return softmax(x, axis=0)


@broken("softmax", "softmax.not_normalised", x=rows)
def powers_only(x):
    return np.exp(x)


@broken("softmax", "softmax.no_exponential", x=rows)
def shares_of_scores(x):
    return x / x.sum(axis=-1, keepdims=True)


@broken("softmax", "softmax.over_all_rows", x=rows)
def over_everything(x):
    return np.exp(x) / np.exp(x).sum()


@broken("softmax", "softmax.average_forgotten", step="dx", x=rows, **BACK)
def back_without_average(x, cotangent):
    return softmax(x) * cotangent


@broken("softmax", "softmax.diagonal_only", step="dx", x=rows, **BACK)
def back_like_a_sigmoid(x, cotangent):
    p = softmax(x)
    return p * (1 - p) * cotangent


@broken("softmax", "softmax.factor_forgotten", step="dx", x=rows, **BACK)
def back_without_factor(x, cotangent):
    return cotangent - (softmax(x) * cotangent).sum(axis=-1, keepdims=True)


# -- attention -------------------------------------------------------------------------------------------


@broken("attention", "divide_by_root.not_divided", "attention.unscaled", "softmax.not_scaled", **QKV)
def not_scaled(q, k, v):
    return softmax(q @ k.T) @ v


@broken("attention", "divide_by_root.root_forgotten", **QKV)
def scaled_by_size(q, k, v):
    return softmax(q @ k.T / q.shape[1]) @ v


@broken("attention", "softmax.wrong_axis", **QKV)
def over_queries(q, k, v):
    return softmax(q @ k.T / q.shape[1] ** 0.5, axis=0) @ v


@broken("attention", "matmul.queries_and_keys_exchanged", **QKV)
def keys_ask(q, k, v):
    return softmax(k @ q.T / q.shape[1] ** 0.5) @ v


@broken("attention", "matmul.keys_and_values_exchanged", **QKV)
def values_ask(q, k, v):
    return softmax(q @ v.T / q.shape[1] ** 0.5) @ k


@broken("attention", "matmul.first_transposed", **QKV)
def weights_transposed(q, k, v):
    return softmax(q @ k.T / q.shape[1] ** 0.5).T @ v


@broken("attention", "causal_mask.forgotten", "mask.forgotten", "softmax.mask_forgotten", mask="causal", **QKV)
def mask_forgotten(q, k, v):
    return softmax(q @ k.T / q.shape[1] ** 0.5) @ v


@broken("attention", "causal_mask.one_ahead", mask="causal", **QKV)
def mask_one_ahead(q, k, v):
    hidden = np.triu(np.ones((len(q), len(k)), dtype=bool), k=2)
    return softmax(np.where(hidden, -np.inf, q @ k.T / q.shape[1] ** 0.5)) @ v


@broken("attention", "causal_mask.upper_triangle", mask="causal", **QKV)
def past_hidden(q, k, v):
    hidden = np.tril(np.ones((len(q), len(k)), dtype=bool), k=-1)
    return softmax(np.where(hidden, -np.inf, q @ k.T / q.shape[1] ** 0.5)) @ v


@broken("attention", "softmax.masked_afterwards", mask="causal", **QKV)
def mask_after_softmax(q, k, v):
    return (softmax(q @ k.T / q.shape[1] ** 0.5) * np.tri(len(q))) @ v


@broken("attention", "causal_mask.turned_into_zero", mask="causal", **QKV)
def masked_with_zero(q, k, v):
    return softmax(q @ k.T / q.shape[1] ** 0.5 * np.tri(len(q))) @ v


@broken("attention", "matmul.first_not_transposed", step="dV", **QKV, **BACK)
def back_to_values_not_transposed(q, k, cotangent):
    return softmax(q @ k.T / q.shape[1] ** 0.5) @ cotangent


@broken("attention", "divide_by_root.gradient_not_divided", step="dQ", **QKV, **BACK)
def back_to_queries_not_scaled(q, k, v, cotangent):
    p, g = softmax(q @ k.T / q.shape[1] ** 0.5), cotangent @ v.T
    return p * (g - (p * g).sum(axis=-1, keepdims=True)) @ k


@broken("attention", "softmax.average_forgotten", step="dK", **QKV, **BACK)
def back_to_keys_without_average(q, k, v, cotangent):
    p = softmax(q @ k.T / q.shape[1] ** 0.5)
    return (p * (cotangent @ v.T)).T @ q / q.shape[1] ** 0.5


# -- heads -----------------------------------------------------------------------------------------------


def _in_heads(q, k, v, size, split, merge):
    q, k, v = (split(part) for part in (q, k, v))
    return merge(softmax(q @ k.transpose(0, 2, 1) / size**0.5) @ v)


def _split(x):
    return x.reshape(len(x), 2, -1).transpose(1, 0, 2)


def _merge(x):
    return x.transpose(1, 0, 2).reshape(x.shape[1], -1)


@broken("attention", "divide_by_root.root_of_model", heads=2, **QKV)
def root_of_model(q, k, v):
    return _in_heads(q, k, v, q.shape[1], _split, _merge)


@broken("attention", "split_heads.reshape_without_transpose", heads=2, **QKV)
def split_without_transpose(q, k, v):
    return _in_heads(q, k, v, 3, lambda x: x.reshape(2, len(x), -1), _merge)


@broken("attention", "split_heads.interleaved", heads=2, **QKV)
def split_interleaved(q, k, v):
    return _in_heads(q, k, v, 3, lambda x: x.reshape(len(x), -1, 2).transpose(2, 0, 1), _merge)


@broken("attention", "merge_heads.reshape_without_transpose", heads=2, **QKV)
def merge_without_transpose(q, k, v):
    return _in_heads(q, k, v, 3, _split, lambda x: x.reshape(x.shape[1], -1))


@broken(
    "attention",
    "merge_heads.heads_reversed",
    "split_heads.heads_reversed",
    "relation.columns_mixed",
    "relation.reordered",
    heads=2,
    **QKV,
)
def heads_in_reverse(q, k, v):
    return _in_heads(q, k, v, 3, _split, lambda x: _merge(x[::-1]))


@broken("attention", "matmul.weight_forgotten", "relation.other_step", heads=2, W_O=normal(6, 6), **QKV)
def output_forgotten(q, k, v):
    return _in_heads(q, k, v, 3, _split, _merge)


@broken("attention", "matmul.second_transposed", heads=2, W_O=normal(6, 6), **QKV)
def output_transposed(q, k, v, W_O):
    return _in_heads(q, k, v, 3, _split, _merge) @ W_O.T


# -- layer norm ------------------------------------------------------------------------------------------


def _centered(x, ddof=0):
    return (x - x.mean(-1, keepdims=True)), np.sqrt(x.var(-1, keepdims=True, ddof=ddof) + EPS)


@broken("layer_norm", "layer_norm.wrong_n", "convention.norm_correction.1", **NORM)
def unbiased_variance(x, gamma, beta):
    above, root = _centered(x, ddof=1)
    return above / root * gamma + beta


@broken("layer_norm", "layer_norm.as_annotated", "layer_norm.std_plus_epsilon", **NORM)
def annotated(x, gamma, beta):
    return (x - x.mean(-1, keepdims=True)) / (x.std(-1, keepdims=True, ddof=1) + 1e-6) * gamma + beta


@broken("layer_norm", "layer_norm.columns", **NORM)
def batch_norm(x, gamma, beta):
    return (x - x.mean(0)) / np.sqrt(x.var(0) + EPS) * gamma + beta


@broken("layer_norm", "layer_norm.gamma_forgotten", **NORM)
def without_gamma(x, gamma, beta):
    above, root = _centered(x)
    return above / root + beta


@broken("layer_norm", "layer_norm.beta_forgotten", **NORM)
def without_beta(x, gamma, beta):
    above, root = _centered(x)
    return above / root * gamma


@broken("layer_norm", "layer_norm.gamma_and_beta_forgotten", **NORM)
def without_both(x, gamma, beta):
    above, root = _centered(x)
    return above / root


@broken("layer_norm", "layer_norm.root_forgotten", **NORM)
def divided_by_variance(x, gamma, beta):
    above, root = _centered(x)
    return above / root**2 * gamma + beta


@broken("layer_norm", "layer_norm.shifted", **NORM)
def not_centered(x, gamma, beta):
    return x / _centered(x)[1] * gamma + beta


@broken("layer_norm", "layer_norm.direct_way", step="dx", **NORM, **BACK)
def back_directly(x, gamma, cotangent):
    return cotangent * gamma / _centered(x)[1]


@broken("layer_norm", "layer_norm.variance_term_forgotten", step="dx", **NORM, **BACK)
def back_without_variance(x, gamma, cotangent):
    h = cotangent * gamma
    return (h - h.mean(-1, keepdims=True)) / _centered(x)[1]


@broken("layer_norm", "layer_norm.mean_term_forgotten", step="dx", **NORM, **BACK)
def back_without_mean(x, gamma, cotangent):
    above, root = _centered(x)
    h, n = cotangent * gamma, above / root
    return (h - n * (h * n).mean(-1, keepdims=True)) / root


@broken("layer_norm", "layer_norm.not_normalised", step="dgamma", **NORM, **BACK)
def gamma_from_input(x, cotangent):
    return (cotangent * x).sum(0)


# -- losses ----------------------------------------------------------------------------------------------


@broken("cross_entropy", "cross_entropy.softmax_twice", **LOSS)
def softmax_twice(logits, target):
    p = softmax(softmax(logits))
    return -np.log(p[np.arange(len(target)), target]).mean()


@broken("cross_entropy", "cross_entropy.mean_over_classes", **LOSS)
def mean_over_classes(logits, target):
    y = np.eye(logits.shape[1])[target]
    return -(y * np.log(softmax(logits))).mean()


@broken("cross_entropy", "cross_entropy.no_logarithm", **LOSS)
def one_minus_probability(logits, target):
    return (1 - softmax(logits)[np.arange(len(target)), target]).mean()


@broken("cross_entropy", "cross_entropy.wrong_reduction", **LOSS)
def summed_loss(logits, target):
    return -np.log(softmax(logits)[np.arange(len(target)), target]).sum()


@broken("cross_entropy", "cross_entropy.gradient_not_divided", step="dlogits", **LOSS, **ONE)
def error_not_divided(logits, target):
    return softmax(logits) - np.eye(logits.shape[1])[target]


@broken("cross_entropy", "cross_entropy.error_turned", step="dlogits", **LOSS, **ONE)
def error_reversed(logits, target):
    return (np.eye(logits.shape[1])[target] - softmax(logits)) / len(target)


# -- feed-forward and linear -----------------------------------------------------------------------------


@broken("feed_forward", "relu.forgotten", **FEED_FORWARD)
def two_linear_layers(x, W_1, b_1, W_2, b_2):
    return (x @ W_1 + b_1) @ W_2 + b_2


@broken("feed_forward", "linear.relu_after_second_layer", **FEED_FORWARD)
def activated_at_the_end(x, W_1, b_1, W_2, b_2):
    return np.maximum(np.maximum(x @ W_1 + b_1, 0) @ W_2 + b_2, 0)


@broken("feed_forward", "linear.bias_subtracted", **FEED_FORWARD)
def bias_subtracted(x, W_1, b_1, W_2, b_2):
    return np.maximum(x @ W_1 - b_1, 0) @ W_2 + b_2


@broken("feed_forward", "linear.bias_forgotten", **FEED_FORWARD)
def first_bias_forgotten(x, W_1, W_2, b_2):
    return np.maximum(x @ W_1, 0) @ W_2 + b_2


@broken("feed_forward", "relu.mask_forgotten", step="dhidden", **FEED_FORWARD, **BACK)
def mask_forgotten_going_back(W_2, cotangent):
    return cotangent @ W_2.T


@broken("linear", "linear.weight_transposed", **LINEAR)
def weight_in_other_layout(x, W, b):
    return x @ W.T + b


@broken("linear", "linear.not_transposed", step="dx", **LINEAR, **BACK)
def back_through_weight_itself(W, cotangent):
    return cotangent @ W


@broken("linear", "linear.bias_averaged", step="db", **LINEAR, **BACK)
def bias_averaged(cotangent):
    return cotangent.mean(0)


# -- positions, embeddings, optimizers -------------------------------------------------------------------


def _waves(positions, size, first, second):
    angles = positions[:, None] / 10000 ** (np.arange(0, size, 2) / size)
    return np.stack([first(angles), second(angles)], axis=-1).reshape(len(positions), size)


@broken("positional_encoding", "positional_encoding.counted_from_one", positions=np.arange(6), size=8)
def positions_from_one(positions, size):
    return _waves(positions + 1, size, np.sin, np.cos)


@broken("positional_encoding", "positional_encoding.exchanged", positions=np.arange(6), size=8)
def cosine_first(positions, size):
    return _waves(positions, size, np.cos, np.sin)


@broken("positional_encoding", "positional_encoding.exponent_halved", positions=np.arange(6), size=8)
def exponent_halved(positions, size):
    angles = positions[:, None] / 10000 ** (np.arange(size // 2) / size)
    return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(positions), size)


@broken("lookup", "lookup.last_kept", step="dE", E=normal(4, 3), ids=np.array([2, 0, 2, 1]), cotangent=normal(4, 3))
def last_gradient_kept(E, ids, cotangent):
    found = np.zeros_like(E)
    found[ids] += cotangent
    return found


@broken("sgd", "sgd.added", W=normal(4, 3), dW=normal(4, 3), rate=0.1)
def uphill(W, dW, rate):
    return W + rate * dW


@broken("adam", "bias_correction.forgotten", "adam.correction_forgotten", **ADAM)
def without_correction(W, dW, m, v, rate):
    m, v = 0.9 * m + 0.1 * dW, 0.999 * v + 0.001 * dW**2
    return W - rate * m / (np.sqrt(v) + 1e-8)


@broken("adamw", "adamw.decay_in_gradient", decay=0.1, **ADAM)
def decay_in_the_gradient(W, dW, m, v, t, rate, decay):
    dW = dW + decay * W
    m, v = 0.9 * m + 0.1 * dW, 0.999 * v + 0.001 * dW**2
    return W - rate * (m / (1 - 0.9**t)) / (np.sqrt(v / (1 - 0.999**t)) + 1e-8)


@broken("mean_squared_error", "mean_squared_error.two_forgotten", step="dy", y=rows, target=rows, **ONE)
def two_forgotten(y, target):
    return (y - target) / y.size


BROKEN = tuple(programs.broken_ones)
__all__ = ["BROKEN", "RIGHT"]
