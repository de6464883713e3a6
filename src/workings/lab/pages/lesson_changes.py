"""A lesson recomputed with changed numbers, beside what its text said before."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any, TypeVar

from ...document.blocks import Document, Number
from ...engine.errors import LessonError
from ...lessons.built import BuiltLesson
from ...lessons.lesson import Lesson, lesson
from ...lessons.runs import LessonOptions
from ..answers.lesson import LessonPage
from ..answers.trace import EditRow
from ..errors import LabError
from ..traces.edits import Edit
from ..traces.sources import with_edits
from .drawings import page_of

KEPT = 4  # lessons as they are before a change

Part = TypeVar("Part")


def changed_page(found: Lesson, edits: Sequence[Edit]) -> LessonPage:
    """
    >>> from workings.lessons.lesson import lesson
    >>> from workings.lab.traces.edits import read_edits
    >>> page = changed_page(lesson("example-1"), read_edits(["default:W_V[1][1]=90"]))
    >>> page.edits[0].before, page.broken > 0, any(number.step == "default:18" for number in page.was)
    ('0.1', True, True)
    """
    before = _unchanged(found.name, found.options)
    runs = changeable_runs(found, before.document)
    for edit in edits:
        if edit.run not in runs:
            raise LabError(
                f"The numbers of {edit.run[:60]} follow from other runs of the lesson.",
                hint=f"Change a number of one of these runs: {', '.join(runs)}.",
            )
    after = with_edits(found, edits).build()
    page = page_of(after.document)
    broken = sum(was.holds and not now.holds for was, now in zip(before.checks, after.checks, strict=False))
    rows = tuple(EditRow(edit.text, edit.label, edit.value, _before(found, edit)) for edit in edits)
    return LessonPage(page.document, page.drawings, runs, rows, tuple(_others(before.document, page.document)), broken)


@lru_cache(KEPT)
def _unchanged(name: str, options: LessonOptions) -> BuiltLesson:
    """The lesson before, which every further change is compared with."""
    return lesson(name).build(options)


def changeable_runs(found: Lesson, document: Document) -> tuple[str, ...]:
    """The runs whose numbers stand in the lesson and come from a scenario, not from its text."""
    named = dict.fromkeys(number.step.rpartition(":")[0] for number in entries(document))
    return tuple(run for run in named if run and _is_of_scenario(found, run))


def _is_of_scenario(found: Lesson, run: str) -> bool:
    try:
        scenario, name = found.scenario_of(run)
    except LessonError:
        return False
    return name in scenario.runs


def _before(found: Lesson, edit: Edit) -> str:
    view = found.trace(edit.run)[edit.name]
    number: Number | None = view.number(*edit.index) if len(edit.index) == len(view.shape) else None
    return "" if number is None else number.text


def _others(before: Document, after: Document) -> Iterator[Number]:
    """The numbers that were printed otherwise, each once."""
    texts = {(number.step, number.index): number.text for number in entries(after)}
    seen = {(number.step, number.index): number for number in entries(before)}
    return (number for place, number in seen.items() if texts.get(place, number.text) != number.text)


def entries(part: Any) -> Iterator[Number]:
    """The entries of steps whose numbers stand somewhere in a document."""
    return (number for number in parts_of(part, Number) if number.role == "entry" and number.step)


def parts_of(part: Any, kind: type[Part]) -> Iterator[Part]:
    """Everything of a kind in a document, such as its numbers or its links."""
    if isinstance(part, kind):
        yield part
    elif dataclasses.is_dataclass(part):
        for field in dataclasses.fields(part):
            yield from parts_of(getattr(part, field.name), kind)
    elif isinstance(part, tuple | list):
        for inner in part:
            yield from parts_of(inner, kind)
