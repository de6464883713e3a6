"""Broken programs: attention with heads and projections, and back through attention."""

from __future__ import annotations

import numpy as np

from ..fresh_why.cases import BACK, HEADS, PROJECTED, QKV, TWO_HEADS, Array, Programs, softmax
from .attention import heads_of, joined, scaled

PROGRAMS = Programs()
broken = PROGRAMS.broken

# -- heads -----------------------------------------------------------------------------------------------


@broken(
    "attention",
    {"convention.attention_scale.model", "divide_by_root.root_of_model"},
    "The scores are divided by the root of the model's width: it is the root of one head's width.",
    **TWO_HEADS,
)
def root_of_the_model(q, k, v):
    q, k, v = (heads_of(x) for x in (q, k, v))
    return joined(softmax(q @ k.transpose(0, 2, 1) / np.sqrt(6)) @ v)


@broken(
    "attention",
    {"permute.reshaped", "split_heads.reshape_without_transpose"},
    "The heads are made by a reshape alone, which mixes tokens: a transpose comes after it.",
    **TWO_HEADS,
)
def split_by_reshape(q, k, v):
    q, k, v = (x.reshape(HEADS, len(x), -1) for x in (q, k, v))
    return joined(softmax(scaled(q, k)) @ v)


@broken(
    "attention",
    {"merge_heads.reshape_without_transpose", "permute.reshaped"},
    "The heads are joined by a reshape alone, which mixes tokens: a transpose comes first.",
    **TWO_HEADS,
)
def merged_by_reshape(q, k, v):
    context = softmax(scaled(heads_of(q), heads_of(k))) @ heads_of(v)
    return context.reshape(v.shape)


@broken(
    "attention",
    {"merge_heads.interleaved", "split_heads.interleaved"},
    "Each head gets every second column: it gets columns that are next to each other.",
    **TWO_HEADS,
)
def every_second_column(q, k, v):
    q, k, v = (x.reshape(len(x), -1, HEADS).transpose(2, 0, 1) for x in (q, k, v))
    return (softmax(scaled(q, k)) @ v).transpose(1, 2, 0).reshape(5, 6)


@broken(
    "attention",
    {"softmax.over_heads", "softmax.wrong_axis"},
    "The softmax runs over the heads, axis 0: it runs over the keys.",
    **TWO_HEADS,
)
def softmax_over_heads(q, k, v):
    return joined(softmax(scaled(heads_of(q), heads_of(k)), axis=0) @ heads_of(v))


@broken(
    "attention",
    {"split_heads.heads_ignored"},
    "The number of heads is ignored and one head has all columns: the columns are split between two.",
    **TWO_HEADS,
)
def one_head_only(q, k, v):
    return softmax(scaled(q, k)) @ v


@broken(
    "attention",
    {"linear.weight_forgotten", "matmul.weight_forgotten"},
    "The joined heads are returned: they are multiplied by W_O.",
    **PROJECTED,
)
def without_w_o(x, W_Q, W_K, W_V):
    q, k, v = (heads_of(x @ weight) for weight in (W_Q, W_K, W_V))
    return joined(softmax(scaled(q, k)) @ v)


@broken(
    "attention",
    {"linear.weight_transposed", "matmul.second_transposed"},
    "All weights are transposed, as in a PyTorch layer: here they multiply as they are, x W.",
    **PROJECTED,
)
def weights_of_pytorch(x, W_Q, W_K, W_V, W_O):
    q, k, v = (heads_of(x @ weight.T) for weight in (W_Q, W_K, W_V))
    return joined(softmax(scaled(q, k)) @ v) @ W_O.T


@broken(
    "attention",
    {"linear.other_weight", "matmul.other_weight"},
    "Values are computed with W_K: they have W_V.",
    **PROJECTED,
)
def values_by_w_k(x, W_Q, W_K, W_O):
    q, k, v = (heads_of(x @ weight) for weight in (W_Q, W_K, W_K))
    return joined(softmax(scaled(q, k)) @ v) @ W_O


# -- back through attention ------------------------------------------------------------------------------


def back_to_scores(q: Array, k: Array, v: Array, cotangent: Array) -> tuple[Array, Array]:
    """The attention weights, and the gradient of the scaled scores."""
    weights = softmax(scaled(q, k))
    gradient = cotangent @ v.T
    return weights, weights * (gradient - (weights * gradient).sum(axis=-1, keepdims=True))


@broken(
    "attention",
    {"divide_by_root.gradient_not_divided"},
    "The gradient is not divided by the root of the width: it is, as the scores were.",
    step="dQ",
    **QKV,
    **BACK,
)
def queries_not_scaled_back(q, k, v, cotangent):
    return back_to_scores(q, k, v, cotangent)[1] @ k


@broken("attention", {"matmul.first_not_transposed"}, "dV is A dC: it is Aᵀ dC.", step="dV", **QKV, **BACK)
def values_not_transposed_back(q, k, v, cotangent):
    return back_to_scores(q, k, v, cotangent)[0] @ cotangent


@broken("attention", {"matmul.gradient_transposed"}, "dK is dS Q: it is dSᵀ Q.", step="dK", **QKV, **BACK)
def keys_not_transposed_back(q, k, v, cotangent):
    return back_to_scores(q, k, v, cotangent)[1] @ q / np.sqrt(6)


@broken(
    "attention",
    {"softmax.gradient_let_through"},
    "The gradient of the attention weights is taken for that of the scores: it goes back through the softmax first.",
    step="dQ",
    **QKV,
    **BACK,
)
def softmax_skipped_back(q, k, v, cotangent):
    return cotangent @ v.T @ k / np.sqrt(6)
