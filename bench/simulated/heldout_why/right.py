"""Programs that are right, in forms that differ from ours: whoever accuses one of them is wrong."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from . import blocks
from .attention import (
    CAUSAL,
    HEADS,
    LOWER,
    PADDED,
    PROJECTED,
    TABLE,
    TOKENS,
    WIDTH,
    K,
    Q,
    V,
    W,
    X,
    attention,
    merge,
    softmax,
    split,
)
from .blocks import BLOCK, INPUT
from .checked import Array, Programs
from .gradients import ARRIVES, DEVIATION, LOGITS, NORMED, OF_LAYER, SOFTMAX, UPSTREAM, WEIGHT, P
from .parts import LAYER, LOSS, MOMENTS, NETWORK, NORM, ORDER, PLACES, ROWS, SCORES, TARGETS, log_softmax, normalized

PROGRAMS = Programs()
SIZE = WIDTH // HEADS

# -- attention ----------------------------------------------------------------------------------------


@PROGRAMS.right("attention", CAUSAL)
def by_einsum() -> Array:
    q, k, v = (part.reshape(TOKENS, HEADS, SIZE) for part in (Q, K, V))
    scores = np.einsum("qhd,khd->hqk", q, k) * SIZE**-0.5
    scores[:, ~LOWER] = -1e9
    return np.einsum("hqk,khd->qhd", softmax(scores), v).reshape(TOKENS, WIDTH)


@PROGRAMS.right("attention", CAUSAL)
def head_by_head() -> Array:
    parts = []
    for head in range(HEADS):
        columns = slice(head * SIZE, (head + 1) * SIZE)
        scores = Q[:, columns] @ K[:, columns].T / math.sqrt(SIZE)
        parts.append(softmax(np.where(LOWER, scores, -np.inf)) @ V[:, columns])
    return np.hstack(parts)


@PROGRAMS.right("attention", CAUSAL)
def token_by_token_with_a_cache() -> Array:
    rows = []
    for last in range(TOKENS):
        q, k, v = split(Q[last : last + 1]), split(K[: last + 1]), split(V[: last + 1])
        rows.append(merge(softmax(q @ k.transpose(0, 2, 1) / math.sqrt(SIZE)) @ v))
    return np.concatenate(rows)


@PROGRAMS.right("attention", CAUSAL)
def block_by_block() -> Array:
    """The online softmax: keys come two at a time, and what was added up is scaled when a larger score appears."""
    q, k, v = split(Q), split(K), split(V)
    top = np.full((HEADS, TOKENS, 1), -np.inf)
    total, mixed = np.zeros((HEADS, TOKENS, 1)), np.zeros((HEADS, TOKENS, SIZE))
    for start in range(0, TOKENS, 2):
        keys = slice(start, start + 2)
        scores = np.where(LOWER[:, keys], q @ k[:, keys].transpose(0, 2, 1) / math.sqrt(SIZE), -np.inf)
        higher = np.maximum(top, scores.max(axis=-1, keepdims=True))
        powers, shrunk = np.exp(scores - higher), np.exp(top - higher)
        total, mixed, top = shrunk * total + powers.sum(-1, keepdims=True), shrunk * mixed + powers @ v[:, keys], higher
    return merge(mixed / total)


@PROGRAMS.right("attention", CAUSAL)
def in_float32() -> Array:
    q, k, v = (part.astype(np.float32) for part in (Q, K, V))
    return attention(q, k, v, scale=lambda scores: scores / np.float32(2)).astype(np.float32)


@PROGRAMS.right("attention", CAUSAL)
def in_float16() -> Array:
    return attention().astype(np.float16)


@PROGRAMS.right("attention", CAUSAL)
def both_scaled_by_the_fourth_root() -> Array:
    return attention(Q / SIZE**0.25, K / SIZE**0.25, scale=np.asarray)


@PROGRAMS.right("attention", CAUSAL)
def masked_powers() -> Array:
    """The mask multiplies the powers, and the rows are divided by what is left."""

    def weigh(scores: Array) -> Array:
        powers = np.exp(scores) * LOWER
        return powers / powers.sum(axis=-1, keepdims=True)

    return attention(mask=np.asarray, weigh=weigh)


@PROGRAMS.right("attention", CAUSAL)
def masked_afterwards_and_normalized_again() -> Array:
    weights = softmax(split(Q) @ split(K).transpose(0, 2, 1) / 2) * LOWER
    return merge(weights / weights.sum(axis=-1, keepdims=True) @ split(V))


@PROGRAMS.right("attention", CAUSAL)
def heads_not_merged() -> Array:
    """head × token × size, as programs keep it."""
    return attention(merge=np.asarray)


@PROGRAMS.right("attention", CAUSAL)
def printed_with_four_decimals() -> Array:
    return attention().round(4)


@PROGRAMS.right("attention", CAUSAL | {"q": np.stack((Q, K)), "k": np.stack((K, V)), "v": np.stack((V, Q))})
def two_texts_at_once() -> Array:
    return np.stack((attention(), attention(K, V, Q)))


@PROGRAMS.right("attention", PADDED)
def padding_cut_off() -> Array:
    """Keys that are padding are left out instead of hidden."""
    visible = TABLE[0]
    return attention(
        Q,
        K[visible],
        V[visible],
        mask=np.asarray,
        split=lambda rows: rows.reshape(len(rows), HEADS, SIZE).transpose(1, 0, 2),
    )


@PROGRAMS.right("multi_head_attention", PROJECTED)
def weights_stored_out_in() -> Array:
    """nn.Linear keeps [out, in], and multiplies by the transpose."""
    stored = {name: weight.T.copy() for name, weight in W.items()}
    q, k, v = (X @ stored[f"W_{letter}"].T for letter in "QKV")
    return attention(q, k, v, mask=np.asarray) @ stored["W_O"].T


@PROGRAMS.right("multi_head_attention", PROJECTED)
def one_product_for_all_projections() -> Array:
    q, k, v = np.split(X @ np.hstack([W[f"W_{letter}"] for letter in "QKV"]), 3, axis=1)
    return attention(q, k, v, mask=np.asarray) @ W["W_O"]


@PROGRAMS.right("multi_head_attention", PROJECTED)
def heads_projected_and_added() -> Array:
    """Each head goes through its rows of W_O, and the results are added."""
    parts = attention(X @ W["W_Q"], X @ W["W_K"], X @ W["W_V"], mask=np.asarray, merge=np.asarray)
    return sum(
        (part @ rows for part, rows in zip(parts, np.split(W["W_O"], HEADS), strict=True)), np.zeros((TOKENS, WIDTH))
    )


# -- softmax, norms, losses ---------------------------------------------------------------------------


@PROGRAMS.right("softmax", SCORES)
def by_the_logarithm_of_the_sum() -> Array:
    return np.exp(log_softmax(ROWS))


@PROGRAMS.right("softmax", SCORES)
def by_powers_of_two() -> Array:
    powers = np.exp2(ROWS * math.log2(math.e))
    return powers / powers.sum(axis=1, keepdims=True)


@PROGRAMS.right("softmax", SCORES)
def by_differences() -> Array:
    """1 over the sum of all powers of differences."""
    return 1 / np.exp(ROWS[:, None, :] - ROWS[:, :, None]).sum(axis=2)


@PROGRAMS.right("softmax", SCORES)
def softmax_in_float32() -> Array:
    return softmax(ROWS.astype(np.float32))


@PROGRAMS.right("layer_norm", NORM)
def variance_by_moments() -> Array:
    average = ROWS.mean(axis=1, keepdims=True)
    variance = (ROWS**2).mean(axis=1, keepdims=True) - average**2
    return (ROWS - average) / np.sqrt(variance + 1e-5) * NORM["gamma"] + NORM["beta"]


@PROGRAMS.right("layer_norm", NORM)
def variance_by_welford() -> Array:
    out = []
    for row in ROWS:
        average = squares = 0.0
        for count, entry in enumerate(row, start=1):
            step = entry - average
            average += step / count
            squares += step * (entry - average)
        out.append((row - average) / math.sqrt(squares / len(row) + 1e-5))
    return np.array(out) * NORM["gamma"] + NORM["beta"]


@PROGRAMS.right("layer_norm", NORM)
def norm_in_float32() -> Array:
    return (normalized(ROWS.astype(np.float32)) * NORM["gamma"] + NORM["beta"]).astype(np.float32)


@PROGRAMS.right("layer_norm", NORM | {"x": ROWS[None]})
def norm_with_a_batch_of_one() -> Array:
    return (normalized(ROWS) * NORM["gamma"] + NORM["beta"])[None]


@PROGRAMS.right("rms_norm", {"x": ROWS, "gamma": NORM["gamma"]})
def length_times_root_of_n() -> Array:
    length = np.sqrt((ROWS**2).sum(axis=1, keepdims=True) + 7 * 1e-6)
    return math.sqrt(7) * ROWS / length * NORM["gamma"]


@PROGRAMS.right("cross_entropy", LOSS)
def loss_by_the_logarithm_of_the_sum() -> Array:
    logits = 2 * ROWS
    top = logits.max(axis=1)
    return (top + np.log(np.exp(logits - top[:, None]).sum(axis=1)) - logits[np.arange(5), TARGETS]).mean()


@PROGRAMS.right("cross_entropy", LOSS)
def loss_by_one_hot_rows() -> Array:
    return -np.einsum("tv,tv->", np.eye(7)[TARGETS], np.log(softmax(2 * ROWS))) / len(TARGETS)


@PROGRAMS.right("cross_entropy", LOSS)
def loss_as_logarithm_of_perplexity() -> Array:
    return np.log(np.prod(1 / softmax(2 * ROWS)[np.arange(5), TARGETS]) ** (1 / 5))


# -- activations, positions, layers, optimizers -------------------------------------------------------


@PROGRAMS.right("gelu", SCORES)
def gelu_by_the_normal_distribution() -> Array:
    return ROWS * np.vectorize(NormalDist().cdf)(ROWS)


@PROGRAMS.right("gelu", SCORES)
def gelu_by_erfc() -> Array:
    return 0.5 * ROWS * np.vectorize(math.erfc)(-ROWS / math.sqrt(2))


@PROGRAMS.right("positional_encoding", PLACES)
def positions_by_complex_numbers() -> Array:
    turns = np.exp(1j * np.outer(ORDER, 10000 ** (-np.arange(0, 8, 2) / 8)))
    return np.stack((turns.imag, turns.real), axis=-1).reshape(len(ORDER), 8)


@PROGRAMS.right("positional_encoding", PLACES)
def positions_by_exp_of_log() -> Array:
    """As in the annotated transformer."""
    steps = np.exp(np.arange(0, 8, 2) * -(math.log(10000.0) / 8))
    table = np.zeros((len(ORDER), 8))
    table[:, 0::2], table[:, 1::2] = np.sin(ORDER[:, None] * steps), np.cos(ORDER[:, None] * steps)
    return table


@PROGRAMS.right("linear", LAYER)
def bias_as_a_row_of_the_weight() -> Array:
    return np.column_stack((LAYER["x"], np.ones(4))) @ np.vstack((LAYER["W"], LAYER["b"]))


@PROGRAMS.right("feed_forward", NETWORK)
def relu_as_half_of_a_sum() -> Array:
    hidden = np.einsum("tm,mh->th", NETWORK["x"], NETWORK["W_1"]) + NETWORK["b_1"]
    return (hidden + np.abs(hidden)) / 2 @ NETWORK["W_2"] + NETWORK["b_2"]


@PROGRAMS.right("feed_forward", NETWORK)
def hidden_units_in_two_halves() -> Array:
    out = np.tile(NETWORK["b_2"], (4, 1))
    for units in (slice(0, 4), slice(4, 9)):
        out += np.maximum(NETWORK["x"] @ NETWORK["W_1"][:, units] + NETWORK["b_1"][units], 0) @ NETWORK["W_2"][units]
    return out


@PROGRAMS.right("adam", MOMENTS)
def adam_as_libraries_write_it() -> Array:
    """Both corrections go into the step, and epsilon is added after the root of the corrected v."""
    m = MOMENTS["m"] + 0.1 * (MOMENTS["dW"] - MOMENTS["m"])
    v = 0.999 * MOMENTS["v"] + 0.001 * MOMENTS["dW"] * MOMENTS["dW"]
    root = np.sqrt(v) / math.sqrt(1 - 0.999**4) + 1e-8
    return MOMENTS["W"] - MOMENTS["rate"] / (1 - 0.9**4) * m / root


@PROGRAMS.right("adamw", MOMENTS | {"decay": 0.1})
def adamw_with_the_decay_first() -> Array:
    weight = MOMENTS["W"] * (1 - MOMENTS["rate"] * 0.1)
    return weight + adam_as_libraries_write_it() - MOMENTS["W"]


# -- a block, and gradients ---------------------------------------------------------------------------


@PROGRAMS.right(BLOCK, INPUT)
def block_line_by_line() -> Array:
    middle = blocks.X + blocks.attention(blocks.norm(blocks.X, *blocks.FIRST))
    return middle + blocks.network(blocks.norm(middle, *blocks.SECOND))


@PROGRAMS.right(BLOCK, INPUT)
def block_in_float32() -> Array:
    return block_line_by_line().astype(np.float32)


@PROGRAMS.right("softmax", SOFTMAX)
def whole_jacobian() -> Array:
    return np.array([(np.diag(p) - np.outer(p, p)) @ g for p, g in zip(P, UPSTREAM, strict=True)])


@PROGRAMS.right("layer_norm", NORMED)
def norm_by_projections() -> Array:
    """The gradient loses its parts along the ones and along the normalized row."""
    hat, n = normalized(ROWS), ROWS.shape[1]
    kept = np.eye(n) - np.ones((n, n)) / n - hat[:, :, None] * hat[:, None, :] / n
    return np.einsum("tij,tj->ti", kept, ARRIVES) / DEVIATION


@PROGRAMS.right("linear", WEIGHT)
def sum_of_outer_products() -> Array:
    return sum((np.outer(x, g) for x, g in zip(LAYER["x"], OF_LAYER, strict=True)), np.zeros((6, 6)))


@PROGRAMS.right("cross_entropy", LOGITS)
def one_subtracted_in_place() -> Array:
    p = softmax(2 * ROWS)
    p[np.arange(5), TARGETS] -= 1
    return p / 5
