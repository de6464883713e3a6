"""Traces that the tests of explanations share: small ones, the scenarios, and a few with what those lack."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import numpy
from scenario_names import EXAMPLES
from small_traces import SMALL_TRACES

import workings as w
from workings.document.blocks import Derivation, Number
from workings.engine.arrays import indices

SMALL = [*sorted(SMALL_TRACES), "block"]
# The default run of every scenario too; the encoder of full size has millions of entries to calculate.
ALL = [*SMALL, *(name for name in EXAMPLES if name not in ("block", "cat-sat-encoder"))]
PRECISIONS = ("float64", "calculator 4 significant", "calculator 3 decimals")


@lru_cache
def small(name: str, precision: str = "float64") -> w.Trace:
    """One of the small traces, or the default run of a scenario."""
    return SMALL_TRACES[name](precision) if name in SMALL_TRACES else w.scenario(name).trace(precision=precision)


@lru_cache
def layer(precision: str = "float64") -> w.Trace:
    """A layer with a bias and a gain for each hidden number, repeated over the tokens."""
    with w.Trace(precision=precision) as trace:
        X = w.given([[1.5, 2.0], [3.0, -4.0], [0.5, 0.25]], "token model", name="X")
        W = w.parameter([[0.1, 0.2, -0.3], [0.4, -0.5, 0.6]], "model hidden", name="W")
        b = w.parameter([0.01, 0.02, 0.03], "hidden", name="b")
        gain = w.parameter([1.2, 0.8, -0.5], "hidden", name="gain")
        y = w.ops.add(w.ops.matmul(X, W, name="h"), b, name="y")
        r = w.ops.relu(w.ops.mul(y, gain, name="scaled"), name="r")
        w.ops.mean(r, name="m")
    return trace.backward("m")


@lru_cache
def heads() -> w.Trace:
    """Attention with a batch of two and two heads: tensors of four axes."""
    numbers = numpy.random.default_rng(7)
    with w.Trace() as trace:
        Q, K, V = (
            w.given(numbers.standard_normal((2, 2, 3, 2)).round(2), "batch head token head_size", name=name)
            for name in "QKV"
        )
        w.ops.sum(w.ops.attention(Q, K, V), name="total")
    return trace.backward("total")


@lru_cache
def long(precision: str = "float64") -> w.Trace:
    """Sums of 512 terms, and a softmax over 30 scores."""
    numbers = numpy.random.default_rng(7)
    with w.Trace(precision=precision) as trace:
        a = w.given(numbers.standard_normal((1, 512)).round(3), "token model", name="a")
        B = w.given(numbers.standard_normal((512, 2)).round(3), "model hidden", name="B")
        w.ops.matmul(a, B, name="c")
        w.ops.sum(B, axis=-2, name="s")
        w.ops.softmax(w.given(numbers.standard_normal(30).round(3), "key", name="z"), name="p")
    return trace


def cells(trace: w.Trace) -> Iterator[Derivation]:
    """The hand calculation of every entry of every step."""
    for view in trace:
        for at in indices(view.shape):
            yield view.cell(*at)


def numbers_in(derivation: Derivation) -> Iterator[Number]:
    for line in derivation.lines:
        for spans in (line.left, *line.forms, (line.value,)):
            yield from (span for span in spans if isinstance(span, Number))
