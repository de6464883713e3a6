"""Grading people who make the mistakes of our own catalogue, and counting how it went."""

from __future__ import annotations

import itertools
import random
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator

from workings.engine.in_rule import ALSO
from workings.practice.blanks import BLANK_LEVELS
from workings.practice.grading.grade import Grade, grade
from workings.practice.grading.verdicts import Mark
from workings.practice.mistakes import MistakeOutcome
from workings.practice.sheet import Sheet
from workings.practice.sheet_file import read_sheet

from .desk import Desk, Hand
from .people import (
    Mistaken,
    careful,
    in_another_run,
    slips_left_out,
    slips_to_make,
    some_hand,
    with_a_wrong_digit,
    with_slip,
    with_slip_and_rule,
)
from .sources import desk_with, sources
from .tally import Row, Tally

CLEARLY = 3  # tolerances
WRONG_DIGITS = 6  # people with a wrong digit, on each sheet
SHEETS, MISTAKES = 60, 12  # on each sheet
SEEDS = range(1, 201)

# What is counted, in words, and its limit: a share of what went well, or of what went wrong.
ROWS = (
    Row("first", "the first wrong step is found", 0.99, True),
    Row("named", "the mistake is named, where it can be told", 0.95, True),
    Row("named few", "  on sheets with few blanks", None, True),
    Row("just", "somebody is accused of what they did not do", 0.005, False),
    Row("careful", "whoever rounds every line is right", 1.0, True),
    Row("own paper", "  who also works it all out on their own paper", None, True),
    Row("digit", "a wrong digit is taken for a mistake", 0.01, False),
    Row("found", "a wrong digit is found, if it is clearly off", 0.95, True),
    Row("apart", "mistakes that can be told, of all on all sheets", 0.85, True),
    Row("alone", "  if every name counts by itself", None, True),
)


def measure(only: list[str], failures: bool) -> int:
    """Grade people on sheets about all lessons and scenarios, in turn, and print the figures."""
    draw, start = random.Random(1), time.perf_counter()
    tally = Tally(ROWS, lambda what, where: print(f"{what}: {where}", flush=True)) if failures else Tally(ROWS)
    names = only or sources()
    draw.shuffle(names)
    for number, name in enumerate(itertools.islice(itertools.cycle(names), SHEETS), 1):
        desk = desk_with(name, draw.choice(SEEDS), draw.choice(BLANK_LEVELS))
        judge_people(desk, draw, MISTAKES, tally)
        print(f"{number}: {desk.sheet.code} {desk.sheet.blanks}, {time.perf_counter() - start:.0f} s", file=sys.stderr)
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


# -- people ------------------------------------------------------------------------------------------


def judge_people(desk: Desk, draw: random.Random, mistakes: int, tally: Tally) -> None:
    """Have people fill in one sheet, grade them, and count."""
    where = f"{desk.sheet.code} {desk.sheet.blanks}"
    _judge_careful(desk, where, tally)
    for _ in range(WRONG_DIGITS):
        _judge_wrong_digit(desk, draw, where, tally)
    slips = slips_to_make(desk)
    tally.left_out += slips_left_out(desk)
    for slip, is_apart in _distinguished(desk, slips):
        tally.count("apart", is_apart, f"{where} {slip.step} {slip.id}")
        for name in slip.names:
            tally.count("alone", is_apart and not slip.also, f"{where} {slip.step} {name}")
    for slip in draw.sample(slips, min(mistakes, len(slips))):
        hand = some_hand(desk, draw)
        for made in _people_with(desk, slip, hand):
            habits = f"{' on own paper' * hand.own_paper}{' by lines' * (hand.arithmetic is not None)}"
            _judge_mistaken(desk.sheet, made, f"{where} {slip.step} {slip.id}{habits}", tally)


def _people_with(desk: Desk, slip: MistakeOutcome, hand: Hand) -> Iterator[Mistaken]:
    people = (in_another_run,) if slip.changes is None else (with_slip, with_slip_and_rule)
    for person in people:
        made = person(desk, slip, hand)
        if made is not None:
            yield made


def _judge_careful(desk: Desk, where: str, tally: Tally) -> None:
    for row, own_paper in (("careful", False), ("own paper", True)):
        graded = grade(desk.sheet, careful(desk, own_paper).answers)
        marks = [mark for mark in graded.marks if mark.verdict != "right"]
        bad = [f"{mark.blank.label} {mark.given} for {mark.blank.true}: {mark.verdict}" for mark in marks]
        tally.count(row, not bad, f"{where} {bad[:2]}")
        tally.count("just", not graded.mistakes, f"{where} careful: {graded.mistakes}")


def _judge_wrong_digit(desk: Desk, draw: random.Random, where: str, tally: Tally) -> None:
    filled, blank = with_a_wrong_digit(desk, draw, some_hand(desk, draw))
    graded = grade(desk.sheet, filled.answers)
    tally.count("digit", not graded.mistakes, f"{where} {blank.label} {graded.mistakes}")
    given = filled.answers[blank.label]
    if abs(float(given) - float(str(blank.true))) > CLEARLY * blank.tolerance:
        found = f"{where} {blank.label} {given} for {blank.true}: {graded.first_wrong or 'nothing'}"
        tally.count("found", graded.first_wrong == blank.step, found)


def _judge_mistaken(sheet: Sheet, made: Mistaken, where: str, tally: Tally) -> None:
    """Is the mistake found where it was made, named as what it was, and nothing else said?"""
    graded = grade(sheet, made.filled.answers)
    tally.count("just", *_accusations(graded, made.names, where))
    if made.is_seen:
        tally.count("first", graded.first_wrong == made.step, f"{where}: {graded.first_wrong or 'nothing'}")
    if made.is_apart:
        is_named = _is_named(graded, made.step, made.names)
        tally.count("named", is_named, f"{where}: not named")
        if sheet.blanks == "few":
            tally.count("named few", is_named, where)


def _accusations(graded: Grade, names: frozenset[str], where: str) -> tuple[bool, str]:
    """Whether nothing was named but these, and where something else was. A slip accuses nobody."""
    accused = {m.mistake: _names(m) for m in graded.marks if m.mistake and not m.mistake.startswith("slip.")}
    others = [mistake for mistake, own in accused.items() if not own & names]
    return not others, f"{where}: {', '.join(others)}"


def _is_named(graded: Grade, step: str, names: frozenset[str]) -> bool:
    return any(_names(mark) & names for mark in graded.marks if mark.blank.step == step)


def _names(mark: Mark) -> frozenset[str]:
    """The mistake that is named, and those that give the same numbers; going back by its rule is no other one."""
    return frozenset(name.removesuffix(ALSO) for name in (mark.mistake, *mark.also) if name)


def _distinguished(desk: Desk, slips: list[MistakeOutcome]) -> Iterator[tuple[MistakeOutcome, bool]]:
    """Each slip, and whether its rounded answers are others than the truth's and than those of any other."""
    at_step: dict[str, list[tuple[MistakeOutcome, tuple[str, ...]]]] = defaultdict(list)
    for slip in slips:
        at_step[slip.step].append((slip, desk.answers(slip.step, slip.value)))
    for path, own in at_step.items():
        truth = desk.answers(path, desk.sheet.trace[path].value)
        counts = Counter(answers for _, answers in own)
        for slip, answers in own:
            yield slip, answers != truth and counts[answers] == 1
