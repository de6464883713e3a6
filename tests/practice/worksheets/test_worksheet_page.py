"""The page of a worksheet: what is given, the blanks, and nothing that gives them away."""

import json
import re
from dataclasses import replace
from pathlib import Path

import jsonschema
import pytest

import workings
from workings.document.blocks import Answers, Matrix, all_blocks, to_data
from workings.document.numbers import Style, write
from workings.engine.errors import InputError
from workings.practice.answers.file import read_answers
from workings.practice.grading.grade import grade
from workings.practice.sheet import make_sheet
from workings.practice.sheet_file import read_sheet
from workings.practice.worksheets.worksheet import blanks_of, with_blanks, worksheet
from workings.render.html import to_html
from workings.render.markdown import to_markdown
from workings.render.tex.page import to_tex

SCHEMAS = Path(workings.__file__).parent / "schema"
SHEETS = [("example-1", "few"), ("example-3", "some"), ("causal-mask", "all"), ("multi-head", "some")]


@pytest.fixture(scope="module", params=SHEETS, ids=lambda pair: "-".join(pair))
def sheet(request):
    name, blanks = request.param
    return make_sheet(name, seed=2, blanks=blanks)


def answers_of(page):
    return [field for block in page.blocks if isinstance(block, Answers) for field in block.fields]


def matrices_of(page):
    return {block.step: block for block in all_blocks(page.blocks) if isinstance(block, Matrix)}


def test_every_blank_has_one_field_in_order(sheet):
    fields = answers_of(worksheet(sheet))
    assert [field.label for field in fields] == [blank.label for blank in sheet.fields]
    assert all(field.digits == sheet.digits for field in fields)


def test_matrices_have_blanks_exactly_for_the_placed_fields(sheet):
    page = worksheet(sheet)
    drawn = {(block.step, index) for block in matrices_of(page).values() for index in blanks_of(block)}
    fields = answers_of(page)
    assert drawn == {(field.step, field.index) for field in fields if field.placed}
    assert [field.label for field in fields if not field.placed] == [
        blank.label for blank in sheet.fields if blank.kind != "number"
    ]


def test_all_other_numbers_are_printed_and_true(sheet):
    recording = sheet.trace.recording
    for block in matrices_of(worksheet(sheet)).values():
        value = recording.value(block.step)
        for entry in (entry for part in block.slices for row in part.rows for entry in row if not entry.is_blank):
            true = value[entry.index].item()
            assert entry.value == (true if abs(true) != float("inf") else str(true))
            if true == 0 or abs(true) > 1e-9:
                number = true if isinstance(true, int) else float(true)
                assert entry.text in (
                    write(number, Style(sheet.digits)),
                    write(number, Style(sheet.digits, whole=True)),
                )


def test_every_input_is_shown(sheet):
    shown = matrices_of(worksheet(sheet))
    for step in sheet.trace.recording.steps.values():
        for id in step.inputs:
            source = sheet.trace.recording.step(id)
            is_hidden = source.op is None and source.leaf in ("given", "parameter", "random") and id not in shown
            assert not is_hidden, source.path


def test_no_value_of_a_blank_is_in_the_document(sheet):
    for block in matrices_of(worksheet(sheet)).values():
        entries = [entry for part in block.slices for row in part.rows for entry in row if entry.is_blank]
        assert {(entry.value, entry.text) for entry in entries} <= {("", "_" * 9)}


def test_page_and_sheet_match_their_schemas(sheet):
    page = json.loads(json.dumps(to_data(worksheet(sheet))))
    jsonschema.validate(page, json.loads((SCHEMAS / "document.json").read_text()))
    jsonschema.validate(json.loads(sheet.to_json()), json.loads((SCHEMAS / "sheet.json").read_text()))


def test_sheet_from_its_file_has_the_same_page(sheet):
    assert to_data(worksheet(read_sheet(sheet.to_json()))) == to_data(worksheet(sheet))


def test_filled_markdown_table_is_read_back(sheet, tmp_path):
    text = to_markdown(worksheet(sheet))
    filled = tmp_path / "filled.md"
    filled.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="Nothing is filled in"):
        read_answers(filled)
    filled.write_text(re.sub(r"^(\| `.*\| ) \|$", r"\g<1>0.5 |", text, flags=re.MULTILINE), encoding="utf-8")
    read = read_answers(filled)
    assert read.sheet == sheet.code
    assert dict(read.texts) == {blank.label: "0.5" for blank in sheet.fields}


def test_grade_matches_its_schema(sheet):
    wrong = {blank.label: "0.123" if blank.kind == "number" else "what?" for blank in sheet.fields}
    for answers in ({}, wrong):
        data = json.loads(json.dumps(grade(sheet, answers).to_data(), allow_nan=False))
        jsonschema.validate(data, json.loads((SCHEMAS / "grade.json").read_text()))


def test_html_has_a_labeled_field_for_each_answer(sheet):
    html = to_html(worksheet(sheet))
    labels = re.findall(r'data-label="([^"]*)"', html)
    assert sorted(labels) == sorted(blank.label for blank in sheet.fields)
    assert f'data-sheet="{sheet.code}"' in html
    assert html.count('aria-label="Your answer: ') == len(labels)


def test_other_pages_have_no_buttons_for_answers(sheet):
    assert "section.sheet" not in to_html(replace(worksheet(sheet), sheet="")).split("</style>")[-1]


def test_latex_has_lines_to_write_on(sheet):
    assert to_tex(worksheet(sheet)).count(r"\underline{\hspace") == len(sheet.fields)


def test_entry_outside_the_window_is_not_a_blank():
    page = worksheet(make_sheet("example-1", seed=2))
    matrix = next(block for block in page.blocks if isinstance(block, Matrix))
    assert blanks_of(with_blanks(matrix, {(0, 0), (99, 99)}, 4)) == {(0, 0)}


NOTATION = """scenario: 1
notation: {count_from: 1, vectors: VECTORS, symbols: {weights: α}}
given: {scores: {axes: query key, value: "2 1 0.5; 1 0 2; 0.5 0.3 1"}}
calculate: [masked = causal_mask(scores), "weights = softmax(masked, axis=key)"]
"""


@pytest.mark.parametrize("vectors", ["row", "column"])
def test_notation_survives_the_file_of_the_sheet(tmp_path, vectors):
    path = tmp_path / "counted.yaml"
    path.write_text(NOTATION.replace("VECTORS", vectors), encoding="utf-8")
    sheet = make_sheet(path, seed=2, blanks="all")
    read = read_sheet(sheet.to_json())
    assert to_data(worksheet(read)) == to_data(worksheet(sheet))
    assert "α[3][3]" in sheet.by_label
    truth = {label: str(blank.true).strip("()") for label, blank in sheet.by_label.items()}
    assert {mark.verdict for mark in grade(read, truth).marks} == {"right"}


def test_minus_infinity_is_explained_only_where_something_is_masked():
    masked, other = (to_markdown(worksheet(make_sheet(name, seed=2))) for name in ("causal-mask", "example-1"))
    assert "You can write -inf" in masked
    assert "-inf" not in other


def test_rounding_residue_is_printed_as_0():
    page = worksheet(make_sheet("multi-head", seed=2))
    printed = [
        entry for block in matrices_of(page).values() for part in block.slices for row in part.rows for entry in row
    ]
    assert not [entry.text for entry in printed if re.search("e-1[3-9]", entry.text)]


def test_sheet_without_formulas_keeps_only_the_names_of_steps():
    sheet = make_sheet("example-3", seed=2)
    with_formulas, without = (worksheet(sheet, formulas) for formulas in (True, False))
    assert [block for block in with_formulas.blocks if block.kind == "formula"]
    assert not [block for block in without.blocks if block.kind == "formula"]
    matrices = [[block for block in page.blocks if block.kind == "matrix"] for page in (with_formulas, without)]
    assert matrices[0] == matrices[1]
    assert "divide_by_root" in to_markdown(with_formulas)
    assert not {"divide_by_root", "softmax", "√"} & set(to_markdown(without).replace("(", " ").split())
