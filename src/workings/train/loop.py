"""Training: the steps that repeat. Each takes a batch (or several small ones), and moves every weight.

What training needs to go on is its state: the weights, what the optimiser carries, and how many steps were made. The
numbers that are drawn depend on the seed and on the number of the step alone. So training that was stopped at any
moment goes on from its last state as if nothing had happened, to the last bit.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from ..engine.arithmetic import arithmetic
from ..engine.arrays import Array
from ..engine.errors import NumberError
from ..engine.recording import Recording
from ..engine.sentences import add_sentences
from ..engine.tensor import Tensor
from ..ops.drawing import Draws
from .flat import Flat
from .gradients import LossProgram, Named, Pass, Record, compile_gradients
from .rates import Rates
from .update import Optimiser, Update


@dataclass
class State:
    """Where training stands after `step` steps."""

    weights: Array  # all trained weights in one row
    carried: list[Array]  # what the optimiser remembers, in rows of the same length
    step: int = 0


class Training:
    """The steps of training, on any loss that can be recorded.

    >>> from workings import given, parameter, ops
    >>> W = parameter([3.0], "model", name="W")
    >>> square = lambda weights, inputs: ops.mean(weights["W"] * weights["W"], axis="model", name="loss")
    >>> training = Training({"W": W}, ["W"], Optimiser("sgd"), Rates(0.25))
    >>> [round(training.advance([Pass(square)]), 4) for _ in range(3)]
    [9.0, 2.25, 0.5625]
    """

    def __init__(
        self,
        weights: Named,
        trained: Sequence[str],
        optimiser: Optimiser,
        rates: Rates,
        *,
        dtype: str = "float64",
        seed: int = 0,
        recorder: Callable[[], Recording] | None = None,
    ) -> None:
        self.start = weights
        self.trained = list(trained)
        self.optimiser = optimiser
        self.rates = rates
        self.dtype = dtype
        self.seed = seed
        self.recorder = recorder or (lambda: Recording(arithmetic=arithmetic(dtype)))
        self.flat = Flat.of({path: weights[path] for path in self.trained})
        row = self.flat.row({path: weights[path].array for path in self.trained}, dtype)
        self.state = State(row, [self.flat.empty(dtype) for _ in optimiser.carried])
        self._gradient = self.flat.empty(dtype)
        self._update = Update(optimiser, self.flat, dtype)
        self._tried = 0
        self._programs: dict[tuple[Record, tuple[tuple[int, ...], ...]], LossProgram] = {}

    def advance(self, passes: Sequence[Pass]) -> float:
        """One step: the losses and gradients of the passes are added up, and the weights move once. Its loss."""
        number = self._tried = self.state.step + 1
        try:
            loss, read = self._add_up(passes, dropout_of(self.seed, number))
            if not math.isfinite(loss):
                raise self._out_of_range()
            with self._left_alone(read):
                self._update(self.state.weights, self._gradient, self.state.carried, self.rate, number)
        except NumberError:
            raise self._out_of_range() from None
        self.state.step = number
        return loss

    def _add_up(self, passes: Sequence[Pass], draws: Draws) -> tuple[float, set[int]]:
        """The loss of all passes, and the places of the weights that it depends on; the gradient is left in its row."""
        weights = list(self.flat.views(self.state.weights).values())
        rows = list(self.flat.views(self._gradient).values())
        self._gradient[...] = 0
        total, read = 0.0, set()
        for one in passes:
            program = self._program(one)
            loss, *gradients = program(weights, [tensor.array for tensor in one.inputs.values()], draws)
            for place, gradient in zip(program.read, gradients, strict=True):
                rows[place] += gradient
            total += float(loss)
            read |= set(program.read)
        return total, read

    def _out_of_range(self) -> NumberError:
        return NumberError("train.range", step=self._tried, rate=f"{self.rate:g}")

    @contextmanager
    def _left_alone(self, read: set[int]) -> Iterator[None]:
        """A weight that the loss does not depend on stays as it is: nothing pulls it, not even decay."""
        rows = [self.flat.views(row) for row in (self.state.weights, *self.state.carried)]
        idle = [path for place, path in enumerate(self.trained) if place not in read]
        before = [{path: row[path].copy() for path in idle} for row in rows]
        yield
        for row, old in zip(rows, before, strict=True):
            for path in idle:
                row[path][...] = old[path]

    @property
    def rate(self) -> float:
        """The learning rate of the step that was made last, or was tried."""
        return self.rates.at(max(self._tried, 1))

    def steepest(self) -> str:
        """The weight whose gradient has the largest entry, of the step that was tried last; none before the first."""
        if not self._tried:
            return ""
        gradients = self.flat.views(self._gradient)
        return max(gradients, key=lambda path: float(abs(gradients[path]).max()))

    def weights(self) -> dict[str, Tensor]:
        """All weights as they are now, also those that are not trained."""
        views = self.flat.views(self.state.weights)
        return {
            path: Tensor(views[path].copy(), weight.form, weight.name, "parameter") if path in views else weight
            for path, weight in self.start.items()
        }

    def carried(self) -> dict[str, dict[str, Array]]:
        """What the optimiser remembers of each weight, by its names for it."""
        rows = zip(self.optimiser.carried, self.state.carried, strict=True)
        return {name: self.flat.views(row) for name, row in rows}

    def _program(self, one: Pass) -> LossProgram:
        key = (one.record, one.shapes)
        if key not in self._programs:
            self._programs[key] = compile_gradients(one, self.weights(), self.trained, self.recorder())
        return self._programs[key]


def dropout_of(seed: int, number: int) -> Draws:
    """What the dropout masks of a step are drawn from."""
    return Draws.stream(seed, f"dropout {number}")


def mean_of(history: Sequence[float], last: int = 100) -> float:
    """The mean of the last few losses: what a batch happens to contain evens out."""
    recent = history[-last:]
    return sum(recent) / len(recent)


add_sentences(
    "error",
    {
        "train.range": "At step {step} the loss became too large to be a number (the learning rate is {rate}).",
        "train.range.try": "Choose a smaller learning rate, a warm-up, or clip the gradient.",
    },
)
