"""What stays together on a printed page, and what shares a line."""

from dataclasses import replace

import pytest
from pdf_reading import reader_of, text_as_laid_out, text_of
from small_blocks import MATRIX, words

from workings.document import blocks as d
from workings.explain.step_formula import math_of
from workings.render.typst.page import to_typst
from workings.render.typst.printing import to_pdf


def pdf_of(*blocks):
    return to_pdf(d.Document("t", blocks)).pdf


def test_short_formulas_share_a_line_and_a_reason_stays_with_its_formula():
    short, other = math_of("y = x"), math_of("z = w")
    source = to_typst(d.Document("t", (d.Formula(short), d.Formula(other), d.Formula(short, "by name"), MATRIX)))
    beside, alone = source.splitlines()[-4:-2]
    assert beside.startswith("formulas((")
    assert beside.count("$ ") == 2
    assert alone.startswith("formula(")
    assert "sticky: true" in alone  # it stays with its matrix
    long = d.Formula(math_of("+".join("abcdefghijklmnopqrstuvwxyzabcdefghi")), "too long for both")
    shown = text_of(pdf_of(d.Formula(short, "by name"), long))
    assert any("by name" in line and "=" in line for line in shown.splitlines())
    assert any(line.strip() == "too long for both" for line in shown.splitlines())


@pytest.mark.parametrize(("rows", "pages"), [(10, 1), (40, 2)])
def test_a_table_of_few_rows_is_not_broken(rows, pages):
    cells = tuple(((d.Words(f"row {n}"),),) for n in range(rows))
    pdf = pdf_of(*(words("filling") for _ in range(32)), d.Table(("n",), cells))
    assert sum("row" in page.extract_text() for page in reader_of(pdf).pages) == pages


def blanks(*questions):
    return d.Answers(
        tuple(d.AnswerField("7", (n,), f"y[{n}]", 3, question) for n, question in enumerate(questions)),
        ("entry", "question", "answer"),
    )


def test_short_blanks_share_a_line_and_what_is_numbered_begins_one():
    shown = text_as_laid_out(pdf_of(blanks("1. max = max(x)", "2. s0 = x[0]", "s1 = x[1]", "3. e0 = e^(s0)")))
    lines = [line.strip() for line in shown.splitlines() if "=" in line]
    assert [line.count("=") for line in lines] == [1, 2, 1]
    assert [line[:2] for line in lines] == ["1.", "2.", "3."]
    long = "The positions that the third token of this text cannot attend to in any head"
    assert len([line for line in text_as_laid_out(pdf_of(blanks(long, "y"))).splitlines() if ":" in line]) == 2


def test_a_step_stays_with_the_blanks_below_it_in_a_book_too():
    line = d.Number("_________", "", "7", (0,), "blank")
    to_fill = replace(MATRIX, slices=(d.MatrixSlice((), ((line, line), (line, line))),))
    for below, is_sticky in [(to_fill, True), (blanks("y"), True), (MATRIX, False), (words("more"), False)]:
        source = to_typst(d.Document("t", (words("y = x"), below)))
        assert ("sticky: true" in source.split("whole(")[-1]) == is_sticky
