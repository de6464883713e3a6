"""Practice: a sheet to fill in, what is said about the answers, and the hints.

Nothing is remembered about whoever practises. A sheet is made again from its source, run, seed and blanks; so the same
questions come back from any machine, and a link to them is enough.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import cast

from ..engine.sentences import say
from ..explain.document import Block, Document, Heading, Items, Link, Note, Text, Words
from ..explain.numbers import Style, write
from ..explain.sentences import say_spans
from ..teach.answers.spelling import shown
from ..teach.grading.feedback import GOOD, reasons
from ..teach.grading.grade import Grade, grade
from ..teach.grading.reading import meant
from ..teach.grading.verdicts import Mark
from ..teach.practice.asked import BLANKS, Blanks, label_of
from ..teach.practice.exercise import Exercise, exercise
from ..teach.practice.sheet import DIGITS, Sheet, sheet_of
from ..teach.practice.sources import is_in_package
from ..teach.practice.variant import Variant, find_variant
from ..teach.quiz.ladder import rungs_of
from ..teach.worksheets.worksheet import worksheet
from . import practice_sentences as _sentences  # noqa: F401 - puts them into the catalogue
from .answers import GradePage, HintPage, Marked, Page, SheetPage
from .errors import LabError, Missing
from .once import Once
from .own_hints import own_hint

LARGEST_SEED = 999_999
COUNTS = ("right", "follows", "wrong", "blank")  # what is counted, in this order
RIGHT = (*GOOD, "follows")


class Sheets:
    """The sheets that were asked for last. Finding numbers is what takes long: they are found once for all blanks.

    >>> sheets = Sheets(most=2)
    >>> sheets.of("example-1", "", 7, "few") is sheets.of("example-1", "twin", 7, "few")
    True
    """

    def __init__(self, most: int = 64) -> None:
        self._exercises = Once(_exercise, most)
        self._variants = Once(self._variant, most)
        self._sheets = Once(self._sheet, most)

    def of(self, source: str, run: str, seed: int, blanks: str) -> Sheet:
        """The sheet, made now or kept from before. With no run it is the one that the lesson practises on."""
        chosen = next((known for known in BLANKS if known == blanks), None)
        if chosen is None:
            raise LabError("lab.practice.blanks", blanks=shown(blanks), choices=", ".join(BLANKS))
        if not 0 <= seed <= LARGEST_SEED:
            raise LabError("lab.practice.seed", seed=seed, most=LARGEST_SEED)
        return self._sheets.of((source, self._exercises.of((source, run)).run, seed, chosen))

    def _variant(self, asked: tuple[str, str, int]) -> Variant:
        source, run, seed = asked
        trace = self._exercises.of((source, run)).trace
        return find_variant(trace, seed, DIGITS) if seed else Variant(trace, DIGITS)

    def _sheet(self, asked: tuple[str, str, int, Blanks]) -> Sheet:
        source, run, seed, blanks = asked
        sheet = sheet_of(self._exercises.of((source, run)), self._variants.of((source, run, seed)), blanks)
        if not sheet.fields:
            raise LabError("lab.practice.nothing", name=source, run=run)
        return sheet


def _exercise(asked: tuple[str, str]) -> Exercise:
    source, run = asked
    if not is_in_package(source):  # a file of this machine is nobody's sheet
        raise Missing("lab.source", name=shown(source))
    return exercise(source, run or None)


# -- the sheet ---------------------------------------------------------------------------------------


def sheet_page(sheets: Sheets, source: str, run: str, seed: int, blanks: str) -> SheetPage:
    """What is given, then every step with its formula, and blanks where it is asked for.

    >>> page = sheet_page(Sheets(), "example-1", "", 7, "few")
    >>> page.code, page.run, page.fields[0]
    ('example-1.twin-7-1f4-a0f2', 'twin', 'X[1][0]')
    """
    sheet = sheets.of(source, run, seed, blanks)
    paper = worksheet(sheet)
    # What stands above the first heading is for paper: a line for a name, and the command that grades.
    start = next(place for place, block in enumerate(paper.blocks) if isinstance(block, Heading))
    document = Document(paper.title, (_how_to_work(sheet), *paper.blocks[start:]), sheet=sheet.code)
    labels = tuple(field.label for field in sheet.fields)
    return SheetPage(sheet.code, sheet.title, sheet.name, sheet.run, sheet.seed, sheet.blanks, Page(document), labels)


def _how_to_work(sheet: Sheet) -> Items:
    lines = (
        say("worksheet.digits", digits=sheet.digits),
        say("worksheet.go_on"),
        say("worksheet.tolerance"),
        say("worksheet.counting", first=sheet.trace.style.notation.place(0)),
    )
    return Items(tuple((Text((Words(line),)),) for line in lines))


# -- grading -----------------------------------------------------------------------------------------


def grade_page(sheets: Sheets, source: str, run: str, seed: int, blanks: str, answers: Mapping[str, str]) -> GradePage:
    """What is said about each answer, and which step went wrong first. What is left blank is not wrong.

    >>> page = grade_page(Sheets(), "example-1", "", 7, "few", {"X[1][0]": "12", "Q[1][1]": " "})
    >>> [(mark.label, mark.verdict) for mark in page.marks], page.first_wrong, page.asked
    ([('X[1][0]', 'unknown')], 'embedding.X', 16)
    """
    sheet = sheets.of(source, run, seed, blanks)
    _check_labels(sheet, answers)
    graded = grade(sheet, answers)
    marks = tuple(marked(sheet, mark) for mark in graded.marks if mark.verdict != "blank")
    right = sum(mark.right for mark in marks)
    about = Document("", tuple(_in_all(graded)), form="part")
    return GradePage(graded.first_wrong, marks, right, len(sheet.fields), Page(about))


def _check_labels(sheet: Sheet, answers: Iterable[str]) -> None:
    for label in answers:
        if meant(sheet, label) is None:
            raise _unknown(sheet, label)


def _unknown(sheet: Sheet, label: str) -> LabError:
    known = ", ".join(field.label for field in sheet.fields[:3])
    return LabError("lab.practice.label", label=shown(label), asked=known)


def marked(sheet: Sheet, mark: Mark) -> Marked:
    """What is said about one answer."""
    about = Document("", tuple(_said(sheet, mark)), form="part")
    return Marked(mark.field.label, mark.verdict, mark.verdict in RIGHT, mark.mistake, Page(about))


def _said(sheet: Sheet, mark: Mark) -> Iterator[Block]:
    """The verdict in words, and the mistake that it may be. What is right stays hidden: the hints lead there."""
    values = {}
    if mark.verdict == "right to the digits given":
        values = {"digits": sheet.digits, "true": write(cast(float, mark.field.true), Style(sheet.digits))}
    elif mark.verdict == "unreadable":
        values = {"problem": mark.note}
    yield _text(say(f"lab.mark.{mark.verdict}", **values))
    if mark.mistake:
        yield Note("mistake", (Words(reasons(mark)),), mark.mistake)
    elif mark.verdict == "unknown" and not mark.note and mark.field.kind == "number":
        yield Note("hint", (Words(say("grade.unknown")),))
    elif mark.note and mark.verdict != "unreadable":
        yield Note("hint", (Words(mark.note),))
    if mark.is_wrong and mark.expected is not None:
        yield _text(say("lab.mark.from_own"))


def _in_all(graded: Grade) -> Iterator[Block]:
    """How it went so far, in numbers, and where to look first."""
    marks, sheet = graded.marks, graded.sheet
    counts = Counter(_counted(mark) for mark in marks)
    if counts["blank"] == len(marks):
        yield _text(say("grade.nothing"))
        return
    parts = [say(f"grade.count.{kind}", count=counts[kind]) for kind in COUNTS if counts[kind]]
    yield _text(say("lab.mark.count", counts=", ".join(parts)))
    if not graded.first_wrong:
        yield _text(say("grade.all_right"))
        return
    step = sheet.trace.find_step(graded.first_wrong)
    yield Text(say_spans("grade.first", step=Link(label_of(sheet.trace, step), step.id)))


def _counted(mark: Mark) -> str:
    return "wrong" if mark.is_wrong else "right" if mark.verdict in GOOD else mark.verdict


def _text(sentence: str) -> Text:
    return Text((Words(sentence),))


# -- hints -------------------------------------------------------------------------------------------


def hint_page(
    sheets: Sheets,
    source: str,
    run: str,
    seed: int,
    blanks: str,
    label: str,
    rung: int,
    answers: Mapping[str, str] | None = None,
) -> HintPage:
    """One rung of the ladder to an entry: the formula, the numbers that it reads, its line, the answer. What was
    answered so far is gone on with, and what is still open stays so.

    >>> page = hint_page(Sheets(), "example-1", "", 7, "few", "scaled[0][0]", 0)
    >>> page.rungs, page.page.document.blocks[0].text
    (4, 'Hint: the formula')
    """
    sheet = sheets.of(source, run, seed, blanks)
    field = sheet.asked.get(label)
    if field is None:
        raise _unknown(sheet, label)
    written = answers or {}
    _check_labels(sheet, written)
    rungs = rungs_of(sheet, field)
    if not 0 <= rung < len(rungs):
        raise LabError("lab.practice.rung", rung=rung, last=len(rungs) - 1)
    return HintPage(rung, len(rungs), Page(own_hint(sheet, field, rungs[rung], written)))
