"""People who make two mistakes in a row: those of the first class, then those of the second, from their own numbers."""

from __future__ import annotations

from .adam import OneOfTwoFactors, PowerForgotten
from .batch import OnlyTheStep, ThirdForgottenGoingBack
from .cache import MaskWithoutThePast, PositionsStartAgain
from .cross import NormalizedOverQueries, RootOfWhatIsOnThePage, UpstreamForgotten, ValuesFromTheKeysMatrix
from .hello_world import (
    BiasSubtracted,
    GateTurnedAround,
    HeadsTakeTurns,
    LeakyRelu,
    OutputGradientFlipped,
    OutputProjectionForgotten,
)
from .in_block import (
    BetaForgotten,
    GammaAndBetaForgotten,
    MaskForgotten,
    ResidualOfTheNorm,
    StraightPathForgotten,
    TargetsNotShifted,
)
from .recurrent import OnlyTheLastStep, SlopeWithoutTheSquare
from .tips import (
    MeanOfAllTokens,
    OneMinusP,
    OneSumForTheWholeMatrix,
    PTimesG,
    QueriesFromTheKeysMatrix,
    ScaledUp,
)
from .token_i import (
    GradientScaledUp,
    KeysWeightNotFlipped,
    ResidualPathForgotten,
    ResidualTwice,
    RootOfTheTokens,
    SharedBetweenBranches,
)


class ScaledUpThenOneMinusP(ScaledUp, OneMinusP):
    second_step, second_names = "loss", OneMinusP.names


class OtherMatrixThenPTimesG(QueriesFromTheKeysMatrix, PTimesG):
    second_step, second_names = "dscaled", PTimesG.names


class OneSumThenMean(OneSumForTheWholeMatrix, MeanOfAllTokens):
    second_step, second_names = "last", MeanOfAllTokens.names


class OtherRootThenResidualTwice(RootOfTheTokens, ResidualTwice):
    second_step, second_names = "residual", ResidualTwice.names


class ScaledUpGoingBackThenNoResidual(GradientScaledUp, ResidualPathForgotten):
    second_step, second_names = "dX", ResidualPathForgotten.names


class HalfThenNotFlipped(SharedBetweenBranches, KeysWeightNotFlipped):
    second_step, second_names = "dX.via_K", KeysWeightNotFlipped.names


class TurnsThenBiasSubtracted(HeadsTakeTurns, BiasSubtracted):
    second_step, second_names = "hidden", BiasSubtracted.names


class NoProjectionThenLeaky(OutputProjectionForgotten, LeakyRelu):
    second_step, second_names = "activated", LeakyRelu.names


class GateTurnedThenFlipped(GateTurnedAround, OutputGradientFlipped):
    second_step, second_names = "dW_O", OutputGradientFlipped.names


class NoMaskThenResidualOfTheNorm(MaskForgotten, ResidualOfTheNorm):
    second_step, second_names = "attention.residual", ResidualOfTheNorm.names


class NoBetaThenNoStraightPath(BetaForgotten, StraightPathForgotten):
    second_step, second_names = "attention.dresidual", StraightPathForgotten.names


class NoAffineThenNotShifted(GammaAndBetaForgotten, TargetsNotShifted):
    second_step, second_names = "loss", TargetsNotShifted.names


class OtherMatrixThenOverQueries(ValuesFromTheKeysMatrix, NormalizedOverQueries):
    second_step, second_names = "weights", NormalizedOverQueries.names


class OtherRootThenNoUpstream(RootOfWhatIsOnThePage, UpstreamForgotten):
    second_step, second_names = "dscaled", UpstreamForgotten.names


class NoTwoThenNoPower(OneOfTwoFactors, PowerForgotten):
    second_step, second_names = "step2.w_m_hat", PowerForgotten.names


class NoThirdThenOnlyTheStep(ThirdForgottenGoingBack, OnlyTheStep):
    second_step, second_names = "W_vocab_new", OnlyTheStep.names


class StartAgainThenNoPast(PositionsStartAgain, MaskWithoutThePast):
    second_step, second_names = "token2.block1.attention.masked", MaskWithoutThePast.names


class NoSquareThenLastStep(SlopeWithoutTheSquare, OnlyTheLastStep):
    second_step, second_names = "dW_h", OnlyTheLastStep.names


PEOPLE = (
    ScaledUpThenOneMinusP,
    OtherMatrixThenPTimesG,
    OneSumThenMean,
    OtherRootThenResidualTwice,
    ScaledUpGoingBackThenNoResidual,
    HalfThenNotFlipped,
    TurnsThenBiasSubtracted,
    NoProjectionThenLeaky,
    GateTurnedThenFlipped,
    NoMaskThenResidualOfTheNorm,
    NoBetaThenNoStraightPath,
    NoAffineThenNotShifted,
    OtherMatrixThenOverQueries,
    OtherRootThenNoUpstream,
    NoTwoThenNoPower,
    NoThirdThenOnlyTheStep,
    StartAgainThenNoPast,
    NoSquareThenLastStep,
)
