"""Error carried forward: the computation with the learner's own numbers wherever they have stated some.

Steps are computed in their order. A step starts from what comes before it; what the learner states takes its place for
everything that follows. People also reuse what they have just noted: the probabilities that the rule of a loss would
compute again, and for the loss itself the probability of the right answer.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property

import numpy

from ..engine.arrays import Array, Index, is_float
from ..engine.compiled_recording import CompiledRecording
from ..engine.errors import WorkingsError
from ..engine.op import OPS, Op
from ..engine.recording import Recording
from ..engine.steps import Step
from ..engine.tensor import Tensor
from ..explain.story import is_shown

# Losses of logits, and how the same loss is computed from the probabilities on the sheet.
FROM_PROBABILITIES = {
    "cross_entropy": ("softmax", "negative_log_likelihood"),
    "binary_cross_entropy_from_logits": ("sigmoid", "binary_cross_entropy"),
}


class CarriedForward:
    """A recording with the learner's numbers in it, built next to the true one."""

    def __init__(self, truth: Recording) -> None:
        self.truth = truth
        self.recording = CompiledRecording(arithmetic=truth.arithmetic)
        self.recording.continues(truth)
        for group in truth.groups.values():
            self.recording.adopt_group(group)
        for step in truth.steps.values():  # until a step is computed here, it has its true value
            self.recording.share(step)
        self._other: set[str] = set()  # the steps whose numbers are not the true ones

    def compute(self, step: Step) -> Array:
        """What a step gives here. Where it cannot be computed at all, such as the logarithm of a negative number, every
        entry is NaN.
        """
        repeated = self._repeats.get(step.id)
        if repeated is not None and repeated in self._other:
            self.state(step, self.recording.value(repeated))
        elif step.op is not None and not self._other.isdisjoint(step.inputs):
            self.state(step, self._computed(step))
        return self.recording.value(step.id)

    def state(self, step: Step, value: Array) -> None:
        """Put these numbers in the place of what the step gives."""
        self._other.add(step.id)
        old = step.tensor
        self.recording.adopt(step.changed(tensor=Tensor(numpy.asarray(value), old.form, old.name, old.leaf)))

    def sources(self, step: Step) -> tuple[str, ...]:
        """The steps whose numbers may have gone into this one."""
        probabilities = self._probabilities(step)
        repeated = self._repeats.get(step.id)
        return (*step.inputs, *([probabilities.id] if probabilities else ()), *([repeated] if repeated else ()))

    def loss_from_probabilities(self, step: Step) -> tuple[Recording, Step] | None:
        """A loss computed from the probabilities on the sheet, if there are any: a small computation of its own."""
        probabilities = self._probabilities(step)
        if probabilities is None:
            return None
        loss = OPS[FROM_PROBABILITIES[step.op_name][1]]
        small = CompiledRecording(arithmetic=self.truth.arithmetic)
        ids = (probabilities.id, *step.inputs[1:])
        inputs = [Tensor(self.recording.value(id), self.truth.step(id).form) for id in ids]
        settings = {key: value for key, value in step.settings.items() if key in loss.page.settings}
        try:
            with small, numpy.errstate(all="ignore"):
                made = loss(*inputs, **settings)
        except WorkingsError:
            return None
        return small, small.step(small.id_of(made))

    def _probabilities(self, step: Step) -> Step | None:
        """The named step that holds the probabilities of the logits that a loss reads."""
        if step.op_name not in FROM_PROBABILITIES:
            return None
        steps = (s for s in self.truth.steps.values() if s.op_name == FROM_PROBABILITIES[step.op_name][0])
        return next((s for s in steps if s.inputs[0] == step.inputs[0] and is_shown(self.truth, s)), None)

    @cached_property
    def _repeats(self) -> dict[str, str]:
        """Steps without a name that compute again what an earlier named step has computed."""
        named: dict[tuple[object, ...], str] = {}
        found: dict[str, str] = {}
        for step in self.truth.steps.values():
            if step.op is None:
                continue
            what = (step.op_name, step.inputs, repr(sorted(step.settings.items(), key=repr)))
            if is_shown(self.truth, step):
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


class AnswersOnly:
    """Carried forward from the answers alone, for a learner who computes everything and ignores the printed numbers.
    Entries that are not answered are computed from those that are; where a mistake was named, they are what it gives.
    Nothing is computed before it is needed.
    """

    def __init__(self, truth: Recording) -> None:
        self._carried = CarriedForward(truth)
        self._steps: Iterator[Step] = iter(truth.steps.values())
        self._next: Step | None = next(self._steps, None)
        self._by_mistake: dict[str, Array] = {}
        self._answers: dict[str, dict[Index, float]] = defaultdict(dict)

    @property
    def is_used(self) -> bool:
        return bool(self._answers)

    @property
    def recording(self) -> Recording:
        return self._carried.recording

    def is_stated(self, id: str, index: Index) -> bool:
        """Whether this entry was answered."""
        return index in self._answers.get(id, {})

    def state(self, step: Step, index: Index, value: float) -> None:
        """What was answered."""
        self._answers[step.id][index] = value

    def make_mistake(self, step: Step, value: Array) -> None:
        """What a mistake gives in all entries of a step."""
        self._by_mistake[step.id] = value

    def compute(self, step: Step) -> Array:
        """What a step gives for this learner."""
        while self._next is not None and int(self._next.id) < int(step.id):
            self._pass(self._next)
            self._next = next(self._steps, None)
        return self._carried.compute(step)

    def loss_from_probabilities(self, step: Step) -> tuple[Recording, Step] | None:
        return self._carried.loss_from_probabilities(step)

    def _pass(self, step: Step) -> None:
        value = self._by_mistake.get(step.id, self._carried.compute(step))
        answers = self._answers.get(step.id, {})
        if answers or step.id in self._by_mistake:
            value = numpy.array(value, dtype=numpy.float64)
            for index, answer in answers.items():
                value[index] = answer
            self._carried.state(step, value)
