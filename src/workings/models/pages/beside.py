"""What is worked out beside a trace: sums and differences that a page tells, and that the run itself had no need of.

They are recorded as well, in a small trace of their own. A number of it says so before its step: `averaging.12` is
step 12 of the trace that is called averaging.
"""

from __future__ import annotations

from dataclasses import replace

from ...engine.tensor import Tensor
from ...explain.document import Index, Number
from ...explain.line import number_at, style_for
from ...explain.numbers import Style
from ...explain.step_view import StepView
from ...explain.view import Trace
from ...ops.given import given


class Beside:
    """A small trace beside another one, and the entries of both as printed numbers.

    >>> from workings import ops
    >>> with Trace() as trace:
    ...     total = ops.sum(given([2.0, 0.5], name="x"), name="total")
    >>> beside = Beside(trace, "halves")
    >>> with beside.trace:
    ...     half = beside.trace[beside.take(trace["total"]) / 2]
    >>> beside.number(half).text, beside.number(half).step
    ('1.25', 'halves.2')
    """

    def __init__(self, trace: Trace, name: str) -> None:
        self.name = name
        self.trace = Trace(precision=trace.precision, style=trace.style)

    def take(self, step: StepView, name: str = "") -> Tensor:
        """The value of a step to go on from; one of the other trace becomes a leaf here."""
        if step.trace is self.trace:
            return step.tensor
        axes = " ".join(step.axes) if all(step.axes) else ""
        return given(step.value, axes, name=name or step.name)

    def number(self, step: StepView, index: Index = (), style: Style | None = None) -> Number:
        recording = step.trace.recording
        written = style_for(recording, step.step, style or step.trace.style)
        number = number_at(step.step, step.value, index, written)
        return replace(number, step=f"{self.name}.{number.step}") if step.trace is self.trace else number
