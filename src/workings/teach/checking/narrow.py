"""Narrow: the arithmetic of a type with fewer bits, so that one can see what rounding every line to it does."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...engine.arithmetic import Arithmetic, Float, arithmetic
from ...engine.arrays import Array, is_float
from ...engine.changes import Changes
from ...engine.op import Op
from ...engine.replay import replay
from ...explain.view import Trace
from .received import NARROW, narrowed


class Narrow(Float):
    """Every line is worked out in float64, and rounded to a narrower type. A number of the method itself is not."""

    def __init__(self, kind: str) -> None:
        super().__init__()
        self.kind = kind

    def primitive(self, op: Op, arrays: list[Array], settings: Mapping[str, Any]) -> Array:
        return self.accept(super().primitive(op, arrays, settings))

    def accept(self, array: Array, literal: bool = False) -> Array:
        return narrowed(array, self.kind) if is_float(array) and not literal else array


def worked_out_in(trace: Trace, precision: str) -> Trace:
    """The same trace with every line rounded: to a type, or as a person with a calculator does.

    >>> import workings as w
    >>> with w.Trace() as trace:
    ...     third = w.ops.div(w.given(1.0, name="one"), w.given(3.0, name="three"), name="third")
    >>> float(worked_out_in(trace, "bfloat16")["third"].value)
    0.333984375
    """
    chosen: Arithmetic = Narrow(precision) if precision in NARROW else arithmetic(precision)
    again = replay(trace.recording, Changes(), arithmetic=chosen)
    return Trace(style=trace.style, aliases=trace.aliases, recording=again, convention=trace.convention)
