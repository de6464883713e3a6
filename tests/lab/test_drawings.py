"""Documents with their figures drawn."""

from __future__ import annotations

import sys

import pytest

import workings as w
from workings.document.blocks import Document, Figure, Fold, Text, all_blocks
from workings.document.spans import Words
from workings.explain.trace import Trace
from workings.figures.flow import flow_of
from workings.figures.heatmap import heatmap_of
from workings.figures.loss import Lines
from workings.lab.pages.drawings import page_of


@pytest.fixture(scope="module")
def trace() -> Trace:
    return w.scenario("example-3").trace("twin")


def figures(trace: Trace) -> tuple[Figure, Figure, Figure]:
    return flow_of(trace), heatmap_of(trace, "weights"), heatmap_of(trace, "scores")


def test_every_figure_is_drawn_in_the_order_of_the_document(trace: Trace) -> None:
    first, second, third = figures(trace)
    blocks = (Text((Words("before"),)), first, Fold("more", (second,)), third)
    page = page_of(Document("title", blocks))
    assert len(page.drawings) == 3
    assert all(drawing.startswith("<svg") and 'role="img"' in drawing for drawing in page.drawings)
    for figure, drawing in zip((first, second, third), page.drawings, strict=True):
        assert figure.alternative[:20] in drawing


def test_a_page_without_figures_has_no_drawings() -> None:
    assert page_of(Document("title", ())).drawings == ()


def test_without_the_package_that_draws_charts_there_is_an_empty_place(
    trace: Trace, monkeypatch: pytest.MonkeyPatch
) -> None:
    lesson = w.lesson("example-3").document  # its loss curve is a chart, its flows are not
    charts = [isinstance(block.data, Lines) for block in all_blocks(lesson.blocks) if isinstance(block, Figure)]
    assert {True, False} == set(charts)
    assert all(drawing.startswith("<svg") for drawing in page_of(lesson).drawings)
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    drawings = page_of(lesson).drawings
    assert [drawing == "" for drawing in drawings] == charts
    assert all(drawing.startswith("<svg") for drawing in drawings if drawing)
