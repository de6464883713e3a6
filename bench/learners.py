"""Simulated learners fill in sheets and are graded.

    python bench/learners.py [--count N] [--mistakes N] [--only NAME ...] [--draw N] [--failures] [--unseen]

Every sheet is about a lesson or a scenario, with a seed and blanks drawn at random; then come the programs of people
who know nothing of this package. The seeds of `--unseen` are kept for the last look: nothing was improved with a view
to them.
"""

from __future__ import annotations

import argparse
import itertools
import os
import random
import sys
import time

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # the arrays are tiny

from simulated.desk import Hand
from simulated.figures import Tally, judge_people, judge_program
from simulated.people import slips_to_make, with_slip
from simulated.programs import PEOPLE
from simulated.sources import desk_with, sources

from workings.practice.blanks import BLANK_LEVELS
from workings.practice.grading.grade import grade
from workings.practice.sheet_file import read_sheet

SEEN = range(1, 201)
UNSEEN = random.Random(20261116_0715_4219).sample(range(10**6, 10**9), 20)


def main() -> int:
    parser = argparse.ArgumentParser(description="Simulated learners fill in sheets and are graded.")
    parser.add_argument("--count", type=int, default=60, help="sheets")
    parser.add_argument("--mistakes", type=int, default=12, help="mistakes on each sheet")
    parser.add_argument("--only", nargs="*", help="lessons and scenarios; without the programs")
    parser.add_argument("--draw", type=int, default=1, help="another draw of everything")
    parser.add_argument("--failures", action="store_true", help="say what went wrong")
    parser.add_argument("--unseen", action="store_true", help="the seeds that are kept for the last look")
    options = parser.parse_args()
    draw, start = random.Random(options.draw), time.perf_counter()
    tally = Tally(lambda what, where: print(f"{what}: {where}", flush=True)) if options.failures else Tally()
    seeds = list(UNSEEN if options.unseen else SEEN)
    names = options.only or sources()
    draw.shuffle(names)
    # In turn, so that an early end has seen all of them.
    for number, name in enumerate(itertools.islice(itertools.cycle(names), options.count), 1):
        desk = desk_with(name, draw.choice(seeds), draw.choice(BLANK_LEVELS))
        judge_people(desk, draw, options.mistakes, tally)
        print(f"{number}: {desk.sheet.code} {desk.sheet.blanks}, {time.perf_counter() - start:.0f} s", file=sys.stderr)
    chosen = {lesson: draw.choice(seeds) for lesson in sorted({person.lesson for person in PEOPLE})}
    for person, blanks in itertools.product(() if options.only else PEOPLE, BLANK_LEVELS):
        judge_program(person, desk_with(person.lesson, chosen[person.lesson], blanks).sheet, tally)
    print(f"{options.count} sheets and {len(PEOPLE)} programs in {time.perf_counter() - start:.0f} s")
    print(*tally.figures().values(), sep="\n")
    print(f"mistakes left out, because they give another shape or no numbers: {tally.left_out}")
    print(time_of_grading())
    return 0 if all(figure.is_met for figure in tally.figures().values()) else 1


def time_of_grading() -> str:
    """How long it takes to read a sheet of about 100 answers and to grade it: all right, with one mistake, all wrong.
    It is computing time, so that what others compute on this machine is not counted.
    """
    desk = desk_with("example-5", 1, "some")
    text = desk.sheet.to_json()
    numbers = [field for field in desk.sheet.fields if field.kind == "number"]
    slip = next(slip for slip in slips_to_make(desk) if slip.id == "divide_by_root.not_divided")
    mistaken = with_slip(desk, slip, Hand())
    assert mistaken is not None
    sets = {
        "right": {field.label: repr(float(field.true)) for field in numbers},
        "with one mistake": mistaken.filled.answers,
        "all wrong": {field.label: repr(float(field.true) * 1.3) for field in numbers},
    }
    found = []
    for words, answers in sets.items():
        start = time.process_time()
        grade(read_sheet(text), answers)
        found.append(f"{time.process_time() - start:.2f} s {words}")
    return f"reading the sheet and grading {len(numbers)} answers: {', '.join(found)}"


if __name__ == "__main__":
    sys.exit(main())
