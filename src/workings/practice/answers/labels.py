"""How a file of answers names an entry, in one spelling (`scores[1][0]`), and the two columns of its table."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import NamedTuple

from ...engine.errors import InputError
from .spelling import shown

MAX_LABEL_CHARS = 200
ENTRY, ANSWER = "entry", "answer"

_INDEX = re.compile(r"\s?\[\s?(-?[0-9]{1,9}(?:\s?[,;]\s?-?[0-9]{1,9}){0,9})\s?\]")
_LABEL = re.compile(r"[^\W\d_][^|=\n]*")


def read_label(text: str) -> str | None:
    """The label in its one spelling, or None for text that cannot be a label.

    >>> read_label("scores [1, 0]"), read_label("shape of  z"), read_label("0.25")
    ('scores[1][0]', 'shape of z', None)
    """
    if len(text) > MAX_LABEL_CHARS:
        return None
    plain = " ".join(unicodedata.normalize("NFKC", text).split())
    plain = _INDEX.sub(lambda found: "".join(f"[{number}]" for number in re.findall(r"-?[0-9]+", found[1])), plain)
    return plain if _LABEL.fullmatch(plain) else None


def require_label(text: str, where: str) -> str:
    """The label in its one spelling; anything else is refused."""
    label = read_label(text)
    if label is None:
        raise InputError(
            f"'{shown(text)}' is not the name of an entry.",
            hint="Write it as the sheet does: scores[1][0], loss.",
            where=where,
        )
    return label


class Columns(NamedTuple):
    """Where the entries and the answers are, and how many columns there are."""

    entry: int
    answer: int
    width: int


def find_columns(row: Sequence[str]) -> Columns | None:
    """The columns that a row of headings names.

    >>> find_columns(["points", "Answer", "Entry"])
    Columns(entry=2, answer=1, width=3)
    """
    headings = [cell.strip(" \t\r\n\"'`*").casefold() for cell in row]
    if ENTRY not in headings or ANSWER not in headings:
        return None
    return Columns(headings.index(ENTRY), headings.index(ANSWER), len(headings))
