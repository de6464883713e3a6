"""What goes wrong with the rows of a table: those of tokens and those of positions."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from ...engine.arrays import namespace
from ...engine.changes import Changes
from ...engine.form import Form, form_of
from ...engine.op import Primitive
from ...engine.page import mistake
from ...engine.site import Site
from ...engine.tensor import Tensor
from .rows import rolled
from .surroundings import is_position, positions_added


def token_lookup(here: Site) -> Site | None:
    """Of the step that takes the rows of the positions: the one that takes the rows of the tokens."""
    return _added_lookup(here) if is_position(here) is not None else None


def position_lookup(here: Site) -> Site | None:
    """Of the step that takes the rows of the tokens: the one that takes the rows of the positions."""
    other = _added_lookup(here) if is_position(here) is None else None
    return other if other is not None and is_position(other) is not None else None


def is_embedding(here: Site) -> dict[str, Site] | None:
    """Nothing more than the step reads, if it takes rows of a learned table for tokens."""
    return {} if here.input("E").is_weight() and is_position(here) is None else None


def _added_lookup(here: Site) -> Site | None:
    """The other lookup of a sum of tokens and positions."""
    for total in here.readers():
        if total.is_a("add") and positions_added(total):
            return next((site for _, site in total.inputs() if site.is_a("lookup") and not site.is_same(here)), None)
    return None


class TableMistakes(Primitive):
    """Mistakes in taking rows out of a table. A page that extends this reads a table E and whole numbers ids."""

    dE: Callable[..., Tensor]  # the rule

    @mistake("You took the row after the right one: ids count the rows from 0.")
    def row_after(self, E: Tensor, ids: Tensor) -> Tensor:
        return self(rolled(E, 1, axis=0), ids)

    @mistake("You read one row too early, and the last row for the id 0: ids count the rows from 0.")
    def row_before(self, E: Tensor, ids: Tensor) -> Tensor:
        return self(rolled(E, E.shape[0] - 1, axis=0), ids)

    @mistake(
        "You multiplied the embedding by √d_model, as in the paper: this model uses the row as it is.",
        surroundings=is_embedding,
    )
    def scaled_by_root(self, E: Tensor, ids: Tensor) -> Tensor:
        return math.sqrt(E.shape[-1]) * self(E, ids)

    @mistake("You listed the gradients in the order of the tokens: each belongs to the row of its id.", of="E")
    def in_order_of_tokens(self, g: Tensor, E: Tensor, ids: Tensor) -> Tensor:
        xp: Any = namespace(ids.array)
        order = xp.reshape(xp.arange(ids.entries, dtype=ids.array.dtype), ids.shape)
        return self.dE(g, E, Tensor(order, form_of(ids.axes, ids.shape), leaf="constant"))

    @mistake("You averaged the gradients of a row that is used several times: sum them.", of="E")
    def gradients_averaged(self, g: Tensor, E: Tensor, ids: Tensor) -> Tensor:
        xp: Any = namespace(ids.array)
        flat = xp.reshape(ids.array, (-1,))
        same = xp.astype(xp.expand_dims(flat, axis=-1) == flat, g.array.dtype)
        counts = xp.reshape(xp.sum(same, axis=-1), (*ids.shape, 1))
        form = Form((*ids.axes, ""), counts.shape, (*[False] * ids.ndim, True))
        return self.dE(g / Tensor(counts, form, leaf="constant"), E, ids)

    @mistake("You looked up the token ids: the row of a position is found by its index.", across="wire")
    def ids_for_positions(self, here: Site) -> Changes | None:
        tokens = token_lookup(here)
        return here.reading(ids=tokens.input("ids")) if tokens is not None else None

    @mistake("You looked up the positions: the row of a token is found by its id.", across="wire")
    def positions_for_ids(self, here: Site) -> Changes | None:
        positions = position_lookup(here)
        return here.reading(ids=positions.input("ids")) if positions is not None else None

    @mistake("You used the wrong table: tokens and positions have separate tables.", across="wire")
    def other_table(self, here: Site) -> Changes | None:
        other = token_lookup(here) or position_lookup(here)
        fits = other is not None and other.input("E").form.shape[-1] == here.form.shape[-1]
        return here.reading(E=other.input("E")) if other is not None and fits else None
