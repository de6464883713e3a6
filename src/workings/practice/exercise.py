"""What is practiced: one run of a lesson or a scenario."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from os.path import isfile
from pathlib import Path

from ..engine.errors import LessonError, did_you_mean
from ..explain.trace import Trace
from ..lessons.contents import names as lesson_names
from ..lessons.lesson import lesson
from ..lessons.runs import TWIN
from ..scenarios.reading.scenario_file import DEFAULT
from ..scenarios.scenario import names as scenario_names
from ..scenarios.scenario import scenario

MAX_STEPS = 700  # that a learner may be expected to follow


@dataclass(frozen=True, eq=False)
class Exercise:
    """A trace to practice on, and the names under which it is found."""

    name: str
    run: str
    title: str
    trace: Trace
    points: Mapping[str, float] = field(default_factory=dict)  # of all blanks of a step, by its path


def exercise(source: str | Path, run: str | None = None) -> Exercise:
    """A run of a lesson or a scenario, by its name or its file. If no run is named, it is the one that the lesson
    practices on, or the run with distinguishing numbers, or the main one.

    >>> exercise("example-3").run
    'twin'
    """
    name = str(source)
    if name in lesson_names() or name.endswith(".md"):
        opened = lesson(name)
        chosen = run or opened.file.practice or (TWIN if TWIN in opened.runs else DEFAULT)
        made = Exercise(name, chosen, opened.title, opened.trace(chosen))
        if chosen in opened.runs:  # and not one that the text makes
            file, chosen = opened.scenario_of(chosen)
            made = replace(made, points=file.points(chosen, made.trace))
    elif name in scenario_names() or Path(name).suffix in (".yaml", ".yml") or isfile(name):
        file = scenario(source)
        chosen = run or (TWIN if TWIN in file.runs else DEFAULT)
        trace = file.trace(chosen)
        made = Exercise(name, chosen, file.title, trace, file.points(chosen, trace))
    else:
        raise _unknown_source(name)
    count = len(made.trace.recording.steps)
    if count > MAX_STEPS:
        raise LessonError(
            f"The run {made.run} of {name[:80]} has {count} steps, too many for a calculation by hand (at most "
            f"{MAX_STEPS}).",
            hint="Choose a shorter one with --run, such as a run of a single training step.",
        )
    return made


def _unknown_source(name: str) -> LessonError:
    known = (*lesson_names(), *(name for name in scenario_names() if name not in lesson_names()))
    return LessonError(
        f"There is no lesson or scenario '{name[:80]}'.",
        hint=f"{did_you_mean(name, known)}`workings lessons` and `workings trace` list them; a file of your own ends "
        "in .md or .yaml.",
    )
