"""What people do wrong going backward through layers and attention."""

from __future__ import annotations

import numpy as np

from .cat_sleeps import CatSleeps
from .operations import Calculation, turned
from .paper import Array, Person, person
from .transformer import (
    Example1,
    Example2,
    Example3,
    Example5,
    Example6,
    HeadsAndLayers,
    MultiHead,
    ResidualAttention,
    SmallDecoder,
)

# -- matrix products -------------------------------------------------------------------------------------


class WeightNotTransposed(Calculation):
    names = frozenset({"matmul.not_transposed", "linear.not_transposed"})

    def back_to_input(self, at: str, gradient: Array, weight: Array) -> Array:
        return gradient @ weight if weight.shape[0] == weight.shape[1] else super().back_to_input(at, gradient, weight)


class InputNotTransposed(Calculation):
    names = frozenset({"matmul.first_not_transposed", "linear.first_not_transposed"})

    def back_to_weight(self, at: str, x: Array, gradient: Array) -> Array:
        is_square = x.ndim > 1 and x.shape[0] == x.shape[1]
        return x @ gradient if is_square else super().back_to_weight(at, x, gradient)


class WeightGradientTransposed(Calculation):
    """The gradient of a square weight in PyTorch's layout, [out, in]."""

    names = frozenset(
        {
            "matmul.factors_exchanged",
            "linear.factors_exchanged",
            "outer.transposed",
            "linear.pytorch_layout",
            "matmul.pytorch_layout",
        }
    )

    def back_to_weight(self, at: str, x: Array, gradient: Array) -> Array:
        found = super().back_to_weight(at, x, gradient)
        return found.T if found.shape[0] == found.shape[1] else found


class WeightGradientAveraged(Calculation):
    names = frozenset({"linear.weight_averaged", "matmul.weight_averaged"})

    def back_to_weight(self, at: str, x: Array, gradient: Array) -> Array:
        found = super().back_to_weight(at, x, gradient)
        return found / len(x) if "feed_forward" in at else found


class BiasAveraged(Calculation):
    names = frozenset({"linear.bias_averaged", "sum_to.averaged"})

    def back_to_bias(self, at: str, gradient: Array) -> Array:
        return gradient.mean(axis=0)


class BiasOfFirstRow(Calculation):
    names = frozenset({"linear.not_summed", "sum_to.first_only"})

    def back_to_bias(self, at: str, gradient: Array) -> Array:
        return gradient[0]


class ToAllRows(Calculation):
    names = frozenset({"take_row.to_all_rows"})

    def back_to_rows(self, dlast: Array, rows: int) -> Array:
        return np.tile(dlast, (rows, 1))


class ToFirstRow(Calculation):
    names = frozenset({"take_row.gradient_at_other_end", "take_row.gradient_one_row_before", "take_row.other_end"})

    def back_to_rows(self, dlast: Array, rows: int) -> Array:
        return super().back_to_rows(dlast, rows)[::-1]


# -- feed-forward and norm -------------------------------------------------------------------------------


class ReluForgottenGoingBack(Calculation):
    names = frozenset({"relu.mask_forgotten"})

    def back_through_relu(self, gradient: Array, hidden: Array, activated: Array) -> Array:
        return gradient


class ReluOfGradient(Calculation):
    names = frozenset({"relu.mask_from_gradient"})

    def back_through_relu(self, gradient: Array, hidden: Array, activated: Array) -> Array:
        return np.maximum(gradient, 0)


class ReluTimesActivation(Calculation):
    names = frozenset({"relu.times_activation", "positive.entry_kept"})

    def back_through_relu(self, gradient: Array, hidden: Array, activated: Array) -> Array:
        return gradient * activated


class ReluWhereNegative(Calculation):
    names = frozenset({"relu.mask_reversed"})

    def back_through_relu(self, gradient: Array, hidden: Array, activated: Array) -> Array:
        return gradient * (hidden <= 0)


class NormDirectly(Calculation):
    """As if the mean and the spread of a row did not depend on its entries."""

    names = frozenset({"layer_norm.direct_way"})

    def back_through_norm(self, at: str, gradient: Array, x: Array, gamma: Array) -> Array:
        return gradient * gamma / self.centered(x)[1]


class NormWithoutMeanTerm(Calculation):
    names = frozenset({"layer_norm.mean_term_forgotten"})

    def back_through_norm(self, at: str, gradient: Array, x: Array, gamma: Array) -> Array:
        h, n, root = gradient * gamma, self.normalized(x), self.centered(x)[1]
        return (h - n * (h * n).mean(axis=-1, keepdims=True)) / root


class NormWithoutVarianceTerm(Calculation):
    names = frozenset({"layer_norm.variance_term_forgotten"})

    def back_through_norm(self, at: str, gradient: Array, x: Array, gamma: Array) -> Array:
        h = gradient * gamma
        return (h - h.mean(axis=-1, keepdims=True)) / self.centered(x)[1]


class NormWithoutGammaGoingBack(Calculation):
    names = frozenset({"layer_norm.gradient_without_gamma"})

    def back_through_norm(self, at: str, gradient: Array, x: Array, gamma: Array) -> Array:
        return super().back_through_norm(at, gradient, x, np.ones_like(gamma))


class NormNotDividedGoingBack(Calculation):
    names = frozenset({"layer_norm.gradient_not_divided"})

    def back_through_norm(self, at: str, gradient: Array, x: Array, gamma: Array) -> Array:
        return super().back_through_norm(at, gradient, x, gamma) * self.centered(x)[1]


class GammaTimesInput(Calculation):
    names = frozenset({"layer_norm.not_normalised"})

    def back_to_gamma(self, gradient: Array, x: Array) -> Array:
        return gradient * x


# -- attention -------------------------------------------------------------------------------------------


class ValuesNotTransposed(Calculation):
    names = frozenset({"matmul.not_transposed"})

    def back_to_weights_of_attention(self, dcontext: Array, v: Array) -> Array:
        return dcontext @ v


class WeightsNotTransposed(Calculation):
    names = frozenset({"matmul.first_not_transposed"})

    def back_to_values(self, weights: Array, dcontext: Array) -> Array:
        return weights @ dcontext


class SoftmaxWithoutAverage(Calculation):
    """P times the gradient, and nothing is subtracted."""

    names = frozenset({"softmax.average_forgotten"})

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return weights * gradient


class SoftmaxDiagonalOnly(Calculation):
    names = frozenset({"softmax.diagonal_only"})

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return weights * (1 - weights) * gradient


class SoftmaxFactorForgotten(Calculation):
    names = frozenset({"softmax.factor_forgotten"})

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return gradient - (weights * gradient).sum(axis=-1, keepdims=True)


class SoftmaxPlainAverage(Calculation):
    """The mean of the gradient is subtracted, not its average with the weights."""

    names = frozenset({"softmax.plain_mean"})

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return weights * (gradient - gradient.mean(axis=-1, keepdims=True))


class SoftmaxBackDownColumns(Calculation):
    names = frozenset({"softmax.average_of_columns"})

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return weights * (gradient - (weights * gradient).sum(axis=-2, keepdims=True))


class SoftmaxLeftOutGoingBack(Calculation):
    names = frozenset({"softmax.gradient_let_through"})

    def back_through_softmax(self, weights: Array, gradient: Array) -> Array:
        return gradient


class NotScaledGoingBack(Calculation):
    names = frozenset({"divide_by_root.gradient_not_divided"})

    def back_through_scale(self, gradient: Array, size: int) -> Array:
        return gradient


class MultipliedGoingBack(Calculation):
    names = frozenset({"divide_by_root.gradient_multiplied"})

    def back_through_scale(self, gradient: Array, size: int) -> Array:
        return gradient * np.sqrt(size)


class DividedBySizeGoingBack(Calculation):
    names = frozenset({"divide_by_root.gradient_root_forgotten"})

    def back_through_scale(self, gradient: Array, size: int) -> Array:
        return gradient / size


class QueriesWithKeysTransposed(Calculation):
    names = frozenset({"matmul.not_transposed"})

    def back_to_queries(self, dscores: Array, k: Array) -> Array:
        return dscores @ turned(k)


class QueriesWithScoresTransposed(Calculation):
    names = frozenset({"matmul.upstream_transposed"})

    def back_to_queries(self, dscores: Array, k: Array) -> Array:
        return turned(dscores) @ k


class KeysWithScoresNotTransposed(Calculation):
    """dK = dS Q."""

    names = frozenset({"matmul.gradient_transposed"})

    def back_to_keys(self, dscores: Array, q: Array) -> Array:
        return turned(dscores @ q)


class KeysWithQueriesNotTransposed(Calculation):
    names = frozenset({"matmul.first_not_transposed"})

    def back_to_keys(self, dscores: Array, q: Array) -> Array:
        return q @ dscores


A, F = "block1.attention", "block1.feed_forward"
SOFTMAX = (
    SoftmaxWithoutAverage, SoftmaxDiagonalOnly, SoftmaxFactorForgotten, SoftmaxPlainAverage, SoftmaxBackDownColumns,
    SoftmaxLeftOutGoingBack,
)  # fmt: skip
BACK_THROUGH_NORM = (
    NormDirectly, NormWithoutMeanTerm, NormWithoutVarianceTerm, NormWithoutGammaGoingBack, NormNotDividedGoingBack,
)  # fmt: skip
RELU = (ReluForgottenGoingBack, ReluOfGradient, ReluTimesActivation, ReluWhereNegative)
SCALE = (NotScaledGoingBack, MultipliedGoingBack, DividedBySizeGoingBack)
BACKWARD: tuple[type[Person], ...] = (
    *(
        person(WeightNotTransposed, lesson, at)
        for lesson, at in ((HeadsAndLayers, "dlast"), (Example5, f"{F}.dactivated"), (MultiHead, f"{A}.djoined"))
    ),
    *(person(WeightNotTransposed, lesson, "embedding.dX.via_V") for lesson in (Example3, ResidualAttention)),
    *(person(InputNotTransposed, lesson, at) for lesson, at in ((Example5, f"{F}.dW_2"), (Example3, f"{A}.dW_V"))),
    *(
        person(WeightGradientTransposed, lesson, at)
        for lesson, at in ((MultiHead, f"{A}.dW_O"), (ResidualAttention, f"{A}.dW_V"), (HeadsAndLayers, "dW_vocab"))
    ),
    *(person(WeightGradientAveraged, lesson, f"{F}.dW_2") for lesson in (SmallDecoder, HeadsAndLayers)),
    *(person(BiasAveraged, lesson, at) for lesson, at in ((Example5, f"{F}.db_2"), (SmallDecoder, f"{F}.db_2"))),
    person(BiasAveraged, CatSleeps, "db_2"),
    person(BiasOfFirstRow, SmallDecoder, f"{F}.db_2"),
    person(BiasOfFirstRow, CatSleeps, "db_2"),
    *(
        person(mistake, lesson, at)
        for mistake in (ToAllRows, ToFirstRow)
        for lesson, at in ((Example2, f"{A}.dcontext"), (HeadsAndLayers, f"{F}.doutput"))
    ),
    *(
        person(mistake, lesson, f"{F}.dhidden")
        for mistake in RELU
        for lesson in (Example5, HeadsAndLayers, SmallDecoder)
    ),
    *(person(mistake, CatSleeps, "dhidden") for mistake in RELU),
    *(person(mistake, SmallDecoder, f"{A}.dresidual.via_normed") for mistake in BACK_THROUGH_NORM),
    *(person(mistake, Example6, "block2.attention.dresidual.via_normed") for mistake in BACK_THROUGH_NORM[:3]),
    person(GammaTimesInput, SmallDecoder, f"{F}.norm.dgamma.unsummed"),
    *(person(ValuesNotTransposed, lesson, f"{A}.dweights") for lesson in (Example1, Example3)),
    *(person(WeightsNotTransposed, lesson, f"{A}.dV") for lesson in (Example3, ResidualAttention)),
    person(WeightsNotTransposed, MultiHead, f"{A}.dV_heads"),
    person(WeightsNotTransposed, CatSleeps, "dV"),
    *(
        person(mistake, lesson, f"{A}.dscaled")
        for mistake in SOFTMAX
        for lesson in (Example3, ResidualAttention, MultiHead)
    ),
    *(person(mistake, CatSleeps, "dscaled") for mistake in SOFTMAX[:4]),
    *(person(mistake, SmallDecoder, f"{A}.dmasked") for mistake in SOFTMAX[:4]),
    *(
        person(mistake, lesson, f"{A}.dscores")
        for mistake in SCALE
        for lesson in (Example3, ResidualAttention, SmallDecoder)
    ),
    *(person(QueriesWithKeysTransposed, lesson, f"{A}.dQ") for lesson in (Example1, Example5)),
    person(QueriesWithScoresTransposed, ResidualAttention, f"{A}.dQ"),
    person(QueriesWithScoresTransposed, MultiHead, f"{A}.dQ_heads"),
    *(person(KeysWithScoresNotTransposed, lesson, f"{A}.dK_T") for lesson in (Example3, ResidualAttention)),
    person(KeysWithScoresNotTransposed, MultiHead, f"{A}.dK_heads_T"),
    *(person(KeysWithQueriesNotTransposed, lesson, f"{A}.dK_T") for lesson in (Example3, Example5)),
)
