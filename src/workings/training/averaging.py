"""Averaging: what fraction of a step's loss each token accounts for.

The texts of a batch differ in length, and a step may read several batches. There are two ways to average:

tokens      every token that counts has the same weight, whichever text or batch it is in
sequences   every text has the same weight, divided equally among its tokens

The second is the mean of the texts' means; it differs from the mean of all tokens unless all texts are equally long.
As weights that sum to 1, both are one sum: the losses and gradients of several small batches are simply added.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

import numpy

from ..engine.arrays import Array
from ..engine.errors import CallError, NumberError
from ..engine.tensor import Tensor
from ..nn.module import Module
from ..ops.log_softmax import log_softmax
from ..ops.mul import mul
from ..ops.neg import neg
from ..ops.pick import pick
from ..ops.sum import sum as sum_of
from .gradients import LOSS

Average = Literal["tokens", "sequences"]


def shares_of(counted: Sequence[Array], average: Average = "tokens") -> list[Array]:
    """The weight of each token in the loss of a step, for each of its batches. Together they sum to 1.

    >>> two_texts = numpy.array([[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]])
    >>> shares_of([two_texts])[0].tolist()
    [[0.25, 0.25, 0.25], [0.25, 0.0, 0.0]]
    >>> shares_of([two_texts], "sequences")[0].round(3).tolist()
    [[0.167, 0.167, 0.167], [0.5, 0.0, 0.0]]
    """
    if average not in get_args(Average):
        raise CallError(
            f"'{average}' is not a way to average losses.", hint=f"Choose one of: {', '.join(get_args(Average))}."
        )
    if average == "tokens":
        total = float(numpy.sum([marks.sum() for marks in counted]))
        _refuse_nothing(total)
        return [marks / total for marks in counted]
    lengths = [marks.sum(axis=-1, keepdims=True) for marks in counted]
    texts = float(numpy.sum([(length > 0).sum() for length in lengths]))
    _refuse_nothing(texts)
    return [marks / numpy.maximum(length, 1) / texts for marks, length in zip(counted, lengths, strict=True)]


def logits_of(model: Module, inputs: Mapping[str, Tensor]) -> Tensor:
    """The logits that a model gives after every token of a batch."""
    texts = [inputs[name] for name in ("source", "tokens") if name in inputs]
    logits: Tensor = model(*texts, **({"keep": inputs["keep"]} if "keep" in inputs else {}))
    return logits


def loss_of(logits: Tensor, inputs: Mapping[str, Tensor]) -> Tensor:
    """The loss of a batch, recorded: the cross-entropy of each token times its weight, added up within each text and
    over the texts.
    """
    log_P = log_softmax(logits, axis=-1, name="log_P")
    losses = neg(pick(log_P, inputs["target"], name="right"), name="losses")
    counted = mul(losses, inputs["shares"], name="counted")
    return sum_of(sum_of(counted, axis="token", name="of_texts"), axis="batch", name=LOSS)


def _refuse_nothing(total: float) -> None:
    if not total:
        raise NumberError(
            "No token of this batch counts, so there is no loss to average.",
            hint="Give at least one text whose answer counts.",
        )
