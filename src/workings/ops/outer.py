"""outer: the outer product of two vectors."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Array, Index, namespace
from ..engine.form import Form, Layout, form_of, wrong_rank
from ..engine.hand import Hand, Paper
from ..engine.op import OPS, Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .transpose import transpose


class Outer(Primitive):
    """Multiplies every entry of one vector by every entry of another: the weight gradient of a single row."""

    emit = "multiply({0}[:, None], {1}, {out})"

    @formula(r"C_{ij} = a_i \, b_j")
    def forward(self, a: Array, b: Array) -> Array:
        return namespace(a).expand_dims(a, axis=-1) * b

    def layout(self, a: Form, b: Form) -> Layout:  # type: ignore[override]
        for form in (a, b):
            if len(form.shape) != 1:
                raise wrong_rank("outer", "exactly one axis", len(form.shape))
        return Layout(form_of(a.axes + b.axes, a.shape + b.shape), {})

    @rule("a", r"da_i = \sum_j dC_{ij} \, b_j")
    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return OPS["matmul"](b, transpose(g))

    @rule("b", r"db_j = \sum_i dC_{ij} \, a_i")
    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return OPS["matmul"](a, g)

    derivation = (
        (r"C_{ij} = a_i \, b_j", "one entry"),
        (r"\frac{\partial C_{ij}}{\partial a_i} = b_j", "a product of two numbers"),
        (r"da_i = \sum_j dC_{ij} \, b_j", "chain rule: this entry of a affects its whole row of C"),
    )

    def by_hand(self, at: Index, a: Paper, b: Paper) -> Hand:
        i, j = at
        return a[(i,)] * b[(j,)]

    def by_hand_da(self, at: Index, g: Paper, b: Paper) -> Hand:
        return hand.dot(g.line((*at, 0), -1), b.line((0,), -1))

    def by_hand_db(self, at: Index, g: Paper, a: Paper) -> Hand:
        return hand.dot(g.line((0, *at), -2), a.line((0,), -1))

    @mistake("You transposed the result: the first vector belongs to the rows.")
    def transposed(self, a: Tensor, b: Tensor) -> Tensor:
        return transpose(outer(a, b))

    @mistake("You used the wrong vector: the gradient of a contains b.", of="a")
    def own_value(self, g: Tensor, a: Tensor) -> Tensor:
        return OPS["matmul"](a, g)

    example = Example(
        values([0.2, -0.5], "model"),
        values([0.4, -0.6, 0.1], "vocab"),
        cotangent=[[0.3, -0.8, 0.5], [0.6, 0.2, -0.4]],
    )


outer = Outer()
