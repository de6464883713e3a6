"""`calculate:` lines computed: a computation without a model, from given values.

>>> from workings.scenarios.reading.calculate_lines import parse_line
>>> from workings.ops.given import given
>>> lines = [parse_line("scaled = scores / 2"), parse_line("weights = softmax(scaled, axis=key)", 2)]
>>> calculate(lines, {"scores": given([[2.0, 2.0]], "query key")})["weights"].array
array([[0.5, 0.5]])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy

from ...engine.context import CONTEXT
from ...engine.errors import ScenarioError, WorkingsError
from ...engine.op import NEW, Op, find_op, first_of
from ...engine.tensor import Tensor, constant_like
from ...ops.given import constant
from ..reading.calculate_lines import MAX_SHOWN_CHARS, CalculateLine, Call, NumberLiteral, Value
from ..reading.calculate_names import check_names


def calculate(lines: Sequence[CalculateLine], values: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Compute the lines in their order, each named on its left; a line may use the results of those above it.

    Nothing is computed unless every name is known. An error has the keys of its line.
    """
    check_names(lines, values)
    known = dict(values)
    results: dict[str, Tensor] = {}
    for number, line in enumerate(lines):
        keys, text = ("calculate", number), line.text[:MAX_SHOWN_CHARS]
        try:
            known[line.name] = results[line.name] = _computed(line, known)
        except WorkingsError as error:
            error.keys, error.where = keys, text  # the shapes that were given say more than the line, and stay
            raise
        except (MemoryError, RecursionError):
            raise ScenarioError(
                "The result of this line is too large for the memory.",
                hint="Look at its settings for a size that is too large.",
                where=text,
                keys=keys,
            ) from None
    return results


def _computed(line: CalculateLine, known: Mapping[str, Tensor]) -> Tensor:
    path, _, name = line.name.rpartition(".")
    if find_op(line.expression.op).stage == "update":
        name = _name_of_update(find_op(line.expression.op), name)
    with _scope(path):
        return _result(line.expression, known, name)


def _scope(path: str) -> AbstractContextManager[None]:
    """Where `block1.scores` is recorded: the points of a name are the path of its step."""
    recorder = CONTEXT.get().recorder
    return recorder.scope(path) if path and recorder is not None else nullcontext()


def _name_of_update(op: Op, name: str) -> str:
    """A group that updates a weight adds _new to the name itself: W_new, next to W_m and W_v."""
    return NEW.sub("", name) if op.kind == "group" else name


def _result(expression: Call, known: Mapping[str, Tensor], name: str = "") -> Tensor:
    op = find_op(expression.op)
    parts: list[Any] = []
    for part in expression.inputs:
        if isinstance(part, Call):
            parts.append(_result(part, known))
        else:
            parts.append(known[part.name] if isinstance(part, Value) else part)
    neighbor = next((part for part in parts if isinstance(part, Tensor)), None)
    inputs = [
        _constant(part, neighbor, _takes_whole_numbers(op, slot)) if isinstance(part, NumberLiteral) else part
        for slot, part in enumerate(parts)
    ]
    return first_of(op(*inputs, name=name, **dict(expression.settings)))


def _constant(number: NumberLiteral, neighbor: Tensor | None, whole: bool) -> Tensor:
    """A plain number as an input: a position or a label where the op takes one, else a number like its neighbors."""
    if whole and isinstance(number.value, int):
        return constant(number.value, name=str(number.value), dtype=numpy.int64)
    if neighbor is None or whole:
        return constant(number.value, name=f"{number.value:g}")
    return constant_like(number.value, neighbor)


def _takes_whole_numbers(op: Op, slot: int) -> bool:
    """Whether an input is a label or a position: then it is whole numbers in the example of the page, too."""
    inputs = op.page.example.inputs
    return _are_whole(inputs[min(slot, len(inputs) - 1)].numbers)


def _are_whole(numbers: Any) -> bool:
    return all(map(_are_whole, numbers)) if isinstance(numbers, list) else isinstance(numbers, int)
