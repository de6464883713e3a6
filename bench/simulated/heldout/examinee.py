"""Somebody of the held-out set, and what an examiner needs to know of them."""

from __future__ import annotations

from typing import ClassVar, Literal

from ..programs.paper import Person

Kind = Literal["right", "concept", "two", "slip"]

# One of several gradients was left out: whichever of these is said, it is true.
PATH_FORGOTTEN = frozenset(
    {
        "collect.path_forgotten",
        "collect.first_path_forgotten",
        "collect.second_path_forgotten",
        "collect.last_path_forgotten",
        "collect.only_first_path",
        "collect.only_second_path",
        "collect.residual_path_forgotten",
    }
)


class Examinee(Person):
    """A person who works out a sheet.

    `names` are the ids that describe the mistake truly. Where none exists yet, `says` has the words of it, and `names`
    an id that is proposed; until that id exists, a fair examiner counts the mistake as not named. A `slip` is a wrong
    stroke of the pencil and no misunderstanding: naming any mistake would be untrue. Who makes two mistakes in a row
    makes the second at `second_step`, from the numbers that the first one left.
    """

    names: ClassVar[frozenset[str]] = frozenset()
    says: ClassVar[str] = ""
    slip: ClassVar[str] = ""
    second_step: ClassVar[str] = ""
    second_names: ClassVar[frozenset[str]] = frozenset()
    kind: ClassVar[Kind] = "right"

    def __init_subclass__(cls) -> None:
        cls.mistake = min(cls.names, default="")
        cls.kind = "right"
        if cls.wrong_step:
            cls.kind = "slip" if cls.slip else "two" if cls.second_step else "concept"
