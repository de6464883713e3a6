"""The page about a graded sheet: short, the first wrong step first."""

from dataclasses import replace

import pytest

from workings.document.blocks import Derivation, Fold, Heading, Note, Table, Text, plain_text
from workings.practice.grading.feedback import feedback
from workings.practice.grading.grade import grade
from workings.practice.grading.verdicts import Mark
from workings.practice.sheet import make_sheet


@pytest.fixture(scope="module")
def sheet():
    return make_sheet("example-3", seed=2, blanks="few")


@pytest.fixture
def right(sheet):
    return {label: str(blank.true) for label, blank in sheet.by_label.items()}


def wrong_by(sheet, mistake):
    """The answers that a mistake gives at its step."""
    outcome = next(outcome for outcome in sheet.mistakes if outcome.id == mistake)
    blanks = [blank for blank in sheet.fields if blank.step == outcome.step]
    return {blank.label: str(outcome.value[blank.index]) for blank in blanks}


def label_at(sheet, step):
    """The first blank of a step."""
    return next(blank.label for blank in sheet.fields if blank.step == step)


def page_of(sheet, answers):
    return grade(sheet, answers).document()


def said(page, kind=Text):
    return [plain_text(block.spans) for block in page.blocks if isinstance(block, kind)]


def headings(page):
    return [block.text for block in page.blocks if isinstance(block, Heading)]


def test_unanswered_sheet_is_not_a_failure(sheet):
    page = page_of(sheet, {})
    assert said(page)[0] == "Nothing is answered yet."
    assert headings(page) == ["Step by step"]


def test_correct_sheet_needs_no_explanation(sheet, right):
    page = page_of(sheet, right)
    count = len(sheet.fields)
    assert said(page)[:2] == [f"{count} of {count} points: {count} right.", "Everything that you answered is right."]
    assert headings(page) == ["Step by step"]


def test_mistake_is_named_and_its_step_calculated(sheet, right):
    page = page_of(sheet, right | wrong_by(sheet, "divide_by_root.not_divided"))
    assert "The first wrong step is scaled." in said(page)
    assert headings(page)[:2] == ["What went wrong", "scaled"]
    (note,) = (block for block in page.blocks if isinstance(block, Note) and block.tone == "mistake")
    assert note.mistake == "divide_by_root.not_divided"
    (fold,) = (block for block in page.blocks if isinstance(block, Fold))
    assert isinstance(fold.blocks[0], Derivation)
    assert "To practice just this: workings quiz example-3 --mistake divide_by_root.not_divided" in said(page)


def test_unnamed_errors_share_one_table_after_the_first(sheet, right):
    first, loss, gradient = (label_at(sheet, step) for step in ("block1.attention.scaled", "loss", "dlast"))
    page = page_of(sheet, right | {first: "3.3", loss: "9.9", gradient: "7.7"})
    assert headings(page) == ["What went wrong", "scaled", "Also not right", "Step by step"]
    assert said(page, Note) == ["No known mistake gives these numbers: calculate the line again."]
    others = [block for block in page.blocks if isinstance(block, Table)][1]
    assert [plain_text(row[0]) for row in others.rows] == [loss, gradient]
    assert [plain_text(row[1]) for row in others.rows] == ["9.9", "7.7"]


def test_reason_is_given_once_with_all_its_labels(sheet, right):
    first, loss = (label_at(sheet, step) for step in ("block1.attention.scaled", "loss"))
    notes = said(page_of(sheet, right | {first: "many", loss: "many"}), Note)
    assert [note.partition(":")[0] for note in notes] == [first, loss]
    assert all("many" in note for note in notes)


def test_answers_without_a_blank_are_listed(sheet, right):
    assert any("nothing[0]" in note for note in said(page_of(sheet, right | {"nothing[0]": "1"}), Note))


def test_drill_command_is_quoted_for_a_shell(sheet, right):
    other = replace(sheet, name="my example.yaml", run="masked")
    page = page_of(other, right | wrong_by(sheet, "divide_by_root.not_divided"))
    command = "workings quiz 'my example.yaml' --run masked --mistake divide_by_root.not_divided"
    assert f"To practice just this: {command}" in said(page)


def test_points_of_the_steps_sum_to_the_total(sheet, right):
    graded = grade(sheet, right | wrong_by(sheet, "divide_by_root.not_divided") | {"loss": "9.9"})
    table = [block for block in graded.document().blocks if isinstance(block, Table)][-1]
    assert sum(float(plain_text(row[2])) for row in table.rows) == graded.points


@pytest.mark.parametrize("answer", ["0.123412", "0,123412", "123412/1000000"])
def test_correct_number_shows_enough_digits_to_differ_from_the_given_one(sheet, answer):
    number = next(blank for blank in sheet.fields if blank.kind == "number")
    mark = Mark(replace(number, true=0.123407), answer, "unknown")
    table = next(block for block in feedback(sheet, (mark,)).blocks if isinstance(block, Table))
    assert plain_text(table.rows[0][2]) == "0.123407"
