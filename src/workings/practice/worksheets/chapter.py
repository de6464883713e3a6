"""A worksheet as a chapter of a workbook: its steps, checks to tick off, what to remember, and its answers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

from ...document.blocks import (
    Block,
    Document,
    Formula,
    Heading,
    Items,
    Link,
    Number,
    Question,
    Reference,
    Spans,
    Table,
    Text,
    Words,
    all_blocks,
)
from ...document.numbers import Style, write
from ...document.spans import fill_spans
from ...engine.arguments import unknown_choice
from ...engine.steps import Step
from ...lessons.contents import names
from ...lessons.lesson import Lesson, lesson
from ..blanks import Blank
from ..sheet import Sheet, make_sheet
from ..sheet_code import grade_command, needs_saving
from .worksheet import value_of, worksheet

TICK = "☐ "
CHECKS, INSIGHTS = "check-your-work", "what-to-remember"  # sections of a lesson
ITS_CHECKS = 2  # the column of a table of checks that says what must hold


def worksheet_chapter(
    source: str,
    folder: Path = Path(),
    *,
    seed: int = 0,
    run: str | None = None,
    blanks: str = "some",
    digits: int = 4,
    lines: bool | str = False,
    title: str = "",
    about: str = "",
) -> Document:
    """The sheet for a lesson as a chapter; the lesson is one of the package or a file in the folder of the book.

    >>> worksheet_chapter("example-1", seed=7, title="By hand").title
    'By hand'
    """
    if lines not in (True, False, "yes", "no"):
        raise unknown_choice("lines", str(lines), ("yes", "no"))
    own = source if source in names() else folder / source
    sheet = make_sheet(own, seed, blanks, run=run, digits=digits, lines=lines in (True, "yes"))  # type: ignore[arg-type]  # blanks are checked there
    blocks: list[Block] = [Text((Words(about),))] if about else []
    blocks += [_code(sheet), *_steps(sheet)]
    if source in names():
        blocks += _after(lesson(source))
    answers = tuple(_answers(sheet))
    blocks.append(Question((Words("The numbers of this sheet are at the end of the book."),), answers, "Answers"))
    return Document(title or sheet.title, tuple(blocks))


def _code(sheet: Sheet) -> Text:
    """What a computer needs to grade the sheet."""
    if needs_saving(sheet):
        return Text((Words(f"Sheet {sheet.code}."),))
    command = Words(grade_command(sheet, "FILE"), "code")
    return Text(fill_spans("To have your numbers graded, write them into a file: {command}.", command=command))


def _steps(sheet: Sheet) -> Iterator[Block]:
    """The sheet from what is given to its last step; the formula of a step is on the line of its name."""
    blocks = worksheet(sheet).blocks
    first = next(n for n, block in enumerate(blocks) if isinstance(block, Heading))
    for block, following in pairwise((*blocks[first:], None)):
        if isinstance(block, Text) and isinstance(following, Formula):
            yield replace(block, spans=(*block.spans, Words(":  "), following.math))
        elif block is not None and not isinstance(block, Formula):
            yield block


def _after(of: Lesson) -> Iterator[Block]:
    """The checks of the lesson to tick off, what it wants to be remembered, and where to go on."""
    sections = _sections(of.document.blocks)
    checks = [
        row[ITS_CHECKS]
        for block in all_blocks(sections.get(CHECKS, ()))
        if isinstance(block, Table)
        for row in block.rows
    ]
    if checks:
        yield Heading(2, "Verification", "verification")
        yield Items(tuple((Text((Words(TICK), *words)),) for words in checks))
    if INSIGHTS in sections:
        yield Heading(2, "Insights", "insights")
        yield from (block for block in sections[INSIGHTS] if isinstance(block, Items))
    if of.file.next:
        yield Heading(2, "Next steps", "next-steps")
        next_lesson = lesson(of.file.next)
        place = Reference(next_lesson.title, lesson=next_lesson.name)
        yield Text(
            fill_spans("Do the exercises of {here}, then go on with {place}.", here=Words(of.title), place=place)
        )


def _sections(blocks: tuple[Block, ...]) -> dict[str, tuple[Block, ...]]:
    """The sections of a lesson by their anchors, without their headings."""
    sections: dict[str, list[Block]] = {}
    into: list[Block] = []
    for block in blocks:
        if isinstance(block, Heading):
            into = sections.setdefault(block.anchor, [])
        else:
            into.append(block)
    return {anchor: tuple(section) for anchor, section in sections.items()}


def _answers(sheet: Sheet) -> Iterator[Block]:
    """Every step with blanks: its whole value, and below it the answers that are no entries of it."""
    for path in dict.fromkeys(blank.step for blank in sheet.fields):
        step = sheet.trace.find_step(path)
        blanks = [blank for blank in sheet.fields if blank.step == path]
        matrix = value_of(sheet, step)
        drawn = {entry.index for part in matrix.slices for row in part.rows for entry in row}
        if any(blank.kind == "number" and blank.index in drawn for blank in blanks):
            yield matrix
        others = [blank for blank in blanks if blank.kind != "number" or blank.index not in drawn]
        if others:
            yield Text(tuple(span for blank in others for span in _answer(sheet, step, blank))[1:])


def _answer(sheet: Sheet, step: Step, blank: Blank) -> Spans:
    if isinstance(blank.true, float):
        text = write(blank.true, Style(sheet.digits))
        return Words("; "), Link(blank.label, step.id), Words(" = "), Number(text, blank.true, step.id, blank.index)
    return Words("; "), Link(blank.label, step.id), Words(f" = {blank.true_text}")
