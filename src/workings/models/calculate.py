"""`calculate:` lines carried out: a computation without a model, over values that are given.

>>> from workings.ops.given import given
>>> lines = [parse_line("scaled = scores / 2"), parse_line("weights = softmax(scaled, axis=key)", 2)]
>>> calculate(lines, {"scores": given([[2.0, 2.0]], "query key")})["weights"].array
array([[0.5, 0.5]])
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy

from ..engine.context import CONTEXT
from ..engine.errors import ScenarioError, WorkingsError
from ..engine.op import NEW, Op, first_of
from ..engine.registry import find_op
from ..engine.tensor import Tensor, constant_like
from ..ops.given import constant
from .likely import likely
from .line_parsing import SHOWN, Call, Expression, Line, Number, Value, parse_line

__all__ = ["Line", "calculate", "check_names", "parse_line"]


def calculate(lines: Sequence[Line], values: Mapping[str, Tensor], where: str = "") -> dict[str, Tensor]:
    """Carry out the lines in their order, each named on its left; a line may use the results of those above it.

    Nothing is computed unless every name is known. `where` is put before the line in an error.
    """
    check_names(lines, values, where)
    known = dict(values)
    results: dict[str, Tensor] = {}
    for line in lines:
        try:
            known[line.name] = results[line.name] = _carried_out(line, known)
        except WorkingsError as error:
            error.where = _place(line, where)  # what was given stays: the shapes say more than the line
            raise
        except (MemoryError, RecursionError):
            raise ScenarioError("calculate.memory", where=_place(line, where)) from None
    return results


def check_names(lines: Iterable[Line], known: Iterable[str], where: str = "") -> None:
    """Refuse a name that is defined twice, and a value that no line above defines.

    >>> try:
    ...     check_names([parse_line("y = relu(q)", 7)], ["Q", "K"])
    ... except ScenarioError as error:
    ...     print(error)
    There is no value 'q' here: it is neither given nor computed above.
      where: line 7, y = relu(q)
      try:   Did you mean Q?
    """
    given = set(known)
    defined: dict[str, Line] = {}
    for line in lines:
        for name in _values_in(line.expression):
            if name not in given and name not in defined:
                near = likely(name, [*defined, *sorted(given)])
                key = "calculate.unknown" if near else "calculate.unknown.empty"
                raise ScenarioError(key, where=_place(line, where), name=name[:SHOWN], nearest=near)
        if line.name in defined:
            first = defined[line.name].line
            raise ScenarioError("calculate.twice", where=_place(line, where), name=line.name[:SHOWN], first=first)
        if line.name in given:
            raise ScenarioError("calculate.given", where=_place(line, where), name=line.name[:SHOWN])
        defined[line.name] = line


def _place(line: Line, where: str) -> str:
    """`example.yaml, line 7, y = relu(x)`."""
    return ", ".join(part for part in (where, f"line {line.line}", line.text[:SHOWN]) if part)


def _values_in(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Value):
        yield expression.name
    elif isinstance(expression, Call):
        for part in expression.inputs:
            yield from _values_in(part)


def _carried_out(line: Line, known: Mapping[str, Tensor]) -> Tensor:
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
    """A group that updates a weight puts _new behind the name by itself: W_new, beside W_m and W_v."""
    return NEW.sub("", name) if op.kind == "group" else name


def _result(expression: Call, known: Mapping[str, Tensor], name: str = "") -> Tensor:
    op = find_op(expression.op)
    parts: list[Any] = []
    for part in expression.inputs:
        if isinstance(part, Call):
            parts.append(_result(part, known))
        else:
            parts.append(known[part.name] if isinstance(part, Value) else part)
    beside = next((part for part in parts if isinstance(part, Tensor)), None)
    inputs = [
        _constant(part, beside, _takes_whole_numbers(op, slot)) if isinstance(part, Number) else part
        for slot, part in enumerate(parts)
    ]
    return first_of(op(*inputs, name=name, **dict(expression.settings)))


def _constant(number: Number, beside: Tensor | None, whole: bool) -> Tensor:
    """A plain number as an input: a position or a label where the op takes one, else a number like its neighbours."""
    if whole and isinstance(number.value, int):
        return constant(number.value, name=str(number.value), dtype=numpy.int64)
    if beside is None or whole:
        return constant(number.value, name=f"{number.value:g}")
    return constant_like(number.value, beside)


def _takes_whole_numbers(op: Op, slot: int) -> bool:
    """Whether an input is a label or a position: then it is whole numbers in the example of the page, too."""
    inputs = op.page.example.inputs
    return _are_whole(inputs[min(slot, len(inputs) - 1)].numbers)


def _are_whole(numbers: Any) -> bool:
    return all(map(_are_whole, numbers)) if isinstance(numbers, list) else isinstance(numbers, int)
