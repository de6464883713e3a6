"""The page about a graded sheet."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress

from ...document.blocks import Block, Document, Fold, Heading, Link, Note, Number, Span, Spans, Table, Text, Words
from ...document.numbers import Style, apart, write
from ...document.spans import fill_spans
from ...engine.errors import WorkingsError
from ...explain.mistake_titles import mistake_title
from ..answers.number import read_number
from ..blanks import step_label
from ..sheet import Sheet, points_text
from ..sheet_code import drill_command
from ..tolerance import TOLERANCE_RULE
from .verdicts import (
    ALL_CORRECT,
    NO_KNOWN_MISTAKE,
    NONE_WRONG,
    NOTHING_ANSWERED,
    VERDICT_LABELS,
    Mark,
    count_text,
    max_points,
    total_points,
)

MANY_EXTRA = 3  # answers without a blank: more of them may belong to another sheet
POINTS_RULE = (
    "One point for an answer that is right or follows from your own earlier numbers, half a point for a known mistake "
    "or a slip."
)


def feedback(sheet: Sheet, marks: tuple[Mark, ...], extra: tuple[str, ...] = ()) -> Document:
    """How it went: the totals, the first wrong step with its calculation, the other mistakes that have a name, what
    else is wrong, and every step in a table.
    """
    steps: dict[str, list[Mark]] = {}
    for mark in marks:
        steps.setdefault(mark.blank.step, []).append(mark)
    blocks: list[Block] = [Text(spans) for spans in _totals(sheet, marks)]
    if extra:
        other = " Are these the answers to another sheet?" if len(extra) > MANY_EXTRA else ""
        blocks.append(Note("warning", (Words(f"The sheet has no blank for {', '.join(extra)}: not graded.{other}"),)))
    blocks += _notes([mark for mark in marks if mark.verdict == "too few digits"])
    blocks += _what_went_wrong(sheet, steps)
    blocks += [Heading(2, "Step by step"), _table(sheet, steps)]
    own = f" {points_text(sheet)}".rstrip()
    blocks += [Text((Words(text),)) for text in (TOLERANCE_RULE, POINTS_RULE + own, f"Sheet {sheet.code}.")]
    return Document(f"{sheet.title}: your answers", tuple(blocks))


def _totals(sheet: Sheet, marks: tuple[Mark, ...]) -> Iterator[Spans]:
    if all(mark.verdict == "blank" for mark in marks):
        yield (Words(NOTHING_ANSWERED),)
        return
    points = write(float(total_points(mark.points for mark in marks)), Style(whole=True))
    most = write(float(max_points(marks, not sheet.seed)), Style(whole=True))
    yield (Words(f"{points} of {most} points: {count_text(marks)}."),)
    yield first_wrong_text(sheet, marks)


def first_wrong_text(sheet: Sheet, marks: tuple[Mark, ...]) -> Spans:
    """Which step to look at first."""
    first = next((mark for mark in marks if mark.is_wrong), None)
    if first is None:
        is_short = any(mark.verdict == "too few digits" for mark in marks)
        return (Words(NONE_WRONG if is_short else ALL_CORRECT),)
    step = sheet.trace.find_step(first.blank.step)
    return fill_spans("The first wrong step is {step}.", step=Link(step_label(sheet.trace, step), step.id))


def _name(sheet: Sheet, path: str) -> str:
    return step_label(sheet.trace, sheet.trace.find_step(path))


# -- what went wrong ----------------------------------------------------------------------------------


def _what_went_wrong(sheet: Sheet, steps: Mapping[str, list[Mark]]) -> Iterator[Block]:
    """The first wrong step and every mistake that has a name by itself, and the rest in one table."""
    wrong = {path: [mark for mark in own if mark.is_wrong] for path, own in steps.items()}
    wrong = {path: own for path, own in wrong.items() if own}
    if not wrong:
        return
    yield Heading(2, "What went wrong")
    first = next(iter(wrong))
    others: list[Mark] = []
    for path, own in wrong.items():
        if path == first or any(mark.mistake for mark in own):
            yield from _wrong_step(sheet, path, own, is_first=path == first)
        else:
            others += own
    if others:
        yield Heading(3, "Also not right")
        yield Text((Words("No known mistake gives your numbers here: calculate the lines again."),))
        yield _answers_table(sheet, others)
        yield from _notes(others)


def _wrong_step(sheet: Sheet, path: str, wrong: list[Mark], is_first: bool) -> Iterator[Block]:
    """What went wrong at a step: the mistake, if it is known, and the answers next to the right ones."""
    yield Heading(3, _name(sheet, path))
    named = next((mark for mark in wrong if mark.verdict == "mistake"), None)
    slip = next((mark for mark in wrong if mark.verdict == "slip"), None)
    if named is not None:
        yield Note("mistake", (Words(mistake_text(named)),), named.mistake)
    elif slip is not None:
        yield Note("hint", (Words(f"{slip.blank.label} is a slip. {slip.reasons}"),))
    elif not any(mark.note for mark in wrong):
        yield Note("hint", (Words(NO_KNOWN_MISTAKE),))
    yield from _notes(wrong)
    yield _answers_table(sheet, wrong)
    if is_first:
        yield from _by_hand(sheet, path, wrong)
    if named is not None:
        command = Words(drill_command(sheet, named.mistake), "code")
        yield Text(fill_spans("To practice just this: {command}", command=command))


def _notes(wrong: list[Mark]) -> Iterator[Note]:
    """Why some answers have their verdicts, each reason once."""
    labels: dict[str, list[str]] = {}
    for mark in wrong:
        if mark.note:
            labels.setdefault(mark.note, []).append(_with_place(mark))
    for note, own in labels.items():
        yield Note("hint", (Words(f"{', '.join(own)}: {note}"),))


def _with_place(mark: Mark) -> str:
    """The label of an answer, and where it is in the file if it could not be read."""
    if mark.verdict != "unreadable" or not mark.place:
        return mark.blank.label
    return f"{mark.blank.label} ({mark.place})"


def mistake_text(mark: Mark) -> str:
    """The mistake that a mark names, with its hint."""
    return f"{mistake_title(mark.mistake.partition('.')[2])}: {mark.reasons}"


def _answers_table(sheet: Sheet, wrong: list[Mark]) -> Table:
    has_own = any(mark.expected is not None for mark in wrong)
    headings = ("entry", "yours", "correct", *(("from your numbers",) if has_own else ()))
    return Table(headings, tuple(_answer_row(sheet, mark, has_own) for mark in wrong))


def _answer_row(sheet: Sheet, mark: Mark, has_own: bool) -> tuple[Spans, ...]:
    step = sheet.trace.find_step(mark.blank.step)
    cells: list[Span] = [Link(mark.blank.label, step.id), Words(mark.given)]
    if mark.verdict == "unreadable":
        cells.append(Words(""))
    else:
        is_number = mark.blank.is_number
        cells.append(_number(sheet, mark, mark.blank.true) if is_number else Words(mark.blank.true_text))
    if has_own:
        cells.append(Words("") if mark.expected is None else Words(write(mark.expected, Style(sheet.digits))))
    return tuple((cell,) for cell in cells)


def _number(sheet: Sheet, mark: Mark, value: object) -> Number:
    step = sheet.trace.find_step(mark.blank.step)
    true = float(str(value)) if not isinstance(value, float) else value
    style = Style(sheet.digits)
    with suppress(WorkingsError):  # an answer that cannot be read is shown as it is
        given = read_number(mark.given)
        style = style if given is None else apart(true, given.value, style)
    return Number(write(true, style), true, step.id, mark.blank.index)


def _by_hand(sheet: Sheet, path: str, wrong: list[Mark]) -> Iterator[Block]:
    """The calculation of the first wrong entry, from the true numbers."""
    numbers = [mark for mark in wrong if mark.blank.kind == "number"]
    if not numbers:
        return
    try:
        derivation = sheet.trace[path].cell(*numbers[0].blank.index, digits=sheet.digits)
    except WorkingsError:
        return
    yield Fold("By hand, from the numbers on the sheet", (derivation,), is_open=True)


def _table(sheet: Sheet, steps: dict[str, list[Mark]]) -> Table:
    headings = ("step", "answers", "points", "verdict")
    return Table(headings, tuple(_row(sheet, path, marks) for path, marks in steps.items()))


def _row(sheet: Sheet, path: str, marks: list[Mark]) -> tuple[Spans, ...]:
    answered = sum(mark.verdict != "blank" for mark in marks)
    counts = Counter(VERDICT_LABELS[mark.verdict] for mark in marks)
    several = [f"{count} {verdict}" for verdict, count in counts.items()]
    verdicts = ", ".join(several if len(counts) > 1 else counts)
    points = write(float(total_points(mark.points for mark in marks)), Style(whole=True))
    if (most := total_points(mark.blank.points for mark in marks)) != len(marks):
        points = f"{points}/{write(float(most), Style(whole=True))}"
    step = sheet.trace.find_step(path)
    cells: list[Span] = [Link(_name(sheet, path), step.id), Words(f"{answered}/{len(marks)}"), Words(points)]
    return tuple((cell,) for cell in (*cells, Words(verdicts)))
