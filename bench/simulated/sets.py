"""The sets of simulated learners: `tuning`, which people improve grading with, and two that nothing is tuned with.

The people of `heldout` are in `simulated/heldout` (PEOPLE and SEEDS), their programs for `why` in
`simulated/heldout_why` (BROKEN and RIGHT). Its lessons, seeds and mistakes differ from those of `tuning`. `fresh`, in
`simulated/fresh` and `simulated/fresh_why`, has the lessons of both, with its own seeds and mistakes.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Literal

from .programs.paper import Person

SetName = Literal["tuning", "heldout", "fresh"]
Kind = Literal["right", "concept", "two", "slip"]
SEEDS = random.Random(19).sample(range(1, 10**6), 40)  # of the tuning set
PROGRAMS = {"tuning": "simulated.programs", "heldout": "simulated.heldout", "fresh": "simulated.fresh"}
FOR_WHY = {"tuning": "simulated.why_programs", "heldout": "simulated.heldout_why", "fresh": "simulated.fresh_why"}


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
