"""Blanks to write into, on every target."""

import re

import pytest
from html_reader import HtmlReader
from pdf_reading import elements, text_of
from small_blocks import number
from streams import block_text, shown

from workings.document import blocks as d
from workings.render.html import to_html
from workings.render.markdown import to_markdown
from workings.render.tex.page import to_tex
from workings.render.typst.page import to_typst
from workings.render.typst.printing import to_pdf

LINE = "_" * 9
HEADINGS = ("entry", "question", "answer")
BLANK = d.Number(LINE, "", "7", (1, 0), "blank")
MATRIX = d.Matrix(
    "M", "7", ("query", "key"), (2, 2),
    (d.MatrixSlice((), ((number("0.5", 0, 0), number("-12.25", 0, 1)), (BLANK, number("3.0", 1, 1)))),),
)  # fmt: skip
PLACED = d.AnswerField("7", (1, 0), "M[1][0]", 4, placed=True)
SHAPE = d.AnswerField("7", (), "shape of M", 4, "The shape of M")
CHOICE = d.AnswerField("7", (), "most likely of M", 4, "The most likely word of M", ("cat", "<mat>"))
ANSWERS = d.Answers((SHAPE, PLACED, CHOICE), HEADINGS)
SHEET = d.Document("A sheet", (MATRIX, ANSWERS), sheet="demo-1")


def test_in_letters_a_blank_is_as_long_as_its_column_is_wide():
    assert block_text(MATRIX).splitlines()[1:3] == ["  [       0.5  -12.25 ]", f"  [ {LINE}    3.0  ]"]
    wide = d.Matrix("v", "7", ("key",), (1,), (d.MatrixSlice((), ((BLANK,), (number("-123456.789", 0),))),))
    assert block_text(wide).splitlines()[1] == f"  [ {'_' * 11} ]"


def test_terminal_lists_only_blanks_outside_of_matrices():
    text = shown(SHEET)
    assert "  The shape of M: ____________\n  The most likely word of M (cat, <mat>): ____________\n" in text
    assert "M[1][0]" not in text
    alone = shown(d.Document("A sheet", (MATRIX, d.Answers((PLACED,), HEADINGS), MATRIX)))
    assert "\n\n\n" not in alone


def test_markdown_has_a_table_for_all_of_them():
    rows = [line for line in to_markdown(SHEET).splitlines() if line.startswith("|")]
    assert [[cell.strip() for cell in row.strip("|").split("|")] for row in rows if "---" not in row] == [
        ["entry", "question", "answer"],
        ["`shape of M`", "The shape of M", ""],
        ["`M[1][0]`", "", ""],
        ["`most likely of M`", r"The most likely word of M (cat, \<mat>)", ""],
    ]


def test_html_has_each_field_in_its_place():
    page = HtmlReader(to_html(SHEET))
    fields = [element for element in page.found if "data-label" in element]
    assert [field["data-label"] for field in fields] == ["M[1][0]", "shape of M", "most likely of M"]
    assert [field["aria-label"] for field in fields] == [
        "Your answer: M[1][0]",
        "Your answer: The shape of M",
        "Your answer: The most likely word of M",
    ]
    assert [option["value"] for option in page.all("option")] == ["", "cat", "<mat>"]
    assert page.one("section", "sheet")["data-sheet"] == "demo-1"
    assert "0.5" in to_html(SHEET)
    assert LINE not in to_html(SHEET)


def test_html_without_a_sheet_has_no_bar_and_no_script_for_it():
    html = to_html(d.Document("t", SHEET.blocks))
    assert '<section class="sheet"' not in html
    assert "localStorage.setItem(shelf" not in html
    assert "localStorage.setItem(shelf" in to_html(SHEET)


def test_blank_without_a_field_is_a_line():
    assert LINE in to_html(d.Document("t", (MATRIX,)))


def test_a_pdf_has_lines_and_says_so():
    pdf = to_pdf(SHEET).pdf
    assert "M, a matrix of 2 by 2. row 1: 0.5, -12.25; row 2: blank, 3.0" in [said for _, said in elements(pdf)]
    text = text_of(pdf)
    assert "The shape of M:" in text
    assert "_" not in text
    assert to_typst(SHEET).splitlines()[-3].count("line-to-write-on()") == 1


def test_a_single_blank_has_no_brackets():
    loss = d.Number(LINE, "", "9", (), "blank")
    block = d.Matrix("loss", "9", (), (), (d.MatrixSlice((), ((loss,),)),))
    assert block_text(block).splitlines()[1] == f"  {LINE}"
    assert "loss equals blank" in [said for _, said in elements(to_pdf(d.Document("t", (block,))).pdf)]


def test_a_long_matrix_to_write_into_stays_on_its_pages():
    rows = tuple((d.Number(LINE, "", "7", (n, 0), "blank"),) for n in range(50))
    block = d.Matrix("v", "7", ("token", "model"), (50, 1), (d.MatrixSlice((), rows),))
    assert to_typst(d.Document("t", (block,))).count('matrix("') == 3


def test_latex_has_lines():
    assert re.findall(r"\\underline\{\\hspace\{(\w+)\}", to_tex(SHEET)) == ["50pt", "3cm", "3cm"]


@pytest.mark.parametrize("block", [MATRIX, ANSWERS])
def test_blanks_are_ascii_where_they_must_be(block):
    block_text(block, encoding="ascii").encode("ascii")
