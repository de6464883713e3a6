"""People who do everything right, each with habits of rounding and writing of their own."""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context

import numpy as np

from ..fresh.lessons import Decoder, Norm, Sleeping, Three
from ..heldout.cross import Cross
from ..heldout.examinee import Examinee
from ..heldout.token_i import TokenI
from ..programs.paper import Array, Person


class HalvesUp(Person):
    """Rounds halves up as at school, and not to the even digit."""

    def round(self, value: Array) -> Array:
        context = Context(prec=self.digits, rounding=ROUND_HALF_UP)
        entries = [float(context.create_decimal(repr(float(entry)))) for entry in np.ravel(value)]
        return np.array(entries).reshape(np.shape(value))


class KeepsTwoMoreDigits(Person):
    """Goes on with two more digits than are written."""

    def write(self, name: str, value: Array) -> Array:
        super().write(name, value)
        entries = [float(f"{entry:.{self.digits + 1}e}") for entry in np.ravel(value)]
        return np.array(entries).reshape(np.shape(value))


class InPowersOfTen(Person):
    """Writes every number as a power of ten."""

    def spelled(self, number: float) -> str:
        return f"{number:.{self.digits - 1}e}"


class SchoolRounding(HalvesUp, TokenI):
    """Attention with a residual, halves rounded up."""


class SchoolRoundingForYesAndNo(HalvesUp, Sleeping):
    """Yes or no for each token, halves rounded up."""


class GuardDigitsInTheUpdate(KeepsTwoMoreDigits, Three):
    """Every weight updated, with guard digits."""


class GuardDigitsInTheDecoder(KeepsTwoMoreDigits, Decoder):
    """A decoder block with guard digits."""


class PowersOfTenForTheMemory(InPowersOfTen, Cross):
    """Attention to a memory, in powers of ten."""


class PowersOfTenForTheNorm(InPowersOfTen, Norm):
    """Layer normalization, in powers of ten."""


PEOPLE: tuple[type[Examinee], ...] = (
    SchoolRounding, SchoolRoundingForYesAndNo, GuardDigitsInTheUpdate, GuardDigitsInTheDecoder,
    PowersOfTenForTheMemory, PowersOfTenForTheNorm,
)  # fmt: skip
