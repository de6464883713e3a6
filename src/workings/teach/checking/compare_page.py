"""A comparison as a document: one line a step, the first difference, and how it came about."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.file import plain
from ...engine.sentences import say
from ...explain.document import Block, Document, Link, Number, Span, Spans, Table, Text, Words
from ...explain.numbers import PLAIN, apart, write
from ...explain.sentences import say_spans
from .compare import Compared, Comparison
from .why_page import why_blocks

COLUMNS = ("step", "verdict", "gap", "entry", "yours", "ours")


def comparison_document(found: Comparison) -> Document:
    """What was compared, for any renderer."""
    return Document("", tuple(_blocks(found)), form="part")


def _blocks(found: Comparison) -> Iterator[Block]:
    headings = tuple(say(f"checking.compare.{key}") for key in COLUMNS)
    yield Table(headings, tuple(_row(step) for step in found.steps))
    if found.unknown:
        yield Text((Words(say("checking.compare.unknown", names=", ".join(found.unknown))),))
    first = found.first
    if first is None:
        if any(step.verdict != "not filled in" for step in found.steps):
            yield Text((Words(say("checking.compare.none")),))
        return
    if len(found.steps) > 1:
        yield Text(say_spans("checking.compare.first", step=Link(first.name, first.step)))
    if found.between:
        yield Text((Words(say("checking.compare.between", steps=", ".join(found.between))),))
    if found.why is not None:
        yield from why_blocks(found.why)


def _row(step: Compared) -> tuple[Spans, ...]:
    verdict = Words(say(f"checking.compare.{step.verdict.replace(' ', '_')}"))
    cells: list[Span] = [Link(_named(step), step.step), verdict]
    if isinstance(step.yours, float) and isinstance(step.ours, float) and step.gap:
        # Two numbers that count as equal are shown as equal; of two that do not, as many digits as it takes.
        style = PLAIN if step.agrees else apart(step.yours, step.ours, PLAIN)
        entry = "".join(f"[{place}]" for place in step.index)
        ours = Number(write(step.ours, style), plain(step.ours), step.step, step.index)
        cells += [Words(write(step.gap)), Words(entry), Words(write(step.yours, style)), ours]
    elif isinstance(step.yours, tuple) and isinstance(step.ours, tuple) and step.yours != step.ours:
        shapes = [" × ".join(map(str, shape)) or "1" for shape in (step.yours, step.ours)]
        cells += [Words(""), Words(""), *map(Words, shapes)]
    else:
        cells += [Words("")] * 4
    return tuple((cell,) for cell in cells)


def _named(step: Compared) -> str:
    """The name that was given, and which of our steps it was taken for, where that is not the same."""
    same = step.path == step.name or step.path.endswith(f".{step.name}")
    return step.name if same or not step.path else say("checking.compare.as", name=step.name, step=step.called)
