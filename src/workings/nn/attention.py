"""Attention: one head, several heads with matrices of their own, and several heads in one matrix.

    scores = Q Kᵀ    scaled = scores / √d    weights = softmax(scaled)    context = weights V

Queries come from X, keys and values from `memory`. Without a memory both come from X: self-attention.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..engine.arguments import checks_arguments
from ..engine.tensor import Tensor
from ..ops.concat import concat
from ..ops.matmul import matmul
from ..ops.merge_heads import merge_heads
from ..ops.root_scale import divide_by_root
from ..ops.softmax import softmax
from ..ops.split_heads import split_heads
from ..ops.transpose import transpose
from .masks import SEE_ALL, Mask
from .module import Module
from .projection import project


@checks_arguments
def attend(Q: Tensor, K: Tensor, V: Tensor, *masks: Mask, d: float | None = None) -> Tensor:
    """Attention weights of each query for every key, and the values weighted by them. `d` is the head size by default.

    >>> from workings import given
    >>> attend(given([[1.0]], "token head_size"), *[given([[2.0], [0.5]], "token head_size")] * 2)
    Tensor(token 1 × head_size 1, float64)
    """
    scores = matmul(Q.rename(token="query"), transpose(K.rename(token="key")), name="scores")
    scores = divide_by_root(scores, d=Q.shape[-1] if d is None else d, name="scaled")
    for mask in masks:
        scores = mask(scores)
    weights = softmax(scores, axis="key", name="weights")
    return matmul(weights, V.rename(token="key"), name="context").rename(query="token")


@dataclass(frozen=True)
class Head(Module):
    """One head: its own W_Q, W_K and W_V."""

    W_Q: Tensor
    W_K: Tensor
    W_V: Tensor
    b_Q: Tensor | None = None
    b_K: Tensor | None = None
    b_V: Tensor | None = None
    mask: Mask = SEE_ALL
    d: float | None = None  # the scores are divided by its root; None: the head size

    def forward(self, X: Tensor, memory: Tensor | None = None, padding: Mask = SEE_ALL) -> Tensor:
        memory = X if memory is None else memory
        Q = project(X, self.W_Q, self.b_Q, name="Q")
        K = project(memory, self.W_K, self.b_K, name="K")
        V = project(memory, self.W_V, self.b_V, name="V")
        return attend(Q, K, V, self.mask, padding, d=self.d)


@dataclass(frozen=True)
class SeparateHeads(Module):
    """Several heads as textbooks write them: each has matrices of its own; W_O mixes their outputs."""

    heads: tuple[Module, ...]
    W_O: Tensor
    b_O: Tensor | None = None

    def forward(self, X: Tensor, memory: Tensor | None = None, padding: Mask = SEE_ALL) -> Tensor:
        contexts = [head(X, memory, padding) for head in self.heads]
        joined = concat(*contexts, axis="head_size", name="joined")
        return project(joined, self.W_O, self.b_O, name="attended")


@dataclass(frozen=True)
class PackedHeads(Module):
    """Several heads as programs write them: the matrices of all heads side by side in one."""

    W_Q: Tensor
    W_K: Tensor
    W_V: Tensor
    W_O: Tensor
    heads: int
    b_Q: Tensor | None = None
    b_K: Tensor | None = None
    b_V: Tensor | None = None
    b_O: Tensor | None = None
    mask: Mask = SEE_ALL
    d: float | None = None

    def forward(
        self, X: Tensor, memory: Tensor | None = None, padding: Mask = SEE_ALL, values: Tensor | None = None
    ) -> Tensor:
        memory = X if memory is None else memory
        values = memory if values is None else values
        Q = split_heads(project(X, self.W_Q, self.b_Q, name="Q"), heads=self.heads, name="Q_heads")
        K = split_heads(project(memory, self.W_K, self.b_K, name="K"), heads=self.heads, name="K_heads")
        V = split_heads(project(values, self.W_V, self.b_V, name="V"), heads=self.heads, name="V_heads")
        context = attend(Q, K, V, self.mask, padding, d=self.d)
        return project(merge_heads(context, name="joined"), self.W_O, self.b_O, name="attended")
