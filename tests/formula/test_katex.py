"""KaTeX as an independent judge: it must accept every formula, and set what we write as it sets what we read."""

import re

from katex_judge import HOME, complaints
from page_formulas import SAMPLES, formulas_of, page_formulas

from workings.document.notation import Notation
from workings.engine.op import OPS
from workings.explain.step_formula import page_formula
from workings.formula.parse import parse, to_latex

FORMULAS = [*page_formulas(), *SAMPLES]


def test_katex_accepts_every_formula_before_and_after_parsing():
    entries = FORMULAS + [to_latex(parse(latex)) for latex in FORMULAS]
    refused = {latex: error for latex, error in zip(entries, complaints(entries), strict=True) if error}
    assert not refused


def test_katex_sets_both_alike():
    # Braces around a single letter add an empty box, which is invisible.
    pairs = [[re.sub(r"([_^])\{(\w)\}", r"\1\2", latex), to_latex(parse(latex))] for latex in FORMULAS]
    different = [pair for pair, error in zip(pairs, complaints(pairs), strict=True) if error]
    assert not different


def test_katex_accepts_every_formula_of_a_page_in_another_notation():
    notation = Notation({"x": "α", "W": "Ω_1", "P": "A", "parts": "π_n"}, vectors="column")
    written = sorted({page_formula(op, latex, notation).math.latex for op in OPS.values() for latex in formulas_of(op)})
    refused = {latex: error for latex, error in zip(written, complaints(written), strict=True) if error}
    assert not refused
    assert any(latex.startswith(r"\mathrm{dα}_{ij} = ") for latex in written)
    assert r"\mathrm{context} = V \, \operatorname{softmax}\left( \frac{K^\top \, Q}{\sqrt{d}} \right)" in written


def test_the_judge_can_refuse():
    broken = [r"\foo", r"x_{ij", r"\frac{a}", "é", ["x_i", "x_j"]]
    assert None not in complaints(broken)
    assert complaints(["x_i", ["x_i", "x_i"], ["x_i", "x _ i"]]) == [None, None, None]


def test_the_lock_file_names_no_address():
    lock = (HOME / "package-lock.json").read_text(encoding="utf-8")
    assert "http" not in lock
    assert "resolved" not in lock
