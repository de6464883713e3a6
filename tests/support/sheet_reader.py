"""Reads a worksheet as a learner sees it: from the text on the terminal, with the answers from its JSON. It knows
nothing of how blanks are chosen.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, TypeAlias

ROW = re.compile(r"\[ (.*) \]$")
BLANK = re.compile(r"_+$")
Entry: TypeAlias = tuple[str, tuple[int, int, int]]  # the title of a matrix; slice, row and column
NUMBER = re.compile(r"-?(∞|\d+(\.\d+)?(e[+-]\d+)?)$")


@dataclass
class DrawnMatrix:
    """A matrix of the page. Blanks are None in `texts`, and have their answer in `answers`."""

    title: str
    slices: list[list[list[str | None]]] = field(default_factory=lambda: [[]])
    answers: dict[tuple[int, int, int], str] = field(default_factory=dict)

    def lines(self) -> Iterator[list[tuple[int, int, int]]]:
        """The places of each row and each column."""
        for number, rows in enumerate(self.slices):
            for row, entries in enumerate(rows):
                yield [(number, row, column) for column in range(len(entries))]
            for column in range(min(map(len, rows), default=0)):
                yield [(number, row, column) for row in range(len(rows))]

    def text(self, place: tuple[int, int, int]) -> str | None:
        number, row, column = place
        return self.slices[number][row][column]

    def places(self) -> list[tuple[int, int, int]]:
        slices = enumerate(self.slices)
        return [(n, r, c) for n, rows in slices for r, row in enumerate(rows) for c in range(len(row))]


def read_page(page: str, sheet: dict[str, Any]) -> list[DrawnMatrix]:
    """The matrices of a worksheet, in their order, with the answers to their blanks."""
    found: list[DrawnMatrix] = []
    title, last = "", None
    for line in page.splitlines():
        if line and not line.startswith(" "):
            title, last = line.split("  ")[0], None
            continue
        row = ROW.search(line)
        single = line.strip()
        if row is None and not (line.startswith("  ") and (BLANK.match(single) or NUMBER.match(single))):
            if last is not None and last.slices[-1] and re.fullmatch(r"  \S*\[\d+\](\[\d+\])*", line):
                last.slices.append([])
            continue
        entries = row[1].split() if row else [single]
        if last is None:
            last = DrawnMatrix(title)
            found.append(last)
        last.slices[-1].append([None if BLANK.match(entry) else entry for entry in entries])
    _answer(found, sheet)
    return found


def _answer(matrices: list[DrawnMatrix], sheet: dict[str, Any]) -> None:
    numbers = [one for one in sheet["fields"] if one["kind"] == "number"]
    titles = itertools.groupby(numbers, key=lambda one: one["label"].split("[")[0])
    answers = {title: [printed(one["true"], sheet["digits"]) for one in group] for title, group in titles}
    for matrix in matrices:
        blanks = [place for place in matrix.places() if matrix.text(place) is None]
        own = answers.pop(matrix.title, []) if blanks else []
        assert len(own) == len(blanks), (matrix.title, own, blanks)
        matrix.answers = dict(zip(blanks, own, strict=True))
    assert not answers, answers


def printed(value: float | str, digits: int) -> str:
    """A number to so many significant digits, without trailing zeros."""
    if isinstance(value, str):
        return value.replace("inf", "∞")
    if not value:
        return "0"
    number = Decimal(repr(value))
    number = number.quantize(Decimal(1).scaleb(number.adjusted() + 1 - digits), ROUND_HALF_UP)
    return canonical(f"{number:f}")


def canonical(text: str) -> str:
    """A printed number in one way, whatever zeros it has."""
    if "∞" in text:
        return text
    number = Decimal(text)
    return f"{number.normalize():f}" if number else "0"


def significant(text: str) -> int:
    return 0 if "∞" in text else len(Decimal(text).normalize().as_tuple().digits)


# -- what gives a blank away ----------------------------------------------------------------------------


def summed_up(matrices: list[DrawnMatrix]) -> Iterator[str]:
    """Blanks that are what is missing to 1 or to 0 in their row or column."""
    for matrix in matrices:
        for line in matrix.lines():
            blanks = [place for place in line if matrix.text(place) is None]
            visible = [Decimal(text) for place in line if (text := matrix.text(place)) and "∞" not in text]
            if len(blanks) != 1 or not any(visible) or len(visible) + 1 < len(line):
                continue
            answer = Decimal(matrix.answers[blanks[0]].replace("∞", "Infinity"))
            room = sum((unit(one) / 2 for one in (*visible, answer)), Decimal(0))
            for total in (0, 1):
                if answer and abs(total - sum(visible) - answer) <= room:
                    yield f"{matrix.title}{blanks[0]} = {answer}: the sum is {total}"


def unit(number: Decimal) -> Decimal:
    """One unit of the last of four digits; of a short number, which is exact, nothing."""
    if not number.is_finite() or len(number.normalize().as_tuple().digits) < 4:
        return Decimal(0)
    return Decimal(1).scaleb(number.adjusted() - 3)


def printed_elsewhere(matrices: list[DrawnMatrix], ids: set[str]) -> Iterator[tuple[str, Entry, Entry]]:
    """Blanks whose digits are printed on the page: the digits, the blank, and where they are printed. 0 and −∞ count
    within their own matrix; ids are no numbers to calculate with.
    """
    visible: dict[str, list[Entry]] = {}
    for matrix in matrices:
        for place in matrix.places() if matrix.title.split(".")[-1] not in ids else []:
            text = matrix.text(place)
            if text is not None:
                visible.setdefault(canonical(text), []).append((matrix.title, place))
    for matrix in matrices:
        for place, answer in matrix.answers.items():
            for title, other in visible.get(answer, []):
                if title == matrix.title or answer not in ("0", "-∞", "∞"):
                    yield answer, (matrix.title, place), (title, other)


def has_other_digits(matrices: list[DrawnMatrix], title: str, ids: set[str]) -> bool:
    """Whether a matrix has an entry with digits that no other matrix has, which could be asked instead."""
    others = [matrix for matrix in matrices if matrix.title not in (title, *ids)]
    known = {_digits(matrix, place) for matrix in others for place in matrix.places()} | {"0", "-∞", "∞"}
    own = [matrix for matrix in matrices if matrix.title == title]
    return any(_digits(matrix, place) not in known for matrix in own for place in matrix.places())


def _digits(matrix: DrawnMatrix, place: tuple[int, int, int]) -> str:
    return canonical(matrix.text(place) or matrix.answers[place])


def ids_of(sheet: dict[str, Any]) -> set[str]:
    """The names of steps that hold whole numbers to count with: token ids, targets."""
    return {step["name"] for step in sheet["trace"]["steps"] if "int" in step["dtype"]}
