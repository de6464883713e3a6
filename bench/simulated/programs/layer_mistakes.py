"""What people do wrong in residuals, norms and feed-forward layers, going forward."""

from __future__ import annotations

import numpy as np

from .operations import EPSILON, Calculation
from .paper import Array, Person, person
from .transformer import (
    Example5,
    Example6,
    HeadsAndLayers,
    PositionalEncoding,
    ResidualAttention,
    SmallDecoder,
)

# -- residuals -------------------------------------------------------------------------------------------


class ResidualForgotten(Calculation):
    names = frozenset({"add.residual_forgotten"})

    def add_residual(self, at: str, x: Array, result: Array, normed: Array, block_input: Array) -> Array:
        return result


class ResidualTwice(Calculation):
    names = frozenset({"add.residual_twice"})

    def add_residual(self, at: str, x: Array, result: Array, normed: Array, block_input: Array) -> Array:
        return x + x + result


class ResidualOfNormed(Calculation):
    names = frozenset({"add.residual_of_normalised"})

    def add_residual(self, at: str, x: Array, result: Array, normed: Array, block_input: Array) -> Array:
        return normed + result


class ResidualOfBlockInput(Calculation):
    names = frozenset({"add.residual_of_block_input"})

    def add_residual(self, at: str, x: Array, result: Array, normed: Array, block_input: Array) -> Array:
        return block_input + result


class ResidualSubtracted(Calculation):
    names = frozenset({"add.subtracted"})

    def add_residual(self, at: str, x: Array, result: Array, normed: Array, block_input: Array) -> Array:
        return x - result


class ResidualAveraged(Calculation):
    names = frozenset({"add.averaged"})

    def add_residual(self, at: str, x: Array, result: Array, normed: Array, block_input: Array) -> Array:
        return (x + result) / 2


class OnlyTheResidual(Calculation):
    """What the layer gave is left out."""

    names = frozenset({"add.sublayer_forgotten", "add.forgotten"})

    def add_residual(self, at: str, x: Array, result: Array, normed: Array, block_input: Array) -> Array:
        return x


# -- layer norm ------------------------------------------------------------------------------------------


class WithoutGamma(Calculation):
    names = frozenset({"layer_norm.gamma_forgotten"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return self.normalized(x) + beta


class WithoutBeta(Calculation):
    names = frozenset({"layer_norm.beta_forgotten"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return self.normalized(x) * gamma


class WithoutBoth(Calculation):
    names = frozenset({"layer_norm.gamma_and_beta_forgotten"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return self.normalized(x)


class GammaAndBetaExchanged(Calculation):
    names = frozenset({"layer_norm.swapped"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return self.normalized(x) * beta + gamma


class GammaAfterBeta(Calculation):
    """The sum is multiplied."""

    names = frozenset({"layer_norm.shifted_first"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return (self.normalized(x) + beta) * gamma


class OneLess(Calculation):
    names = frozenset({"layer_norm.wrong_n"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        deviations = x - x.mean(axis=-1, keepdims=True)
        return deviations / np.sqrt(x.var(axis=-1, ddof=1, keepdims=True) + EPSILON) * gamma + beta


class OneLessAndOutside(Calculation):
    """n - 1, and epsilon outside the root: as in the Annotated Transformer."""

    names = frozenset({"layer_norm.wrong_n", "layer_norm.std_plus_epsilon"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        deviations = x - x.mean(axis=-1, keepdims=True)
        return deviations / (x.std(axis=-1, ddof=1, keepdims=True) + EPSILON) * gamma + beta


class OverTheTokens(Calculation):
    names = frozenset({"layer_norm.columns"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return (x - x.mean(axis=0)) / np.sqrt(x.var(axis=0) + EPSILON) * gamma + beta


class OverEverything(Calculation):
    names = frozenset({"layer_norm.whole_table"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return (x - x.mean()) / np.sqrt(x.var() + EPSILON) * gamma + beta


class DividedByVariance(Calculation):
    names = frozenset({"layer_norm.root_forgotten"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return (x - x.mean(-1, keepdims=True)) / (x.var(-1, keepdims=True) + EPSILON) * gamma + beta


class NotCentered(Calculation):
    names = frozenset({"layer_norm.shifted"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return x / np.sqrt(x.var(-1, keepdims=True) + EPSILON) * gamma + beta


class OnlyCentered(Calculation):
    names = frozenset({"layer_norm.not_divided"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return (x - x.mean(-1, keepdims=True)) * gamma + beta


class RootOfMeanSquare(Calculation):
    """An RMS norm."""

    names = frozenset({"layer_norm.as_rms_norm"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return x / np.sqrt((x**2).mean(-1, keepdims=True) + EPSILON) * gamma + beta


class NormOfOtherWeights(Calculation):
    """The second norm is given the scale and the shift of the first."""

    names = frozenset({"layer_norm.weights_of_another_norm"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        first = at.replace("feed_forward", "attention").removesuffix("normed")
        return super().layer_norm(at, x, self.given[f"{first}gamma"], self.given[f"{first}beta"])


class NormLeftOut(Calculation):
    names = frozenset({"layer_norm.left_out"})

    def layer_norm(self, at: str, x: Array, gamma: Array, beta: Array) -> Array:
        return x


# -- feed-forward ----------------------------------------------------------------------------------------


class BiasForgotten(Calculation):
    names = frozenset({"linear.bias_forgotten"})

    def linear(self, at: str, x: Array, weight: Array, bias: Array) -> Array:
        return x @ weight


class BiasSubtracted(Calculation):
    names = frozenset({"linear.bias_subtracted"})

    def linear(self, at: str, x: Array, weight: Array, bias: Array) -> Array:
        return x @ weight - bias


class BiasOnFirstRow(Calculation):
    names = frozenset({"linear.bias_on_one_row"})

    def linear(self, at: str, x: Array, weight: Array, bias: Array) -> Array:
        result = x @ weight
        result[0] += bias
        return result


class SecondBiasForgotten(Calculation):
    names = frozenset({"linear.bias_forgotten"})

    def second_layer(self, at: str, activated: Array, weight: Array, bias: Array) -> Array:
        return activated @ weight


class LayerTransposed(Calculation):
    names = frozenset({"linear.weight_transposed"})

    def linear(self, at: str, x: Array, weight: Array, bias: Array) -> Array:
        return x @ weight.T + bias


class NotActivated(Calculation):
    names = frozenset({"relu.forgotten"})

    def activate(self, hidden: Array) -> Array:
        return hidden


class NotActivatedEitherWay(NotActivated):
    """The same mistake, and going back follows it."""

    def back_through_relu(self, gradient: Array, hidden: Array, activated: Array) -> Array:
        return gradient


class Absolute(Calculation):
    names = frozenset({"relu.absolute"})

    def activate(self, hidden: Array) -> Array:
        return np.abs(hidden)


class NegativeKept(Calculation):
    names = frozenset({"relu.negative_kept"})

    def activate(self, hidden: Array) -> Array:
        return np.minimum(hidden, 0)


class ActivatedTwice(Calculation):
    """A ReLU after the second layer too."""

    names = frozenset({"linear.relu_after_second_layer"})

    def second_layer(self, at: str, activated: Array, weight: Array, bias: Array) -> Array:
        return np.maximum(super().second_layer(at, activated, weight, bias), 0)


class SecondOfHidden(Calculation):
    """The second layer reads what was there before the ReLU."""

    names = frozenset({"relu.forgotten", "linear.reads_hidden"})

    def activate(self, hidden: Array) -> Array:
        self.before_relu = hidden
        return super().activate(hidden)

    def second_layer(self, at: str, activated: Array, weight: Array, bias: Array) -> Array:
        return super().second_layer(at, self.before_relu, weight, bias)


A, F = "block1.attention", "block1.feed_forward"
NORMS = (
    WithoutGamma, WithoutBeta, WithoutBoth, GammaAndBetaExchanged, GammaAfterBeta, OneLess, OneLessAndOutside,
    OverTheTokens, OverEverything, DividedByVariance, NotCentered, OnlyCentered, RootOfMeanSquare,
)  # fmt: skip
LAYERS: tuple[type[Person], ...] = (
    *(
        person(mistake, lesson, f"{A}.residual")
        for mistake in (ResidualForgotten, ResidualTwice, ResidualSubtracted, ResidualAveraged, OnlyTheResidual)
        for lesson in (ResidualAttention, PositionalEncoding, SmallDecoder)
    ),
    *(
        person(mistake, Example5, f"{F}.residual")
        for mistake in (ResidualForgotten, ResidualTwice, ResidualSubtracted)
    ),
    *(person(ResidualOfNormed, lesson, f"{A}.residual") for lesson in (SmallDecoder, Example6)),
    *(person(ResidualOfBlockInput, lesson, f"{F}.residual") for lesson in (SmallDecoder, Example6)),
    *(person(mistake, SmallDecoder, f"{A}.norm.normed") for mistake in (*NORMS, NormLeftOut)),
    *(person(mistake, Example6, f"{A}.norm.normed") for mistake in (WithoutGamma, OneLess, OverTheTokens, NotCentered)),
    person(NormOfOtherWeights, SmallDecoder, f"{F}.norm.normed"),
    *(
        person(mistake, lesson, f"{F}.hidden")
        for mistake in (BiasForgotten, BiasSubtracted, BiasOnFirstRow)
        for lesson in (Example5, HeadsAndLayers, SmallDecoder)
    ),
    *(person(SecondBiasForgotten, lesson, f"{F}.output") for lesson in (Example5, HeadsAndLayers)),
    person(LayerTransposed, Example5, f"{F}.hidden"),
    *(
        person(mistake, lesson, f"{F}.activated")
        for mistake in (NotActivated, NotActivatedEitherWay, Absolute, NegativeKept)
        for lesson in (Example5, HeadsAndLayers, SmallDecoder)
    ),
    *(
        person(mistake, lesson, f"{F}.output")
        for mistake in (ActivatedTwice, SecondOfHidden)
        for lesson in (Example5, HeadsAndLayers, SmallDecoder)
    ),
)  # fmt: skip
