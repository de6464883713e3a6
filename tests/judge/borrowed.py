"""What the small runs beside a lesson start from: entries of its other runs, and no number that somebody typed.

Each leaf says in an alias where it was taken: `after:12[2]` is entry 2 of step 12 of the run `after`. Only constants,
which belong to the calculation, are taken from nowhere; the one of a slope is how far its two runs lie apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import torch
from torch import Tensor

from .digits import keyed_in
from .evaluate import StepJson, agree, as_tensor
from .runs import NotThereError, Run, Runs

BESIDE = re.compile(r"measured|(?P<nudge>.*)\.slope")  # runs that only work with numbers of others
ORIGIN = re.compile(r"(?P<step>.+?)(?P<index>(?:\[\d+\])*)")


def strangers(runs: Runs) -> Iterator[str]:
    """Leaves of these runs that are not what stands in the place that they name."""
    for name, run in runs.runs.items():
        beside = BESIDE.fullmatch(name)
        for step in run.steps.values() if beside else ():
            if step["kind"] == "leaf":
                reason = fault(step, run, runs, beside["nudge"])
                if reason:
                    yield f"{name}: {step['path']} = {step['value']}: {reason}"


def fault(leaf: StepJson, run: Run, runs: Runs, nudge: str | None) -> str:
    if leaf["op"] == "constant":
        is_known = nudge is None or is_distance(kept(run, leaf), runs.runs[f"{nudge}.up"], runs.runs[f"{nudge}.down"])
        return "" if is_known else "the two runs lie not so far apart"
    if not leaf["aliases"]:
        return "it does not say where it was taken"
    for origin in leaf["aliases"]:
        try:
            source = taken(origin, runs)
        except (NotThereError, IndexError):
            return f"there is no {origin}"
        if not same_as_written(kept(run, leaf), source, run.precision):
            return f"{origin} is {source.tolist()}"
    return ""


def taken(origin: str, runs: Runs) -> Tensor:
    """The entry, the row or the whole of a step that an alias names."""
    if ":" not in origin:
        raise NotThereError(origin)
    run, rest = runs.named(origin)
    found = ORIGIN.fullmatch(rest)
    if found is None or found["step"] not in run.steps:
        raise NotThereError(origin)
    index = tuple(int(place) for place in re.findall(r"\d+", found["index"]))
    return kept(run, run.steps[found["step"]])[index]


def kept(run: Run, step: StepJson) -> Tensor:
    """A value as its run has it."""
    step = run.steps[step.get("result", step["id"])]
    whole: Any = step["value"] if step["value"] is not None else (run.values or {})[step["path"]]
    return as_tensor(whole, step["dtype"])


def same_as_written(value: Tensor, source: Tensor, precision: str) -> bool:
    """Whether a value is just what its source becomes in the precision of the run that takes it."""
    if value.shape != source.shape:
        return False
    if precision == "float32":
        value, source = value.float(), source.float()
    if precision.startswith("calculator") and source.is_floating_point():
        rounded = [float(keyed_in(number, precision)) for number in source.flatten().tolist()]
        source = torch.tensor(rounded).double().reshape(source.shape)
    return torch.equal(value.nan_to_num(nan=7e300), source.nan_to_num(nan=7e300))


def is_distance(value: Tensor, up: Run, down: Run) -> bool:
    """Whether it is how far two runs lie apart in the one entry that was nudged."""
    leaves = [id for id, step in up.steps.items() if step["kind"] == "leaf" and "float" in step["dtype"]]
    apart = torch.cat([(kept(up, up.steps[id]) - kept(down, down.steps[id])).flatten() for id in leaves])
    nudged = apart[apart != 0]
    return len(nudged) == 1 and agree(value, nudged[0])
