"""People who do one thing of a block differently."""

from __future__ import annotations

import numpy as np

from ..programs.paper import Array
from .attention import softmax
from .block import BASE, HEADS, Block, Encoder
from .examinee import PATH_FORGOTTEN


class PositionTimesPower(Encoder):
    """Multiplied by 10000^(2i/d), as in harvardnlp/annotated-transformer issue 131."""

    wrong_step, names = "places", frozenset({"positional_encoding.multiplied"})
    says = "You multiplied the position by the power of 10000; it is divided by it."

    def places(self, order: Array, width: int) -> Array:
        angles = order[:, None] * BASE ** (np.arange(0, width, 2) / width)
        return np.stack((np.sin(angles), np.cos(angles)), axis=-1).reshape(len(order), width)


class EveryColumnItsOwnPower(Encoder):
    """The exponent counts columns, so that a sine and its cosine turn at different speeds."""

    wrong_step, names = (
        "places",
        frozenset(
            {
                "positional_encoding.own_exponent",
                "positional_encoding.cosine_exponent",
                "positional_encoding.exponent_doubled",
            }
        ),
    )
    says = "You gave each column an exponent of its own; a sine and its cosine share one."

    def places(self, order: Array, width: int) -> Array:
        angles = order[:, None] / BASE ** (np.arange(width) / width)
        return np.where(np.arange(width) % 2 == 0, np.sin(angles), np.cos(angles))


class SinesFirst(Block):
    wrong_step, names = "places", frozenset({"positional_encoding.other_layout", "convention.position.concatenated"})

    def places(self, order: Array, width: int) -> Array:
        angles = order[:, None] / BASE ** (np.arange(0, width, 2) / width)
        return np.concatenate((np.sin(angles), np.cos(angles)), axis=1)


class EmbeddingTimesRoot(Encoder):
    """The paper multiplies embeddings by the root of d_model; this model does not."""

    wrong_step, names = "X", frozenset({"add.embedding_scaled", "convention.embedding_scale.root"})
    says = "You multiplied the embeddings by the root of the model's width; here they are added as they are."

    def placed_at(self, embedded: Array, places: Array) -> Array:
        return embedded * np.sqrt(embedded.shape[1]) + places


class GammaAndBetaForgotten(Block):
    wrong_step, names = (
        "attention.norm.normed",
        frozenset({"layer_norm.gamma_and_beta_forgotten", "layer_norm.no_affine"}),
    )
    says = "You stopped at the normalized row; gamma and beta are still to be applied."

    def normed(self, x: Array, gamma: Array, beta: Array) -> Array:
        return self.normalized(x)


class BetaForgotten(Encoder):
    wrong_step, names = "attention.norm.normed", frozenset({"layer_norm.beta_forgotten"})
    says = "You left out beta, which is added at the end."

    def normed(self, x: Array, gamma: Array, beta: Array) -> Array:
        return self.normalized(x) * gamma


class OneMeanForAllTokens(Block):
    wrong_step, names = "attention.norm.normed", frozenset({"layer_norm.whole_table"})
    says = "You took one mean and one deviation for all tokens; each token has its own."

    def normed(self, x: Array, gamma: Array, beta: Array) -> Array:
        return (x - x.mean()) / np.sqrt(x.var() + 1e-6) * gamma + beta


class AsAnnotated(Encoder):
    """The tutorial's norm: n - 1, and epsilon added to the deviation."""

    wrong_step = "attention.norm.normed"
    names = frozenset({"layer_norm.wrong_n", "convention.norm_correction.1"})

    def normed(self, x: Array, gamma: Array, beta: Array) -> Array:
        spread = x.std(axis=-1, ddof=1, keepdims=True) + 1e-6
        return (x - x.mean(axis=-1, keepdims=True)) / spread * gamma + beta


class RootMeanSquare(Block):
    """RMSNorm, with a shift."""

    wrong_step = "feed_forward.norm.normed"
    names = frozenset({"layer_norm.as_rms_norm", "layer_norm.shifted"})
    says = "You divided by the root of the mean square and did not center; that is RMSNorm."

    def second_norm(self, middle: Array, attended: Array) -> Array:
        gamma, beta = self.norm_weights("feed_forward")
        return middle / np.sqrt((middle**2).mean(axis=-1, keepdims=True) + 1e-6) * gamma + beta


class NormWeightsReused(Encoder):
    wrong_step, names = (
        "feed_forward.norm.normed",
        frozenset({"layer_norm.other_weights", "layer_norm.weights_of_another_norm"}),
    )
    says = "You used gamma and beta of the first norm; the second has its own."

    def second_norm(self, middle: Array, attended: Array) -> Array:
        return self.normed(middle, *self.norm_weights("attention"))


class QueriesBeforeTheNorm(Block):
    wrong_step, names = "Q", frozenset({"layer_norm.left_out"})

    def input_of(self, name: str, x: Array, normed: Array) -> Array:
        return x if name == "Q" else normed


class MaskForgotten(Block):
    """Forgotten going back as well."""

    wrong_step = "masked"
    names = frozenset(
        {"causal_mask.forgotten", "mask.forgotten", "softmax.mask_forgotten", "causal_mask.gradient_let_through"}
    )
    says = "You left out the mask: every token attends to all tokens."

    def masked(self, scaled: Array) -> Array:
        return scaled


class FutureIsZero(Block):
    wrong_step, names = "masked", frozenset({"causal_mask.turned_into_zero"})

    def masked(self, scaled: Array) -> Array:
        return np.tril(scaled)

    def let_through(self, dmasked: Array) -> Array:
        return np.tril(dmasked)


class PastHidden(Block):
    wrong_step, names = "masked", frozenset({"causal_mask.upper_triangle"})

    def masked(self, scaled: Array) -> Array:
        return np.where(np.tri(scaled.shape[-1], dtype=bool).T, scaled, -np.inf)


class MergedWithoutTransposing(Encoder):
    """Going back, the gradients of the heads are merged in the same way."""

    wrong_step = "joined"
    names = frozenset({"merge_heads.reshape_without_transpose", "split_heads.back_without_transpose"})

    def merged(self, parts: Array) -> Array:
        return parts.reshape(parts.shape[1], -1)


class ResidualOfTheNorm(Block):
    wrong_step, names = "attention.residual", frozenset({"add.residual_of_normalised"})

    def first_residual(self, x: Array, attended: Array, normed: Array) -> Array:
        return normed + attended


class ResidualFromTheStart(Encoder):
    wrong_step = "feed_forward.residual"
    names = frozenset({"add.residual_of_block_input", "add.residual_from_block_input"})
    says = "You added the input of the block; the second residual starts after the attention."

    def second_residual(self, x: Array, middle: Array, output: Array) -> Array:
        return x + output


class TargetsNotShifted(Block):
    """Each position is to predict its own token."""

    wrong_step = "loss"
    names = frozenset({"cross_entropy.targets_unshifted", "cross_entropy.targets_not_shifted"})
    says = "You took the probability of the token itself; each position predicts the next one."

    def mean_loss(self, p: Array, target: Array, logits: Array) -> Array:
        return super().mean_loss(p, self.given["tokens"], logits)


class LossOfTheLastPosition(Block):
    wrong_step, names = "loss", frozenset({"cross_entropy.last_only"})
    says = "You took the loss of the last position; here the loss is the mean over all positions."

    def mean_loss(self, p: Array, target: Array, logits: Array) -> Array:
        return -np.log(p[-1, target[-1]])


class SoftmaxOfProbabilities(Block):
    wrong_step, names = "loss", frozenset({"cross_entropy.softmax_twice"})

    def mean_loss(self, p: Array, target: Array, logits: Array) -> Array:
        return super().mean_loss(softmax(p), target, logits)


class DividedByEveryEntry(Block):
    wrong_step, names = (
        "dlogits",
        frozenset(
            {
                "cross_entropy.divided_by_entries",
                "cross_entropy.gradient_over_classes",
                "cross_entropy.mean_over_classes",
                "cross_entropy.all_classes",
            }
        ),
    )
    says = "You divided by the number of entries; the loss is a mean over the positions."

    def errors(self, p: Array, target: Array) -> Array:
        return super().errors(p, target) / p.shape[1]


class BiasOfTheFirstRow(Block):
    wrong_step, names = "db_2", frozenset({"linear.not_summed", "linear.bias_on_one_row", "sum_to.first_only"})

    def of_bias(self, gradient: Array) -> Array:
        return gradient[0]


class MeanTermForgotten(Encoder):
    wrong_step, names = "dresidual.via_normed", frozenset({"layer_norm.mean_term_forgotten"})
    says = "You left out the mean of the gradients: every entry moves the mean of its row."

    def mean_term(self, h: Array) -> Array:
        return np.zeros_like(h)


class VarianceTermForgotten(Block):
    wrong_step, names = "dresidual.via_normed", frozenset({"layer_norm.variance_term_forgotten"})
    says = "You left out the second term: every entry moves the standard deviation of its row."

    def stretch_term(self, h: Array, normalized: Array) -> Array:
        return np.zeros_like(h)


class TermsNotAveraged(Encoder):
    """Sums where the rule has means."""

    wrong_step, names = "dresidual.via_normed", frozenset({"layer_norm.terms_not_averaged"})
    says = "You added up where the rule takes the mean over the row."

    def mean_term(self, h: Array) -> Array:
        return h.sum(axis=-1, keepdims=True)

    def stretch_term(self, h: Array, normalized: Array) -> Array:
        return (h * normalized).sum(axis=-1, keepdims=True)


class GammaFromTheOutput(Block):
    wrong_step = "feed_forward.norm.dgamma.unsummed"
    names = frozenset({"layer_norm.gamma_from_output", "layer_norm.own_output"})
    says = "You multiplied by the output of the norm; gamma was multiplied by the normalized row."

    def counterpart(self, x: Array, normed: Array) -> Array:
        return normed


class StraightPathForgotten(Encoder):
    """The gradient goes through the norm alone."""

    wrong_step, names = (
        "attention.dresidual",
        frozenset(
            {
                *PATH_FORGOTTEN,
                "collect.assigned",
            }
        ),
    )

    def collected(self, paths: dict[str, Array], name: str) -> Array:
        return paths["norm"] if name == "residual" else super().collected(paths, name)


class GradientCutWithoutTransposing(Block):
    wrong_step = "dcontext"
    names = frozenset({"merge_heads.back_without_transpose", "split_heads.reshape_without_transpose"})

    def cut(self, djoined: Array) -> Array:
        return djoined.reshape(HEADS, len(djoined), -1)


PEOPLE = (
    Block,
    Encoder,
    PositionTimesPower,
    EveryColumnItsOwnPower,
    SinesFirst,
    EmbeddingTimesRoot,
    GammaAndBetaForgotten,
    BetaForgotten,
    OneMeanForAllTokens,
    AsAnnotated,
    RootMeanSquare,
    NormWeightsReused,
    QueriesBeforeTheNorm,
    MaskForgotten,
    FutureIsZero,
    PastHidden,
    MergedWithoutTransposing,
    ResidualOfTheNorm,
    ResidualFromTheStart,
    TargetsNotShifted,
    LossOfTheLastPosition,
    SoftmaxOfProbabilities,
    DividedByEveryEntry,
    BiasOfTheFirstRow,
    MeanTermForgotten,
    VarianceTermForgotten,
    TermsNotAveraged,
    GammaFromTheOutput,
    StraightPathForgotten,
    GradientCutWithoutTransposing,
)
