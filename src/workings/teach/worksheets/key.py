"""The key to a sheet: what is right, what is accepted, and what each known mistake gives. With it, somebody with a pen
can say what went wrong.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal

from ...engine.file import plain
from ...engine.form import shape_text
from ...engine.in_rule import find_mistake
from ...engine.registry import OPS
from ...engine.rounding import GUARD, decimal_of, rounded
from ...engine.steps import Step
from ...explain.document import Block, Document, Heading, Items, Link, Number, Span, Spans, Table, Text, Words
from ...explain.numbers import Style, write
from ...explain.sentences import say_spans
from ...explain.story import under_headings
from ..grading.feedback import in_words
from ..practice.asked import Field, label_of
from ..practice.sheet import KeyedSlip, Sheet
from .sentences import say

EXACT = Style(exact=True)
FINER = 1  # digits of a limit behind the first one of the tolerance


def key(sheet: Sheet) -> Document:
    """What is right on a sheet, and what is wrong in which way.

    >>> from workings.teach.practice.sheet import make_sheet
    >>> page = key(make_sheet("example-1", seed=7))
    >>> page.title
    'Example 1: a forward pass: key'
    """
    recording, notation = sheet.trace.recording, sheet.trace.style.notation
    asked = dict.fromkeys(field.step for field in sheet.fields)
    blocks: list[Block] = [
        Text((Words(say("worksheet.code", code=sheet.code), "code"),)),
        Text(say_spans("key.about", command=Words("workings grade", "code"))),
    ]
    for headings, step in under_headings(recording, map(sheet.trace.find_step, asked), notation):
        blocks += [*(block for block in headings if isinstance(block, Heading)), *_step(sheet, step)]
    blocks += [Heading(2, say("key.meanings")), _meanings(sheet), *_hidden(sheet)]
    return Document(say("key.title", title=sheet.title), tuple(blocks))


def _step(sheet: Sheet, step: Step) -> Iterator[Block]:
    """A table with a row for each entry that is asked for, and the mistakes that come to another shape."""
    fields = [field for field in sheet.fields if field.step == step.path]
    slips = [slip for slip in sheet.slips if slip.step == step.path]
    headings = tuple(say(f"key.{word}") for word in ("entry", "right", "least", "most", "mistakes"))
    rows = [_row(sheet, step, field, slips) for field in fields]
    columns = [n for n in range(len(headings)) if any(row[n] for row in rows)]
    yield Table(tuple(headings[n] for n in columns), tuple(tuple(row[n] for n in columns) for row in rows))
    for slip in slips:
        if slip.value.shape != step.form.shape:
            shape = shape_text(("",) * slip.value.ndim, slip.value.shape)
            yield Text(say_spans("key.shape", mistake=_names(slip), shape=Words(shape)))


def _row(sheet: Sheet, step: Step, field: Field, slips: list[KeyedSlip]) -> tuple[Spans, ...]:
    label = (Link(field.label, step.id),)
    if not isinstance(field.true, float):
        return label, (Words(in_words(field)),), (), (), ()
    style = Style(sheet.digits)
    right = Number(write(field.true, style), field.true, step.id, field.index)
    least, most = (Number(write(limit, EXACT), plain(limit), step.id, field.index, "limit") for limit in limits(field))
    return label, (right,), (least,), (most,), _wrong(field, step, slips, style)


# -- what is accepted ---------------------------------------------------------------------------------


def limits(field: Field) -> tuple[float, float]:
    """The least and the most that is accepted, rounded outwards.

    >>> limits(Field("y", "y", (), true=0.51288, tolerance=0.00032))
    (0.51256, 0.5132)
    """
    assert isinstance(field.true, float)
    if not field.tolerance or not math.isfinite(field.true):
        return field.true, field.true
    true, off = (rounded(decimal_of(value), GUARD, "significant") for value in (field.true, field.tolerance))
    unit = Decimal(1).scaleb(off.adjusted() - FINER)
    low, high = (true - off).quantize(unit, ROUND_FLOOR), (true + off).quantize(unit, ROUND_CEILING)
    return float(low), float(high)


# -- what mistakes give --------------------------------------------------------------------------------


def _wrong(field: Field, step: Step, slips: list[KeyedSlip], style: Style) -> Spans:
    """Each number that a mistake gives at an entry, with the mistakes that give it."""
    found: dict[str, list[KeyedSlip]] = {}
    for slip in slips:
        if is_told_apart(slip, field, step.form.shape):
            found.setdefault(write(float(slip.value[field.index]), style), []).append(slip)
    spans: list[Span] = []
    for text, same in found.items():
        value = plain(float(same[0].value[field.index]))
        number = Number(text, value, step.id, field.index, "mistake", same[0].id)
        spans += [Words("; ")] if spans else []
        spans += [number, Words(" "), *_names(*same)]
    return tuple(spans)


def is_told_apart(slip: KeyedSlip, field: Field, shape: tuple[int, ...]) -> bool:
    """Whether a mistake gives something at an entry that is not accepted there."""
    if slip.step != field.step or slip.value.shape != shape or not isinstance(field.true, float):
        return False
    value = float(slip.value[field.index])
    return value != field.true and not abs(value - field.true) <= field.tolerance


def _names(*slips: KeyedSlip) -> Spans:
    """The mistakes that give the same, one or the other."""
    spans: list[Span] = []
    for name in dict.fromkeys(name for slip in slips for name in (slip.id, *slip.also)):
        spans += [Words(f" {say('key.or')} ")] if spans else []
        spans.append(Words(name, "code"))
    return tuple(spans)


def _meanings(sheet: Sheet) -> Items:
    """What each mistake is; of one that only gives the same as another, if this version knows it."""
    hidden = set(map(id, hidden_slips(sheet)))
    shown = [slip for slip in sheet.slips if id(slip) not in hidden]
    hints = {name: _hint(name) for slip in shown for name in slip.also} | {slip.id: slip.hint for slip in shown}
    return Items(
        tuple(
            (Text(say_spans("key.meaning", mistake=Words(name, "code"), hint=Words(hint))),)
            for name, hint in sorted(hints.items())
            if hint
        )
    )


def _hint(name: str) -> str:
    page, _, own = name.partition(".")
    mistake = find_mistake(OPS[page], own) if page in OPS else None
    return "" if mistake is None else mistake.hint


def hidden_slips(sheet: Sheet) -> tuple[KeyedSlip, ...]:
    """The mistakes that no entry which is asked for shows."""
    steps = {field.step: sheet.trace.find_step(field.step).form.shape for field in sheet.fields}
    return tuple(
        slip
        for slip in sheet.slips
        if slip.value.shape == steps.get(slip.step, slip.value.shape)
        and not any(is_told_apart(slip, field, steps[field.step]) for field in sheet.fields)
    )


def _hidden(sheet: Sheet) -> Iterator[Block]:
    hidden = hidden_slips(sheet)
    if not hidden:
        return
    yield Heading(2, say("key.not_shown"))
    yield Text((Words(say("key.not_shown.about", digits=sheet.digits)),))
    steps: dict[str, list[str]] = {}
    for slip in hidden:
        steps.setdefault(slip.id, []).append(label_of(sheet.trace, sheet.trace.find_step(slip.step)))
    entries = [
        (Text(say_spans("key.not_shown.at", mistake=Words(name, "code"), steps=Words(", ".join(labels)))),)
        for name, labels in sorted(steps.items())
    ]
    yield Items(tuple(entries))
