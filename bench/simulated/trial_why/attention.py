"""Broken programs: softmax, attention with masks and heads, and back through it."""

from __future__ import annotations

import numpy as np

from ..exam_why.attention import heads_of, joined, scaled
from ..exam_why.heads import back_to_scores
from ..fresh_why.cases import BACK, CAUSAL, HEADS, PADDED, PROJECTED, QKV, TWO_HEADS, Programs, rows, softmax

PROGRAMS = Programs()
broken = PROGRAMS.broken

# -- softmax ---------------------------------------------------------------------------------------------


@broken("softmax", {"softmax.base_two"}, "The powers are powers of 2: they are powers of e.", x=rows)
def powers_of_two(x):
    return 2**x / (2**x).sum(axis=-1, keepdims=True)


@broken("softmax", {"softmax.sign_turned"}, "The exponent is minus the score: it is the score.", x=rows)
def softmin(x):
    return softmax(-x)


@broken("softmax", {"softmax.applied_twice"}, "The softmax is applied to its own result: it is applied once.", x=rows)
def applied_twice(x):
    return softmax(softmax(x))


@broken("softmax", {"softmax.no_exponential"}, "The scores are divided by their sum: their powers of e are.", x=rows)
def without_powers(x):
    return x / x.sum(axis=1, keepdims=True)


@broken("softmax", {"softmax.logarithm_kept"}, "The logarithm is returned: the softmax itself is asked for.", x=rows)
def logarithm_returned(x):
    return x - np.log(np.exp(x).sum(axis=-1, keepdims=True))


@broken(
    "softmax",
    {"softmax.plain_mean"},
    "The plain mean is subtracted: it is the weighted one.",
    step="dx",
    x=rows,
    **BACK,
)
def plain_mean_back(x, cotangent):
    return softmax(x) * (cotangent - cotangent.mean(axis=-1, keepdims=True))


@broken(
    "softmax",
    {"pending.sign"},
    "The average less the gradient is taken: it is the gradient less the average.",
    step="dx",
    x=rows,
    **BACK,
)
def turned_around_back(x, cotangent):
    p = softmax(x)
    return p * ((p * cotangent).sum(axis=-1, keepdims=True) - cotangent)


# -- attention -------------------------------------------------------------------------------------------


@broken(
    "attention", {"divide_by_root.multiplied"}, "The scores are multiplied by the root: they are divided by it.", **QKV
)
def scaled_up(q, k, v):
    return softmax(q @ k.T * np.sqrt(q.shape[1])) @ v


@broken("attention", {"softmax.scaled_afterwards"}, "The weights are divided by the root: the scores are.", **QKV)
def scaled_after_the_softmax(q, k, v):
    return softmax(q @ k.T) / np.sqrt(q.shape[1]) @ v


@broken(
    "attention",
    {"attention.queries_and_keys_exchanged", "matmul.queries_and_keys_exchanged", "matmul.reversed"},
    "The scores are K Qᵀ: they are Q Kᵀ.",
    **QKV,
)
def keys_with_queries(q, k, v):
    return softmax(scaled(k, q)) @ v


@broken("attention", {"pending.keys_with_keys"}, "The scores are K Kᵀ: they are Q Kᵀ.", **QKV)
def keys_with_keys(q, k, v):
    return softmax(scaled(k, k)) @ v


@broken(
    "attention", {"matmul.only_largest"}, "Only the value with the largest weight is taken: all are averaged.", **QKV
)
def largest_only(q, k, v):
    return v[(q @ k.T).argmax(axis=-1)]


@broken("attention", {"pending.queries_averaged"}, "The weights average the queries: they average the values.", **QKV)
def queries_averaged(q, k, v):
    return softmax(scaled(q, k)) @ q


@broken(
    "attention",
    {"softmax.masked_afterwards"},
    "Masked weights become 0 after the softmax: the scores are masked.",
    **PADDED,
)
def padding_zeroed_afterwards(q, k, v, mask):
    return softmax(scaled(q, k)) * mask @ v


@broken(
    "attention",
    {"mask.forgotten", "padding_mask.forgotten"},
    "The padding is not masked: no token attends to it.",
    **PADDED,
)
def padding_seen(q, k, v):
    return softmax(scaled(q, k)) @ v


@broken(
    "attention",
    {"mask.turned_into_zero", "padding_mask.turned_into_zero"},
    "Hidden scores become 0: they become minus infinity.",
    **PADDED,
)
def padding_scores_zero(q, k, v, mask):
    return softmax(scaled(q, k) * mask) @ v


@broken(
    "attention",
    {"causal_mask.not_infinite", "mask.not_infinite"},
    "1 is subtracted from hidden scores: they become -∞.",
    **CAUSAL,
)
def one_subtracted_where_hidden(q, k, v):
    return softmax(scaled(q, k) - np.triu(np.ones((len(q), len(q))), 1)) @ v


@broken(
    "attention",
    {"merge_heads.heads_reversed"},
    "The second head comes first in each row: heads are joined in order.",
    **TWO_HEADS,
)
def second_head_first(q, k, v):
    q, k, v = (heads_of(x) for x in (q, k, v))
    return joined((softmax(scaled(q, k)) @ v)[::-1])


@broken(
    "attention", {"matmul.other_head_first"}, "Both heads have the weights of the first: each has its own.", **TWO_HEADS
)
def weights_of_the_first_head(q, k, v):
    q, k, v = (heads_of(x) for x in (q, k, v))
    return joined(softmax(scaled(q, k))[:1] @ v)


@broken(
    "attention",
    {"attention.unscaled", "divide_by_root.not_divided"},
    "The scores of the heads are not scaled: they are divided by the root of a width.",
    **TWO_HEADS,
)
def heads_not_scaled(q, k, v):
    q, k, v = (heads_of(x) for x in (q, k, v))
    return joined(softmax(q @ k.swapaxes(1, 2)) @ v)


@broken(
    "attention",
    {
        "attention.queries_and_keys_exchanged",
        "linear.other_weight",
        "matmul.other_weight",
        "matmul.queries_and_keys_exchanged",
    },
    "W_Q and W_K are exchanged: queries come from W_Q.",
    **PROJECTED,
)
def matrices_exchanged(x, W_Q, W_K, W_V, W_O):
    q, k, v = (heads_of(x @ weight) for weight in (W_K, W_Q, W_V))
    return joined(softmax(scaled(q, k)) @ v) @ W_O


@broken(
    "attention",
    {"linear.weight_transposed", "matmul.second_transposed"},
    "W_O is transposed: it multiplies as it is.",
    **PROJECTED,
)
def output_matrix_transposed(x, W_Q, W_K, W_V, W_O):
    q, k, v = (heads_of(x @ weight) for weight in (W_Q, W_K, W_V))
    return joined(softmax(scaled(q, k)) @ v) @ W_O.T


@broken(
    "attention",
    {"linear.weight_forgotten", "matmul.weight_forgotten"},
    "The values are the input itself: it is projected.",
    **PROJECTED,
)
def values_not_projected(x, W_Q, W_K, W_O):
    q, k, v = heads_of(x @ W_Q), heads_of(x @ W_K), heads_of(x)
    return joined(softmax(scaled(q, k)) @ v) @ W_O


@broken(
    "attention",
    {"convention.attention_scale.model", "divide_by_root.root_of_model"},
    "The root is that of 6 columns: a head has 3.",
    **PROJECTED,
)
def whole_width(x, W_Q, W_K, W_V, W_O):
    q, k, v = (heads_of(x @ weight) for weight in (W_Q, W_K, W_V))
    return joined(softmax(q @ k.swapaxes(1, 2) / np.sqrt(HEADS * 3)) @ v) @ W_O


@broken(
    "attention",
    {"divide_by_root.gradient_not_divided"},
    "dK is not divided by the root: it is.",
    step="dK",
    **QKV,
    **BACK,
)
def keys_not_scaled_back(q, k, v, cotangent):
    return back_to_scores(q, k, v, cotangent)[1].T @ q


@broken(
    "attention",
    {"divide_by_root.gradient_multiplied"},
    "dQ is multiplied by the root: it is divided.",
    step="dQ",
    **QKV,
    **BACK,
)
def queries_scaled_up_back(q, k, v, cotangent):
    return back_to_scores(q, k, v, cotangent)[1] @ k * np.sqrt(6)


@broken("attention", {"matmul.queries_by_queries"}, "dQ is dS Q: it is dS K.", step="dQ", **QKV, **BACK)
def queries_by_queries(q, k, v, cotangent):
    return back_to_scores(q, k, v, cotangent)[1] @ q / np.sqrt(6)


@broken(
    "attention",
    {"softmax.average_forgotten"},
    "Nothing is subtracted going back: the average is.",
    step="dQ",
    **QKV,
    **BACK,
)
def average_left_out_back(q, k, v, cotangent):
    return softmax(scaled(q, k)) * (cotangent @ v.T) @ k / np.sqrt(6)
