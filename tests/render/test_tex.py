"""LaTeX: KaTeX accepts every formula, what is opened is closed, no number is made up, and no text is a command."""

import json
import re
import shutil
import subprocess
import unicodedata

import pytest
from built_lessons import NAMES, each, written
from judge.rendered import unaccounted
from katex_judge import complaints
from streams import shown

import workings as w
from workings.document import blocks as d
from workings.document.blocks import to_data
from workings.document.monospace import in_signs_of
from workings.render.tex.calculation import in_letters
from workings.render.tex.page import to_tex, typeset
from workings.render.tex.tables import columns_for
from workings.render.tex.words import code, escaped, formula, in_latin, verbatim, words

VERBATIM = re.compile(r"\\begin\{verbatim\}.*?\\end\{verbatim\}", re.DOTALL)
FORMULA = re.compile(
    r"\\\[(.*?)\\\]|\\begin\{(?:align|gather)\*\}(.*?)\\end\{(?:align|gather)\*\}|(?<!\\)\$(.*?)(?<!\\)\$", re.DOTALL
)
MEASURES = re.compile(r"\d*\.?\d+\\linewidth|\{3cm\}|\\fontsize\{7\}\{8\.4\}")


def body(text):
    """The text between the preamble and the end."""
    return text.partition(r"\begin{document}")[2] or text


def formulas(text):
    text = text.replace(r"\textvisiblespace{}", r"\_")  # which LaTeX has, and KaTeX not
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
    text = "".join(map(chr, range(0x3000))) + "🙂"
    for made in (escaped(text), verbatim(text)):
        written_as, lacking = in_latin(made)
        assert not {sign for sign in written_as if sign > "\u017f" and sign not in "–—‘’“”…"}
        assert not {sign for sign in written_as if unicodedata.category(sign) == "Cc"} - {"\n"}
        assert {"א", "🙂"} <= set(lacking)
        assert not set(lacking) & set("é×αL—␣")
    assert formula("dα_1") == r"d\alpha{}_1"
    assert code("--run") == r"\texttt{-{}-run}"


@pytest.mark.parametrize("name", each(NAMES, only_quick=True))
def test_every_sign_of_a_lesson_has_latex(name):
    """Signs of figures have letters of their own in ASCII; of the others none is lost there."""
    document = written(name).document
    assert typeset(document).lacking == ()
    assert shown(document, encoding="ascii").count("?") == shown(document).count("?")


def test_spaces_of_tokens_can_be_seen():
    assert escaped("␣the") == r"\textvisiblespace{}the"
    assert "_the" in verbatim("␣the")
    assert in_signs_of("ascii", "␣the") == "_the"


def test_signs_that_latex_lacks_are_reported(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "x.md").write_text("---\ntitle: 日本\nscenario: example-1\n---\nשלום, größe\n", encoding="utf-8")
    told = "The LaTeX has a question mark for signs that pdflatex lacks: 日 本 ש ל ו ם.\n"
    assert run("lesson", "x.md", "-o", "x.tex") == (0, "", told)
    assert "????, größe" in (tmp_path / "x.tex").read_text(encoding="utf-8")


def test_signs_that_tex_would_join_stay_apart():
    assert escaped("--digits") == "-{}-digits"
    assert escaped("a---b ''c'' ,,d ?`e") == "a-{}-{}-b '{}'c'{}' ,{},d ?{}`e"


# -- pdflatex -----------------------------------------------------------------------------------------

needs_latex = pytest.mark.skipif(shutil.which("pdflatex") is None, reason="there is no pdflatex")
AWKWARD = ("[CLS]", "*x", "[2pt] [CLS]", "{", "\\\\", "a & b", "--run", "␣", "日", "\a", "% $ # _ ^ ~", "Ħ")


def overfull(text, folder):
    """What pdflatex calls too wide, if it sets the text at all."""
    (folder / "page.tex").write_text(text, encoding="utf-8")
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "page.tex"]
    found = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    assert found.returncode == 0, found.stdout.decode(errors="replace")[-1500:]
    return re.findall(r"Overfull \\hbox \((.*?)pt too wide", (folder / "page.log").read_text(errors="replace"))


@needs_latex
def test_pdflatex_sets_whatever_texts_begin_with(tmp_path):
    spans = [(d.Words(text),) for text in AWKWARD]
    blocks = [
        d.Table(AWKWARD[:2], tuple((cell, cell) for cell in spans)),
        d.Items(tuple((d.Text(cell),) for cell in spans), counted=False),
        d.Terms(tuple(d.Term(text, (d.Reference(text, anchor="x"),)) for text in AWKWARD)),
        *(d.Heading(2, text) for text in AWKWARD),
        *(d.Fold(text, (d.Note("hint", cell),)) for text, cell in zip(AWKWARD, spans, strict=True)),
        d.Program("python", "\n".join(AWKWARD)),
        *(d.Program("python", "x" * length) for length in (98, 109, 125)),
    ]
    assert overfull(to_tex(d.Document("[CLS] & --run", tuple(blocks))), tmp_path) == []


@needs_latex
@pytest.mark.parametrize("name", each(NAMES, only_quick=True))
def test_pdflatex_sets_a_lesson_within_its_margins(name, tmp_path):
    assert overfull(to_tex(written(name).document), tmp_path) == []


def test_columns_share_the_page():
    wide = columns_for([["block1.feed_forward.residual", "a word " * 40, "dlogits[0][1]", "1"]], {3})
    assert wide.endswith("lr")
    shares = [float(share) for share in re.findall(r"p\{(.*?)\\linewidth\}", wide)]
    assert len(shares) == 2
    assert shares[0] * 468 >= 5.75 * len("block1.feed_forward.residual") - 1
    assert sum(shares) * 468 + 5.75 * 14 + 12 * 4 <= 468
    assert columns_for([["x" * 80, "y" * 80]], set()).count("p{") == 2


def test_the_end_of_a_verbatim_block_is_only_text():
    assert verbatim("\\end{verbatim}\\input{x}").count("\\end{verbatim}") == 1


def test_calculations_as_formulas():
    assert in_letters("e^(s0)") == "e^{s_{0}}"
    assert in_letters("√(2) × max(a, b)") == r"\sqrt{2} \times \max(a, b)"
    assert in_letters("x^2 + √(") == r"x^{2} + \surd ("
    assert in_letters("9 more terms") == r"9 \ \mathrm{more} \ \mathrm{terms}"


def test_parts_of_a_long_formula_are_on_lines_of_their_own():
    latex = r"y_{i} = \frac{x_i}{s}" + r", \quad s = \sqrt{v}" * 2
    long = d.Formula(d.Math(latex, "y" * 90, "", ""))
    text = to_tex(d.Document("", (long,), form="part"))
    lines = ["y_{i} = \\frac{x_i}{s},", "s = \\sqrt{v},", "s = \\sqrt{v}"]
    assert "\\begin{gather*}\n" + " \\\\\n".join(lines) + "\n\\end{gather*}" in text
    for short in (d.Math(latex, "y", "", ""), d.Math(r"\sqrt{a, \quad b}", "y" * 90, "", "")):
        assert "gather" not in to_tex(d.Document("", (d.Formula(short),), form="part"))


def test_lines_of_a_calculation_leave_room_for_the_longest_name():
    value = d.Number("2", 2, "1", ())
    short = d.DerivedLine((d.Words("x"),), ((d.Words(" + ".join(["0.12345"] * 6)),),), value)
    longer = d.DerivedLine((d.Words("dresidual.via_normed[1][0]"),), (), value)
    alone = to_tex(d.Document("", (d.Derivation("1", (), (short,)),), form="part"))
    beside = to_tex(d.Document("", (d.Derivation("1", (), (short, longer)),), form="part"))
    assert r"\quad" not in alone
    assert r" &\quad + 0.12345" in beside


def test_a_wide_matrix_is_split_and_a_long_table_goes_on():
    numbers = tuple(d.Number(f"{n}.12345678", n, "1", (0, n)) for n in range(12))
    wide = d.Matrix("x", "1", ("token", "model"), (1, 12), (d.MatrixSlice((), (numbers,)),))
    text = to_tex(d.Document("", (wide,), form="part"))
    assert text.count(r"\begin{bmatrix}") > 1
    assert r"\text{model 0.." in text
    rows = tuple(((d.Words(f"row {n}"),),) for n in range(80))
    assert to_tex(d.Document("", (d.Table(("a",), rows),), form="part")).count(r"\toprule") == 3


@pytest.mark.parametrize("command", [("op", "softmax"), ("trace", "example-2"), ("count", "gpt2"), ("lessons",)])
def test_every_page_has_latex(works, command):
    text = works(*command, "--format", "tex")
    assert not unbalanced(text)
    assert text.endswith("\\end{document}\n")
    found = sorted(set(formulas(text)))
    assert not [error for error in complaints(found) if error]
