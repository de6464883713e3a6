"""More programs that are right: norms, losses, layers, positions, training, sampling and whole blocks."""

from __future__ import annotations

import math

import numpy as np

from .block import B_1, B_2, BLOCK, HEADS, NORMS, W_1, W_2, WIDTH, W, attention, network, norm
from .cases import (
    ADAM,
    BACK,
    EPS,
    FEED_FORWARD,
    GRADIENT,
    LINEAR,
    LOGITS,
    LOSS,
    NORM,
    Array,
    Programs,
    normal,
    rows,
    softmax,
)  # fmt: skip
from .layers import PLACES, RMS, TABLE, erf
from .training import CHANCES, DROPPED, LABELS, MOMENTUM, STEEP

PROGRAMS = Programs()
right = PROGRAMS.right

# -- norms -----------------------------------------------------------------------------------------------


@right("layer_norm", **NORM)
def welford(x, gamma, beta):
    found = np.empty_like(x)
    for place, row in enumerate(x):
        count, mean, squares = 0, 0.0, 0.0
        for entry in row:
            count += 1
            above = entry - mean
            mean += above / count
            squares += above * (entry - mean)
        found[place] = (row - mean) / math.sqrt(squares / count + EPS)
    return found * gamma + beta


@right("layer_norm", **NORM)
def by_a_centering_matrix(x, gamma, beta):
    n = x.shape[-1]
    centered = x @ (np.eye(n) - 1 / n)
    return centered * ((centered**2).sum(axis=-1, keepdims=True) / n + EPS) ** -0.5 * gamma + beta


@right("layer_norm", **NORM)
def with_a_batch_axis(x, gamma, beta):
    batch = np.stack((x, 2 * x + 1))
    centered = batch - batch.mean(axis=-1, keepdims=True)
    return (centered / np.sqrt(batch.var(axis=-1, keepdims=True) + EPS) * gamma + beta)[0]


@right("layer_norm", step="dx", **NORM, **BACK)
def chain_through_mean_and_variance(x, gamma, cotangent):
    n, h = x.shape[-1], cotangent * gamma
    above = x - x.mean(axis=-1, keepdims=True)
    inverse = 1 / np.sqrt((above**2).mean(axis=-1, keepdims=True) + EPS)
    dvariance = -0.5 * (h * above).sum(axis=-1, keepdims=True) * inverse**3
    dabove = h * inverse + 2 * above * dvariance / n
    return dabove - dabove.mean(axis=-1, keepdims=True)


@right("rms_norm", **RMS)
def by_the_length(x, gamma):
    return gamma * x / np.hypot(np.linalg.norm(x, axis=-1, keepdims=True) / math.sqrt(x.shape[-1]), 1e-3)


# -- losses ----------------------------------------------------------------------------------------------


@right("cross_entropy", **LOSS)
def taken_along_an_axis(logits, target):
    own = np.take_along_axis(logits, target[:, None], axis=1)[:, 0]
    return (np.logaddexp.reduce(logits, axis=1) - own).mean()


@right("cross_entropy", **LOSS)
def running_mean_of_losses(logits, target):
    mean = 0.0
    for count, (row, wanted) in enumerate(zip(logits, target, strict=True), start=1):
        mean += (math.log(sum(math.exp(entry - row[wanted]) for entry in row)) - mean) / count
    return mean


@right("cross_entropy", step="dlogits", **LOGITS)
def errors_by_subtract_at(logits, target):
    found = softmax(logits)
    np.subtract.at(found, (np.arange(len(target)), target), 1.0)
    found *= 1 / len(target)
    return found


@right("binary_cross_entropy_from_logits", **LABELS)
def softplus(z, y):
    return np.mean(np.maximum(z, 0) - z * y + np.log1p(np.exp(-np.abs(z))))


# -- layers, activations, positions ----------------------------------------------------------------------


@right("linear", **LINEAR)
def affine_by_einsum(x, W, b):
    return np.einsum("ti,ij->tj", np.insert(x, x.shape[1], 1, axis=1), np.vstack((W, b)))


@right("linear", step="db", **LINEAR, **BACK)
def bias_gradient_by_ones(cotangent):
    return np.ones(len(cotangent)) @ cotangent


@right("feed_forward", **FEED_FORWARD)
def token_by_token(x, W_1, b_1, W_2, b_2):
    return np.stack([W_2.T @ np.clip(W_1.T @ row + b_1, 0, None) + b_2 for row in x])


@right("feed_forward", step="dW_1", **FEED_FORWARD, **BACK)
def weight_gradient_by_einsum(x, W_1, b_1, W_2, cotangent):
    return np.einsum("ti,tm,hm,th->ih", x, cotangent, W_2, (x @ W_1 + b_1 > 0).astype(float), optimize=True)


@right("sigmoid", x=rows)
def sigmoid_by_tanh(x):
    return (1 + np.tanh(x / 2)) / 2


@right("gelu", step="dx", x=rows, **BACK)
def gelu_by_the_product_rule(x, cotangent):
    density = np.exp(-(x**2) / 2) / math.sqrt(2 * math.pi)
    return cotangent * ((1 + erf(x / math.sqrt(2))) / 2 + x * density)


@right("positional_encoding", **PLACES)
def positions_by_rotation(positions, size):
    """Each position is the one before it, rotated."""
    speeds = 10000.0 ** (-np.arange(0, size, 2) / size)
    sine, cosine, found = np.zeros_like(speeds), np.ones_like(speeds), []
    for _ in positions:
        found.append(np.ravel(np.column_stack((sine, cosine))))
        sine, cosine = (
            sine * np.cos(speeds) + cosine * np.sin(speeds),
            cosine * np.cos(speeds) - sine * np.sin(speeds),
        )
    return np.array(found)


@right("lookup", step="dE", **TABLE, cotangent=normal(4, 3))
def counted_by_bincount(E, ids, cotangent):
    columns = [np.bincount(ids, weights=column, minlength=len(E)) for column in cotangent.T]
    return np.column_stack(columns)


# -- training and sampling -------------------------------------------------------------------------------


@right("adam", **ADAM)
def adam_in_place(W, dW, m, v, t, rate):
    weight, first, second = W.copy(), m.copy(), v.copy()
    first *= 0.9
    first += 0.1 * dW
    second += 0.001 * (dW * dW - second)
    weight -= rate / (1 - 0.9**t) * first / (np.sqrt(second) / math.sqrt(1 - 0.999**t) + 1e-8)
    return weight


@right("momentum", **MOMENTUM)
def momentum_in_place(W, dW, velocity, rate):
    weight, speed = W.copy(), velocity.copy()
    speed *= 0.9
    speed += dW
    weight -= rate * speed
    return weight


@right("sgd", **GRADIENT)
def flattened(W, dW, rate):
    return np.array([a - rate * b for a, b in zip(W.ravel(), dW.ravel(), strict=True)]).reshape(W.shape)


@right("clip_by_norm", **STEEP)
def by_the_smaller_factor(x, norm, limit):
    return x * min(1.0, limit / float(norm))


@right("dropout", **DROPPED)
def dropped_by_where(x, kept, rate):
    return np.where(kept.astype(bool), x * (1 / (1 - rate)), 0.0)


@right("keep_top_p", **CHANCES)
def nucleus_by_searchsorted(shares, p):
    order = np.argsort(-shares)
    kept = np.zeros_like(shares)
    kept[order[: np.searchsorted(np.cumsum(shares[order]), p) + 1]] = 1
    return kept


@right("keep_top_k", x=rows, k=3)
def by_argpartition(x, k):
    kept = np.zeros_like(x)
    np.put_along_axis(kept, np.argpartition(x, -k, axis=-1)[:, -k:], 1.0, axis=-1)
    return kept


@right(BLOCK, X=normal(5, 8))
def block_in_float32(X):
    X = X.astype(np.float32)
    middle = X + attention(norm(X, "first")).astype(np.float32)
    return (middle + network(norm(middle, "second"))).astype(np.float32)


@right(BLOCK, X=normal(5, 8))
def block_with_folded_norms(X):
    """Gamma and beta are folded into the weights that follow."""

    def hat(x: Array) -> Array:
        return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + EPS)

    gamma, beta = NORMS["first"]
    q, k, v = (hat(X) @ (gamma[:, None] * W[f"W_{letter}"]) + beta @ W[f"W_{letter}"] for letter in "QKV")
    found = X.copy()
    for columns in np.split(np.arange(WIDTH), HEADS):
        scores = q[:, columns] @ k[:, columns].T / math.sqrt(WIDTH // HEADS)
        found += softmax(np.where(np.tri(len(X), dtype=bool), scores, -np.inf)) @ v[:, columns] @ W["W_O"][columns]
    gamma, beta = NORMS["second"]
    return found + np.maximum(hat(found) @ (gamma[:, None] * W_1) + beta @ W_1 + B_1, 0) @ W_2 + B_2
