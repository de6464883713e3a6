"""Pre-norm blocks with one thing wrong, against a block of `w.nn` with the same weights."""

from __future__ import annotations

import numpy as np

import workings as w

from .attention import softmax
from .checked import Array, Programs

PROGRAMS = Programs()
TOKENS, WIDTH, HEADS, INNER = 5, 8, 2, 12
DRAWN = np.random.default_rng(1618)
X = DRAWN.standard_normal((TOKENS, WIDTH))
W = {f"W_{letter}": DRAWN.standard_normal((WIDTH, WIDTH)) / 2 for letter in "QKVO"}
W_1, W_2 = DRAWN.standard_normal((WIDTH, INNER)) / 2, DRAWN.standard_normal((INNER, WIDTH)) / 2
B_1, B_2 = DRAWN.standard_normal(INNER), DRAWN.standard_normal(WIDTH)
FIRST, SECOND = (tuple(DRAWN.uniform(0.3, 1.7, (2, WIDTH))) for _ in range(2))  # gamma and beta


def block() -> w.nn.Block:
    """The block that the programs are to be."""

    def weight(name: str, axes: str, numbers: Array) -> w.Tensor:
        return w.parameter(numbers, axes, name=name)

    def norm(gamma: Array, beta: Array) -> w.nn.LayerNorm:
        return w.nn.LayerNorm(weight("gamma", "model", gamma), weight("beta", "model", beta))

    heads = w.nn.PackedHeads(
        *(weight(f"W_{letter}", "model joined", W[f"W_{letter}"]) for letter in "QKV"),
        W_O=weight("W_O", "joined model", W["W_O"]),
        heads=HEADS,
        mask=w.nn.Causal(),
    )
    network = w.nn.FeedForward(
        weight("W_1", "model hidden", W_1),
        weight("b_1", "hidden", B_1),
        weight("W_2", "hidden model", W_2),
        weight("b_2", "model", B_2),
        w.ops.relu,
    )
    return w.nn.Block(w.nn.PreNorm(heads, norm(*FIRST)), w.nn.PreNorm(network, norm(*SECOND)))


BLOCK, INPUT = block(), {"X": X}


def norm(x: Array, gamma: Array, beta: Array) -> Array:
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + 1e-5) * gamma + beta


def attention(x: Array) -> Array:
    q, k, v = ((x @ W[f"W_{letter}"]).reshape(TOKENS, HEADS, -1).transpose(1, 0, 2) for letter in "QKV")
    scores = q @ k.transpose(0, 2, 1) / np.sqrt(WIDTH // HEADS)
    weights = softmax(np.where(np.tri(TOKENS, dtype=bool), scores, -np.inf))
    return (weights @ v).transpose(1, 0, 2).reshape(TOKENS, WIDTH) @ W["W_O"]


def network(x: Array) -> Array:
    return np.maximum(x @ W_1 + B_1, 0) @ W_2 + B_2


@PROGRAMS.broken(BLOCK, INPUT, "convention.norm_place.post")
def norm_after_the_residual() -> Array:
    middle = norm(X + attention(X), *FIRST)
    return norm(middle + network(middle), *SECOND)


@PROGRAMS.broken(BLOCK, INPUT, "add.residual_of_normalised")
def residual_of_the_norm() -> Array:
    """SHI-Labs/Compact-Transformers issue 25."""
    normed = norm(X, *FIRST)
    middle = normed + attention(normed)
    second = norm(middle, *SECOND)
    return second + network(second)


@PROGRAMS.broken(BLOCK, INPUT, "add.residual_forgotten")
def no_residual_around_the_network() -> Array:
    middle = X + attention(norm(X, *FIRST))
    return network(norm(middle, *SECOND))


@PROGRAMS.broken(BLOCK, INPUT, "add.residual_of_block_input", "add.residual_from_block_input")
def second_residual_from_the_start() -> Array:
    middle = X + attention(norm(X, *FIRST))
    return X + network(norm(middle, *SECOND))


@PROGRAMS.broken(BLOCK, INPUT, "layer_norm.other_weights", "layer_norm.weights_of_another_norm")
def one_norm_used_twice() -> Array:
    middle = X + attention(norm(X, *FIRST))
    return middle + network(norm(middle, *FIRST))


@PROGRAMS.broken(BLOCK, INPUT, "layer_norm.left_out")
def second_norm_left_out() -> Array:
    middle = X + attention(norm(X, *FIRST))
    return middle + network(middle)


@PROGRAMS.broken(BLOCK, INPUT, "add.residual_twice")
def input_added_twice() -> Array:
    """The attention adds its input itself, and so does the block."""
    middle = X + (X + attention(norm(X, *FIRST)))
    return middle + network(norm(middle, *SECOND))


@PROGRAMS.broken(BLOCK, INPUT, "block.parallel", "add.network_of_block_input")
def side_by_side() -> Array:
    """Attention and network both read the input, as in GPT-J."""
    return X + attention(norm(X, *FIRST)) + network(norm(X, *SECOND))
