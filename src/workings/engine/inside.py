"""Opening a composite: its page is run again on the recorded inputs, and every inner step is kept."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from .context import Context, within
from .errors import StepError
from .page import Mistake
from .recording import Recording, identity
from .steps import Step
from .tensor import Tensor


def inside(recording: Recording, step: Step) -> Inside:
    """The steps inside a composite. Their ids are stable: `17.1`, `17.2` and so on, and their
    inputs may be steps of the recording outside.
    """
    if step.kind != "composite" or step.op is None:
        composites = [other.path for other in recording.steps.values() if other.kind == "composite"]
        raise StepError(
            f"'{step.path}' has no inside: it is one primitive step.",
            hint=f"Only composites open: {', '.join(composites[:5]) or 'there are none here'}.",
        )
    for id, tensor in zip(step.inputs, recording.input_tensors(step), strict=True):
        if tensor.array is None:
            recording.value(id)  # raises: a tape has let go of it
    op = step.op
    if isinstance(op, Mistake):
        return written_out(recording, step, lambda *tensors: op.run(tensors, step.settings))
    return written_out(recording, step, partial(op.forward, **step.settings))


def written_out(recording: Recording, step: Step, function: Callable[..., Tensor]) -> Inside:
    """The ops that a function of the inputs of a step calls, as steps within it."""
    opened = Inside(recording, step)
    with within(Context(recording.arithmetic, opened)):
        opened.result = opened.id_of(function(*recording.input_tensors(step)))
    return opened


class Inside(Recording):
    """A recording within a step: ids and paths continue those of the step."""

    result: str  # the step that the composite returns

    def __init__(self, outer: Recording, step: Step) -> None:
        super().__init__(arithmetic=outer.arithmetic)
        self.stage = step.stage
        self._stem = step.id
        self._prefix = f"{step.path}/"
        self._outer = outer
        # Inputs are known under the ids that they have outside.
        for id, tensor in zip(step.inputs, outer.input_tensors(step), strict=True):
            origin = tensor.root if tensor.root is not None else tensor
            # One that is read under other words says so again in here.
            outside = outer.step(id).tensor
            root = None if tensor.form == outside.form else outside
            own = Tensor(tensor.array, tensor.form, tensor.name, tensor.leaf, (self._token, id), root)
            self._leaves.setdefault(identity(origin), (id, own, origin))

    def step(self, id: str) -> Step:
        return self.steps.get(id) or self._outer.step(id)

    def _new_id(self) -> str:
        return f"{self._stem}.{super()._new_id()}"
