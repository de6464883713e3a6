"""A pre-norm block of two heads as it is right: as a module, and in plain NumPy."""

from __future__ import annotations

import numpy as np

import workings as w

from .cases import EPS, Array, softmax

DRAWN = np.random.default_rng(2026)
WIDTH, HEADS, INNER = 8, 2, 10
W = {f"W_{letter}": DRAWN.standard_normal((WIDTH, WIDTH)) / 2 for letter in "QKVO"}
W_1, W_2 = DRAWN.standard_normal((WIDTH, INNER)) / 2, DRAWN.standard_normal((INNER, WIDTH)) / 2
B_1, B_2 = DRAWN.standard_normal(INNER), DRAWN.standard_normal(WIDTH)
NORMS = {name: (DRAWN.uniform(0.4, 1.6, WIDTH), DRAWN.uniform(-1, 1, WIDTH)) for name in ("first", "second")}


def norm(x: Array, name: str) -> Array:
    gamma, beta = NORMS[name]
    return (x - x.mean(axis=-1, keepdims=True)) / np.sqrt(x.var(axis=-1, keepdims=True) + EPS) * gamma + beta


def attention(x: Array) -> Array:
    q, k, v = ((x @ W[f"W_{letter}"]).reshape(len(x), HEADS, -1).transpose(1, 0, 2) for letter in "QKV")
    scores = np.where(np.tri(len(x), dtype=bool), q @ k.transpose(0, 2, 1) / np.sqrt(WIDTH // HEADS), -np.inf)
    return (softmax(scores) @ v).transpose(1, 0, 2).reshape(len(x), WIDTH) @ W["W_O"]


def network(x: Array) -> Array:
    return np.maximum(x @ W_1 + B_1, 0) @ W_2 + B_2


def module() -> w.nn.Block:
    def weight(name: str, axes: str, numbers: Array) -> w.Tensor:
        return w.parameter(numbers, axes, name=name)

    def layer_norm(name: str) -> w.nn.LayerNorm:
        gamma, beta = NORMS[name]
        return w.nn.LayerNorm(weight("gamma", "model", gamma), weight("beta", "model", beta))

    heads = w.nn.PackedHeads(
        *(weight(f"W_{letter}", "model joined", W[f"W_{letter}"]) for letter in "QKV"),
        W_O=weight("W_O", "joined model", W["W_O"]),
        heads=HEADS,
        mask=w.nn.Causal(),
    )
    layers = w.nn.FeedForward(
        weight("W_1", "model hidden", W_1),
        weight("b_1", "hidden", B_1),
        weight("W_2", "hidden model", W_2),
        weight("b_2", "model", B_2),
        w.ops.relu,
    )
    return w.nn.Block(w.nn.PreNorm(heads, layer_norm("first")), w.nn.PreNorm(layers, layer_norm("second")))


BLOCK = module()
