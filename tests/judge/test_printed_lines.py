"""Every line of arithmetic follows from its own printed digits: on pages of lessons and ops, in the lab's answers, in
every kind of arithmetic. The reader (line_reader.py) knows only the text.
"""

import io
import re
from dataclasses import replace

import pytest
from built_lessons import LONG, NAMES, OF_SOURCES, each
from line_reader import Findings, lines_in

import workings as w
from workings.engine.op import OPS
from workings.explain.cell import example_entry
from workings.lab.pages.cells import cell_page
from workings.lab.traces.store import Lab
from workings.lab.traces.wanted import Wanted
from workings.render.markdown import to_markdown
from workings.render.terminal import show

SHOWN_TO = re.compile(r"(?:shown to|calculator) (\d+) (significant|decimals)")
WIDE = 100_000  # columns: no line is broken
MOST_UNREAD = 0.02
HAS_NO_ARITHMETIC = {"kv-cache", "parameter-counts", "common-mistakes", "matrix-core", "tokenization"}


def in_terminal(document):
    page = io.StringIO()
    show(document, file=page, width=WIDE)
    return page.getvalue()


def read(text, digits=0):
    """What the reader finds on a page, which says how many digits it shows."""
    said = SHOWN_TO.search(text)
    unit = said[2] if said else "significant"
    digits = digits or (int(said[1]) if said else 4)
    found = Findings()
    for line in lines_in(text):
        found.check(line, digits, unit)
    return found


def check(found, at_least=1):
    assert found.wrong == []
    assert len(found.unread) <= MOST_UNREAD * (found.held + len(found.unread)), found.unread
    assert found.held >= at_least


@pytest.mark.parametrize("name", each(NAMES, slow=(*LONG, "matrix-calculus", "common-mistakes")))
def test_every_line_of_a_lesson_follows(name):
    document = w.lesson(name).document
    at_least = 0 if name in HAS_NO_ARITHMETIC else 10
    digits = 4 if name == "parameter-counts" else 0  # counts are shown whole, and beside them four digits of fractions
    check(read(in_terminal(document), digits), at_least)
    check(read(to_markdown(document), digits), at_least)


@pytest.mark.parametrize("precision", ["float32", "calculator 4 significant", "calculator 3 decimals"])
@pytest.mark.parametrize("name", each(OF_SOURCES, only_quick=True))
def test_every_line_of_a_lesson_in_another_arithmetic_follows(name, precision):
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


def test_every_line_with_a_decimal_comma_follows():
    trace = w.lesson("example-2").trace()
    trace = trace.with_run(style=replace(trace.style, point=","))
    found = Findings()
    for view in trace:
        for line in str(view.cell(*example_entry(view.recording, view.step))).splitlines():
            found.check(line, trace.style.digits)
    check(found, at_least=50)


# -- the reader itself -----------------------------------------------------------------------------


def test_the_reader_notices_a_wrong_line():
    found = Findings()
    found.check("w = a / b = 0.99295 / 1.993 = 0.49823", 5)
    found.check("d = x − y = 1.02 − 1.03 = -0.009848", 4)
    found.check("s = 0.5×0.25 + (3 smaller: 0.01) = 0.136", 3)
    found.check("t = 1 + t[0][1] = 1 + 0.419 = 1.42", 4)
    assert (found.held, len(found.wrong), found.unread) == (0, 4, [])


def test_the_reader_says_what_it_cannot_read():
    found = Findings()
    found.check("y = a = 2 ^ ^ 3 = 8", 4)
    found.check("name = other[0] = 0.5", 4)  # nothing to calculate
    assert (found.held, found.wrong, len(found.unread)) == (0, [], 1)
