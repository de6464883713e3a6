"""Proofs of backward rules by finite differences: move one entry up and down a little, and see how the result moves.

Everything is recorded in one trace: the example of the page, the weighted sum L of its result, the backward pass, and
for each input the same again with one entry nudged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy

from ..document.blocks import Number
from ..document.numbers import Style, write
from ..engine.arrays import Index, indices
from ..engine.backward import backward
from ..engine.op import OPS, Op, first_of
from ..engine.steps import Step
from ..engine.tensor import Tensor
from ..ops.given import constant, given
from .line import number_at
from .op_example import example_cotangent, example_inputs
from .step_formula import letter
from .trace import Trace

NUDGE = 1e-4  # the error of the difference is about its square
MAX_DIGITS, MIN_DIGITS = 9, 5  # that must agree
CORNER = 0.01  # slopes to both sides that differ by more than this fraction form a corner


@dataclass(frozen=True)
class Proof:
    """One entry of the gradient of an input, and the difference that confirms it, to as many digits as agree."""

    input: str
    gradient: Step
    index: Index
    slope: Step
    digits: int

    def numbers(self) -> tuple[Number, Number]:
        style = Style(self.digits)
        entry = number_at(self.gradient, self.gradient.tensor.array, self.index, style)
        return entry, number_at(self.slope, self.slope.tensor.array, (), style)


@dataclass(frozen=True)
class RuleProofs:
    """The trace of all proofs of a page, and its inputs; `behind` if a softmax follows the op."""

    trace: Trace
    inputs: tuple[str, ...]
    result: str
    weights: str
    proofs: tuple[Proof, ...]
    behind: bool


def prove_rules(op: Op, style: Style) -> RuleProofs:
    """The rules of a page on its own example, each at its largest entry. A rule that the difference does not confirm
    has no proof.

    >>> import workings as w
    >>> (proof,) = prove_rules(w.ops.tanh, Style()).proofs
    >>> proof.gradient.name, proof.index, [number.text for number in proof.numbers()]
    ('dx', (1, 1), ['0.89105966', '0.89105966'])
    """
    trace, call = Trace(style=style), _Call.of(op)
    with trace:
        leaves = [trace.recording.id_of(tensor) for tensor in call.inputs]
        total = trace.recording.id_of(call.weighed(call.inputs))
    slots = call.slots()
    wanted = [trace.recording.step(leaves[slot]) for slot in slots]
    gradients = backward(trace.recording, trace.recording.step(total), wrt=wanted)
    proofs = []
    for slot in slots:
        gradient = trace.recording.step(trace.recording.id_of(gradients[leaves[slot]]))
        found = call.agreeing(slot, gradient.tensor.array)
        if found is not None:
            slope = call.slope(trace, slot, found[0])
            proofs.append(Proof(op.input_name(slot), gradient, found[0], slope, found[1]))
    names = [trace.recording.step(id).path for id in leaves]
    result = next(step.path for step in trace.recording.steps.values() if step.op is op)
    return RuleProofs(trace, tuple(names), result, trace[call.weights].path, tuple(proofs), call.behind)


@dataclass(frozen=True)
class _Call:
    """The example of a page, and a weight for each entry of its result."""

    op: Op
    inputs: list[Tensor]
    settings: dict[str, Any]
    weights: Tensor
    behind: bool

    @classmethod
    def of(cls, op: Op) -> _Call:
        inputs, settings = example_inputs(op), dict(op.page.example.settings)
        with Trace():
            y = first_of(op(*inputs, **settings))
        weights = given(example_cotangent(op), _words(y), name="c")
        # -∞ times a weight is not a number: a softmax comes first, as in attention.
        return cls(op, inputs, settings, weights, not bool(numpy.isfinite(numpy.asarray(y.array)).all()))

    def slots(self) -> list[int]:
        """The first input of each rule."""
        names = [self.op.input_name(slot) for slot in range(len(self.inputs))]
        return [slot for slot, name in enumerate(names) if name in self.op.page.rules and names.index(name) == slot]

    def weighed(self, inputs: list[Tensor], suffix: str = "") -> Tensor:
        """L: the sum of the entries of the result, each times its own fixed weight."""
        y = first_of(self.op(*inputs, name=f"{letter(self.op)}{suffix}", **self.settings))
        if self.behind:
            y = OPS["softmax"](y, name=f"probabilities{suffix}")
        if not y.shape:
            return OPS["mul"](self.weights, y, name=f"L{suffix}")
        return OPS["sum"](OPS["mul"](self.weights, y, name=f"weighed{suffix}"), name=f"L{suffix}")

    def agreeing(self, slot: int, gradient: Any) -> tuple[Index, int] | None:
        """The largest entry of a gradient, and to how many digits the difference agrees with it; None where it does
        not. Only an entry at a corner, which has no slope, is skipped. A 0 would prove nothing.
        """
        for index in sorted(indices(gradient.shape), key=lambda at: -abs(float(gradient[at]))):
            by_rule = float(gradient[index])
            if not by_rule:
                return None
            digits = _digits(by_rule, float(self.slope(Trace(), slot, index).tensor.array))
            if digits:
                return index, digits
            if not self._is_corner(slot, index):
                return None
        return None

    def _is_corner(self, slot: int, index: Index) -> bool:
        """Whether L has different slopes to the two sides."""
        before, at, behind = (self._moved(slot, index, by) for by in (-NUDGE, 0.0, NUDGE))
        less, more = at - before, behind - at
        return abs(more - less) > CORNER * max(abs(more), abs(less))

    def _moved(self, slot: int, index: Index, by: float) -> float:
        """L with one entry of an input moved."""
        source = self.inputs[slot]
        array = numpy.array(source.array, dtype=float)
        array[index] += by
        with Trace():
            moved = given(array, _words(source))
            return float(self.weighed([*self.inputs[:slot], moved, *self.inputs[slot + 1 :]]).array)

    def slope(self, trace: Trace, slot: int, index: Index) -> Step:
        """The slope of L along one entry, recorded in a trace."""
        source, name = self.inputs[slot], self.op.slot_names(len(self.inputs))[slot]
        array = numpy.zeros(source.shape)
        array[index] = NUDGE
        with trace, trace.scope(f"nudged_{name}"):
            nudge = given(array, _words(source), name="nudge")
            sides = []
            for word, move in (("up", OPS["add"]), ("down", OPS["sub"])):
                moved = move(source, nudge, name=f"{name}_{word}")
                sides.append(self.weighed([*self.inputs[:slot], moved, *self.inputs[slot + 1 :]], f"_{word}"))
            slope = OPS["div"](OPS["sub"](*sides), constant(2 * NUDGE, name="twice_the_nudge"), name="slope")
        return trace.recording.step(trace.recording.id_of(slope))


def _words(tensor: Tensor) -> str:
    return " ".join(tensor.axes) if all(tensor.axes) else ""


def _digits(one: float, other: float) -> int:
    """To how many significant digits two numbers agree; 0 if to too few."""
    for digits in range(MAX_DIGITS, MIN_DIGITS - 1, -1):
        if write(one, Style(digits)) == write(other, Style(digits)):
            return digits
    return 0
