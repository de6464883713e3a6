"""What an offline file accepts in each blank. The front end has these types too, from schema/lab.json."""

from __future__ import annotations

from dataclasses import dataclass

from .trace import Marked, Page


@dataclass(frozen=True)
class Expected:
    """A number that an answer may be: the right one, or what a mistake gives. `half_unit` is half a unit of the last
    required digit: an answer with fewer digits may be further off by as much as it is coarser, up to `coarsest`, and
    then gets the mark `coarser`; beyond it, `too_few`. An infinite value is the word "inf" or "-inf".
    """

    value: float | str
    tolerance: float
    half_unit: float
    mark: Marked
    coarser: Marked | None
    coarsest: float = 0.0
    too_few: Marked | None = None


@dataclass(frozen=True)
class Ruling:
    """How the answer to one blank is checked: by numbers, or by texts of which only words and numbers count. Any
    `other` answer is wrong.
    """

    label: str
    step: str
    expected: tuple[Expected, ...]
    texts: dict[str, Marked]
    other: Marked
    unreadable: Marked


@dataclass(frozen=True)
class Rulings:
    """A sheet in an offline file, and a remark about how it is checked."""

    rulings: tuple[Ruling, ...]
    page: Page
