"""LaTeX: KaTeX accepts every formula, what is opened is closed, no number is made up, and no text is a command."""

import json
import re

import pytest
from judge.rendered import unaccounted
from katex_judge import complaints
from written_lessons import NAMES, each, written

import workings as w
from workings.explain import document as d
from workings.explain.document import to_data
from workings.render.tex.calculation import in_letters
from workings.render.tex.page import to_tex
from workings.render.tex.words import code, escaped, formula, verbatim, words

VERBATIM = re.compile(r"\\begin\{verbatim\}.*?\\end\{verbatim\}", re.DOTALL)
FORMULA = re.compile(r"\\\[(.*?)\\\]|\\begin\{align\*\}(.*?)\\end\{align\*\}|(?<!\\)\$(.*?)(?<!\\)\$", re.DOTALL)
MEASURES = re.compile(r"\d*\.?\d+\\linewidth|\{3cm\}|\\vspace\{.*?\}")


def body(text):
    """What stands between the preamble and the end."""
    return text.partition(r"\begin{document}")[2] or text


def formulas(text):
    for display, aligned, within in FORMULA.findall(VERBATIM.sub("", body(text))):
        yield rf"\begin{{aligned}}{aligned}\end{{aligned}}" if aligned else display or within


def unbalanced(text):
    """Braces and environments that are opened and not closed, or the other way round."""
    text = VERBATIM.sub("", text)
    braces = re.sub(r"\\[{}]", "", text)
    opened = []
    for kind, name in re.findall(r"\\(begin|end)\{([^}]*)\}", text):
        if kind == "begin":
            opened.append(name)
        elif not opened or opened.pop() != name:
            return [name]
    return opened + ["{"] * (braces.count("{") - braces.count("}"))


@pytest.mark.parametrize("name", each(NAMES, only_quick=True))
def test_a_lesson_is_whole_and_katex_accepts_its_formulas(name):
    text = to_tex(written(name).document)
    assert not unbalanced(text)
    found = sorted(set(formulas(text)))
    assert len(found) > 20
    refused = {latex: error for latex, error in zip(found, complaints(found), strict=True) if error}
    assert not refused


@pytest.mark.parametrize("name", each(NAMES, only_quick=True))
def test_no_number_of_a_lesson_is_made_up(name):
    document = written(name).document
    text = MEASURES.sub("", body(to_tex(document)))
    assert unaccounted(text, json.loads(json.dumps(to_data(document))), repeats=True) == []


def test_the_judges_can_refuse():
    assert unbalanced(r"\begin{quote}")
    assert unbalanced(r"\begin{quote}\begin{a}\end{quote}\end{a}")
    assert unbalanced(r"{\small a")
    assert not unbalanced(r"\{ \begin{a}\end{a}")
    assert list(formulas(r"\[x\] $y$ \$ 2 \$")) == ["x", "y"]


def test_a_step_is_a_part_of_a_text():
    step = w.scenario("example-1").trace()["scores"]
    text = to_tex(step.document((1, 1)))
    assert "documentclass" not in text
    assert r"\mathrm{scores}[1][1] &= Q[1] \cdot K[1] = 0.0\times 0.0 + 0.1\times 0.1 = 0.01" in text
    assert "\\begin{bmatrix}\n0.01 & 0.0 \\\\\n0.0 & 0.01\n\\end{bmatrix}" in to_tex(step.document())
    assert r"\documentclass" in to_tex(written("example-1").document)


@pytest.mark.parametrize("sign", r"\{}$&#%_^~<>|" + '"')
def test_no_sign_of_a_text_is_a_command(sign):
    text = escaped(f"a{sign}b")
    assert text != f"a{sign}b"
    assert not unbalanced(text)
    assert words(f"`{sign}`").startswith(r"\texttt{")


def test_every_sign_is_one_that_latex_has():
    text = "".join(map(chr, range(0x20, 0x3000))) + "🙂"
    for written_as in (escaped(text), verbatim(text)):
        strange = {sign for sign in written_as if sign > "\u017f" and sign not in "–—‘’“”…"}
        assert not strange
    assert formula("dα_1") == r"d\alpha{}_1"
    assert code("--run") == r"\texttt{-{}-run}"


def test_the_end_of_a_verbatim_block_is_only_text():
    assert verbatim("\\end{verbatim}\\input{x}").count("\\end{verbatim}") == 1


def test_calculations_as_formulas():
    assert in_letters("e^(s0)") == "e^{s_{0}}"
    assert in_letters("√(2) × max(a, b)") == r"\sqrt{2} \times \max(a, b)"
    assert in_letters("x^2 + √(") == r"x^{2} + \surd ("
    assert in_letters("9 more terms") == r"9 \ \mathrm{more} \ \mathrm{terms}"


def test_a_wide_matrix_is_split_and_a_long_table_goes_on():
    numbers = tuple(d.Number(f"{n}.12345678", n, "1", (0, n)) for n in range(12))
    wide = d.Matrix("x", "1", ("token", "model"), (1, 12), (d.MatrixSlice((), (numbers,)),))
    text = to_tex(d.Document("", (wide,), form="part"))
    assert text.count(r"\begin{bmatrix}") > 1
    assert r"\text{model 0.." in text
    rows = tuple(((d.Words(f"row {n}"),),) for n in range(80))
    assert to_tex(d.Document("", (d.Table(("a",), rows),), form="part")).count(r"\toprule") == 3


@pytest.mark.parametrize("command", [("op", "softmax"), ("trace", "example-2"), ("count", "gpt2"), ("lessons",)])
def test_every_page_can_be_written(works, command):
    text = works(*command, "--format", "tex")
    assert not unbalanced(text)
    assert text.endswith("\\end{document}\n")
    found = sorted(set(formulas(text)))
    assert not [error for error in complaints(found) if error]
