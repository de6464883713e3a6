"""Somebody with a sheet, a calculator and a pen."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

Array = np.ndarray


class Person:
    """Works out a sheet from what is given on it. Every number that is written down is rounded, and what comes next is
    worked out from the rounded one.
    """

    lesson: ClassVar[str]
    wrong_step: ClassVar[str] = ""  # where the mistake is made; none: all is right
    mistake: ClassVar[str] = ""  # its id

    def __init__(self, given: dict[str, Array], digits: int) -> None:
        self.given = given
        self.digits = digits
        self.written: dict[str, Array] = {}

    def write(self, name: str, value: Array) -> Array:
        rounded = np.array([float(f"{entry:.{self.digits - 1}e}") for entry in np.ravel(value)])
        self.written[name] = rounded.reshape(np.shape(value))
        return self.written[name]

    def work(self) -> None:
        """Write down every step."""
        raise NotImplementedError

    def spelled(self, number: float) -> str:
        """How a number is put on the sheet; `write` has already rounded it."""
        return repr(number)
