"""The runs that a document speaks of: its steps, and what the judge computed for them."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from functools import cached_property
from typing import Any

from torch import Tensor

from .evaluate import StepJson, as_tensor, evaluate, settings_of

ELSEWHERE = re.compile(r"(\w+\.\d+|\d+(\.\d+)+)$")  # a step of a small trace beside, or inside of a composite


class NotThereError(Exception):
    """A document points at a step, an entry or a history that no run has."""


class Elsewhere(Exception):
    """A step of a trace that is not in the JSON: what it says cannot be judged."""


class Run:
    """One run with the judge's own values."""

    def __init__(self, data: Mapping[str, Any], values: Mapping[str, Any] | None = None) -> None:
        self.data = data
        self.values = values
        self.precision: str = data["precision"]
        self.steps: dict[str, StepJson] = {step["id"]: step for step in data["steps"]}
        self.histories: dict[str, list[Any]] = {row["name"]: row["value"] for row in data["history"]}

    @cached_property
    def judged(self) -> dict[str, Tensor]:
        return evaluate(self.data, self.values)

    def with_value(self, id: str, value: Tensor) -> dict[str, Tensor]:
        """The forward pass computed again, as it is if one step has another value."""
        return self.with_leaves({id: value})

    def with_leaves(self, values: dict[str, Tensor]) -> dict[str, Tensor]:
        """The same if several have. What is updated stands there as it is, or with such a value."""
        rows = []
        for row in self.data["steps"]:
            is_updated = row["pass"] == "update" and row["kind"] != "group"
            if row["id"] in values or is_updated:
                value = values.get(row["id"], self.judged[row["id"]])
                rows.append({**row, "kind": "leaf", "op": "given", "inputs": [], "value": value.tolist()})
            elif row["pass"] == "forward":
                rows.append(row)
        return evaluate({**self.data, "steps": rows}, self.values)

    def check_index(self, id: str, index: list[int]) -> None:
        shape = self.steps[id]["shape"]
        if len(index) != len(shape) or not all(0 <= at < length for at, length in zip(index, shape, strict=True)):
            raise NotThereError(f"{self.steps[id]['path']} has no entry {index}: its shape is {shape}")

    def entry(self, id: str, index: list[int]) -> float | int:
        """An entry as the judge computes it."""
        self.check_index(id, index)
        return self.judged[id][tuple(index)].item()

    def written(self, id: str, index: list[int]) -> float:
        """An entry as the run has it."""
        self.check_index(id, index)
        step = self.steps[self.steps[id].get("result", id)]
        return as_tensor(step["value"], step["dtype"])[tuple(index)].item()

    def settings_of(self, id: str) -> dict[str, Any]:
        return settings_of(self.steps[id], self.steps)

    def around(self, step: StepJson) -> Iterator[StepJson]:
        """A step, the groups that it lies in, and the step whose rule they apply."""
        while True:
            yield step
            if step.get("rule"):
                yield self.steps[step["rule"]["of"]]
            if step["group"] is None:
                return
            step = self.steps[step["group"]]

    def settings(self, id: str) -> set[float]:
        """The numbers among the settings of a step and of what it belongs to."""
        return {
            float(number)
            for step in self.around(self.steps[id])
            for number in numbers_in(list(step["settings"].values()))
        }

    def sizes(self, id: str) -> set[float]:
        """How long the axes of a step and of its inputs are, and how many entries these have in all."""
        near = [self.steps[name] for step in self.around(self.steps[id]) for name in (step["id"], *step["inputs"])]
        return {float(size) for step in near for size in (*step["shape"], math.prod(step["shape"]))}


class Runs:
    """All runs of a document. A step is `17`, or `twin:17` where there are several runs."""

    def __init__(self, runs: list[Mapping[str, Any]], values: Mapping[str, Mapping[str, Any]] | None = None) -> None:
        self.runs = {data["name"]: Run(data, (values or {}).get(data["name"])) for data in runs}

    def named(self, step: str) -> tuple[Run, str]:
        name, colon, id = step.rpartition(":")
        if colon and name not in self.runs:
            raise NotThereError(f"there is no run {name!r}")
        return (self.runs[name] if colon else next(iter(self.runs.values()))), id

    def step(self, step: str) -> tuple[Run, str]:
        run, id = self.named(step)
        if id in run.steps:
            return run, id
        raise Elsewhere(step) if ELSEWHERE.match(id) else NotThereError(f"there is no step {step!r}")


def numbers_in(value: Any) -> Iterator[float]:
    if isinstance(value, list):
        for item in value:
            yield from numbers_in(item)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        yield value
