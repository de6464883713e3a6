"""Training steps: each reads a batch (or several small ones) and updates every trained weight.

A step is made in one of two ways, with the same numbers: `advance` runs a compiled program and keeps only the loss,
`record` leaves the whole step in a trace: forward pass, backward pass and update.

The state of training is the weights, what the optimizer remembers of each, and the number of updates. Random numbers
depend only on the seed and the number of the step, so training that was stopped at any moment resumes from its last
state to the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

import numpy

from ..conventions import Convention
from ..engine.arrays import Array
from ..engine.errors import NumberError
from ..engine.tensor import LeafKind, Tensor, leaf
from ..explain.trace import Trace
from ..ops.parts.drawing import Draws
from .flat import Flat
from .gradients import ForwardPass, LossFunction, LossProgram, compile_gradients
from .rates import Rates
from .recorded_update import Tensors, record_update
from .update import Optimizer, Update


class Trainable(Protocol):
    """Weights, and a loss that can be computed again with other weights."""

    @property
    def weights(self) -> Mapping[str, Tensor]:
        """The weights before the first step, by path."""

    @property
    def draws(self) -> Draws | None:
        """Where dropout masks come from while a pass is recorded."""

    def write_down(self, weights: Mapping[str, Tensor]) -> None:
        """Record these weights now, each under its path."""

    def updates(self, number: int) -> list[list[ForwardPass]]:
        """The updates of a training step, each with the passes whose losses it adds up."""


@dataclass
class TrainingRows:
    """The state of compiled training: all trained weights in one row, and the optimizer's memory in rows like it."""

    weights: Array
    memory: list[Array]


class Trainer:
    """Makes the training steps of a computation, one after the other.

    >>> from workings import scenario
    >>> trainer = scenario("example-2").trainer()
    >>> [round(trainer.advance(), 4) for _ in range(3)]
    [1.3838, 1.3834, 1.383]
    """

    def __init__(
        self,
        computation: Trainable,
        trained: Sequence[str],
        optimizer: Optimizer,
        rates: Rates,
        *,
        precision: str = "float64",
        convention: Convention | None = None,
        seed: int = 0,
    ) -> None:
        self.computation = computation
        self.trained = list(trained)
        self.optimizer = optimizer
        self.rates = rates
        self.precision = precision
        self.convention = convention
        self.seed = seed
        self.updates = 0
        self.losses: list[float] = []  # of every step
        self.flat = Flat.of({path: computation.weights[path] for path in self.trained})
        self._start = dict(computation.weights)
        self._memory_names = {path: [f"{_last(path)}_{part}0" for part in optimizer.memory] for path in self.trained}
        self._state: Tensors | TrainingRows = Tensors(dict(self._start), self._no_memory())
        self._tried = 0
        self._gradient: Array | None = None
        self._update: Update | None = None
        self._programs: dict[tuple[LossFunction, tuple[tuple[int, ...], ...]], LossProgram] = {}

    @property
    def step(self) -> int:
        """How many steps were made."""
        return len(self.losses)

    @property
    def rate(self) -> float:
        """The learning rate of the last update that was made or tried."""
        return self.rates.at(max(self._tried, 1))

    def weights(self) -> dict[str, Tensor]:
        """All weights as they are now, those that are not trained too."""
        if isinstance(self._state, Tensors):
            return dict(self._state.weights)
        views = self.flat.views(self._state.weights)
        return {
            path: _leaf(views[path], weight.axes, _last(path), "parameter") if path in views else weight
            for path, weight in self._start.items()
        }

    def memory(self) -> dict[str, dict[str, Array]]:
        """What the optimizer remembers, by its names for it (`m`, `v`), of each trained weight."""
        rows = self._as_rows().memory
        return {name: self.flat.views(row) for name, row in zip(self.optimizer.memory, rows, strict=True)}

    def restore(
        self,
        losses: Sequence[float],
        updates: int,
        weights: Mapping[str, Array],
        memory: Mapping[str, Mapping[str, Array]],
    ) -> None:
        """Go to a state that was stored."""
        rows = [self.flat.row(memory[name], self.precision) for name in self.optimizer.memory]
        self._state = TrainingRows(self.flat.row(weights, self.precision), rows)
        self.losses, self.updates = list(losses), updates

    # -- compiled steps --------------------------------------------------------------------------------

    def compile(self) -> Update:
        """Compile the update. Settings that the optimizer does not have are refused here, before the first step."""
        self._as_rows()
        if self._update is None:
            self._update = Update(self.optimizer, self.flat, self.precision)
        return self._update

    def advance(self) -> float:
        """Make the next step as a compiled program; its loss."""
        rows = self._as_rows()
        losses = [self._advance(rows, passes) for passes in self.computation.updates(self.step + 1)]
        self.losses.append(float(numpy.mean(losses)))
        return self.losses[-1]

    def _advance(self, rows: TrainingRows, passes: Sequence[ForwardPass]) -> float:
        """One update: the losses and gradients of the passes are added up, and the weights move once."""
        number = self._tried = self.updates + 1
        update = self.compile()
        try:
            loss, gradient, used = self._add_up(rows, passes, dropout_draws(self.seed, number))
            if not math.isfinite(loss):
                raise self._diverged()
            with self._unused_weights_kept(rows, used):
                update(rows.weights, gradient, rows.memory, self.rate, number)
        except NumberError:
            raise self._diverged() from None
        self.updates = number
        return loss

    def _add_up(self, rows: TrainingRows, passes: Sequence[ForwardPass], draws: Draws) -> tuple[float, Array, set[int]]:
        """The loss of all passes, its gradient, and the places of the weights that it depends on."""
        if self._gradient is None:
            self._gradient = self.flat.empty(self.precision)
        weights = list(self.flat.views(rows.weights).values())
        gradients = list(self.flat.views(self._gradient).values())
        self._gradient[...] = 0
        total, used = 0.0, set()
        for one in passes:
            program = self._program(one)
            loss, *found = program(weights, [tensor.array for tensor in one.inputs.values()], draws)
            for place, gradient in zip(program.used, found, strict=True):
                gradients[place] += gradient
            total += float(loss)
            used |= set(program.used)
        return total, self._gradient, used

    def _program(self, one: ForwardPass) -> LossProgram:
        key = (one.loss, one.shapes)
        if key not in self._programs:
            self._programs[key] = compile_gradients(one, self.weights(), self.trained, self.empty_trace().recording)
        return self._programs[key]

    @contextmanager
    def _unused_weights_kept(self, rows: TrainingRows, used: set[int]) -> Iterator[None]:
        """A weight that the loss does not depend on stays as it is: weight decay does not shrink it either."""
        views = [self.flat.views(row) for row in (rows.weights, *rows.memory)]
        unused = [path for place, path in enumerate(self.trained) if place not in used]
        before = [{path: row[path].copy() for path in unused} for row in views]
        yield
        for row, old in zip(views, before, strict=True):
            for path in unused:
                row[path][...] = old[path]

    def _diverged(self) -> NumberError:
        return NumberError(
            f"At step {self.step + 1} the loss became too large to be a number (the learning rate is {self.rate:g}).",
            hint="Choose a smaller learning rate, a warm-up, or clip the gradient.",
        )

    def steepest(self) -> str:
        """The weight whose gradient had the largest entry in the last compiled update; none before the first."""
        if self._gradient is None:
            return ""
        gradients = self.flat.views(self._gradient)
        return max(gradients, key=lambda path: float(abs(gradients[path]).max()))

    # -- recorded steps --------------------------------------------------------------------------------

    def write_down(self, trace: Trace) -> None:
        """Record the weights as they are now, outside of any step."""
        with trace:
            self.computation.write_down(self._as_tensors(trace).weights)

    def record(self, trace: Trace, scope: str = "") -> float:
        """Make the next step in a trace; its loss. Steps that follow each other in one trace stay connected there."""
        updates = self.computation.updates(self.step + 1)
        state = self._as_tensors(trace)
        with trace, trace.recording.scope(scope) if scope else trace.recording.elsewhere():
            self.computation.write_down(state.weights)
        losses = []
        for n, passes in enumerate(updates, start=1):
            inner = f"update{n}" if len(updates) > 1 else ""
            losses.append(self._record(state, trace, ".".join(part for part in (scope, inner) if part), passes))
        self.losses.append(float(numpy.mean([loss.array for loss in losses])))
        return self.losses[-1]

    def _record(self, state: Tensors, trace: Trace, scope: str, passes: Sequence[ForwardPass]) -> Tensor:
        self.updates = self._tried = self.updates + 1
        if self.computation.draws is not None:
            self.computation.draws.go_on_like(dropout_draws(self.seed, self.updates))
        settings = self.optimizer.settings_at(self.rate, self.updates)
        return record_update(trace.recording, scope, passes, state, self.trained, self.optimizer, settings)

    def empty_trace(self) -> Trace:
        """A trace in which nothing is recorded yet, with the precision and the convention of this training."""
        return Trace(precision=self.precision, convention=self.convention)

    # -- from one kind of state to the other -----------------------------------------------------------

    def _as_rows(self) -> TrainingRows:
        if isinstance(self._state, Tensors):
            state = self._state
            self._memory_names = {path: [part.name for part in parts] for path, parts in state.memory.items()}
            weights = self.flat.row({path: state.weights[path].array for path in self.trained}, self.precision)
            parts = range(len(self.optimizer.memory))
            arrays = [{path: state.memory[path][part].array for path in self.trained} for part in parts]
            self._state = TrainingRows(weights, [self.flat.row(memory, self.precision) for memory in arrays])
        return self._state

    def _as_tensors(self, trace: Trace) -> Tensors:
        """The state as tensors that a trace can read: those that it computed itself, or else leaves."""
        if isinstance(self._state, TrainingRows):
            memory = self.memory().values()
            kept = {path: [part[path] for part in memory] for path in self.trained}
            self._state = self._leaves(self.weights(), kept, self._memory_names)
        elif self._state.trace not in (None, trace):
            old = self._state.memory
            kept = {path: [part.array for part in parts] for path, parts in old.items()}
            names = {path: [part.name for part in parts] for path, parts in old.items()}
            self._state = self._leaves(self._state.weights, kept, names)
        self._state.trace = trace
        return self._state

    def _leaves(
        self, weights: Mapping[str, Tensor], memory: Mapping[str, list[Array]], names: Mapping[str, list[str]]
    ) -> Tensors:
        """A state that no longer depends on the trace in which it was computed."""
        return Tensors(
            {path: _leaf(weight.array, weight.axes, _last(path), "parameter") for path, weight in weights.items()},
            {
                path: [
                    _leaf(part, weights[path].axes, name, "constant")
                    for part, name in zip(parts, names[path], strict=True)
                ]
                for path, parts in memory.items()
            },
        )

    def _no_memory(self) -> dict[str, list[Tensor]]:
        """Before the first step, the optimizer's memory of each weight is 0."""
        zeros = {path: numpy.zeros_like(self._start[path].array) for path in self.trained}
        return {
            path: [_leaf(zero, self._start[path].axes, name, "constant") for name in self._memory_names[path]]
            for path, zero in zeros.items()
        }


def dropout_draws(seed: int, number: int) -> Draws:
    """Where the dropout masks of an update come from."""
    return Draws.stream(seed, f"dropout {number}")


def mean_of(losses: Sequence[float], last: int = 100) -> float:
    """The mean of the last few losses: what a batch happens to contain evens out."""
    recent = losses[-last:]
    return sum(recent) / len(recent)


def _leaf(array: Array, axes: tuple[str, ...], name: str, kind: LeafKind) -> Tensor:
    return leaf(array.copy(), axes, name=name, kind=kind)


def _last(path: str) -> str:
    return path.rpartition(".")[2]
