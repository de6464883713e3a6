"""Practice in the lab: sheets that are made once, marks that say what went wrong, hints rung by rung."""

from __future__ import annotations

import threading
import time

import pytest

from workings.document.blocks import Answers, Block, Derivation, Formula, Heading, Matrix, Note, Text
from workings.document.numbers import Style, write
from workings.engine.errors import WorkingsError
from workings.explain.trace import Trace
from workings.lab.answers.trace import GradePage, Page
from workings.lab.pages import practice
from workings.lab.pages.practice import Sheets, grade_page, hint_page, sheet_page
from workings.practice.sheet import Sheet
from workings.practice.variant import Variant, find_variant

ASKED = ("example-3", "twin", 1, "some")


@pytest.fixture(scope="module")
def sheets() -> Sheets:
    return Sheets()


@pytest.fixture(scope="module")
def sheet(sheets: Sheets) -> Sheet:
    return sheets.of(*ASKED)


def right_answers(sheet: Sheet, digits: int = 4) -> dict[str, str]:
    return {field.label: write(field.true, Style(digits)) for field in sheet.fields if isinstance(field.true, float)}


def words(page: Page) -> str:
    return " ".join(_words(block) for block in page.document.blocks)


def _words(block: Block) -> str:
    if isinstance(block, Text | Note):
        return "".join(span.text for span in block.spans if hasattr(span, "text"))
    return block.text if isinstance(block, Heading) else ""


def mark_of(page: GradePage, label: str) -> practice.Marked:
    return next(mark for mark in page.marks if mark.label == label)


def slip_answers(sheet: Sheet, id: str) -> tuple[str, dict[str, str]]:
    """The step at which a mistake shows, and what somebody writes there who makes it."""
    mistake = next(mistake for mistake in sheet.mistakes if mistake.id == id and mistake.step in sheet.steps.values())
    fields = [field for field in sheet.fields if field.step == mistake.step and field.kind == "number"]
    return mistake.step, {field.label: write(float(mistake.value[field.index]), Style(4)) for field in fields}


# -- sheets --------------------------------------------------------------------------------------------


def test_page_has_a_blank_for_every_field_and_no_answer(sheets: Sheets, sheet: Sheet) -> None:
    page = sheet_page(sheets, *ASKED)
    blocks = page.page.document.blocks
    fields = [field for block in blocks if isinstance(block, Answers) for field in block.fields]
    assert tuple(field.label for field in fields) == page.fields == tuple(field.label for field in sheet.fields)
    blanks = {
        (entry.step, entry.index)
        for block in blocks
        if isinstance(block, Matrix)
        for part in block.slices
        for row in part.rows
        for entry in row
        if entry.is_blank
    }
    assert blanks == {(field.step, field.index) for field in fields if field.placed}
    assert all(not isinstance(block, Derivation) for block in blocks)


def test_page_says_how_to_work_and_nothing_that_is_for_paper(sheets: Sheets) -> None:
    page = sheet_page(sheets, *ASKED)
    text = repr(page.page.document)
    assert "Fill in every blank" in text
    assert "workings grade" not in text
    assert "date ____" not in text


def test_no_run_is_the_run_that_the_lesson_practises_on(sheets: Sheets) -> None:
    assert sheet_page(sheets, "example-3", "", 1, "some") == sheet_page(sheets, *ASKED)


def test_numbers_are_found_once_however_many_ask_and_whatever_is_blank(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []

    def slow(trace: Trace, seed: int, digits: int) -> Variant:
        calls.append(seed)
        time.sleep(0.1)
        return find_variant(trace, seed, digits)

    monkeypatch.setattr(practice, "find_variant", slow)
    sheets, found = Sheets(), []
    runs = ["", "default"] * 4
    threads = [
        threading.Thread(target=lambda run=run: found.append(sheets.of("matrix-core", run, 1, "few"))) for run in runs
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=30)
    assert len(found) == len(runs)
    assert all(sheet is found[0] for sheet in found)
    assert len(sheets.of("matrix-core", "", 1, "all").fields) > len(found[0].fields)
    assert len(calls) == 1


def test_only_the_last_sheets_are_kept() -> None:
    sheets = Sheets(most=2)
    first = sheets.of("matrix-core", "default", 1, "few")
    assert sheets.of("matrix-core", "default", 1, "few") is first
    sheets.of("matrix-core", "default", 2, "few")
    sheets.of("matrix-core", "default", 3, "few")
    assert sheets.of("matrix-core", "default", 1, "few") is not first


def test_a_sheet_that_cannot_be_made_is_tried_again() -> None:
    sheets = Sheets()
    with pytest.raises(WorkingsError):
        sheets.of("matrix-core", "no-such-run", 1, "few")
    with pytest.raises(WorkingsError):
        sheets.of("matrix-core", "no-such-run", 1, "few")
    assert sheets.of("matrix-core", "", 1, "few").run == "default"


@pytest.mark.parametrize(
    ("asked", "key"),
    [
        (("../example-3.yaml", "", 1, "few"), "There is no lesson or scenario"),
        (("no-such-lesson", "", 1, "few"), "There is no lesson or scenario"),
        (("example-3", "", -1, "few"), "There is no sheet with the seed"),
        (("example-3", "", 10**9, "few"), "There is no sheet with the seed"),
        (("example-3", "", 1, "none"), "A sheet leaves"),
    ],
)
def test_what_there_is_not_is_refused_with_what_to_try(asked: tuple[str, str, int, str], key: str) -> None:
    with pytest.raises(WorkingsError) as refused:
        sheet_page(Sheets(), *asked)
    assert key in refused.value.what
    assert refused.value.what
    assert refused.value.hint


def test_a_file_of_this_machine_is_no_sheet(tmp_path) -> None:  # type: ignore[no-untyped-def]
    file = tmp_path / "own.yaml"
    file.write_text("scenario: 1\ngiven: {x: 1 2}\ncalculate: ['y = softmax(x, axis=-1)']\n")
    with pytest.raises(WorkingsError) as refused:
        sheet_page(Sheets(), str(file), "", 0, "all")
    assert "There is no lesson or scenario" in refused.value.what


# -- grading -------------------------------------------------------------------------------------------


def test_right_answers_are_right(sheets: Sheets, sheet: Sheet) -> None:
    answers = right_answers(sheet)
    page = grade_page(sheets, *ASKED, answers)
    assert {mark.verdict for mark in page.marks} == {"right"}
    assert page.right == len(answers)
    assert page.asked == len(sheet.fields)
    assert page.first_wrong == ""
    assert "Everything that you answered is right" in words(page.page)


def test_what_is_blank_is_not_wrong_and_gets_no_mark(sheets: Sheets, sheet: Sheet) -> None:
    label = next(iter(right_answers(sheet)))
    page = grade_page(sheets, *ASKED, {label: "  ", next(reversed(right_answers(sheet))): "____"})
    assert page.marks == ()
    assert page.first_wrong == ""
    assert words(page.page) == "Nothing is answered yet."


def test_a_planted_mistake_is_named_with_its_hint(sheets: Sheets, sheet: Sheet) -> None:
    path, wrong = slip_answers(sheet, "divide_by_root.not_divided")
    page = grade_page(sheets, *ASKED, {**right_answers(sheet), **wrong})
    assert page.first_wrong == path
    named = [mark for mark in page.marks if mark.mistake]
    assert {mark.mistake for mark in named} == {"divide_by_root.not_divided"}
    assert {mark.label for mark in named} <= set(wrong)
    assert "You did not divide" in words(named[0].page)
    assert not any(mark.right for mark in named)


def test_what_follows_from_ones_own_number_counts(sheets: Sheets, sheet: Sheet) -> None:
    """Whoever forgets the root and goes on rightly is wrong once."""
    path, wrong = slip_answers(sheet, "divide_by_root.not_divided")
    changed = {path: sheet.trace.find_step("scores").tensor.array}
    own = sheet.trace.replay(values=changed)
    numbers = [field for field in sheet.fields if field.kind == "number"]
    answers = {field.label: write(float(own[field.step].value[field.index]), Style(4)) for field in numbers}
    page = grade_page(sheets, *ASKED, answers)
    followed = [mark for mark in page.marks if mark.verdict == "follows"]
    assert followed
    assert all(mark.right for mark in followed)
    assert "follows from your own earlier numbers" in words(followed[0].page)
    assert {mark.label for mark in page.marks if not mark.right} <= set(wrong)


def test_what_cannot_be_read_is_a_mark_that_says_so(sheets: Sheets, sheet: Sheet) -> None:
    label = next(iter(right_answers(sheet)))
    mark = mark_of(grade_page(sheets, *ASKED, {label: "<img onerror=alert(1)>"}), label)
    assert mark.verdict == "unreadable"
    assert not mark.right
    assert "is not a number" in words(mark.page)


def test_a_wrong_number_does_not_give_the_right_one_away(sheets: Sheets, sheet: Sheet) -> None:
    label, right = next(iter(right_answers(sheet).items()))
    page = grade_page(sheets, *ASKED, {label: "17"})
    assert mark_of(page, label).verdict == "unknown"
    assert "No known mistake gives these numbers" in words(mark_of(page, label).page)
    assert right not in words(mark_of(page, label).page)


def test_fewer_digits_are_right_to_the_digits_given(sheets: Sheets, sheet: Sheet) -> None:
    short = right_answers(sheet, 3)
    off = {label: abs(float(text) - float(sheet.by_label[label].true)) for label, text in short.items()}  # type: ignore[arg-type]
    label = next(label for label in short if off[label] > 2 * sheet.by_label[label].tolerance)
    mark = mark_of(grade_page(sheets, *ASKED, {label: short[label]}), label)
    assert (mark.verdict, mark.right) == ("right to the digits given", True)
    assert right_answers(sheet)[label] in words(mark.page)


def test_too_few_digits_give_nothing_away(sheets: Sheets, sheet: Sheet) -> None:
    label = next(label for label, text in right_answers(sheet).items() if len(text.strip("-0.")) == 4)
    page = grade_page(sheets, *ASKED, {label: right_answers(sheet, 1)[label]})
    mark = mark_of(page, label)
    assert (mark.verdict, mark.right, mark.mistake, page.first_wrong) == ("too few digits", False, "", "")
    assert "Too few digits to tell; give at least" in words(mark.page)
    assert right_answers(sheet)[label] not in words(mark.page)


def test_a_whole_matrix_answers_its_entries(sheets: Sheets, sheet: Sheet) -> None:
    name, path = next((name, path) for name, path in sheet.steps.items() if len(sheet.trace[path].shape) == 2)
    rows = sheet.trace[path].value
    text = "; ".join(" ".join(f"{entry:.6g}" for entry in row) for row in rows)
    page = grade_page(sheets, *ASKED, {name: text})
    assert page.marks
    assert all(mark.right for mark in page.marks)


def test_a_label_that_is_not_asked_for_is_refused(sheets: Sheets) -> None:
    with pytest.raises(WorkingsError) as refused:
        grade_page(sheets, *ASKED, {"nonsense[0]": "1"})
    assert "This sheet has no blank named" in refused.value.what
    assert "nonsense[0]" in refused.value.what


# -- hints ---------------------------------------------------------------------------------------------


def test_the_ladder_leads_from_the_formula_to_the_answer(sheets: Sheets, sheet: Sheet) -> None:
    field = next(field for field in sheet.fields if field.step.endswith("scores") and field.kind == "number")
    pages = [hint_page(sheets, *ASKED, field.label, rung, right_answers(sheet)) for rung in range(4)]
    assert [page.rungs for page in pages] == [4] * 4
    formula, _, line, answer = (page.page.document.blocks for page in pages)
    assert any(isinstance(block, Formula) for block in formula)
    true = write(field.true, Style(4)) if isinstance(field.true, float) else ""
    (without,) = [block for block in line if isinstance(block, Derivation)]
    (whole,) = [block for block in answer if isinstance(block, Derivation)]
    assert without.lines[-1].value.is_blank
    assert whole.lines[-1].value.text == true


FEW = ("example-3", "", 1, "few")  # weights[0][0] reads scaled[0][0], which is asked for as well


def shown_in_hints(sheets: Sheets, answers: dict[str, str]) -> list[str]:
    pages = [hint_page(sheets, *FEW, "weights[0][0]", rung, answers).page for rung in range(4)]
    return ["\n".join(_hinted(block) for block in page.document.blocks[1:]) for page in pages]


def _hinted(block: Block) -> str:
    return str(block) if isinstance(block, Derivation) else _words(block)


def test_a_hint_does_not_give_away_a_blank_that_is_still_open(sheets: Sheets) -> None:
    open_number = right_answers(sheets.of(*FEW))["scaled[0][0]"]
    _, operands, line, answer = shown_in_hints(sheets, {})
    assert operands.startswith("scaled[0][0] = ____")
    for said in (operands, line, answer):
        assert open_number not in said
        assert "Other blanks of this sheet: scaled[0][0]." in said
    assert right_answers(sheets.of(*FEW))["weights[0][0]"] in answer


def test_a_hint_goes_on_with_the_number_that_was_written(sheets: Sheets) -> None:
    _, operands, line, answer = shown_in_hints(sheets, {"scaled[0][0]": "2"})
    assert operands.startswith("scaled[0][0] = 2.0,")
    assert "elsewhere" not in operands + line + answer
    share = answer.split(" = ")[-1]
    page = grade_page(sheets, *FEW, {"scaled[0][0]": "2", "weights[0][0]": share})
    assert [(mark.label, mark.verdict) for mark in page.marks][1] == ("weights[0][0]", "follows")


def test_the_own_answer_does_not_stand_for_the_right_one_in_its_hint(sheets: Sheets) -> None:
    assert shown_in_hints(sheets, {"weights[0][0]": "17"}) == shown_in_hints(sheets, {})


@pytest.mark.parametrize("rung", [-1, 4, 1000])
def test_a_rung_that_is_not_there_is_refused(sheets: Sheets, sheet: Sheet, rung: int) -> None:
    label = next(iter(right_answers(sheet)))
    with pytest.raises(WorkingsError) as refused:
        hint_page(sheets, *ASKED, label, rung)
    assert "There is no hint" in refused.value.what


def test_a_hint_to_what_is_not_asked_is_refused(sheets: Sheets) -> None:
    with pytest.raises(WorkingsError) as refused:
        hint_page(sheets, *ASKED, "<b>", 0)
    assert "This sheet has no blank named" in refused.value.what
