"""Broken programs: softmax and attention, forward and backward."""

from __future__ import annotations

import numpy as np

from .cases import BACK, CAUSAL, HEADS, PADDED, PROJECTED, QKV, TWO_HEADS, Array, Programs, normal, rows, softmax

PROGRAMS = Programs()
broken = PROGRAMS.broken
HIDDEN = -1e9


def weights_of(q: Array, k: Array) -> Array:
    return softmax(q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1]))


def split(x: Array) -> Array:
    return x.reshape(len(x), HEADS, -1).transpose(1, 0, 2)


def merge(x: Array) -> Array:
    return x.transpose(1, 0, 2).reshape(x.shape[1], -1)


# -- softmax ---------------------------------------------------------------------------------------------


@broken(
    "softmax",
    {"pending.row_sums_across_columns"},
    "The sums lost their axis (no keepdims), so column j is divided by the sum of row j: each row has its own sum.",
    x=normal(6, 6),
)
def keepdims_forgotten(x):
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1)


@broken("softmax", {"pending.softmax_twice"}, "The softmax is applied to its own result: it is applied once.", x=rows)
def applied_twice(x):
    return softmax(softmax(x))


@broken(
    "log_softmax",
    {"log_softmax.maximum_forgotten"},
    "The maximum is subtracted inside the sum only: it must be subtracted from the scores too.",
    x=rows,
)
def shift_inside_only(x):
    return x - np.log(np.exp(x - x.max(axis=-1, keepdims=True)).sum(axis=-1, keepdims=True))


@broken(
    "log_sum_exp",
    {"log_sum_exp.maximum_forgotten"},
    "The maximum that was subtracted for stability is not added again: the result is its sum with the logarithm.",
    x=rows,
)
def maximum_lost(x):
    return np.log(np.exp(x - x.max(axis=-1, keepdims=True)).sum(axis=-1))


@broken(
    "softmax",
    {"softmax.plain_sum"},
    "The plain sum of the gradients is subtracted: each is weighted by its probability.",
    step="dx",
    x=rows,
    **BACK,
)
def back_with_plain_sum(x, cotangent):
    return softmax(x) * (cotangent - cotangent.sum(axis=-1, keepdims=True))


@broken(
    "log_softmax",
    {"log_softmax.sum_forgotten"},
    "The probabilities are subtracted from the gradient: they have to be multiplied by the sum of the row's gradients.",
    step="dx",
    x=rows,
    **BACK,
)
def log_softmax_back_as_error(x, cotangent):
    return cotangent - softmax(x)


# -- attention, forward ----------------------------------------------------------------------------------


@broken(
    "attention",
    {"divide_by_root.multiplied"},
    "Scores are divided by d ** -0.5, which multiplies them by the root: they are divided by d ** 0.5.",
    **QKV,
)
def scale_inverted(q, k, v):
    scale = q.shape[-1] ** -0.5
    return softmax(q @ k.T / scale) @ v


@broken(
    "attention",
    {"attention.root_forgotten", "divide_by.divided_twice", "divide_by_root.root_forgotten"},
    "Queries are scaled and so are the scores: the root divides once.",
    **QKV,
)
def scaled_twice(q, k, v):
    q = q / np.sqrt(q.shape[-1])
    return weights_of(q, k) @ v


@broken(
    "attention",
    {"attention.wrong_axis", "softmax.wrong_axis"},
    "The softmax runs over the queries: it runs over the keys, so that each query's weights sum to 1.",
    **QKV,
)
def softmax_down_the_queries(q, k, v):
    return softmax(q @ k.T / np.sqrt(q.shape[-1]), axis=0) @ v


@broken("attention", {"matmul.keys_for_values"}, "The weights average the keys: they average the values.", **QKV)
def keys_for_values(q, k, v):
    return weights_of(q, k) @ k


@broken(
    "attention",
    {"convention.attention_scale.model", "divide_by_root.root_of_model"},
    "Scores are divided by the root of the model's width: with two heads it is the root of one head's width.",
    **TWO_HEADS,
)
def scaled_by_embed_dim(q, k, v):
    scores = split(q) @ split(k).swapaxes(1, 2) / np.sqrt(q.shape[-1])
    return merge(softmax(scores) @ split(v))


@broken(
    "attention",
    {"merge_heads.reshape_without_transpose", "permute.reshaped", "split_heads.reshape_without_transpose"},
    "The projections are reshaped to (heads, tokens, width) at once: tokens and heads have to be transposed.",
    **TWO_HEADS,
)
def view_without_transpose(q, k, v):
    q, k, v = (part.reshape(HEADS, len(part), -1) for part in (q, k, v))
    return (weights_of(q, k) @ v).reshape(q.shape[1], -1)


@broken(
    "attention",
    {"merge_heads.reshape_without_transpose", "permute.reshaped"},
    "The heads are reshaped to (tokens, width) at once: tokens must become the first axis before.",
    **TWO_HEADS,
)
def merged_without_transpose(q, k, v):
    return (weights_of(split(q), split(k)) @ split(v)).reshape(len(q), -1)


@broken(
    "attention",
    {"pending.one_head"},
    "All columns are one head: with heads=2 each half has its own scores and softmax.",
    **TWO_HEADS,
)
def heads_ignored(q, k, v):
    return weights_of(q, k) @ v


# -- masks -----------------------------------------------------------------------------------------------


@broken(
    "attention",
    {"causal_mask.upper_triangle"},
    "The mask is inverted and hides the past: it hides later tokens.",
    **CAUSAL,
)
def past_hidden(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    return softmax(np.where(np.tri(len(q), k=-1, dtype=bool), HIDDEN, scores)) @ v


@broken(
    "attention", {"causal_mask.itself_hidden"}, "The diagonal is hidden too: a token may attend to itself.", **CAUSAL
)
def diagonal_hidden(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    return softmax(np.where(np.tri(len(q), k=-1, dtype=bool), scores, HIDDEN)) @ v


@broken("attention", {"causal_mask.one_ahead"}, "The mask starts one column late: the next token is visible.", **CAUSAL)
def one_token_ahead(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    scores[np.triu_indices(len(q), k=2)] = -np.inf
    return softmax(scores) @ v


@broken(
    "attention",
    {"softmax.masked_afterwards"},
    "Later weights are set to 0 after the softmax, so rows no longer sum to 1: the mask goes before it.",
    **CAUSAL,
)
def masked_after_softmax(q, k, v):
    return np.tril(weights_of(q, k)) @ v


@broken(
    "attention",
    {"causal_mask.turned_into_zero", "mask.turned_into_zero"},
    "Later scores are filled with 1e-9, a slip for -1e9: a hidden score is a very large negative number.",
    **CAUSAL,
)
def filled_with_tiny(q, k, v):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    return softmax(np.where(np.tri(len(q)) == 0, 1e-9, scores)) @ v


@broken(
    "attention",
    {"causal_mask.forgotten", "mask.forgotten", "softmax.mask_forgotten"},
    "The causal mask is never applied: the scores of later tokens have to be hidden.",
    **CAUSAL,
)
def mask_unused(q, k, v):
    return weights_of(q, k) @ v


@broken(
    "attention",
    {"padding_mask.queries_hidden"},
    "The padding mask hides rows, the queries of the padding: it hides its columns, the keys.",
    **PADDED,
)
def padding_on_the_queries(q, k, v, mask):
    scores = q @ k.T / np.sqrt(q.shape[-1])
    return softmax(np.where(mask.T > 0, scores, HIDDEN)) @ v


# -- with projections ------------------------------------------------------------------------------------


def attend(q: Array, k: Array, v: Array) -> Array:
    return merge(weights_of(split(q), split(k)) @ split(v))


@broken(
    "attention",
    {"linear.other_weight", "matmul.keys_for_values", "matmul.other_weight"},
    "Values are projected by W_K, in a copied line: they are projected by W_V.",
    **PROJECTED,
)
def copied_projection(x, W_Q, W_K, W_O):
    return attend(x @ W_Q, x @ W_K, x @ W_K) @ W_O


@broken(
    "attention",
    {"linear.weight_transposed", "matmul.second_transposed"},
    "Every weight is transposed, as in a Linear layer of PyTorch: here a projection is x W.",
    **PROJECTED,
)
def torch_layout(x, W_Q, W_K, W_V, W_O):
    return attend(x @ W_Q.T, x @ W_K.T, x @ W_V.T) @ W_O.T


@broken(
    "attention",
    {"linear.weight_forgotten", "matmul.weight_forgotten"},
    "W_O is never applied: the joined heads are multiplied by it at the end.",
    **PROJECTED,
)
def no_output_projection(x, W_Q, W_K, W_V):
    return attend(x @ W_Q, x @ W_K, x @ W_V)


@broken(
    "attention",
    {"linear.memory_forgotten", "matmul.memory_forgotten"},
    "Keys and values come from x: in cross-attention they come from the memory.",
    **PROJECTED,
    memory=rows,
)
def self_for_cross(x, W_Q, W_K, W_V, W_O):
    return attend(x @ W_Q, x @ W_K, x @ W_V) @ W_O


# -- attention, backward ---------------------------------------------------------------------------------


def dscores_of(q: Array, k: Array, v: Array, g: Array) -> Array:
    """The gradient of the scaled scores."""
    p, dp = weights_of(q, k), g @ v.T
    return p * (dp - (p * dp).sum(axis=-1, keepdims=True))


@broken(
    "attention",
    {"matmul.first_not_transposed", "matmul.first_transposed", "transpose.forgotten"},
    "The gradient of the values is P dO: it is Pᵀ dO, with the weights transposed.",
    step="dV",
    **QKV,
    **BACK,
)
def value_gradient_not_transposed(q, k, cotangent):
    return weights_of(q, k) @ cotangent


@broken(
    "attention",
    {"divide_by_root.gradient_not_divided", "divide_by_root.not_divided"},
    "The gradient of the queries is not divided by √d: the scores were, so it is too.",
    step="dQ",
    **QKV,
    **BACK,
)
def scale_forgotten_in_backward(q, k, v, cotangent):
    return dscores_of(q, k, v, cotangent) @ k


@broken(
    "attention",
    {"matmul.gradient_transposed", "matmul.second_transposed"},
    "The gradient of the keys is dS Q / √d: it is dSᵀ Q / √d.",
    step="dK",
    **QKV,
    **BACK,
)
def key_gradient_not_transposed(q, k, v, cotangent):
    return dscores_of(q, k, v, cotangent) @ q / np.sqrt(q.shape[-1])


@broken(
    "attention",
    {"softmax.gradient_let_through"},
    "dQ comes straight from the gradient of the weights: it has to pass the softmax first.",
    step="dQ",
    **QKV,
    **BACK,
)
def softmax_skipped_in_backward(q, k, v, cotangent):
    return cotangent @ v.T @ k / np.sqrt(q.shape[-1])
