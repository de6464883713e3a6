"""A comparison as a document: one row a step, the first difference, and what produced it."""

from __future__ import annotations

from collections.abc import Iterator

from ...document.blocks import Block, Document, Link, Number, Span, Spans, Table, Text, Words
from ...document.numbers import PLAIN, apart, write
from ...document.spans import fill_spans
from ...engine.file import plain
from .compare import ComparedStep, StepCause, StepComparison
from .why_page import why_blocks

HEADINGS = ("step", "verdict", "off by", "at", "yours", "ours")


def comparison_document(found: StepComparison) -> Document:
    """What was compared, for any renderer."""
    return Document("", tuple(_blocks(found)), form="part")


def _blocks(found: StepComparison) -> Iterator[Block]:
    yield Table(HEADINGS, tuple(_row(step) for step in found.steps))
    for step in found.steps:
        if step.among > 1:
            yield Text((Words(f"{step.name} could be in {step.among} places; we compared it with {step.our_name}."),))
    if found.unknown:
        yield Text((Words(f"There is no step for: {', '.join(found.unknown)}."),))
    first = found.first
    if first is None:
        if any(step.verdict != "not filled in" for step in found.steps):
            yield Text((Words("No difference."),))
        return
    if len(found.steps) > 1:
        yield Text(fill_spans("The first difference is in {step}.", step=Link(first.name, first.step)))
    for number, cause in enumerate(found.causes):
        yield from _cause(found, cause, is_first=number == 0)


def _cause(found: StepComparison, cause: StepCause, is_first: bool) -> Iterator[Block]:
    if not is_first:
        sentence = "A difference of its own: {step} does not follow from your numbers before it."
        yield Text(fill_spans(sentence, step=Link(cause.name, found[cause.name].step)))
    if cause.between:
        between = f"You did not give the steps between: {', '.join(cause.between)}. The error may be there."
        yield Text((Words(between),))
    yield from why_blocks(cause.why)
    if cause.also:
        yield Text((Words(f"The same holds for {', '.join(cause.also)}."),))


def _row(step: ComparedStep) -> tuple[Spans, ...]:
    cells: list[Span] = [Link(_name(step), step.step), Words(step.verdict)]
    if isinstance(step.yours, float) and isinstance(step.ours, float) and step.gap:
        # Numbers that count as equal are shown as equal; others with as many digits as it takes to see the difference.
        style = PLAIN if step.agrees else apart(step.yours, step.ours, PLAIN)
        entry = "".join(f"[{number}]" for number in step.index)
        ours = Number(write(step.ours, style), plain(step.ours), step.step, step.index)
        cells += [Words(write(step.gap)), Words(entry), Words(write(step.yours, style)), ours]
    elif isinstance(step.yours, tuple) and isinstance(step.ours, tuple) and step.yours != step.ours:
        shapes = [" × ".join(map(str, shape)) or "1" for shape in (step.yours, step.ours)]
        cells += [Words(""), Words(""), *map(Words, shapes)]
    else:
        cells += [Words("")] * 4
    return tuple((cell,) for cell in cells)


def _name(step: ComparedStep) -> str:
    """The given name, and that of our step if it differs."""
    same = step.path == step.name or step.path.endswith(f".{step.name}")
    return step.name if same or not step.path else f"{step.name} (our {step.our_name})"
