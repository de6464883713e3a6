"""Each lesson has all its parts, in the same order, and its checks hold."""

from __future__ import annotations

import re

import pytest
from built_lessons import NAMES, OF_SOURCES, PART_OF, blocks_of, each, written

from workings.cli.output import page_text as _page
from workings.document.blocks import Heading, Program, Question, Table, plain_text
from workings.lessons.lesson import Lesson, lesson
from workings.lessons.reading.lesson_file import read_lesson
from workings.lessons.reading.myst import directive_of, line_of, tree
from workings.render.html import to_html
from workings.render.markdown import to_markdown

OF_A_SOURCE = (
    "goal", "what-you-will-learn", "the-task", "architecture", "step-by-step", "by-hand", "checks", "common-mistakes",
    "key-insights", "exercises", "the-program", "one-gradient-confirmed", "what-the-source-printed", "next-step",
)  # fmt: skip
SECTIONS = {
    "theory": ("goal", "what-you-will-learn", "by-hand", "checks", "key-insights", "exercises", "next-step"),
    "examples": OF_A_SOURCE,
    "longer": OF_A_SOURCE,
    "pieces": (
        "goal", "what-you-will-learn", "by-hand", "checks", "common-mistakes", "key-insights", "exercises",
        "the-program", "next-step",
    ),
    "appendices": ("goal", "checks"),
}  # fmt: skip
OF_A_SOURCE_USES = ("step", "cell", "figure", "checks", "mistakes", "nudge", "source-notes", "program")
USES = {
    "theory": ("cell", "figure", "checks", "exercise"),
    "examples": OF_A_SOURCE_USES,
    "longer": OF_A_SOURCE_USES,
    "pieces": ("figure", "checks", "exercise", "program"),
    "appendices": ("checks",),
}
WHOLE_NUMBERS = ("tokenization", "parameter-counts")  # nothing is rounded there
FEWEST_CHECKS = {"theory": 5, "examples": 5, "longer": 5, "pieces": 5, "appendices": 3}


def test_the_lessons_of_the_sources_are_all_there():
    assert set(OF_SOURCES) <= set(NAMES)
    assert set(NAMES) <= set(PART_OF)


def without_tags(page):
    return re.sub(r"<[^>]*>", "", page)


def anchors(name):
    return [block.anchor for block in blocks_of(written(name).document.blocks) if isinstance(block, Heading)]


@pytest.mark.parametrize("name", each(NAMES))
def test_a_lesson_has_all_parts_in_their_order(name):
    found, wanted = anchors(name), SECTIONS[PART_OF[name]]
    assert [anchor for anchor in found if anchor in wanted] == list(wanted)
    assert len(set(found)) == len(found), "two headings with one name"
    file = lesson(name).file
    assert file.about
    assert file.minutes > 0
    assert file.calculator or PART_OF[name] == "appendices" or name in WHOLE_NUMBERS
    assert all(other in NAMES for other in file.needs)


def test_each_lesson_leads_to_the_next():
    assert [lesson(name).file.next for name in NAMES] == [*NAMES[1:], ""]


@pytest.mark.parametrize("name", each(NAMES))
def test_a_lesson_uses_what_a_lesson_needs(name):
    file = lesson(name).file
    nodes = [node for node in tree(file.text) if node.type == "colon_fence"]
    used = [directive_of(node, line_of(node)).name for node in nodes]
    for directive in USES[PART_OF[name]]:
        assert directive in used, directive
    assert all(block.answer for block in blocks_of(written(name).document.blocks) if isinstance(block, Question))
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
