"""The loss and its gradients as one program, recorded and compiled on the first batch of a shape.

Dropout masks are drawn while a pass is recorded. The program takes them as inputs and draws them again in the same
order from the stream of each step, so a step that is recorded later drops the same entries as the program did.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from ..engine.arrays import Array
from ..engine.backward import backward
from ..engine.compile import CompiledProgram, compile_recording
from ..engine.recording import Recording
from ..engine.steps import Step
from ..engine.tensor import Tensor
from ..ops.parts.drawing import Draws

LOSS = "loss"  # the name of the step that training makes smaller

# Weights by path and the inputs of a batch by name -> the loss.
LossFunction = Callable[[Mapping[str, Tensor], Mapping[str, Tensor]], Tensor]


@dataclass(frozen=True)
class ForwardPass:
    """A loss, and the inputs from which it is computed. Each step may have other inputs."""

    loss: LossFunction
    inputs: Mapping[str, Tensor] = field(default_factory=dict)

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return tuple(tensor.shape for tensor in self.inputs.values())


@dataclass(frozen=True)
class DropoutMask:
    """The size of a dropout mask, and the probability with which an entry is dropped."""

    shape: tuple[int, ...]
    rate: float

    def draw(self, draws: Draws, dtype: str) -> Array:
        kept: Array = (draws.uniform(self.shape) >= self.rate).astype(dtype)
        return kept


@dataclass(frozen=True)
class LossProgram:
    """Weights and a batch in; the loss, and the gradient of every trained weight that it depends on, out."""

    program: CompiledProgram
    used: tuple[int, ...]  # the places of the trained weights that the loss depends on: only these have a gradient
    masks: tuple[DropoutMask, ...]
    dtype: str

    def __call__(self, weights: Sequence[Array], inputs: Sequence[Array], draws: Draws) -> tuple[Array, ...]:
        masks = [mask.draw(draws, self.dtype) for mask in self.masks]
        return self.program(*weights, *inputs, *masks)


def compile_gradients(
    one: ForwardPass, weights: Mapping[str, Tensor], trained: Sequence[str], recording: Recording
) -> LossProgram:
    """The program of a pass. It takes the arrays of `trained`, in that order, and those of the inputs."""
    with recording:
        for tensor in (*weights.values(), *one.inputs.values()):
            recording.id_of(tensor)
        loss = _step(recording, one.loss(weights, one.inputs))
    leaves = [_step(recording, weights[path]) for path in trained]
    gradients = backward(recording, loss, wrt=leaves)
    used = [place for place, leaf in enumerate(leaves) if leaf.id in gradients]
    found = [_step(recording, gradients[leaves[place].id]) for place in used]
    random = recording.leaves(("random",))
    inputs = [_step(recording, tensor) for tensor in one.inputs.values()]
    program = compile_recording(recording, [*leaves, *inputs, *random], [loss, *found])
    masks = tuple(_mask(recording, step) for step in random)
    return LossProgram(program, tuple(used), masks, recording.arithmetic.dtype)


def _step(recording: Recording, tensor: Tensor) -> Step:
    return recording.step(recording.id_of(tensor))


def _mask(recording: Recording, mask: Step) -> DropoutMask:
    """A mask that was recorded, with the rate of the dropout that reads it."""
    reader = next(step for step in recording.steps.values() if mask.id in step.inputs)
    return DropoutMask(mask.form.shape, float(reader.settings["rate"]))
