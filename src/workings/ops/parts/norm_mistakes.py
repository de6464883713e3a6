"""What goes wrong in a norm, whether or not it subtracts the mean: the mistakes that the pages of the norms share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ...engine.changes import Changes
from ...engine.op import Composite
from ...engine.page import mistake
from ...engine.site import Site
from ...engine.tensor import Tensor
from ..concat import concat
from ..mean import mean
from ..relu import relu
from ..reshape import reshape
from ..split import split
from .row_norms import OUTSIDE, Rows, sized
from .surroundings import residual_added, sublayer_output

ANNOTATED_EPSILON = 1e-6
RESIDUAL_AFTER_NORM = "You added the residual after the norm: in this model the norm comes after the addition."


def summed_residual(here: Site) -> dict[str, Site] | None:
    """The output of a sublayer and its residual, if the step normalizes the sum of the two."""
    total = here.input("x")
    output, residual = sublayer_output(total), residual_added(total)
    return {"x": output["output"], **residual} if output and residual and _in_one_sublayer(total, here) else None


def _in_one_sublayer(total: Site, norm: Site) -> bool:
    """Whether the norm belongs to the sublayer whose sum it reads, not to the one after it."""
    return norm.step.path.startswith(f"{total.step.path.rpartition('.')[0]}.")


class NormMistakes(Composite):
    """A page says what its rows are divided by, and how the gradient of the normalized rows flows back to x."""

    rows: ClassVar[Callable[..., Rows]]
    rows_back: ClassVar[Callable[..., Tensor]]

    @mistake("You left out epsilon, which prevents a division by 0.")
    def epsilon_forgotten(self, x: Tensor, *weights: Tensor, **settings: Any) -> Tensor:
        return self(x, *weights, **{**settings, "epsilon": 0.0})

    @mistake("You normalized each column, across tokens: normalize each row, one token at a time.")
    def columns(self, x: Tensor, *weights: Tensor, **settings: Any) -> Tensor:
        return weighted(self.rows(x.T, **settings).normalized.T, *weights)

    @mistake("You normalized the whole table at once: normalize each row by itself.")
    def whole_table(self, x: Tensor, *weights: Tensor, **settings: Any) -> Tensor:
        flat = self.rows(reshape(x, shape=(x.entries,), axes=("",)), **settings).normalized
        return weighted(reshape(flat, shape=x.shape, axes=x.axes), *weights)

    @mistake("You divided each row by the divisor of another: each row has its own.")
    def divisor_of_another_row(self, x: Tensor, *weights: Tensor, **settings: Any) -> Tensor:
        rows = self.rows(x, **settings)
        first, rest = (split(rows.divisor, sizes=(1, x.size(-2) - 1), part=part, axis=-2) for part in (0, 1))
        return weighted(rows.entries / concat(rest, first, axis=-2), *weights)

    @mistake("You normalized every row with the statistics of the first: each row has its own.")
    def first_row_for_all(self, x: Tensor, *weights: Tensor, **settings: Any) -> Tensor:
        first = split(x, sizes=(1, x.size(-2) - 1), part=0, axis=-2)
        first = mean(first, axis=-2, keep=True)  # of one row: it is repeated for all
        rows = self.rows(first, **settings)
        return weighted((x - (first - rows.entries)) / rows.divisor, *weights)

    @mistake("You took the root before the mean: average the squares first, and take the root last.")
    def root_before_mean(self, x: Tensor, *weights: Tensor, **settings: Any) -> Tensor:
        entries, count = self.rows(x, **settings).entries, x.size(-1) - settings.get("correction", 0)
        return weighted(entries / (sized(entries, 1, "squares", settings["epsilon"]).divisor / count), *weights)

    @mistake("You averaged the absolute values: average the squares, then take the root.")
    def absolute_values(self, x: Tensor, *weights: Tensor, **settings: Any) -> Tensor:
        entries = self.rows(x, **settings).entries
        return weighted(entries / mean(relu(entries) + relu(-entries), axis=-1, keep=True), *weights)

    @mistake("You multiplied by gamma before the norm: scale the normalized row.")
    def scaled_first(self, x: Tensor, gamma: Tensor, *beta: Tensor, **settings: Any) -> Tensor:
        return self(x * gamma, 0.0 * gamma + 1.0, *beta, **settings)

    @mistake("You multiplied by 1 + gamma, as some models do: here gamma itself is the factor.")
    def gamma_plus_one(self, x: Tensor, gamma: Tensor, *beta: Tensor, **settings: Any) -> Tensor:
        return self(x, gamma + 1.0, *beta, **settings)

    @mistake("You left out gamma, which scales each column of the result.")
    def gamma_forgotten(self, x: Tensor, gamma: Tensor, *beta: Tensor, **settings: Any) -> Tensor:
        return self(x, 0.0 * gamma + 1.0, *beta, **settings)

    @mistake("You only divided the gradient: x also changes the statistics that normalize its row.", of="x")
    def direct_way(self, g: Tensor, x: Tensor, gamma: Tensor, **settings: Any) -> Tensor:
        return g * gamma / self.rows(x, **settings).divisor

    @mistake("You left out gamma: multiply the gradient by it first.", of="x")
    def gradient_without_gamma(self, g: Tensor, x: Tensor, **settings: Any) -> Tensor:
        return self.rows_back(g, x, **settings)

    @mistake("You did not divide: divide the gradient by the same number as its row.", of="x")
    def gradient_not_divided(self, g: Tensor, x: Tensor, gamma: Tensor, **settings: Any) -> Tensor:
        return self.rows_back(g * gamma, x, **settings) * self.rows(x, **settings).divisor

    @mistake("You stopped at the gradient of the normalized row, dy times gamma: continue to x.", of="x")
    def only_gamma(self, g: Tensor, gamma: Tensor) -> Tensor:
        return g * gamma

    @mistake("You passed the gradient through unchanged: it must flow back through the normalization.", of="x")
    def gradient_let_through(self, g: Tensor) -> Tensor:
        return 1.0 * g

    @mistake("You added the terms: subtract what flows through the statistics that normalize the row.", of="x")
    def terms_added(self, g: Tensor, x: Tensor, gamma: Tensor, **settings: Any) -> Tensor:
        h, rows = g * gamma, self.rows(x, **settings)
        return 2.0 * h / rows.divisor - self.rows_back(h, x, **settings)

    @mistake("You summed over the row: the subtracted terms are means.", of="x")
    def terms_not_averaged(self, g: Tensor, x: Tensor, gamma: Tensor, **settings: Any) -> Tensor:
        h, rows = g * gamma, self.rows(x, **settings)
        direct = h / rows.divisor
        return direct - x.size(-1) * (direct - self.rows_back(h, x, **settings))

    @mistake("You averaged over the tokens: the subtracted terms are means over the row.", of="x")
    def means_over_columns(self, g: Tensor, x: Tensor, gamma: Tensor, **settings: Any) -> Tensor:
        h, rows = g * gamma, self.rows(x, **settings)
        z = rows.normalized
        through_size = mean(h * z, axis=-2, keep=True) * z
        is_centered = rows.entries is not x
        return (h - mean(h, axis=-2, keep=True) - through_size if is_centered else h - through_size) / rows.divisor

    @mistake("You multiplied by x: the gradient of gamma contains the normalized entry.", of="gamma")
    def not_normalised(self, g: Tensor, x: Tensor) -> Tensor:
        return g * x

    @mistake("You multiplied by the output: the gradient of gamma contains the normalized entry.", of="gamma")
    def times_output(self, g: Tensor, out: Tensor) -> Tensor:
        return g * out

    @mistake("You used the upstream gradient itself: for gamma, multiply it by the normalized entry.", of="gamma")
    def entry_forgotten(self, g: Tensor) -> Tensor:
        return 1.0 * g

    @mistake("You left out the norm, so the next step reads the rows as they were.", across="wire")
    def left_out(self, here: Site) -> Changes | None:
        return here.left_out_for(here.input("x"))

    @mistake("You used the parameters of another norm: each norm has its own.", across="wire")
    def weights_of_another_norm(self, here: Site) -> Changes | None:
        own = here.input("gamma")
        norms = (site for site in here.others() if site.is_a(here.step.op_name))
        other = next((norm for norm in norms if norm.input("gamma").is_other_weight(own)), None)
        if other is None:
            return None
        return here.reading(**{name: weight for name, weight in other.inputs() if name != "x"})


class CenteredNormMistakes(NormMistakes):
    """Mistakes in the mean, the deviation and the shift: of the norm that has them."""

    @mistake("You divided by the root mean square, as rms_norm does: first subtract the mean of the row.")
    def as_rms_norm(self, x: Tensor, *weights: Tensor, epsilon: float) -> Tensor:
        return weighted(sized(x, x.size(-1), "mean_square", epsilon).normalized, *weights)

    @mistake("You normalized like The Annotated Transformer: n - 1, and an epsilon of 0.000001 outside the root.")
    def as_annotated(self, x: Tensor, *weights: Tensor) -> Tensor:
        normed: Tensor = self(x, *weights, correction=1, epsilon=ANNOTATED_EPSILON, place=OUTSIDE)
        return normed

    @mistake("You did not divide: divide the centered row by its standard deviation.")
    def not_divided(self, x: Tensor, *weights: Tensor, **settings: Any) -> Tensor:
        return weighted(self.rows(x, **settings).entries, *weights)

    @mistake("You did not subtract the mean before squaring: the variance is the mean square of the centered row.")
    def variance_not_centred(self, x: Tensor, *weights: Tensor, **settings: Any) -> Tensor:
        root_mean_square = sized(x, x.size(-1), "mean_square", settings["epsilon"]).divisor
        return weighted(self.rows(x, **settings).entries / root_mean_square, *weights)

    @mistake("You summed the squares: the variance is their mean.")
    def not_averaged(self, x: Tensor, *weights: Tensor, **settings: Any) -> Tensor:
        entries = self.rows(x, **settings).entries
        return weighted(sized(entries, 1, "squares", settings["epsilon"]).normalized, *weights)

    @mistake("You added beta before multiplying by gamma: scale by gamma first, then add beta.")
    def shifted_first(self, x: Tensor, gamma: Tensor, beta: Tensor, **settings: Any) -> Tensor:
        return (self.rows(x, **settings).normalized + beta) * gamma

    @mistake(RESIDUAL_AFTER_NORM, surroundings=summed_residual)
    def residual_after_norm(self, x: Tensor, gamma: Tensor, beta: Tensor, residual: Tensor, **settings: Any) -> Tensor:
        return self(x, gamma, beta, **settings) + residual.relabeled(x.axes)

    @mistake("You multiplied by the normalized entry, as for gamma: beta is only added.", of="beta")
    def times_normalised(self, g: Tensor, x: Tensor, **settings: Any) -> Tensor:
        return g * self.rows(x, **settings).normalized


def weighted(normalized: Tensor, gamma: Tensor, *beta: Tensor) -> Tensor:
    """The normalized rows times gamma, and plus beta where there is one."""
    scaled = normalized * gamma
    return scaled + beta[0] if beta else scaled
