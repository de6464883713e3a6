"""The loss and its gradients as one program: recorded on the first batch of a shape, compiled, and called from then on.

Masks of dropout are drawn while a pass is recorded. The program takes them as inputs, and draws them anew in the same
order from the stream of each step: so a step that is recorded later leaves out what the program left out.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..engine.arrays import Array
from ..engine.backward import backward
from ..engine.compile import Program, compile_recording
from ..engine.recording import Recording
from ..engine.steps import Step
from ..engine.tensor import Tensor
from ..ops.drawing import Draws

Named = Mapping[str, Tensor]
# Weights by path and the inputs of a batch by name -> what is to become small.
Record = Callable[[Named, Named], Tensor]


@dataclass(frozen=True)
class Pass:
    """One way forward through a model: what is recorded, and what is read. Each step may read something else."""

    record: Record
    inputs: Named = field(default_factory=dict)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tensor.shape for tensor in self.inputs.values())


@dataclass(frozen=True)
class Dropping:
    """One dropout mask: how large it is, and the share that it leaves out."""

    shape: tuple[int, ...]
    rate: float

    def draw(self, draws: Draws, dtype: str) -> Array:
        kept: Array = (draws.uniform(self.shape) >= self.rate).astype(dtype)
        return kept


@dataclass(frozen=True)
class LossProgram:
    """Weights and a batch in; the loss, and the gradient of every trained weight that it depends on, out."""

    program: Program
    read: tuple[
        int, ...
    ]  # which of the trained weights the loss depends on, by their places: only these have a gradient
    droppings: tuple[Dropping, ...]
    dtype: str

    def __call__(self, weights: Sequence[Array], inputs: Sequence[Array], draws: Draws) -> tuple[Array, ...]:
        masks = [dropping.draw(draws, self.dtype) for dropping in self.droppings]
        return self.program(*weights, *inputs, *masks)


def compile_gradients(one: Pass, weights: Named, trained: Sequence[str], recording: Recording) -> LossProgram:
    """The program of the loss of a pass: its arrays are those of `trained`, in that order, and those that are read."""
    loss = _recorded(one, weights, recording)
    leaves = [_leaf(recording, weights[path]) for path in trained]
    gradients = backward(recording, loss, wrt=leaves)
    read = [place for place, leaf in enumerate(leaves) if leaf.id in gradients]
    found = [_leaf(recording, gradients[leaves[place].id]) for place in read]
    random = recording.leaves(("random",))
    dtype = recording.arithmetic.dtype
    given = [_leaf(recording, tensor) for tensor in one.inputs.values()]
    program = compile_recording(recording, [*leaves, *given, *random], [loss, *found])
    return LossProgram(program, tuple(read), tuple(_dropping(recording, step) for step in random), dtype)


def _recorded(one: Pass, weights: Named, recording: Recording) -> Step:
    """A pass written down, its weights and inputs first; the step of the loss."""
    with recording:
        for tensor in (*weights.values(), *one.inputs.values()):
            recording.id_of(tensor)
        loss = one.record(weights, one.inputs)
    return recording.step(recording.id_of(loss))


def _leaf(recording: Recording, tensor: Tensor) -> Step:
    return recording.step(recording.id_of(tensor))


def _dropping(recording: Recording, mask: Step) -> Dropping:
    """The mask of the dropout that reads it."""
    reader = next(step for step in recording.steps.values() if mask.id in step.inputs)
    return Dropping(mask.form.shape, float(reader.settings["rate"]))
