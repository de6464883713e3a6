"""The computation as it looks to somebody who works through it: with their own numbers wherever they wrote some down.

The steps are reached in their order. What a step gives is computed from what stands before it; what is written down
instead takes its place for all that follows. A person also uses again what has just been written down: shares that the
rule of a loss would compute anew, and for the loss itself the share of the right answer.
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy

from ...engine.arrays import Array, is_float
from ...engine.errors import WorkingsError
from ...engine.op import Op
from ...engine.recording import Recording
from ...engine.registry import OPS
from ...engine.steps import Step
from ...engine.tensor import Tensor
from ...explain.story import is_told

# Losses of scores, and how the same is worked out from the shares that stand on the sheet.
BY_WAY_OF = {
    "cross_entropy": ("softmax", "negative_log_likelihood"),
    "binary_cross_entropy_from_logits": ("sigmoid", "binary_cross_entropy"),
}


class World:
    """A recording in the making, beside the true one."""

    def __init__(self, truth: Recording) -> None:
        self.truth = truth
        self.recording = Recording(arithmetic=truth.arithmetic)
        self.recording.continues(truth)
        for group in truth.groups.values():
            self.recording.adopt_group(group)
        for step in truth.steps.values():  # what is not reached yet stands there as it is
            self.recording.share(step)
        self._other: set[str] = set()  # the steps that have other numbers than the true ones

    def reach(self, step: Step) -> Array:
        """What a step gives here. Where it cannot be computed at all, as the logarithm of a number below 0, no entry
        is a number.
        """
        written = self._written_before.get(step.id)
        if written is not None and written in self._other:
            self._place(step, self.recording.value(written))
        elif step.op is not None and not self._other.isdisjoint(step.inputs):
            self._place(step, self._computed(step))
        return self.recording.value(step.id)

    def write(self, step: Step, value: Array) -> None:
        """Have these numbers in the place of what the step gives."""
        self._place(step, numpy.asarray(value))

    def sources(self, step: Step) -> tuple[str, ...]:
        """The steps whose numbers may have gone into this one."""
        shares = self._shares(step)
        again = self._written_before.get(step.id)
        return (*step.inputs, *([shares.id] if shares else ()), *([again] if again else ()))

    def by_way_of_shares(self, step: Step) -> tuple[Recording, Step] | None:
        """A loss as it comes out of the shares that were written down, if they were: a small computation of its own."""
        shares = self._shares(step)
        if shares is None or shares.id not in self._other:
            return None
        loss = OPS[BY_WAY_OF[step.op_name][1]]
        small = Recording(arithmetic=self.truth.arithmetic)
        inputs = [Tensor(self.recording.value(id), self.truth.step(id).form) for id in (shares.id, *step.inputs[1:])]
        try:
            with small, numpy.errstate(all="ignore"):
                made = loss(
                    *inputs, **{key: value for key, value in step.settings.items() if key in loss.page.settings}
                )
        except WorkingsError:
            return None
        return small, small.step(small.id_of(made))

    def _shares(self, step: Step) -> Step | None:
        """The named step that holds the shares of the scores which a loss reads."""
        if step.op_name not in BY_WAY_OF:
            return None
        steps = (s for s in self.truth.steps.values() if s.op_name == BY_WAY_OF[step.op_name][0])
        return next((s for s in steps if s.inputs[0] == step.inputs[0] and is_told(self.truth, s)), None)

    @cached_property
    def _written_before(self) -> dict[str, str]:
        """Steps without a name that compute again what a named step before them has computed."""
        named: dict[tuple[object, ...], str] = {}
        found: dict[str, str] = {}
        for step in self.truth.steps.values():
            if step.op is None:
                continue
            what = (step.op_name, step.inputs, repr(sorted(step.settings.items(), key=repr)))
            if is_told(self.truth, step):
                named.setdefault(what, step.id)
            elif what in named:
                found[step.id] = named[what]
        return found

    def _computed(self, step: Step) -> Array:
        assert isinstance(step.op, Op)
        inputs = step.op.tensors(self.recording.input_tensors(step))
        try:
            with numpy.errstate(all="ignore"):
                computed: Array = self.recording.compute(step.op, inputs, step.op.complete(step.settings)).array
        except WorkingsError:
            computed = numpy.full(step.form.shape, math.nan)
        return computed if is_float(step.tensor.array) or not is_float(computed) else step.tensor.array

    def _place(self, step: Step, value: Array) -> None:
        self._other.add(step.id)
        old = step.tensor
        self.recording.adopt(step.changed(tensor=Tensor(value, old.form, old.name, old.leaf)))
