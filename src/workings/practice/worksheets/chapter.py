"""A worksheet as a chapter of a workbook: its steps, the mistakes that people make, checks to tick off, what to
remember, where to go on, and its answers.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, pairwise
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
    Text,
    Words,
)
from ...document.numbers import Style, write
from ...document.spans import fill_spans
from ...engine.arguments import unknown_choice
from ...engine.steps import Step
from ...lessons.contents import names
from ...lessons.lesson import Lesson, lesson
from ..blanks import Blank
from ..lines import LineLevel
from ..sheet import Sheet, make_sheet
from ..sheet_code import grade_command, make_command, needs_saving
from ..training_step import AFTER
from .common_mistakes import common_mistakes
from .lesson_parts import exercises_of, headings_of, insights, own_checks, sections_of_steps
from .step_titles import LEVEL_OF_PARTS, StepTitles
from .worked_lines import with_worked_lines
from .worksheet import value_of, worksheet

TICK = "☐ "
FIRST_EXERCISES = 2  # of a lesson, that a sheet names
LINES: dict[bool | str, LineLevel] = {True: "all", "yes": "all", False: "none", "no": "none", "softmax": "softmax"}
YES_OR_NO = {True: True, "yes": True, False: False, "no": False}


@dataclass(frozen=True)
class NextChapter:
    """What follows in the book: the name of its chapter, and its title."""

    name: str
    title: str


def worksheet_chapter(
    source: str,
    folder: Path = Path(),
    *,
    seed: int = 0,
    run: str | None = None,
    blanks: str = "some",
    digits: int = 4,
    lines: bool | str = False,
    training_step: bool | str = False,
    title: str = "",
    about: str = "",
    following: NextChapter | None = None,
) -> Document:
    """The sheet for a lesson as a chapter; the lesson is one of the package or a file in the folder of the book.

    >>> worksheet_chapter("example-1", seed=7, title="By hand").title
    'By hand'
    """
    if lines not in LINES:
        raise unknown_choice("lines", str(lines), ("yes", "no", "softmax"))
    if training_step not in YES_OR_NO:
        raise unknown_choice("training_step", str(training_step), ("yes", "no"))
    own = source if source in names() else folder / source
    level, is_step = LINES[lines], YES_OR_NO[training_step]
    sheet = make_sheet(own, seed, blanks, run=run, digits=digits, lines=level, training_step=is_step)  # type: ignore[arg-type]  # blanks are checked there
    of = lesson(own) if source in names() or source.endswith(".md") else None
    blocks: list[Block] = [Text((Words(about),))] if about else []
    blocks += [_how_to_answer(sheet), *_steps(sheet, of), *_loss_question(sheet), *_after(sheet, of, following)]
    answers = (*_answers(sheet), *_loss_answer(sheet))
    blocks.append(Question((Words("The numbers of this sheet are at the end of the book."),), answers, "Answers"))
    return Document(title or sheet.title, tuple(blocks))


def _how_to_answer(sheet: Sheet) -> Text:
    """How many digits count, and what a computer needs to grade the sheet."""
    digits = f"Write {sheet.digits} significant digits."
    if needs_saving(sheet):
        return Text((Words(f"{digits} Sheet {sheet.code}."),))
    command = Words(grade_command(sheet, "FILE"), "code")
    return Text(
        fill_spans(f"{digits} To have your numbers graded, write them into a file: {{command}}.", command=command)
    )


def _steps(sheet: Sheet, of: Lesson | None) -> Iterator[Block]:
    """The sheet from what is given to its last step; the formula of a step is on the line of its name."""
    titles = StepTitles(sheet.trace, *((headings_of(of), sections_of_steps(of)) if of is not None else ()))
    blocks = worksheet(sheet, titles=titles).blocks
    first = next(n for n, block in enumerate(blocks) if isinstance(block, Heading))
    for block, following in pairwise((*with_worked_lines(sheet, blocks[first:]), None)):
        if isinstance(block, Heading) and not block.anchor:
            yield replace(block, anchor=block.text.lower())
        elif isinstance(block, Text) and isinstance(following, Formula):
            yield replace(block, spans=(*block.spans, Words(":  "), following.math))
        elif block is not None and not isinstance(block, Formula):
            yield block


# -- has the loss fallen? ------------------------------------------------------------------------------


def _losses(sheet: Sheet) -> tuple[Step, Step] | None:
    """The loss before and after the update of a training step."""
    last = list(sheet.trace.recording.steps.values())[-1]
    if not sheet.is_training_step or last.form.shape or not last.path.endswith(AFTER):
        return None
    return sheet.trace.find_step(last.path.removesuffix(AFTER)), last


def _loss_question(sheet: Sheet) -> Iterator[Block]:
    losses = _losses(sheet)
    if losses is not None:
        before, after = (Words(step.name, "code") for step in losses)
        words = "Has the loss fallen? Compare {after} with {before}:  ☐ yes  ☐ no"
        yield Text(fill_spans(words, after=after, before=before))


def _loss_answer(sheet: Sheet) -> Iterator[Block]:
    losses = _losses(sheet)
    if losses is None:
        return
    values = [float(sheet.trace.recording.value(step.id)) for step in losses]
    texts = (write(value, Style(sheet.digits)) for value in values)
    before, after = (Number(text, value, step.id, ()) for text, value, step in zip(texts, values, losses, strict=True))
    verdict = "Yes, the loss has fallen" if values[1] < values[0] else "No, the loss has not fallen"
    yield Text(fill_spans(f"{verdict}: before {{before}}, after {{after}}.", before=before, after=after))


# -- below the steps -----------------------------------------------------------------------------------


def _after(sheet: Sheet, of: Lesson | None, following: NextChapter | None) -> Iterator[Block]:
    """Mistakes to look for, checks to tick off, what the lesson wants to be remembered, and where to go on."""
    mistakes = list(common_mistakes(sheet))
    if mistakes:
        yield Heading(LEVEL_OF_PARTS, "Common mistakes", "common-mistakes")
        yield Text((Words("If one of your numbers is wrong, look for these first:"),))
        yield from mistakes
    checks = own_checks(of, sheet) if of is not None else ()
    if checks:
        yield Heading(LEVEL_OF_PARTS, "Verification", "verification")
        yield Items(tuple((Text((Words(TICK), *words)),) for words in checks))
    remembered = list(insights(of, sheet)) if of is not None else []
    if remembered:
        yield Heading(LEVEL_OF_PARTS, "Insights", "insights")
        yield from remembered
    yield Heading(LEVEL_OF_PARTS, "Next steps", "next-steps")
    yield Items(tuple((Text(spans),) for spans in _next_steps(sheet, of, following)))


def _next_steps(sheet: Sheet, of: Lesson | None, following: NextChapter | None) -> Iterator[Spans]:
    exercises = list(islice(exercises_of(of), FIRST_EXERCISES)) if of is not None else []
    if of is not None and exercises:
        place = Reference(of.title, lesson=of.name)
        one, *more = (Words(title, "emphasis") for title in exercises)
        titles: Spans = (one, *(span for title in more for span in (Words(" and "), title)))
        yield (
            *fill_spans("In the lesson {place}, do the exercise", place=place),
            Words("s " if more else " "),
            *titles,
            Words("."),
        )
    command = Words(make_command(sheet, sheet.seed + 1), "code")  # these numbers were calculated just now
    yield fill_spans("Calculate the same with other numbers: {command} makes a new sheet.", command=command)
    if following is not None:
        place = Reference(following.title, lesson=following.name)
        yield fill_spans("Go on with {title} ({place}).", title=Words(following.title, "emphasis"), place=place)
    elif of is not None and of.file.next:
        next_lesson = lesson(of.file.next)
        yield fill_spans("Go on with {place}.", place=Reference(next_lesson.title, lesson=next_lesson.name))


# -- answers -------------------------------------------------------------------------------------------


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
