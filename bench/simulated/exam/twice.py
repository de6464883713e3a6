"""People who make two mistakes in a row: that of the first class, then that of the second, from their own numbers."""

from __future__ import annotations

from ..heldout.examinee import Examinee
from .attention import (
    InputForValues,
    KeysForValues,
    NotScaled,
    QueriesTimesQueries,
    RootOfAllHeads,
    SoftmaxOverHeads,
    WeightsTransposed,
    WidthWithoutRoot,
)
from .attention_back import KeysForValuesGoingBack
from .backward import (
    BiasGradientAveraged,
    GradientForEveryToken,
    MeanTermForgotten,
    NormAsAConstantFactor,
    RawRowsForTheFirstWeight,
    WeightNotTransposedBack,
)
from .layers import NetworkWithoutResidual
from .losses import FirstTokenPredicts, GradientOfTheProbability, LabelMinusProbability
from .masks_and_heads import HiddenScoresAreZero


class NotScaledThenFirstToken(NotScaled, FirstTokenPredicts):
    second_step, second_names = FirstTokenPredicts.wrong_step, FirstTokenPredicts.names
    says = f"{NotScaled.says} Then: {FirstTokenPredicts.says}"


class WidthThenWeightNotTransposed(WidthWithoutRoot, WeightNotTransposedBack):
    second_step, second_names = WeightNotTransposedBack.wrong_step, WeightNotTransposedBack.names
    says = f"{WidthWithoutRoot.says} Then: {WeightNotTransposedBack.says}"


class KeysForValuesTwice(KeysForValues, KeysForValuesGoingBack):
    second_step, second_names = KeysForValuesGoingBack.wrong_step, KeysForValuesGoingBack.names
    says = f"{KeysForValues.says} Then: {KeysForValuesGoingBack.says}"


class InputAveragedThenEveryToken(InputForValues, GradientForEveryToken):
    second_step, second_names = GradientForEveryToken.wrong_step, GradientForEveryToken.names
    says = f"{InputForValues.says} Then: {GradientForEveryToken.says}"


class TransposedThenProbability(WeightsTransposed, GradientOfTheProbability):
    second_step, second_names = GradientOfTheProbability.wrong_step, GradientOfTheProbability.names
    says = f"{WeightsTransposed.says} Then: {GradientOfTheProbability.says}"


class QueriesTwiceThenLabelFirst(QueriesTimesQueries, LabelMinusProbability):
    second_step, second_names = LabelMinusProbability.wrong_step, LabelMinusProbability.names
    says = f"{QueriesTimesQueries.says} Then: {LabelMinusProbability.says}"


class AllHeadsThenConstantNorm(RootOfAllHeads, NormAsAConstantFactor):
    second_step, second_names = NormAsAConstantFactor.wrong_step, NormAsAConstantFactor.names
    says = f"{RootOfAllHeads.says} Then: {NormAsAConstantFactor.says}"


class NoResidualThenMeanBias(NetworkWithoutResidual, BiasGradientAveraged):
    second_step, second_names = BiasGradientAveraged.wrong_step, BiasGradientAveraged.names
    says = f"{NetworkWithoutResidual.says} Then: {BiasGradientAveraged.says}"


class ZerosThenRawRows(HiddenScoresAreZero, RawRowsForTheFirstWeight):
    second_step, second_names = RawRowsForTheFirstWeight.wrong_step, RawRowsForTheFirstWeight.names
    says = f"{HiddenScoresAreZero.says} Then: {RawRowsForTheFirstWeight.says}"


class OverHeadsThenNoMeanTerm(SoftmaxOverHeads, MeanTermForgotten):
    second_step, second_names = MeanTermForgotten.wrong_step, MeanTermForgotten.names
    says = f"{SoftmaxOverHeads.says} Then: {MeanTermForgotten.says}"


PEOPLE: tuple[type[Examinee], ...] = (
    NotScaledThenFirstToken, WidthThenWeightNotTransposed, KeysForValuesTwice, InputAveragedThenEveryToken,
    TransposedThenProbability, QueriesTwiceThenLabelFirst, AllHeadsThenConstantNorm, NoResidualThenMeanBias,
    ZerosThenRawRows, OverHeadsThenNoMeanTerm,
)  # fmt: skip
