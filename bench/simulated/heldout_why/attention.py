"""Attentions with one thing wrong. Six tokens, three heads of four numbers."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from .checked import Array, Programs

PROGRAMS = Programs()
TOKENS, WIDTH, HEADS = 6, 12, 3
DRAWN = np.random.default_rng(2718)
Q, K, V, X, MEMORY = (DRAWN.standard_normal((TOKENS, WIDTH)) for _ in range(5))
W = {f"W_{letter}": DRAWN.standard_normal((WIDTH, WIDTH)) / 3 for letter in "QKVO"}
LOWER = np.tri(TOKENS, dtype=bool)
TABLE = np.tile(np.arange(TOKENS) < 4, (TOKENS, 1))  # the last two tokens are padding

CAUSAL = {"q": Q, "k": K, "v": V, "heads": HEADS, "mask": "causal"}
PADDED = {"q": Q, "k": K, "v": V, "heads": HEADS, "mask": TABLE.astype(float)}
PROJECTED = {"x": X, "heads": HEADS, **W}
CROSSED = {"x": X, "memory": MEMORY, "heads": HEADS, **W}


def split(rows: Array) -> Array:
    return rows.reshape(len(rows), HEADS, -1).transpose(1, 0, 2)


def merge(parts: Array) -> Array:
    return parts.transpose(1, 0, 2).reshape(parts.shape[1], -1)


def softmax(scores: Array, axis: int | tuple[int, ...] = -1) -> Array:
    powers = np.exp(scores - scores.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def root(scores: Array) -> Array:
    return scores / np.sqrt(WIDTH // HEADS)


def hide(scores: Array) -> Array:
    return np.where(LOWER, scores, -np.inf)


def attention(
    q: Array = Q,
    k: Array = K,
    v: Array = V,
    *,
    split: Callable[[Array], Array] = split,
    scale: Callable[[Array], Array] = root,
    mask: Callable[[Array], Array] = hide,
    weigh: Callable[[Array], Array] = softmax,
    merge: Callable[[Array], Array] = merge,
) -> Array:
    """Right as it stands."""
    q, k, v = split(q), split(k), split(v)
    return merge(weigh(mask(scale(q @ k.transpose(0, 2, 1)))) @ v)


def projected(q: Array, k: Array, v: Array) -> Array:
    """Without a mask, with the output projection."""
    return attention(q, k, v, mask=np.asarray) @ W["W_O"]


# -- scaling ------------------------------------------------------------------------------------------


@PROGRAMS.broken("attention", CAUSAL, "divide_by_root.root_of_model", "convention.attention_scale.model")
def root_of_the_model() -> Array:
    """lsdefine/attention-is-all-you-need-keras: temper = sqrt(d_model)."""
    return attention(scale=lambda scores: scores / np.sqrt(WIDTH))


@PROGRAMS.broken("attention", CAUSAL, "divide_by_root.not_divided", "attention.unscaled", "softmax.not_scaled")
def not_scaled() -> Array:
    return attention(scale=np.asarray)


@PROGRAMS.broken("attention", CAUSAL, "divide_by_root.root_forgotten", "attention.root_forgotten")
def scaled_in_two_places() -> Array:
    """Once the queries, once the scores."""
    return attention(q=Q / np.sqrt(WIDTH // HEADS))


@PROGRAMS.broken("attention", CAUSAL, "divide_by_root.multiplied")
def multiplied_by_the_root() -> Array:
    return attention(scale=lambda scores: scores * np.sqrt(WIDTH // HEADS))


@PROGRAMS.broken("attention", CAUSAL, "divide_by_root.root_of_keys")
def root_of_the_tokens() -> Array:
    return attention(scale=lambda scores: scores / np.sqrt(scores.shape[-1]))


@PROGRAMS.broken("attention", CAUSAL, "divide_by_root.root_of_heads", "divide_by_root.other_number")
def root_of_the_heads() -> Array:
    return attention(scale=lambda scores: scores / np.sqrt(HEADS))


# -- softmax ------------------------------------------------------------------------------------------


@PROGRAMS.broken("attention", PADDED | {"mask": None}, "softmax.wrong_axis", "attention.wrong_axis")
def softmax_over_queries() -> Array:
    return attention(mask=np.asarray, weigh=lambda scores: softmax(scores, axis=-2))


@PROGRAMS.broken("attention", PADDED | {"mask": None}, "softmax.wrong_axis", "softmax.over_heads")
def softmax_over_heads() -> Array:
    """F.softmax(scores, dim=0) on head × query × key."""
    return attention(mask=np.asarray, weigh=lambda scores: softmax(scores, axis=0))


@PROGRAMS.broken("attention", CAUSAL, "softmax.over_all_rows", "softmax.whole_table")
def softmax_of_the_whole_matrix() -> Array:
    return attention(weigh=lambda scores: softmax(scores, axis=(-2, -1)))


@PROGRAMS.broken("attention", CAUSAL, "softmax.not_normalised")
def softmax_without_the_sum() -> Array:
    return attention(weigh=np.exp)


# -- masks --------------------------------------------------------------------------------------------


@PROGRAMS.broken("attention", CAUSAL, "causal_mask.forgotten", "mask.forgotten", "softmax.mask_forgotten")
def mask_forgotten() -> Array:
    return attention(mask=np.asarray)


@PROGRAMS.broken("attention", CAUSAL, "softmax.masked_afterwards")
def masked_after_the_softmax() -> Array:
    """huggingface/pytorch-image-models pull request 2236 fixed this."""
    return attention(mask=np.asarray, weigh=lambda scores: np.where(LOWER, softmax(scores), 0))


@PROGRAMS.broken("attention", CAUSAL, "causal_mask.upper_triangle")
def earlier_tokens_hidden() -> Array:
    return attention(mask=lambda scores: np.where(LOWER.T, scores, -np.inf))


@PROGRAMS.broken("attention", CAUSAL, "causal_mask.turned_into_zero")
def hidden_scores_are_zero() -> Array:
    return attention(mask=lambda scores: scores * LOWER)


@PROGRAMS.broken("attention", CAUSAL, "causal_mask.one_ahead")
def one_token_too_far() -> Array:
    return attention(mask=lambda scores: np.where(np.tri(TOKENS, k=1, dtype=bool), scores, -np.inf))


@PROGRAMS.broken("attention", CAUSAL, "causal_mask.not_infinite", "mask.not_infinite", "causal_mask.added")
def mask_of_ones_added() -> Array:
    """scores + mask, with 1 where a token may look and 0 elsewhere."""
    return attention(mask=lambda scores: scores + LOWER)


@PROGRAMS.broken("attention", PADDED, "mask.exchanged", "padding_mask.exchanged")
def mask_means_the_opposite() -> Array:
    """True is hidden in nn.MultiheadAttention, and visible in scaled_dot_product_attention."""
    return attention(mask=lambda scores: np.where(TABLE, -np.inf, scores))


@PROGRAMS.broken("attention", PADDED, "padding_mask.queries_hidden", "mask.queries_hidden", "mask.transposed")
def padding_hides_queries() -> Array:
    """lsdefine/attention-is-all-you-need-keras issue 16: the mask runs down the rows."""
    return attention(mask=lambda scores: np.where(TABLE.T, scores, -1e9))


# -- heads --------------------------------------------------------------------------------------------


@PROGRAMS.broken("attention", CAUSAL, "split_heads.reshape_without_transpose")
def split_without_transposing() -> Array:
    return attention(split=lambda rows: rows.reshape(HEADS, TOKENS, -1))


@PROGRAMS.broken("attention", CAUSAL, "merge_heads.reshape_without_transpose")
def merged_without_transposing() -> Array:
    return attention(merge=lambda parts: parts.reshape(TOKENS, -1))


@PROGRAMS.broken("attention", CAUSAL, "split_heads.interleaved")
def columns_dealt_out() -> Array:
    """einops "t (d h) -> h t d"."""
    return attention(split=lambda rows: rows.reshape(TOKENS, -1, HEADS).transpose(2, 0, 1))


@PROGRAMS.broken("attention", CAUSAL, "merge_heads.heads_reversed", "split_heads.heads_reversed")
def heads_from_the_right() -> Array:
    return attention(merge=lambda parts: merge(parts[::-1]))


@PROGRAMS.broken("attention", CAUSAL, "attention.last_head_for_all", "split_heads.one_head_for_all")
def last_head_everywhere() -> Array:
    """A list of results that all are the same array, overwritten in each turn."""
    return attention(merge=lambda parts: merge(np.repeat(parts[-1:], HEADS, axis=0)))


# -- roles and weights --------------------------------------------------------------------------------


@PROGRAMS.broken("attention", CAUSAL, "attention.keys_and_values_exchanged", "matmul.keys_and_values_exchanged")
def keys_and_values_exchanged() -> Array:
    return attention(k=V, v=K)


@PROGRAMS.broken("attention", CAUSAL, "attention.queries_and_keys_exchanged", "matmul.queries_and_keys_exchanged")
def queries_and_keys_exchanged() -> Array:
    return attention(q=K, k=Q)


@PROGRAMS.broken("multi_head_attention", PROJECTED, "matmul.second_transposed", "linear.weight_transposed")
def weights_in_the_other_layout() -> Array:
    """Weights of nn.Linear, [out, in], multiplied as if they were [in, out]."""
    q, k, v = (X @ W[f"W_{letter}"].T for letter in "QKV")
    return attention(q, k, v, mask=np.asarray) @ W["W_O"].T


@PROGRAMS.broken("multi_head_attention", PROJECTED, "matmul.other_weight")
def keys_with_the_queries_weight() -> Array:
    return projected(X @ W["W_Q"], X @ W["W_Q"], X @ W["W_V"])


@PROGRAMS.broken("multi_head_attention", PROJECTED, "matmul.weight_forgotten")
def values_not_projected() -> Array:
    return projected(X @ W["W_Q"], X @ W["W_K"], X)


@PROGRAMS.broken("multi_head_attention", CROSSED, "attention.memory_forgotten")
def decoder_attends_to_itself() -> Array:
    return projected(X @ W["W_Q"], X @ W["W_K"], X @ W["W_V"])


@PROGRAMS.broken("multi_head_attention", CROSSED, "attention.memory_exchanged")
def encoder_asks_the_decoder() -> Array:
    return projected(MEMORY @ W["W_Q"], X @ W["W_K"], X @ W["W_V"])
