"""Where the sheets come from: all lessons and scenarios that can have one."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path

from workings.engine.errors import LessonError
from workings.lessons.contents import names as lesson_names
from workings.practice.blanks import BlankLevel
from workings.practice.exercise import Exercise, exercise
from workings.practice.sheet import DIGITS, Sheet, sheet_of
from workings.practice.variant import Variant, find_variant
from workings.scenarios.scenario import names as scenario_names

from .desk import Desk

OWN = Path(__file__).parent / "scenarios"  # that only simulated learners see


def sources() -> list[str]:
    """The names of the lessons and scenarios that can have a sheet."""
    names = dict.fromkeys([*lesson_names(), *scenario_names()])
    return [name for name in names if _exercise(name) is not None]


def desk_with(name: str, seed: int, blanks: BlankLevel, digits: int = DIGITS) -> Desk:
    """A sheet about a lesson or a scenario, to be filled in."""
    chosen, variant = _exercise(name), _variant(name, seed, digits)
    assert chosen is not None
    return Desk(variant, sheet_of(chosen, variant, blanks))


def with_digits(name: str, seed: int, digits: int) -> Sheet:
    """The numbers of a sheet, every entry blank and with more digits."""
    chosen = _exercise(name)
    assert chosen is not None
    return sheet_of(chosen, replace(_variant(name, seed, DIGITS), digits=digits), "all")


@cache
def _exercise(name: str) -> Exercise | None:
    own = OWN / f"{name}.yaml"
    try:
        return exercise(own if own.exists() else name)
    except LessonError:  # nobody works it out by hand: it is too long
        return None


@cache
def _variant(name: str, seed: int, digits: int) -> Variant:
    chosen = _exercise(name)
    assert chosen is not None
    return find_variant(chosen.trace, seed, digits)
