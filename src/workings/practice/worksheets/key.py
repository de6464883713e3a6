"""The key to a sheet: what is right, what is accepted, and what each known mistake gives. With it, a teacher with a pen
can say what went wrong.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from ...document.blocks import Block, Document, Heading, Items, Link, Number, Span, Spans, Table, Text, Words
from ...document.numbers import Style, write
from ...document.spans import fill_spans
from ...engine.file import plain
from ...engine.form import shape_text
from ...engine.rounding import GUARD, decimal_of, rounded
from ...engine.steps import Step
from ...explain.story import under_headings
from ..blanks import Blank, step_label
from ..mistakes import mistake_hint
from ..sheet import Sheet, SheetMistake

EXACT = Style(exact=True)
LIMIT_DIGITS = 1  # of a limit, beyond the first digit of the tolerance
MOST_LISTED = 5  # numbers that mistakes give at one entry
HEADINGS = ("entry", "right", "accepted from", "to", "what mistakes give")


def key(sheet: Sheet) -> Document:
    """What is right on a sheet, and what each mistake gives.

    >>> from workings.practice.sheet import make_sheet
    >>> page = key(make_sheet("example-1", seed=7))
    >>> page.title
    'Example 1: a forward pass: key'
    """
    recording, notation = sheet.trace.recording, sheet.trace.style.notation
    paths = dict.fromkeys(blank.step for blank in sheet.fields)
    about = fill_spans(
        "For each entry: what is right, what is accepted, and what known mistakes give, all of it from right numbers "
        "before. After an earlier wrong answer the numbers differ; {command} computes them. The mistakes are explained "
        "at the end.",
        command=Words("workings grade", "code"),
    )
    blocks: list[Block] = [Text((Words(f"sheet {sheet.code}", "code"),)), Text(about)]
    for headings, step in under_headings(recording, map(sheet.trace.find_step, paths), notation):
        blocks += [*(block for block in headings if isinstance(block, Heading)), *_step(sheet, step)]
    blocks += [Heading(2, "The mistakes"), _meanings(sheet, _listed(blocks)), *_hidden(sheet)]
    return Document(f"{sheet.title}: key", tuple(blocks))


def _listed(blocks: list[Block]) -> set[str]:
    """The mistakes whose numbers are in the tables."""
    cells = (cell for block in blocks if isinstance(block, Table) for row in block.rows for cell in row)
    return {span.mistake for cell in cells for span in cell if isinstance(span, Number) and span.mistake}


def _step(sheet: Sheet, step: Step) -> Iterator[Block]:
    """A table with a row for each blank, and the mistakes that give another shape."""
    blanks = [blank for blank in sheet.fields if blank.step == step.path]
    mistakes = [mistake for mistake in sheet.mistakes if mistake.step == step.path]
    rows = [_row(sheet, step, blank, mistakes) for blank in blanks]
    columns = [n for n in range(len(HEADINGS)) if any(row[n] for row in rows)]
    yield Table(tuple(HEADINGS[n] for n in columns), tuple(tuple(row[n] for n in columns) for row in rows))
    for mistake in mistakes:
        if mistake.value.shape != step.form.shape:
            shape = Words(shape_text(("",) * mistake.value.ndim, mistake.value.shape))
            yield Text(fill_spans("{mistake} gives another shape: {shape}.", mistake=_names(mistake), shape=shape))


def _row(sheet: Sheet, step: Step, blank: Blank, mistakes: list[SheetMistake]) -> tuple[Spans, ...]:
    label = (Link(blank.label, step.id),)
    if not isinstance(blank.true, float):
        return label, (Words(blank.true_text),), (), (), ()
    style = Style(sheet.digits)
    right = Number(write(blank.true, style), blank.true, step.id, blank.index)
    least, most = (Number(write(limit, EXACT), plain(limit), step.id, blank.index, "limit") for limit in limits(blank))
    return label, (right,), (least,), (most,), _wrong(blank, step, mistakes, style)


# -- what is accepted ---------------------------------------------------------------------------------


def limits(blank: Blank) -> tuple[float, float]:
    """The smallest and the largest accepted number, rounded outwards.

    >>> limits(Blank("y", "y", (), true=0.51288, tolerance=0.00032))
    (0.51256, 0.5132)
    """
    assert isinstance(blank.true, float)
    if not blank.tolerance or not math.isfinite(blank.true):
        return blank.true, blank.true
    true, off = (rounded(decimal_of(value), GUARD, "significant") for value in (blank.true, blank.tolerance))
    unit = Decimal(1).scaleb(off.adjusted() - LIMIT_DIGITS)
    low, high = (true - off).quantize(unit, ROUND_FLOOR), (true + off).quantize(unit, ROUND_CEILING)
    return float(low), float(high)


# -- what mistakes give --------------------------------------------------------------------------------


def _wrong(blank: Blank, step: Step, mistakes: list[SheetMistake], style: Style) -> Spans:
    """The numbers that the first mistakes on the op's page give at an entry, with the mistakes that give them."""
    found: dict[str, list[SheetMistake]] = {}
    for mistake in mistakes:
        if is_distinguished(mistake, blank, step.form.shape):
            found.setdefault(write(float(mistake.value[blank.index]), style), []).append(mistake)
    spans: list[Span] = []
    for text, same in list(found.items())[:MOST_LISTED]:
        value = plain(float(same[0].value[blank.index]))
        number = Number(text, value, step.id, blank.index, "mistake", same[0].id)
        spans += [Words("; ")] if spans else []
        spans += [number, Words(" "), *_names(*same)]
    more = len(found) - MOST_LISTED
    return (*spans, Words(f"; and {more} more")) if more > 0 else tuple(spans)


def is_distinguished(mistake: SheetMistake, blank: Blank, shape: tuple[int, ...]) -> bool:
    """Whether a mistake gives a number in a blank that is not accepted there."""
    if mistake.step != blank.step or mistake.value.shape != shape or blank.kind != "number":
        return False
    assert isinstance(blank.true, float)
    value = float(mistake.value[blank.index])
    return value != blank.true and not abs(value - blank.true) <= blank.tolerance


def _names(*mistakes: SheetMistake) -> Spans:
    """The ids of mistakes that give the same."""
    spans: list[Span] = []
    for name in dict.fromkeys(name for mistake in mistakes for name in (mistake.id, *mistake.also)):
        spans += [Words(" or ")] if spans else []
        spans.append(Words(name, "code"))
    return tuple(spans)


def _meanings(sheet: Sheet, listed: set[str]) -> Items:
    """What each listed mistake is; of one that only gives the same as another, if this version knows it."""
    shown = [mistake for mistake in sheet.mistakes if mistake.id in listed]
    hints = {name: mistake_hint(name) for mistake in shown for name in mistake.also}
    hints |= {mistake.id: mistake.hint for mistake in shown}
    return Items(
        tuple(
            (Text(fill_spans("{mistake}: {hint}", mistake=Words(name, "code"), hint=Words(hint))),)
            for name, hint in sorted(hints.items())
            if hint
        )
    )


def hidden_mistakes(sheet: Sheet) -> tuple[SheetMistake, ...]:
    """The mistakes that no blank shows."""
    steps = {blank.step: sheet.trace.find_step(blank.step).form.shape for blank in sheet.fields}
    return tuple(
        mistake
        for mistake in sheet.mistakes
        if mistake.value.shape == steps.get(mistake.step, mistake.value.shape)
        and not any(is_distinguished(mistake, blank, steps[blank.step]) for blank in sheet.fields)
    )


def _hidden(sheet: Sheet) -> Iterator[Block]:
    hidden = hidden_mistakes(sheet)
    if not hidden:
        return
    yield Heading(2, "Not shown")
    about = f"To {sheet.digits} significant digits, these mistakes change none of the blanks."
    yield Text((Words(about),))
    steps: dict[str, list[str]] = {}
    for mistake in hidden:
        steps.setdefault(mistake.id, []).append(step_label(sheet.trace, sheet.trace.find_step(mistake.step)))
    entries = [
        (Text(fill_spans("{mistake} in {steps}", mistake=Words(name, "code"), steps=Words(", ".join(labels)))),)
        for name, labels in sorted(steps.items())
    ]
    yield Items(tuple(entries))
