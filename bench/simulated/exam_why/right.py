"""Programs that are right, written in other ways: loops, einsum, another order, float32, the logarithm of a sum."""

from __future__ import annotations

import math

import numpy as np

from ..fresh_why.block import BLOCK, WIDTH, attention, network, norm
from ..fresh_why.cases import (
    ADAM,
    BACK,
    CAUSAL,
    EPS,
    GRADIENT,
    HEADS,
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
from .attention import heads_of, joined, scaled
from .heads import back_to_scores
from .layers import PLACES, phi
from .norms import RMS, RMS_EPS, normalized, root_of

PROGRAMS = Programs()
right = PROGRAMS.right

# -- softmax and attention -------------------------------------------------------------------------------


@right("softmax", x=rows)
def by_log_sum_exp(x):
    top = x.max(axis=1, keepdims=True)
    return np.exp(x - top - np.log(np.exp(x - top).sum(axis=1, keepdims=True)))


@right("softmax", x=rows)
def entry_by_entry(x):
    return np.array([[1 / sum(math.exp(other - score) for other in row) for score in row] for row in x])


@right("softmax", x=rows)
def in_float32(x):
    powers = np.exp((x - x.max(axis=-1, keepdims=True)).astype(np.float32))
    return powers / powers.sum(axis=-1, keepdims=True)


@right("softmax", step="dx", x=rows, **BACK)
def jacobians_in_a_loop(x, cotangent):
    return np.stack([(np.diag(p) - np.outer(p, p)) @ g for p, g in zip(softmax(x), cotangent, strict=True)])


@right("attention", **QKV)
def by_einsum(q, k, v):
    weights = softmax(np.einsum("id,jd->ij", q, k) / math.sqrt(q.shape[1]))
    return np.einsum("ij,jd->id", weights, v)


@right("attention", **QKV)
def query_by_query(q, k, v):
    found = np.zeros_like(v)
    for place, query in enumerate(q):
        powers = np.exp(k @ query * len(query) ** -0.5)
        for power, value in zip(powers, v, strict=True):
            found[place] += power / powers.sum() * value
    return found


@right("attention", **QKV)
def queries_scaled_first(q, k, v):
    powers = np.exp(q / 6**0.25 @ (k / 6**0.25).T)
    return powers @ v / powers.sum(axis=-1, keepdims=True)


@right("attention", **CAUSAL)
def growing_prefixes(q, k, v):
    return np.concatenate([softmax(scaled(q[i : i + 1], k[: i + 1])) @ v[: i + 1] for i in range(len(q))])


@right("attention", **CAUSAL)
def powers_masked_and_shared_out(q, k, v):
    powers = np.tril(np.exp(scaled(q, k)))
    return powers / powers.sum(axis=1)[:, None] @ v


@right("attention", **CAUSAL)
def huge_negative_added(q, k, v):
    return softmax(scaled(q, k) + np.triu(np.full((len(q), len(q)), -1e9), 1)) @ v


@right("attention", **PADDED)
def only_the_visible_keys(q, k, v, mask):
    seen = mask[0] > 0
    return softmax(scaled(q, k[seen])) @ v[seen]


@right("attention", **TWO_HEADS)
def heads_by_slices(q, k, v):
    parts = [slice(start, start + 3) for start in (0, 3)]
    return np.hstack([softmax(scaled(q[:, part], k[:, part])) @ v[:, part] for part in parts])


@right("attention", **TWO_HEADS)
def heads_by_einsum(q, k, v):
    q, k, v = (x.reshape(len(x), HEADS, -1) for x in (q, k, v))
    weights = softmax(np.einsum("ihd,jhd->hij", q, k) / math.sqrt(q.shape[-1]))
    return np.einsum("hij,jhd->ihd", weights, v).reshape(len(q), -1)


@right("attention", **PROJECTED)
def heads_summed_through_w_o(x, W_Q, W_K, W_V, W_O):
    q, k, v = (heads_of(x @ weight) for weight in (W_Q, W_K, W_V))
    context = softmax(scaled(q, k)) @ v
    return sum(part @ rows_of for part, rows_of in zip(context, np.split(W_O, HEADS), strict=True))


@right("attention", **PROJECTED)
def one_matrix_for_all_three(x, W_Q, W_K, W_V, W_O):
    q, k, v = (heads_of(part) for part in np.split(x @ np.hstack((W_Q, W_K, W_V)), 3, axis=1))
    return joined(softmax(scaled(q, k)) @ v) @ W_O


@right("attention", step="dQ", **QKV, **BACK)
def queries_back_by_einsum(q, k, v, cotangent):
    return np.einsum("ij,jd->id", back_to_scores(q, k, v, cotangent)[1], k) / math.sqrt(6)


@right("attention", step="dK", **QKV, **BACK)
def keys_back_transposed(q, k, v, cotangent):
    return ((q / math.sqrt(6)).T @ back_to_scores(q, k, v, cotangent)[1]).T


@right("attention", step="dV", **QKV, **BACK)
def values_back_by_outer_products(q, k, v, cotangent):
    weights = softmax(scaled(q, k))
    return sum(np.outer(row, gradient) for row, gradient in zip(weights, cotangent, strict=True))


# -- layers ----------------------------------------------------------------------------------------------


@right("layer_norm", **NORM)
def mean_of_squares_less_square_of_mean(x, gamma, beta):
    mean = x.mean(axis=1, keepdims=True)
    return (x - mean) * ((x * x).mean(axis=1, keepdims=True) - mean**2 + EPS) ** -0.5 * gamma + beta


@right("layer_norm", **NORM)
def row_by_row(x, gamma, beta):
    return np.stack([gamma * (row - np.mean(row)) / math.sqrt(np.var(row) + EPS) + beta for row in x])


@right("layer_norm", step="dx", **NORM, **BACK)
def in_one_fraction(x, gamma, cotangent):
    h, normed, n = cotangent * gamma, normalized(x), x.shape[1]
    return (n * h - h.sum(1, keepdims=True) - normed * (h * normed).sum(1, keepdims=True)) / (n * root_of(x))


@right("rms_norm", **RMS)
def by_the_length(x, gamma):
    return gamma * x / np.sqrt(np.linalg.norm(x, axis=1, keepdims=True) ** 2 / x.shape[1] + RMS_EPS)


@right("rms_norm", step="dx", **RMS, **BACK)
def through_the_root(x, gamma, cotangent):
    inverse = 1 / np.sqrt((x * x).mean(1, keepdims=True) + RMS_EPS)
    h = cotangent * gamma
    return h * inverse - x * inverse**3 * (h * x).mean(1, keepdims=True)


@right("linear", **LINEAR)
def bias_as_another_row(x, W, b):
    return np.hstack((x, np.ones((len(x), 1)))) @ np.vstack((W, b))


@right("linear", step="dW", **LINEAR, **BACK)
def token_by_token(x, cotangent):
    found = 0
    for row, gradient in zip(x, cotangent, strict=True):
        found = found + np.outer(row, gradient)
    return found


@right("linear", step="db", **LINEAR, **BACK)
def ones_times_gradient(cotangent):
    return np.ones(len(cotangent)) @ cotangent


@right("gelu", x=rows)
def by_the_error_function(x):
    return x * phi(x)


@right("relu", step="dx", x=rows, **BACK)
def by_assignment(x, cotangent):
    found = cotangent.copy()
    found[x <= 0] = 0
    return found


@right("sigmoid", x=rows)
def by_tanh(x):
    return (1 + np.tanh(x / 2)) / 2


@right("positional_encoding", **PLACES)
def number_by_number(positions, size):
    found = np.zeros((len(positions), size))
    for place, position in enumerate(positions):
        for column in range(size):
            angle = position / 10000 ** (column // 2 * 2 / size)
            found[place, column] = math.cos(angle) if column % 2 else math.sin(angle)
    return found


# -- training --------------------------------------------------------------------------------------------


@right("cross_entropy", **LOSS)
def log_sum_less_logit(logits, target):
    return (np.log(np.exp(logits).sum(axis=1)) - logits[np.arange(len(target)), target]).mean()


@right("cross_entropy", **LOSS)
def one_hot_and_trace(logits, target):
    return -np.trace(np.log(softmax(logits)) @ np.eye(logits.shape[1])[target].T) / len(target)


@right("cross_entropy", step="dlogits", **LOGITS)
def one_subtracted_in_place(logits, target):
    found = softmax(logits)
    found[np.arange(len(target)), target] -= 1
    found /= len(target)
    return found


@right("sgd", **GRADIENT)
def negative_rate(W, dW, rate):
    return np.add(W, np.multiply(-rate, dW))


@right("adam", **ADAM)
def averages_as_steps(W, dW, m, v, t, rate):
    m, v = m + 0.1 * (dW - m), v + 0.001 * (dW * dW - v)
    return W - rate * m / (1 - 0.9**t) / (np.sqrt(v) / math.sqrt(1 - 0.999**t) + 1e-8)


@right(BLOCK, X=normal(5, WIDTH))
def block_in_one_expression(X):
    return (middle := X + attention(norm(X, "first"))) + network(norm(middle, "second"))
