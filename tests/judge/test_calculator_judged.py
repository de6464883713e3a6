"""With a calculator each line is rounded: every entry of a trace is judged by its own hand calculation."""

import copy
import json

import pytest
from built_lessons import behind_entries, each, written

import workings as w
from workings.document.blocks import Document, to_data
from workings.lessons.lesson import lesson
from workings.scenarios.scenario_page import scenario_document

from .numbers import judge_document, spans_of
from .runs import Runs

CASES = [
    ("example-1", "calculator 4 significant"),
    ("example-2", "calculator 3 decimals"),
    ("example-5", "calculator 4 significant"),
    ("token-i", "calculator 6 decimals"),
]


def plain(document):
    return json.loads(json.dumps(to_data(document), allow_nan=False))


def data_of(name, precision):
    found = w.scenario(name)
    trace = found.trace(precision=precision)
    page = scenario_document(found, "default", trace)
    return trace, plain(page), json.loads(json.dumps(trace.to_data(name), allow_nan=False))["runs"]


def entries(shape):
    if not shape:
        yield ()
        return
    for first in range(shape[0]):
        yield from ((first, *rest) for rest in entries(shape[1:]))


@pytest.mark.parametrize(("name", "precision"), CASES)
def test_every_entry_follows_from_what_was_written_down(name, precision):
    trace, page, runs = data_of(name, precision)
    judge = Runs(runs)
    assert judge_document(page, judge) == []
    steps = [step for step in runs[0]["steps"] if step["kind"] not in ("leaf", "group")]
    cells = [trace[step["path"]].cell(*at) for step in steps for at in entries(step["shape"])]
    assert len(cells) > 20
    assert judge_document(plain(Document("", tuple(cells))), judge) == []


@pytest.mark.parametrize("name", each([f"example-{n}" for n in range(1, 7)], only_quick=True))
def test_a_reader_with_a_calculator_gets_the_printed_digits_of_a_lesson(name):
    """Each entry of a run with a calculator is what its own hand calculation gives, and so is every line."""
    worked = written(name, f"calculator {lesson(name).file.calculator}")
    data = json.loads(json.dumps(worked.to_data(), allow_nan=False))
    judge = Runs(data["runs"])
    assert judge_document(data["document"], judge) == []
    assert judge_document(plain(Document("", tuple(behind_entries(worked)))), judge) == []


def test_a_last_digit_that_differs_is_noticed():
    trace, _, runs = data_of("example-1", "calculator 4 significant")
    page = plain(Document("", (trace["weights"].cell(0, 0),)))
    assert judge_document(page, runs) == []
    for number in spans_of(page):
        if number["role"] in ("line", "entry"):
            wrong = copy.deepcopy(page)
            same = [other for other in spans_of(wrong) if other["value"] == number["value"]]
            for other in same:  # wherever it was copied to
                other["value"] = round(other["value"] + 0.0001, 4)
            assert judge_document(wrong, runs), number["text"]
