"""Every line of arithmetic follows from its own printed digits: on pages of lessons and ops in every format, in the
lab's answers, in every kind of arithmetic, in models that nobody has seen before. The reader (line_reader.py) knows
only the text.
"""

import io
import random
import re
from dataclasses import replace

import pytest
from built_lessons import LONG, NAMES, OF_SOURCES, each
from html_reader import HtmlReader
from line_reader import Findings, as_set, lines_in
from loops import slow_if
from pdf_reading import text_as_laid_out

import workings as w
from workings.engine.arrays import indices
from workings.engine.op import OPS
from workings.explain.cell import example_entry
from workings.lab.pages.cells import cell_page
from workings.lab.traces.store import Lab
from workings.lab.traces.wanted import Wanted
from workings.render.html import to_html
from workings.render.markdown import to_markdown
from workings.render.terminal import show
from workings.render.tex.page import to_tex
from workings.render.typst.printing import to_pdf

SHOWN_TO = re.compile(r"(shown to|calculator) (\d+) (significant|decimals)")
WIDE = 100_000  # columns: no line is broken
MOST_UNREAD = 0.02
HAS_NO_ARITHMETIC = {  # or only a few lines
    "why-transformers", "kv-cache", "parameter-counts", "common-mistakes", "matrix-calculus", "matrix-core",
    "tokenization",
}  # fmt: skip


class Utf8(io.StringIO):
    encoding = "utf-8"


def in_terminal(document, page=Utf8):
    page = page()
    show(document, file=page, width=WIDE)
    return page.getvalue()


def in_html(document):
    page = to_html(document)
    said = SHOWN_TO.search(page)
    return "\n".join([said[0] if said else "", *(line["text"] for line in HtmlReader(page).all(kind="line"))])


FORMATS = {
    "terminal": in_terminal,
    "ascii": lambda document: in_terminal(document, io.StringIO),
    "markdown": to_markdown,
    "html": in_html,
    "latex": lambda document: as_set(to_tex(document)),
}


def read(text, digits=0, has_columns=True):
    """What the reader finds on a page, which says how many digits it shows."""
    said = SHOWN_TO.search(text)
    unit = said[3] if said else "significant"
    unit = "calculator" if said and said[1] == "calculator" and unit == "significant" else unit
    digits = digits or (int(said[2]) if said else 4)
    found = Findings()
    for line in lines_in(text, has_columns):
        found.check(line, digits, unit)
    return found


def check(found, at_least=1):
    assert found.wrong == []
    assert len(found.unread) <= MOST_UNREAD * (found.held + len(found.unread)), found.unread
    assert found.held >= at_least


@pytest.mark.parametrize("name", each(NAMES, slow=(*LONG, "matrix-calculus", "common-mistakes")))
def test_every_line_of_a_lesson_follows_in_every_format(name, subtests):
    document = w.lesson(name).document
    digits = 4 if name == "parameter-counts" else 0  # counts are shown whole, and beside them four digits of fractions
    for form, page in FORMATS.items():
        with subtests.test(format=form):
            check(read(page(document), digits), at_least=0 if name in HAS_NO_ARITHMETIC else 10)


@pytest.mark.parametrize("name", each(NAMES, only_quick=True))
def test_every_line_of_a_printed_lesson_follows(name):
    """Powers are set raised there, and a reader of text does not see it: such lines count as unread."""
    document = w.lesson(name).document
    digits = 4 if name == "parameter-counts" else 0
    found = read(text_as_laid_out(to_pdf(document).pdf), digits, has_columns=False)
    assert found.wrong == []
    assert found.held >= (0 if name in HAS_NO_ARITHMETIC else 10)


@pytest.mark.parametrize("precision", ["float32", "calculator 4 significant", "calculator 3 decimals"])
@pytest.mark.parametrize("name", each(OF_SOURCES, only_quick=True))
def test_every_line_of_a_lesson_in_another_arithmetic_follows(name, precision):
    if (name, precision) == ("example-6", "calculator 3 decimals"):  # with so few decimals a variance is 0
        with pytest.raises(w.WorkingsError, match="too large, or not defined"):
            w.lesson(name, precision=precision).build()
        return
    check(read(in_terminal(w.lesson(name, precision=precision).document)), 10)


@pytest.mark.parametrize("digits", [2, 3, 6, 9])
def test_every_line_with_other_digits_follows(digits):
    check(read(in_terminal(w.lesson("example-2", digits=digits).document)), 10)


def test_every_line_of_the_op_pages_follows(works, subtests):
    held = 0
    for name in sorted(OPS):
        with subtests.test(op=name):
            found = read(works("op", name))
            check(found, at_least=0)
            held += found.held
    assert held > 500


@pytest.mark.parametrize("name", each(OF_SOURCES, only_quick=True))
def test_every_line_in_the_answers_of_the_lab_follows(name, subtests):
    """One entry of every step of every run, as the lab answers."""
    lab, held = Lab(), 0
    for run in w.lesson(name).runs:
        with subtests.test(run=run):
            opened, found = lab.open(Wanted(name, run=run)), Findings()
            for view in opened.trace:
                page = cell_page(opened, view.id, example_entry(view.recording, view.step))
                for line in lines_in(in_terminal(page.page.document)):
                    found.check(line, opened.trace.style.digits)
            check(found)
            held += found.held
    assert held > 100


def test_every_line_with_more_digits_than_float32_has_follows():
    trace = w.lesson("example-3").trace().in_precision("float32")
    trace = trace.with_run(style=replace(trace.style, digits=9))
    found = Findings()
    notes = [_checked_entry(view, example_entry(view.recording, view.step), found).note for view in trace]
    check(found, at_least=50)
    assert any("In float32, which rounds" in note for note in notes)


MODEL = """\
scenario: 1
convention: {{norm_place: {place}, biases: {biases}}}
parameters: {{seed: {seed}}}
vocabulary: the cat sat on a mat
model: {{kind: decoder, width: {width}, heads: 2, layers: {layers}, hidden: 6, activation: {activation}, norm: {norm}}}
data: {{input: {text}, target: mat}}
train: {{optimizer: {optimizer}, steps: 1, learning_rate: 0.1}}
"""
CHOICES = {
    "place": ["pre", "post"], "biases": ["all", "none"], "width": [4, 6], "layers": [1, 2], "norm": ["layer", "rms"],
    "activation": ["relu", "gelu", "gelu_tanh"], "optimizer": ["sgd", "momentum", "adam", "adamw"],
}  # fmt: skip


@pytest.mark.parametrize("seed", slow_if(range(3, 40), range(40)))
def test_every_line_of_a_drawn_model_follows(seed, tmp_path):
    draw = random.Random(seed)
    chosen = {key: draw.choice(options) for key, options in CHOICES.items()}
    text = " ".join(draw.choices(["the", "cat", "sat", "on", "a", "mat"], k=draw.randint(2, 4)))
    path = tmp_path / "model.yaml"
    path.write_text(MODEL.format(**chosen, seed=draw.randint(1, 10**6), text=text))
    trace = w.scenario(str(path)).trace().in_precision(draw.choice(["float64", "float32"]))
    trace = trace.with_run(style=replace(trace.style, digits=draw.choice([2, 3, 4, 5, 7, 10])))
    found = Findings()
    for view in trace:
        _checked_entry(view, draw.choice(list(indices(view.shape))), found)
    check(found, at_least=100)


def _checked_entry(view, index, found):
    cell = view.cell(*index)
    for line in lines_in(str(cell)):
        found.check(line, view.trace.style.digits)
    return cell


def test_every_line_with_a_decimal_comma_follows():
    trace = w.lesson("example-2").trace()
    trace = trace.with_run(style=replace(trace.style, point=","))
    found = Findings()
    for view in trace:
        _checked_entry(view, example_entry(view.recording, view.step), found)
    check(found, at_least=50)


# -- the reader itself -----------------------------------------------------------------------------


def test_the_reader_notices_a_wrong_line():
    found = Findings()
    found.check("w = a / b = 0.99295 / 1.993 = 0.49823", 5)
    found.check("d = x − y = 1.02 − 1.03 = -0.009848", 4)
    found.check("s = 0.5×0.25 + (3 smaller: 0.01) = 0.136", 3)
    found.check("t = 1 + t[0][1] = 1 + 0.419 = 1.42", 4)
    found.check("root = sqrt(v[0]) = sqrt(0.5*4) = 1.5", 4)
    found.check("so the row gives 0.5 × 0.3 = 0.16, which is close", 4)
    assert (found.held, len(found.wrong), found.unread) == (0, 6, [])


def test_the_reader_says_what_it_cannot_read():
    found = Findings()
    found.check("y = a = 2 ^ ^ 3 = 8", 4)
    found.check("y = f(a) = softplus(0.3) = 0.8544", 4)
    found.check("name = other[0] = 0.5", 4)  # nothing to calculate
    assert (found.held, found.wrong, len(found.unread)) == (0, [], 2)
