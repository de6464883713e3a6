"""rms_norm: divides each row by its root mean square, then applies a learned scale."""

from __future__ import annotations

from ..engine.arrays import Array, Index, namespace
from ..engine.hand import Hand, Lines, Paper
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor
from .layer_norm import layer_norm
from .mul import mul
from .parts import row_norms_by_hand
from .parts.norm_mistakes import RESIDUAL_AFTER_NORM, NormMistakes, summed_residual
from .parts.row_norms import INSIDE, Rows, centered, refuse_extreme, refuse_unfit, sized, through_size

S = r"s_i = \sqrt{\frac{1}{n} \sum_k x_{ik}^2 + epsilon}"


class RmsNorm(NormMistakes):
    """Divides each row by its root mean square (RMS), then scales it by gamma.

    Unlike layer_norm, it subtracts no mean and adds no beta.
    """

    conventions = {"norm_epsilon": "epsilon"}

    @staticmethod
    def rows(x: Tensor, epsilon: float) -> Rows:
        return sized(x, x.size(-1), "mean_square", epsilon)

    @staticmethod
    def rows_back(h: Tensor, x: Tensor, epsilon: float) -> Tensor:
        """From the gradient of the normalized rows to that of x."""
        rows = RmsNorm.rows(x, epsilon)
        return (h - through_size(h, rows, x.size(-1))) / rows.divisor

    @formula(r"y_{ij} = \frac{x_{ij}}{s_i} \, gamma_j, \quad " + S)
    def forward(self, x: Tensor, gamma: Tensor, *, epsilon: float = 1e-6) -> Tensor:
        return self.rows(x, epsilon).normalized * gamma

    @rule(
        "x",
        r"dx_{ij} = \frac{1}{s_i} \left( h_{ij} - z_{ij} \frac{1}{n} \sum_k h_{ik} \, z_{ik} \right), "
        r"\quad h_{ij} = dy_{ij} \, gamma_j, \quad z_{ij} = \frac{x_{ij}}{s_i}, \quad " + S,
    )
    def dx(self, g: Tensor, x: Tensor, gamma: Tensor, *, epsilon: float) -> Tensor:
        return self.rows_back(mul(g, gamma, name="h"), x, epsilon)

    @rule("gamma", r"dgamma_{ij} = dy_{ij} \, \frac{x_{ij}}{s_i}, \quad " + S)
    def dgamma(self, g: Tensor, x: Tensor, *, epsilon: float) -> Tensor:
        return g * self.rows(x, epsilon).normalized

    derivation = (
        (r"y_j = gamma_j \, z_j, \quad z_j = \frac{x_j}{s}", "one row; s is its divisor"),
        (r"s^2 = \frac{1}{n} \sum_k x_k^2 + epsilon", "s is a root, so its square is easier to differentiate"),
        (
            r"dgamma_j = dy_j \, z_j, \quad h_j = dy_j \, gamma_j",
            "the gradients of gamma and z: dy times the other factor",
        ),
        (
            r"\frac{\partial s}{\partial x_j} = \frac{x_j}{n \, s} = \frac{z_j}{n}",
            "differentiate both sides: 2 s on the left",
        ),
        (
            r"dx_j = \frac{h_j}{s} - \sum_k h_k \frac{x_k}{s^2} \frac{\partial s}{\partial x_j}",
            "quotient rule: an entry acts directly, and through the divisor of its row",
        ),
        (r"dx_j = \frac{1}{s} \left( h_j - z_j \frac{1}{n} \sum_k h_k z_k \right)", "in terms of z"),
    )

    def by_hand(self, at: Index, x: Paper, gamma: Paper, *, epsilon: float) -> Lines:
        row = yield from row_norms_by_hand.sized(x.line(at, -1), x.shape[-1], "mean_square", epsilon)
        normalized = yield "normalized", x[at] / row.divisor
        return normalized * gamma[at]

    def by_hand_dx(self, at: Index, g: Paper, x: Paper, gamma: Paper, *, epsilon: float) -> Hand:
        h = yield from row_norms_by_hand.times(g.line(at, -1), gamma.line(at, -1))
        row = yield from row_norms_by_hand.sized(x.line(at, -1), len(h), "mean_square", epsilon)
        through = yield "through", (yield from row_norms_by_hand.through_size(h, row, at[-1], len(h)))
        rest = yield "difference", h[at[-1]] - through
        return rest / row.divisor

    def by_hand_dgamma(self, at: Index, g: Paper, x: Paper, *, epsilon: float) -> Hand:
        row = yield from row_norms_by_hand.sized(x.line(at, -1), x.shape[-1], "mean_square", epsilon)
        normalized = yield "z", x[at] / row.divisor
        return g[at] * normalized

    @mistake("You subtracted the mean first, as layer_norm does: RMS norm does not center the row.")
    def centred_first(self, x: Tensor, gamma: Tensor, *, epsilon: float) -> Tensor:
        return layer_norm(x, gamma, 0.0 * gamma, epsilon=epsilon)

    @mistake("You summed the squares: take their mean before the root.")
    def not_averaged(self, x: Tensor, gamma: Tensor, *, epsilon: float) -> Tensor:
        return sized(x, 1, "squares", epsilon).normalized * gamma

    @mistake("You divided by the mean square: take its square root first.")
    def root_forgotten(self, x: Tensor, gamma: Tensor, *, epsilon: float) -> Tensor:
        rows = self.rows(x, epsilon)
        return rows.normalized / rows.divisor * gamma

    @mistake("You did not divide: divide each row by its root mean square.")
    def not_divided(self, x: Tensor, gamma: Tensor) -> Tensor:
        return x * gamma

    @mistake("You divided by the standard deviation: here no mean is subtracted before squaring.")
    def divided_by_deviation(self, x: Tensor, gamma: Tensor, *, epsilon: float) -> Tensor:
        return x / centered(x, 0, epsilon, INSIDE).divisor * gamma

    @mistake(RESIDUAL_AFTER_NORM, surroundings=summed_residual)
    def residual_after_norm(self, x: Tensor, gamma: Tensor, residual: Tensor, *, epsilon: float) -> Tensor:
        return self(x, gamma, epsilon=epsilon) + residual.relabeled(x.axes)

    def check(self, x: Array, gamma: Array, *, epsilon: float) -> None:
        refuse_unfit(self, x, epsilon, gamma)
        xp = namespace(x)
        refuse_extreme(x, xp.max(xp.abs(x), axis=-1), epsilon)

    example = Example(
        values([[1.2, 0.4, -0.7], [0.3, 2.0, 0.9]], "token model"),
        values([1.5, 0.8, -0.6], "model"),
        epsilon=0.1,
        cotangent=[[0.3, -0.7, 0.2], [0.5, 0.1, -0.6]],
    )
    more_examples = (
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "batch token model"),
            values([0.5, 1.3], "model"),
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]]],
        ),
    )


rms_norm = RmsNorm()
