"""Beam search: several texts at once, of which the most likely are followed.

The probability of a text is the product of the probabilities of its tokens, so their logarithms are added. Each step
tries every token after every text and keeps the best `beams`. A text that has ended stays as it is, and goes on
competing with the others. One beam is greedy decoding.

With a length penalty, texts are compared by total / length ** penalty: otherwise short texts win, since every token
makes a text less likely.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from ..engine.arguments import checks_arguments
from ..engine.errors import CallError
from ..engine.tensor import Tensor
from ..explain.trace import Trace
from ..nn.cache import picked
from ..nn.module import Module
from ..ops.add import add
from ..ops.concat import concat
from ..ops.given import ids
from ..ops.log_softmax import log_softmax
from ..ops.lookup import lookup
from ..ops.reshape import reshape
from ..ops.spread import spread
from ..ops.top_k import top_k
from .generate import beginning, recorded, refuse_uncountable
from .reader import reader_of, refuse_unfit, write_down


@dataclass(frozen=True)
class Beam:
    """A text that is followed: its new tokens, its log-probability, and whether it has ended."""

    tokens: tuple[int, ...]
    total: float
    score: float
    ended: bool = False


@dataclass(frozen=True)
class _Candidate:
    """A beam, which of the previous texts it continues, and its place among all totals."""

    beam: Beam
    text: int
    place: int


@checks_arguments
def beam_search(
    model: Module,
    prompt: Sequence[int],
    beams: int,
    max_new_tokens: int = 20,
    *,
    length_penalty: float = 0.0,
    start: int | None = None,
    end: int | None = None,
    cache: bool = True,
    record: Trace | None = None,
) -> list[Beam]:
    """The most likely texts that were found, the best first. The other settings are those of `generate`.

    >>> from workings import nn
    >>> model = nn.build(nn.Architecture(kind="decoder", vocab_size=4, width=2), nn.Drawn(7))
    >>> best, second = beam_search(model, [0, 1], beams=2, max_new_tokens=3)
    >>> best.total > second.total, len(best.tokens)
    (True, 3)
    """
    begin, source = beginning(model, prompt, start)
    refuse_unfit(model, begin, source)
    refuse_uncountable("beams", beams)
    refuse_uncountable("max_new_tokens", max_new_tokens)
    if not isinstance(length_penalty, int | float) or not 0 <= length_penalty < math.inf:
        raise CallError(
            f"The length penalty must be a number of at least 0, and is {length_penalty}.",
            hint="Give 0 to compare totals, or 1 to compare the mean of each text.",
        )
    with recorded(record):
        model.write_down()
        reader = reader_of(model, source, cache)
        text = write_down(ids([list(begin)], "batch token", name="prompt"))
    best = [_Candidate(Beam((), 0.0, 0.0), 0, 0)]
    total: Tensor | None = None
    for number in range(1, max_new_tokens + 1):
        with recorded(record, f"token{number}"):
            going = [one for one in best if not one.beam.ended]
            if total is not None:
                followed = ids([one.text for one in going], "batch", name="followed")
                text = _continued(going, picked(text, followed))
                reader.pick(followed)
            totals = _totals(reader.scores(text), total)
            found = top_k(totals, k=min(beams, totals.entries), name="best")
            candidates = _candidates(going, totals, found, end, length_penalty)
            ended = [one for one in best if one.beam.ended]
            # Of equal ones those that came first: sorting keeps their order.
            best = sorted([*ended, *candidates], key=lambda one: -one.beam.score)[:beams]
            going = [one for one in best if not one.beam.ended]
            if not going:
                break
            total = _kept(going, totals)
    return [one.beam for one in best]


def _totals(scores: Tensor, total: Tensor | None) -> Tensor:
    """The log-probability of every token after every text, one text after the other."""
    logs = log_softmax(scores, axis="vocab", name="log_shares")
    if total is not None:
        before = spread(total, drop=(-1,), keep=(), axes=logs.axes, shape=logs.shape, name="totals_before")
        logs = add(before, logs, name="totals")
    return reshape(logs, shape=(logs.entries,), axes=("candidate",), name="candidates")


def _candidates(
    going: Sequence[_Candidate], totals: Tensor, best: Tensor, end: int | None, penalty: float
) -> list[_Candidate]:
    """The best of all totals as beams."""
    vocabulary = totals.entries // len(going)
    found = []
    for place in best.array.tolist():
        text, token = divmod(place, vocabulary)
        tokens, total = (*going[text].beam.tokens, token), float(totals.array[place])
        beam = Beam(tokens, total, total / len(tokens) ** penalty, token == end)
        found.append(_Candidate(beam, text, place))
    return found


def _kept(going: Sequence[_Candidate], totals: Tensor) -> Tensor:
    """The totals of the texts that are followed."""
    column = reshape(totals, shape=(totals.entries, 1), axes=("candidate", "one"), name="column")
    rows = lookup(column, ids([one.place for one in going], "batch", name="places"), name="kept")
    return reshape(rows, shape=(len(going),), axes=("batch",), name="total")


def _continued(going: Sequence[_Candidate], text: Tensor) -> Tensor:
    """The texts that are followed, each with its new token."""
    new = ids([[one.beam.tokens[-1]] for one in going], "batch token", name="new")
    return concat(text, new, axis="token", name="text")
