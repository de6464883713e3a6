"""Blanks for the lines on the way to an entry: the largest score, the powers of e, their sum."""

import json
import math

import pytest

from workings.document.blocks import Answers
from workings.engine.errors import InputError
from workings.engine.rounding import round_float
from workings.practice.grading.grade import grade
from workings.practice.sheet import make_sheet
from workings.practice.sheet_code import save_command
from workings.practice.sheet_file import open_sheet, read_sheet
from workings.practice.worksheets.key import key
from workings.practice.worksheets.template import rows
from workings.practice.worksheets.worksheet import worksheet
from workings.render.html import to_html
from workings.render.markdown import to_markdown

NAMES = ["cat-sat", "layer-norm", "example-3"]


@pytest.fixture(scope="module")
def sheet():
    return make_sheet("cat-sat", 2, "few", lines=True)


def answered(sheet):
    return {
        blank.label: repr(round_float(blank.true, sheet.digits, "significant"))
        if blank.is_number and math.isfinite(blank.true)
        else str(blank.true)
        for blank in sheet.fields
        if not isinstance(blank.true, tuple)
    }


def lines(sheet, path):
    return [blank.line for blank in sheet.fields if blank.kind == "line" and blank.step == path]


def test_lines_of_a_softmax_and_of_a_layer_norm_are_blanks(sheet):
    assert lines(sheet, "weights") == ["max", "s0", "s1", "s2", "e0", "e1", "e2", "total"]
    assert {"mean", "variance", "divisor"} <= set(lines(make_sheet("layer-norm", 1, "few", lines=True), "normed"))
    assert not [blank for blank in make_sheet("cat-sat", 2, "few").fields if blank.kind == "line"]


def test_line_that_entries_share_is_asked_once(sheet):
    labels = [blank.label for blank in sheet.fields if blank.line == "total"]
    assert labels == ["weights[0][0]/total"]  # although another entry of the row is blank, too
    assert len([blank for blank in sheet.fields if blank.step == "weights" and blank.kind == "number"]) > 1


@pytest.mark.parametrize("name", NAMES)
def test_learner_who_rounds_every_line_is_right(name):
    sheet = make_sheet(name, 3, "some", lines=True)
    graded = grade(sheet, answered(sheet))
    wrong = [(mark.blank.label, mark.verdict) for mark in graded.marks if mark.is_wrong or mark.verdict == "follows"]
    assert not wrong
    assert len(graded.marks) == len(sheet.fields)


def test_entry_that_follows_from_a_wrong_line_counts(sheet):
    true = {blank.line: blank.true for blank in sheet.fields if blank.step == "weights" and blank.kind == "line"}
    total = true["total"] + 1
    entries = {f"weights[0][{k}]": repr(round(true[f"e{k}"] / total, 4)) for k in range(3)}
    asked = {label: text for label, text in entries.items() if label in sheet.by_label}
    graded = grade(sheet, {**answered(sheet), "weights[0][0]/total": repr(round(total, 3)), **asked})
    assert graded["weights[0][0]/total"].verdict == "unknown"
    assert {graded[label].verdict for label in asked} == {"follows"}
    assert graded.first_wrong == "weights"


def test_line_that_follows_from_a_wrong_line_counts(sheet):
    true = {blank.line: blank.true for blank in sheet.fields if blank.step == "weights" and blank.kind == "line"}
    wrong = {"weights[0][0]/e0": "3", "weights[0][0]/total": repr(round(3 + true["e1"] + true["e2"], 3))}
    graded = grade(sheet, {**answered(sheet), **wrong})
    assert [graded[label].verdict for label in wrong] == ["unknown", "follows"]


def test_sheet_with_lines_survives_its_file_and_its_code(sheet):
    assert read_sheet(sheet.to_json()).fields == sheet.fields
    again = open_sheet(sheet.code)
    assert (again.code, again.fields) == (sheet.code, sheet.fields)
    assert "--lines" in save_command(sheet)


def test_lines_are_on_every_kind_of_page(sheet):
    label = "weights[0][0]/total"
    page = worksheet(sheet)
    field = next(
        one for block in page.blocks if isinstance(block, Answers) for one in block.fields if one.label == label
    )
    assert field.question == "weights[0][0]/total = e0 + e1 + e2"
    assert not field.placed
    assert (label, "") in rows(sheet)
    assert "weights[0][0]/total" in to_markdown(page)
    assert "weights[0][0]/total" in to_html(page)
    assert label in to_markdown(key(sheet))


def test_sheet_without_formulas_names_its_lines_only(sheet):
    page = worksheet(sheet, formulas=False)
    fields = [one for block in page.blocks if isinstance(block, Answers) for one in block.fields]
    assert "weights[0][0]/total" in [one.label for one in fields]
    assert not any("=" in one.question for one in fields)


def test_changed_answer_of_a_line_is_refused(sheet):
    data = sheet.to_data()
    row = next(one for one in data["fields"] if one["label"] == "weights[0][0]/total")
    row["true"] = 9.75
    with pytest.raises(InputError, match=r"the answer for weights\[0\]\[0\]/total does not follow"):
        read_sheet(json.dumps(data))
