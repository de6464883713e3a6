"""The two sets of simulated learners: `tuning`, which people improve grading with, and `heldout`, which nobody does.

The held-out people are in `simulated/heldout/` (a package with PEOPLE, as `simulated/programs` has) and their programs
for `why` in `simulated/heldout_why.py` (with BROKEN and RIGHT, as `simulated/why_programs` has). The seeds of the two
sets differ.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any, Literal

from .programs.paper import Person

SetName = Literal["tuning", "heldout"]
SEEDS: dict[str, list[int]] = {
    "tuning": random.Random(19).sample(range(1, 10**6), 40),
    "heldout": random.Random(20261118).sample(range(10**6, 10**9), 40),
}
PROGRAMS = {"tuning": "simulated.programs", "heldout": "simulated.heldout"}
FOR_WHY = {"tuning": "simulated.why_programs", "heldout": "simulated.heldout_why"}


@dataclass(frozen=True)
class LearnerSet:
    """The people of a set, its seeds, and the programs that `why` is given."""

    name: SetName
    people: tuple[type[Person], ...]
    seeds: list[int]
    broken: tuple[Any, ...]
    right: tuple[Any, ...]

    @property
    def careful(self) -> list[type[Person]]:
        return [person for person in self.people if not person.wrong_step]

    def mistaken(self, lesson: str) -> list[type[Person]]:
        return [person for person in self.people if person.wrong_step and person.lesson == lesson]

    @property
    def lessons(self) -> list[str]:
        return sorted({person.lesson for person in self.people})


def learner_set(name: SetName) -> LearnerSet:
    programs, for_why = _module(PROGRAMS[name]), _module(FOR_WHY[name])
    people = getattr(programs, "PEOPLE", ())
    if name == "heldout" and people and all(person.wrong_step for person in people):
        people = (*people, *_module(PROGRAMS["tuning"]).RIGHT)
    return LearnerSet(
        name, tuple(people), SEEDS[name], tuple(getattr(for_why, "BROKEN", ())), tuple(getattr(for_why, "RIGHT", ()))
    )


def _module(name: str) -> Any:
    return import_module(name) if find_spec(name) is not None else None
