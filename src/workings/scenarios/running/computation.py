"""What a plan computes: the forward pass through every example, and the loss.

There are three kinds of computation: a model with examples, a model with a source of batches, and `calculate:` lines.
Each knows its weights, and computes the loss from any such weights; training need not know which one it has.
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
from ...ops.given import given, ids, parameter
from ...ops.parts.drawing import Draws
from ...ops.parts.reduction import REDUCTIONS
from ...ops.scale import divide_by
from ...training.averaging import logits_of, loss_of, shares_of
from ...training.batch import Batch
from ...training.gradients import LOSS, ForwardPass
from ...training.sources import Source
from ...training.trainer import Trainable
from ..reading.matrices import ids_of, matrix_of
from ..reading.plan import GivenIds, GivenValue, Plan, TrainPlan
from .building import Built, build_model, texts_of
from .calculate import calculate
from .data import Row, rows_of
from .sources import source_of


class Computation(Trainable, Protocol):
    """Something that can be computed again with other weights."""

    def forward(self, weights: Mapping[str, Tensor]) -> Tensor | None:
        """Record the pass through everything that is given; the loss, if there is one."""


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
    batch_size: int | None = None  # of the examples, how many an update uses; None: all of them

    def forward(self, weights: Mapping[str, Tensor]) -> Tensor | None:
        return self._forward(weights, slice(None))

    @cached_property
    def _passes(self) -> list[list[ForwardPass]]:
        size = self.batch_size or len(self.rows) or 1
        batches = [slice(n, n + size) for n in range(0, len(self.rows), size)] or [slice(None)]
        return [[ForwardPass(partial(self._loss, rows=rows))] for rows in batches]

    def updates(self, number: int) -> list[list[ForwardPass]]:
        return self._passes

    def _loss(self, weights: Mapping[str, Tensor], inputs: Mapping[str, Tensor], rows: slice) -> Tensor:
        return _required(self._forward(weights, rows))

    def _forward(self, weights: Mapping[str, Tensor], rows: slice) -> Tensor | None:
        model = self.built.model.with_parameters(weights)
        chosen = list(enumerate(self.rows, start=1))[rows]
        # With a batch size of 1, the number of the update says which example it is.
        is_numbered = len(self.rows) > 1 and (self.batch_size != 1 or len(chosen) > 1)
        losses = [self._example(model, row, f"example{n}" if is_numbered else "") for n, row in chosen]
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
            tokens = _leaf(ids(row.tokens, name="source" if row.decoder_tokens else "tokens"))
            texts = (tokens, _leaf(ids(row.decoder_tokens, name="tokens"))) if row.decoder_tokens else (tokens,)
            places = (_leaf(ids(row.places, name="places")),) if row.places else ()
            scores = model(*texts, *places)
            if row.target is None or not isinstance(model.head, Answer):
                return None
            # Labels from 0 to 1 are numbers; tokens and classes are ids.
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

    def updates(self, number: int) -> list[list[ForwardPass]]:
        return [self.passes_of(self.batches(number))]

    def batches(self, number: int) -> list[Batch]:
        """The batches of a step. They depend on the seed and the number of the step, and on nothing before it."""
        draws = Draws.stream(self.seed, f"batch {number}")
        return [self.source.batch(draws, self.train.drawn_batch_size) for _ in range(self.train.accumulation_steps)]

    def passes_of(self, batches: Sequence[Batch]) -> list[ForwardPass]:
        shares = shares_of([batch.counted for batch in batches], self.train.average)
        pairs = zip(batches, shares, strict=True)
        return [ForwardPass(self._loss, batch.tensors(share, self.dtype)) for batch, share in pairs]

    def _loss(self, weights: Mapping[str, Tensor], inputs: Mapping[str, Tensor]) -> Tensor:
        leaves = {name: _leaf(tensor) for name, tensor in inputs.items()}
        return loss_of(logits_of(self.built.model.with_parameters(weights), leaves), leaves)


@dataclass(frozen=True)
class Calculation:
    """`calculate:` lines over given values; the `parameters` among them can be trained."""

    plan: Plan
    values: Mapping[str, Tensor]
    weights: Mapping[str, Tensor]
    draws: Draws | None = None

    def write_down(self, weights: Mapping[str, Tensor]) -> None:
        for tensor in (*self.values.values(), *weights.values()):
            _leaf(tensor)

    def forward(self, weights: Mapping[str, Tensor]) -> Tensor | None:
        results = calculate(self.plan.calculate, {**self.values, **weights})
        loss = results.get(LOSS)
        if loss is not None and loss.shape:
            raise ScenarioError(
                f"The backward pass starts from a single number, and the loss has {loss.form!s}.",
                hint="Add up its entries, or take their mean.",
                keys=("calculate", [line.name for line in self.plan.calculate].index(LOSS)),
            )
        return loss

    def updates(self, number: int) -> list[list[ForwardPass]]:
        return [[ForwardPass(self._loss)]]

    def _loss(self, weights: Mapping[str, Tensor], inputs: Mapping[str, Tensor]) -> Tensor:
        return _required(self.forward(weights))


def _required(loss: Tensor | None) -> Tensor:
    if loss is None:
        raise ScenarioError(
            "There is no loss to train on.",
            hint="Give the data a target, or add a line `loss = ...`.",
            keys=("train",),
        )
    return loss


def computation_of(
    plan: Plan, convention: Convention, own: Convention | None = None, precision: str | None = None
) -> Computation:
    """What a plan computes under a convention and in a precision, which may not be its `own`."""
    if plan.model is None:
        values = {name: _given(name, value) for name, value in plan.given.items()}
        weights = {
            name: parameter(matrix_of(value, None, ("parameters", name)), name=name)
            for name, value in plan.parameters.values.items()
        }
        return Calculation(plan, values, weights)
    train = plan.train or TrainPlan()
    source = source_of(plan)
    built = build_model(plan, convention, own or convention, texts_of(plan, source))
    if source is not None:
        dtype = arithmetic(precision or plan.precision).dtype
        return BatchComputation(built, source, train, plan.parameters.seed, dtype)
    rows = rows_of(plan, built) if plan.examples or plan.generate is None else ()
    return ModelComputation(built, rows, _reduction(plan, built, convention), train.batch_size)


def _reduction(plan: Plan, built: Built, convention: Convention) -> str:
    """Whether losses are averaged or added up: as `train.loss` says, or else the convention. Which loss it is follows
    from the head: another one is refused.
    """
    if plan.train is None or plan.train.loss is None:
        return convention.loss_reduction
    fitting = "binary_cross_entropy" if built.architecture.head == "token-sigmoid" else "cross_entropy"
    name, _, reduction = plan.train.loss.partition(" ")
    if name != fitting or reduction.strip() not in ("", *REDUCTIONS):
        choices = ", ".join([fitting, *(f"{fitting} {choice}" for choice in REDUCTIONS)])
        raise ScenarioError(
            f"The loss '{plan.train.loss}' does not fit a head of the kind {built.architecture.head}.",
            hint=f"Leave it out, or choose one of: {choices}. Other losses can be computed by `calculate:` lines.",
            keys=("train", "loss"),
        )
    return reduction.strip() or convention.loss_reduction


def _given(name: str, plan: GivenValue | GivenIds) -> Tensor:
    keys, axes = ("given", name), " ".join(plan.axes)
    if isinstance(plan, GivenIds):
        return ids(ids_of(plan.ids, keys), axes, name=name)
    return given(matrix_of(plan.value, None, keys), axes, name=name)


def _recorder() -> Recording:
    recorder = CONTEXT.get().recorder
    assert isinstance(recorder, Recording), "a plan is computed in a trace"
    return recorder


def _leaf(tensor: Tensor) -> Tensor:
    """Recorded here and now, so that its path is that of the example, not of the module that reads it first."""
    _recorder().id_of(tensor)
    return tensor
