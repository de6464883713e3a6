"""The example of every figure page, as a command and as a lesson draw it; small matrices with any labels."""

from __future__ import annotations

import dataclasses
from functools import cache
from typing import Any

import workings as w
from workings.cli.figure import requested_figure
from workings.document.blocks import Figure
from workings.figures import PAGES
from workings.figures.bars import bars_of
from workings.figures.chain import chain_of
from workings.figures.heatmap import heatmap_of
from workings.figures.links import links_of
from workings.figures.mask import mask_of
from workings.figures.plane import plane_of
from workings.figures.vectors import vectors_of
from workings.figures.windows import windows_of
from workings.lessons.lesson import Lesson
from workings.lessons.reading.lesson_file import read_lesson

NOT_FOR_READERS = ("kind", "role", "mistake", "scale", "side", "value")  # fields that only a program reads


@cache
def example(name: str) -> Figure:
    """What `workings figure` draws."""
    found = PAGES[name].example
    return requested_figure(found.scenario, found.figure(name), found.run or None)


def directive(name: str) -> str:
    """The example as a lesson asks for it."""
    page = PAGES[name]
    subject = page.example.subject.replace(",", " ")
    options = [f":run: {page.example.run}"] if page.example.run else []
    if page.module_option and subject:
        options, subject = [*options, f":{page.module_option}: {subject}"], ""
    return "\n".join([f":::{{figure}} {name} {subject}".rstrip(), *options, ":::", ""])


def lesson_figures(text: str, scenario: str) -> list[Figure]:
    """The figures of a lesson with this text."""
    lesson = Lesson("small", read_lesson(f"---\ntitle: x\nscenario: {scenario}\n---\n{text}", "small.md"))
    return [block for block in lesson.build().document.blocks if isinstance(block, Figure)]


def with_texts(part: Any, text: str) -> Any:
    """The same data with another text wherever it has one for a reader: labels, names, titles, numbers."""
    if isinstance(part, tuple):
        return tuple(with_texts(inner, text) for inner in part)
    if not dataclasses.is_dataclass(part):
        return part
    changes = {}
    for field in dataclasses.fields(part):
        value = getattr(part, field.name)
        if isinstance(value, str):
            changes[field.name] = value if field.name in NOT_FOR_READERS else text
        elif isinstance(value, tuple) and value and isinstance(value[0], str):
            changes[field.name] = (text,) * len(value)
        else:
            changes[field.name] = with_texts(value, text)
    return dataclasses.replace(part, **changes)


def small_figures(array: Any, labels: dict[str, tuple[str, ...]]) -> dict[str, Figure]:
    """A matrix with the axes query and key, in every figure that shows a matrix."""
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
