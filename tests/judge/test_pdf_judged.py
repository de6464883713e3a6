"""No number on the pages of a PDF, or in the words that are read aloud, is made up: another program reads them."""

import json
import re

import pytest
from built_lessons import NAMES, each, written
from pdf_reading import elements, pages_of

from workings.render.typst.printing import to_pdf

from .rendered import nodes, unaccounted

ROW = re.compile(r"\brow \d+:")  # which row it is that is read aloud
SIZES = re.compile(r"a matrix of \d+ by \d+|\d+ numbers:")


def shown(pdf):
    """What stands on the pages, without their numbers."""
    for n, page in enumerate(pages_of(pdf), 1):
        yield re.sub(rf"^{n}$", "", page, count=1, flags=re.MULTILINE)


def spoken(pdf):
    told = "\n".join(alternative for kind, alternative in elements(pdf) if kind == "/Formula")
    return SIZES.sub("", ROW.sub("", told))


SCRIPTS = re.compile(r"(?<![\d.])([\d.]+)\^\{?([\d.]+)|_\{?(\d+)\}?\^\{?(\d+)")


def run_together(data):
    """Numbers of formulas that a reader of text finds side by side: 10 to the 2 is 102 for it, x_1 squared is x21."""
    for math in nodes(data):
        for base, power, sub, sup in SCRIPTS.findall(math["latex"] if math.get("kind") == "math" else ""):
            yield from (base + power, sub + sup, sup + sub)


def unaccounted_in(pdf, document):
    data = json.loads(json.dumps(document, allow_nan=False))
    found = unaccounted("\n".join(shown(pdf)), data, repeats=True)
    together = set(run_together(data))
    return [digits for digits in found if digits not in together], unaccounted(spoken(pdf), data, repeats=True)


@pytest.mark.parametrize("name", each(NAMES, only_quick=True))
def test_no_number_of_a_pdf_is_made_up(name):
    pdf = to_pdf(written(name).document).pdf
    assert unaccounted_in(pdf, written(name).to_data()["document"]) == ([], [])


def test_a_number_that_somebody_typed_is_noticed():
    document = written("example-1").document
    data = written("example-1").to_data()["document"]
    typed = to_pdf(type(document)("0.123456", document.blocks)).pdf
    assert unaccounted_in(typed, data)[0] == ["0.123456"]
