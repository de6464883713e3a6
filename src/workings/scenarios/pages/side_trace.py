"""Numbers that a page needs and the run itself does not: sums and differences, recorded in a small trace of their own.

A number of such a side trace has its name before the step: `averaging.12` is step 12 of the side trace `averaging`.
"""

from __future__ import annotations

from dataclasses import replace

from ...document.blocks import Index, Number
from ...document.numbers import Style
from ...engine.tensor import Tensor
from ...explain.line import number_at, style_for
from ...explain.step_view import StepView
from ...explain.trace import Trace
from ...ops.given import given


class SideTrace:
    """A small trace next to another one, and the entries of both as printed numbers.

    >>> from workings import ops
    >>> with Trace() as trace:
    ...     total = ops.sum(given([2.0, 0.5], name="x"), name="total")
    >>> side = SideTrace(trace, "halves")
    >>> with side.trace:
    ...     half = side.trace[side.take(trace["total"]) / 2]
    >>> side.number(half).text, side.number(half).step
    ('1.25', 'halves.2')
    """

    def __init__(self, trace: Trace, name: str) -> None:
        self.name = name
        self.trace = Trace(precision=trace.precision, style=trace.style)

    def take(self, step: StepView, name: str = "") -> Tensor:
        """The value of a step to compute with; one of the other trace becomes a leaf here."""
        if step.trace is self.trace:
            return step.tensor
        axes = " ".join(step.axes) if all(step.axes) else ""
        return given(step.value, axes, name=name or step.name)

    def number(self, step: StepView, index: Index = (), style: Style | None = None) -> Number:
        style = style_for(step.trace.recording, step.step, style or step.trace.style)
        number = number_at(step.step, step.value, index, style)
        return replace(number, step=f"{self.name}.{number.step}") if step.trace is self.trace else number
