"""What a page refuses is what cannot be computed, and nothing else.

`check` on a page refuses values before anything is computed. Nobody has to list them: an entry of an input, and a real
setting, are replaced by numbers that are often trouble, and the check must say no exactly where computing without it
fails. A setting may be refused whatever the values are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

import numpy
from example_runs import arrays_of, plain, record, tensors_of, title

from workings.engine.arrays import Array, brackets, indices, is_float
from workings.engine.errors import CallError, WorkingsError
from workings.engine.op import Op, first_of
from workings.engine.page import Example
from workings.engine.tensor import Tensor

TROUBLE = (-1000.0, -2.0, -1.0, -0.5, 0.0, 0.5, 1.0, 2.0, 1000.0, 1e100)
LABELS = (-1, 0, 1, 2, 3, 4, 100)
MARKS = (0.0, 1.0)  # an input of marks, such as a mask, may refuse whatever is no mark
LENGTHS = {("clip_by_norm", "norm")}  # an input that is a length may refuse whatever is below 0
SHARES = {("keep_top_p", "shares")}  # shares that do not add up to 1 may be refused: another entry is another total
SETTINGS = (-1.0, 0.0, 1.0)
ENTRIES = 2  # of each input that are replaced


def check_refusals(op: Op, example: Example) -> None:
    """The page refuses a value if and only if the result would not exist. The steps of a group check for themselves."""
    if op.check is None or op.kind == "group":
        return
    # Where infinity is meant, as in a mask, some entry of each row must be left.
    infinite = not numpy.all(numpy.isfinite(plain(record(op, example).value)))
    for settings in _troubled_settings(op, example):
        case = _Case(op, settings, infinite)
        if isinstance(case.refusal(tensors_of(op, example, arrays_of(example))), CallError):
            continue  # the setting itself is refused
        for what, arrays in _troubled(op, example):
            tensors = tensors_of(op, example, arrays)
            refused = case.refusal(tensors) is not None
            if case.fails(tensors) != refused:
                verdict = "is refused, but can be computed" if refused else "is not refused, but cannot be computed"
                raise AssertionError(f"{title(op, example)}: {what} {verdict} with {dict(settings)}")


def _troubled_settings(op: Op, example: Example) -> Iterator[Mapping[str, Any]]:
    settings = op.complete(example.settings)
    yield settings
    for name in settings:
        if "float" in op.page.types.get(name, ""):
            yield from (op.complete({**settings, name: number}) for number in SETTINGS)


def _troubled(op: Op, example: Example) -> Iterator[tuple[str, list[Array]]]:
    for slot, array in enumerate(arrays_of(example)):
        if (op.name, op.input_name(slot)) in SHARES:
            continue
        if is_float(array):
            numbers = MARKS if numpy.all(numpy.isin(array, MARKS)) else TROUBLE
            if (op.name, op.input_name(slot)) in LENGTHS:
                numbers = tuple(number for number in numbers if number >= 0)
        elif op.kind == "composite":  # inside, the steps refuse a label; a primitive would count from the end
            numbers = LABELS
        else:
            continue
        for at in list(indices(array.shape))[:ENTRIES]:
            for number in numbers:
                arrays = arrays_of(example)
                arrays[slot][at] = number
                yield f"{number!r} at {op.input_name(slot)}{brackets(at)}", arrays


class _Case(NamedTuple):
    op: Op
    settings: Mapping[str, Any]
    infinite: bool

    def refusal(self, tensors: list[Tensor]) -> WorkingsError | None:
        assert self.op.check is not None
        try:
            self.op.check(*(x.array for x in tensors), **self._positional(tensors))
        except WorkingsError as error:
            return error
        return None

    def fails(self, tensors: list[Tensor]) -> bool:
        """Whether the page has no result here if its own check is not asked."""
        try:
            with numpy.errstate(divide="raise", over="raise", invalid="raise"):
                if self.op.kind == "primitive":
                    result = self.op.forward(*(x.array for x in tensors), **self._positional(tensors))
                else:
                    result = first_of(self.op.forward(*tensors, **self.settings)).array
        except (WorkingsError, FloatingPointError):
            return True
        there = numpy.isfinite(result)
        if self.infinite:
            return bool(numpy.isnan(result).any()) or not bool(there.any(axis=-1).all())
        return not bool(there.all())

    def _positional(self, tensors: list[Tensor]) -> dict[str, Any]:
        return self.op.positional(tuple(x.form for x in tensors), self.settings)
