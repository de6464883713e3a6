"""Practice in the lab: a sheet to fill in, the marks of the answers, and the hints, each as a page.

The lab remembers nothing about a learner. A sheet is made again from its source, run, seed and blanks; so every machine
gives the same sheet, and a link to it is enough.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...document.blocks import Block, Document, Heading, Items, Note, Text, Words
from ...practice.answers.spelling import shown
from ...practice.blanks import BLANK_LEVELS, BlankLevel
from ...practice.exercise import Exercise, exercise
from ...practice.grading.feedback import first_wrong_text
from ...practice.grading.filled_sheet import find_target
from ...practice.grading.grade import Grade, grade
from ...practice.grading.verdicts import CORRECT, NO_KNOWN_MISTAKE, NOTHING_ANSWERED, Mark, count_text
from ...practice.quiz.hints import own_hint, rungs_of
from ...practice.sheet import DIGITS, Sheet, sheet_of
from ...practice.sheet_code import is_in_package
from ...practice.variant import Variant, find_variant
from ...practice.worksheets.worksheet import rules, worksheet
from ..answers.trace import GradePage, HintPage, Marked, Page, SheetPage
from ..errors import LabError, Missing
from ..traces.once import Once

MAX_SEED = 999_999


class Sheets:
    """The most recent sheets. Finding numbers takes long, so they are found once for all levels of blanks.

    >>> sheets = Sheets(most=2)
    >>> sheets.of("example-1", "", 7, "few") is sheets.of("example-1", "twin", 7, "few")
    True
    """

    def __init__(self, most: int = 64) -> None:
        self._exercises = Once(_exercise, most)
        self._variants = Once(self._variant, most)
        self._sheets = Once(self._sheet, most)

    def of(self, source: str, run: str, seed: int, blanks: str) -> Sheet:
        """The sheet, made now or kept from before. Without a run it is the one that the lesson practices on."""
        level = next((known for known in BLANK_LEVELS if known == blanks), None)
        if level is None:
            levels = ", ".join(BLANK_LEVELS)
            raise LabError(f"A sheet leaves {levels} blanks, not {shown(blanks)}.", hint=f"Choose one of {levels}.")
        if not 0 <= seed <= MAX_SEED:
            raise LabError(
                f"There is no sheet with the seed {seed}.",
                hint=f"Give a whole number from 0 to {MAX_SEED}; 0 keeps the numbers of the lesson itself.",
            )
        return self._sheets.of((source, self._exercises.of((source, run)).run, seed, level))

    def _variant(self, key: tuple[str, str, int]) -> Variant:
        source, run, seed = key
        trace = self._exercises.of((source, run)).trace
        return find_variant(trace, seed, DIGITS) if seed else Variant(trace, DIGITS)

    def _sheet(self, key: tuple[str, str, int, BlankLevel]) -> Sheet:
        source, run, seed, level = key
        sheet = sheet_of(self._exercises.of((source, run)), self._variants.of((source, run, seed)), level)
        if not sheet.fields:
            raise LabError(f"The run {run} of {source} has no steps to practice.", hint="Choose another run or lesson.")
        return sheet


def _exercise(key: tuple[str, str]) -> Exercise:
    source, run = key
    if not is_in_package(source):  # the lab opens no files of its machine
        raise Missing(f"There is no lesson or scenario {shown(source)}.", hint="Choose one from the list.")
    return exercise(source, run or None)


# -- the sheet ---------------------------------------------------------------------------------------


def sheet_page(sheets: Sheets, source: str, run: str, seed: int, blanks: str) -> SheetPage:
    """What is given, then every step with its formula, and blanks to fill in.

    >>> page = sheet_page(Sheets(), "example-1", "", 7, "few")
    >>> page.code, page.run, page.fields[0]
    ('example-1.twin-7-2f4-a0f2', 'twin', 'Q[0][0]')
    """
    sheet = sheets.of(source, run, seed, blanks)
    paper = worksheet(sheet)
    # What comes before the first heading is for paper: a line for a name, and the command that grades.
    start = next(number for number, block in enumerate(paper.blocks) if isinstance(block, Heading))
    how_to_work = Items(tuple((_text(rule),) for rule in rules(sheet)))
    document = Document(paper.title, (how_to_work, *paper.blocks[start:]), sheet=sheet.code)
    labels = tuple(blank.label for blank in sheet.fields)
    return SheetPage(sheet.code, sheet.title, sheet.name, sheet.run, sheet.seed, sheet.blanks, Page(document), labels)


# -- grading -----------------------------------------------------------------------------------------


def grade_page(sheets: Sheets, source: str, run: str, seed: int, blanks: str, answers: Mapping[str, str]) -> GradePage:
    """The mark of each answer, and the first wrong step. Blanks are not wrong.

    >>> page = grade_page(Sheets(), "example-1", "", 7, "few", {"Q[0][0]": "12", "loss": " "})
    >>> [(mark.label, mark.verdict) for mark in page.marks], page.first_wrong, page.asked
    ([('Q[0][0]', 'unknown')], 'block1.attention.Q', 27)
    """
    sheet = sheets.of(source, run, seed, blanks)
    _check_labels(sheet, answers)
    graded = grade(sheet, answers)
    marks = tuple(marked(sheet, mark) for mark in graded.marks if mark.verdict != "blank")
    right = sum(mark.right for mark in marks)
    about = Document("", tuple(_totals(graded)), form="part")
    return GradePage(graded.first_wrong, marks, right, len(sheet.fields), Page(about))


def _check_labels(sheet: Sheet, answers: Iterable[str]) -> None:
    for label in answers:
        if find_target(sheet, label) is None:
            raise _unknown_label(sheet, label)


def _unknown_label(sheet: Sheet, label: str) -> LabError:
    known = ", ".join(blank.label for blank in sheet.fields[:3])
    return LabError(f"This sheet has no blank named {shown(label)}.", hint=f"Write labels as the sheet does: {known}.")


def marked(sheet: Sheet, mark: Mark) -> Marked:
    """The mark of one answer."""
    about = Document("", tuple(_about(sheet, mark)), form="part")
    is_right = mark.verdict in (*CORRECT, "follows")
    mistake = mark.mistake if mark.verdict == "mistake" else ""  # a slip is nothing to practice
    return Marked(mark.blank.label, mark.verdict, is_right, mistake, Page(about))


def _about(sheet: Sheet, mark: Mark) -> Iterator[Block]:
    """The verdict as a sentence, and the mistake. The right answer stays hidden: the hints lead there."""
    yield _text(mark.sentence(sheet.digits))
    if mark.verdict == "mistake":
        yield Note("mistake", (Words(mark.reasons),), mark.mistake)
    elif mark.verdict == "unknown" and not mark.note and mark.blank.kind == "number":
        yield Note("hint", (Words(NO_KNOWN_MISTAKE),))
    elif mark.note and mark.verdict not in ("unreadable", "too few digits"):
        yield Note("hint", (Words(mark.note),))
    if mark.is_wrong and mark.expected is not None:
        yield _text("We checked this step against your own earlier numbers.")


def _totals(graded: Grade) -> Iterator[Block]:
    """How it went so far, in numbers, and where to look first."""
    if all(mark.verdict == "blank" for mark in graded.marks):
        yield _text(NOTHING_ANSWERED)
        return
    yield _text(f"So far: {count_text(graded.marks)}.")
    yield Text(first_wrong_text(graded.sheet, graded.marks))


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
    """One hint to a blank: the formula, the numbers that it reads, its calculation, the answer. It goes on from the
    answers so far, and gives away no other blank.

    >>> page = hint_page(Sheets(), "example-1", "", 7, "few", "scaled[0][0]", 0)
    >>> page.rungs, page.page.document.blocks[0].text
    (4, 'Hint: the formula')
    """
    sheet = sheets.of(source, run, seed, blanks)
    blank = sheet.by_label.get(label)
    if blank is None:
        raise _unknown_label(sheet, label)
    answered = answers or {}
    _check_labels(sheet, answered)
    rungs = rungs_of(sheet, blank)
    if not 0 <= rung < len(rungs):
        raise LabError(
            f"There is no hint {rung}.",
            hint=f"Hints count from 0 to {len(rungs) - 1}: the last one is the answer.",
        )
    return HintPage(rung, len(rungs), Page(own_hint(sheet, blank, rungs[rung], answered)))
