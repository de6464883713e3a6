"""Grading people who know nothing of this package, and counting how it went: the figures of bench/learners.py.

People with a mistake, with a slip, careful ones, ones who write few digits, ones with two mistakes in a row; and copies
of the right answers of which one was nudged.
"""

from __future__ import annotations

import math
import random
import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

import numpy

from workings.engine.in_rule import ALSO
from workings.practice.blanks import Blank
from workings.practice.grading.grade import Grade, grade
from workings.practice.grading.verdicts import Mark
from workings.practice.sheet import Sheet

from .answering import Habits, answers_of, numbers_at, path_of, read_back, worked
from .desk import Desk, written
from .people import careful
from .programs.paper import Person, names_of, right_of
from .slips import SLIPS, Slip, drawn_slip
from .sources import with_digits
from .tally import Row, Tally

VISIBLE = 2.0  # tolerances: a mistake that changes no blank by more cannot be found
NUDGE, CLEARLY = 20.0, 15.0  # tolerances: how far an answer is nudged, and how much of it must be left when written
MAX_DIGITS = 12
NUDGES = 8  # on each sheet
FEW_DIGITS = 3
LONG = 120  # blanks
CALCULATED = ("wire.", "line.")  # how the ids begin that say what was calculated, not which concept is missing
EXACT = (8, 9)  # digits that agree by chance no more; one of the two may end in a 0
SLIP = "slip."  # how the id of a slip would begin: naming one accuses nobody of a concept
EVERY_HABIT = tuple(Habits(reads_printed=reads, by_line=lines) for reads in (False, True) for lines in (False, True))

ROWS = (
    Row("first", "first wrong step found", 0.995, True),
    Row("named", "concept named, all or some blanks", 0.97, True),
    Row("named few", "concept named, few blanks", 0.85, True),
    Row("untrue", "conceptual learners also told something untrue", 0.003, False),
    Row("slip", "slips accused of a concept", 0.003, False),
    Row("careful", "careful learners at 4 digits accused or marked wrong", 0.0, False),
    Row("short accused", "3-digit learners on 4-digit sheets accused", 0.0, False),
    Row("short wrong", "3-digit learners on 4-digit sheets marked wrong", 0.0, False),
    Row("nudged", "answers nudged by 20 tolerances that pass", 0.0, False),
    Row("between", "  concept named, made where nothing is asked (own paper)", None, True),
    Row("second own", "  two mistakes: second named, from the learner's own numbers", None, True),
    Row("second true", "  two mistakes: second named, from the true numbers", None, True),
    Row("two untrue", "  two mistakes: also told something untrue", None, False),
    Row("slip found", "  slips: the wrong step is found", None, True),
    Row("slip called", "  slips: called a slip", None, True),
)


def names_in(mark: Mark) -> frozenset[str]:
    """The mistake that is named, and those that give the same numbers; going back by its rule is no other one."""
    return frozenset(name.removesuffix(ALSO) for name in (mark.mistake, *mark.also) if name)


def is_called_a_slip(mark: Mark) -> bool:
    return mark.mistake.startswith(SLIP) or bool(getattr(mark, "slip", ""))


def accusations(graded: Grade, *made: type[Person]) -> list[str]:
    """What was said of the mistakes that somebody made, and is not true, with where."""
    others = (mark for mark in graded.marks if mark.mistake and is_accusing(mark, *made))
    return list(dict.fromkeys(f"{m.mistake} at {m.blank.step}" for m in others if not is_true(graded, m, *made)))


def is_accusing(mark: Mark, *made: type[Person]) -> bool:
    """Whether a mistake is named; where it may be a slip as well, that is true only of those who made no mistake."""
    return bool(mark.also and made) if mark.mistake.startswith(SLIP) else True


def is_named(graded: Grade, step: str, *made: type[Person]) -> bool:
    """Whether a mistake is named at a step, or anywhere."""
    return any(is_true(graded, mark, *made) for mark in graded.marks if mark.mistake and step in ("", mark.blank.step))


def is_true(graded: Grade, mark: Mark, *made: type[Person]) -> bool:
    """Whether what is said is one of the names of a mistake that somebody made; or, where it only says what was
    calculated, whether that gives the numbers of the same person to eight digits, too.
    """
    if not mark.mistake.startswith(CALCULATED):
        return any(names_in(mark) & names_of(person) for person in made)
    said = (mark.blank.step, _without_places(mark.hint))
    return any(said in calculated(person, graded.sheet.seed) for person in made)


@cache
def calculated(person: type[Person], seed: int) -> frozenset[tuple[str, str]]:
    """What is said of the calculations of somebody who writes eight or nine digits of the same numbers, by step."""
    habits, found = Habits(keeps_zeros=True), set()
    for digits in EXACT:
        sheet = with_digits(person.lesson, seed, digits)
        graded = grade(sheet, read_back(worked(person, sheet, habits), sheet, habits))
        said = (mark for mark in graded.marks if mark.mistake.startswith(CALCULATED))
        found |= {(mark.blank.step, _without_places(mark.hint)) for mark in said}
    return frozenset(found)


def _without_places(hint: str) -> str:
    """Without the indices, and the numbers of lines."""
    return re.sub(r"\[\d+\]|(?<=[a-z])\d+", "", hint)


# -- one mistake -----------------------------------------------------------------------------------------


def judge_mistaken(person: type[Person], sheet: Sheet, habits: Habits, tally: Tally) -> None:
    """Is the mistake found where it was made, named as what it was, and nothing else said?"""
    where = f"{sheet.code} {sheet.blanks} {person.__name__} ({habits})"
    worker, twin = worked(person, sheet, habits), worked(right_of(person), sheet, habits)
    step = path_of(sheet, person.wrong_step)
    if not can_be_written(worker, sheet, step):
        tally.left_out += 1
        return
    graded = grade(sheet, read_back(worker, sheet, habits))
    others = accusations(graded, person)
    tally.count("untrue", not others, f"{where}: {'; '.join(others)}")
    if is_visible(worker, twin, sheet, step):
        first = graded.first_wrong
        tally.count("first", first == step, f"{where}: {first or 'nothing'} for {step}")
        row = "named few" if sheet.blanks == "few" else "named"
        tally.count(row, is_named(graded, step, person), f"{where} at {step}: {said_at(graded, step)}")
    elif not habits.reads_printed and not any(blank.step == step for blank in sheet.fields):
        _judge_between(graded, worker, twin, f"{where} at {step}", tally)


def _judge_between(graded: Grade, worker: Person, twin: Person, where: str, tally: Tally) -> None:
    """A mistake where nothing is asked, on somebody's own paper: it only shows later."""
    sheet = graded.sheet
    if any(is_visible(worker, twin, sheet, path) for path in {blank.step for blank in sheet.fields}):
        tally.count("between", is_named(graded, "", type(worker)), f"{where}: {said_at(graded, graded.first_wrong)}")


def can_be_written(worker: Person, sheet: Sheet, step: str) -> bool:
    values = numbers_at(worker, sheet, step)
    return values is not None and values.shape == sheet.trace[step].shape and not numpy.isnan(values).any()


def is_visible(worker: Person, twin: Person, sheet: Sheet, step: str) -> bool:
    """Whether a blank of this step is clearly another number than for somebody who did the same without a mistake."""
    own, right = numbers_at(worker, sheet, step), numbers_at(twin, sheet, step)
    if own is None or right is None or own.shape != right.shape:
        return False
    blanks = (blank for blank in sheet.fields if blank.step == step and blank.kind == "number")
    return any(differ(float(own[blank.index]), float(right[blank.index]), blank) for blank in blanks)


def differ(own: float, right: float, blank: Blank, times: float = VISIBLE) -> bool:
    if not math.isfinite(own) or not math.isfinite(right):
        return own != right
    return abs(own - right) > times * blank.tolerance


def said_at(graded: Grade, step: str) -> str:
    marks = [mark for mark in graded.marks if mark.blank.step == step]
    return ", ".join(dict.fromkeys(f"{m.verdict} {' '.join(names_in(m))} {m.note}".strip() for m in marks)) or "nothing"


# -- two mistakes in a row -------------------------------------------------------------------------------


def judge_two(first: type[Person], second: type[Person], sheet: Sheet, habits: Habits, tally: Tally) -> None:
    """Somebody who makes a mistake and later another: from their own numbers, and from the true ones."""
    where = f"{sheet.code} {sheet.blanks} {first.__name__} then {second.__name__} ({habits})"
    both = type(f"{second.__name__}After", (second, first), {})
    step, earlier = (path_of(sheet, person.wrong_step) for person in (second, first))
    one, two, alone = (worked(person, sheet, habits) for person in (first, both, second))
    twin = worked(right_of(first), sheet, habits)
    if not all(can_be_written(worker, sheet, path) for worker, path in ((two, step), (alone, step), (one, earlier))):
        return
    if not is_visible(one, twin, sheet, earlier):
        return
    from_true = read_back(alone, sheet, habits) | answers_at(one, sheet, earlier, habits)
    for row, answers, is_seen in (
        ("second own", read_back(two, sheet, habits), is_visible(two, one, sheet, step)),
        ("second true", from_true, is_visible(alone, twin, sheet, step)),
    ):
        if is_seen:
            graded = grade(sheet, answers)
            tally.count(row, is_named(graded, step, second, both), f"{where} at {step}: {said_at(graded, step)}")
            others = accusations(graded, first, second, both)
            tally.count("two untrue", not others, f"{where}, {row}: {'; '.join(others)}")


def judge_second(person: type[Person], sheet: Sheet, habits: Habits, tally: Tally) -> None:
    """Somebody of the held-out set who makes a second mistake at `second_step`."""
    where = f"{sheet.code} {sheet.blanks} {person.__name__} ({habits})"
    step = path_of(sheet, person.second_step)
    second = type(f"{person.__name__}Second", (person,), {"names": person.second_names, "mistake": ""})
    two, one = worked(person, sheet, habits), worked(person.__bases__[0], sheet, habits)
    if not can_be_written(two, sheet, step) or not is_visible(two, one, sheet, step):
        return
    graded = grade(sheet, read_back(two, sheet, habits))
    tally.count("second own", is_named(graded, step, second), f"{where} at {step}: {said_at(graded, step)}")
    others = accusations(graded, person, second)
    tally.count("two untrue", not others, f"{where}: {'; '.join(others)}")


def judge_slipping(person: type[Person], sheet: Sheet, habits: Habits, tally: Tally) -> None:
    """Somebody of the held-out set whose pencil slips."""
    where = f"{sheet.code} {sheet.blanks} {person.__name__} ({habits})"
    step, graded = path_of(sheet, person.wrong_step), grade(sheet, answers_of(person, sheet, habits))
    others = accusations(graded)
    tally.count("slip", not others, f"{where}: {'; '.join(others)}")
    if is_visible(worked(person, sheet, habits), worked(right_of(person), sheet, habits), sheet, step):
        tally.count("slip found", graded.first_wrong == step, f"{where}: {graded.first_wrong or 'nothing'}")
        marks = [mark for mark in graded.marks if mark.blank.step == step]
        tally.count("slip called", any(map(is_called_a_slip, marks)), f"{where}: {said_at(graded, step)}")


def answers_at(worker: Person, sheet: Sheet, step: str, habits: Habits) -> dict[str, str]:
    labels = {blank.label for blank in sheet.fields if blank.step == step}
    return {label: text for label, text in read_back(worker, sheet, habits).items() if label in labels}


def pairs_of(people: list[type[Person]], sheet: Sheet, draw: random.Random, count: int) -> Iterator[tuple[type, type]]:
    """Pairs of mistakes that can be made one after the other: in different operations, the second one later."""
    order = {step.path: number for number, step in enumerate(sheet.trace.recording.steps.values())}
    place = {person: order[path_of(sheet, person.wrong_step)] for person in people}
    found = [
        (first, second)
        for first in people
        for second in people
        if place[first] < place[second] and not operations_of(first) & operations_of(second)
    ]
    yield from draw.sample(found, min(count, len(found)))


def operations_of(person: type[Person]) -> set[str]:
    """The operations that somebody does differently."""
    right = set(right_of(person).__mro__)
    return {name for base in person.__mro__ if base not in right for name in vars(base) if not name.startswith("_")} - {
        "names", "mistake", "wrong_step", "lesson", "kind", "says",
    }  # fmt: skip


# -- slips, careful people, few digits, nudges -----------------------------------------------------------


def judge_slips(person: type[Person], sheet: Sheet, draw: random.Random, count: int, tally: Tally) -> None:
    """Right people, each of whom writes one number down wrongly; what comes after it follows from it."""
    for kind in SLIPS:
        for _ in range(count):
            habits = some_habits(sheet, draw)
            slip = drawn_slip(kind, person, sheet, habits, draw)
            if slip is not None:
                _judge_slip(person, sheet, habits, slip, tally)


def _judge_slip(person: type[Person], sheet: Sheet, habits: Habits, slip: Slip, tally: Tally) -> None:
    graded = grade(sheet, answers_of(person, sheet, habits, slip.hook))
    mark = graded[slip.blank.label]
    where = f"{sheet.code} {sheet.blanks} {slip.kind} {slip.blank.label} {mark.given} for {slip.right:g} ({habits})"
    others = accusations(graded)
    tally.count("slip", not others, f"{where}: {'; '.join(others)}")
    tally.count("slip found", graded.first_wrong == slip.blank.step, f"{where}: {graded.first_wrong or 'nothing'}")
    tally.count("slip called", is_called_a_slip(mark), f"{where}: {mark.verdict} {mark.note}")


def judge_right(person: type[Person], sheet: Sheet, habits: Habits, tally: Tally) -> None:
    """Somebody without a mistake, with all digits or with fewer."""
    graded = grade(sheet, answers_of(person, sheet, habits))
    _count_right(graded, habits, f"{sheet.code} {sheet.blanks} {person.__name__} ({habits})", tally)


def judge_careful(desk: Desk, tally: Tally) -> None:
    """Somebody who rounds every line of the hand calculations that we print, on the sheet or on their own paper."""
    for own_paper in (False, True):
        graded = grade(desk.sheet, careful(desk, own_paper).answers)
        words = f"{desk.sheet.code} {desk.sheet.blanks} careful {'on own paper' * own_paper}"
        _count_right(graded, Habits(), words, tally)


def _count_right(graded: Grade, habits: Habits, where: str, tally: Tally) -> None:
    accused, wrong = accusations(graded), [mark for mark in graded.marks if mark.is_wrong]
    told = [f"{m.blank.label} {m.given} for {m.blank.true} ± {m.tolerance:.2g}: {m.verdict}" for m in wrong[:2]]
    if habits.digits or habits.pen_digits:
        tally.count("short accused", not accused, f"{where}: {'; '.join(accused)}")
        tally.count("short wrong", not wrong, f"{where}: {'; '.join(told)}")
    else:
        tally.count("careful", not accused and not wrong, f"{where}: {'; '.join([*accused, *told])}")


def judge_nudges(sheet: Sheet, draw: random.Random, tally: Tally) -> None:
    """Copies of the right answers; one of them is off."""
    numbers = [blank for blank in sheet.fields if blank.kind == "number"]
    right = {blank.label: written(float(str(blank.true)), sheet.digits) for blank in numbers}
    can_be_off = [blank for blank in numbers if blank.tolerance and math.isfinite(float(str(blank.true)))]
    for blank in draw.sample(can_be_off, min(NUDGES, len(can_be_off))):
        text = nudged(blank, sheet.digits, draw.choice((-1, 1)))
        mark = grade(sheet, {**right, blank.label: text})[blank.label]
        where = f"{sheet.code} {sheet.blanks} {blank.label} {text} for {blank.true} ± {blank.tolerance:.2g}"
        tally.count("nudged", mark.is_wrong, f"{where}: {mark.verdict}")


def nudged(blank: Blank, digits: int, sign: int) -> str:
    """An answer off by 20 tolerances, with as many digits as it takes to say so."""
    true = float(str(blank.true))
    value = true + sign * NUDGE * blank.tolerance
    for count in range(digits, MAX_DIGITS):
        text = written(value, count)
        if abs(float(text) - true) >= CLEARLY * blank.tolerance:
            return text
    return repr(value)


def some_habits(sheet: Sheet, draw: random.Random) -> Habits:
    habits = replace(draw.choice(EVERY_HABIT), keeps_zeros=draw.random() < 1 / 2)
    return replace(habits, reads_printed=True) if is_long(sheet) else habits


def is_long(sheet: Sheet) -> bool:
    """Whether grading somebody with a paper of their own takes ten seconds: many numbers, some of them printed."""
    return sheet.blanks == "some" and len(sheet.fields) > LONG


def has_own_ways(person: type[Person]) -> bool:
    """Whether somebody rounds or spells numbers in a way of their own, and has no other habits."""
    return person.write is not Person.write or person.spelled is not Person.spelled


def right_habits(sheet: Sheet) -> Iterator[Habits]:
    yield from (habits for habits in EVERY_HABIT if habits.reads_printed or not is_long(sheet))


def short_habits(sheet: Sheet, draw: random.Random) -> Iterator[Habits]:
    """With three digits: those who compute with three, and those who only write three."""
    for reads in (True,) if is_long(sheet) else (False, True):
        zeros = draw.random() < 1 / 2
        yield Habits(reads, digits=FEW_DIGITS, keeps_zeros=zeros)
        yield Habits(reads, pen_digits=FEW_DIGITS, keeps_zeros=not zeros)
