"""A plan carried out: forward through every example, the loss, and the way back.

Three kinds of computation: a model with examples, a model with a source of batches, and `calculate:` lines. Each knows
its weights, and how to compute the loss from any such weights; so training need not know which one it has.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any, Protocol

from ...conventions import Convention
from ...engine.arithmetic import arithmetic
from ...engine.context import CONTEXT
from ...engine.errors import ScenarioError
from ...engine.recording import Recording
from ...engine.tensor import Tensor
from ...nn.head import Answer
from ...ops.add import add
from ...ops.drawing import Draws
from ...ops.given import given, ids, parameter
from ...ops.reduction import REDUCTIONS
from ...ops.scale import divide_by
from ...train.averaging import loss_of, scores_of, shares_of
from ...train.batch import Batch
from ...train.gradients import Pass
from ...train.sources import Source
from ..reading.matrix_reading import ids_of, matrix_of
from ..reading.plan import GivenIds, GivenValue, Plan, TrainPlan
from .building import Built, build_model, texts_of
from .calculate import calculate
from .data import Row, rows_of
from .sources import source_of

LOSS = "loss"


class Computation(Protocol):
    """Something that can be computed again with other weights."""

    @property
    def weights(self) -> Mapping[str, Tensor]: ...

    @property
    def draws(self) -> Draws | None:
        """What dropout masks are drawn from while a pass is recorded."""

    def write_down(self, weights: Mapping[str, Tensor]) -> None:
        """Record these weights now, each under its path."""

    def forward(self, weights: Mapping[str, Tensor]) -> Tensor | None:
        """Record the pass through all that is given; the loss, if there is one."""

    def updates(self, number: int) -> list[list[Pass]]:
        """The updates of a step of training, each with the passes whose losses it adds up."""


@dataclass(frozen=True)
class OfModel:
    """The base of what is computed with a model."""

    built: Built

    @property
    def weights(self) -> Mapping[str, Tensor]:
        return self.built.model.parameters()

    @property
    def draws(self) -> Draws | None:
        return self.built.draws

    def write_down(self, weights: Mapping[str, Tensor]) -> None:
        self.built.model.with_parameters(weights).write_down()


@dataclass(frozen=True)
class ModelComputation(OfModel):
    """A model and its examples."""

    rows: tuple[Row, ...]
    reduction: str  # of the losses of one example, and of those of all examples
    one_by_one: bool = False  # whether each example has an update of its own

    def forward(self, weights: Mapping[str, Tensor]) -> Tensor | None:
        return self._forward(weights, slice(None))

    @cached_property
    def _passes(self) -> list[list[Pass]]:
        parts = [slice(n, n + 1) for n in range(len(self.rows))] if self.one_by_one else [slice(None)]
        return [[Pass(partial(self._loss, rows=rows))] for rows in parts]

    def updates(self, number: int) -> list[list[Pass]]:
        return self._passes

    def _loss(self, weights: Mapping[str, Tensor], inputs: Mapping[str, Tensor], rows: slice) -> Tensor:
        return _required(self._forward(weights, rows))

    def _forward(self, weights: Mapping[str, Tensor], rows: slice) -> Tensor | None:
        model = self.built.model.with_parameters(weights)
        chosen = list(enumerate(self.rows, start=1))[rows]
        losses = [self._example(model, row, f"example{n}" if len(chosen) > 1 else "") for n, row in chosen]
        found = [loss for loss in losses if loss is not None]
        if len(found) < 2:
            return found[0] if found else None
        total = found[0]
        for loss in found[1:-1]:
            total = add(total, loss, name="total")
        if self.reduction == "sum":
            return add(total, found[-1], name=LOSS)
        return divide_by(add(total, found[-1], name="total"), divisor=len(found), name=LOSS)

    def _example(self, model: Any, row: Row, scope: str) -> Tensor | None:
        recorder = _recorder()
        with recorder.scope(scope) if scope else recorder.elsewhere():
            tokens = _leaf(ids(row.tokens, name="source" if row.written else "tokens"))
            texts = (tokens, _leaf(ids(row.written, name="tokens"))) if row.written else (tokens,)
            asked = (_leaf(ids(row.places, name="places")),) if row.places else ()
            scores = model(*texts, *asked)
            if row.target is None or not isinstance(model.head, Answer):
                return None
            # Labels of yes or no are numbers; words and classes are ids.
            is_ids = row.target_is_ids
            target = ids(row.target, "token", name="target") if is_ids else given(row.target, "token", name="target")
            if is_ids and row.places:
                target = target.rename(token="place")
            return model.head.loss(scores, target, self.reduction)


@dataclass(frozen=True)
class BatchComputation(OfModel):
    """A model and a source of batches: a task, or a long text. Each step has batches of its own."""

    source: Source
    train: TrainPlan
    seed: int
    dtype: str

    def forward(self, weights: Mapping[str, Tensor]) -> Tensor | None:
        return self._loss(weights, self.passes_of(self.batches(1))[0].inputs)

    def updates(self, number: int) -> list[list[Pass]]:
        return [self.passes_of(self.batches(number))]

    def batches(self, number: int) -> list[Batch]:
        """The batches of a step. They depend on the seed and the number of the step, and on nothing before it."""
        draws = Draws.stream(self.seed, f"batch {number}")
        return [self.source.batch(draws, self.train.size) for _ in range(self.train.parts)]

    def passes_of(self, batches: Sequence[Batch]) -> list[Pass]:
        shares = shares_of([batch.counted for batch in batches], self.train.average)
        return [
            Pass(self._loss, batch.tensors(share, self.dtype)) for batch, share in zip(batches, shares, strict=True)
        ]

    def _loss(self, weights: Mapping[str, Tensor], inputs: Mapping[str, Tensor]) -> Tensor:
        written = {name: _leaf(tensor) for name, tensor in inputs.items()}
        return loss_of(scores_of(self.built.model.with_parameters(weights), written), written)


@dataclass(frozen=True)
class Calculation:
    """`calculate:` lines over given values; the `parameters` among them can be trained."""

    plan: Plan
    values: Mapping[str, Tensor]
    weights: Mapping[str, Tensor]
    where: str
    draws: Draws | None = None

    def write_down(self, weights: Mapping[str, Tensor]) -> None:
        for tensor in (*self.values.values(), *weights.values()):
            _leaf(tensor)

    def forward(self, weights: Mapping[str, Tensor]) -> Tensor | None:
        results = calculate(self.plan.calculate, {**self.values, **weights}, self.where)
        loss = results.get(LOSS)
        if loss is not None and loss.shape:
            raise ScenarioError("run.loss.shape", form=str(loss.form), where=self.where)
        return loss

    def updates(self, number: int) -> list[list[Pass]]:
        return [[Pass(self._loss)]]

    def _loss(self, weights: Mapping[str, Tensor], inputs: Mapping[str, Tensor]) -> Tensor:
        return _required(self.forward(weights))


def _required(loss: Tensor | None) -> Tensor:
    if loss is None:
        raise ScenarioError("run.no_loss", where="train")
    return loss


def computation_of(
    plan: Plan, convention: Convention, where: str = "", own: Convention | None = None, precision: str | None = None
) -> Computation:
    """What a plan computes under a convention and in a precision, which may not be its `own`."""
    if plan.model is None:
        values = {name: _given(name, value) for name, value in plan.given.items()}
        weights = {
            name: parameter(matrix_of(value, None, f"parameters.{name}"), name=name)
            for name, value in plan.parameters.values.items()
        }
        return Calculation(plan, values, weights, where)
    train = plan.train or TrainPlan()
    source = source_of(plan)
    built = build_model(plan, convention, own or convention, texts_of(plan, source))
    if source is not None:
        dtype = arithmetic(precision or plan.precision).dtype
        return BatchComputation(built, source, train, plan.parameters.seed, dtype)
    rows = rows_of(plan, built) if plan.examples or plan.generate is None else ()
    return ModelComputation(built, rows, _reduction(plan, built, convention), train.batch == "one-by-one")


def _reduction(plan: Plan, built: Built, convention: Convention) -> str:
    """Whether losses are averaged or added up: as `train.loss` says, or else the convention. Which loss it is depends
    on the head: another one is refused.
    """
    if plan.train is None or plan.train.loss is None:
        return convention.loss_reduction
    fitting = "binary_cross_entropy" if built.architecture.head == "token-sigmoid" else "cross_entropy"
    name, _, reduction = plan.train.loss.partition(" ")
    if name != fitting or reduction.strip() not in ("", *REDUCTIONS):
        choices = ", ".join([fitting, *(f"{fitting} {choice}" for choice in REDUCTIONS)])
        values = {"loss": plan.train.loss, "head": built.architecture.head, "choices": choices}
        raise ScenarioError("run.loss", where="train.loss", **values)
    return reduction.strip() or convention.loss_reduction


def _given(name: str, written: GivenValue | GivenIds) -> Tensor:
    where, axes = f"given.{name}", " ".join(written.axes)
    if isinstance(written, GivenIds):
        values = ids_of(written.ids, where)
        return ids(values, axes, name=name)
    return given(matrix_of(written.value, None, where), axes, name=name)


def _recorder() -> Recording:
    recorder = CONTEXT.get().recorder
    assert recorder is not None, "a plan is carried out in a trace"
    return recorder


def _leaf(tensor: Tensor) -> Tensor:
    """Written down here and now, so that its path is that of the example and not of the module that reads it first."""
    _recorder().id_of(tensor)
    return tensor
