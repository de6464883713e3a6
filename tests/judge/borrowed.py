"""What the small runs beside a lesson start from: numbers of its other runs, and none that somebody typed."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from .evaluate import agree
from .runs import Run, Runs

BESIDE = re.compile(r"measured|.*\.slope")  # runs that only work with numbers of others


def strangers(runs: Runs) -> Iterator[str]:
    """Leaves of these runs whose values stand in no other run."""
    beside = [run for name, run in runs.runs.items() if BESIDE.fullmatch(name)]
    others = [run for name, run in runs.runs.items() if not BESIDE.fullmatch(name)]
    values = [value.double() for run in others for value in run.judged.values()]
    values += [torch.tensor(finite(row)).double() for run in others for row in run.histories.values()]
    parts: dict[torch.Size, Tensor] = {}
    for run in beside:
        for step in run.steps.values():
            value = run.judged[step["id"]].double()
            if value.shape not in parts:
                parts[value.shape] = parts_of_shape(values, value.shape)
            if step["kind"] == "leaf" and not (stands_in(value, parts[value.shape]) or is_distance(value, others)):
                yield f"{run.data['name']}: {step['path']} = {value.tolist()}"


def finite(row: list[Any]) -> list[float]:
    return [number for number in row if not isinstance(number, str)]


def parts_of_shape(values: list[Tensor], shape: torch.Size) -> Tensor:
    """All values of that shape, and all parts of larger ones."""
    fitting = [
        value for value in values if value.ndim >= len(shape) and value.shape[value.ndim - len(shape) :] == shape
    ]
    return torch.cat([torch.zeros(0, *shape).double(), *(value.reshape(-1, *shape) for value in fitting)])


def stands_in(value: Tensor, parts: Tensor) -> bool:
    near = torch.isclose(parts, value, rtol=1e-9, atol=1e-12)
    return bool(near.reshape(len(parts), math.prod(value.shape)).all(dim=1).any())


def is_distance(value: Tensor, runs: list[Run]) -> bool:
    """Whether it is how far two runs lie apart in what they are given, as when one entry was nudged up and down."""
    ups = [run for run in runs if run.data["name"].endswith(".up")]
    for up in ups:
        down = next(run for run in runs if run.data["name"] == up.data["name"][: -len("up")] + "down")
        for id, step in up.steps.items():
            if step["kind"] == "leaf" and id in down.judged and up.judged[id].is_floating_point():
                apart = (up.judged[id] - down.judged[id]).flatten()
                if value.ndim == 0 and any(agree(value, one) for one in apart[apart != 0]):
                    return True
    return False
