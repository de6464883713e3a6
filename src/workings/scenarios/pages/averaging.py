"""The averaging ledger: from the losses of tokens to those of texts, of micro-batches (parts), and of the whole step.

A training step on batches has its `losses` and `shares` in the trace. What else the ledger needs (how many tokens
count, the sums and means of texts and parts, and the averages that were not chosen) is recorded in a side trace.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import nullcontext
from dataclasses import dataclass
from typing import Literal

import numpy

from ...engine.arrays import Array
from ...engine.errors import StepError
from ...engine.tensor import Tensor
from ...explain.step_view import StepView
from ...explain.trace import Trace
from ...ops.collect import collect
from ...ops.div import div
from ...ops.given import constant
from ...ops.mul import mul
from ...ops.relu import positive
from ...ops.split import split
from ...ops.sum import sum as sum_of
from .side_trace import SideTrace

MAX_ROWS = 12  # of texts, and as many of parts
CLOSE = 1e-6  # weights with a smaller relative difference count as equal
SHARES = re.compile(r"(?P<scope>(?:\w+\.)*?)(?P<part>part\d+\.)?shares")

Used = Literal["tokens", "texts", "either", "neither"]


@dataclass(frozen=True)
class Account:
    """The number of tokens that count, the sum and the mean of their losses, and their contribution to the loss.

    Each is a step with one number, or with one for every text.
    """

    tokens: StepView
    losses: StepView
    mean: StepView
    counted: StepView


@dataclass(frozen=True)
class MicroBatch:
    """One part of a step: each of its texts, those without a row of their own added up, and all together."""

    texts: Account
    shown: int
    rest: Account | None
    all: Account

    @property
    def size(self) -> int:
        return self.texts.tokens.shape[0]


@dataclass(frozen=True)
class Quotient:
    """An average: a total, and what it is divided by."""

    total: StepView
    count: StepView
    value: StepView


@dataclass(frozen=True)
class Averaging:
    """The whole ledger of one training step."""

    side: SideTrace
    parts: tuple[MicroBatch, ...]
    rest: Account | None  # parts without a row of their own
    all: Account
    averages: dict[str, Quotient]  # of tokens, of texts, and of parts if there are several
    used: Used


def averaged_scopes(trace: Trace) -> list[str]:
    """Where in a trace the losses of batches are averaged: `step1.` and `step600.`, or `` if it keeps one step."""
    return list(dict.fromkeys(found["scope"] for found in _shares(trace)))


def averaging_of(trace: Trace, scope: str) -> Averaging:
    """The ledger of what was averaged under a scope."""
    paths = [f"{scope}{found['part'] or ''}" for found in _shares(trace) if found["scope"] == scope]
    if not paths:
        raise StepError(
            "Nothing is averaged here: the trace does not say how much each token counts.",
            hint="Use the trace of a scenario whose data is a task or a long text.",
            where=scope.rstrip("."),
        )
    side = SideTrace(trace, "averaging")
    with side.trace:
        parts = tuple(_part(side, trace, path, path.removeprefix(scope), MAX_ROWS // len(paths)) for path in paths)
        hidden = [part.all for part in parts[MAX_ROWS:]]
        rest = _together(side, hidden, "rest_of_parts") if hidden else None
        everything = _together(side, [part.all for part in parts], "all", trace[f"{scope}loss"])
        averages = {
            "tokens": Quotient(everything.losses, everything.tokens, everything.mean),
            "texts": _of_texts(side, parts),
        }
        if len(parts) > 1:
            averages["parts"] = _of_parts(side, parts)
    used = _used([trace[f"{path}shares"].value for path in paths])
    return Averaging(side, parts, rest, everything, averages, used)


def _shares(trace: Trace) -> Iterator[re.Match[str]]:
    for step in trace:
        if step.step.leaf == "given" and (found := SHARES.fullmatch(step.path)):
            yield found


# -- lines ------------------------------------------------------------------------------------------


def _part(side: SideTrace, trace: Trace, path: str, name: str, most: int) -> MicroBatch:
    with side.trace.scope(name.rstrip(".")) if name else nullcontext():
        losses, shares = (side.take(trace[f"{path}{step}"]) for step in ("losses", "shares"))
        marks = positive(shares, name="marks")
        tokens = side.trace[sum_of(marks, axis="token", name="tokens")]
        sums = side.trace[sum_of(mul(losses, marks, name="marked"), axis="token", name="sums")]
        texts = Account(tokens, sums, _over(side, sums, tokens, "means"), trace[f"{path}of_texts"])
        size = tokens.shape[0]
        rest = _added(side, texts, "rest", after=most) if 0 < most < size else None
        return MicroBatch(texts, min(most, size), rest, _added(side, texts, "all", trace[f"{path}loss"]))


def _added(side: SideTrace, texts: Account, name: str, counted: StepView | None = None, after: int = 0) -> Account:
    """The texts of a part added up, `after` the first few; their contribution to the loss may be known already."""

    def total(step: StepView, what: str) -> StepView:
        tensor = side.take(step)
        if after:
            tensor = split(tensor, sizes=(after, step.shape[0] - after), part=1, axis="batch")
        return side.trace[sum_of(tensor, axis="batch", name=f"{what}_of_{name}")]

    tokens, sums = total(texts.tokens, "tokens"), total(texts.losses, "sum")
    mean = _over(side, sums, tokens, f"mean_of_{name}")
    return Account(tokens, sums, mean, counted or total(texts.counted, "part"))


def _together(side: SideTrace, parts: Sequence[Account], name: str, counted: StepView | None = None) -> Account:
    """Parts added up."""
    if len(parts) == 1:
        return Account(parts[0].tokens, parts[0].losses, parts[0].mean, counted or parts[0].counted)

    def total(steps: Sequence[StepView], what: str) -> StepView:
        return side.trace[collect(*(side.take(step) for step in steps), name=f"{what}_of_{name}")]

    tokens, sums = total([part.tokens for part in parts], "tokens"), total([part.losses for part in parts], "sum")
    mean = _over(side, sums, tokens, f"mean_of_{name}")
    return Account(tokens, sums, mean, counted or total([part.counted for part in parts], "part"))


def _over(side: SideTrace, sums: StepView, tokens: StepView, name: str) -> StepView:
    """The mean of losses. Where no token counts, it is 0."""
    count = tokens.tensor
    if not numpy.all(tokens.value):
        count = count + (1 - positive(count))
    return side.trace[div(sums.tensor, count, name=name)]


# -- averages ---------------------------------------------------------------------------------------


def _of_texts(side: SideTrace, parts: Sequence[MicroBatch]) -> Quotient:
    means = [sum_of(part.texts.mean.tensor, axis="batch") for part in parts]
    counts = [sum_of(positive(part.texts.tokens.tensor), axis="batch") for part in parts]
    return _quotient(side, collect(*means, name="means_of_texts"), collect(*counts, name="texts"), "mean_of_texts")


def _of_parts(side: SideTrace, parts: Sequence[MicroBatch]) -> Quotient:
    counting = [part.all.mean.tensor for part in parts if part.all.tokens.value]
    count = constant(numpy.asarray(len(counting), dtype=counting[0].array.dtype), name="parts")
    return _quotient(side, collect(*counting, name="means_of_parts"), count, "mean_of_parts")


def _quotient(side: SideTrace, total: Tensor, count: Tensor, name: str) -> Quotient:
    value = div(total, count, name=name)
    return Quotient(side.trace[total], side.trace[count], side.trace[value])


def _used(shares: Sequence[Array]) -> Used:
    """Which average it was: all tokens count equally, or all texts."""
    tokens = numpy.concatenate([part[part > 0] for part in shares])
    texts = numpy.concatenate([part.sum(axis=-1) for part in shares])
    evenly = all(_equal(text[text > 0]) for part in shares for text in part if text.any())
    of_tokens, of_texts = _equal(tokens), evenly and _equal(texts[texts > 0])
    if of_tokens and of_texts:
        return "either"
    return "tokens" if of_tokens else "texts" if of_texts else "neither"


def _equal(values: Array) -> bool:
    return bool(values.max() - values.min() <= CLOSE * values.max())
