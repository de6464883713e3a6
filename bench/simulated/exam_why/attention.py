"""Broken programs: softmax, and attention with masks."""

from __future__ import annotations

import numpy as np

from ..fresh_why.cases import (
    BACK,
    CAUSAL,
    HEADS,
    PADDED,
    QKV,
    Array,
    Programs,
    rows,
    softmax,
)

PROGRAMS = Programs()
broken = PROGRAMS.broken


def scaled(q: Array, k: Array) -> Array:
    return q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])


def heads_of(x: Array) -> Array:
    return x.reshape(len(x), HEADS, -1).transpose(1, 0, 2)


def joined(x: Array) -> Array:
    return x.transpose(1, 0, 2).reshape(x.shape[1], -1)


# -- softmax ---------------------------------------------------------------------------------------------


@broken(
    "softmax",
    {"softmax.wrong_axis"},
    "The softmax runs down the columns: it runs along each row, so that every row sums to 1.",
    x=rows,
)
def down_the_columns(x):
    return np.exp(x) / np.exp(x).sum(axis=0)


@broken(
    "softmax",
    {"softmax.over_all_rows", "softmax.over_each_matrix"},
    "All powers are divided by one sum: each row is divided by its own.",
    x=rows,
)
def over_the_sum_of_everything(x):
    return np.exp(x) / np.exp(x).sum()


@broken(
    "softmax",
    {"softmax.not_normalised"},
    "The powers of e are returned as they are: each is divided by the sum of its row.",
    x=rows,
)
def powers_only(x):
    return np.exp(x)


@broken(
    "softmax",
    {"softmax.as_sigmoid"},
    "Each score goes through a sigmoid of its own: a softmax makes every row sum to 1.",
    x=rows,
)
def sigmoid_of_each(x):
    return 1 / (1 + np.exp(-x))


@broken(
    "softmax",
    {"softmax.diagonal_only"},
    "Only the diagonal of the Jacobian is used, p (1 - p): all entries of a row depend on each score.",
    step="dx",
    x=rows,
    **BACK,
)
def back_by_the_diagonal(x, cotangent):
    p = softmax(x)
    return p * (1 - p) * cotangent


@broken(
    "softmax",
    {"softmax.average_forgotten"},
    "The gradient is multiplied by p and nothing is subtracted: the row's weighted mean is subtracted first.",
    step="dx",
    x=rows,
    **BACK,
)
def back_without_the_mean(x, cotangent):
    return softmax(x) * cotangent


# -- attention -------------------------------------------------------------------------------------------


@broken(
    "attention",
    {"attention.unscaled", "divide_by_root.not_divided"},
    "The scores are not scaled: they are divided by the square root of the width.",
    **QKV,
)
def not_scaled(q, k, v):
    return softmax(q @ k.T) @ v


@broken(
    "attention",
    {"attention.root_forgotten", "divide_by_root.root_forgotten"},
    "The scores are divided by the width: they are divided by its square root.",
    **QKV,
)
def divided_by_the_width(q, k, v):
    return softmax(q @ k.T / q.shape[1]) @ v


@broken(
    "attention",
    {"divide_by_root.root_of_keys"},
    "The root is that of the number of tokens: it is that of the width.",
    **QKV,
)
def root_of_the_tokens(q, k, v):
    return softmax(q @ k.T / np.sqrt(len(k))) @ v


@broken(
    "attention",
    {"attention.wrong_axis", "softmax.wrong_axis"},
    "The softmax runs over queries: it runs over keys.",
    **QKV,
)
def softmax_over_queries(q, k, v):
    return softmax(scaled(q, k), axis=0) @ v


@broken(
    "attention",
    {"matmul.first_transposed"},
    "The attention weights are transposed before they average the values: a query's weights are its row.",
    **QKV,
)
def weights_transposed(q, k, v):
    return softmax(scaled(q, k)).T @ v


@broken("attention", {"matmul.queries_for_keys"}, "The scores are Q Qᵀ: they are Q Kᵀ.", **QKV)
def queries_with_queries(q, k, v):
    return softmax(scaled(q, q)) @ v


@broken("attention", {"matmul.keys_for_values"}, "The weights average the keys: they average the values.", **QKV)
def keys_averaged(q, k, v):
    return softmax(scaled(q, k)) @ k


@broken(
    "attention",
    {"softmax.left_out"},
    "The scores average the values directly: a softmax turns them into attention weights first.",
    **QKV,
)
def without_softmax(q, k, v):
    return scaled(q, k) @ v


# -- masks -----------------------------------------------------------------------------------------------


@broken(
    "attention",
    {"causal_mask.forgotten", "mask.forgotten"},
    "The causal mask is missing: later tokens are hidden.",
    **CAUSAL,
)
def without_a_mask(q, k, v):
    return softmax(scaled(q, k)) @ v


@broken(
    "attention",
    {"causal_mask.upper_triangle"},
    "Earlier tokens are hidden: a causal mask hides the later ones.",
    **CAUSAL,
)
def other_triangle(q, k, v):
    return softmax(np.where(np.tri(len(q)).T > 0, scaled(q, k), -1e9)) @ v


@broken(
    "attention",
    {"causal_mask.turned_into_zero", "mask.turned_into_zero"},
    "Hidden scores become 0, which still gets a weight: they become minus infinity.",
    **CAUSAL,
)
def multiplied_by_tril(q, k, v):
    return softmax(scaled(q, k) * np.tril(np.ones((len(q), len(q))))) @ v


@broken(
    "attention",
    {"softmax.masked_afterwards"},
    "The mask comes after the softmax, so rows no longer sum to 1: the scores are masked.",
    **CAUSAL,
)
def weights_masked(q, k, v):
    return np.tril(softmax(scaled(q, k))) @ v


@broken(
    "attention",
    {"causal_mask.one_ahead"},
    "Each token also attends to the next one: it attends to itself and earlier ones only.",
    **CAUSAL,
)
def one_token_ahead(q, k, v):
    return softmax(np.where(np.tri(len(q), k=1) > 0, scaled(q, k), -np.inf)) @ v


@broken(
    "attention",
    {"causal_mask.marks_added", "mask.marks_added"},
    "The matrix of ones and zeros is added to the scores: where it has a 0, the score becomes -∞.",
    **CAUSAL,
)
def ones_added(q, k, v):
    return softmax(scaled(q, k) + np.tri(len(q))) @ v


@broken(
    "attention",
    {"mask.exchanged", "padding_mask.exchanged"},
    "The mask is read the other way around and hides the real tokens: it hides the padding.",
    **PADDED,
)
def mask_inverted(q, k, v, mask):
    return softmax(np.where(mask == 1, -1e9, scaled(q, k))) @ v


@broken(
    "attention",
    {"padding_mask.queries_hidden"},
    "The queries of the padding are masked: its keys are, so that no token attends to them.",
    **PADDED,
)
def queries_masked(q, k, v, mask):
    return softmax(np.where(mask.T == 1, scaled(q, k), -1e9)) @ v
