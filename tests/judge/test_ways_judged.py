"""Graphs of a computation and areas of its weights: what is wrong in them is noticed."""

import json
from functools import cache

import pytest

import workings as w
from workings.document.blocks import Document
from workings.figures.backward import backward_of
from workings.figures.graph import graph_of
from workings.figures.heatmap import heatmap_of
from workings.figures.treemap import treemap_of, treemap_of_numbers

from .numbers import judge_document, not_judged
from .runs import Runs
from .told import NUMBER


def large():
    with w.Trace() as trace:
        places = w.ids(list(range(40)), "position")
        w.ops.positional_encoding(places, size=40, name="waves")
    return trace


FIGURES = {
    "a large heatmap": (large, lambda trace: heatmap_of(trace, "waves")),
    "backward": ("example-3", lambda trace: backward_of(trace)),
    "backward in a module": ("hello-world", lambda trace: backward_of(trace, "attention")),
    "graph": ("example-2", lambda trace: graph_of(trace, "loss")),
    "treemap": ("example-5", lambda trace: treemap_of(trace.recording)),
    "treemap of numbers": (
        "example-2",
        lambda trace: treemap_of_numbers([(name, trace["P"].number(n)) for n, name in enumerate("ABCD")]),
    ),
    "backward of some steps": ("example-3", lambda trace: backward_of(trace, steps=["Q", "weights", "loss"])),
}


@cache
def judged(title):
    name, figure = FIGURES[title]
    trace = name() if callable(name) else w.scenario(name).trace()
    data = json.loads(json.dumps(trace.to_data("", document=Document("", (figure(trace),))), allow_nan=False))
    return json.dumps(data["document"]), Runs(data["runs"])


def page_of(title):
    return json.loads(judged(title)[0])


def faults(title, page):
    return judge_document(page, judged(title)[1])


@pytest.mark.parametrize("title", FIGURES)
def test_every_number_of_a_figure_is_what_the_judge_computes(title):
    assert faults(title, page_of(title)) == []
    assert not_judged(page_of(title), judged(title)[1]) == []


@pytest.mark.parametrize("title", FIGURES)
def test_any_changed_number_in_its_words_is_noticed(title):
    right = page_of(title)["blocks"][0]["alternative"]
    for number in NUMBER.finditer(right):
        page = page_of(title)
        last = str((int(number[0][-1]) + 1) % 10)
        page["blocks"][0]["alternative"] = right[: number.end() - 1] + last + right[number.end() :]
        assert faults(title, page), page["blocks"][0]["alternative"]


def node_of(page, name):
    return next(node for node in page["blocks"][0]["data"]["nodes"] if node["name"] == name)


def test_an_edge_of_the_way_back_that_is_missing_or_turned_is_noticed():
    for edges in (
        lambda found: found[1:],
        lambda found: [found[0] | {"start": found[0]["end"], "end": found[0]["start"]}, *found[1:]],
    ):
        page = page_of("backward")
        data = page["blocks"][0]["data"]
        data["edges"] = edges(data["edges"])
        assert any("way" in fault.reason for fault in faults("backward", page))


def test_another_entry_and_another_gradient_are_noticed():
    page = page_of("backward")
    gradient = node_of(page, "scores")["gradient"]
    gradient["largest"] |= {"index": [0, 0], "value": 0.0, "text": "0.0"}
    assert any("the largest entry" in fault.reason for fault in faults("backward", page))
    page = page_of("backward")
    node_of(page, "scores")["gradient"] = node_of(page, "weights")["gradient"]
    assert any("is not the gradient" in fault.reason for fault in faults("backward", page))
    page = page_of("backward")
    node_of(page, "E")["gradient"]["learns"] = True
    assert any("nothing changes it" in fault.reason for fault in faults("backward", page))


def test_another_input_of_an_op_and_another_number_are_noticed():
    page = page_of("graph")
    edges = page["blocks"][0]["data"]["edges"]
    two = [edge for edge in edges if edge["end"] == edges[0]["end"]]
    two[0]["start"], two[1]["start"] = two[1]["start"], two[0]["start"]
    assert any("it reads" in fault.reason for fault in faults("graph", page))
    page = page_of("graph")
    node_of(page, "loss")["value"] = node_of(page, "loss")["gradient"]["largest"]
    assert any("it is an entry of" in fault.reason for fault in faults("graph", page))
    page = page_of("graph")
    del page["blocks"][0]["data"]["edges"][-1]
    page["blocks"][0]["data"]["edges"][-1]["end"] = 0
    assert faults("graph", page)


def test_a_tick_at_another_place_is_noticed():
    page = page_of("a large heatmap")
    page["blocks"][0]["data"]["row_ticks"][1]["value"] += 1
    assert [fault.what for fault in faults("a large heatmap", page)] == ["5"]


def test_an_area_that_is_too_large_or_lies_elsewhere_is_noticed():
    for change in ({"width": 0.9}, {"left": 0.9}, {"top": -0.1}):
        page = page_of("treemap")
        page["blocks"][0]["data"]["areas"][-1] |= change
        assert faults("treemap", page), change
    page = page_of("treemap")
    number = page["blocks"][0]["data"]["areas"][0]["number"]
    number |= {"value": number["value"] + 1, "text": str(number["value"] + 1)}
    assert any("weights in" in fault.reason for fault in faults("treemap", page))
