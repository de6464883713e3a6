"""Simulated learners fill in sheets and are graded: the figures that grading is held to.

    python bench/learners.py [--set tuning|fresh|heldout|exam|trial] [--only LESSON ...] [--kinds KIND ...] [--failures]

The learners are programs in plain NumPy that know nothing of this package (`simulated/programs`), each with one
mistake; people with slips, careful people, people with few digits. Every draw is fixed by the set and the lesson, so a
second run gives the same figures. `--catalogue` has people make the mistakes of our own catalogue instead.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are tiny

from simulated import catalogue, engineers, learners, printed_lines
from simulated.answering import Habits
from simulated.learners import has_own_ways, pairs_of, right_habits, short_habits, some_habits
from simulated.programs.paper import names_of
from simulated.sets import SETS, LearnerSet, learner_set
from simulated.sources import desk_with, sources
from simulated.tally import Tally

from workings.practice.blanks import BLANK_LEVELS
from workings.practice.mistakes import known_mistakes

SHEETS = 2  # seeds of each lesson
SLIPS = 2  # of each kind, on each sheet
PAIRS = 5  # of mistakes in a row, on each sheet
LONG = ("example-6", "small-decoder", "heads-and-layers", "block", "cat-sat-encoder")  # 800 blanks or more: one seed
ROWS = (*printed_lines.ROWS, *learners.ROWS, *engineers.ROWS)
KINDS = ("lines", "mistakes", "slips", "right", "pairs", "every source", "why")


@dataclass
class Counted:
    """What one task counted: it comes from another process."""

    counts: Counter[tuple[str, bool]] = field(default_factory=Counter)
    failures: list[tuple[str, str]] = field(default_factory=list)
    left_out: int = 0


def main() -> int:
    parser = argparse.ArgumentParser(description="Simulated learners fill in sheets and are graded.")
    parser.add_argument("--set", choices=SETS, default="tuning", dest="name")
    parser.add_argument("--only", nargs="*", help="lessons and scenarios", default=[])
    parser.add_argument("--kinds", nargs="*", choices=KINDS, default=KINDS, help="what is measured")
    parser.add_argument("--failures", action="store_true", help="one line for each failure of a figure with a goal")
    parser.add_argument("--more-failures", action="store_true", help="and of the figures without one")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    parser.add_argument("--catalogue", action="store_true", help="people with the mistakes of our own catalogue")
    parser.add_argument("--proposed", action="store_true", help="only list the ids that the catalogue does not have")
    options = parser.parse_args()
    if options.proposed:
        print(*proposed(options.name), sep="\n")
        return 0
    if options.catalogue:
        return catalogue.measure(options.only, options.failures)
    start, tally = time.perf_counter(), Tally(ROWS)
    with_goal = {row.key for row in tally.rows if row.limit is not None}
    tasks = list(tasks_of(options.name, options.kinds, options.only))
    for task, counted in zip(tasks, run_all(tasks, options.jobs), strict=True):
        print(f"{task[2]}: {task[1]}, {time.perf_counter() - start:.0f} s", file=sys.stderr)
        tally.counts.update(counted.counts)
        tally.left_out += counted.left_out
        for what, where in counted.failures if options.failures or options.more_failures else ():
            if options.more_failures or what in with_goal:
                print(f"{what}: {where}", flush=True)
    people = learner_set(options.name).people
    print(f"set {options.name}: {len(people)} programs of learners, {time.perf_counter() - start:.0f} s")
    print(*(figure for figure in tally.figures().values() if figure.all), sep="\n")
    print(f"left out, because their numbers cannot be written into the blanks: {tally.left_out}")
    return 0 if all(figure.is_met for figure in tally.figures().values()) else 1


def proposed(name: str) -> list[str]:
    """The ids by which people would name their mistakes, and which the catalogue does not have."""
    people = learner_set(name)
    names = {id for person in people.people for id in names_of(person)} | {
        id for one in people.broken for id in one.ids
    }
    return sorted(names - set(known_mistakes()))


# -- tasks -----------------------------------------------------------------------------------------------

Task = tuple[str, str, str]  # the set, what is measured, the lesson


def tasks_of(name: str, kinds: Iterable[str], only: list[str]) -> Iterator[Task]:
    people = learner_set(name)
    for lesson in only or dict.fromkeys((*people.lessons, *sources())):
        for kind in kinds:
            if kind in ("every source", "lines") or (kind != "why" and lesson in people.lessons):
                yield name, kind, lesson
    if "why" in kinds and not only:
        yield name, "why", ""


def run_all(tasks: list[Task], jobs: int) -> Iterator[Counted]:
    if jobs == 1:
        yield from map(run, tasks)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(run, tasks)


def run(task: Task) -> Counted:
    name, kind, lesson = task
    found, draw = Counted(), random.Random(f"{name} {kind} {lesson}")
    tally = Tally(ROWS, lambda what, where: found.failures.append((what, where)))
    RUNS[kind](learner_set(name), lesson, draw, tally)
    return replace(found, counts=tally.counts, left_out=tally.left_out)


def seeds_for(people: LearnerSet, lesson: str, count: int = SHEETS) -> list[int]:
    """The same for all tasks of a lesson."""
    return random.Random(f"{people.name} {lesson}").sample(people.seeds, 1 if lesson in LONG else count)


def lines(people: LearnerSet, lesson: str, draw: random.Random, tally: Tally) -> None:
    """The page of a lesson."""
    printed_lines.judge_lesson(lesson, people.name, tally)


def mistakes(people: LearnerSet, lesson: str, draw: random.Random, tally: Tally) -> None:
    """Everybody on every level of blanks, each time with a seed and habits of their own."""
    seeds = seeds_for(people, lesson)
    for person in people.of(lesson, "concept"):
        for level in BLANK_LEVELS:
            sheet = desk_with(lesson, draw.choice(seeds), level).sheet
            learners.judge_mistaken(person, sheet, some_habits(sheet, draw), tally)


def slips(people: LearnerSet, lesson: str, draw: random.Random, tally: Tally) -> None:
    for level in BLANK_LEVELS:
        for seed in seeds_for(people, lesson):
            sheet = desk_with(lesson, seed, level).sheet
            for person in people.of(lesson, "right"):
                if not has_own_ways(person):
                    learners.judge_slips(person, sheet, draw, 1 if lesson in LONG else SLIPS, tally)
            for person in people.of(lesson, "slip"):
                learners.judge_slipping(person, sheet, some_habits(sheet, draw), tally)


def right(people: LearnerSet, lesson: str, draw: random.Random, tally: Tally) -> None:
    for level in BLANK_LEVELS:
        for seed in seeds_for(people, lesson):
            sheet = desk_with(lesson, seed, level).sheet
            usual = (*right_habits(sheet), *short_habits(sheet, draw))
            for person in people.of(lesson, "right"):
                for habits in (Habits(),) if has_own_ways(person) else usual:
                    learners.judge_right(person, sheet, habits, tally)


def pairs(people: LearnerSet, lesson: str, draw: random.Random, tally: Tally) -> None:
    for level in ("some", "all"):
        sheet = desk_with(lesson, draw.choice(seeds_for(people, lesson)), level).sheet
        for person in people.of(lesson, "two"):
            learners.judge_second(person, sheet, some_habits(sheet, draw), tally)
        for first, second in pairs_of(people.of(lesson, "concept"), sheet, draw, PAIRS):
            learners.judge_two(first, second, sheet, some_habits(sheet, draw), tally)


def every_source(people: LearnerSet, lesson: str, draw: random.Random, tally: Tally) -> None:
    """What needs no program: careful people who round the lines that we print, and nudged copies."""
    for level in BLANK_LEVELS:
        desk = desk_with(lesson, draw.choice(seeds_for(people, lesson)), level)
        learners.judge_careful(desk, tally)
        learners.judge_nudges(desk.sheet, draw, tally)


def why(people: LearnerSet, lesson: str, draw: random.Random, tally: Tally) -> None:
    """Programs of engineers, whose numbers `why` is given."""
    for program in people.broken:
        engineers.judge_broken(program, draw.choice(people.seeds), tally)
    for program in people.right:
        engineers.judge_right(program, draw.choice(people.seeds), tally)


RUNS = {
    "lines": lines,
    "mistakes": mistakes,
    "slips": slips,
    "right": right,
    "pairs": pairs,
    "every source": every_source,
    "why": why,
}

if __name__ == "__main__":
    sys.exit(main())
