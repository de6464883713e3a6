"""The averaging ledger as a page: every text, every part, the whole; and the averages side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ...engine.sentences import say
from ...explain.document import Block, Document, Number, Span, Spans, Table, Text, Words
from ...explain.numbers import Style, apart
from ...explain.sentences import say_spans
from ...explain.step_view import StepView
from ...explain.view import Trace
from .averaging import CLOSE, MOST, Account, Averaging, averaged_scopes, averaging_of


def averaging_document(trace: Trace, scope: str | None = None) -> Document:
    """How the losses of a step on batches became one number; of the first such step, if no scope is named.

    >>> from workings import given, ops
    >>> with Trace() as trace:
    ...     losses = given([[2.0, 1.0, 3.0], [4.0, 9.0, 9.0]], "batch token", name="losses")
    ...     shares = given([[0.25, 0.25, 0.25], [0.25, 0.0, 0.0]], "batch token", name="shares")
    ...     of_texts = ops.sum(ops.mul(losses, shares, name="counted"), axis="token", name="of_texts")
    ...     loss = ops.sum(of_texts, axis="batch", name="loss")
    >>> page = averaging_document(trace)
    >>> [[cell[0].text for cell in row] for row in page.blocks[1].rows]
    [['1', '3', '6', '2', '1.5'], ['2', '1', '4', '4', '1.0'], ['all', '4', '10', '2.5', '2.5']]
    """
    place = next(iter(averaged_scopes(trace)), "") if scope is None else scope
    found = averaging_of(trace, place)
    title = say("averaging.title.step", step=place[4:-1]) if place else say("averaging.title")
    return Document(title, (_text("averaging.why"), _accounts(found), _averages(found), *_conclusion(found)))


# -- the ledger -------------------------------------------------------------------------------------


def _accounts(found: Averaging) -> Table:
    several = len(found.parts) > 1
    columns = ("part", "text", "tokens", "sum", "mean", "counted")
    headings = tuple(say(f"averaging.heading.{column}") for column in columns[0 if several else 1 :])
    rows = list(_rows(found))
    return Table(headings, tuple(row if several else row[1:] for row in rows))


def _rows(found: Averaging) -> Iterator[tuple[Spans, ...]]:
    every = say("averaging.all")
    several = len(found.parts) > 1
    for n, part in enumerate(found.parts[:MOST], start=1):
        for text in range(part.shown):
            yield _row(found, str(n), str(text + 1), part.texts, text)
        if part.rest is not None:
            yield _row(found, str(n), say("averaging.more", count=part.size - part.shown), part.rest)
        if several:
            yield _row(found, str(n), every, part.all)
    if found.rest is not None:
        yield _row(found, say("averaging.more", count=len(found.parts) - MOST), every, found.rest)
    yield _row(found, every, every, found.all)


def _row(found: Averaging, part: str, text: str, account: Account, *index: int) -> tuple[Spans, ...]:
    steps = (account.tokens, account.losses, account.mean, account.counted)
    return (Words(part),), (Words(text),), *((found.beside.number(step, index),) for step in steps)


# -- the averages -----------------------------------------------------------------------------------


def _style(found: Averaging) -> Style:
    """As many digits as it takes to tell the averages apart, unless they differ only by rounding."""
    style = found.beside.trace.style
    for one, other in combinations(found.averages.values(), 2):
        if not _close(one.value, other.value):
            style = apart(float(one.value.value), float(other.value.value), style)
    return style


def _averages(found: Averaging) -> Table:
    style, rows = _style(found), []
    for name, average in found.averages.items():
        worked = found.beside.number(average.total), Words(" / "), found.beside.number(average.count)
        rows.append(((Words(say(f"averaging.of.{name}")),), worked, (found.beside.number(average.value, (), style),)))
    headings = tuple(say(f"averaging.heading.{column}") for column in ("average", "worked", "value"))
    return Table(headings, tuple(rows))


def _conclusion(found: Averaging) -> Iterator[Block]:
    """Which average the loss is, and why the others are the same or not."""
    loss = found.beside.number(found.all.counted, (), _style(found))
    yield _text(f"averaging.used.{found.used}", loss=loss)
    values = [average.value for average in found.averages.values()]
    texts = _range(found, [(part.texts.tokens, (n,)) for part in found.parts for n in range(part.size)])
    agree = all(_close(one, other) for one, other in combinations(values, 2))
    equally_long = texts[0].value == texts[1].value
    if agree:
        key = "averaging.agree" if equally_long else "averaging.agree.means"
        yield _text(key, **({"count": texts[0]} if equally_long else {}))
    elif equally_long:
        parts = _range(found, [(part.all.tokens, ()) for part in found.parts])
        yield _text("averaging.differ.parts", least=parts[0], most=parts[1])
    else:
        yield _text("averaging.differ", least=texts[0], most=texts[1])


def _range(found: Averaging, entries: Sequence[tuple[StepView, tuple[int, ...]]]) -> tuple[Number, Number]:
    """The smallest and the largest of some entries, without those that are 0."""
    numbers = [found.beside.number(step, index) for step, index in entries if step.value[index]]
    ordered = sorted(numbers, key=lambda number: float(number.value))
    return ordered[0], ordered[-1]


def _close(one: StepView, other: StepView) -> bool:
    return abs(float(one.value) - float(other.value)) <= CLOSE * abs(float(one.value))


def _text(key: str, **spans: Span) -> Text:
    return Text(say_spans(key, **spans))
