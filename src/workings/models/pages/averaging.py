"""The averaging ledger: from the losses of tokens to those of texts, of parts (micro-batches), and of the whole step.

A step of training on batches is in the trace with its `losses` and `shares`. What the ledger needs beside them (how
many tokens count, the sums and means of texts and parts, and the averages that were not chosen) is recorded in a
small trace of its own.
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
from ...explain.view import Trace
from ...ops.collect import collect
from ...ops.div import div
from ...ops.given import constant
from ...ops.mul import mul
from ...ops.relu import positive
from ...ops.split import split
from ...ops.sum import sum as sum_of
from .beside import Beside

MOST = 12  # lines of texts, and as many of parts
CLOSE = 1e-6  # shares that differ by less, relatively, are meant to be the same
SHARES = re.compile(r"(?P<scope>(?:\w+\.)*?)(?P<part>part\d+\.)?shares")

Used = Literal["tokens", "texts", "either", "neither"]


@dataclass(frozen=True)
class Account:
    """How many tokens count, their losses added up, the mean of these, and what of them is in the loss of the step.

    Each is a step: of one number, or of one for every text.
    """

    tokens: StepView
    losses: StepView
    mean: StepView
    counted: StepView


@dataclass(frozen=True)
class Part:
    """One batch: each of its texts, those that have no line of their own added up, and all together."""

    texts: Account
    shown: int
    rest: Account | None
    all: Account

    @property
    def size(self) -> int:
        return self.texts.tokens.shape[0]


@dataclass(frozen=True)
class Quotient:
    """An average: what was added up, and by how many it was divided."""

    total: StepView
    count: StepView
    value: StepView


@dataclass(frozen=True)
class Averaging:
    """The whole ledger of one step of training."""

    beside: Beside
    parts: tuple[Part, ...]
    rest: Account | None  # parts that have no line of their own
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
        raise StepError("averaging.none", where=scope.rstrip("."))
    beside = Beside(trace, "averaging")
    with beside.trace:
        parts = tuple(_part(beside, trace, path, path.removeprefix(scope), MOST // len(paths)) for path in paths)
        hidden = [part.all for part in parts[MOST:]]
        rest = _together(beside, hidden, "rest_of_parts") if hidden else None
        everything = _together(beside, [part.all for part in parts], "all", trace[f"{scope}loss"])
        averages = {
            "tokens": Quotient(everything.losses, everything.tokens, everything.mean),
            "texts": _of_texts(beside, parts),
        }
        if len(parts) > 1:
            averages["parts"] = _of_parts(beside, parts)
    used = _used([trace[f"{path}shares"].value for path in paths])
    return Averaging(beside, parts, rest, everything, averages, used)


def _shares(trace: Trace) -> Iterator[re.Match[str]]:
    for step in trace:
        if step.step.leaf == "given" and (found := SHARES.fullmatch(step.path)):
            yield found


# -- lines ------------------------------------------------------------------------------------------


def _part(beside: Beside, trace: Trace, path: str, name: str, most: int) -> Part:
    with beside.trace.scope(name.rstrip(".")) if name else nullcontext():
        losses, shares = (beside.take(trace[f"{path}{step}"]) for step in ("losses", "shares"))
        marks = positive(shares, name="marks")
        tokens = beside.trace[sum_of(marks, axis="token", name="tokens")]
        sums = beside.trace[sum_of(mul(losses, marks, name="marked"), axis="token", name="sums")]
        texts = Account(tokens, sums, _over(beside, sums, tokens, "means"), trace[f"{path}of_texts"])
        size = tokens.shape[0]
        rest = _added(beside, texts, "rest", after=most) if 0 < most < size else None
        return Part(texts, min(most, size), rest, _added(beside, texts, "all", trace[f"{path}loss"]))


def _added(beside: Beside, texts: Account, name: str, counted: StepView | None = None, after: int = 0) -> Account:
    """The texts of a part added up, `after` the first few; what of them is in the loss may be known already."""

    def total(step: StepView, what: str) -> StepView:
        tensor = beside.take(step)
        if after:
            tensor = split(tensor, sizes=(after, step.shape[0] - after), part=1, axis="batch")
        return beside.trace[sum_of(tensor, axis="batch", name=f"{what}_of_{name}")]

    tokens, sums = total(texts.tokens, "tokens"), total(texts.losses, "sum")
    mean = _over(beside, sums, tokens, f"mean_of_{name}")
    return Account(tokens, sums, mean, counted or total(texts.counted, "part"))


def _together(beside: Beside, parts: Sequence[Account], name: str, counted: StepView | None = None) -> Account:
    """Parts added up."""
    if len(parts) == 1:
        return Account(parts[0].tokens, parts[0].losses, parts[0].mean, counted or parts[0].counted)

    def total(steps: Sequence[StepView], what: str) -> StepView:
        return beside.trace[collect(*(beside.take(step) for step in steps), name=f"{what}_of_{name}")]

    tokens, sums = total([part.tokens for part in parts], "tokens"), total([part.losses for part in parts], "sum")
    mean = _over(beside, sums, tokens, f"mean_of_{name}")
    return Account(tokens, sums, mean, counted or total([part.counted for part in parts], "part"))


def _over(beside: Beside, sums: StepView, tokens: StepView, name: str) -> StepView:
    """The mean of losses. Where no token counts there is nothing to add up either, and it is 0."""
    count = tokens.tensor
    if not numpy.all(tokens.value):
        count = count + (1 - positive(count))
    return beside.trace[div(sums.tensor, count, name=name)]


# -- averages ---------------------------------------------------------------------------------------


def _of_texts(beside: Beside, parts: Sequence[Part]) -> Quotient:
    means = [sum_of(part.texts.mean.tensor, axis="batch") for part in parts]
    counts = [sum_of(positive(part.texts.tokens.tensor), axis="batch") for part in parts]
    return _quotient(beside, collect(*means, name="means_of_texts"), collect(*counts, name="texts"), "mean_of_texts")


def _of_parts(beside: Beside, parts: Sequence[Part]) -> Quotient:
    counting = [part.all.mean.tensor for part in parts if part.all.tokens.value]
    count = constant(numpy.asarray(len(counting), dtype=counting[0].array.dtype), name="parts")
    return _quotient(beside, collect(*counting, name="means_of_parts"), count, "mean_of_parts")


def _quotient(beside: Beside, total: Tensor, count: Tensor, name: str) -> Quotient:
    value = div(total, count, name=name)
    return Quotient(beside.trace[total], beside.trace[count], beside.trace[value])


def _used(shares: Sequence[Array]) -> Used:
    """Which average it was, as the shares say: those of all tokens are alike, or those of all texts."""
    tokens = numpy.concatenate([part[part > 0] for part in shares])
    texts = numpy.concatenate([part.sum(axis=-1) for part in shares])
    evenly = all(_alike(text[text > 0]) for part in shares for text in part if text.any())
    of_tokens, of_texts = _alike(tokens), evenly and _alike(texts[texts > 0])
    if of_tokens and of_texts:
        return "either"
    return "tokens" if of_tokens else "texts" if of_texts else "neither"


def _alike(values: Array) -> bool:
    return bool(values.max() - values.min() <= CLOSE * values.max())
