"""Formulas for Typst: every node is written, every formula of the pages can be set, and no sign is lost."""

import io

import pypdf
import pytest
import typst
from built_lessons import blocks_of, written
from page_formulas import SAMPLES, page_formulas

from workings.document.blocks import Formula, Math, Question, Table, Text
from workings.formula.parse import parse
from workings.formula.tree import SIGNS, FormulaTree, Symbol, renamed, upright
from workings.formula.typst import to_typst

LINES = [
    (r"P_{ij} = \frac{e^{x_{ij}}}{\sum_k e^{x_{ik}}}", "P_(i j) = frac(e^(x_(i j)), ∑_(k) e^(x_(i k)))"),
    (r"S = Q \, K^\top / \sqrt{d_k}", r"S = Q thin K^(⊤) \/ sqrt(d_(k))"),
    (r"dx_{ij} = -dy_{ij}", "d x_(i j) = − d y_(i j)"),
    (r"\max_k x_{ik} - \max(0, x)", r'op("max", limits: #true)_(k) x_(i k) − op("max", limits: #true) (0\, x)'),
    (r"\mathrm{loss} \le 2", '"loss" ≤ 2'),
    (r"\hat{y} + \bar{x}_i + \tilde{z}", "hat(y) + macron(x)_(i) + tilde(z)"),
    (r"|x| + \| g \|", "lr(| x |) + lr(‖ g ‖)"),
    (r"f'(x)^2", "f'(x)^(2)"),
    (r"\operatorname{softmax}(x)_i", 'op("softmax") (x)_(i)'),
    (
        r"\begin{cases} x & \text{if } x > y \\ 0 & x < y \end{cases}",
        r'cases(x & quad "if "x \> y, 0 & quad x \< y)',
    ),
    (r"\begin{bmatrix} a & -b \\ c & d \end{bmatrix}^\top", 'mat(delim: "[", a, − b; c, d)^(⊤)'),
]


@pytest.mark.parametrize(("latex", "expected"), LINES)
def test_each_part_of_a_formula_has_its_typst(latex, expected):
    assert to_typst(parse(latex)) == expected


def test_names_have_their_index_below_the_line():
    weight = renamed(parse("w_{kj} + w^\\top"), {"w": "W_Q"})
    assert to_typst(upright(weight)) == r'W_("Q" \, k j) + W_("Q")^(⊤)'
    assert to_typst(upright(renamed(parse("w + v"), {"w": "head_size", "v": "W_1_newᵀ"}))) == (
        r'"head_size" + W_("1" \, "new")^(⊤)'
    )


def set_by_typst(formulas):
    """All of them as one PDF, each on a page of its own; PDF/UA refuses any sign that has no font."""
    head = '#set document(title: "t")\n#set page(width: auto, height: auto)\n= t\n'
    lines = [f'#pagebreak()\n#math.equation(block: true, alt: "x", $ {formula} $.body)' for formula in formulas]
    source = head + "\n".join(lines)
    return typst.compile(source.encode(), ignore_system_fonts=True, pdf_standards="ua-1", timestamp=0)


def read_again(pdf):
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(pdf)).pages[1:]]


def test_every_formula_of_the_pages_can_be_set():
    assert set_by_typst([to_typst(upright(parse(latex))) for latex in [*page_formulas(), *SAMPLES]])


def test_no_sign_is_lost():
    shown = read_again(set_by_typst([to_typst(FormulaTree((Symbol(command),))) for command in SIGNS]))
    for command, text in zip(SIGNS, shown, strict=True):
        assert len(text.strip()) >= len(SIGNS[command].unicode), command
    assert len(set(shown)) >= len({sign.unicode for sign in SIGNS.values()})


def math_in(blocks):
    for block in blocks_of(blocks):
        if isinstance(block, Formula):
            yield block.math
        spans = block.spans if isinstance(block, Text | Question) else ()
        if isinstance(block, Table):
            spans = [span for row in block.rows for cell in row for span in cell]
        yield from (span for span in spans if isinstance(span, Math))


def test_every_formula_of_a_lesson_can_be_set_by_typst():
    formulas = list(math_in(written("matrix-calculus").document.blocks))
    assert len(formulas) > 20
    assert all(text.strip() for text in read_again(set_by_typst([math.typst for math in formulas])))
