"""add: entry by entry."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.changes import Changes
from ..engine.hand import Hand, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.site import Site
from ..engine.tensor import Tensor
from .parts.surroundings import positions_added, residual_added, residual_slots, sublayer_before


class Add(Primitive):
    """Adds two tensors entry by entry; a bias row is added to every row."""

    emit = "add({0}, {1}, {out})"
    adds = True

    @formula(r"y_{ij} = a_{ij} + b_{ij}")
    def forward(self, a: Array, b: Array) -> Array:
        return a + b

    @rule("a", r"da_{ij} = dy_{ij}")
    def da(self, g: Tensor) -> Tensor:
        return g

    @rule("b", r"db_{ij} = dy_{ij}")
    def db(self, g: Tensor) -> Tensor:
        return g

    derivation = (
        (r"y = a + b", "one entry of the sum"),
        (r"\frac{\partial y}{\partial a} = 1", "raising a by a little raises y by just as much"),
        (r"da = dy \cdot 1", "so the gradient passes through unchanged, to a and to b alike"),
    )

    def by_hand(self, at: Index, a: Paper, b: Paper) -> Hand:
        return a[at] + b[at]

    def by_hand_da(self, at: Index, g: Paper) -> Hand:
        return g[at]

    def by_hand_db(self, at: Index, g: Paper) -> Hand:
        return g[at]

    @mistake("You subtracted; the two are added.")
    def subtracted(self, a: Tensor, b: Tensor) -> Tensor:
        return a - b

    @mistake("You left out the second input: the residual or the bias must still be added.")
    def forgotten(self, a: Tensor, b: Tensor) -> Tensor:
        return a + 0.0 * b

    @mistake("Both inputs get the whole gradient; it is not divided between them.", of="a")
    def halved(self, g: Tensor) -> Tensor:
        return 0.5 * g

    @mistake("You left out the residual connection: the input of the sublayer is added to its output.", across="wire")
    def residual_forgotten(self, here: Site) -> Changes | None:
        slots = residual_slots(here)
        return here.left_out_for(here.input(slots[1])) if slots else None

    @mistake("You added the normalized row; the residual is the row before the norm.", across="wire")
    def residual_of_normalised(self, here: Site) -> Changes | None:
        slots = residual_slots(here)
        if slots is None:
            return None
        came_in, made = slots
        norms = (site for site in here.input(made).before() if site.is_a("layer_norm", "rms_norm"))
        first = next((norm for norm in norms if norm.input("x").is_same(here.input(came_in))), None)
        return here.reading(**{came_in: first}) if first is not None else None

    @mistake("You added the residual twice; once is enough.", surroundings=residual_added)
    def residual_twice(self, a: Tensor, b: Tensor, residual: Tensor) -> Tensor:
        return a + b + residual

    @mistake("You added the output of the sublayer to itself; its input is added.", across="wire")
    def output_twice(self, here: Site) -> Changes | None:
        slots = residual_slots(here)
        return here.reading(**{slots[0]: here.input(slots[1])}) if slots else None

    @mistake("You added the input of the block; the residual is what came into this sublayer.", across="wire")
    def residual_of_block_input(self, here: Site) -> Changes | None:
        slots, earlier = residual_slots(here), sublayer_before(here)
        return here.reading(**{slots[0]: earlier}) if slots and earlier is not None else None

    @mistake("You left out the positions: without them the order of the tokens makes no difference.", across="wire")
    def position_forgotten(self, here: Site) -> Changes | None:
        added = positions_added(here)
        rest = [site for _, site in here.inputs() if added and not site.is_same(added["positions"])]
        return here.left_out_for(rest[0]) if rest else None

    @mistake("You added the positions twice; once is enough.", surroundings=positions_added)
    def position_twice(self, a: Tensor, b: Tensor, positions: Tensor) -> Tensor:
        return a + b + positions

    @mistake("You left out the bias: it is added to every row.", across="wire")
    def bias_forgotten(self, here: Site) -> Changes | None:
        bias = here.input("b")
        return here.left_out_for(here.input("a")) if bias.is_weight() and len(bias.form.shape) == 1 else None

    example = Example(
        values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "token model"),
        values([[0.1, 0.4, -0.6], [-0.2, 0.5, 0.9]], "token model"),
        cotangent=[[0.3, -0.8, 0.5], [0.6, 0.2, -0.4]],
    )
    more_examples = (
        Example(
            values([[0.2, -0.5, 1.0], [0.7, 0.1, -0.3]], "token model"),
            values([0.1, 0.4, -0.6], "model"),
            cotangent=[[0.3, -0.8, 0.5], [0.6, 0.2, -0.4]],
        ),
    )


add = Add()
