"""What is practised: one run of a lesson or of a scenario."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path

from ...engine.errors import LessonError
from ...explain.view import Trace
from ...models.labels import labels_of, labels_of_step
from ...models.reading.likely import likely
from ...models.reading.scenario_reading import DEFAULT
from ...models.scenario import Scenario, scenario
from ...models.scenario import names as scenario_names
from ..lesson import lesson
from ..runs import TWIN
from ..shelf import names as lesson_names
from . import sentences as _sentences  # noqa: F401 - puts them into the catalogue

LONGEST = 700  # steps that somebody may be asked to follow


@dataclass(frozen=True, eq=False)
class Exercise:
    """A trace to practise on, under the names by which it is asked for."""

    name: str
    run: str
    title: str
    trace: Trace


def exercise(source: str | Path, run: str | None = None) -> Exercise:
    """A run of a lesson or a scenario, by its name or its file. If none is named, it is the one that the lesson
    practises on, or the telling twin, or the main one.

    >>> exercise("example-3").run
    'twin'
    """
    name = str(source)
    if name in lesson_names() or name.endswith(".md"):
        opened = lesson(name)
        chosen = run or opened.file.practice or (TWIN if TWIN in opened.runs else DEFAULT)
        made = Exercise(name, chosen, opened.title, opened.trace(chosen))
    elif name in scenario_names() or Path(name).suffix in (".yaml", ".yml") or Path(name).is_file():
        made = _of_scenario(scenario(source), name, run)
    else:
        known = (*lesson_names(), *(name for name in scenario_names() if name not in lesson_names()))
        near = likely(name, known)
        raise LessonError("practice.unknown" if near else "practice.unknown.none", name=name[:80], nearest=near)
    count = len(made.trace.recording.steps)
    if count > LONGEST:
        raise LessonError("practice.long", name=name[:80], run=made.run, count=count, limit=LONGEST)
    return made


def _of_scenario(opened: Scenario, name: str, run: str | None) -> Exercise:
    chosen = run or (TWIN if TWIN in opened.runs else DEFAULT)
    trace = opened.trace(chosen)
    labels = labels_of(opened, chosen, trace)
    trace.labels = partial(labels_of_step, opened, chosen, labels=labels)
    return Exercise(name, chosen, opened.title, trace)
