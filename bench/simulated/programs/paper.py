"""Somebody with a sheet, a calculator and a pen."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

Array = np.ndarray


class Person:
    """Computes a sheet from what is given on it. Every number that is written down is rounded, and what comes next is
    computed from the rounded one; or, for a person who reads the sheet, from the number printed there.

    `lesson`, `wrong_step` and `names` say what the harness should find. A step is named by its path, or by as much of
    its end as is unique.
    """

    lesson: ClassVar[str]
    wrong_step: ClassVar[str] = ""  # where the mistake is made; none: all is right
    mistake: ClassVar[str] = ""  # its id
    names: ClassVar[frozenset[str]] = frozenset()  # other ids that name it too

    def __init__(
        self,
        given: dict[str, Array],
        digits: int,
        printed: dict[str, tuple[Array, Array]] | None = None,
        by_line: bool = False,
    ) -> None:
        self.given = given
        self.digits = digits
        self.printed = printed or {}  # by step: the numbers on the sheet, and which of them are blanks
        self.by_line = by_line
        self.written: dict[str, Array] = {}
        self.terms: dict[str, Array] = {}  # of the steps that are sums of products: their terms, on the last axis
        self.pen_slip: Any = None  # (step, index, function): what happens to one answer as it is written down
        self._last_product: tuple[Array, Array] | None = None

    def write(self, name: str, value: Array) -> Array:
        """Write a step down, and get the numbers to go on with."""
        if self._last_product is not None and self._last_product[0] is value:
            self.terms[name] = self._last_product[1]
        rounded = self.round(value)
        if self.pen_slip is not None and self.pen_slip[0] == name:
            rounded = np.array(rounded)
            rounded[self.pen_slip[1]] = self.pen_slip[2](self, name, rounded)
        self.written[name] = rounded
        if name in self.printed:
            numbers, is_blank = self.printed[name]
            if numbers.shape == rounded.shape:
                return np.where(is_blank, rounded, numbers)
        return rounded

    def round(self, value: Any) -> Array:
        entries = [float(f"{entry:.{self.digits - 1}e}") for entry in np.ravel(value)]
        return np.array(entries).reshape(np.shape(value))

    def line(self, value: Any) -> Array:
        """A line between two answers: some people round it too."""
        return self.round(value) if self.by_line else np.asarray(value)

    def product(self, a: Array, b: Array) -> Array:
        """a @ b, whose terms are remembered."""
        value = a @ b
        left = a[..., None, :] if a.ndim > 1 else a[None, :]
        right = np.swapaxes(b, -1, -2)[..., None, :, :] if b.ndim > 1 else b
        self._last_product = (value, (left * right).reshape(*value.shape, -1))
        return value

    def work(self) -> None:
        """Write down every step."""
        raise NotImplementedError

    def spelled(self, number: float) -> str:
        """How a number is put on the sheet; `write` has already rounded it."""
        return repr(number)


def person(mistake: type, lesson: type[Person], step: str) -> type[Person]:
    """Somebody who computes a lesson with a mistake, which first shows at a step."""
    name = f"{mistake.__name__}{lesson.__name__}"
    return type(name, (mistake, lesson), {"__doc__": mistake.__doc__, "wrong_step": step, "__module__": __name__})


def right_of(somebody: type[Person]) -> type[Person]:
    """The same computation without the mistake."""
    others = (base for base in somebody.__mro__[1:] if issubclass(base, Person) and base is not Person)
    found = (base for base in others if not base.wrong_step and getattr(base, "lesson", "") == somebody.lesson)
    return next(found)


def names_of(somebody: type[Person]) -> frozenset[str]:
    """Every id that names the mistake."""
    return somebody.names | ({somebody.mistake} if somebody.mistake else set())
