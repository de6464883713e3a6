"""Broken programs: a pre-norm block of two heads."""

from __future__ import annotations

import numpy as np

from ..fresh_why.block import B_1, B_2, BLOCK, HEADS, W_1, W_2, WIDTH, W, attention, network, norm
from ..fresh_why.cases import Array, Programs, normal, softmax

PROGRAMS = Programs()
broken = PROGRAMS.broken
X = normal(5, WIDTH)


@broken(
    BLOCK,
    {"convention.norm_place.post"},
    "Each norm comes after its residual: in a pre-norm block it comes first.",
    X=X,
)
def norms_after_residuals(X):
    middle = norm(X + attention(X), "first")
    return norm(middle + network(middle), "second")


@broken(
    BLOCK,
    {"layer_norm.left_out", "linear.reads_unnormed", "matmul.reads_unnormed"},
    "Both norms are left out: attention and the network read normalized rows.",
    X=X,
)
def without_norms(X):
    middle = X + attention(X)
    return middle + network(middle)


@broken(BLOCK, {"add.forgotten", "add.residual_forgotten"}, "Attention has no residual: its input is added.", X=X)
def attention_without_residual(X):
    middle = attention(norm(X, "first"))
    return middle + network(norm(middle, "second"))


@broken(BLOCK, {"add.forgotten", "add.residual_forgotten"}, "The network has no residual: its input is added.", X=X)
def network_without_residual(X):
    return network(norm(X + attention(norm(X, "first")), "second"))


@broken(
    BLOCK,
    {"add.residual_of_normalised"},
    "The residuals add the normalized rows: they add the rows before the norm.",
    X=X,
)
def normalized_rows_added(X):
    normed = norm(X, "first")
    middle = normed + attention(normed)
    normed = norm(middle, "second")
    return normed + network(normed)


@broken(
    BLOCK, {"layer_norm.weights_of_another_norm"}, "Both norms have the weights of the first: each has its own.", X=X
)
def one_norm_for_both(X):
    middle = X + attention(norm(X, "first"))
    return middle + network(norm(middle, "first"))


@broken(
    BLOCK,
    {"add.residual_of_block_input", "add.residual_of_sublayer_before"},
    "The second residual adds the block's input: it adds what came before it.",
    X=X,
)
def block_input_added_again(X):
    middle = X + attention(norm(X, "first"))
    return X + network(norm(middle, "second"))


@broken(BLOCK, {"relu.forgotten"}, "The network has no ReLU: it has one between its layers.", X=X)
def no_relu(X):
    middle = X + attention(norm(X, "first"))
    return middle + (norm(middle, "second") @ W_1 + B_1) @ W_2 + B_2


def without_a_mask(x: Array, divisor: float) -> Array:
    q, k, v = ((x @ W[f"W_{letter}"]).reshape(len(x), HEADS, -1).transpose(1, 0, 2) for letter in "QKV")
    return (softmax(q @ k.transpose(0, 2, 1) / divisor) @ v).transpose(1, 0, 2).reshape(x.shape) @ W["W_O"]


@broken(BLOCK, {"causal_mask.forgotten", "mask.forgotten"}, "The causal mask is missing: later tokens are hidden.", X=X)
def no_mask(X):
    middle = X + without_a_mask(norm(X, "first"), np.sqrt(WIDTH // HEADS))
    return middle + network(norm(middle, "second"))
