"""Grading what the simulated people wrote, and counting how it went."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from workings.engine.in_rule import ALSO
from workings.practice.blanks import step_label
from workings.practice.grading.grade import Grade, grade
from workings.practice.grading.verdicts import Mark
from workings.practice.mistakes import MistakeOutcome
from workings.practice.sheet import Sheet

from .answering import answers_of
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
from .programs.paper import Person

CLEARLY = 3  # tolerances
WRONG_DIGITS = 6  # people with a wrong digit, on each sheet


@dataclass(frozen=True)
class Figure:
    """A share that was asked for, and what was found."""

    words: str
    limit: float | None  # none: only to be known
    at_least: bool
    good: int
    all: int

    @property
    def share(self) -> float:
        return self.good / self.all if self.all else float(self.at_least)

    @property
    def is_met(self) -> bool:
        if self.limit is None:
            return True
        return self.share >= self.limit if self.at_least else self.share <= self.limit

    def __str__(self) -> str:
        bound = "" if self.limit is None else f"{'at least' if self.at_least else 'at most'} {self.limit:.1%}"
        return f"{self.words:<52} {bound:>15}   {self.share:7.2%}   {self.good} of {self.all}"


# What is counted, in words, and its limit: a share of what went well, or of what went wrong.
ROWS = (
    ("first", "the first wrong step is found", 0.99, True),
    ("named", "the mistake is named, where it can be told", 0.95, True),
    ("named few", "  on sheets with few blanks", None, True),
    ("just", "somebody is accused of what they did not do", 0.005, False),
    ("careful", "whoever rounds every line is right", 1.0, True),
    ("own paper", "  who also works it all out on their own paper", None, True),
    ("digit", "a wrong digit is taken for a mistake", 0.01, False),
    ("found", "a wrong digit is found, if it is clearly off", 0.95, True),
    ("apart", "mistakes that can be told, of all on all sheets", 0.85, True),
    ("alone", "  if every name counts by itself", None, True),
    ("program first", "programs of others: the first wrong step", 0.99, True),
    ("program named", "programs of others: the mistake", 0.95, True),
    ("program just", "programs accused of what they did not do", 0.005, False),
)


@dataclass
class Tally:
    """What was counted; `failed` hears of everything that went wrong."""

    failed: Callable[[str, str], None] = lambda what, where: None
    counts: Counter[tuple[str, bool]] = field(default_factory=Counter)
    left_out: int = 0  # slips that cannot be written into the blanks: another shape, no numbers

    def count(self, what: str, good: bool, where: str) -> None:
        self.counts[what, good] += 1
        if not good:
            self.failed(what, where)

    def figures(self) -> dict[str, Figure]:
        found = {}
        for key, words, limit, at_least in ROWS:
            good, bad = self.counts[key, True], self.counts[key, False]
            found[key] = Figure(words, limit, at_least, good if at_least else bad, good + bad)
        return found


# -- people of the catalogue ------------------------------------------------------------------------


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
    """Whether nothing was named but these, and where something else was."""
    accused = {mark.mistake: _names(mark) for mark in graded.marks if mark.mistake}
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


# -- programs that know nothing of this package ------------------------------------------------------


def judge_program(person: type[Person], sheet: Sheet, tally: Tally) -> None:
    """Grade what somebody's program wrote into a sheet. It works out everything, whatever the sheet prints."""
    where = f"{sheet.code} {person.__name__}"
    graded = grade(sheet, answers_of(person, sheet))
    names = frozenset([person.mistake] if person.mistake else [])
    tally.count("program just", *_accusations(graded, names, where))
    blank = {step_label(sheet.trace, sheet.trace.find_step(field.step)) for field in sheet.fields}
    if names and person.wrong_step not in blank:
        return
    found = graded.first_wrong and step_label(sheet.trace, sheet.trace.find_step(graded.first_wrong))
    tally.count("program first", found == person.wrong_step, f"{where}: {found}")
    if names:
        tally.count("program named", _is_named(graded, graded.first_wrong, names), f"{where}: {graded.mistakes}")
