"""Each lesson has all its parts, in the same order, and its checks hold."""

from __future__ import annotations

import re

import pytest
from built_lessons import LONG, NAMES, OF_SOURCES, PART_OF, blocks_of, each, written

from workings.cli.output import page_text as _page
from workings.document.blocks import (
    Figure,
    Fold,
    Heading,
    Items,
    Note,
    Program,
    Question,
    Table,
    Text,
    plain_text,
)
from workings.lessons.lesson import Lesson, lesson
from workings.lessons.reading.lesson_file import read_lesson
from workings.lessons.runs import TWIN
from workings.render.html import to_html
from workings.render.markdown import to_markdown

SECOND_EDITION = [name for name in NAMES if lesson(name).file.question]
OF_A_SOURCE = (
    "check-your-work", "what-to-remember", "exercises", "the-same-in-code", "what-the-document-prints",
)  # fmt: skip
SECTIONS = {
    "theory": ("check-your-work", "what-to-remember", "exercises"),
    "examples": OF_A_SOURCE,
    "longer": OF_A_SOURCE,
    "pieces": ("check-your-work", "what-to-remember", "exercises", "the-same-in-code"),
    "appendices": ("check-your-work",),
}
OF_A_SOURCE_USES = ("predict", "step", "figure", "checks", "mistakes", "source-notes", "program")
USES = {
    "theory": ("figure", "checks", "exercise"),
    "examples": OF_A_SOURCE_USES,
    "longer": OF_A_SOURCE_USES,
    "pieces": ("figure", "checks", "exercise", "program"),
    "appendices": ("checks",),
}
MOST_WORDS = 1800  # that a reader sees before any fold is opened
WHOLE_NUMBERS = ("tokenization", "parameter-counts")  # nothing is rounded there
FEWEST_CHECKS = {"theory": 5, "examples": 5, "longer": 5, "pieces": 5, "appendices": 3}


def test_the_lessons_of_the_sources_are_all_there():
    assert set(OF_SOURCES) <= set(NAMES)
    assert set(NAMES) <= set(PART_OF)


def without_tags(page):
    return re.sub(r"<[^>]*>", "", page)


def anchors(name):
    return [block.anchor for block in blocks_of(written(name).document.blocks) if isinstance(block, Heading)]


@pytest.mark.parametrize("name", each(SECOND_EDITION))
def test_a_lesson_has_all_parts_in_their_order(name):
    found, wanted = anchors(name), SECTIONS[PART_OF[name]]
    assert [anchor for anchor in found if anchor in wanted] == list(wanted)
    assert len(set(found)) == len(found), "two headings with one name"
    file = lesson(name).file
    assert file.question.endswith("?")
    assert file.about
    assert file.minutes > 0
    assert file.calculator or PART_OF[name] == "appendices" or name in WHOLE_NUMBERS
    assert all(other in NAMES for other in file.needs)


@pytest.mark.parametrize("name", each(SECOND_EDITION))
def test_a_lesson_opens_with_a_picture(name):
    blocks = written(name).document.blocks
    first = next(n for n, block in enumerate(blocks) if isinstance(block, Heading))
    assert any(isinstance(block, Figure) for block in blocks[:first])


def visible_words(blocks):
    """Words of the running text that a reader sees before any fold is opened."""
    for block in blocks:
        if isinstance(block, Fold):
            yield from block.title.split()
            yield from visible_words(block.blocks) if block.is_open else ()
        elif isinstance(block, Items):
            for entry in block.entries:
                yield from visible_words(entry)
        elif isinstance(block, Heading):
            yield from block.text.split()
        elif isinstance(block, Text | Note | Question):
            yield from plain_text(block.spans).split()
        elif isinstance(block, Figure):
            yield from plain_text(block.caption).split()


@pytest.mark.parametrize("name", each(SECOND_EDITION))
def test_a_lesson_is_short(name):
    assert len(list(visible_words(written(name).document.blocks))) <= MOST_WORDS


@pytest.mark.parametrize("name", each([name for name in SECOND_EDITION if TWIN in lesson(name).runs], slow=LONG))
def test_checks_hold_with_distinguishing_numbers(name):
    checks = lesson(name, numbers="distinguishing").checks()
    assert not [(check.line, plain_text(check.words), plain_text(check.shown)) for check in checks if not check.holds]


def test_each_lesson_leads_to_the_next():
    assert [lesson(name).file.next for name in NAMES] == [*NAMES[1:], ""]


@pytest.mark.parametrize("name", each(SECOND_EDITION))
def test_a_lesson_uses_what_a_lesson_needs(name):
    file = lesson(name).file
    used = re.findall(r"^:{3,}\{([\w-]+)\}", file.text, re.MULTILINE)
    for directive in USES[PART_OF[name]]:
        assert directive in used, directive
    asked = [block for block in blocks_of(written(name).document.blocks) if isinstance(block, Question)]
    assert sum(not block.answer for block in asked) == used.count("predict")
    if name in OF_SOURCES:
        assert used.count("program") >= 2
        assert used.count("exercise") + used.count("question") >= 4
        assert [block.language for block in blocks_of(written(name).document.blocks) if isinstance(block, Program)]


@pytest.mark.parametrize("name", each(NAMES))
def test_every_check_of_a_lesson_holds(name):
    checks = written(name).checks
    assert len(checks) >= FEWEST_CHECKS[PART_OF[name]]
    assert not [(check.line, plain_text(check.words), plain_text(check.shown)) for check in checks if not check.holds]


HEAD = "---\ntitle: x\nscenario: example-1\n---\n"


def checked(*conditions):
    """A small lesson of nothing but checks, and the rows of their table."""
    body = "\n".join(f"Number {number} | {condition}" for number, condition in enumerate(conditions))
    lesson = Lesson("x", read_lesson(f"{HEAD}:::{{checks}}\n{body}\n:::\n", "x.md")).build()
    (table,) = (block for block in blocks_of(lesson.document.blocks) if isinstance(block, Table))
    return lesson, [tuple(plain_text(part) for part in row) for row in table.rows]


@pytest.mark.parametrize(
    ("fails", "told", "holds"),
    [
        ("P[0] = 0.25", "0.2506 = 0.25", "P[0] = P[0]"),
        ("P[0] = P[2]", "0.25062 = 0.25063", "sum(P) = 1"),
        ("P = 0.25", "0.2506 = 0.25", "P = P"),
        ("sum(P) = 2", "1 = 2", "sum(P) = 1"),
        ("P[0] != P[0]", "0.2506 ≠ 0.2506", "P[0] != P[2]"),
        ("sum(P) != 1", "1 ≠ 1", "sum(P) != 2"),
        ("P[1] >= P[0]", "0.2494 ≥ 0.2506", "P[0] >= P[0]"),
        ("P >= 0.25", "0.2494 ≥ 0.25", "P >= 0.2"),
        ("P[0] > P[0]", "0.2506 > 0.2506", "P[0] > P[1]"),
        ("P[0] <= P[1]", "0.2506 ≤ 0.2494", "P[1] <= P[0]"),
        ("P < 0.2505", "0.2506 < 0.2505", "P < 0.2507"),
        ("masked:masked[0][0] = -inf", "0.007071 = -∞", "masked:masked[0][1] = -inf"),
        ("masked:masked[0][1] != -inf", "-∞ ≠ -∞", "masked:masked[0][0] != -inf"),
        ("masked:masked[0][1] >= 0", "-∞ ≥ 0", "masked:masked[0][1] < 0"),
        ("P = inf", "0.2506 = ∞", "P < inf"),
        ("P = nan", "0.2506 = nan", "P != nan"),
        ("shape P = 5", "4 = 5", "shape P = 4"),
        ("shape weights = 2 3", "2 × 2 = 2 × 3", "shape weights = 2 2"),
        ("shape weights = 4", "2 × 2 = 4", "shape weights = 2 2"),
    ],
)
def test_a_check_that_fails_is_told(fails, told, holds):
    lesson, rows = checked(holds, fails)
    assert [check.holds for check in lesson.checks] == [True, False]
    assert rows[0][0] == "yes"
    assert rows[1] == ("NO", told, "Number 1")
    assert [check.line for check in lesson.checks] == [6, 7]


def test_a_check_that_fails_stands_on_every_page():
    document = checked("P[0] = P[0]", "P[0] = 0.25")[0].document
    for page in (_page(document), to_markdown(document), to_html(document)):
        assert "NO" in page
        assert "0.2506 = 0.25" in without_tags(page)
