"""linear: the linear layer of a network, rows times a weight plus a bias."""

from __future__ import annotations

from ..engine import hand
from ..engine.arrays import Array, Index
from ..engine.checks import refuse_other_shape
from ..engine.form import wrong_rank
from ..engine.hand import Hand, Lines, Paper
from ..engine.op import Composite
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .matmul import matmul
from .outer import outer
from .parts.biases import LinearMistakes
from .parts.rows import as_rows, leading
from .parts.weights import PYTORCH_LAYOUT, WeightMistakes
from .place_row import place_row
from .sum_to import sum_to
from .take_row import take_row
from .transpose import transpose


class LinearOp(LinearMistakes, WeightMistakes, Composite):
    """Multiplies every row by a weight matrix and adds a bias: each output is a dot product plus a number.

    A single row may be given too. Leading axes (batch) only mean more rows: all use the same weight and bias.
    """

    @formula(r"y_{ij} = \sum_k x_{ik} \, W_{kj} + b_j")
    def forward(self, x: Tensor, W: Tensor, b: Tensor) -> Tensor:
        return matmul(x, W, name="product") + b

    @rule("x", r"dx = dy \, W^\top")
    def dx(self, g: Tensor, W: Tensor) -> Tensor:
        return matmul(g, transpose(W))

    @rule("W", r"dW = x^\top \, dy")
    def dW(self, g: Tensor, x: Tensor) -> Tensor:
        return outer(x, g) if x.ndim == 1 else matmul(transpose(as_rows(x)), as_rows(g))

    @rule("b", r"db = \sum_{rows} dy")
    def db(self, g: Tensor) -> Tensor:
        return sum_to(g, drop=leading(g.shape), keep=()) if g.ndim > 1 else g

    derivation = (
        (r"y_{ij} = \sum_k x_{ik} \, W_{kj} + b_j", "one entry"),
        (r"\frac{\partial y_{ij}}{\partial x_{ik}} = W_{kj}", "only the term with this entry of x depends on it"),
        (r"dx_{ik} = \sum_j dy_{ij} \, W_{kj}", "chain rule: row i of x affects all of row i of y"),
        (r"dx = dy \, W^\top", "the same as a matrix product; the bias does not appear"),
        (r"dW_{kj} = \sum_i x_{ik} \, dy_{ij}", "likewise: column j of W affects column j of y, in every row"),
        (r"dW = x^\top \, dy", "as a matrix product; the rows of a whole batch are stacked"),
        (r"\frac{\partial y_{ij}}{\partial b_j} = 1", "increasing a bias raises its column by the same amount"),
        (r"db_j = \sum_i dy_{ij}, \quad db = \sum_{rows} dy", "it affects every row: sum the gradients of all rows"),
    )

    def by_hand(self, at: Index, x: Paper, W: Paper, b: Paper) -> Lines:
        product = yield "product", hand.dot(x.line(at, -1), W.block(at[-1:], (-2,), keep=False))
        return product + b[at]

    def by_hand_dx(self, at: Index, g: Paper, W: Paper) -> Hand:
        return hand.dot(g.line(at, -1), W.block(at[-1:], (-1,), keep=False))

    def by_hand_dW(self, at: Index, g: Paper, x: Paper) -> Hand:
        rows = leading(x.shape)
        return hand.dot(x.block(at[:1], rows, keep=False), g.block(at[1:], rows, keep=False))

    def by_hand_db(self, at: Index, g: Paper) -> Hand:
        return hand.add(g.block(at, leading(g.shape), keep=False))

    @mistake("You left out the bias: add it to every row.")
    def bias_forgotten(self, x: Tensor, W: Tensor, b: Tensor) -> Tensor:
        return matmul(x, W)

    @mistake("You subtracted the bias: add it.")
    def bias_subtracted(self, x: Tensor, W: Tensor, b: Tensor) -> Tensor:
        return matmul(x, W) - b

    @mistake("You added the bias to the first row only: add it to every row.")
    def bias_on_one_row(self, x: Tensor, W: Tensor, b: Tensor) -> Tensor:
        return matmul(x, W) + place_row(b, index=0, axis=-2, size=x.size(-2), word=x.axes[-2])

    @mistake("You used the rows of the weight: use its columns.")
    def weight_transposed(self, x: Tensor, W: Tensor, b: Tensor) -> Tensor:
        return matmul.second_transposed(x, W) + b

    @mistake("You multiplied by the weight itself: the gradient needs its transpose.", of="x")
    def not_transposed(self, g: Tensor, W: Tensor) -> Tensor:
        return matmul.not_transposed(g, W)

    @mistake(PYTORCH_LAYOUT, of="W")
    def pytorch_layout(self, g: Tensor, x: Tensor) -> Tensor:
        return transpose(self.dW(g, x))

    @mistake("You swapped the two factors: the gradient of W is xᵀ times dy.", of="W")
    def factors_exchanged(self, g: Tensor, x: Tensor) -> Tensor:
        return transpose(self.dW(g, x))

    @mistake("You multiplied by x itself: the gradient of W is xᵀ times dy.", of="W")
    def first_not_transposed(self, g: Tensor, x: Tensor) -> Tensor:
        return matmul.first_not_transposed(as_rows(g), as_rows(x))

    @mistake("You averaged over the rows: sum their gradients for the weight.", of="W")
    def weight_averaged(self, g: Tensor, x: Tensor) -> Tensor:
        return self.dW(g, x) / (x.entries / x.size(-1))

    @mistake("You took the gradient of one row only: sum those of all rows.", of="b")
    def not_summed(self, g: Tensor) -> Tensor:
        return take_row(as_rows(g), index=0, axis=-2)

    @mistake("You averaged over the rows: sum their gradients.", of="b")
    def bias_averaged(self, g: Tensor) -> Tensor:
        return self.db(g) / (g.entries / g.size(-1))

    def check(self, x: Array, W: Array, b: Array) -> None:
        if W.ndim != 2:
            raise wrong_rank("linear", "exactly two axes for W", W.ndim)
        refuse_other_shape(W[0, :], b, "A row of W and b")

    example = Example(
        values([[0.2, -0.5], [0.7, 0.1], [-0.4, 0.9]], "token model"),
        values([[0.4, -0.6], [0.5, 0.8]], "model hidden"),
        values([0.3, -0.1], "hidden"),
        cotangent=[[0.3, -0.8], [0.6, 0.2], [-0.5, 0.7]],
    )
    more_examples = (
        Example(
            values([0.2, -0.5], "model"),
            values([[0.4, -0.6, 0.1], [0.5, 0.9, -0.2]], "model vocab"),
            values([0.3, -0.1, 0.7], "vocab"),
            cotangent=[0.3, -0.8, 0.5],
        ),
        Example(
            values([[0.2, -0.5], [0.7, 0.1]], "token model"),
            values([[0.4, -0.6], [0.5, 0.8]], "model hidden"),
            values([0.3, -0.1], "hidden"),
            cotangent=[[0.3, -0.8], [0.6, 0.2]],
        ),
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "batch token model"),
            values([[0.4, -0.6, 0.3], [0.5, 0.9, -0.7]], "model hidden"),
            values([0.3, -0.1, 0.6], "hidden"),
            cotangent=[[[0.3, -0.7, 0.4], [0.5, 0.1, -0.9]], [[0.2, 0.9, 0.6], [-0.4, 0.8, 0.1]]],
        ),
    )


linear = LinearOp()
