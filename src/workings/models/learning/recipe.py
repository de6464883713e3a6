"""A recipe: what is trained, in words that can be stored and read again."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

from ..reading.plan import Plan, TextPlan, TrainPlan
from ..reading.scenario_reading import DEFAULT, read_scenario
from ..scenario import Scenario


@dataclass(frozen=True)
class Recipe:
    """A scenario, one of its runs, and what was asked for besides: keys as in a scenario file."""

    name: str
    text: str
    run: str = DEFAULT
    changes: str = ""

    @cached_property
    def scenario(self) -> Scenario:
        return Scenario(self.name, read_scenario(self.text, self.name, self.changes, self.run), self.text)

    @property
    def plan(self) -> Plan:
        return self.scenario.plan(self.run)

    @property
    def train(self) -> TrainPlan:
        return self.plan.train or TrainPlan()

    def goes_on(self, other: Recipe) -> bool:
        """Whether what this one has learned so far is what the other would have learned.

        How often it is saved or looked at changes nothing; nor does the number of steps, unless the learning rate falls
        towards the last of them.
        """
        return _essence(self.plan) == _essence(other.plan)

    def differences(self, other: Recipe) -> list[str]:
        """Where the two differ, as keys of a scenario: `train.rate: 0.01, now 0.5`."""
        old, new = (dict(_flat(asdict(_essence(recipe.plan)))) for recipe in (self, other))
        keys = [key for key in {**old, **new} if old.get(key) != new.get(key)]
        return [f"{key}: {old.get(key)}, now {new.get(key)}"[:60] for key in keys[:MOST]]

    def differs_in_steps(self, other: Recipe) -> bool:
        """Whether the two differ in the number of steps and in nothing else that matters."""
        return _essence(self.plan, any_steps=True) == _essence(other.plan, any_steps=True)


MOST = 3  # differences that are named


def _flat(record: Mapping[str, Any], before: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a record and of those within it, each under its keys."""
    for key, value in record.items():
        if isinstance(value, dict):
            yield from _flat(value, f"{before}{key}.")
        else:
            yield f"{before}{key}", value


def _essence(plan: Plan, any_steps: bool = False) -> Plan:
    """A plan without what does not change the numbers."""
    if plan.train is None:
        return plan
    steps = 1 if any_steps or plan.train.fall == "none" else plan.train.steps
    train = replace(plan.train, steps=steps, keep=None, save=1, check=1)
    if isinstance(plan.data, TextPlan):  # by its content it is known in a checkpoint, wherever it stands now
        plan = replace(plan, data=replace(plan.data, text=""))
    return replace(plan, train=train, title="", about="", source="", aliases={}, notation=Plan(scenario=1).notation)
