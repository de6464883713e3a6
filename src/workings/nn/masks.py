"""What a query may attend to: each mask turns the other scores into -∞."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from ..engine.arguments import refuse_types
from ..engine.form import elementwise
from ..engine.tensor import Tensor
from ..ops.add import add
from ..ops.causal_mask import causal_mask
from ..ops.mask import mask
from ..ops.padding_mask import padding_mask
from ..ops.spread import spread


class Mask(Protocol):
    """Hides some of the scores, such as w.nn.Causal().

    Scores in, scores out; `query` and `key` are their last two axes.
    """

    def __call__(self, scores: Tensor) -> Tensor: ...


@dataclass(frozen=True)
class SeeAll:
    """Every query attends to every key."""

    def __call__(self, scores: Tensor) -> Tensor:
        return scores


@dataclass(frozen=True)
class Causal:
    """Each token attends to itself and earlier tokens."""

    def __call__(self, scores: Tensor) -> Tensor:
        return causal_mask(scores, name="masked")


@dataclass(frozen=True)
class Padding:
    """No query attends to padding: `keep` is 1 for a token and 0 for padding."""

    keep: Tensor

    def __call__(self, scores: Tensor) -> Tensor:
        return padding_mask(scores, self.keep, name="padded")


@dataclass(frozen=True)
class Allowed:
    """A table says which query may attend to which key: 1 or 0."""

    allow: Tensor

    def __call__(self, scores: Tensor) -> Tensor:
        return mask(scores, self.allow, name="allowed")


@dataclass(frozen=True)
class Biased:
    """A table of numbers is added to the scores."""

    bias: Tensor

    def __call__(self, scores: Tensor) -> Tensor:
        return add(scores, self.bias, name="biased")


@dataclass(frozen=True)
class BiasedKeys:
    """A number for each key is added to its scores, for every query and every head."""

    bias: Tensor

    def __call__(self, scores: Tensor) -> Tensor:
        missing = tuple(range(self.bias.ndim - 1 - scores.ndim, -1))
        present = scores.form.taking([*range(self.bias.ndim - 1), scores.ndim - 1])
        elementwise(present, self.bias.form)  # refuses words that do not agree
        table = spread(self.bias, drop=missing, keep=(), axes=scores.axes, shape=scores.shape, name="bias_of_keys")
        return add(scores, table, name="biased")


@dataclass(frozen=True)
class Both:
    """Two masks, one after the other."""

    first: Mask
    second: Mask

    def __post_init__(self) -> None:
        refuse_types("Both", Both, vars(self))

    def __call__(self, scores: Tensor) -> Tensor:
        return self.second(self.first(scores))


SEE_ALL = SeeAll()
