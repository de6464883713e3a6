"""Where a trace comes from: a run of a lesson, of a scenario of the package, or of a scenario that somebody wrote."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

import numpy

from ... import conventions
from ...document.notation import Notation, check_symbols
from ...engine.errors import LessonError, WorkingsError
from ...explain.step_view import StepView
from ...explain.trace import Trace
from ...lessons.contents import names as lesson_names
from ...lessons.lesson import Lesson, lesson
from ...lessons.runs import Begun
from ...scenarios.reading.plan import Plan, TextPlan
from ...scenarios.running.building import find_weight
from ...scenarios.scenario import Scenario, scenario, scenario_from
from ...scenarios.scenario import names as scenario_names
from ..errors import LabError, Missing
from .cost import check_cost, cost_of
from .edits import EDITABLE, Edit, changes_of, no_setting, read_edits, values_of
from .memory import MemoryReservation, size_of_trace
from .wanted import Wanted

LATER = re.compile(r"step\d+\.")  # how the path of a step of training begins that was kept
OWN = "own"  # what a scenario without a name is called
Labels = Callable[[StepView], dict[str, tuple[str, ...]]]


@dataclass(frozen=True)
class LabSource:
    """A scenario and one of its runs; the lesson that it belongs to, and the digits that are shown there. A run that
    the text of a lesson makes has no scenario. One that is `changed` is no longer as its lesson works it out.
    """

    title: str
    scenario: Scenario | None
    run: str
    digits: int = 4
    lesson: str = ""
    changed: bool = False

    @property
    def plan(self) -> Plan | None:
        return None if self.scenario is None else self.scenario.plan(self.run)


def source_of(wanted: Wanted) -> LabSource:
    """
    >>> source_of(Wanted("example-3", run="twin")).title
    'Example 3: backpropagation through everything'
    """
    if wanted.scenario:
        own = scenario_from(wanted.scenario, OWN)
        return LabSource(own.title, own, wanted.run)
    if wanted.source in lesson_names():
        found = lesson(wanted.source, numbers=wanted.numbers)
        try:
            of_run: Scenario | None
            of_run, run = found.scenario_of(wanted.run)
        except LessonError:
            of_run, run = None, wanted.run
        return LabSource(found.title, of_run, run, found.file.digits, found.name)
    if wanted.source in scenario_names():
        packaged = scenario(wanted.source)
        return LabSource(packaged.title, packaged, wanted.run)
    if not wanted.source:
        raise LabError(
            "No lesson, no scenario and no text of a scenario was given.",
            hint="Give the name of one of the list, or a scenario of your own.",
        )
    raise Missing(
        f"There is no lesson and no scenario named {wanted.source[:60]}.",
        hint="Choose one of the list, or give a scenario of your own.",
    )


def compute(wanted: Wanted, source: LabSource, base: Trace | None, room: MemoryReservation) -> tuple[Trace, LabSource]:
    """The trace that is wanted, and the source as the edits of settings left it. Where only numbers are edited, what
    does not depend on them is taken from the `base`. What it needs is set aside in the `room` first.
    """
    edits = read_edits(wanted.edits)
    numbers = [edit for edit in edits if edit.is_number and not edit.run]
    source = _with_settings(source, [edit for edit in edits if not edit.is_number])
    is_other = len(numbers) < len(edits) or wanted.precision or wanted.convention
    trace = base if base is not None and not is_other else _traced(wanted, source, room)
    if numbers:
        source, trace = with_numbers(source, numbers, trace, lambda source: _traced(wanted, source, room), room)
    return in_notation(trace, wanted, source), source


def _traced(wanted: Wanted, source: LabSource, room: MemoryReservation) -> Trace:
    precision = wanted.precision or None
    chosen = conventions.convention(wanted.convention) if wanted.convention else None
    room.take(_estimate(wanted, source, room.most))
    of_lesson = [edit for edit in read_edits(wanted.edits) if edit.run]
    if source.lesson and not source.changed:  # which knows the runs that its text makes, and those too long to round
        found = lesson(source.lesson, precision=precision, convention=chosen, numbers=wanted.numbers)
        return with_edits(found, of_lesson).trace(wanted.run)
    if of_lesson:
        raise LabError(
            f"The edit {of_lesson[0].label[:60]} changes a whole lesson, so it cannot be combined with other "
            "settings or your own scenario.",
            hint="Leave the run and its colon away: `W_Q[0][1]=0.3`.",
        )
    assert source.scenario is not None
    return source.scenario.trace(source.run, precision=precision, convention=chosen)


def _estimate(wanted: Wanted, source: LabSource, memory: int) -> int:
    """The bytes that a run will take. What comes with the package, and was not changed, is never refused for the time
    that it takes; a run that the text of a lesson makes is small.
    """
    if source.scenario is None:
        return 0
    if wanted.scenario and source.plan is not None and isinstance(source.plan.data, TextPlan):
        raise LabError(
            "A scenario in the lab may not read a file.",
            hint="Write the texts under `data`, or run it on your own machine with `workings train`.",
        )
    if wanted.scenario or source.changed or (wanted.precision and not source.lesson):
        return check_cost(source.scenario, source.run, memory, wanted.precision)
    return cost_of(source.scenario, source.run, memory).size


def _with_settings(source: LabSource, edits: list[Edit]) -> LabSource:
    if not edits:
        return source
    if source.scenario is None or source.plan is None:
        raise no_setting(edits[0].name, ())
    return _changed(source, source.scenario, changes_of(edits, source.plan))


def _changed(source: LabSource, scenario: Scenario, changes: str) -> LabSource:
    return replace(source, scenario=scenario.changed(changes, source.run), changed=True)


def with_numbers(
    source: LabSource,
    edits: Sequence[Edit],
    trace: Trace,
    traced: Callable[[LabSource], Trace],
    room: MemoryReservation | None = None,
) -> tuple[LabSource, Trace]:
    """Numbers are replayed; but weights that train for more than one step start the whole training anew, as it is
    `traced`.
    """
    values = values_of(edits, trace)
    first = _trained_weights(source, trace, values)
    if first and source.scenario is not None and source.plan is not None:
        names = _given_names(source.plan, trace)
        weights = {names.get(path, path): values.pop(path).tolist() for path in first}
        source = _changed(source, source.scenario, json.dumps({"parameters": weights}))
        trace = traced(source)
    if not values:
        return source, trace
    if room is not None:
        room.take(size_of_trace(trace))
    return source, trace.replay(values=values)


# -- a whole lesson --------------------------------------------------------------------------------


def with_edits(found: Lesson, edits: Sequence[Edit]) -> Lesson:
    """The lesson with other numbers: in the run that each edit names, and in every other run that starts from the same
    matrix under the same name. So what the lesson shows twice stays the same twice.

    >>> changed = with_edits(lesson("example-3"), read_edits(["default:W_Q[0][1]=0.3"]))
    >>> [changed.trace(run)["W_Q"].value[0, 1].item() for run in ("default", "masked", "by-lines", "twin")]
    [0.3, 0.3, 0.3, -0.2]
    """
    if not edits:
        return found
    before = {edit.run: found.trace(edit.run) for edit in edits}
    for edit in edits:
        values_of([edit], before[edit.run])  # refused before anything else is computed

    def change(begun: Begun) -> Trace:
        reaching = [edit for edit in edits if _reaches(edit, before[edit.run], begun)]
        source = LabSource(found.title, begun.scenario, begun.name, lesson=found.name)
        return with_numbers(source, reaching, begun.trace, lambda other: begun.traced(other.scenario))[1]  # type: ignore[arg-type]

    return replace(found, options=replace(found.options, change=change))


def _reaches(edit: Edit, before: Trace, begun: Begun) -> bool:
    try:
        view = begun.trace[edit.name]
    except WorkingsError:  # nothing is called so there
        return False
    same = view.step.leaf in EDITABLE and numpy.array_equal(view.value, before[edit.name].value)
    return begun.run == edit.run or same


# -- trained weights -------------------------------------------------------------------------------


def _trained_weights(source: LabSource, trace: Trace, values: Mapping[str, Any]) -> list[str]:
    """Those of the edited weights with which a training of several steps begins. A weight of a later step that was kept
    is replayed from there.
    """
    train = source.plan.train if source.plan is not None else None
    if train is None or train.steps == 1:
        return []
    return [path for path in values if trace[path].step.leaf == "parameter" and not LATER.match(path)]


def _given_names(plan: Plan, trace: Trace) -> dict[str, str]:
    """Under which name the scenario gives a weight already, by its path."""
    weights = [view.path for view in trace if view.step.leaf == "parameter" and not LATER.match(view.path)]
    found: dict[str, str] = {}
    for name in plan.parameters.values:
        with suppress(WorkingsError):  # under another convention a weight may not be there
            found[find_weight(name, weights)] = name
    return found


def in_notation(trace: Trace, wanted: Wanted, source: LabSource) -> Trace:
    """The same trace with a style of its own: no other reader sees it change."""
    notation = trace.style.notation
    symbols = dict(_symbol(text) for text in wanted.symbols)
    notation = Notation(
        symbols={**dict(notation.symbols), **symbols},
        count_from=notation.count_from if wanted.count_from is None else wanted.count_from,  # type: ignore[arg-type]
        vectors=wanted.vectors or notation.vectors,  # type: ignore[arg-type]
    )
    if symbols:
        check_symbols(trace.recording, notation)
    style = replace(trace.style, notation=notation, digits=wanted.digits or source.digits)
    return trace.with_run(style=style)


def _symbol(text: str) -> tuple[str, str]:
    name, equals, symbol = text.partition("=")
    if not (name and equals and symbol):
        raise LabError(f"The symbol {text[:60]} cannot be read.", hint="Write it as `weights=α`.")
    return name, symbol
