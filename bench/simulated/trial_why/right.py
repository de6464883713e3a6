"""Programs that are right, written in other ways."""

from __future__ import annotations

import math

import numpy as np

from ..exam_why.attention import heads_of, joined, scaled
from ..exam_why.heads import back_to_scores
from ..exam_why.layers import PLACES
from ..exam_why.norms import RMS, RMS_EPS, normalized, root_of
from ..exam_why.training import picked
from ..fresh_why.block import BLOCK, WIDTH, attention, network, norm
from ..fresh_why.cases import (
    ADAM,
    BACK,
    CAUSAL,
    FEED_FORWARD,
    GRADIENT,
    LINEAR,
    LOGITS,
    LOSS,
    NORM,
    PADDED,
    PROJECTED,
    QKV,
    TWO_HEADS,
    Programs,
    normal,
    rows,
    softmax,
)
from ..fresh_why.training import DROPPED, LABELS, MOMENTUM

PROGRAMS = Programs()
right = PROGRAMS.right


@right("softmax", x=rows)
def through_logarithms(x):
    return np.exp(x - np.logaddexp.reduce(x, axis=-1, keepdims=True))


@right("softmax", x=rows)
def with_powers_of_two(x):
    powers = 2 ** (x / math.log(2))
    return powers / powers.sum(axis=-1, keepdims=True)


@right("softmax", step="dx", x=rows, **BACK)
def difference_quotient(x, cotangent):
    def loss(moved):
        return (softmax(moved) * cotangent).sum()

    steps = [(np.arange(x.size) == place).reshape(x.shape) * 1e-6 for place in range(x.size)]
    return np.array([(loss(x + step) - loss(x - step)) / 2e-6 for step in steps]).reshape(x.shape).astype(np.float32)


@right("attention", **QKV)
def in_single_precision(q, k, v):
    q, k, v = (x.astype(np.float32) for x in (q, k, v))
    return softmax(q @ k.T / np.float32(math.sqrt(6))) @ v


@right("attention", **QKV)
def online_softmax(q, k, v):
    """Key by key with a running maximum, as in FlashAttention."""
    top, total, found = np.full(len(q), -np.inf), np.zeros(len(q)), np.zeros((len(q), v.shape[1]))
    for score, value in zip(scaled(q, k).T, v, strict=True):
        new = np.maximum(top, score)
        old, power = np.exp(top - new), np.exp(score - new)
        total, found, top = total * old + power, found * old[:, None] + np.outer(power, value), new
    return found / total[:, None]


@right("attention", **CAUSAL)
def with_a_cache(q, k, v):
    keys, values, found = np.zeros((0, 6)), np.zeros((0, 6)), []
    for query, key, value in zip(q, k, v, strict=True):
        keys, values = np.vstack((keys, key)), np.vstack((values, value))
        found.append(softmax(keys @ query / math.sqrt(6)) @ values)
    return np.array(found)


@right("attention", **CAUSAL)
def smallest_number_for_infinity(q, k, v):
    return softmax(np.where(np.tri(len(q)) > 0, scaled(q, k), np.finfo(float).min / 2)) @ v


@right("attention", **PADDED)
def masked_and_shared_out_again(q, k, v, mask):
    weights = softmax(scaled(q, k)) * mask
    return weights / weights.sum(axis=-1, keepdims=True) @ v


@right("attention", **TWO_HEADS)
def head_by_head(q, k, v):
    found = np.empty_like(q)
    for columns in (slice(0, 3), slice(3, 6)):
        found[:, columns] = softmax(q[:, columns] @ k[:, columns].T / 3**0.5) @ v[:, columns]
    return found


@right("attention", **PROJECTED)
def scale_in_the_weights(x, W_Q, W_K, W_V, W_O):
    q, k, v = (heads_of(x @ weight) for weight in (W_Q / math.sqrt(3), W_K, W_V))
    return joined(softmax(q @ k.swapaxes(1, 2)) @ v) @ W_O


@right("attention", step="dK", **QKV, **BACK)
def keys_back_by_einsum(q, k, v, cotangent):
    return np.einsum("ij,id->jd", back_to_scores(q, k, v, cotangent)[1], q) / math.sqrt(6)


@right("layer_norm", **NORM)
def standardized_then_affine(x, gamma, beta):
    z = (x.T - x.T.mean(axis=0)) / (x.T.var(axis=0) + 1e-5) ** 0.5
    return z.T * gamma + beta


@right("layer_norm", step="dgamma", **NORM, **BACK)
def gamma_by_einsum(x, cotangent):
    return np.einsum("ij,ij->j", cotangent, normalized(x))


@right("layer_norm", step="dx", **NORM, **BACK)
def by_the_jacobian(x, gamma, cotangent):
    n, y = x.shape[1], normalized(x)
    jacobians = (np.eye(n) - 1 / n - y[:, :, None] * y[:, None, :] / n) / root_of(x)[..., None]
    return np.einsum("rij,ri->rj", jacobians, cotangent * gamma)


@right("rms_norm", **RMS)
def mean_by_dot_product(x, gamma):
    return np.stack([row * gamma / math.sqrt(row @ row / len(row) + RMS_EPS) for row in x])


@right("linear", **LINEAR)
def column_by_column(x, W, b):
    return np.column_stack([x @ column + shift for column, shift in zip(W.T, b, strict=True)])


@right("feed_forward", **FEED_FORWARD)
def gate_as_a_factor(x, W_1, b_1, W_2, b_2):
    hidden = x @ W_1 + b_1
    return hidden * (hidden > 0) @ W_2 + b_2


@right("relu", x=rows)
def half_of_sum_and_absolute(x):
    return (x + abs(x)) / 2


@right("sigmoid", step="dx", x=rows, **BACK)
def by_hyperbolic_cosine(x, cotangent):
    return cotangent / (2 * np.cosh(x / 2)) ** 2


@right("positional_encoding", **PLACES)
def by_complex_powers(positions, size):
    turns = np.exp(1j * positions[:, None] * 10000.0 ** (-np.arange(0, size, 2) / size))
    return np.stack((turns.imag, turns.real), axis=-1).reshape(len(positions), size)


@right("cross_entropy", **LOSS)
def mean_of_log_ratios(logits, target):
    own = logits[np.arange(len(target)), target][:, None]
    return np.log(np.exp(logits - own).sum(axis=1)).mean()


@right("cross_entropy", step="dlogits", **LOGITS)
def by_the_slope_of_each_probability(logits, target):
    p, wanted = softmax(logits), picked(logits, target)
    found = p * wanted[:, None]
    found[np.arange(len(target)), target] -= wanted
    return found / wanted[:, None] / len(target)


@right("binary_cross_entropy_from_logits", **LABELS)
def softplus(z, y):
    return (np.logaddexp(0, z) - y * z).mean()


@right("sgd", **GRADIENT)
def by_rows(W, dW, rate):
    return np.array([[w - rate * g for w, g in zip(*pair, strict=True)] for pair in zip(W, dW, strict=True)])


@right("adam", **ADAM)
def corrections_in_the_rate(W, dW, m, v, t, rate):
    m, v = 0.9 * m + 0.1 * dW, 0.999 * v + 0.001 * dW * dW
    lift = math.sqrt(1 - 0.999**t)
    return W - rate * lift / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-8 * lift)


@right("momentum", **MOMENTUM)
def velocity_in_place(W, dW, velocity, rate):
    return W - rate * np.sum([0.9 * velocity, dW], axis=0)


@right("dropout", **DROPPED)
def by_a_mask_of_factors(x, kept):
    return x * np.where(kept > 0, 1.25, 0)


@right(BLOCK, X=normal(5, WIDTH))
def block_row_of_residuals(X):
    for sublayer, name in ((attention, "first"), (network, "second")):
        X = X + sublayer(norm(X, name))
    return X
