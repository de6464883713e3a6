"""Each lesson has all its parts, in the same order, and its checks hold."""

from __future__ import annotations

import pytest
from written_lessons import NAMES, OF_SOURCES, blocks_of, each, written

from workings.explain.document import Heading, Program, Question, Table, plain_text
from workings.teach.reading.myst import directive_of, line_of, tree

PARTS = (
    "goal", "what-you-will-learn", "the-task", "architecture", "step-by-step", "by-hand", "checks", "common-mistakes",
    "key-insights", "exercises", "the-program", "one-gradient-confirmed", "what-the-source-printed", "next-step",
)  # fmt: skip


def test_the_lessons_of_the_sources_are_all_there():
    assert set(OF_SOURCES) <= set(NAMES)


def anchors(name):
    return [block.anchor for block in blocks_of(written(name).document.blocks) if isinstance(block, Heading)]


@pytest.mark.parametrize("name", each(NAMES))
def test_a_lesson_has_all_parts_in_their_order(name):
    found = anchors(name)
    assert [anchor for anchor in found if anchor in PARTS] == list(PARTS)
    assert len(set(found)) == len(found), "two headings with one name"
    file = written(name).lesson.file
    assert file.about
    assert file.minutes > 0
    assert file.calculator
    assert all(other in NAMES for other in file.needs)
    assert not file.next or file.next in OF_SOURCES or file.next in NAMES


@pytest.mark.parametrize("name", each(NAMES))
def test_a_lesson_uses_what_a_lesson_needs(name):
    file = written(name).lesson.file
    nodes = [node for node in tree(file.text) if node.type == "colon_fence"]
    used = [directive_of(node, line_of(node)).name for node in nodes]
    for directive in ("step", "cell", "figure", "checks", "mistakes", "nudge", "source-notes"):
        assert directive in used, directive
    assert used.count("program") >= 2
    assert used.count("exercise") + used.count("question") >= 4
    assert all(block.answer for block in blocks_of(written(name).document.blocks) if isinstance(block, Question))
    assert [block.language for block in blocks_of(written(name).document.blocks) if isinstance(block, Program)]


@pytest.mark.parametrize("name", each(NAMES))
def test_every_check_of_a_lesson_holds(name):
    checks = written(name).checks
    assert len(checks) >= 5
    assert not [(check.line, plain_text(check.words), plain_text(check.shown)) for check in checks if not check.holds]


def test_a_check_that_fails_is_told():
    table = next(
        b for b in blocks_of(written("example-1").document.blocks) if isinstance(b, Table) and "holds" in b.headings
    )
    assert {plain_text(row[0]) for row in table.rows} == {"yes"}
