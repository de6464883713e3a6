"""One update recorded in a trace: the loss, the gradient of every weight, and the new weights: `W_Q_new`.

This is the version to be read, step by step; the compiled one (update.py, gradients.py) gives the same numbers faster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any

from ..engine.backward import backward
from ..engine.op import OPS
from ..engine.recording import Recording
from ..engine.tensor import Tensor
from ..explain.trace import Trace
from ..ops.add import add
from ..ops.clip_by_norm import clip_by_norm
from ..ops.norm import norm
from .gradients import LOSS, ForwardPass
from .update import CLIP_EPSILON, Optimizer


@dataclass
class Tensors:
    """The state of recorded training: all weights by path, and the optimizer's memory of each trained one."""

    weights: dict[str, Tensor]
    memory: dict[str, list[Tensor]]
    trace: Trace | None = None  # in which they were computed


def record_update(
    recording: Recording,
    scope: str,
    passes: Sequence[ForwardPass],
    state: Tensors,
    trained: Sequence[str],
    optimizer: Optimizer,
    settings: Mapping[str, Any],
) -> Tensor:
    """Make one update, and change the state; the loss. The settings are those of the optimizer's page."""
    with recording, _within(recording, scope):
        loss = _loss(recording, passes, state.weights)
    leaves = {path: recording.step(recording.id_of(weight)) for path, weight in state.weights.items()}
    # A step that follows another one goes back to its own weights; the first goes back to everything that was given.
    follows = any(step.op is not None for step in leaves.values())
    wrt = [leaves[path] for path in trained] if follows else recording.leaves()
    found = backward(recording, recording.step(recording.id_of(loss)), wrt=wrt)
    gradients = {path: found[leaves[path].id] for path in trained if leaves[path].id in found}
    new = dict(state.weights)
    with recording, recording.elsewhere():
        if optimizer.max_grad_norm is not None:
            gradients = _clipped(recording, scope, gradients, optimizer.max_grad_norm)
        for path, gradient in gradients.items():
            before = state.memory[path]
            parent, _, name = _place(scope, path).rpartition(".")
            with _within(recording, parent):
                label = name if before else f"{name}_new"
                moved: Any = OPS[optimizer.name](state.weights[path], gradient, *before, **settings, name=label)
            new[path], *state.memory[path] = moved if before else (moved,)
    state.weights = new
    return loss


def _loss(recording: Recording, passes: Sequence[ForwardPass], weights: Mapping[str, Tensor]) -> Tensor:
    """The loss of an update: those of its parts added up."""
    if len(passes) == 1:
        return passes[0].loss(weights, passes[0].inputs)
    losses = []
    for n, one in enumerate(passes, start=1):
        with recording.scope(f"part{n}"):
            losses.append(one.loss(weights, one.inputs))
    total = losses[0]
    for loss in losses[1:-1]:
        total = add(total, loss, name="total")
    return add(total, losses[-1], name=LOSS)


def _clipped(recording: Recording, scope: str, gradients: Mapping[str, Tensor], limit: float) -> dict[str, Tensor]:
    """The gradients, scaled down if their joint norm is above the limit."""
    with _within(recording, scope):
        length = norm(*gradients.values(), name="gradient_norm")
    found = {}
    for path, gradient in gradients.items():
        parent, _, name = _place(scope, path).rpartition(".")
        with _within(recording, parent):
            found[path] = clip_by_norm(gradient, length, limit=limit, epsilon=CLIP_EPSILON, name=f"d{name}_clipped")
    return found


def _place(scope: str, path: str) -> str:
    return f"{scope}.{path}" if scope else path


def _within(recording: Recording, scope: str) -> AbstractContextManager[None]:
    return recording.scope(scope) if scope else recording.elsewhere()
