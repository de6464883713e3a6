"""Lessons and traces as files to be read offline: what the lab would show, without a lab."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

from ...document.blocks import Document
from ...engine.arrays import Index, brackets
from ...engine.errors import LessonError
from ...explain.step_view import StepView
from ...explain.trace import Trace
from ...lessons.lesson import Lesson
from ...lessons.runs import DISTINGUISHING
from ...scenarios.reading.scenario_file import DEFAULT
from ...scenarios.scenario import Scenario
from ..addresses import view_address
from ..pages.reading import lesson_path, unchanged_page
from ..pages.steps import step_row
from ..traces.sources import LabSource, in_notation
from ..traces.store import Opened
from ..traces.wanted import Wanted
from .record import everywhere, lesson_answers, trace_answers
from .rulings import practice_answers
from .single_file import offline_page


def lesson_file(found: Lesson, document: Document, wanted: Wanted) -> str:
    """A lesson with everything that its numbers lead to, and a sheet to practice on. `wanted` says how its numbers are
    to be; its source is the name of the lesson.
    """
    runs = _Runs(found, wanted)
    page = unchanged_page(found, document)
    answers = everywhere() | lesson_answers(wanted, page, runs.open)
    if is_practised(wanted.source):
        answers |= practice_answers(wanted.source)
    wishes = {"digits": wanted.digits, "precision": wanted.precision, "convention": wanted.convention}
    wishes |= {"numbers": wanted.numbers} if wanted.numbers == DISTINGUISHING else {}
    return offline_page(document, answers, view_address("lesson", wanted.source, "", wishes), page.drawings)


def is_practised(name: str) -> bool:
    """Whether there is a sheet for a lesson: a text of one's own has none in the lab."""
    return any(lesson.name == name and lesson.practised for part in lesson_path().parts for lesson in part.lessons)


class _Runs:
    """The runs of a lesson, opened as the lab opens them."""

    def __init__(self, found: Lesson, wanted: Wanted) -> None:
        self.found = found
        self.wanted = wanted

    def open(self, run: str) -> Opened:
        wanted, digits = replace(self.wanted, run=run), self.found.file.digits
        try:
            scenario, name = self.found.scenario_of(run)
            source, trace = LabSource(self.found.title, scenario, name, digits), self.found.trace(run)
        except LessonError:  # the text of the lesson made it
            source, trace = LabSource(self.found.title, None, run, digits), self._made[run]
        return Opened(wanted.key, wanted, in_notation(trace, wanted, source), source, None)

    @cached_property
    def _made(self) -> dict[str, Trace]:
        return self.found.build().traces


def trace_file(
    trace: Trace, document: Document, wanted: Wanted, scenario: Scenario | None, place: tuple[StepView, Index] | None
) -> str:
    """A trace as the explorer shows it, at a step and an entry if they are given. It may be of a scenario, or just
    numbers that were recorded somewhere. Its digits are those of its style.
    """
    title = document.title if scenario is None else scenario.title  # the page may be about one step only
    source = LabSource(title, scenario, wanted.run, trace.style.digits)
    opened = Opened(wanted.key, wanted, in_notation(trace, wanted, source), source, None)
    at = "" if place is None else step_row(trace, place[0].step).name + brackets(place[1])
    run = "" if wanted.run == DEFAULT else wanted.run
    wishes = {"run": run, "precision": wanted.precision, "convention": wanted.convention}
    named = {} if place is None else {place[0].id: {place[1]}}
    answers = everywhere() | trace_answers(opened, named)
    return offline_page(document, answers, view_address("explore", wanted.source, at, wishes))
