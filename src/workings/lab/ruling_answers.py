"""What an offline file knows about the answers to a sheet. The front end has these types too, from schema/lab.json."""

from __future__ import annotations

from dataclasses import dataclass

from .answers import Marked, Page


@dataclass(frozen=True)
class Expected:
    """A number that an answer may be: the right one, or what a mistake gives. An answer with fewer digits than asked
    for, of which `half_unit` is half the last, may be as much further off as it is coarser; then `coarser` is said.
    A value without an end is the word "inf" or "-inf".
    """

    value: float | str
    tolerance: float
    half_unit: float
    mark: Marked
    coarser: Marked | None


@dataclass(frozen=True)
class Ruling:
    """How the answer to one field is judged: by numbers, or by texts, of which only words and numbers count. Anything
    `other` is wrong.
    """

    label: str
    step: str
    expected: tuple[Expected, ...]
    texts: dict[str, Marked]
    other: Marked
    unreadable: Marked


@dataclass(frozen=True)
class Rulings:
    """A sheet in an offline file, and what is said about the answers as a whole."""

    rulings: tuple[Ruling, ...]
    page: Page
