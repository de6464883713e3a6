"""Mistakes across the steps of blocks, put in by hand: a trace, the step, the mistake, and what changes.

Of a wire: the inputs that are read instead, by step. Of a function with surroundings: what it gives, in NumPy.
"""

from __future__ import annotations

from typing import Any

import numpy

N1, N2 = "block1.attention.norm.normed", "block1.feed_forward.norm.normed"
R1, R2, H2 = "block1.attention.residual", "block1.feed_forward.residual", "block2.feed_forward.hidden"
CROSS = "decoder.block1"

WIRES: list[tuple[str, str, str, dict[str, dict[str, str]]]] = [
    ("post norms", R2, "add.residual_before_norm", {R2: {"a": R1}}),
    (
        "cross block",
        f"{CROSS}.feed_forward.residual",
        "add.residual_of_sublayer_before",
        {f"{CROSS}.feed_forward.residual": {"a": f"{CROSS}.attention.residual"}},
    ),
    (
        "cross block",
        f"{CROSS}.feed_forward.residual",
        "add.residual_of_block_input",
        {f"{CROSS}.feed_forward.residual": {"a": "decoder.embedding.X"}},
    ),
    ("two blocks", R1, "add.residual_of_values", {R1: {"a": "block1.attention.V"}}),
    ("layers", "moved", "add.other_bias", {"moved": {"b": "b"}}),
    ("layers", "first", "linear.other_bias", {"first": {"b": "b"}}),
    ("no norms", H2, "linear.weight_of_another_block", {H2: {"W": "block1.feed_forward.W_1"}}),
    (
        "two blocks",
        "block1.attention.V",
        "matmul.weight_of_another_block",
        {"block1.attention.V": {"b": "block2.attention.W_V"}},
    ),
    ("block", R1, "add.sublayers_parallel", {N2: {"x": "X"}}),
    ("post norms", R1, "add.sublayers_parallel", {"block1.feed_forward.hidden": {"x": "embedding.X"}}),
    (
        "cross block",
        f"{CROSS}.cross_attention.residual",
        "add.sublayers_parallel",
        {f"{CROSS}.feed_forward.hidden": {"a": f"{CROSS}.attention.residual"}},
    ),
    ("two blocks", "places", "lookup.ids_for_positions", {"places": {"ids": "tokens"}}),
    ("two blocks", "embedded", "lookup.positions_for_ids", {"embedded": {"ids": "order"}}),
    ("two blocks", "embedded", "lookup.other_table", {"embedded": {"E": "E_position"}}),
]


def normed(t: Any, x: str, residual: str, norm: str) -> numpy.ndarray:
    """The norm of the output of a sublayer, and the residual after it."""
    rows = t[x] - t[x].mean(axis=-1, keepdims=True)
    scaled = rows / numpy.sqrt(t[x].var(axis=-1, keepdims=True) + 1e-5) * t[f"{norm}.gamma"] + t[f"{norm}.beta"]
    return numpy.asarray(scaled + t[residual])


def sized(t: Any, x: str, residual: str, norm: str) -> numpy.ndarray:
    rows = t[x] / numpy.sqrt((t[x] ** 2).mean(axis=-1, keepdims=True) + 1e-5)
    return numpy.asarray(rows * t[f"{norm}.gamma"] + t[residual])


NORM2 = "block1.feed_forward.norm"
BESIDE: list[tuple[str, str, str, Any]] = [
    ("block", R1, "add.residual_forgotten", lambda t: t["attended"]),
    ("block", R2, "add.residual_forgotten", lambda t: t["output"]),
    ("block", R1, "add.sublayer_forgotten", lambda t: t["X"]),
    ("two blocks", R1, "add.residual_twice", lambda t: 2 * t["X"] + t["block1.attention.context"]),
    ("layers", "moved", "add.bias_twice", lambda t: t["third"] + 2 * t["c"]),
    ("block", "embedded", "lookup.scaled_by_root", lambda t: 2 * t["embedded"]),
    ("block", "X", "add.embedding_scaled", lambda t: 2 * t["embedded"] + t["places"]),
    ("post norms", N2, "layer_norm.residual_after_norm", lambda t: normed(t, "output", N1, NORM2)),
    ("rms post-norms", N2, "rms_norm.residual_after_norm", lambda t: sized(t, "output", N1, NORM2)),
]
