"""Figures of every form, in letters and as SVG: they fit, are well-formed, and numbers say which entry they are."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy
import pytest
from hypothesis import given, settings
from hypothesis import strategies as some
from rich.cells import cell_len

import workings as w
from workings.explain import document as d
from workings.explain.backward_flow import backward_of
from workings.explain.bars import bars_of
from workings.explain.chain import chain_of
from workings.explain.flow import flow_of
from workings.explain.graph import graph_of
from workings.explain.head_diagram import heads_of
from workings.explain.heatmap import heatmap_of, mask_of
from workings.explain.links import links_of
from workings.explain.plane import plane_of
from workings.explain.treemap import treemap_of
from workings.explain.vectors import vectors_of
from workings.explain.windows import windows_of
from workings.models.labels import labels_of
from workings.render.colours import colour, contrast, text_on
from workings.render.figure_text import figure_rows
from workings.render.lines import in_signs_of
from workings.render.svg import KINDS, picture, svg_of
from workings.render.svg_treemap import SHADES

STARTS = {"svg": b"<svg", "png": b"\x89PNG", "pdf": b"%PDF"}
HOSTILE = ("</text><script>alert(1)</script>", "\x00\ud800 &amp; \"'", "a\nb\u202e", "漢字" * 20)
SVG = "{http://www.w3.org/2000/svg}"


def figures(name="cat-sat-encoder", run="masked"):
    found = w.scenario(name)
    trace = found.trace(run)
    labels = labels_of(found, run, trace)
    return {
        "heatmap": heatmap_of(trace, "head2.weights", labels),
        "signed": heatmap_of(trace, "X", labels),
        "mask": mask_of(trace, "masked", labels),
        "links": links_of(trace, "head2.scores", labels),
        "windows": windows_of(trace, "masked", labels),
        "bars": bars_of(trace, "head1.weights", labels),
        "whole": heatmap_of(trace, "Q_heads", labels),
        "vectors": vectors_of([("before", trace["embedded"]), ("after", trace["X"])], labels),
        "chain": chain_of(trace["X"], labels),
        "heads": heads_of(trace, labels=labels),
        "flow": flow_of(trace),
        "backward": backward_of(trace),
        "graph": graph_of(trace, "weights"),
        "treemap": treemap_of(trace.recording),
        "plane": plane_of([("before", trace["embedded"]), ("after", trace["X"])], labels),
    }


FIGURES = figures()


def of(array, labels):
    with w.Trace() as trace:
        trace.start_from(w.given(array, "query key", name="x"))
    return {
        "heatmap": heatmap_of(trace, "x", labels),
        "mask": mask_of(trace, "x", labels),
        "links": links_of(trace, "x", labels),
        "windows": windows_of(trace, "x", labels),
        "bars": bars_of(trace, "x", labels),
        "plane": plane_of(trace["x"], labels),
        "chain": chain_of(trace["x"], labels),
        "vectors": vectors_of(trace["x"], labels),
    }


@pytest.mark.parametrize("width", [44, 60, 80, 118])
@pytest.mark.parametrize("encoding", ["", "ascii"])
@pytest.mark.parametrize("form", FIGURES)
def test_in_letters_no_row_is_too_wide(form, encoding, width):
    rows = figure_rows(
        FIGURES[form], width, not encoding, lambda text: in_signs_of("ascii", text) if encoding else text
    )
    assert rows
    assert max(map(cell_len, rows)) <= width
    if encoding:
        "".join(rows).encode("ascii")


@settings(max_examples=40, deadline=None)
@given(some.lists(some.text(max_size=30), min_size=2, max_size=2), some.integers(40, 100))
def test_any_label_stays_in_its_row(words, width):
    for figure in of([[1.0, 0.0], [1.0, 1.0]], {"query": tuple(words), "key": tuple(words)}).values():
        for row in figure_rows(figure, width):
            assert cell_len(row) <= width
            assert len(row.splitlines()) <= 1


@pytest.mark.parametrize("form", ["heatmap", "mask", "links", "windows", "vectors", "chain", "bars", "plane"])
@pytest.mark.parametrize("label", HOSTILE)
def test_a_hostile_label_is_only_a_text(form, label):
    figure = of([[1.0, 0.0], [1.0, 1.0]], {"query": (label, "b"), "key": ("a", label)})[form]
    root = ElementTree.fromstring(picture(figure, "svg"))
    assert not list(root.iter(f"{SVG}script"))


def test_a_hostile_name_in_a_flow_chart_is_only_a_text():
    node = d.FlowNode("1", HOSTILE[0], HOSTILE[1], ("<b>",), (2,), 0, 0.5, True)
    root = ElementTree.fromstring(svg_of(d.Figure("flow", HOSTILE[0], d.Flow((node,), ()), HOSTILE[1], HOSTILE[0])))
    assert not list(root.iter(f"{SVG}script"))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("form", FIGURES)
def test_a_picture_of_each_kind(form, kind):
    assert picture(FIGURES[form], kind).startswith(STARTS[kind])


@pytest.mark.parametrize("form", FIGURES)
def test_an_svg_says_in_words_what_it_shows(form):
    root = ElementTree.fromstring(picture(FIGURES[form], "svg"))
    assert root[0].tag == f"{SVG}desc"
    assert root[0].text == FIGURES[form].alternative


@pytest.mark.parametrize("form", ["heatmap", "signed", "mask"])
def test_every_number_of_a_matrix_says_which_entry_it_is(form):
    root = ElementTree.fromstring(svg_of(FIGURES[form]))
    found = [(node.get("data-step"), node.get("data-index")) for node in root.iter() if node.get("data-index")]
    numbers = [number for row in FIGURES[form].data.rows for number in row]
    assert found == [(number.step, ",".join(map(str, number.index))) for number in numbers]
    texts = [node.text for node in root.iter(f"{SVG}text") if node.get("data-index")]
    assert texts == ([] if form == "mask" else [number.text for number in numbers])


@pytest.mark.parametrize("form", ["heatmap", "mask", "links", "windows", "vectors", "chain", "heads", "flow"])
def test_what_is_drawn_here_needs_no_package_and_has_no_ids(form, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "vl_convert", None)
    root = ElementTree.fromstring(picture(FIGURES[form], "svg"))
    assert not [node for node in root.iter() if node.get("id") or node.tag == f"{SVG}style"]


def test_boxes_of_a_flow_chart_lie_inside_the_picture_and_apart():
    root = ElementTree.fromstring(svg_of(FIGURES["flow"]))
    width = float(root.get("width"))
    boxes = []
    for group in root.iter(f"{SVG}g"):
        if group.get("class") == "node":
            x, y, wide = (float(group[0].get(key)) for key in ("x", "y", "width"))
            assert x >= -0.01
            assert x + wide <= width
            assert not [one for one in boxes if one[1] == y and one[0] < x + wide and x < one[0] + one[2]]
            boxes.append((x, y, wide))
    assert len(boxes) == len(FIGURES["flow"].data.nodes)


@given(some.floats(-1, 1))
def test_numbers_can_be_read_on_their_colours(value):
    ground = colour(d.Axis("", -1.0, 1.0, ()), value)
    assert contrast(text_on(ground), ground) >= 4.5


def test_the_larger_the_darker():
    scale = d.Axis("", 0.0, 1.0, ())
    lights = [sum(colour(scale, value)) for value in numpy.linspace(0, 1, 11)]
    assert lights == sorted(lights, reverse=True)


def test_the_lines_of_a_treemap_stay_dark_on_light_areas():
    root = ElementTree.fromstring(svg_of(treemap_of(w.scenario("example-5").trace().recording)))
    rects = [one for one in root.iter(f"{SVG}rect") if one.get("stroke")]
    assert {one.get("class") for one in rects} == {"cell", "on-cell"}  # which no style sheet turns light
    for shade in SHADES:
        for one in rects:
            line = tuple(int(one.get("stroke")[n : n + 2], 16) for n in (1, 3, 5))
            assert contrast(line, shade) > 1.5
