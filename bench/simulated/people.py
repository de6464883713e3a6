"""The people who fill in sheets: without a mistake, with one of the catalogue, with one wrong digit."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy

from workings.engine.arithmetic import Calculator
from workings.engine.arrays import Array
from workings.engine.changes import Changes
from workings.engine.errors import WorkingsError
from workings.engine.in_rule import ALSO
from workings.engine.recording import Recording
from workings.engine.replay import replay
from workings.engine.steps import Step
from workings.explain.mistakes import PossibleMistake, candidates
from workings.practice.blanks import Blank
from workings.practice.mistakes import MistakeOutcome, same

from .desk import Desk, Filled, Hand

OWN_PAPER, ROUND_EVERY_LINE = 1 / 3, 1 / 2  # the shares of people who do so


@dataclass(frozen=True, eq=False)
class Mistaken:
    """A mistake that somebody makes on a sheet: where it shows, under which names, and what they wrote."""

    names: frozenset[str]
    step: str
    filled: Filled
    is_seen: bool  # the answers at that step are others than the right ones
    is_apart: bool  # and others than any other mistake gives there


def some_hand(desk: Desk, draw: random.Random) -> Hand:
    """A third do not look at what the sheet prints; half round every line, the others only what they write down."""
    by_line = Calculator(desk.sheet.digits) if draw.random() < ROUND_EVERY_LINE else None
    return Hand(own_paper=draw.random() < OWN_PAPER, arithmetic=by_line)


def careful(desk: Desk, own_paper: bool) -> Filled:
    """Nothing goes wrong, and every line is rounded."""
    return desk.fill(Hand(arithmetic=Calculator(desk.sheet.digits), own_paper=own_paper))


def with_a_wrong_digit(desk: Desk, draw: random.Random, hand: Hand) -> tuple[Filled, Blank]:
    """One digit of one answer is another one; what comes after it follows from it. And which answer it is."""
    numbers = [blank for blank in desk.sheet.fields if blank.kind == "number" and math.isfinite(float(str(blank.true)))]
    chosen = draw.choice(numbers)

    def pen(blank: Blank, text: str) -> str:
        return _other_digit(text, draw) if blank is chosen else text

    return desk.fill(replace(hand, pen=pen), chosen.step), chosen


def _other_digit(text: str, draw: random.Random) -> str:
    mantissa = text.partition("e")[0]
    places = [place for place, sign in enumerate(mantissa) if sign.isdigit()]
    significant = [place for place in places if mantissa[:place].strip("-0.")] or places
    first = next((place for place in places if mantissa[place] != "0"), places[-1])
    place = draw.choice(sorted({first, *significant}))
    digit = draw.choice([sign for sign in "0123456789" if sign != text[place]])
    return text[:place] + digit + text[place + 1 :]


# -- mistakes of the catalogue ---------------------------------------------------------------------


def slips_to_make(desk: Desk) -> list[MistakeOutcome]:
    """The slips of a sheet that can be made in what it asks for and written into its blanks: not those that give
    another shape, or no numbers.
    """
    return [slip for slip in _slips_asked_for(desk) if _can_be_written(desk, slip)]


def slips_left_out(desk: Desk) -> int:
    """How many of those it asks for cannot be written into its blanks."""
    return len(_slips_asked_for(desk)) - len(slips_to_make(desk))


def _slips_asked_for(desk: Desk) -> list[MistakeOutcome]:
    return [slip for slip in desk.variant.mistakes.all if slip.step in desk.fields]


def _can_be_written(desk: Desk, slip: MistakeOutcome) -> bool:
    return slip.value.shape == desk.sheet.trace[slip.step].shape and not numpy.isnan(slip.value).any()


def with_slip(desk: Desk, slip: MistakeOutcome, hand: Hand) -> Mistaken | None:
    """Somebody makes a mistake once, and goes on from what it gave."""

    def wrong(step: Step, world: Recording, filled: Filled) -> Array | None:
        return _made(desk, slip, filled, hand) if step.path == slip.step else None

    return _mistaken(desk, slip, replace(hand, wrong=wrong))


def with_slip_and_rule(desk: Desk, slip: MistakeOutcome, hand: Hand) -> Mistaken | None:
    """Somebody makes a mistake, and goes back through it by the rule for what they did."""
    fit = _with_rule(desk, slip)
    if fit is None or fit.changes is None:
        return None
    changes = fit.changes

    def wrong(step: Step, world: Recording, filled: Filled) -> Array | None:
        if step.path == slip.step:
            return _made(desk, slip, filled, hand)
        return _replayed(desk, step, filled, changes, hand)

    return _mistaken(desk, slip, replace(hand, wrong=wrong))


def _with_rule(desk: Desk, slip: MistakeOutcome) -> PossibleMistake | None:
    at = desk.sheet.trace.find_step(slip.made) if slip.made else None
    fits = candidates(desk.sheet.trace, at) if at is not None and at.stage == "forward" else iter(())
    return next((fit for fit in fits if fit.id == slip.id + ALSO), None)


def _made(desk: Desk, slip: MistakeOutcome, filled: Filled, hand: Hand) -> Array | None:
    """What a slip gives at its step, from the numbers on the sheet."""
    step = desk.sheet.trace.find_step(slip.step)
    if slip.changes is None:
        return slip.value
    taken = {id for wires in slip.changes.wires.values() for id in wires.values()}
    if slip.step == slip.made and len(taken) == 1 and not slip.changes.touch(step.id):
        return desk.world(step, filled).value(taken.pop())  # the step was left out
    return _replayed(desk, step, filled, slip.changes, hand)


def _replayed(desk: Desk, step: Step, filled: Filled, changes: Changes, hand: Hand) -> Array | None:
    """What the changes give at a step beside all that stands on the sheet by now."""
    changed = Changes(desk.numbers(filled), changes.ops, changes.settings, changes.wires)
    try:
        value: Array = replay(desk.recording, changed, until=step.id, arithmetic=hand.arithmetic).value(step.id)
    except WorkingsError:
        return None
    return value


def in_another_run(desk: Desk, slip: MistakeOutcome, hand: Hand) -> Mistaken | None:
    """Somebody does everything by another convention: the norm before what they should do first, for instance."""
    fit = next((fit for fit in candidates(desk.sheet.trace) if fit.id == slip.id and fit.changes is None), None)
    if fit is None:
        return None
    other = fit.make()

    def wrong(step: Step, world: Recording, filled: Filled) -> Array | None:
        own = other[step.path].value if step.path in other else None
        return own if own is not None and own.shape == step.form.shape else None

    return _mistaken(desk, slip, replace(hand, wrong=wrong))


def _mistaken(desk: Desk, slip: MistakeOutcome, hand: Hand) -> Mistaken | None:
    """The filled sheet, and whether the mistake can be read from it."""
    step, before = desk.sheet.trace.find_step(slip.step), desk.right_before(slip.step, Hand())
    value = _made(desk, slip, before, Hand())
    if value is None or value.shape != step.form.shape or numpy.isnan(value).any():
        return None
    own = desk.answers(slip.step, value)
    right = desk.answers(slip.step, desk.world(step, before).value(step.id))
    others = [desk.answers(slip.step, other) for other in _others(desk, slip, value)]
    names = frozenset(name.removesuffix(ALSO) for name in slip.names)
    is_seen = own != right
    return Mistaken(names, slip.step, desk.fill(hand, slip.step), is_seen, is_seen and own not in others)


def _others(desk: Desk, slip: MistakeOutcome, value: Array) -> Iterator[Array]:
    """What other mistakes give at the step of this one; those that always give the same are no others."""
    for other in desk.variant.mistakes.all:
        if other.step == slip.step and not set(other.names) & set(slip.names):
            given = _made(desk, other, desk.right_before(slip.step, Hand()), Hand())
            if given is not None and given.shape == value.shape and not same(given, value):
                yield given
