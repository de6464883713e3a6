"""What goes wrong where a residual or a position is added: the mistakes of add that look at the steps around it."""

from __future__ import annotations

import math

from ...engine.changes import Changes
from ...engine.op import Primitive
from ...engine.page import mistake
from ...engine.site import Site
from ...engine.tensor import Tensor
from .block_wires import inputs_of_sublayers, sublayers_parallel, values_of_attention
from .surroundings import (
    NORMS,
    embedding_added,
    positions_added,
    residual_added,
    residual_slots,
    sublayer_output,
)


class ResidualMistakes(Primitive):
    """Mistakes in residual connections, and in the positions that are added to embeddings."""

    @mistake(
        "You left out the residual connection: add the input of the sublayer to its output.",
        surroundings=sublayer_output,
    )
    def residual_forgotten(self, a: Tensor, b: Tensor, output: Tensor) -> Tensor:
        return 1.0 * output.relabeled((a + b).axes)

    @mistake(
        "You kept only the residual: add the output of the sublayer to it.",
        surroundings=residual_added,
    )
    def sublayer_forgotten(self, a: Tensor, b: Tensor, residual: Tensor) -> Tensor:
        return 1.0 * residual.relabeled((a + b).axes)

    @mistake("You added the normalized row: the residual is the row before the norm.", across="wire")
    def residual_of_normalised(self, here: Site) -> Changes | None:
        slots = residual_slots(here)
        if slots is None:
            return None
        came_in, made = slots
        norms = (site for site in here.input(made).before() if site.is_a(*NORMS))
        first = next((norm for norm in norms if norm.input("x").is_same(here.input(came_in))), None)
        return here.reading(**{came_in: first}) if first is not None else None

    @mistake(
        "You added the row before the norm: this model is post-norm, so the residual is the normalized row.",
        across="wire",
    )
    def residual_before_norm(self, here: Site) -> Changes | None:
        slots = residual_slots(here)
        norm = here.input(slots[0]) if slots else here
        return here.reading(**{slots[0]: norm.input("x")}) if slots and norm.is_a(*NORMS) else None

    @mistake("You added the residual twice: add it once.", surroundings=residual_added)
    def residual_twice(self, a: Tensor, b: Tensor, residual: Tensor) -> Tensor:
        return _plus(a + b, residual)

    @mistake("You added the output of the sublayer to itself: add its input.", across="wire")
    def output_twice(self, here: Site) -> Changes | None:
        slots = residual_slots(here)
        return here.reading(**{slots[0]: here.input(slots[1])}) if slots else None

    @mistake("You added the input of the block: the residual is the input of this sublayer.", across="wire")
    def residual_of_block_input(self, here: Site) -> Changes | None:
        slots, earlier = residual_slots(here), inputs_of_sublayers(here)
        return here.reading(**{slots[0]: earlier[-1]}) if slots and earlier else None

    @mistake("You added the input of the previous sublayer: the residual is the input of this one.", across="wire")
    def residual_of_sublayer_before(self, here: Site) -> Changes | None:
        slots, earlier = residual_slots(here), inputs_of_sublayers(here)
        return here.reading(**{slots[0]: earlier[0]}) if slots and len(earlier) > 1 else None

    @mistake("You added the values: the residual is the input of the sublayer, before any projection.", across="wire")
    def residual_of_values(self, here: Site) -> Changes | None:
        slots, found = residual_slots(here), values_of_attention(here)
        return here.reading(**{slots[0]: found}) if slots and found is not None else None

    @mistake("You left out the positions: without them, the model cannot see the order of the tokens.", across="wire")
    def position_forgotten(self, here: Site) -> Changes | None:
        added = positions_added(here)
        rest = [site for _, site in here.inputs() if added and not site.is_same(added["positions"])]
        return here.left_out_for(rest[0]) if rest else None

    @mistake("You added the positions twice: add them once.", surroundings=positions_added)
    def position_twice(self, a: Tensor, b: Tensor, positions: Tensor) -> Tensor:
        return _plus(a + b, positions)

    @mistake(
        "You multiplied the embeddings by √d_model, as in the paper: this model adds the positions to "
        "unscaled embeddings.",
        surroundings=embedding_added,
    )
    def embedding_scaled(self, a: Tensor, b: Tensor, embedded: Tensor) -> Tensor:
        return _plus(a + b, (math.sqrt(embedded.shape[-1]) - 1) * embedded)

    @mistake(
        "You gave the next sublayer the input of this one, as if they ran in parallel: it reads the output of"
        " this one.",
        across="wire",
    )
    def sublayers_parallel(self, here: Site) -> Changes | None:
        return sublayers_parallel(here)


def _plus(total: Tensor, once_more: Tensor) -> Tensor:
    """A term added again, whose axes may have other words than those of the sum: a head without W_O has its own."""
    return total + once_more.relabeled(total.axes[total.ndim - once_more.ndim :])
