"""The two columns of a table of answers, found by their headings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

ENTRY, ANSWER = "entry", "answer"


class Columns(NamedTuple):
    """Where the entries and the answers stand, and how many columns there are."""

    entry: int
    answer: int
    width: int


def find_columns(row: Sequence[str]) -> Columns | None:
    """
    >>> find_columns(["points", "Answer", "Entry"])
    Columns(entry=2, answer=1, width=3)
    """
    headings = [cell.strip(" \t\r\n\"'`*").casefold() for cell in row]
    if ENTRY not in headings or ANSWER not in headings:
        return None
    return Columns(headings.index(ENTRY), headings.index(ANSWER), len(headings))
