"""lookup, add_rows: embedding lookup, and the gradient of the embedding table."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, dtype_name, indices, namespace
from ..engine.form import Form, Layout, form_of, wrong_rank
from ..engine.hand import Hand, Literal, Paper, add
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .matmul import matmul
from .one_hot import one_hot
from .parts.labels import last_of_each, refuse_labels, refuse_unpaired
from .parts.surroundings import is_position
from .parts.table_mistakes import TableMistakes
from .reshape import reshape
from .spread import spread
from .sum_to import sum_to
from .transpose import transpose


class Lookup(TableMistakes):
    """Takes the row of each token id out of a table: an embedding lookup."""

    emit = "{0}[{1}]"

    @formula(r"y_{tj} = E_{ids_t,j}")
    def forward(self, E: Array, ids: Array) -> Array:
        xp: Any = namespace(E)
        return xp.reshape(xp.take(E, xp.reshape(ids, (-1,)), axis=0), (*ids.shape, E.shape[-1]))

    def layout(self, E: Form, ids: Form) -> Layout:  # type: ignore[override]
        if len(E.shape) != 2:
            raise wrong_rank("lookup", "exactly two axes", len(E.shape))
        return Layout(form_of((*ids.axes, E.axes[-1]), (*ids.shape, E.shape[-1])), {})

    @rule("E", r"dE_{rj} = \sum_t [ids_t = r] \, dy_{tj}")
    def dE(self, g: Tensor, E: Tensor, ids: Tensor) -> Tensor:
        return add_rows(g, ids, rows=E.shape[0], word=E.axes[0])

    no_rule = {"ids": "Token ids are integers: there is no small change of them, so they have no gradient."}

    derivation = (
        (r"y_{tj} = E_{ids_t,j}", "each token copies one row of the table"),
        (r"\frac{\partial y_{tj}}{\partial E_{rj}} = [ids_t = r]", "1 if token t took row r, else 0"),
        (r"dE_{rj} = \sum_t [ids_t = r] \, dy_{tj}", "a row used twice gets both gradients, an unused one gets 0"),
    )

    def by_hand(self, at: Index, E: Paper, ids: Paper) -> Hand:
        return E[(int(ids[at[:-1]].value), at[-1])]

    def by_hand_dE(self, at: Index, g: Paper, E: Paper, ids: Paper) -> Hand:
        return add_rows.by_hand(at, g, ids, rows=E.shape[0], word="")

    @mistake("You counted the rows from 1: the id 0 means the first row.")
    def counted_from_one(self, E: Tensor, ids: Tensor) -> Tensor:
        return lookup(E, ids - 1)

    @mistake("You took columns of the table: each token has a row.")
    def columns_taken(self, E: Tensor, ids: Tensor) -> Tensor:
        return lookup(transpose(E), ids)

    @mistake("You gave every row a gradient: a row that no token used gets 0.", of="E")
    def to_all_rows(self, g: Tensor, E: Tensor) -> Tensor:
        total = sum_to(g, drop=tuple(range(-g.ndim, -1)), keep=())
        return spread(total, drop=(-2,), keep=(), axes=E.axes, shape=E.shape)

    @mistake("You kept only the last gradient of a row that is used several times: sum them.", of="E")
    def last_kept(self, g: Tensor, E: Tensor, ids: Tensor) -> Tensor:
        return add_rows.last_kept(g, ids, rows=E.shape[0], word=E.axes[0])

    @mistake("You counted the positions from 1: the first token is at position 0.", surroundings=is_position)
    def positions_from_one(self, E: Tensor, ids: Tensor) -> Tensor:
        return lookup(E, ids + 1)

    def check(self, E: Array, ids: Array) -> None:
        refuse_labels(ids, E.shape[0], "ids")

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3], [0.4, 0.9, -0.6], [-0.8, 0.3, 0.5]], "vocab model"),
        values([2, 1, 2], "token"),
        cotangent=[[0.3, -0.8, 0.5], [0.6, 0.2, -0.4], [-0.7, 0.9, 0.1]],
    )
    more_examples = (
        Example(
            values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3], [0.4, 0.9, -0.6]], "vocab model"),
            values([[2, 0], [0, 0]], "batch token"),
            cotangent=[[[0.3, -0.7, 0.6], [0.5, 0.1, -0.2]], [[0.2, 0.9, 0.4], [-0.4, 0.8, 0.7]]],
        ),
    )


class AddRows(Composite):
    """Adds each row to a table of zeros, at the row of its id (scatter-add): the gradient of a lookup.

    rows: how many rows the table has
    """

    @formula(r"y_{rj} = \sum_t [ids_t = r] \, x_{tj}")
    def forward(self, x: Tensor, ids: Tensor, *, rows: int, word: str = "vocab") -> Tensor:
        count, width = ids.entries, x.axes[-1]
        labels = reshape(ids, shape=(count,), axes=("",), name="labels")
        flat = reshape(x, shape=(count, x.shape[-1]), axes=("", width), name="flat")
        marks = one_hot(labels, size=rows, word=word, dtype=dtype_name(x.array), name="marks")
        return matmul(transpose(marks), flat)

    @rule("x", r"dx_{tj} = dy_{ids_t,j}")
    def dx(self, g: Tensor, ids: Tensor) -> Tensor:
        return lookup(g, ids)

    no_rule = {"ids": "Token ids are integers: there is no small change of them, so they have no gradient."}

    derivation = (
        (r"y_{rj} = \sum_t [ids_t = r] \, x_{tj}", "one entry: the sum of all rows with the id r"),
        (r"\frac{\partial y_{rj}}{\partial x_{tj}} = [ids_t = r]", "row t is added once, to the row of its id"),
        (r"dx_{tj} = dy_{ids_t,j}", "so it gets the gradient of that row"),
    )

    def by_hand(self, at: Index, x: Paper, ids: Paper, *, rows: int, word: str) -> Hand:
        terms = [x[(*t, at[-1])] for t in indices(ids.shape) if ids[t].value == at[0]]
        return add(terms) if terms else Literal(0.0)

    def by_hand_dx(self, at: Index, g: Paper, ids: Paper) -> Hand:
        return g[(int(ids[at[:-1]].value), at[-1])]

    @mistake("You kept only the last of several rows with the same id: sum them.")
    def last_kept(self, x: Tensor, ids: Tensor, *, rows: int, word: str) -> Tensor:
        return add_rows(x * last_of_each(ids, dtype_name(x.array)), ids, rows=rows, word=word)

    @mistake("You counted the rows of the gradient from 1: the id 0 means the first row.", of="x")
    def counted_from_one(self, g: Tensor, ids: Tensor) -> Tensor:
        return lookup(g, ids - 1)

    def check(self, x: Array, ids: Array, *, rows: int, word: str) -> None:
        refuse_unpaired("add_rows", x, ids, "ids", rows)

    example = Example(
        values([[0.3, -0.8, 0.5], [0.6, 0.2, -0.4], [-0.7, 0.9, 0.1]], "token model"),
        values([2, 1, 2], "token"),
        rows=4,
        cotangent=[[0.2, -0.5, 1.0], [0.7, 0.1, -0.3], [0.4, 0.9, -0.6], [-0.8, 0.3, 0.5]],
    )


lookup = Lookup()
add_rows = AddRows()
