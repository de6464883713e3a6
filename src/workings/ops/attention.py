"""attention: every token attends to every token and gets a weighted average of their values."""

from __future__ import annotations

from ..engine.op import Group
from ..engine.page import Example, formula, mistake, values
from ..engine.tensor import Tensor
from .matmul import matmul
from .root_scale import divide_by_root
from .scale import divide_by, scale
from .softmax import softmax
from .transpose import transpose


class Attention(Group):
    """Scores every query against every key, turns the scores into attention weights, and averages the values with them.

    The rows of Q are queries, those of K and V are keys: a `token` axis is read as `query` or as `key`, and the result
    has a `token` axis again.

    d: the scores are divided by its square root; by default the size of a head
    """

    conventions = {"attention_scale": "head"}
    parts = ("scores", "scaled", "weights", "context")

    @formula(r"context = \operatorname{softmax} \left( \frac{Q \, K^\top}{\sqrt{d}} \right) V")
    def forward(self, Q: Tensor, K: Tensor, V: Tensor, *, d: float | None = None) -> Tensor:
        scores = _scores(Q, K)
        scaled = divide_by_root(scores, d=_size(Q, d), name="scaled")
        weights = softmax(scaled, axis=-1, name="weights")
        return _context(weights, V, Q)

    @mistake("You did not divide the scores by the square root of d.")
    def unscaled(self, Q: Tensor, K: Tensor, V: Tensor) -> Tensor:
        scaled = scale(_scores(Q, K), factor=1.0, name="scaled")
        return _context(softmax(scaled, axis=-1, name="weights"), V, Q)

    @mistake("You divided the scores by d: divide them by its square root.")
    def root_forgotten(self, Q: Tensor, K: Tensor, V: Tensor, *, d: float | None) -> Tensor:
        scaled = divide_by(_scores(Q, K), divisor=_size(Q, d), name="scaled")
        return _context(softmax(scaled, axis=-1, name="weights"), V, Q)

    @mistake("You swapped queries and keys: each row of the scores belongs to a query.")
    def queries_and_keys_exchanged(self, Q: Tensor, K: Tensor, V: Tensor, *, d: float | None) -> Tensor:
        return self.forward(K.relabeled(Q.axes), Q.relabeled(K.axes), V, d=d)

    @mistake("You swapped keys and values: the scores compare queries with keys, and the weights average the values.")
    def keys_and_values_exchanged(self, Q: Tensor, K: Tensor, V: Tensor, *, d: float | None) -> Tensor:
        return self.forward(Q, V.relabeled(K.axes), K.relabeled(V.axes), d=d)

    @mistake("You normalized the columns: the attention weights of each query, one row, must sum to 1.")
    def wrong_axis(self, Q: Tensor, K: Tensor, V: Tensor, *, d: float | None) -> Tensor:
        scaled = divide_by_root(_scores(Q, K), d=_size(Q, d), name="scaled")
        return _context(softmax(scaled, axis=-2, name="weights"), V, Q)

    example = Example(
        values([[2.0, -0.5], [0.7, 1.1], [-0.3, 0.9]], "token head_size"),
        values([[0.4, 1.6], [-1.2, 0.5], [0.8, -0.7]], "token head_size"),
        values([[1.0, 0.3], [0.2, -0.9], [-0.6, 0.5]], "token head_size"),
        cotangent=[[0.3, -0.8], [0.6, 0.2], [-0.5, 0.9]],
    )
    more_examples = (
        Example(
            values([[2.0, -0.5], [0.7, 1.1]], "query head_size"),
            values([[0.4, 1.6], [-1.2, 0.5], [0.8, -0.7]], "key head_size"),
            values([[1.0, 0.3, 0.6], [0.2, -0.9, 0.1], [-0.6, 0.5, -0.4]], "key model"),
            d=5,
            cotangent=[[0.3, -0.8, 0.1], [0.6, 0.2, -0.7]],
        ),
        Example(
            values(
                [[[2.0, -0.5], [0.7, 1.1], [0.2, 0.8]], [[0.3, 1.4], [-0.9, 0.6], [1.2, -0.1]]], "head token head_size"
            ),
            values(
                [[[0.4, 1.6], [-1.2, 0.5], [0.9, 0.3]], [[0.8, -0.7], [1.3, 0.2], [0.1, 0.6]]], "head token head_size"
            ),
            values(
                [[[1.0, 0.3], [0.2, -0.9], [0.6, 0.1]], [[-0.6, 0.5], [0.7, 0.4], [0.8, -0.3]]], "head token head_size"
            ),
            cotangent=[[[0.3, -0.7], [0.5, 0.1], [-0.2, 0.4]], [[0.2, 0.9], [-0.4, 0.8], [0.6, -0.5]]],
        ),
    )


def _scores(Q: Tensor, K: Tensor) -> Tensor:
    """Each query with every key."""
    return matmul(_read(Q, "query"), transpose(_read(K, "key")), name="scores")


def _context(weights: Tensor, V: Tensor, Q: Tensor) -> Tensor:
    """The values averaged by the weights, as rows that are tokens again if the queries were."""
    context = matmul(weights, _read(V, "key"), name="context")
    return context.rename(query="token") if "token" in Q.axes else context


def _read(x: Tensor, word: str) -> Tensor:
    return x.rename(token=word) if "token" in x.axes else x


def _size(Q: Tensor, d: float | None) -> float:
    return Q.shape[-1] if d is None else d


attention = Attention()
