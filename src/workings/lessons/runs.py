"""The runs that a lesson speaks of: each is computed when it is first asked for, and once."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from ..conventions import Convention
from ..engine.errors import LessonError, did_you_mean
from ..engine.recording import Recording
from ..explain.trace import Trace
from ..scenarios.reading.scenario_file import DEFAULT
from ..scenarios.scenario import Scenario

LONG, WIDE, DEEP = 20, 64, 3  # steps of training, numbers of a token, blocks: what has more nobody follows by hand
AS_WRITTEN = "float64"
TWIN = "twin"  # the run with distinguishing numbers, in which mistakes show
DISTINGUISHING = "distinguishing"
Numbers = Literal["document", "distinguishing"]  # those of the document that a lesson follows; those of its twin


@dataclass(frozen=True)
class Begun:
    """A run as its scenario gives it; `traced` computes it in the same way with another scenario."""

    run: str
    scenario: Scenario
    name: str  # what the run is called in its scenario
    trace: Trace
    traced: Callable[[Scenario], Trace]


@dataclass(frozen=True)
class LessonOptions:
    """How a reader wants the numbers: as the lesson says, unless something stands here. Whoever changes numbers gives
    the run that it becomes.
    """

    digits: int | None = None
    precision: str | None = None
    convention: Convention | None = None
    numbers: Numbers = "document"
    change: Callable[[Begun], Trace] | None = None


@dataclass
class Runs:
    """The runs of the main scenario under their names, those of another one with its name before them: `demo.twin`.

    Traces that a directive makes, such as one with a nudged weight, stand beside them under names of their own.
    """

    main: Scenario | None
    other: Callable[[str], Scenario | None]
    options: LessonOptions
    digits: int
    traces: dict[str, Trace] = field(default_factory=dict)
    opened: dict[tuple[str, str], Recording] = field(default_factory=dict)  # run and composite: what is inside
    starting: dict[str, Scenario] = field(default_factory=dict)  # scenarios that start from distinguishing numbers

    def __getitem__(self, run: str) -> Trace:
        if run not in self.traces:
            self.add(run, self._traced(run))
        return self.traces[run]

    def _traced(self, run: str) -> Trace:
        scenario, name = self.find(run)
        traced = partial(Scenario.trace, run=name, precision=self._precision(run), convention=self._convention(run))
        trace = traced(scenario)
        return trace if self.options.change is None else self.options.change(Begun(run, scenario, name, trace, traced))

    def add(self, run: str, trace: Trace) -> None:
        self.traces[run] = trace.with_run(style=replace(trace.style, digits=self.digits))

    def add_alias(self, run: str, alias: str, path: str) -> None:
        """Another name for a step of a run; the first one of an alias stays."""
        trace = self.traces[run]
        self.traces[run] = trace.with_run(aliases={alias: path, **trace.aliases})

    def find(self, run: str) -> tuple[Scenario, str]:
        """The scenario that a run belongs to, and what the run is called there."""
        if self.main is not None and run in self.main.runs:
            return self._starting(self.main), run
        name, _, rest = run.partition(".")
        found = self.other(name)
        if found is None:
            known = self.main.runs if self.main is not None else ()
            raise LessonError(
                f"There is no run '{run}'.",
                hint=f"{did_you_mean(run, known)}The runs here are {', '.join(known) or '-'}; write one of another "
                "scenario as NAME.run.",
            )
        return self._starting(found), rest or DEFAULT

    def _starting(self, scenario: Scenario) -> Scenario:
        """The scenario with the numbers that the reader chose."""
        if self.options.numbers != DISTINGUISHING or TWIN not in scenario.runs:
            return scenario
        if scenario.name not in self.starting:
            self.starting[scenario.name] = scenario.starting_from(TWIN)
        return self.starting[scenario.name]

    def is_long(self, run: str) -> bool:
        """Whether a run is longer than anybody would follow by hand."""
        scenario, name = self.find(run)
        plan = scenario.plan(name)
        trains_long = plan.train is not None and plan.train.steps > LONG
        return trains_long or (plan.model is not None and (plan.model.width > WIDE or plan.model.layers > DEEP))

    def _convention(self, run: str) -> Convention | None:
        """What was asked for; but a run that differs from its scenario in just that keeps its own."""
        scenario, name = self.find(run)
        return self.options.convention if scenario.plan(name).convention == scenario.plan().convention else None

    def _precision(self, run: str) -> str | None:
        return None if self.options.precision is not None and self.is_long(run) else self.options.precision
