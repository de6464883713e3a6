"""`workings op`: reading an op's inputs and settings off the command line."""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Any

import numpy

from ..conventions import convention, settings_from
from ..document.blocks import Document, Link, Table, Words
from ..engine.compiled_recording import CompiledRecording
from ..engine.errors import InputError, did_you_mean
from ..engine.op import OPS, Op, find_op, first_of
from ..engine.page import Example, Values
from ..engine.tensor import Tensor
from ..ops.given import given, ids
from .numbers import read_matrix, read_setting
from .options import missing_value, named_values

# A cotangent for those who give none. All ones would hide much: the gradient of a softmax is then 0.
COTANGENT = (0.3, -0.7, 0.2, 0.5, 0.1, -0.6, 0.4, -0.2)


@dataclass(frozen=True)
class OpCall:
    op: Op
    inputs: list[Tensor]
    settings: dict[str, Any]
    cotangent: Any


def op_list() -> Document:
    """All pages with what they do."""
    rows = []
    for name, op in sorted(OPS.items()):
        rows.append(((Link(name, ""),), (Words(op.page.summary),)))
    return Document("Op pages", (Table(("op", "what it does"), tuple(rows)),))


def op_call(name: str, words: list[str], profile: str | None = None) -> OpCall:
    """The call that the words `--x "1 2" --axis key` describe; what is left out comes from the convention, if one
    is named, or else from the page's example.
    """
    op = find_op(name)
    followed = _followed(op, profile) if profile is not None else {}
    example = op.page.example
    names = _input_names(op, words)
    options = _options(op, names, words)
    given_inputs = {key: options[key] for key in names if key in options}
    inputs = _inputs(op, names, given_inputs)
    settings = {**(example.settings if not given_inputs else {}), **followed}
    settings |= {key: read_setting(options[key]) for key in op.page.settings if key in options}
    for key in op.page.settings:  # a setting without a default comes from the example
        if key not in op.page.defaults and key not in settings and key in example.settings:
            settings[key] = example.settings[key]
    if "cotangent" in options:
        return OpCall(op, inputs, settings, given(read_matrix(options["cotangent"])).array)
    # A choice has no gradient; and that of an update is shown only to those who give a cotangent.
    if not op.page.rules and (op.page.no_rule or op.stage == "update"):
        return OpCall(op, inputs, settings, None)
    return OpCall(op, inputs, settings, _cotangent(op, inputs, settings, example, bool(given_inputs)))


def _followed(op: Op, profile: str) -> dict[str, Any]:
    """The settings of an op under a convention; one that uses another op is refused."""
    chosen = convention(profile)
    for field, own_choice in op.page.conventions.items():
        choice = getattr(chosen, field)
        pages = [page.name for page in OPS.values() if page.page.conventions.get(field) == choice]
        if own_choice not in op.page.settings and choice != own_choice and pages:
            raise InputError(f"{profile} uses another op: {pages[0]}.", hint=f"See `workings op {pages[0]}`.")
    followed = settings_from(op, chosen)
    if not op.page.conventions:
        raise InputError(
            f"{op.name} has no setting that a convention decides.",
            hint=f"Leave out --convention; `workings op {op.name}` shows the settings.",
        )
    return followed


def _input_names(op: Op, words: list[str]) -> list[str]:
    """The inputs by name; an op that takes any number of them has as many as its example, or as are given."""
    count = len(op.page.example.inputs)
    while op.page.variadic and any(word.startswith(f"--{op.slot_names(count + 1)[-1]}") for word in words):
        count += 1
    return op.slot_names(count)


def _options(op: Op, names: list[str], words: list[str]) -> dict[str, str]:
    known = [*names, *op.page.settings, "cotangent"]
    options: dict[str, str] = {}
    for option, name, value in named_values(words):
        if name not in known:
            listed = " ".join(f"--{key}" for key in known)
            raise InputError(
                f"{op.name} has no input or setting '{option}'.",
                hint=f"{did_you_mean(name or option, known)}Known here: {listed}. Several numbers go in quotes, with ; "
                "between rows.",
            )
        if not value:
            raise missing_value(option)
        options[name] = value
    return options


def _inputs(op: Op, names: list[str], typed: dict[str, str]) -> list[Tensor]:
    example = op.page.example
    missing = [name for name in names if name not in typed]
    if typed and missing and not op.page.variadic:
        raise InputError(
            f"{op.name} also needs {' '.join(f'--{name}' for name in missing)}.",
            hint="Give all inputs, or none to see the page's own example.",
        )
    chosen = [name for name in names if name in typed] if typed else names
    tensors = []
    for name in chosen:
        model = example.inputs[min(names.index(name), len(example.inputs) - 1)]
        numbers = read_matrix(typed[name]) if typed else model.numbers
        tensors.append(_tensor(name, numbers, model))
    return tensors


def _tensor(name: str, numbers: Any, model: Values) -> Tensor:
    """The numbers under the axis words of the page's example; with fewer axes, under the last of its words."""
    rank = _rank(numbers)
    words = " ".join(model.axes[len(model.axes) - rank :]) if rank <= len(model.axes) else ""
    if not _all_integers(model.numbers):
        return given(numbers, words, name=name)
    if not _all_integers(numbers):
        raise InputError(f"{name} must be whole numbers, not float64.", hint="Give integers, counted from 0.")
    return ids(numbers, words, name=name)


def _rank(numbers: Any) -> int:
    return 1 + _rank(numbers[0]) if isinstance(numbers, list) and numbers else 0


def _all_integers(numbers: Any) -> bool:
    return all(_all_integers(item) for item in numbers) if isinstance(numbers, list) else isinstance(numbers, int)


def _cotangent(op: Op, inputs: list[Tensor], settings: dict[str, Any], example: Example, own_numbers: bool) -> Any:
    with CompiledRecording():  # an error says where, and what was given
        shape = first_of(op(*inputs, **settings)).shape
    if not shape:
        return numpy.ones(())
    if not own_numbers and example.cotangent is not None and numpy.shape(example.cotangent) == shape:
        return numpy.asarray(example.cotangent, dtype=float)
    endless = itertools.cycle(COTANGENT)
    return numpy.asarray([next(endless) for _ in range(int(numpy.prod(shape)))]).reshape(shape)
