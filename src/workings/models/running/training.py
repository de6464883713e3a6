"""Training as a plan says: which steps are recorded whole, and the loss of all of them.

A kept step lies in the trace: forward, backward, and the new weight of everything that is trained. The steps between
are computed and let go.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from typing import Any

import numpy

from ...engine.arrays import Array
from ...engine.backward import backward
from ...engine.compile import compile_recording
from ...engine.errors import ScenarioError
from ...engine.recording import Recording
from ...engine.registry import OPS
from ...engine.tensor import Tensor
from ...explain.view import Trace
from ...ops.given import constant, parameter
from ..reading.plan import TrainPlan
from .building import weight_called
from .computation import Computation

# What each optimiser carries from one step to the next, and which of them count the steps.
CARRIED: dict[str, tuple[str, ...]] = {"sgd": (), "momentum": ("velocity",), "adam": ("m", "v"), "adamw": ("m", "v")}
COUNTING = ("adam", "adamw")


@dataclass
class State:
    """Where training stands: the weights, what the optimiser remembers of each, and the losses so far."""

    weights: dict[str, Tensor]
    carried: dict[str, list[Tensor]] = field(default_factory=dict)
    losses: list[float] = field(default_factory=list)
    last: list[Tensor] = field(default_factory=list)  # the losses of the last step

    def copy(self) -> State:
        return State(dict(self.weights), {path: list(parts) for path, parts in self.carried.items()}, self.losses)

    def exchange(self, old: Tensor, value: Array) -> None:
        """Another value in the place of a tensor."""
        new = Tensor(value, old.form, old.name, "parameter")
        self.weights = {path: new if weight is old else weight for path, weight in self.weights.items()}
        self.carried = {path: [new if part is old else part for part in row] for path, row in self.carried.items()}


class Trainer:
    """Carries out the steps of training on one computation."""

    def __init__(
        self, plan: TrainPlan, computation: Computation, fixed: Collection[str] = (), own: bool = True
    ) -> None:
        self.plan = plan
        self.computation = computation
        self.trained = _trained(plan, computation.weights, fixed, own)
        self.state = State(dict(computation.weights))

    def record(self, trace: Trace) -> list[float]:
        """Train, and leave the kept steps in the trace. The loss of every step."""
        kept = sorted(set(self.plan.keep or (1,)))
        several = len(kept) > 1
        number = 1
        while number <= self.plan.steps:
            if number in kept:
                if number == kept[0]:
                    with trace:
                        self.computation.write_down(self.state.weights)
                self.step(trace, number, f"step{number}" if several else "")
                number += 1
                if number not in kept:  # the next kept step starts from leaves of its own
                    self.state = _let_go(self.state)
            else:
                after = min([n for n in kept if n > number], default=self.plan.steps + 1)
                self.leave_out(trace.precision, range(number, after))
                number = after
        return self.state.losses

    def leave_out(self, precision: str, numbers: range) -> None:
        """Steps of which only the loss is kept: one is recorded and compiled, and the program does the rest."""
        compiles = precision.startswith("float") and self.plan.optimiser.name not in COUNTING
        self._start_carrying()
        for number in numbers:
            before = self.state.copy()
            trace = Trace(precision=precision)
            self.step(trace, number, "")
            drawn = any(step.leaf == "random" for step in trace.recording.steps.values())  # anew for every step
            if compiles and not drawn and len(numbers) > 2:
                self._repeat(trace.recording, before, len(numbers) - 1)
                return
            self.state = _let_go(self.state)

    def _repeat(self, recording: Recording, before: State, times: int) -> None:
        """Go on with what was recorded from `before` to now, as one function from numbers to numbers."""
        now = self.state
        moved = [path for path in self.trained if now.weights[path] is not before.weights[path]]
        old = [*(before.weights[path] for path in moved), *(m for path in moved for m in before.carried.get(path, ()))]
        new = [*(now.weights[path] for path in moved), *(m for path in moved for m in now.carried.get(path, ()))]
        inputs, outputs = ([recording.step(recording.id_of(x)) for x in side] for side in (old, [*new, *now.last]))
        program = compile_recording(recording, inputs, outputs)
        values = [x.array for x in new]
        for _ in range(times):
            found = program(*values)
            values = [numpy.array(value) for value in found[: len(new)]]
            now.losses.append(float(numpy.mean(found[len(new) :])))
        for tensor, value in zip(new, values, strict=True):
            now.exchange(tensor, value)
        self.state = _let_go(now)

    def step(self, trace: Trace, number: int, scope: str) -> None:
        """One step: on all examples at once, or an update after each."""
        parts = [slice(None)]
        if self.plan.batch == "one-by-one":
            parts = [slice(n, n + 1) for n in range(self.computation.examples)]
        self._start_carrying()
        with trace, trace.recording.scope(scope) if scope else trace.recording.elsewhere():
            self.computation.write_down(self.state.weights)  # those of a step after a gap stand at its beginning
        losses: list[Tensor] = []
        for n, rows in enumerate(parts, start=1):
            inner = f"update{n}" if len(parts) > 1 else ""
            losses.append(
                self._update(
                    trace, (number - 1) * len(parts) + n, ".".join(part for part in (scope, inner) if part), rows
                )
            )
        self.state.last = losses
        self.state.losses.append(float(numpy.mean([loss.array for loss in losses])))

    def _update(self, trace: Trace, count: int, scope: str, rows: slice) -> Tensor:
        recording = trace.recording
        with trace, recording.scope(scope) if scope else recording.elsewhere():
            loss = self.computation.forward(self.state.weights, rows)
            if loss is None:
                raise ScenarioError("run.no_loss", where="train")
        leaves = {path: recording.step(recording.id_of(weight)) for path, weight in self.state.weights.items()}
        # A step that goes on from another stops at its own weights; else the way goes back to all that was given.
        goes_on = any(step.op is not None for step in leaves.values())
        wrt = [leaves[path] for path in self.trained] if goes_on else recording.leaves()
        gradients = backward(recording, recording.step(recording.id_of(loss)), wrt=wrt)
        new = dict(self.state.weights)
        with trace, recording.elsewhere():
            for path in self.trained:
                gradient = gradients.get(leaves[path].id)
                if gradient is not None:
                    prefix = f"{scope}.{path}" if scope else path
                    new[path] = self._moved(trace, prefix, path, gradient, count)
        self.state.weights = new
        return loss

    def _moved(self, trace: Trace, place: str, path: str, gradient: Tensor, count: int) -> Tensor:
        """The new weight, which stands beside the old one: `W_Q_new`."""
        settings: dict[str, Any] = dict(self.plan.optimiser.settings) | {"rate": self.plan.rate}
        if self.plan.optimiser.name in COUNTING:
            settings["t"] = count
        weight = self.state.weights[path]
        before = self.state.carried.get(path, [])
        parent, _, name = place.rpartition(".")
        with trace.recording.scope(parent) if parent else trace.recording.elsewhere():
            label = name if before else f"{name}_new"
            moved: Any = OPS[self.plan.optimiser.name](weight, gradient, *before, **settings, name=label)
        if before:
            moved, *self.state.carried[path] = moved
        new: Tensor = moved
        return new

    def _start_carrying(self) -> None:
        """What the optimiser remembers of each weight is 0 before the first step."""
        names = CARRIED[self.plan.optimiser.name]
        for path in self.trained if names else ():
            if path not in self.state.carried:
                weight, name = self.state.weights[path], path.rpartition(".")[2]
                self.state.carried[path] = [_zero_like(weight, f"{name}_{letter}0") for letter in names]


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


def _zero_like(weight: Tensor, name: str) -> Tensor:
    zeros: Array = numpy.zeros(weight.shape, dtype=weight.array.dtype)
    return constant(zeros, " ".join(weight.axes) if all(weight.axes) else "", name=name)


def _let_go(state: State) -> State:
    """The same numbers as leaves, so that nothing holds on to the trace that they were computed in."""
    weights = {path: _fresh(weight, path.rpartition(".")[2]) for path, weight in state.weights.items()}
    carried = {path: [_kept(part) for part in parts] for path, parts in state.carried.items()}
    return State(weights, carried, state.losses)  # `last` belongs to the trace that is let go


def _fresh(weight: Tensor, name: str) -> Tensor:
    return parameter(weight.array, " ".join(weight.axes) if all(weight.axes) else "", name=name)


def _kept(part: Tensor) -> Tensor:
    return constant(part.array, " ".join(part.axes) if all(part.axes) else "", name=part.name)
