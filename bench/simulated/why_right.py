"""Programs of engineers in plain NumPy that are right, each written in another way or another type of numbers."""

from __future__ import annotations

import numpy as np

from .why_cases import BACK, FEED_FORWARD, LINEAR, LOSS, NORM, ONE, QKV, Collection, normal, rows, softmax

programs = Collection()
right = programs.right
ADAM = {"W": normal(4, 3), "dW": normal(4, 3), "m": normal(4, 3), "v": lambda r: r.random((4, 3)), "t": 3, "rate": 0.1}


@right("softmax", x=rows)
def naive(x):
    return np.exp(x) / np.exp(x).sum(-1, keepdims=True)


@right("softmax", x=rows)
def in_float32(x):
    return softmax(x.astype(np.float32))


@right("softmax", x=rows)
def in_float16(x):
    return softmax(x).astype(np.float16)


@right("softmax", x=rows)
def by_log_sum_exp(x):
    return np.exp(x - np.log(np.exp(x).sum(-1, keepdims=True)))


@right("softmax", x=rows)
def to_three_decimals(x):
    return softmax(x).round(3)


@right("softmax", x=rows)
def row_by_row(x):
    return np.array([[np.exp(a) / sum(np.exp(b) for b in row) for a in row] for row in x])


@right("softmax", step="dx", x=rows, **BACK)
def back_by_jacobian(x, cotangent):
    return np.stack([(np.diag(p) - np.outer(p, p)) @ g for p, g in zip(softmax(x), cotangent, strict=True)])


@right("softmax", step="dx", x=rows, **BACK)
def back_in_float32(x, cotangent):
    p, g = softmax(x.astype(np.float32)), cotangent.astype(np.float32)
    return p * (g - np.einsum("ij,ij->i", p, g)[:, None])


@right("log_softmax", x=rows)
def logarithm_of_softmax(x):
    return np.log(softmax(x))


@right("attention", **QKV)
def with_einsum(q, k, v):
    scores = np.einsum("id,jd->ij", q, k) / np.sqrt(q.shape[-1])
    return np.einsum("ij,jd->id", softmax(scores), v)


@right("attention", **QKV)
def queries_scaled_first(q, k, v):
    return softmax(q * q.shape[-1] ** -0.5 @ k.T) @ v


@right("attention", **QKV)
def all_in_float32(q, k, v):
    q, k, v = (part.astype(np.float32) for part in (q, k, v))
    return softmax(q @ k.T / np.float32(np.sqrt(q.shape[-1]))) @ v


@right("attention", **QKV)
def with_a_batch_of_one(q, k, v):
    return (softmax(q @ k.T / q.shape[-1] ** 0.5) @ v)[None]


@right("attention", **QKV)
def one_query_at_a_time(q, k, v):
    return np.array([softmax(k @ row / len(row) ** 0.5) @ v for row in q])


@right("attention", mask="causal", **QKV)
def masked_with_a_large_number(q, k, v):
    return softmax(q @ k.T / q.shape[-1] ** 0.5 + np.triu(np.full((len(q), len(q)), -1e9), 1)) @ v


@right("attention", mask="causal", **QKV)
def masked_powers(q, k, v):
    powers = np.exp(q @ k.T / q.shape[-1] ** 0.5) * np.tri(len(q))
    return powers / powers.sum(-1, keepdims=True) @ v


@right("attention", mask="causal", **QKV)
def only_the_past(q, k, v):
    return np.array([softmax(k[: i + 1] @ row / len(row) ** 0.5) @ v[: i + 1] for i, row in enumerate(q)])


@right("attention", heads=2, **QKV)
def head_by_head(q, k, v):
    parts = zip(*(np.split(part, 2, axis=1) for part in (q, k, v)), strict=True)
    return np.concatenate([softmax(a @ b.T / a.shape[1] ** 0.5) @ c for a, b, c in parts], axis=1)


@right("attention", heads=2, **QKV)
def heads_by_einsum(q, k, v):
    q, k, v = (part.reshape(len(part), 2, -1) for part in (q, k, v))
    weights = softmax(np.einsum("ihd,jhd->hij", q, k) / q.shape[-1] ** 0.5)
    return np.einsum("hij,jhd->ihd", weights, v).reshape(len(q), -1)


@right("attention", heads=2, W_O=normal(6, 6), **QKV)
def output_added_head_by_head(q, k, v, W_O):
    total = 0.0
    for part in (slice(0, 3), slice(3, 6)):
        total = total + softmax(q[:, part] @ k[:, part].T / 3**0.5) @ v[:, part] @ W_O[part]
    return total


@right("attention", step="dV", **QKV, **BACK)
def back_to_values(q, k, cotangent):
    return np.einsum("ij,id->jd", softmax(q @ k.T / q.shape[-1] ** 0.5), cotangent)


@right("layer_norm", **NORM)
def by_var(x, gamma, beta):
    return gamma * (x - x.mean(-1, keepdims=True)) * (x.var(-1, keepdims=True) + 1e-5) ** -0.5 + beta


@right("layer_norm", **NORM)
def by_mean_of_squares(x, gamma, beta):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt((x * x).mean(-1, keepdims=True) - mean**2 + 1e-5) * gamma + beta


@right("layer_norm", **NORM)
def norm_in_float32(x, gamma, beta):
    x = x.astype(np.float32)
    norm = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + np.float32(1e-5))
    return norm * gamma.astype(np.float32) + beta.astype(np.float32)


@right("layer_norm", epsilon=1e-6, **NORM)
def other_epsilon(x, gamma, beta, epsilon):
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + epsilon) * gamma + beta


@right("layer_norm", step="dx", **NORM, **BACK)
def back_in_one_line(x, gamma, cotangent):
    n, root = x.shape[-1], np.sqrt(x.var(-1, keepdims=True) + 1e-5)
    norm, h = (x - x.mean(-1, keepdims=True)) / root, cotangent * gamma
    return (n * h - h.sum(-1, keepdims=True) - norm * (h * norm).sum(-1, keepdims=True)) / (n * root)


@right("cross_entropy", **LOSS)
def by_log_sum(logits, target):
    shifted = logits - logits.max(-1, keepdims=True)
    return (np.log(np.exp(shifted).sum(-1)) - shifted[np.arange(len(target)), target]).mean()


@right("cross_entropy", **LOSS)
def with_one_hot(logits, target):
    return -(np.eye(logits.shape[1])[target] * np.log(softmax(logits))).sum() / len(target)


@right("cross_entropy", **LOSS)
def loss_in_float32(logits, target):
    return -np.log(softmax(logits.astype(np.float32))[np.arange(len(target)), target]).mean()


@right("cross_entropy", step="dlogits", **LOSS, **ONE)
def error_in_place(logits, target):
    p = softmax(logits)
    p[np.arange(len(target)), target] -= 1
    return p / len(target)


@right("feed_forward", **FEED_FORWARD)
def with_where(x, W_1, b_1, W_2, b_2):
    hidden = np.dot(x, W_1) + b_1
    return np.dot(np.where(hidden > 0, hidden, 0), W_2) + b_2


@right("feed_forward", **FEED_FORWARD)
def in_two_halves(x, W_1, b_1, W_2, b_2):
    first, second = (np.maximum(x @ W_1[:, half] + b_1[half], 0) @ W_2[half] for half in (slice(0, 4), slice(4, 8)))
    return first + second + b_2


@right("feed_forward", step="dhidden", **FEED_FORWARD, **BACK)
def back_through_relu(x, W_1, b_1, W_2, cotangent):
    return (cotangent @ W_2.T) * np.sign(np.maximum(x @ W_1 + b_1, 0))


@right("linear", **LINEAR)
def transposed_layout(x, W, b):
    return (W.T @ x.T).T + b


@right("linear", step="dW", **LINEAR, **BACK)
def outer_products(x, cotangent):
    return sum(np.outer(row, gradient) for row, gradient in zip(x, cotangent, strict=True))


@right("positional_encoding", positions=np.arange(6), size=8)
def by_exponential(positions, size):
    factors = np.exp(np.arange(0, size, 2) * (-np.log(10000.0) / size))
    found = np.zeros((len(positions), size))
    found[:, 0::2], found[:, 1::2] = np.sin(positions[:, None] * factors), np.cos(positions[:, None] * factors)
    return found


@right("lookup", E=normal(4, 3), ids=np.array([2, 0, 2, 1]))
def by_one_hot(E, ids):
    return np.eye(len(E))[ids] @ E


@right("lookup", step="dE", E=normal(4, 3), ids=np.array([2, 0, 2, 1]), cotangent=normal(4, 3))
def added_by_one_hot(E, ids, cotangent):
    return np.eye(len(E))[ids].T @ cotangent


@right("adam", **ADAM)
def with_lerp(W, dW, m, v, t, rate):
    m, v = m + 0.1 * (dW - m), v + 0.001 * (dW * dW - v)
    return W - rate * np.sqrt(1 - 0.999**t) / (1 - 0.9**t) * m / (np.sqrt(v) + 1e-8 * np.sqrt(1 - 0.999**t))


@right("sgd", W=normal(4, 3), dW=normal(4, 3), rate=0.1)
def in_place(W, dW, rate):
    found = W.copy()
    found -= rate * dW
    return found


RIGHT = tuple(programs.right_ones)
