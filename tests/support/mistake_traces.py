"""The traces in which the mistakes of the list are made: scenarios, small traces, and a few with what those lack."""

from __future__ import annotations

from functools import lru_cache

import numpy
from small_traces import SMALL_TRACES

import workings as w
from workings import ops
from workings.explain.trace import Trace


def _numbers(*shape: int) -> numpy.ndarray:
    return numpy.random.default_rng(sum(shape)).standard_normal(shape).round(2)


def _joined() -> Trace:
    """Two heads put side by side, packed and as parts, with nothing behind them that asks for their width."""
    packed = w.given(_numbers(2, 3, 2), "head token head_size", name="packed")
    parts = [w.given(_numbers(3, 2) + n, "token head_size", name=f"head{n}") for n in (1, 2)]
    with w.Trace() as trace:
        ops.merge_heads(packed, name="joined")
        ops.concat(*parts, axis=-1, name="side_by_side")
    return trace


def _masked() -> Trace:
    """A mask that is given, and one for padding."""
    scores = w.given(_numbers(2, 3, 3), "batch query key", name="scores")
    allow = w.constant([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]], "query key", name="allow")
    keep = w.constant([[1.0, 1.0, 0.0], [0.0, 1.0, 1.0]], "batch key", name="keep")
    with w.Trace() as trace:
        ops.softmax(ops.mask(scores, allow, name="masked"), name="weights")
        padded = ops.padding_mask(ops.scale(scores, factor=0.5, name="halved"), keep, name="padded")
        ops.softmax(padded, name="shares")
        ops.sum(trace["weights"].tensor * trace["shares"].tensor, name="loss")
    return trace.backward("loss")


def _shifted() -> Trace:
    """A product, a bias, a factor and an activation."""
    W, b = w.parameter(_numbers(2, 2), name="W"), w.parameter([0.4, -0.3], name="b")
    with w.Trace() as trace:
        X = w.given(_numbers(3, 2), "token model", name="X")
        shifted = ops.add(ops.matmul(X, W, name="product"), b, name="shifted")
        ops.mean(ops.gelu(ops.scale(shifted, factor=1.5, name="scaled"), name="activated"), name="loss")
    return trace.backward("loss")


def _small_powers() -> Trace:
    """Scores so low that the powers of e lose their digits."""
    with w.Trace() as trace:
        ops.softmax(w.given([[-744.0, -745.0], [0.5, 0.25]], "query key", name="scores"), name="weights")
    return trace


def _adam() -> Trace:
    """One update by Adam."""
    with w.Trace() as trace:
        W = w.parameter(_numbers(2, 2), name="W")
        ops.sum(ops.power(W, exponent=2, name="squares"), name="loss")
    trace.backward("loss")
    with trace:
        zeros = [w.constant(numpy.zeros((2, 2)), name=name) for name in ("m", "v")]
        ops.adam(trace["W"].tensor, trace["dW"].tensor, *zeros, t=1, rate=0.1)
    return trace


OWN = {
    "joined": _joined,
    "masked": _masked,
    "shifted": _shifted,
    "small powers": _small_powers,
    "adam": _adam,
}


@lru_cache
def trace_of(name: str) -> Trace:
    """`block`, `example-5.twin` (a run of a scenario), or one of the small ones."""
    if name in OWN:
        return OWN[name]()
    if name in SMALL_TRACES:
        return SMALL_TRACES[name]("float64")
    scenario, _, run = name.partition(".")
    return w.scenario(scenario).trace(**({"run": run} if run else {}))
