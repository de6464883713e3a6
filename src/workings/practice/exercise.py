"""What is practiced: one run of a lesson or a scenario."""

from __future__ import annotations

from collections.abc import Collection, Mapping
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
from .training_step import AFTER_RUN, training_step

MAX_STEPS = 700  # that a learner may be expected to follow


@dataclass(frozen=True, eq=False)
class Exercise:
    """A trace to practice on, and the names under which it is found."""

    name: str
    run: str
    title: str
    trace: Trace
    points: Mapping[str, float] = field(default_factory=dict)  # of all blanks of a step, by its path
    is_training_step: bool = False  # and not the whole run


def exercise(source: str | Path, run: str | None = None, is_training_step: bool = False) -> Exercise:
    """A run of a lesson or a scenario, by its name or its file. If no run is named, it is the one that the lesson
    practices on, or the run with distinguishing numbers, or the main one; of a training step, the run `after`.

    >>> exercise("example-3").run, exercise("example-3", is_training_step=True).run
    ('twin', 'after')
    """
    name = str(source)
    if name in lesson_names() or name.endswith(".md"):
        opened = lesson(name)
        usual = opened.file.practice or _usual_run(opened.runs)
        chosen = run or (AFTER_RUN if is_training_step and AFTER_RUN in opened.runs else usual)
        made = Exercise(name, chosen, opened.title, opened.trace(chosen))
        if chosen in opened.runs:  # and not one that the text makes
            file, chosen = opened.scenario_of(chosen)
            made = replace(made, points=file.points(chosen, made.trace))
    elif name in scenario_names() or Path(name).suffix in (".yaml", ".yml") or isfile(name):
        file = scenario(source)
        chosen = run or (AFTER_RUN if is_training_step and AFTER_RUN in file.runs else _usual_run(file.runs))
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
    return _training_step(made) if is_training_step else made


def _usual_run(runs: Collection[str]) -> str:
    return TWIN if TWIN in runs else DEFAULT


def _training_step(whole: Exercise) -> Exercise:
    """Of a run that trains, the part that is done by hand."""
    step = training_step(whole.trace)
    points = {step.renamed[path]: worth for path, worth in whole.points.items() if path in step.renamed}
    return replace(whole, trace=step.trace, points=points, is_training_step=True)


def _unknown_source(name: str) -> LessonError:
    known = (*lesson_names(), *(name for name in scenario_names() if name not in lesson_names()))
    return LessonError(
        f"There is no lesson or scenario '{name[:80]}'.",
        hint=f"{did_you_mean(name, known)}`workings lessons` and `workings trace` list them; a file of your own ends "
        "in .md or .yaml.",
    )
