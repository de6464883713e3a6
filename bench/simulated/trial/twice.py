"""People who make two mistakes in a row: that of the first class, then that of the second, from their own numbers."""

from __future__ import annotations

from ..heldout.examinee import Examinee
from .attention import (
    DividedByTheLargest,
    DividedByTheNumberOfHeads,
    FirstHeadForAll,
    MeanOfAllValues,
    PowersOfTen,
    PowersOfTheNegative,
    QueriesAndKeysExchanged,
)
from .attention_back import AverageAdded, DifferenceTurned, KeysBeforeTheScale, PlainMeanSubtracted, ValuesForTheKeys
from .backward import DeviationsForGamma, SumsForMeans, TableAveraged, TimesTheHiddenEntry
from .layers import AbsoluteValues, RootMeanSquare
from .losses import LogarithmWeighted, PositionsAveragedTwice, TwiceTheError
from .training import BiasesUphill


def then(first: type[Examinee], second: type[Examinee]) -> type[Examinee]:
    """Somebody who makes both."""
    body = {
        "__module__": __name__,
        "second_step": second.wrong_step,
        "second_names": second.names,
        "says": f"{first.says} Then: {second.says}",
    }
    return type(f"{first.__name__}Then{second.__name__}", (first, second), body)


PEOPLE: tuple[type[Examinee], ...] = (
    then(QueriesAndKeysExchanged, TableAveraged),
    then(MeanOfAllValues, PlainMeanSubtracted),
    then(PowersOfTen, AverageAdded),
    then(PowersOfTheNegative, BiasesUphill),
    then(DividedByTheLargest, TwiceTheError),
    then(FirstHeadForAll, DifferenceTurned),
    then(DividedByTheNumberOfHeads, ValuesForTheKeys),
    then(LogarithmWeighted, KeysBeforeTheScale),
    then(PositionsAveragedTwice, DeviationsForGamma),
    then(RootMeanSquare, SumsForMeans),
    then(AbsoluteValues, TimesTheHiddenEntry),
)
