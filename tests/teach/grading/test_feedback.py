"""What is said about a graded sheet: short, the first wrong step first."""

from dataclasses import replace

import pytest

from workings.explain.document import Derivation, Fold, Heading, Note, Table, Text, plain_text
from workings.teach.grading.feedback import feedback
from workings.teach.grading.grade import grade
from workings.teach.grading.verdicts import Mark
from workings.teach.practice.sheet import make_sheet


@pytest.fixture(scope="module")
def sheet():
    return make_sheet("example-3", seed=2, blanks="few")


@pytest.fixture
def right(sheet):
    return {label: str(field.true) for label, field in sheet.asked.items()}


def wrong_by(sheet, mistake):
    """The answers that a mistake gives at its step."""
    slip = next(slip for slip in sheet.slips if slip.id == mistake)
    fields = [field for field in sheet.fields if field.step == slip.step]
    return {field.label: str(slip.value[field.index]) for field in fields}


def label_at(sheet, step):
    """What is asked for at a step, the first entry of it."""
    return next(field.label for field in sheet.fields if field.step == step)


def page_of(sheet, answers):
    return grade(sheet, answers).document()


def said(page, kind=Text):
    return [plain_text(block.spans) for block in page.blocks if isinstance(block, kind)]


def headings(page):
    return [block.text for block in page.blocks if isinstance(block, Heading)]


def test_nothing_answered_is_no_failure(sheet):
    page = page_of(sheet, {})
    assert said(page)[0] == "Nothing is answered yet."
    assert headings(page) == ["Step by step"]


def test_all_right_has_nothing_to_explain(sheet, right):
    page = page_of(sheet, right)
    count = len(sheet.fields)
    assert said(page)[:2] == [f"{count} of {count} points: {count} right.", "Everything that you answered is right."]
    assert headings(page) == ["Step by step"]


def test_a_mistake_is_named_and_its_step_calculated(sheet, right):
    page = page_of(sheet, right | wrong_by(sheet, "divide_by_root.not_divided"))
    assert "The first step that is wrong is scaled." in said(page)
    assert headings(page)[:2] == ["What went wrong", "scaled"]
    (note,) = (block for block in page.blocks if isinstance(block, Note) and block.tone == "mistake")
    assert note.mistake == "divide_by_root.not_divided"
    (fold,) = (block for block in page.blocks if isinstance(block, Fold))
    assert isinstance(fold.blocks[0], Derivation)
    assert "To practise just this: workings quiz example-3 --mistake divide_by_root.not_divided" in said(page)


def test_what_has_no_name_stands_in_one_table_behind_the_first(sheet, right):
    first, loss, gradient = (label_at(sheet, step) for step in ("last", "loss", "dlast"))
    page = page_of(sheet, right | {first: "3.3", loss: "9.9", gradient: "7.7"})
    assert headings(page) == ["What went wrong", "last", "Also not right", "Step by step"]
    assert said(page, Note) == ["No known mistake gives these numbers: work the line out again."]
    others = [block for block in page.blocks if isinstance(block, Table)][1]
    assert [plain_text(row[0]) for row in others.rows] == [loss, gradient]
    assert [plain_text(row[1]) for row in others.rows] == ["9.9", "7.7"]


def test_a_reason_is_said_once_with_all_that_it_is_about(sheet, right):
    first, loss = (label_at(sheet, step) for step in ("last", "loss"))
    notes = said(page_of(sheet, right | {first: "many", loss: "many"}), Note)
    assert [note.partition(":")[0] for note in notes] == [first, loss]
    assert all("many" in note for note in notes)


def test_what_nobody_asked_for_is_said(sheet, right):
    assert any("nothing[0]" in note for note in said(page_of(sheet, right | {"nothing[0]": "1"}), Note))


def test_a_drill_names_file_and_run_as_a_shell_reads_them(sheet, right):
    other = replace(sheet, name="my example.yaml", run="masked")
    page = page_of(other, right | wrong_by(sheet, "divide_by_root.not_divided"))
    command = "workings quiz 'my example.yaml' --run masked --mistake divide_by_root.not_divided"
    assert f"To practise just this: {command}" in said(page)


def test_points_of_the_steps_add_up_to_all(sheet, right):
    graded = grade(sheet, right | wrong_by(sheet, "divide_by_root.not_divided") | {"loss": "9.9"})
    table = [block for block in graded.document().blocks if isinstance(block, Table)][-1]
    assert sum(float(plain_text(row[2])) for row in table.rows) == graded.points


@pytest.mark.parametrize("written", ["0.123412", "0,123412", "123412/1000000"])
def test_the_right_number_has_as_many_digits_as_tell_it_from_the_given_one(sheet, written):
    number = next(field for field in sheet.fields if field.kind == "number")
    mark = Mark(replace(number, true=0.123407), written, "unknown")
    table = next(block for block in feedback(sheet, (mark,)).blocks if isinstance(block, Table))
    assert plain_text(table.rows[0][2]) == "0.123407"
