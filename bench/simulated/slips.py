"""Slips: somebody knows what to do, and writes one number down wrongly."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy

from workings.practice.blanks import Blank
from workings.practice.sheet import Sheet

from .answering import Habits, labels_of, worked
from .programs.paper import Person

VISIBLE = 3.0  # tolerances
ATTEMPTS = 20


@dataclass(frozen=True)
class Slip:
    """One answer that is written down wrongly. `hook` is what a person is given to do so."""

    kind: str
    blank: Blank
    right: float
    hook: tuple[str, tuple[int, ...], Callable[..., float]]


# A slip is a number for another one, or nothing where it cannot be made.
Made = Callable[[Person, str, Blank, numpy.ndarray, random.Random], float | None]


def sign_lost(person: Person, name: str, blank: Blank, values: numpy.ndarray, draw: random.Random) -> float | None:
    return -float(values[blank.index])


def term_dropped(person: Person, name: str, blank: Blank, values: numpy.ndarray, draw: random.Random) -> float | None:
    terms = person.terms.get(name)
    if terms is None or terms.shape[-1] < 2:
        return None
    of_entry = terms[blank.index]
    rest = of_entry.sum() - of_entry[draw.randrange(len(of_entry))]
    return float(person.round(rest))


def digits_swapped(person: Person, name: str, blank: Blank, values: numpy.ndarray, draw: random.Random) -> float | None:
    text = f"{float(values[blank.index]):.{person.digits - 1}e}"
    mantissa, _, power = text.partition("e")
    places = [place for place, sign in enumerate(mantissa) if sign.isdigit()]
    pairs = [(a, b) for a, b in pairwise(places) if mantissa[a] != mantissa[b]]
    if not pairs:
        return None
    a, b = draw.choice(pairs)
    signs = list(mantissa)
    signs[a], signs[b] = signs[b], signs[a]
    return float(f"{''.join(signs)}e{power}")


def digit_wrong(person: Person, name: str, blank: Blank, values: numpy.ndarray, draw: random.Random) -> float | None:
    text = f"{float(values[blank.index]):.{person.digits - 1}e}"
    mantissa, _, power = text.partition("e")
    place = draw.choice([place for place, sign in enumerate(mantissa) if sign.isdigit()])
    digit = draw.choice([sign for sign in "0123456789" if sign != mantissa[place]])
    return float(f"{mantissa[:place]}{digit}{mantissa[place + 1 :]}e{power}")


def neighbor_copied(
    person: Person, name: str, blank: Blank, values: numpy.ndarray, draw: random.Random
) -> float | None:
    axis = draw.randrange(values.ndim)
    index = list(blank.index)
    index[axis] += draw.choice((-1, 1))
    return float(values[tuple(index)]) if 0 <= index[axis] < values.shape[axis] else None


SLIPS: dict[str, Made] = {
    "sign lost": sign_lost,
    "term dropped": term_dropped,
    "digits swapped": digits_swapped,
    "digit wrong": digit_wrong,
    "neighbor copied": neighbor_copied,
}


def drawn_slip(kind: str, person: type[Person], sheet: Sheet, habits: Habits, draw: random.Random) -> Slip | None:
    """A slip that can be seen, in a step of several entries: of a single number, a lost sign may well be a concept."""
    careful = worked(person, sheet, habits)
    blanks = [blank for blank in sheet.fields if blank.kind == "number" and sheet.trace[blank.step].value.size > 1]
    for _ in range(ATTEMPTS):
        blank = draw.choice(blanks)
        name = blank.step if blank.step in careful.written else labels_of(sheet)[blank.step]
        values = careful.written.get(name)
        if values is None or not values[blank.index] or not math.isfinite(values[blank.index]):
            continue
        made, right = SLIPS[kind](careful, name, blank, values, draw), float(values[blank.index])
        if made is not None and math.isfinite(made) and abs(made - right) > VISIBLE * blank.tolerance:
            return Slip(kind, blank, right, (name, blank.index, _writing(made)))
    return None


def _writing(value: float) -> Callable[..., float]:
    def write(*_: Any) -> float:
        return value

    return write
