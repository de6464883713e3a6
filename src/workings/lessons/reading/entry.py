"""What a lesson refers to: `scores[1][0]`, `twin:weights`, `after:step2.loss, 6 digits`.

The run stands before the colon; without one it is the first scenario's default run. A run of another scenario has that
scenario's name before it: `demo.twin:scores`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...engine.arrays import Index, brackets
from ...engine.errors import LessonError

DEFAULT = "default"
MOST_DIGITS = 17
_ENTRY = re.compile(
    r"(?:(?P<run>[\w.-]+):)?(?P<step>[^\W\d][\w./]*)(?P<index>(?:\[-?\d{1,9}\])*)"
    r"(?:\s*,\s*(?P<digits>\d{1,4}) digits?)?"
)


@dataclass(frozen=True)
class EntryName:
    """A step of a run, or one entry (or row) of it, and to how many digits it is wanted."""

    run: str
    step: str
    index: Index = ()
    digits: int | None = None

    def __str__(self) -> str:
        run = "" if self.run == DEFAULT else f"{self.run}:"
        return f"{run}{self.step}{brackets(self.index)}"


def read_entry(text: str) -> EntryName:
    """
    >>> read_entry("after:P[2], 6 digits")
    EntryName(run='after', step='P', index=(2,), digits=6)
    """
    found = _ENTRY.fullmatch(text.strip())
    if found is None:
        raise LessonError(
            f"'{text.strip()[:60]}' is not the name of a step or of an entry.",
            hint="Write it as scores, scores[1][0], twin:scores[1][0], or scores[1][0], 6 digits.",
        )
    index = tuple(int(place) for place in re.findall(r"-?\d+", found["index"]))
    digits = None if found["digits"] is None else int(found["digits"])
    if digits is not None and not 1 <= digits <= MOST_DIGITS:
        raise no_digits(digits)
    return EntryName(found["run"] or DEFAULT, found["step"], index, digits)


def no_digits(given: object) -> LessonError:
    return LessonError(f"{given} is not a number of digits.", hint=f"Give a whole number from 1 to {MOST_DIGITS}.")


def is_entry(text: str) -> bool:
    return _ENTRY.fullmatch(text.strip()) is not None
