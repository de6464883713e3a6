"""Programs that are right, in styles that differ from the textbook: softmax and attention."""

from __future__ import annotations

import math
from functools import reduce

import numpy as np

from .attention import merge, split, weights_of
from .cases import BACK, CAUSAL, PADDED, PROJECTED, QKV, TWO_HEADS, Programs, rows, softmax

PROGRAMS = Programs()
right = PROGRAMS.right

# -- softmax ---------------------------------------------------------------------------------------------


@right("softmax", x=rows)
def online(x):
    """One pass: the sum is scaled whenever a larger score appears."""
    found = []
    for row in x:
        top, total = -math.inf, 0.0
        for score in row:
            higher = max(top, score)
            total, top = total * math.exp(top - higher) + math.exp(score - higher), higher
        found.append([math.exp(score - top) / total for score in row])
    return np.array(found)


@right("softmax", x=rows)
def powers_of_two(x):
    powers = np.exp2((x - x.max(axis=-1, keepdims=True)) * math.log2(math.e))
    return powers / powers.sum(axis=-1, keepdims=True)


@right("softmax", x=rows)
def in_place(x):
    found = x.copy()
    found -= found.max(axis=-1, keepdims=True)
    np.exp(found, out=found)
    found /= found.sum(axis=-1, keepdims=True)
    return found


@right("softmax", x=rows)
def transposed_and_back(x):
    powers = np.exp(x.T)
    return (powers / powers.sum(axis=0)).T


@right("log_sum_exp", x=rows)
def folded_by_logaddexp(x):
    return np.array([reduce(np.logaddexp, row) for row in x])


@right("log_softmax", x=rows)
def by_logaddexp(x):
    return x - np.logaddexp.reduce(x, axis=-1, keepdims=True)


@right("softmax", step="dx", x=rows, **BACK)
def jacobian_by_einsum(x, cotangent):
    p = softmax(x)
    jacobian = np.einsum("ti,ij->tij", p, np.eye(x.shape[1])) - np.einsum("ti,tj->tij", p, p)
    return np.einsum("tij,tj->ti", jacobian, cotangent)


@right("softmax", step="dx", x=rows, **BACK)
def complex_step(x, cotangent):
    """The derivative by a tiny imaginary step, exact to the last digit."""
    found = np.zeros_like(x)
    for place in np.ndindex(x.shape):
        moved = x.astype(complex)
        moved[place] += 1e-30j
        powers = np.exp(moved)
        found[place] = ((powers / powers.sum(axis=-1, keepdims=True)).imag * cotangent).sum() / 1e-30
    return found


# -- attention -------------------------------------------------------------------------------------------


@right("attention", **QKV)
def scale_in_both(q, k, v):
    root = q.shape[-1] ** 0.25
    return softmax((q / root) @ (k / root).T) @ v


@right("attention", **QKV)
def normalized_at_the_end(q, k, v):
    powers = np.exp(q @ k.T / math.sqrt(q.shape[-1]))
    return powers @ v / powers.sum(axis=-1, keepdims=True)


@right("attention", **QKV)
def with_columns_for_tokens(q, k, v):
    q, k, v = q.T, k.T, v.T
    scores = k.T @ q / math.sqrt(len(q))
    powers = np.exp(scores - scores.max(axis=0))
    return (v @ (powers / powers.sum(axis=0))).T


@right("attention", **CAUSAL)
def running_sums(q, k, v):
    found = np.zeros_like(v)
    for last, query in enumerate(q):
        total, mixed = 0.0, np.zeros(v.shape[1])
        for key, value in zip(k[: last + 1], v[: last + 1], strict=True):
            power = math.exp(query @ key / math.sqrt(len(query)))
            total, mixed = total + power, mixed + power * value
        found[last] = mixed / total
    return found


@right("attention", **CAUSAL)
def mask_added_by_triu(q, k, v):
    with np.errstate(invalid="ignore"):
        return softmax(q @ k.T / math.sqrt(q.shape[-1]) + np.triu(np.full((len(q), len(k)), -np.inf), k=1)) @ v


@right("attention", **CAUSAL)
def in_tiles(q, k, v):
    """Two queries and two keys at a time, as flash attention does."""
    found = np.zeros_like(v)
    for first in range(0, len(q), 2):
        block = q[first : first + 2] / math.sqrt(q.shape[-1])
        top = np.full((len(block), 1), -np.inf)
        total, mixed = np.zeros_like(top), np.zeros((len(block), v.shape[1]))
        for start in range(0, first + 2, 2):
            scores = block @ k[start : start + 2].T
            ahead = np.arange(start, start + scores.shape[1]) > np.arange(first, first + len(block))[:, None]
            scores[ahead] = -np.inf
            higher = np.maximum(top, scores.max(axis=1, keepdims=True))
            powers, shrunk = np.exp(scores - higher), np.exp(top - higher)
            total, mixed = (
                total * shrunk + powers.sum(axis=1, keepdims=True),
                mixed * shrunk + powers @ v[start : start + 2],
            )
            top = higher
        found[first : first + 2] = mixed / total
    return found


@right("attention", **PADDED)
def padding_cut_off(q, k, v):
    return weights_of(q, k[:3]) @ v[:3]


@right("attention", **TWO_HEADS)
def heads_on_the_last_axis(q, k, v):
    q, k, v = (part.reshape(len(part), 2, -1) for part in (q, k, v))
    scores = np.einsum("qhd,khd->qkh", q, k) / math.sqrt(q.shape[-1])
    powers = np.exp(scores)
    return np.einsum("qkh,khd->qhd", powers / powers.sum(axis=1, keepdims=True), v).reshape(len(q), -1)


@right("attention", **PROJECTED)
def fused_projection(x, W_Q, W_K, W_V, W_O):
    q, k, v = (split(part) for part in np.split(x @ np.hstack((W_Q, W_K, W_V)), 3, axis=1))
    return merge(weights_of(q, k) @ v) @ W_O


@right("attention", **PROJECTED)
def projected_head_by_head(x, W_Q, W_K, W_V, W_O):
    """Each head has its slices of the weights, and adds its part of the output."""
    total = np.zeros_like(x)
    for columns in (slice(0, 3), slice(3, 6)):
        bilinear = W_Q[:, columns] @ W_K[:, columns].T / math.sqrt(3)
        total += softmax(x @ bilinear @ x.T) @ (x @ (W_V[:, columns] @ W_O[columns]))
    return total


@right("attention", **PROJECTED, memory=rows)
def cross_with_tensordot(x, memory, W_Q, W_K, W_V, W_O):
    q, k, v = np.tensordot(x, W_Q, 1), np.tensordot(memory, W_K, 1), np.tensordot(memory, W_V, 1)
    return np.tensordot(merge(weights_of(split(q), split(k)) @ split(v)), W_O, axes=([1], [0]))


@right("attention", step="dK", **QKV, **BACK)
def key_gradient_query_by_query(q, k, v, cotangent):
    found = np.zeros_like(k)
    for query, weights, gradient in zip(q, weights_of(q, k), cotangent, strict=True):
        arrives = v @ gradient
        found += np.outer(weights * (arrives - weights @ arrives), query) / math.sqrt(len(query))
    return found
