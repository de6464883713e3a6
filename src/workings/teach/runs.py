"""The runs that a lesson speaks of: each is computed when it is first asked for, and once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial

from ..conventions import Convention
from ..engine.errors import LessonError
from ..engine.recording import Recording
from ..explain.step_view import StepView
from ..explain.view import Trace
from ..models.labels import labels_of, labels_of_step
from ..models.reading.likely import likely
from ..models.reading.scenario_reading import DEFAULT
from ..models.scenario import Scenario

LONG, WIDE, DEEP = 20, 64, 3  # steps of training, numbers of a token, blocks: what has more nobody follows by hand
AS_WRITTEN = "float64"
TWIN = "twin"  # the run with telling numbers, in which mistakes show


@dataclass(frozen=True)
class Begun:
    """A run as its scenario gives it; `traced` computes it in the same way with another scenario."""

    run: str
    scenario: Scenario
    name: str  # what the run is called in its scenario
    trace: Trace
    traced: Callable[[Scenario], Trace]


@dataclass(frozen=True)
class Asked:
    """How a reader wants the numbers: as the lesson says, unless something stands here. Whoever changes numbers gives
    the run that it becomes.
    """

    digits: int | None = None
    precision: str | None = None
    convention: Convention | None = None
    change: Callable[[Begun], Trace] | None = None


@dataclass
class Runs:
    """The runs of the main scenario under their names, those of another one with its name before them: `demo.twin`.

    Traces that a directive makes, such as one with a nudged weight, stand beside them under names of their own.
    """

    main: Scenario | None
    other: Callable[[str], Scenario | None]
    asked: Asked
    digits: int
    traces: dict[str, Trace] = field(default_factory=dict)
    opened: dict[tuple[str, str], Recording] = field(default_factory=dict)  # run and composite: what is inside
    _labels: dict[str, dict[str, tuple[str, ...]]] = field(default_factory=dict)

    def __getitem__(self, run: str) -> Trace:
        if run not in self.traces:
            self.add(run, self._traced(run))
        return self.traces[run]

    def _traced(self, run: str) -> Trace:
        scenario, name = self.find(run)
        traced = partial(Scenario.trace, run=name, precision=self._precision(run), convention=self._convention(run))
        trace = traced(scenario)
        return trace if self.asked.change is None else self.asked.change(Begun(run, scenario, name, trace, traced))

    def add(self, run: str, trace: Trace) -> None:
        trace.style = replace(trace.style, digits=self.digits)
        self.traces[run] = trace

    def find(self, run: str) -> tuple[Scenario, str]:
        """The scenario that a run belongs to, and what the run is called there."""
        if self.main is not None and run in self.main.runs:
            return self.main, run
        name, _, rest = run.partition(".")
        found = self.other(name)
        if found is None:
            known = self.main.runs if self.main is not None else ()
            near = likely(run, known)
            key = "lesson.run" if near else "lesson.run.none"
            raise LessonError(key, run=run, nearest=near, runs=", ".join(known) or "-")
        return found, rest or DEFAULT

    def labels(self, run: str, view: StepView | None = None) -> dict[str, tuple[str, ...]]:
        """What the places along the axes of a run are called, or those of one step of it."""
        trace = self[run]
        try:
            scenario, name = self.find(run)
        except LessonError:  # a trace that a directive made
            return {}
        if run not in self._labels:
            self._labels[run] = labels_of(scenario, name, trace)
        return self._labels[run] if view is None else labels_of_step(scenario, name, view, self._labels[run])

    def is_long(self, run: str) -> bool:
        """Whether a run is longer than anybody would follow by hand."""
        scenario, name = self.find(run)
        plan = scenario.plan(name)
        trains_long = plan.train is not None and plan.train.steps > LONG
        return trains_long or (plan.model is not None and (plan.model.width > WIDE or plan.model.layers > DEEP))

    def _convention(self, run: str) -> Convention | None:
        """What was asked for; but a run that differs from its scenario in just that keeps its own."""
        scenario, name = self.find(run)
        return self.asked.convention if scenario.plan(name).convention == scenario.plan().convention else None

    def _precision(self, run: str) -> str | None:
        return None if self.asked.precision is not None and self.is_long(run) else self.asked.precision
