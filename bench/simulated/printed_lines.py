"""Whether the printed lines of arithmetic follow from their own digits, as the tests' reader of rendered text sees it.

The tests read every page in every format (tests/judge/test_printed_lines.py); here are the lessons as a terminal shows
them, so that the figure is in the same table as the others.
"""

from __future__ import annotations

import io
import re
import sys
from pathlib import Path

import workings as w
from workings.document.blocks import Document
from workings.lessons.contents import names as lesson_names
from workings.render.terminal import show

from .tally import Row, Tally

sys.path.append(str(Path(__file__).parents[2] / "tests" / "support"))

from line_reader import Findings, lines_in

ROWS = (
    Row("lines", "printed lines that do not follow", 0.0, False),
    Row("lines unread", "printed lines that the reader cannot read", 0.02, False),
)
SHOWN_TO = re.compile(r"(shown to|calculator) (\d+) (significant|decimals)")
WIDE = 100_000  # columns: no line is broken
DIGITS = 4
PRECISIONS = {
    "tuning": "float64",
    "fresh": "float32",
    "heldout": "calculator 4 significant",
    "exam": "calculator 5 significant",
    "trial": "calculator 3 significant",
}


class _Page(io.StringIO):
    encoding = "utf-8"


def judge_lesson(name: str, people: str, tally: Tally) -> None:
    """The page of a lesson; counts are shown whole there, and beside them four digits of fractions."""
    if name in lesson_names():
        digits = DIGITS if name == "parameter-counts" else 0
        _count(w.lesson(name, precision=PRECISIONS[people]).document, name, digits, tally)


def _count(document: Document, name: str, digits: int, tally: Tally) -> None:
    page, found = _Page(), Findings()
    show(document, file=page, width=WIDE)
    said = SHOWN_TO.search(page.getvalue())
    unit = said[3] if said else "significant"
    unit = "calculator" if said and said[1] == "calculator" and unit == "significant" else unit
    for line in lines_in(page.getvalue()):
        found.check(line, digits or (int(said[2]) if said else DIGITS), unit)
    for line in found.wrong:
        tally.count("lines", False, f"{name}: {line}")
    for line in found.unread:
        tally.count("lines unread", False, f"{name}: {line}")
    tally.counts["lines", True] += found.held
    tally.counts["lines unread", True] += found.held + len(found.wrong)
