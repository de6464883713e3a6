"""Which mistakes there are, and in which lessons one of them shows."""

from __future__ import annotations

from ...conventions import CHOICES, choices
from ...engine.errors import InputError, WorkingsError
from ...engine.registry import OPS
from ...explain.fitting import candidates
from ...explain.view import Trace
from ...models.reading.likely import likely
from ..practice.exercise import exercise
from ..practice.slips import Slips
from ..shelf import names
from . import sentences  # noqa: F401  (what its errors say)

ENOUGH = 3  # lessons that are named


def known_mistakes() -> tuple[str, ...]:
    """The ids of all mistakes: those of the pages, and other conventions.

    >>> "softmax.wrong_axis" in known_mistakes(), "convention.norm_place.post" in known_mistakes()
    (True, True)
    """
    pages = (mistake.id for op in OPS.values() for mistake in op.page.mistakes.values())
    conventions = (f"convention.{field}.{choice}" for field in CHOICES for choice in choices(field))
    return (*pages, *conventions)


def check_mistake(mistake: str) -> None:
    """Refuse an id that no mistake has."""
    if mistake not in known_mistakes():
        raise InputError("quiz.mistake", mistake=mistake[:60], nearest=likely(mistake, known_mistakes()))


def lessons_with(mistake: str) -> tuple[str, ...]:
    """Some lessons that can be practised on and in whose numbers a mistake shows."""
    found: list[str] = []
    for name in names():
        try:
            trace = exercise(name).trace
        except WorkingsError:  # nobody works it out by hand
            continue
        if shows_in(trace, mistake):
            found.append(name)
        if len(found) == ENOUGH:
            break
    return tuple(found)


def shows_in(trace: Trace, mistake: str) -> bool:
    """Whether a mistake can be made in a trace and changes a number of it."""
    slips = Slips(trace)
    return any(True for fit in candidates(trace) if fit.id == mistake for _ in slips.shown(fit))
