"""People who make two mistakes in a row: that of the first class, then that of the second, from their own numbers."""

from __future__ import annotations

from ..heldout.examinee import Examinee
from .attention import (
    DividedWithoutTheRoot,
    HiddenAfterTheSoftmax,
    KeysAveraged,
    NextTokenVisible,
    PowersOfTen,
    ReshapedIntoHeads,
    RootOfTheModelWidth,
    ScoresOfKeysAgainstQueries,
)
from .attention_back import (
    AverageDownTheColumns,
    RootForgottenGoingBack,
    ScoresNotTransposedForKeys,
    WeightsNotTransposedBack,
)
from .backward import GateIgnored, MeanOfThePaths, QueriesPathForgotten, StatisticsHeldFixed
from .layers import FirstBiasForgotten, NoResidual, ShiftedBeforeScaled
from .losses import LossInBits, MinusForgotten, NothingSubtracted, TargetMinusProbability
from .positions import QueryAndKeyMatricesExchanged
from .training import BetaForTheNew, RootLeftOutOfAdam


class TransposedThenNoResidual(ScoresOfKeysAgainstQueries, NoResidual):
    second_step, second_names = NoResidual.wrong_step, NoResidual.names
    says = f"{ScoresOfKeysAgainstQueries.says} Then: {NoResidual.says}"


class KeysAveragedThenMeanOfPaths(KeysAveraged, MeanOfThePaths):
    second_step, second_names = MeanOfThePaths.wrong_step, MeanOfThePaths.names
    says = f"{KeysAveraged.says} Then: {MeanOfThePaths.says}"


class ModelWidthThenWeightsNotTransposed(RootOfTheModelWidth, WeightsNotTransposedBack):
    second_step, second_names = WeightsNotTransposedBack.wrong_step, WeightsNotTransposedBack.names
    says = f"{RootOfTheModelWidth.says} Then: {WeightsNotTransposedBack.says}"


class ReshapedThenRootForgotten(ReshapedIntoHeads, RootForgottenGoingBack):
    second_step, second_names = RootForgottenGoingBack.wrong_step, RootForgottenGoingBack.names
    says = f"{ReshapedIntoHeads.says} Then: {RootForgottenGoingBack.says}"


class NoRootThenNoGate(DividedWithoutTheRoot, GateIgnored):
    second_step, second_names = GateIgnored.wrong_step, GateIgnored.names
    says = f"{DividedWithoutTheRoot.says} Then: {GateIgnored.says}"


class NextVisibleThenColumns(NextTokenVisible, AverageDownTheColumns):
    second_step, second_names = AverageDownTheColumns.wrong_step, AverageDownTheColumns.names
    says = f"{NextTokenVisible.says} Then: {AverageDownTheColumns.says}"


class TensThenNoBias(PowersOfTen, FirstBiasForgotten):
    second_step, second_names = FirstBiasForgotten.wrong_step, FirstBiasForgotten.names
    says = f"{PowersOfTen.says} Then: {FirstBiasForgotten.says}"


class ExchangedThenMinusForgotten(QueryAndKeyMatricesExchanged, MinusForgotten):
    second_step, second_names = MinusForgotten.wrong_step, MinusForgotten.names
    says = f"{QueryAndKeyMatricesExchanged.says} Then: {MinusForgotten.says}"


class MinusForgottenThenNothingSubtracted(MinusForgotten, NothingSubtracted):
    second_step, second_names = NothingSubtracted.wrong_step, NothingSubtracted.names
    says = f"{MinusForgotten.says} Then: {NothingSubtracted.says}"


class BitsThenReversed(LossInBits, TargetMinusProbability):
    second_step, second_names = TargetMinusProbability.wrong_step, TargetMinusProbability.names
    says = f"{LossInBits.says} Then: {TargetMinusProbability.says}"


class ShiftedThenHeldFixed(ShiftedBeforeScaled, StatisticsHeldFixed):
    second_step, second_names = StatisticsHeldFixed.wrong_step, StatisticsHeldFixed.names
    says = f"{ShiftedBeforeScaled.says} Then: {StatisticsHeldFixed.says}"


class ExchangedBetasThenNoRoot(BetaForTheNew, RootLeftOutOfAdam):
    second_step, second_names = RootLeftOutOfAdam.wrong_step, RootLeftOutOfAdam.names
    says = f"{BetaForTheNew.says} Then: {RootLeftOutOfAdam.says}"


class KeysThenQueriesForgotten(ScoresNotTransposedForKeys, QueriesPathForgotten):
    second_step, second_names = QueriesPathForgotten.wrong_step, QueriesPathForgotten.names
    says = f"{ScoresNotTransposedForKeys.says} Then: {QueriesPathForgotten.says}"


class HiddenLateThenColumns(HiddenAfterTheSoftmax, AverageDownTheColumns):
    second_step, second_names = AverageDownTheColumns.wrong_step, AverageDownTheColumns.names
    says = f"{HiddenAfterTheSoftmax.says} Then: {AverageDownTheColumns.says}"


PEOPLE: tuple[type[Examinee], ...] = (
    TransposedThenNoResidual, KeysAveragedThenMeanOfPaths, ModelWidthThenWeightsNotTransposed,
    ReshapedThenRootForgotten, NoRootThenNoGate, NextVisibleThenColumns, TensThenNoBias, ExchangedThenMinusForgotten,
    MinusForgottenThenNothingSubtracted, BitsThenReversed, ShiftedThenHeldFixed, ExchangedBetasThenNoRoot,
    KeysThenQueriesForgotten, HiddenLateThenColumns,
)  # fmt: skip
