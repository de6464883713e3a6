"""Figures that few lessons show: every number, size and word of them is judged, and what is wrong is noticed."""

import json
from functools import cache

import pytest

import workings as w
from workings.explain.document import Document
from workings.explain.links import links_of
from workings.models.labels import labels_of

from .numbers import judge_document, not_judged
from .runs import Runs
from .told import NUMBER


@cache
def run_of(name, run="default"):
    found = w.scenario(name)
    trace = found.trace(run)
    return trace, labels_of(found, run, trace)


def links(name, step, at=()):
    return links_of(run_of(name)[0], step, run_of(name)[1], at)


FIGURES = {
    "links": ("example-1", lambda: links("example-1", "weights")),
    "links of a head": ("block", lambda: links("block", "head2.scores")),
    "masked links": ("block", lambda: links("block", "masked", (1,))),
}


@cache
def judged(title):
    """The figure as it stands in JSON, and the runs that the judge computed."""
    name, figure = FIGURES[title]
    trace = run_of(name)[0]
    data = trace.to_data(name, name="default", document=Document("", (figure(),)))
    return json.dumps(data["document"], allow_nan=False), Runs(json.loads(json.dumps(data["runs"], allow_nan=False)))


def document(title):
    return json.loads(judged(title)[0])


@pytest.mark.parametrize("title", FIGURES)
def test_every_number_of_a_figure_is_what_the_judge_computes(title):
    assert judge_document(document(title), judged(title)[1]) == []
    assert not_judged(document(title), judged(title)[1]) == []


@pytest.mark.parametrize("title", FIGURES)
def test_any_changed_number_in_its_words_is_noticed(title):
    right = document(title)["blocks"][0]["alternative"]
    assert NUMBER.search(right)
    for number in NUMBER.finditer(right):
        page = document(title)
        last = str((int(number[0][-1]) + 1) % 10) if number[0][-1] != "∞" else "7"
        page["blocks"][0]["alternative"] = right[: number.end() - 1] + last + right[number.end() :]
        assert judge_document(page, judged(title)[1]), page["blocks"][0]["alternative"]
