"""Rebuilding a recording from the steps of a trace file. Damaged parts are refused with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, get_args

from .arithmetic import Float, Kind, arithmetic
from .arrays import Array, freeze, lies_in_rows, private
from .compiled_recording import CompiledRecording
from .context import Context, within
from .errors import TraceFileError, WorkingsError, did_you_mean
from .form import Form, form_of
from .in_rule import find_mistake
from .op import OPS, Op, Stage
from .page import Mistake
from .recording import Recording
from .steps import GroupRecord, Step
from .tensor import LEAF_KINDS, Tensor
from .trace_data import LIMIT

# What can go wrong while a row of unknown content is taken apart.
DAMAGE = (KeyError, TypeError, ValueError, AttributeError, IndexError, OverflowError, RecursionError, MemoryError)

WORD, WORDS, PERHAPS = (str,), (list,), (str, type(None))
FIELDS: dict[str, tuple[type, ...]] = {
    "id": WORD, "name": WORD, "aliases": WORDS, "path": WORD, "op": WORD, "kind": WORD, "pass": WORD,
    "inputs": WORDS, "settings": (dict,), "axes": WORDS, "shape": (list,), "dtype": WORD, "twin": PERHAPS,
    "group": PERHAPS,
}  # fmt: skip
INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")
DTYPES = ("bool", "float16", "float32", "float64", *INTEGERS)


def from_steps_data(
    rows: Any, xp: Any, precision: str = "float64", values: Mapping[str, Array] | None = None
) -> Recording:
    """Rebuild a recording from `steps_data`, with arrays of the library `xp`."""
    if not isinstance(rows, list):
        raise not_a_trace("there is no list of steps")
    reader = _Reader(CompiledRecording(arithmetic=arithmetic(precision)), xp, values or {})
    for adopt, is_group in ((reader.adopt_step, False), (reader.adopt_group, True)):
        for row in rows:
            id = row.get("id", "?") if isinstance(row, dict) else "?"
            try:
                _refuse_wrong_types(row)
                if (row["kind"] == "group") is is_group:
                    adopt(row)
            except DAMAGE as error:
                raise not_a_trace(f"step {id} cannot be read ({type(error).__name__}: {error})") from None
            except WorkingsError as error:
                error.where = error.where or f"step {id}"
                raise
    reader.refuse_dangling()
    return reader.recording


def computed(recording: Recording, step: Step) -> Array:
    """What the op of a step gives for the values that its inputs have."""
    tensors = recording.input_tensors(step)
    with within(Context(recording.arithmetic)):
        if isinstance(step.op, Op):
            return recording.compute(step.op, step.op.tensors(tensors), step.op.complete(step.settings)).array
        assert step.op is not None
        return step.op.run(tensors, step.settings).array


def not_a_trace(reason: str) -> TraceFileError:
    return TraceFileError(
        f"This is not a trace: {reason}.",
        hint="Write one with trace.to_json() or `--format json`, and read the whole file.",
    )


def _dangling(id: str, missing: str) -> TraceFileError:
    return TraceFileError(
        f"Step {id} refers to {missing}, which is not there, or comes later.",
        hint="Write the whole trace again: every step that it refers to must be in it.",
    )


def _refuse_wrong_types(row: Any) -> None:
    for field, types in FIELDS.items():
        if not isinstance(row[field], types):
            raise TypeError(f"'{field}' is a {type(row[field]).__name__}")
        if types is WORDS and not all(isinstance(word, str) for word in row[field]):
            raise TypeError(f"'{field}' must contain words")
    for field, choices in (("kind", get_args(Kind)), ("pass", get_args(Stage))):
        if row[field] not in choices:
            raise ValueError(f"'{field}' is '{row[field]}'")
    if not all(type(size) is int and size >= 0 for size in row["shape"]):
        raise ValueError("'shape' must contain sizes")


class _Reader:
    def __init__(self, recording: Recording, xp: Any, values: Mapping[str, Array]) -> None:
        self.recording = recording
        self.xp = xp
        self.values = values

    def adopt_step(self, row: dict[str, Any]) -> None:
        id, inputs, read_as = self._place(row)
        if row["path"] in self.recording.paths:
            raise ValueError(f"the path '{row['path']}' is there twice")
        form = _form(row["axes"], tuple(row["shape"]), row.get("kept"))
        leaf = row["op"] if row["op"] in LEAF_KINDS else None
        tensor = Tensor(None, form, name=row["name"], leaf=leaf or "given")
        step = Step(id, None if leaf else _any_op(row), inputs, _settings(row), tensor, row["name"], row["path"])
        step.stage, step.named = row["pass"], bool(row.get("named", True))
        step.leaf, step.twin, step.group, step.read_as = leaf, row["twin"], row["group"], read_as
        if "made_as" in row:
            step.made_as = _form(row["made_as"][0], form.shape, row["made_as"][1])
        if step.kind != row["kind"]:
            raise ValueError(f"'{row['op']}' is no {row['kind']}")
        self._refuse_misfit(step)
        tensor.array = freeze(self._array(step, row))
        self.recording.adopt(step)

    def adopt_group(self, row: dict[str, Any]) -> None:
        id, inputs, read_as = self._place(row)
        op, rule = _op(row), row.get("rule", {})
        if (op.kind == "group") is bool(rule):
            raise ValueError(f"'{row['op']}' is no group, or has no rule")
        if not isinstance(row["result"], str) or not isinstance(rule.get("of", ""), str):
            raise TypeError("'result' and 'rule' must name steps")
        settings = op.complete(_settings(row))
        group = GroupRecord(id, op, row["name"], row["path"], inputs, settings, row["pass"])
        group.result, group.group, group.read_as = row["result"], row["group"], read_as
        group.rule_of, group.slot = rule.get("of"), int(rule.get("slot", 0))
        if not rule:
            op.tensors(self.recording.input_tensors(group))
        self.recording.adopt_group(group)

    def _place(self, row: dict[str, Any]) -> tuple[str, tuple[str, ...], dict[int, Form]]:
        """The id of a row, its inputs, and under which words it reads them."""
        id, inputs, steps = row["id"], tuple(row["inputs"]), self.recording.steps
        if id != str(int(id)) or int(id) < 1 or id in steps or id in self.recording.groups:
            raise ValueError(f"'{id}' is no id, or is there twice")
        for input in inputs:
            if input not in steps:
                raise TraceFileError(
                    f"Step {id} is fed by {input}, which comes later.",
                    hint="In a trace every step comes after its inputs.",
                )
        read_as = {}
        for slot, (axes, kept) in row.get("read_as", {}).items():
            read_as[int(slot)] = _form(axes, steps[inputs[int(slot)]].form.shape, kept)
        return id, inputs, read_as

    def _refuse_misfit(self, step: Step) -> None:
        """Refuse inputs, settings and a shape that do not belong to the op."""
        if step.op is None:
            return
        tensors = self.recording.input_tensors(step)
        if isinstance(step.op, Mistake):
            OPS[step.op.page].complete({key: value for key, value in step.settings.items() if key != "which"})
            if len(step.op.slot_names(len(tensors))) != len(tensors):
                raise ValueError(f"{len(tensors)} inputs are not those of {step.op.id}")
            return
        op, step.settings = step.op, step.op.complete(step.settings)
        forms = tuple(tensor.form for tensor in op.tensors(tensors))
        if op.kind == "primitive" and op.laid_out(forms, step.settings).form.shape != step.form.shape:
            raise ValueError(f"{op.name} does not give the shape {step.form.shape}")

    def _array(self, step: Step, row: dict[str, Any]) -> Array:
        if row["dtype"] not in DTYPES:
            raise ValueError(f"'dtype' is '{row['dtype']}'")
        given = self.values.get(step.path, row["value"])
        if given is not None:
            whole = row["dtype"] in INTEGERS
            numbers = given if step.path in self.values else numbers_of(given, whole)
            array = private(self.xp.asarray(numbers, dtype=getattr(self.xp, row["dtype"])))
            array = self._as_computed(step, array)
        elif step.op is not None:  # left out for its size
            array = computed(self.recording, step)
        else:
            raise TraceFileError(
                f"Step {step.id} is a leaf without a value.",
                hint=f"Arrays above {LIMIT:,} entries are left out of the JSON: give them as values={{path: array}}.",
            )
        if tuple(array.shape) != step.form.shape:
            raise ValueError(f"the value has the shape {tuple(array.shape)}, not {step.form.shape}")
        return array

    def _as_computed(self, step: Step, array: Array) -> Array:
        """A value that was no plain rows in memory, as after transposing, is so again: only then a replay
        that uses it gives the same bits.
        """
        if step.op is None or type(self.recording.arithmetic) is not Float:
            return array
        turned = not all(lies_in_rows(tensor.array) for tensor in self.recording.input_tensors(step))
        if not (turned or getattr(step.op, "view", False)):
            return array
        again = computed(self.recording, step)
        return again if again.shape == array.shape and bool(self.xp.all(again == array)) else array

    def refuse_dangling(self) -> None:
        """Refuse names of steps and groups that are not there."""
        steps, groups = self.recording.steps, self.recording.groups
        for step in steps.values():
            if step.twin is not None and step.twin not in steps:
                raise _dangling(step.id, step.twin)
        for group in groups.values():
            for id in (group.result, *([group.rule_of] if group.rule_of else [])):
                if id not in steps:
                    raise _dangling(group.id, id)
            if group.rule_of and not (len(group.inputs) == 1 and 0 <= group.slot < len(steps[group.rule_of].inputs)):
                raise not_a_trace(f"the rule of group {group.id} does not fit its step")
        members: list[Step | GroupRecord] = [*steps.values(), *groups.values()]
        for member in members:
            outer = member.group
            # A group counts before its members, so that none can lie in itself.
            if outer is not None and not (outer in groups and int(outer) < int(member.id)):
                raise _dangling(member.id, outer)


def _form(axes: Any, shape: tuple[int, ...], kept: Any) -> Form:
    kept = tuple(kept) if kept is not None else (False,) * len(shape)
    if len(kept) != len(shape) or not all(isinstance(flag, bool) for flag in kept):
        raise ValueError(f"'kept' is {kept}")
    if not all(isinstance(word, str) for word in axes):
        raise TypeError("axes must be words")
    return Form(form_of(tuple(axes), shape).axes, shape, kept)


def _settings(row: dict[str, Any]) -> dict[str, Any]:
    return {key: tuple(item) if isinstance(item, list) else item for key, item in row["settings"].items()}


def numbers_of(value: Any, whole: bool) -> Any:
    """Nested lists of numbers, in which "inf", "-inf" and "nan" are numbers too."""
    if isinstance(value, list):
        return [numbers_of(item, whole) for item in value]
    if isinstance(value, str) and value in ("inf", "-inf", "nan") and not whole:
        return float(value)
    if not isinstance(value, int if whole else int | float):
        raise TypeError(f"{value!r} is no number of this type")
    return value


def _op(row: dict[str, Any]) -> Op:
    if row["op"] not in OPS:
        raise TraceFileError(
            f"Step {row['id']} uses the op '{row['op']}', which is not known here.",
            hint=f"{did_you_mean(row['op'], OPS)}It may come from a newer version.",
        )
    return OPS[row["op"]]


def _any_op(row: dict[str, Any]) -> Op | Mistake:
    page, dot, mistake = row["op"].partition(".")
    found = find_mistake(OPS[page], mistake) if dot and page in OPS else None
    return found or _op(row)
