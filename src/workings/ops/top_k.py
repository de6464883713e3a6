"""top_k: the indices of the k largest entries of each row."""

from __future__ import annotations

from ..engine.arrays import Array, Index, namespace
from ..engine.form import Form, Layout, form_of, wrong_rank
from ..engine.hand import Lines, Named, Paper, largest, position
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, values
from ..engine.settings import bad_setting
from ..engine.tensor import Tensor
from .transpose import transpose


class TopK(Primitive):
    """Finds the indices of the k largest entries of each row, counted from 0, in descending order.

    In a tie, the first entry comes first. `word` names the axis of the k indices.

    k: the number of indices
    """

    # The positions are counted from the end, in order of size, and read backwards: so equal entries keep their order.
    emit = "{0}.shape[-1] - 1 - flip(argsort(flip({0}, -1), -1, stable=True), -1)[..., :{k}]"

    @formula(r"y_{i1}, \dots, y_{ik} : \quad x_{i,y_{i1}} \ge \dots \ge x_{i,y_{ik}} \ge \text{all others}")
    def forward(self, x: Array, *, k: int, word: str = "rank") -> Array:
        xp = namespace(x)
        return x.shape[-1] - 1 - xp.flip(xp.argsort(xp.flip(x, axis=-1), axis=-1, stable=True), axis=-1)[..., :k]

    def layout(self, x: Form, *, k: int, word: str) -> Layout:  # type: ignore[override]
        if not x.shape:
            raise wrong_rank("top_k", "one axis or more", 0)
        if not 1 <= k <= x.shape[-1]:
            raise bad_setting("top_k", "k", k, f"a whole number from 1 to {x.shape[-1]}")
        return Layout(form_of((*x.axes[:-1], word), (*x.shape[:-1], k)), {"k": k, "word": word})

    no_rule = {"x": "A small change of x does not change the indices, so their derivative is 0."}

    def by_hand(self, at: Index, x: Paper, *, k: int, word: str) -> Lines:
        row = x.line(at, -1)
        order = sorted(range(len(row)), key=lambda place: row[place].value, reverse=True)
        crossed: list[Named] = []
        for rank in range(at[-1] + 1):
            top = yield f"max{rank}", largest(row[place] for place in sorted(order[rank:]))
            if rank < at[-1]:
                crossed.append((yield f"place{rank}", position(top, row, crossed)))
        return position(top, row, crossed)

    @mistake("You started with the smallest entry: the largest comes first.")
    def smallest_first(self, x: Tensor, *, k: int, word: str) -> Tensor:
        return top_k(-x, k=k, word=word)

    @mistake("You counted from 1: the first index is 0.")
    def counted_from_one(self, x: Tensor, *, k: int, word: str) -> Tensor:
        return top_k(x, k=k, word=word) + 1

    @mistake("You gave the rank of each entry: the result is the index of the entry at each rank.")
    def ranks_for_positions(self, x: Tensor, *, k: int, word: str) -> Tensor:
        everything = top_k(x, k=x.shape[-1], word=word)
        return top_k(-everything, k=k, word=word)

    @mistake("You searched the columns: find the largest entries of each row.")
    def wrong_axis(self, x: Tensor, *, k: int, word: str) -> Tensor:
        return transpose(top_k(transpose(x), k=k, word=word))

    @mistake("You ignored the signs: -3 is smaller than 2.")
    def sign_dropped(self, x: Tensor, *, k: int, word: str) -> Tensor:
        return top_k(x * x, k=k, word=word)

    example = Example(values([[0.3, 1.5, -2.0, 0.9], [0.8, -0.4, 0.8, 0.1]], "token vocab"), k=2)
    more_examples = (
        Example(values([0.2, -0.9, 0.6, 0.1], "vocab"), k=4, word="place"),
        Example(values([[[2.0, 1.5], [0.1, 0.4]], [[0.7, 0.7], [-1.0, 0.6]]], "batch token hidden"), k=1),
    )


top_k = TopK()
