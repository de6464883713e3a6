"""The task of reading dates: from the ways people write them to the format of ISO 8601.

Every date from 1900 to 2099 is equally likely, and so is each way to write it. What is held out is the date, in all
its formats. Where a month is a number, the day comes first, so that each text means one date only.
"""

from __future__ import annotations

import string
from dataclasses import dataclass
from datetime import date
from functools import cached_property
from typing import ClassVar

import numpy

from ...engine.arrays import Array
from ...ops.parts.drawing import Draws
from .task import Pair, Task

FIRST, LAST = date(1900, 1, 1), date(2099, 12, 31)

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
    "December",
)  # fmt: skip
SHORT_NAME_CHARS = 3
ENDINGS = {1: "st", 2: "nd", 3: "rd", 21: "st", 22: "nd", 23: "rd", 31: "st"}
ENDING = "th"  # of all other days

FORMATS = (
    "{day} {month} {year}",
    "{month} {day}, {year}",
    "{day} {short} {year}",
    "{short} {day}, {year}",
    "{weekday} {day} {short} {year}",
    "the {day}{ending} of {month} {year}",
    "{month} {day}{ending}, {year}",
    "{day}.{number}.{year}",
    "{day:02}/{number:02}/{year}",
    "{year} {short} {day:02}",
)


@dataclass(frozen=True)
class Dates(Task):
    """Read a date as people write it, and write it as year-month-day.

    >>> for pair in Dates().draw(Draws(1), 2):
    ...     print(pair.answer, "is", pair.question)
    2013-04-24 is the 24th of April 2013
    2049-02-26 is 26.2.2049
    """

    name: ClassVar[str] = "dates"
    about: ClassVar[str] = "Write a date as year, month and day."

    @cached_property
    def longest_question(self) -> int:
        # In a leap year each name meets a day of two digits.
        year = range(date(2000, 1, 1).toordinal(), date(2001, 1, 1).toordinal())
        return max(len(format_date(date.fromordinal(day), form)) for day in year for form in FORMATS)

    @property
    def longest_answer(self) -> int:
        return len(FIRST.isoformat())

    def _characters(self) -> str:
        between = [text for form in FORMATS for text, *_ in string.Formatter().parse(form)]
        used = {*"-0123456789", *ENDING, *"".join((*between, *WEEKDAYS, *MONTHS, *ENDINGS.values()))}
        return "".join(sorted(used))

    def _rows(self, draws: Draws, count: int) -> Array:
        days = FIRST.toordinal() + draws.whole(count, below=LAST.toordinal() - FIRST.toordinal() + 1)
        return numpy.stack([days, draws.whole(count, below=len(FORMATS))], axis=1)

    def _identity(self, rows: Array) -> Array:
        return rows[:, :1]

    def _pairs(self, rows: Array) -> list[Pair]:
        drawn = ((date.fromordinal(day), FORMATS[form]) for day, form in rows.tolist())
        return [Pair(format_date(day, form), day.isoformat()) for day, form in drawn]


def format_date(day: date, form: str) -> str:
    """A date in one of these formats.

    >>> format_date(date(1987, 3, 14), "the {day}{ending} of {month} {year}")
    'the 14th of March 1987'
    """
    month = MONTHS[day.month - 1]
    return form.format(
        year=day.year,
        number=day.month,
        month=month,
        short=month[:SHORT_NAME_CHARS],
        day=day.day,
        ending=ENDINGS.get(day.day, ENDING),
        weekday=WEEKDAYS[day.weekday()][:SHORT_NAME_CHARS],
    )
