"""Training as a plan says: which steps are recorded whole, and the loss of all of them.

A kept step lies in the trace: forward, backward, and the new weight of everything that is trained. The steps between
are computed by a compiled program (train/loop.py) and let go.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy

from ...engine.arrays import Array
from ...engine.backward import backward
from ...engine.errors import ScenarioError
from ...engine.registry import OPS
from ...engine.tensor import Tensor
from ...explain.view import Trace
from ...ops.add import add
from ...ops.clip_by_norm import clip_by_norm
from ...ops.given import constant, parameter
from ...ops.norm import norm
from ...train.gradients import Pass
from ...train.loop import Training, dropout_of
from ...train.rates import Rates
from ...train.update import CLIP_EPSILON, COUNTING, Optimiser
from ..reading.plan import TrainPlan
from .building import weight_called
from .computation import LOSS, Computation


@dataclass
class Standing:
    """Where training stands: the weights, what the optimiser remembers of each, and the losses so far."""

    weights: dict[str, Tensor]
    carried: dict[str, list[Tensor]] = field(default_factory=dict)
    losses: list[float] = field(default_factory=list)
    updates: int = 0


class Trainer:
    """Carries out the steps of training on one computation."""

    def __init__(
        self,
        plan: TrainPlan,
        computation: Computation,
        fixed: Collection[str] = (),
        own: bool = True,
        seed: int = 0,
    ) -> None:
        self.plan = plan
        self.computation = computation
        self.seed = seed
        self.trained = _trained(plan, computation.weights, fixed, own)
        self.state = Standing(dict(computation.weights))
        self.optimiser = Optimiser(plan.optimiser.name, plan.optimiser.settings, plan.clip)
        self.rates = rates_of(plan, len(computation.updates(1)))
        self._training: Training | None = None

    def record(self, trace: Trace, to_the_end: bool = True) -> list[float]:
        """Train, and leave the kept steps in the trace. The loss of every step, up to the last or the last kept one."""
        kept = sorted(set(self.plan.keep or (1,)))
        several = len(kept) > 1
        number = 1
        while number <= (self.plan.steps if to_the_end else kept[-1]):
            if number in kept:
                if number == kept[0]:
                    with trace:
                        self.computation.write_down(self.state.weights)
                self.step(trace, number, f"step{number}" if several else "")
                number += 1
                if number not in kept and number <= self.plan.steps:  # the next one starts from leaves of its own
                    self.state = _let_go(self.state)
            else:
                after = min([n for n in kept if n > number], default=self.plan.steps + 1)
                self.leave_out(trace, range(number, after))
                number = after
        return self.state.losses

    def leave_out(self, trace: Trace, numbers: range) -> None:
        """Steps of which only the loss is kept. A calculator goes through every line of them; else a program runs."""
        if not trace.precision.startswith("float"):
            for number in numbers:
                self.step(self._aside(trace), number, "")
                self.state = _let_go(self.state)
            return
        training = self._going_on(trace)
        for number in numbers:
            self.state.losses.append(self.advance(training, number))
        self.go_on_from(training)

    def advance(self, training: Training, number: int) -> float:
        """One step that is not recorded; its loss."""
        return float(numpy.mean([training.advance(passes) for passes in self.computation.updates(number)]))

    def go_on_from(self, training: Training) -> None:
        """Stand where the compiled training stands."""
        self._start_carrying()
        self.state.updates = training.state.step
        self.state.weights = {
            path: _fresh(weight, path.rpartition(".")[2]) for path, weight in training.weights().items()
        }
        for path in self.trained if self.optimiser.carried else ():
            names = training.carried().values()
            self.state.carried[path] = [
                _remembered(row[path], part) for row, part in zip(names, self.state.carried[path], strict=True)
            ]

    def compiled(self, trace: Trace) -> Training:
        """The same training as a program, at its beginning; a trace says in which precision and convention."""
        return Training(
            self.state.weights,
            self.trained,
            self.optimiser,
            self.rates,
            dtype=trace.precision,
            seed=self.seed,
            recorder=lambda: self._aside(trace).recording,
        )

    def _going_on(self, trace: Trace) -> Training:
        """The compiled training, at the state of this one."""
        if self._training is None:
            self._training = self.compiled(trace)
        self._start_carrying()
        training = self._training
        training.state.step = self.state.updates
        training.state.weights = training.flat.row(_arrays(self.state.weights), trace.precision)
        for place, row in enumerate(training.state.carried):
            parts = {path: self.state.carried[path][place].array for path in self.trained}
            row[...] = training.flat.row(parts, trace.precision)
        return training

    def _aside(self, trace: Trace) -> Trace:
        """A trace that nobody keeps, under the same convention."""
        return Trace(precision=trace.precision, convention=trace.convention)

    def step(self, trace: Trace, number: int, scope: str) -> None:
        """One step, recorded: on all examples at once, or an update after each."""
        updates = self.computation.updates(number)
        self._start_carrying()
        with trace, trace.recording.scope(scope) if scope else trace.recording.elsewhere():
            self.computation.write_down(self.state.weights)  # those of a step after a gap stand at its beginning
        losses = []
        for n, passes in enumerate(updates, start=1):
            inner = f"update{n}" if len(updates) > 1 else ""
            losses.append(self._update(trace, ".".join(part for part in (scope, inner) if part), passes))
        self.state.losses.append(float(numpy.mean([loss.array for loss in losses])))

    def _update(self, trace: Trace, scope: str, passes: Sequence[Pass]) -> Tensor:
        recording = trace.recording
        self.state.updates += 1
        if self.computation.draws is not None:
            self.computation.draws.go_on_like(dropout_of(self.seed, self.state.updates))
        with trace, recording.scope(scope) if scope else recording.elsewhere():
            loss = self._loss(trace, passes)
        leaves = {path: recording.step(recording.id_of(weight)) for path, weight in self.state.weights.items()}
        # A step that goes on from another stops at its own weights; else the way goes back to all that was given.
        goes_on = any(step.op is not None for step in leaves.values())
        wrt = [leaves[path] for path in self.trained] if goes_on else recording.leaves()
        found = backward(recording, recording.step(recording.id_of(loss)), wrt=wrt)
        gradients = {path: found[leaves[path].id] for path in self.trained if leaves[path].id in found}
        new = dict(self.state.weights)
        with trace, recording.elsewhere():
            gradients = self._clipped(trace, scope, gradients)
            for path, gradient in gradients.items():
                new[path] = self._moved(trace, f"{scope}.{path}" if scope else path, path, gradient)
        self.state.weights = new
        return loss

    def _loss(self, trace: Trace, passes: Sequence[Pass]) -> Tensor:
        """The loss of an update: those of its parts added up."""
        if len(passes) == 1:
            return passes[0].record(self.state.weights, passes[0].inputs)
        losses = []
        for n, one in enumerate(passes, start=1):
            with trace.recording.scope(f"part{n}"):
                losses.append(one.record(self.state.weights, one.inputs))
        total = losses[0]
        for loss in losses[1:-1]:
            total = add(total, loss, name="total")
        return add(total, losses[-1], name=LOSS)

    def _clipped(self, trace: Trace, scope: str, gradients: Mapping[str, Tensor]) -> dict[str, Tensor]:
        """The gradients, shortened if all of them together are too long."""
        if self.optimiser.clip is None:
            return dict(gradients)
        with trace.recording.scope(scope) if scope else nullcontext():
            length = norm(*gradients.values(), name="gradient_norm")
        found = {}
        for path, gradient in gradients.items():
            parent, _, name = (f"{scope}.{path}" if scope else path).rpartition(".")
            with trace.recording.scope(parent) if parent else trace.recording.elsewhere():
                settings: dict[str, Any] = {"limit": self.optimiser.clip, "epsilon": CLIP_EPSILON}
                found[path] = clip_by_norm(gradient, length, **settings, name=f"d{name}_clipped")
        return found

    def _moved(self, trace: Trace, place: str, path: str, gradient: Tensor) -> Tensor:
        """The new weight, which stands beside the old one: `W_Q_new`."""
        settings: dict[str, Any] = dict(self.optimiser.settings) | {"rate": self.rates.at(self.state.updates)}
        if self.optimiser.name in COUNTING:
            settings["t"] = self.state.updates
        weight = self.state.weights[path]
        before = self.state.carried.get(path, [])
        parent, _, name = place.rpartition(".")
        with trace.recording.scope(parent) if parent else trace.recording.elsewhere():
            label = name if before else f"{name}_new"
            moved: Any = OPS[self.optimiser.name](weight, gradient, *before, **settings, name=label)
        if before:
            moved, *self.state.carried[path] = moved
        new: Tensor = moved
        return new

    def _start_carrying(self) -> None:
        """What the optimiser remembers of each weight is 0 before the first step."""
        names = self.optimiser.carried
        for path in self.trained if names else ():
            if path not in self.state.carried:
                weight, name = self.state.weights[path], path.rpartition(".")[2]
                self.state.carried[path] = [_zero_like(weight, f"{name}_{letter}0") for letter in names]


def rates_of(plan: TrainPlan, updates: int = 1) -> Rates:
    """The learning rate of each update; a step has several of them where examples come one by one."""
    return Rates(plan.rate, plan.warmup * updates, plan.fall, plan.floor, plan.steps * updates)


def _trained(plan: TrainPlan, weights: Mapping[str, Tensor], fixed: Collection[str], own: bool) -> list[str]:
    """The paths of what is trained: all that is not fixed, or what the plan names. Under another convention than its
    own, a weight that is not there is not trained: a tied output has no W_vocab.
    """
    if plan.trainable == "all":
        return [path for path in weights if path not in fixed]
    named: dict[str, str] = {}
    for name in plan.trainable:
        with nullcontext() if own else suppress(ScenarioError):
            named[name] = weight_called(name, weights, "train.trainable")
    trained = list(named.values())
    for name, path in named.items():
        if path in fixed or trained.count(path) > 1:
            key = "run.trainable.fixed" if path in fixed else "run.trainable.twice"
            raise ScenarioError(key, name=name, where="train.trainable")
    return trained


def _arrays(weights: Mapping[str, Tensor]) -> dict[str, Array]:
    return {path: weight.array for path, weight in weights.items()}


def _axes(tensor: Tensor) -> str:
    return " ".join(tensor.axes) if all(tensor.axes) else ""


def _zero_like(weight: Tensor, name: str) -> Tensor:
    zeros: Array = numpy.zeros(weight.shape, dtype=weight.array.dtype)
    return constant(zeros, _axes(weight), name=name)


def _let_go(state: Standing) -> Standing:
    """The same numbers as leaves, so that nothing holds on to the trace that they were computed in."""
    weights = {path: _fresh(weight, path.rpartition(".")[2]) for path, weight in state.weights.items()}
    carried = {path: [_remembered(part.array, part) for part in parts] for path, parts in state.carried.items()}
    return Standing(weights, carried, state.losses, state.updates)


def _fresh(weight: Tensor, name: str) -> Tensor:
    return parameter(weight.array, _axes(weight), name=name)


def _remembered(array: Array, part: Tensor) -> Tensor:
    return constant(array, _axes(part), name=part.name)
