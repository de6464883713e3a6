"""A recipe: what is trained, as the text of a scenario that a checkpoint stores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, fields, replace
from functools import cached_property
from typing import Any

from ...engine.errors import ScenarioError, TrainingError
from ...nn.architecture import Architecture
from ...text.tokens import Tokens
from ...training.recipe import SessionOptions, Setup
from ..reading.plan import Plan, TextPlan, TrainPlan
from ..reading.scenario_file import DEFAULT, read_scenario
from ..reading.upgrade import upgraded
from ..scenario import Scenario
from .building import Texts, architecture_of
from .computation import BatchComputation, ModelComputation


@dataclass(frozen=True)
class Recipe:
    """A scenario, one of its runs, and changes to it: keys as in a scenario file."""

    name: str
    text: str
    run: str = DEFAULT
    changes: str = ""

    @classmethod
    def from_data(cls, data: Mapping[str, str], version: int) -> Recipe:
        """The recipe in a checkpoint of this format. Format 1 was written by version 0.8, with the keys of then."""
        names = {field.name for field in fields(cls)}
        if set(data) != names:
            raise ScenarioError(f"A recipe has {', '.join(sorted(names))}, and this one has {', '.join(sorted(data))}.")
        recipe = cls(**data)
        if version == 1:
            recipe = replace(recipe, text=upgraded(recipe.text), changes=upgraded(recipe.changes))
        if recipe.plan.train is None:
            raise ScenarioError(f"The run {recipe.run} is not trained.")
        return recipe

    def to_data(self) -> dict[str, str]:
        return asdict(self)

    @cached_property
    def scenario(self) -> Scenario:
        return Scenario(self.name, read_scenario(self.text, self.name, self.changes, self.run), self.text)

    @property
    def plan(self) -> Plan:
        return self.scenario.plan(self.run)

    @property
    def train(self) -> TrainPlan:
        return self.plan.train or TrainPlan()

    @property
    def seed(self) -> int:
        return self.plan.parameters.seed

    @property
    def precision(self) -> str:
        return self.plan.precision

    @property
    def options(self) -> SessionOptions:
        train = self.train
        return SessionOptions(train.steps, train.eval_steps, train.save_steps, train.keep or ())

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """Everything in the plan that changes the numbers. How often training is saved or evaluated does not, nor does
        the number of steps, unless the learning rate falls until the last of them.
        """
        plan, train = self.plan, self.train
        steps = train.steps if train.schedule != "constant" else 1
        train = replace(train, steps=steps, keep=None, save_steps=1, eval_steps=1)
        if isinstance(plan.data, TextPlan):  # a checkpoint knows a text by its content, wherever the file is now
            plan = replace(plan, data=replace(plan.data, text=""))
        plain = Plan(scenario=1)
        plan = replace(plan, train=train, title="", about="", source="", aliases={}, notation=plain.notation)
        return dict(_by_key(asdict(plan)))

    def architecture(self, vocabulary: Tokens | None, longest: int) -> Architecture:
        return architecture_of(self.plan, self.scenario.convention(self.run), Texts(vocabulary, longest))

    def build(self) -> Setup:
        trainer = self.scenario.trainer(self.run)
        computation = trainer.computation
        if isinstance(computation, BatchComputation):
            source = computation.source
            return Setup(trainer, computation.built.quiet(), source.vocabulary, source.longest, source)
        if isinstance(computation, ModelComputation):
            longest = max(len(text) for row in computation.rows for text in (row.tokens, row.decoder_tokens or []))
            return Setup(trainer, computation.built.quiet(), computation.built.vocabulary, longest)
        raise TrainingError(
            "A calculation has no model, so there is nothing to store in a checkpoint.",
            hint="Train it with workings trace, or give the scenario a model.",
        )


def _by_key(record: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The values of a record and of the records within it: `train.rate`."""
    for key, value in record.items():
        if isinstance(value, dict):
            yield from _by_key(value, f"{prefix}{key}.")
        else:
            yield f"{prefix}{key}", value
