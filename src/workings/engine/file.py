"""A trace as JSON data, and back. The rebuilt recording needs no model and replays to the same bits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, cast

from .arithmetic import arithmetic
from .arrays import Array, dtype_name, freeze
from .errors import TraceFileError, WorkingsError
from .form import Broadcast, Form
from .leaves import LEAF_KINDS
from .op import Op
from .page import Mistake
from .recording import Recording
from .registry import OPS, nearest
from .steps import GroupRecord, Step
from .tensor import Tensor
from .trace_data import BroadcastData, StepData

LIMIT = 10_000  # entries of an array that are still written into the JSON
CORNER = 8  # of a larger one: so many positions of each axis are shown


def steps_data(recording: Recording) -> list[StepData]:
    """Every step and group of a recording, in the order of their ids."""
    rows = [_step_data(recording, step) for step in recording.steps.values()]
    rows += [_group_data(recording, group) for group in recording.groups.values()]
    return sorted(rows, key=lambda row: int(row["id"]))


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
        "formula": step.op.page.formula if isinstance(step.op, Op) else "",
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


def _group_data(recording: Recording, group: GroupRecord) -> StepData:
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
        "formula": rule.latex if rule else group.op.page.formula,
        "twin": None,
        "inside": [step.id for step in recording.members(group)],
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


def from_steps_data(
    rows: Any, xp: Any, precision: str = "float64", values: Mapping[str, Array] | None = None
) -> Recording:
    """Rebuild a recording from `steps_data`, with arrays of the library `xp`."""
    if not isinstance(rows, list):
        raise TraceFileError("file.json", reason="there is no list of steps")
    recording = Recording(arithmetic=arithmetic(precision))
    for row in rows:
        try:
            _adopt(recording, row, xp, values or {})
        except (KeyError, TypeError, ValueError, AttributeError, IndexError) as error:
            id = row.get("id", "?") if isinstance(row, dict) else "?"
            reason = f"step {id} cannot be read ({type(error).__name__}: {error})"
            raise TraceFileError("file.json", reason=reason) from None
    _refuse_dangling(recording)
    return recording


def _adopt(recording: Recording, row: dict[str, Any], xp: Any, values: Mapping[str, Array]) -> None:
    settings = {key: tuple(item) if isinstance(item, list) else item for key, item in row["settings"].items()}
    id, inputs = str(int(row["id"])), tuple(row["inputs"])
    for input in inputs:
        if input not in recording.steps:
            raise TraceFileError("file.cycle", id=id, input=input)
    read_as = {
        int(slot): Form(tuple(axes), recording.steps[inputs[int(slot)]].form.shape, tuple(kept))
        for slot, (axes, kept) in row.get("read_as", {}).items()
    }
    if row["kind"] == "group":
        rule = row.get("rule", {})
        group = GroupRecord(id, _op(row), row["name"], row["path"], inputs, settings, row["pass"])
        group.result = row["result"]
        group.group, group.rule_of, group.slot = row["group"], rule.get("of"), int(rule.get("slot", 0))
        group.read_as = read_as
        recording.adopt_group(group)
        return
    shape = tuple(row["shape"])
    form = Form(tuple(row["axes"]), shape, tuple(row.get("kept", [False] * len(shape))))
    leaf = row["op"] if row["op"] in LEAF_KINDS else None
    tensor = Tensor(None, form, name=row["name"], leaf=leaf or "given")
    step = Step(id, None if leaf else _any_op(row), inputs, settings, tensor, row["name"], row["path"])
    step.stage, step.named = row["pass"], row.get("named", True)
    step.leaf, step.twin, step.group, step.read_as = leaf, row["twin"], row["group"], read_as
    if "made_as" in row:
        step.made_as = Form(tuple(row["made_as"][0]), shape, tuple(row["made_as"][1]))
    tensor.array = freeze(_array(recording, step, row, xp, values))
    recording.adopt(step)


def _array(recording: Recording, step: Step, row: dict[str, Any], xp: Any, values: Mapping[str, Array]) -> Array:
    if step.id in values:
        array = xp.asarray(values[step.id])
    elif row["value"] is not None:
        array = xp.asarray(_numbers(row["value"]), dtype=getattr(xp, row["dtype"]))
    elif isinstance(step.op, Op):  # left out for its size: compute it again
        array = recording.compute(step.op, recording.input_tensors(step), step.op.complete(step.settings)).array
    else:
        raise TraceFileError("file.value", id=step.id, limit=f"{LIMIT:,}")
    if tuple(array.shape) != step.form.shape:
        reason = f"step {step.id} has the shape {tuple(array.shape)}, not {step.form.shape}"
        raise TraceFileError("file.json", reason=reason)
    return array


def _numbers(value: Any) -> Any:
    if isinstance(value, list):
        return [_numbers(item) for item in value]
    return float(value) if isinstance(value, str) else value


def _op(row: dict[str, Any]) -> Op:
    if row["op"] not in OPS:
        raise TraceFileError("file.op", id=row["id"], op=row["op"], nearest=nearest(row["op"], OPS))
    return OPS[row["op"]]


def _any_op(row: dict[str, Any]) -> Op | Mistake:
    page, dot, mistake = row["op"].partition(".")
    if dot and page in OPS and mistake in OPS[page].page.mistakes:
        return OPS[page].page.mistakes[mistake]
    return _op(row)


def _refuse_dangling(recording: Recording) -> None:
    for group in recording.groups.values():
        for id in (*group.inputs, group.result, *([group.rule_of] if group.rule_of else [])):
            if id not in recording.steps:
                raise TraceFileError("file.json", reason=f"group {group.id} names the step {id}, which is not there")


def read_rows(data: Any) -> list[StepData]:
    """The steps of the first run in a trace file."""
    try:
        return cast(list[StepData], data["runs"][0]["steps"])
    except (KeyError, TypeError, IndexError):
        raise TraceFileError("file.json", reason="there are no runs with steps in it") from None


def precision_of(data: Any) -> str:
    try:
        return str(data["runs"][0]["precision"])
    except (KeyError, TypeError, IndexError, WorkingsError):
        raise TraceFileError("file.json", reason="it does not say its precision") from None
