"""A trace as JSON data, and back. The rebuilt recording needs no model and replays to the same bits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from .arrays import Array, dtype_name
from .file_reading import from_steps_data, not_a_trace
from .form import Broadcast
from .op import Op
from .recording import Recording
from .steps import GroupRecord, Step
from .trace_data import LIMIT, BroadcastData, StepData

__all__ = [
    "CORNER", "LIMIT", "convention_of", "from_steps_data", "history_of", "nested", "plain", "precision_of", "read_rows",
    "seed_of", "steps_data", "with_inside",
]  # fmt: skip

CORNER = 8  # of an array that is left out for its size: so many positions of each axis are shown


def steps_data(recording: Recording) -> list[StepData]:
    """Every step and group of a recording, in the order of their ids; but no step before what feeds it."""
    places: dict[str, int] = {}
    last = 0
    for id in recording.steps:  # new wires may have turned the order round
        places[id] = last = max(last, int(id))
    members: dict[str, list[str]] = {id: [] for id in recording.groups}
    for step in recording.steps.values():
        group = step.group
        while group is not None:
            members[group].append(step.id)
            group = recording.groups[group].group
    rows = [_step_data(recording, step) for step in recording.steps.values()]
    rows += [_group_data(recording, group, members[group.id]) for group in recording.groups.values()]
    return sorted(rows, key=lambda row: places.get(row["id"], int(row["id"])))


def with_inside(rows: list[StepData], composite: str, opened: Recording) -> list[StepData]:
    """The rows with those of the steps inside a composite behind its own, which lists them."""
    inner = [_step_data(opened, step) for step in opened.steps.values()]
    whole: list[StepData] = []
    for row in rows:
        whole.append(row)
        if row["id"] == composite:
            row["inside"] = [step["id"] for step in inner]
            whole += inner
    return whole


def _step_data(recording: Recording, step: Step) -> StepData:
    array = recording.value(step.id)
    size = math.prod(step.form.shape)
    data: StepData = {
        "id": step.id,
        "name": step.name,
        "aliases": [],
        "path": step.path,
        "op": step.op_name,
        "kind": step.kind,
        "pass": step.stage,
        "inputs": list(step.inputs),
        "settings": plain(step.settings),
        "axes": list(step.form.axes),
        "shape": list(step.form.shape),
        "dtype": dtype_name(array),
        "value": plain(nested(array)) if size <= LIMIT else None,
        "formula": step.op.page.formula_for(step.settings) if isinstance(step.op, Op) else "",
        "twin": step.twin,
        "inside": [],
        "group": step.group,
        "broadcast": [_broadcast_data(note) for note in recording.broadcast(step)],
    }
    if size > LIMIT:
        corner = tuple(slice(0, CORNER) for _ in step.form.shape)
        data["window"] = plain(nested(array[corner]))
    if any(step.form.kept):
        data["kept"] = list(step.form.kept)
    if step.read_as:
        data["read_as"] = _read_as_data(step)
    if not step.named:
        data["named"] = False
    if step.made_as is not None:
        data["made_as"] = [list(step.made_as.axes), list(step.made_as.kept)]
    return data


def _broadcast_data(note: Broadcast) -> BroadcastData:
    return {"input": note.input, "axis": note.axis, "position": note.position, "times": note.times}


def _read_as_data(step: Step | GroupRecord) -> dict[str, list[Any]]:
    return {str(slot): [list(form.axes), list(form.kept)] for slot, form in step.read_as.items()}


def _group_data(recording: Recording, group: GroupRecord, members: list[str]) -> StepData:
    form = recording.step(group.result).form
    rule = group.op.page.rules.get(group.op.input_name(group.slot)) if group.rule_of else None
    data: StepData = {
        "id": group.id,
        "name": group.name,
        "aliases": [],
        "path": group.path,
        "op": group.op.name,
        "kind": "group",
        "pass": group.stage,
        "inputs": list(group.inputs),
        "settings": plain(group.settings),
        "axes": list(form.axes),
        "shape": list(form.shape),
        "dtype": dtype_name(recording.value(group.result)),
        "value": None,
        "formula": rule.latex_for(group.settings) if rule else group.op.page.formula_for(group.settings),
        "twin": None,
        "inside": members,
        "group": group.group,
        "broadcast": [],
        "result": group.result,
    }
    if group.rule_of:
        data["rule"] = {"of": group.rule_of, "slot": group.slot}
    if group.read_as:
        data["read_as"] = _read_as_data(group)
    return data


def plain(value: Any) -> Any:
    """Data that JSON can hold: non-finite numbers become words.

    >>> plain({"mask": (0.0, float("-inf"))})
    {'mask': [0.0, '-inf']}
    """
    if isinstance(value, Mapping):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return str(value)
    return value


def nested(array: Array) -> Any:
    """An array as nested lists of Python numbers."""
    if hasattr(array, "tolist"):
        return array.tolist()
    return [nested(array[n]) for n in range(array.shape[0])] if array.ndim else float(array)


def read_rows(data: Any) -> list[StepData]:
    """The steps of the first run in a trace file, without those inside a composite: they can be made again."""
    try:
        rows = data["runs"][0]["steps"]
    except (KeyError, TypeError, IndexError):
        raise not_a_trace("there are no runs with steps in it") from None
    if isinstance(rows, list):
        rows = [row for row in rows if not (isinstance(row, dict) and "." in str(row.get("id")))]
    return cast(list[StepData], rows)


def convention_of(data: Any) -> dict[str, Any]:
    """The choices of the convention that the run follows; none, if it follows none."""
    choices = data["runs"][0].get("convention") or {}
    if not isinstance(choices, dict) or not all(isinstance(field, str) for field in choices):
        raise not_a_trace("its convention is not a list of choices")
    return choices


def precision_of(data: Any) -> str:
    try:
        return str(data["runs"][0]["precision"])
    except (KeyError, TypeError, IndexError):
        raise not_a_trace("it does not say its precision") from None


def seed_of(data: Any) -> int | None:
    """The seed of the drawn weights, if there is one."""
    seed = data["runs"][0].get("seed")
    if seed is not None and type(seed) is not int:
        raise not_a_trace("its seed is not a whole number")
    return seed


def history_of(data: Any) -> dict[str, tuple[float, ...]]:
    """What a run followed from step to step, by name."""
    try:
        return {
            str(row["name"]): tuple(float(value) for value in row["value"])
            for row in data["runs"][0].get("history", [])
        }
    except (KeyError, TypeError, ValueError, AttributeError):
        raise not_a_trace("its history cannot be read") from None
