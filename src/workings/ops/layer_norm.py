"""layer_norm: normalizes each row to mean 0 and standard deviation 1, then applies a learned scale and shift."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.hand import Hand, Lines, Paper
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .mean import mean
from .mul import mul
from .parts import row_norms_by_hand as pencil
from .parts.norm_mistakes import CenteredNormMistakes
from .parts.row_norms import INSIDE, OUTSIDE, centered, centered_back, refuse_extreme, refuse_unfit

WHERE = r" \, gamma_j + beta_j, \quad \sigma_i^2 = \frac{1}{n - correction} \sum_k (x_{ik} - \mu_i)^2"
DX = r"dx_{ij} = \frac{1}{s_i} \left( h_{ij} - \frac{1}{n} \sum_k h_{ik} - \frac{1}{n - correction} "
H = r" \sum_k h_{ik} \, z_{ik} \right), \quad h_{ij} = dy_{ij} \, gamma_j, \quad z_{ij} = \frac{x_{ij} - \mu_i}{s_i}, "


class LayerNormOp(CenteredNormMistakes):
    """Subtracts the mean of each row, divides by its standard deviation, then scales by gamma and shifts by beta.

    correction: 0 divides the sum of squares by n, 1 by n - 1
    """

    choices = {"correction": (0, 1), "place": (INSIDE, OUTSIDE)}
    rows, rows_back = staticmethod(centered), staticmethod(centered_back)
    conventions = {"norm_correction": "correction", "norm_epsilon": "epsilon", "norm_epsilon_place": "place"}

    @formula(r"y_{ij} = \frac{x_{ij} - \mu_i}{\sqrt{\sigma_i^2 + epsilon}}" + WHERE)
    @formula(r"y_{ij} = \frac{x_{ij} - \mu_i}{\sigma_i + epsilon}" + WHERE, place=OUTSIDE)
    def forward(
        self, x: Tensor, gamma: Tensor, beta: Tensor, *, correction: int = 0, epsilon: float = 1e-5, place: str = INSIDE
    ) -> Tensor:
        return mul(centered(x, correction, epsilon, place).normalized, gamma, name="scaled") + beta

    @rule("x", DX + r"z_{ij}" + H + r"\quad s_i = \sqrt{\sigma_i^2 + epsilon}")
    @rule("x", DX + r"\frac{x_{ij} - \mu_i}{\sigma_i}" + H + r"\quad s_i = \sigma_i + epsilon", place=OUTSIDE)
    def dx(self, g: Tensor, x: Tensor, gamma: Tensor, *, correction: int, epsilon: float, place: str) -> Tensor:
        return centered_back(mul(g, gamma, name="h"), x, correction, epsilon, place)

    @rule("gamma", r"dgamma_{ij} = dy_{ij} \, \frac{x_{ij} - \mu_i}{\sqrt{\sigma_i^2 + epsilon}}")
    @rule("gamma", r"dgamma_{ij} = dy_{ij} \, \frac{x_{ij} - \mu_i}{\sigma_i + epsilon}", place=OUTSIDE)
    def dgamma(self, g: Tensor, x: Tensor, *, correction: int, epsilon: float, place: str) -> Tensor:
        return g * centered(x, correction, epsilon, place).normalized

    @rule("beta", r"dbeta_{ij} = dy_{ij}")
    def dbeta(self, g: Tensor) -> Tensor:
        return g

    derivation = (
        (r"y_j = gamma_j \, z_j + beta_j, \quad z_j = \frac{c_j}{s}, \quad c_j = x_j - \mu", "one row; c is centered"),
        (r"s^2 = \sigma^2 + epsilon, \quad \sigma^2 = \frac{1}{m} \sum_k c_k^2, \quad m = n - correction", "its scale"),
        (r"dgamma_j = dy_j \, z_j, \quad dbeta_j = dy_j, \quad h_j = dy_j \, gamma_j", "for gamma, beta and z"),
        (r"\frac{\partial c_k}{\partial x_j} = [k = j] - \frac{1}{n}", "an entry also changes the mean of its row"),
        (r"\frac{\partial s}{\partial x_j} = \frac{c_j}{m \, s} = \frac{z_j}{m}", "differentiate both sides"),
        (
            r"dx_j = \frac{1}{s} \left( h_j - \frac{1}{n} \sum_k h_k - \frac{z_j}{m} \sum_k h_k z_k \right)",
            "quotient rule: an entry acts directly, through the mean, and through the standard deviation of its row",
        ),
        (r"\frac{\partial s}{\partial x_j} = \frac{c_j}{m \, \sigma}", "instead of z / m, if s is σ + epsilon"),
    )

    def by_hand(
        self, at: Index, x: Paper, gamma: Paper, beta: Paper, *, correction: int, epsilon: float, place: str
    ) -> Lines:
        normalized = yield "normalized", (yield from pencil.normalized(x, at, correction, epsilon, place))
        scaled = yield "scaled", normalized * gamma[at]
        return scaled + beta[at]

    def by_hand_dx(
        self, at: Index, g: Paper, x: Paper, gamma: Paper, *, correction: int, epsilon: float, place: str
    ) -> Hand:
        h = yield from pencil.times(g.line(at, -1), gamma.line(at, -1))
        return (yield from pencil.centered_back(h, x.line(at, -1), at[-1], correction, epsilon, place))

    def by_hand_dgamma(self, at: Index, g: Paper, x: Paper, *, correction: int, epsilon: float, place: str) -> Hand:
        normalized = yield "z", (yield from pencil.normalized(x, at, correction, epsilon, place))
        return g[at] * normalized

    def by_hand_dbeta(self, at: Index, g: Paper) -> Hand:
        return g[at]

    @mistake("You mixed up n and n - 1: correction is subtracted from n before the squares are divided by it.")
    def wrong_n(self, x: Tensor, gamma: Tensor, beta: Tensor, *, correction: int, epsilon: float, place: str) -> Tensor:
        return layer_norm(x, gamma, beta, correction=1 - correction, epsilon=epsilon, place=place)

    @mistake("You divided by the variance: divide by its square root, the standard deviation.")
    def root_forgotten(self, x: Tensor, gamma: Tensor, beta: Tensor, *, correction: int, epsilon: float) -> Tensor:
        rows = centered(x, correction, epsilon, place=INSIDE)
        return rows.normalized / rows.divisor * gamma + beta

    @mistake("You divided by x.std() + epsilon, like The Annotated Transformer: n - 1, and epsilon outside the root.")
    def std_plus_epsilon(self, x: Tensor, gamma: Tensor, beta: Tensor, *, epsilon: float) -> Tensor:
        return layer_norm(x, gamma, beta, correction=1, epsilon=epsilon, place=OUTSIDE)

    @mistake("You did not subtract the mean: center the row before dividing.")
    def shifted(self, x: Tensor, gamma: Tensor, beta: Tensor, **settings: Any) -> Tensor:
        return x / centered(x, **settings).divisor * gamma + beta

    @mistake("You swapped gamma and beta: multiply by gamma, then add beta.")
    def swapped(self, x: Tensor, gamma: Tensor, beta: Tensor, **settings: Any) -> Tensor:
        return layer_norm(x, beta, gamma, **settings)

    @mistake("You left out beta, which shifts each column of the result.")
    def beta_forgotten(self, x: Tensor, gamma: Tensor, beta: Tensor, **settings: Any) -> Tensor:
        return layer_norm(x, gamma, 0.0 * beta, **settings)

    @mistake("You stopped at the normalized row: scale it by gamma and shift it by beta.")
    def gamma_and_beta_forgotten(self, x: Tensor, gamma: Tensor, beta: Tensor, **settings: Any) -> Tensor:
        return layer_norm(x, 0.0 * gamma + 1.0, 0.0 * beta, **settings)

    @mistake("You left out the mean of h: x also changes the mean that is subtracted from its row.", of="x")
    def mean_term_forgotten(self, g: Tensor, x: Tensor, gamma: Tensor, **settings: Any) -> Tensor:
        mean_h = mean(g * gamma, axis=-1, keep=True)
        return self.dx(g, x, gamma, **settings) + mean_h / centered(x, **settings).divisor

    @mistake("You left out the last term: x also changes the standard deviation of its row.", of="x")
    def variance_term_forgotten(self, g: Tensor, x: Tensor, gamma: Tensor, **settings: Any) -> Tensor:
        h = g * gamma
        return (h - mean(h, axis=-1, keep=True)) / centered(x, **settings).divisor

    def check(self, x: Array, gamma: Array, beta: Array, *, correction: int, epsilon: float, place: str) -> None:
        refuse_unfit(self, x, epsilon, gamma, beta)
        self.choice("correction", correction, (0, 1) if x.shape[-1] > 1 else (0,))
        refuse_extreme(x, namespace(x).max(x, axis=-1) - namespace(x).min(x, axis=-1), epsilon)

    example = Example(
        values([[1.2, 0.4, -0.7], [0.3, 2.0, 0.9]], "token model"),
        values([1.5, 0.8, -0.6], "model"),
        values([0.1, -0.2, 0.3], "model"),
        cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]],
    )
    more_examples = (
        Example(
            values([[[2.0, 1.5, -0.3]], [[0.7, 0.2, -1.0]]], "batch token model"),
            values([0.5, 1.3, -0.9], "model"),
            values([-0.2, 0.4, 0.6], "model"),
            correction=1,
            epsilon=0.1,
            place=OUTSIDE,
            cotangent=[[[0.3, -0.7, 0.2]], [[0.5, 0.1, -0.6]]],
        ),
    )


layer_norm = LayerNormOp()
