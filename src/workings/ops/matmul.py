"""matmul: the matrix product, the most common operation of a transformer."""

from __future__ import annotations

from collections.abc import Callable

from ..engine import hand
from ..engine.arrays import Array, Index
from ..engine.form import Form, Layout, product
from ..engine.hand import Hand, Paper
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .concat import concat
from .outer import outer
from .parts.product_mistakes import ProductMistakes
from .parts.rows import as_rows
from .parts.weights import PYTORCH_LAYOUT, WeightMistakes, is_of_weight
from .reshape import reshape
from .split import split
from .transpose import transpose


class Matmul(ProductMistakes, WeightMistakes):
    """Multiplies two matrices: each entry is the dot product of a row of the first with a column of the second.

    The first input may also be a single row. Leading axes (batch, head) are batched over.
    """

    emit = "matmul({0}, {1}, {out})"
    adds = True

    @formula(r"C_{ij} = \sum_k a_{ik} \, b_{kj}")
    def forward(self, a: Array, b: Array) -> Array:
        return a @ b

    def layout(self, a: Form, b: Form) -> Layout:  # type: ignore[override]
        form, broadcast = product(a, b)
        return Layout(form, {}, broadcast)

    def faster(self, a: Form, b: Form) -> Callable[..., Tensor] | None:  # type: ignore[override]
        return _as_one_product if len(a.shape) > 2 and len(b.shape) == 2 else None

    @rule("a", r"da = dC \, b^\top")
    def da(self, g: Tensor, b: Tensor) -> Tensor:
        return matmul(g, transpose(b))

    @rule("b", r"db = a^\top \, dC")
    def db(self, g: Tensor, a: Tensor) -> Tensor:
        return outer(a, g) if a.ndim == 1 else matmul(transpose(a), g)

    derivation = (
        (r"C_{ij} = \sum_k a_{ik} \, b_{kj}", "one entry"),
        (r"\frac{\partial C_{ij}}{\partial a_{ik}} = b_{kj}", "only the term with this entry of a depends on it"),
        (r"da_{ik} = \sum_j dC_{ij} \, b_{kj}", "chain rule: row i of a affects all of row i of C"),
        (r"da = dC \, b^\top", "the same as a matrix product"),
        (r"db_{kj} = \sum_i a_{ik} \, dC_{ij}", "likewise: column j of b affects all of column j of C"),
        (r"db = a^\top \, dC", "as a matrix product; check the shapes, they fit in no other way"),
    )

    def by_hand(self, at: Index, a: Paper, b: Paper) -> Hand:
        *row, j = at
        return hand.dot(a.line((*row, 0), -1), b.line((*row[:-1], 0, j), -2))

    def by_hand_da(self, at: Index, g: Paper, b: Paper) -> Hand:
        *row, k = at
        return hand.dot(g.line((*row, 0), -1), b.line((*row[:-1], k, 0), -1))

    def by_hand_db(self, at: Index, g: Paper, a: Paper) -> Hand:
        *lead, k, j = at
        if len(a.shape) == 1:
            return a[(k,)] * g[(j,)]
        return hand.dot(a.line((*lead, 0, k), -2), g.line((*lead, 0, j), -2))

    @mistake("You multiplied entry by entry: a matrix product takes rows times columns.")
    def entry_by_entry(self, a: Tensor, b: Tensor) -> Tensor:
        return a.relabeled(b.axes) * b

    @mistake("You used the rows of the second matrix: use its columns.")
    def second_transposed(self, a: Tensor, b: Tensor) -> Tensor:
        return matmul(a, transpose(b).relabeled(b.axes))

    @mistake("You used the columns of the first matrix: use its rows.")
    def first_transposed(self, a: Tensor, b: Tensor) -> Tensor:
        return matmul(transpose(a).relabeled(a.axes), b)

    @mistake("You used the row of another token: row i of the result uses row i of the first matrix.")
    def row_of_another(self, a: Tensor, b: Tensor) -> Tensor:
        first, rest = (split(a, sizes=(1, a.size(-2) - 1), part=part, axis=-2) for part in (0, 1))
        return matmul(concat(rest, first, axis=-2), b)

    @mistake("You multiplied by the matrix itself: the gradient needs its transpose.", of="a")
    def not_transposed(self, g: Tensor, b: Tensor) -> Tensor:
        return matmul(g.relabeled((*g.axes[:-1], b.axes[-2])), b)

    @mistake(PYTORCH_LAYOUT, of="b", surroundings=is_of_weight)
    def pytorch_layout(self, g: Tensor, a: Tensor) -> Tensor:
        return transpose(self.db(g, a))

    @mistake("You swapped the two factors: the gradient of b is aᵀ times dC.", of="b")
    def factors_exchanged(self, g: Tensor, a: Tensor) -> Tensor:
        return transpose(matmul(transpose(a), g))

    @mistake("You multiplied by a itself: the gradient of b is aᵀ times dC.", of="b")
    def first_not_transposed(self, g: Tensor, a: Tensor) -> Tensor:
        return matmul(a.relabeled((*a.axes[:-1], "")), g)

    example = Example(
        values([[0.2, -0.5], [0.7, 0.1]], "token model"),
        values([[0.4, -0.6], [0.5, 0.9]], "model hidden"),
        cotangent=[[0.3, -0.8], [0.6, 0.2]],
    )
    more_examples = (
        Example(
            values([0.2, -0.5], "model"),
            values([[0.4, -0.6, 0.1], [0.5, 0.9, -0.2]], "model vocab"),
            cotangent=[0.3, -0.8, 0.5],
        ),
        Example(
            values(
                [[[2.0, 1.5], [0.1, -0.4], [0.6, 0.3]], [[0.7, 0.2], [-1.0, 0.6], [0.9, -0.1]]], "batch token model"
            ),
            values([[0.4, -0.6], [0.5, 0.9]], "model hidden"),
            cotangent=[[[0.3, -0.7], [0.5, 0.1], [0.8, -0.2]], [[0.2, 0.9], [-0.4, 0.8], [0.1, -0.5]]],
        ),
        Example(
            values([[[[2.0, 1.5]], [[0.1, -0.4]]], [[[0.7, 0.2]], [[-1.0, 0.6]]]], "batch head query head_size"),
            values([[[[0.4], [-0.6]], [[0.5], [0.9]]], [[[0.3], [0.8]], [[-0.2], [1.1]]]], "batch head head_size key"),
            cotangent=[[[[0.3]], [[-0.7]]], [[[0.5]], [[0.9]]]],
        ),
    )


def _as_one_product(a: Tensor, b: Tensor) -> Tensor:
    """The rows of a whole batch below each other: one large product takes less time than many small ones."""
    return reshape(matmul(as_rows(a), b), shape=(*a.shape[:-1], b.size(-1)), axes=(*a.axes[:-1], b.axes[-1]))


matmul = Matmul()
