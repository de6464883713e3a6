"""Edits as they stand in an address: `W_Q[0][1]=0.3` changes a number, `input=A C` a text, `model.mask=causal` a
setting.

Numbers are changed by a replay, which computes just what depends on them. Texts and settings change what is computed,
so they make a new run.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy

from ...engine.arrays import Index, brackets, is_float
from ...engine.errors import InputError
from ...explain.step_view import StepView
from ...explain.trace import Trace
from ...practice.answers.matrix import read_matrix
from ...practice.answers.number import read_number
from ...scenarios.reading.plan import ExamplePlan, ModelPlan, Plan
from ...scenarios.running.building import texts_of
from ..errors import LabError

MOST = 200
EDITABLE = ("given", "parameter", "random")  # the steps that come from nothing else
TEXTS = ("input", "target")
SETTINGS = re.compile(r"(model|train)\.[a-z_]+")
PLACE = re.compile(r"((?P<run>[\w.-]+):)?(?P<name>[^\[\]=]+)(?P<index>(\[\d{1,6}\])*)")
LONGEST = 60  # characters of an edit that an error repeats

# What can be edited where a model is written out, with its choices; with none, a number is written.
OF_MODEL: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "model.mask": ("none", "causal"),
        "model.norm": ("none", "layer", "rms"),
        "model.residual": ("all", "none", "attention", "feed_forward"),
        "model.position": ("none", "interleaved", "concatenated", "learned"),
    }
)
OF_DRAWN_WEIGHTS: Mapping[str, tuple[str, ...]] = MappingProxyType({"model.heads": (), "model.layers": ()})
OF_TRAINING: Mapping[str, tuple[str, ...]] = MappingProxyType({"train.learning_rate": (), "train.steps": ()})


@dataclass(frozen=True)
class Edit:
    """One edit. `name` is a step, a text (`input`) or a setting (`model.mask`); what has an index is a step. With a
    `run` it changes a number of a whole lesson: in that run, and wherever else it stands.
    """

    text: str
    name: str
    index: Index
    value: str
    run: str = ""

    @property
    def label(self) -> str:
        return (self.run and f"{self.run}:") + self.name + brackets(self.index)

    @property
    def is_number(self) -> bool:
        return bool(self.index or self.run) or (self.name not in TEXTS and not SETTINGS.fullmatch(self.name))


def read_edits(texts: Iterable[str]) -> tuple[Edit, ...]:
    """The edits in their order; of two in the same place only the last one counts.

    >>> [edit.label for edit in read_edits(["W_Q[0][1]=0.3", "model.mask=causal"])]
    ['W_Q[0][1]', 'model.mask']
    """
    edits: dict[str, Edit] = {}
    for text in texts:
        edit = _read(text)
        edits.pop(edit.label, None)
        edits[edit.label] = edit
    if len(edits) > MOST:
        raise LabError(
            f"There are {len(edits)} edits, and the lab takes up to {MOST}.",
            hint="Write the changes into a scenario of your own.",
        )
    return tuple(edits.values())


def _read(text: str) -> Edit:
    place, equals, value = text.partition("=")
    found = PLACE.fullmatch(place.strip())
    if found is None or not equals or not value.strip():
        raise LabError(
            f"The edit {text[:LONGEST]} cannot be read.",
            hint="Write it as `W_Q[0][1]=0.3`, `W_Q=0.1 0; 0 0.2`, `input=A B` or `model.mask=causal`.",
        )
    index = tuple(int(number) for number in re.findall(r"\d+", found["index"]))
    return Edit(text, found["name"], index, value.strip(), found["run"] or "")


# -- settings and texts: a new run -----------------------------------------------------------------


def settings_of(plan: Plan) -> dict[str, tuple[str, ...]]:
    """The settings of a run that can be edited, each with its choices."""
    found: dict[str, tuple[str, ...]] = {}
    if plan.examples:
        found |= {"input": ()}
        if isinstance(plan.examples[0].target, str):
            found |= {"target": plan.vocabulary.tokens if plan.vocabulary else ()}
    if plan.model is not None:
        found |= OF_MODEL
        if not plan.parameters.values:  # what is given is given for these sizes
            found |= OF_DRAWN_WEIGHTS
    if plan.train is not None:
        found |= OF_TRAINING
    return found


def setting_now(plan: Plan, key: str) -> str:
    """What a setting is, as it would be written.

    >>> from workings.scenarios.scenario import scenario
    >>> setting_now(scenario("example-2").plan(), "input"), setting_now(scenario("example-2").plan(), "model.mask")
    ('A B', 'none')
    """
    if key in TEXTS:
        text = getattr(plan.examples[0], key)
        return text if isinstance(text, str) else " ".join(map(str, text))
    part, _, name = key.partition(".")
    value = getattr(getattr(plan, part), name)
    if value is None and key == "model.mask" and isinstance(plan.model, ModelPlan):
        return "causal" if plan.model.kind == "decoder" else "none"
    return str(value)


def changes_of(edits: Iterable[Edit], plan: Plan) -> str:
    """The edits of texts and settings as keys of a scenario, to be laid over the run; empty if there are none."""
    keys: dict[str, dict[str, Any]] = {}
    example: dict[str, str] = {}
    known = settings_of(plan)
    for edit in edits:
        if edit.name in TEXTS and not plan.examples:
            raise LabError(
                f"This scenario has no text whose {edit.name} could be edited.",
                hint="Edit a number instead, or write a scenario of your own.",
            )
        if edit.name not in known:
            raise no_setting(edit.name, known)
        if edit.name in TEXTS:
            example[edit.name] = _words(edit.value, plan)
        else:
            part, _, name = edit.name.partition(".")
            keys.setdefault(part, {})[name] = edit.value if known[edit.name] else _number(edit)
    if example:
        first, *rest = map(_example_data, plan.examples)
        keys["data"] = [first | example, *rest]  # type: ignore[assignment]
    return json.dumps(keys) if keys else ""  # which is YAML too, and every sign in it is quoted


def _words(text: str, plan: Plan) -> str:
    """A text; a number that is no word of the vocabulary is that of one."""
    vocabulary = texts_of(plan).vocabulary
    if vocabulary is None or text in vocabulary.entries or not text.isdecimal() or int(text) >= len(vocabulary):
        return text
    return vocabulary.entries[int(text)]


def _example_data(example: ExamplePlan) -> dict[str, Any]:
    fields = {"input": example.input, "target": example.target, "decoder": example.decoder}
    return {
        key: list(value) if isinstance(value, tuple) else value for key, value in fields.items() if value is not None
    }


def _number(edit: Edit) -> float | int:
    value = float(_numbers(edit.value, ()))
    if not math.isfinite(value):
        raise _no_number(edit)
    return int(value) if value.is_integer() else value


# -- numbers: a replay -----------------------------------------------------------------------------


def values_of(edits: Iterable[Edit], trace: Trace) -> dict[str, Any]:
    """The whole arrays that the edits of numbers give, by the path of their step.

    >>> from workings.scenarios.scenario import scenario
    >>> trace = scenario("example-1").trace()
    >>> values_of(read_edits(["W_Q[0][1]=0.3"]), trace)
    {'block1.attention.W_Q': array([[0.1, 0.3],
           [0. , 0.1]])}
    """
    values: dict[str, Any] = {}
    for edit in edits:
        view = trace[edit.name]
        array = values.setdefault(view.path, numpy.array(view.value))
        _put(array, edit, view)
    return values


def _put(array: Any, edit: Edit, view: StepView) -> None:
    shape = "×".join(map(str, view.shape)) or "1"
    if len(edit.index) > array.ndim or any(n >= size for n, size in zip(edit.index, array.shape, strict=False)):
        raise LabError(
            f"{edit.name} has the shape {shape}: there is no {brackets(edit.index)}.",
            hint="Positions are counted from 0, row first.",
        )
    wanted = array.shape[len(edit.index) :]
    given = _numbers(edit.value, wanted)
    if given.size != int(numpy.prod(wanted)) or (given.shape != wanted and given.squeeze().shape != wanted):
        raise LabError(
            f"{edit.label} has the shape {shape}, and the edit gives {'×'.join(map(str, given.shape)) or '1'}.",
            hint="Give one number for one entry, a row for a row, or the whole matrix.",
        )
    if not numpy.all(numpy.isfinite(given)):
        raise _no_number(edit)
    if not is_float(array):
        _check_ids(given, edit, view)
    array[edit.index] = given.reshape(wanted)


def _numbers(text: str, shape: tuple[int, ...]) -> Any:
    """What is written for one entry is one number; else it is a row or a matrix."""
    if shape:
        return read_matrix(text, shape).array
    try:
        number = read_number(text)
    except InputError:  # whose sentence speaks of blanks, of which there are none here
        number = None
    return numpy.asarray(numpy.nan if number is None else number.value)


def _check_ids(given: Any, edit: Edit, view: StepView) -> None:
    """The numbers of tokens are rows of the tables that they choose from, those of labels places along an axis."""
    recording = view.recording
    chosen_from = [
        recording.step(reader.inputs[0]).form.shape[0 if reader.op_name == "lookup" else -1]
        for reader in recording.steps.values()
        if view.id in reader.inputs[1:] and recording.step(reader.inputs[0]).form.shape
    ]
    last = min(chosen_from, default=int(numpy.max(view.value)) + 1) - 1
    if not numpy.all((given == numpy.floor(given)) & (given >= 0) & (given <= last)):
        raise LabError(
            f"{edit.name} holds the numbers of tokens: {edit.value[:LONGEST]} is none of them.",
            hint=f"Give a whole number from 0 to {last}, or edit the text: `input=A B`.",
        )


def no_setting(name: str, known: Iterable[str]) -> LabError:
    return LabError(
        f"{name[:LONGEST]} is not a setting that can be changed here.",
        hint=f"Settings of this scenario: {', '.join(known) or '-'}.",
    )


def _no_number(edit: Edit) -> LabError:
    return LabError(
        f"This must be a finite number, not {edit.value[:LONGEST]}.",
        hint="Give a decimal or a fraction, such as 0.25 or 1/4.",
    )
