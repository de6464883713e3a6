"""The averaging ledger as a page: every text, every part, the whole step; and the averages side by side."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations

from ...document.blocks import Block, Document, Number, Spans, Table, Text, Words
from ...document.numbers import Style, apart
from ...document.spans import fill_spans
from ...explain.step_view import StepView
from ...explain.trace import Trace
from .averaging import CLOSE, MAX_ROWS, Account, Averaging, averaged_scopes, averaging_of

INTRODUCTION = (
    "Every token that counts has a loss. Each row has the number of these tokens, the sum of their losses, and the "
    "mean. The last column is what they contribute to the loss of the step: each loss times its weight in that mean."
)
AVERAGES = {
    "tokens": "mean of all tokens",
    "texts": "mean of the means of the texts",
    "parts": "mean of the means of the parts",
}
CONCLUSIONS = {
    "tokens": "The loss is the mean of all tokens, {loss}: every token counts equally.",
    "texts": "The loss is the mean of the means of the texts, {loss}: every text counts equally.",
    "either": "The loss is {loss}: every token counts equally, and so does every text.",
    "neither": "The loss is {loss}, which is none of these averages: its tokens were weighted in another way.",
}


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
    title = f"How the losses of step {place[4:-1]} are averaged" if place else "How the losses are averaged"
    return Document(title, (Text((Words(INTRODUCTION),)), _accounts(found), _averages(found), *_conclusion(found)))


# -- the ledger -------------------------------------------------------------------------------------


def _accounts(found: Averaging) -> Table:
    several = len(found.parts) > 1
    headings = ("part", "text", "tokens", "sum", "mean", "in the loss")[0 if several else 1 :]
    rows = list(_rows(found))
    return Table(headings, tuple(row if several else row[1:] for row in rows))


def _rows(found: Averaging) -> Iterator[tuple[Spans, ...]]:
    every = "all"
    several = len(found.parts) > 1
    for n, part in enumerate(found.parts[:MAX_ROWS], start=1):
        for text in range(part.shown):
            yield _row(found, str(n), str(text + 1), part.texts, text)
        if part.rest is not None:
            yield _row(found, str(n), f"{part.size - part.shown} more", part.rest)
        if several:
            yield _row(found, str(n), every, part.all)
    if found.rest is not None:
        yield _row(found, f"{len(found.parts) - MAX_ROWS} more", every, found.rest)
    yield _row(found, every, every, found.all)


def _row(found: Averaging, part: str, text: str, account: Account, *index: int) -> tuple[Spans, ...]:
    steps = (account.tokens, account.losses, account.mean, account.counted)
    return (Words(part),), (Words(text),), *((found.side.number(step, index),) for step in steps)


# -- the averages -----------------------------------------------------------------------------------


def _style(found: Averaging) -> Style:
    """Enough digits to tell the averages apart, unless they differ only by rounding."""
    style = found.side.trace.style
    for one, other in combinations(found.averages.values(), 2):
        if not _close(one.value, other.value):
            style = apart(float(one.value.value), float(other.value.value), style)
    return style


def _averages(found: Averaging) -> Table:
    style, rows = _style(found), []
    for name, average in found.averages.items():
        division = found.side.number(average.total), Words(" / "), found.side.number(average.count)
        rows.append(((Words(AVERAGES[name]),), division, (found.side.number(average.value, (), style),)))
    return Table(("average", "computed as", "value"), tuple(rows))


def _conclusion(found: Averaging) -> Iterator[Block]:
    """Which average the loss is, and why the others are the same or not."""
    loss = found.side.number(found.all.counted, (), _style(found))
    yield Text(fill_spans(CONCLUSIONS[found.used], loss=loss))
    values = [average.value for average in found.averages.values()]
    texts = _range(found, [(part.texts.tokens, (n,)) for part in found.parts for n in range(part.size)])
    agree = all(_close(one, other) for one, other in combinations(values, 2))
    equally_long = texts[0].value == texts[1].value
    if agree and equally_long:
        template = "The averages agree here, because {count} tokens count in every text."
        yield Text(fill_spans(template, count=texts[0]))
    elif agree:
        yield Text((Words("The averages agree here, because the means that are averaged are the same."),))
    elif equally_long:
        parts = _range(found, [(part.all.tokens, ()) for part in found.parts])
        yield _difference("parts", *parts)
    else:
        yield _difference("texts", *texts)


def _difference(what: str, least: Number, most: Number) -> Text:
    template = (
        f"The averages differ, because the {what} have from {{least}} to {{most}} tokens that count. In a mean of "
        "means, a token has more influence where there are few of them."
    )
    return Text(fill_spans(template, least=least, most=most))


def _range(found: Averaging, entries: Sequence[tuple[StepView, tuple[int, ...]]]) -> tuple[Number, Number]:
    """The smallest and the largest of some entries, not counting zeros."""
    numbers = [found.side.number(step, index) for step, index in entries if step.value[index]]
    ordered = sorted(numbers, key=lambda number: float(number.value))
    return ordered[0], ordered[-1]


def _close(one: StepView, other: StepView) -> bool:
    return abs(float(one.value) - float(other.value)) <= CLOSE * abs(float(one.value))
