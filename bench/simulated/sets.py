"""The sets of simulated learners: two that people improve grading with, and three that nothing is tuned with.

The people of `tuning` are in `simulated/programs`, its programs for `why` in `simulated/why_programs` and `why_right`;
every other set has a folder for its people (PEOPLE and SEEDS) and one for its programs (BROKEN and RIGHT). `tuning` and
`heldout` share no lesson; `fresh`, `exam` and `trial` have the lessons of both, with their own seeds and mistakes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal, get_args

from .programs.paper import Person

SetName = Literal["tuning", "fresh", "heldout", "exam", "trial"]
SETS: tuple[SetName, ...] = get_args(SetName)
Kind = Literal["right", "concept", "two", "slip"]
SEEDS = random.Random(19).sample(range(1, 10**6), 40)  # of the tuning set
PROGRAMS: dict[SetName, str] = {name: f"simulated.{name}" for name in SETS} | {"tuning": "simulated.programs"}
FOR_WHY: dict[SetName, str] = {name: f"simulated.{name}_why" for name in SETS} | {"tuning": "simulated.why_programs"}


@dataclass(frozen=True)
class LearnerSet:
    """The people of a set, its seeds, and the programs that `why` is given."""

    name: SetName
    people: tuple[type[Person], ...]
    seeds: tuple[int, ...]
    broken: tuple[Any, ...]
    right: tuple[Any, ...]

    def of(self, lesson: str, kind: Kind) -> list[type[Person]]:
        return [person for person in self.people if person.lesson == lesson and kind_of(person) == kind]

    @property
    def lessons(self) -> list[str]:
        return sorted({person.lesson for person in self.people})


def kind_of(person: type[Person]) -> Kind:
    """What is to be found out about somebody."""
    return getattr(person, "kind", "concept" if person.wrong_step else "right")


def learner_set(name: SetName) -> LearnerSet:
    programs, for_why = import_module(PROGRAMS[name]), import_module(FOR_WHY[name])
    seeds = tuple(getattr(programs, "SEEDS", SEEDS))
    return LearnerSet(name, programs.PEOPLE, seeds, for_why.BROKEN, for_why.RIGHT)
