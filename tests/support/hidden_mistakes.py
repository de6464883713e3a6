"""Which mistakes the own numbers of a lesson cannot show, written down lesson by lesson in hidden_mistakes.yaml.

With X = I and W = 0.1 I, softmax over the wrong axis or a transposed weight changes no digit that is asked for. This is
why lessons have a telling twin to practice on. `python tests/teach/practice/hidden_mistakes.py write` writes the file
anew, to be read before it is committed: a new line is a mistake that readers of a lesson can make unnoticed.
"""

from __future__ import annotations

import sys
from pathlib import Path

import yaml

from workings.engine.errors import WorkingsError
from workings.engine.replay import replay
from workings.explain.mistakes import PossibleMistake, candidates
from workings.lessons.contents import names
from workings.lessons.lesson import lesson
from workings.lessons.runs import TWIN
from workings.practice.exercise import exercise
from workings.practice.sheet import DIGITS
from workings.practice.variant import MIN_APART, Variant
from workings.scenarios.reading.scenario_file import DEFAULT

FILE = Path(__file__).parents[1] / "practice" / "hidden_mistakes.yaml"


def own_numbers(name: str) -> Variant:
    """The numbers that a lesson explains: its main run, or the part of it that can be worked out by hand."""
    practised = lesson(name).file.practice
    return Variant(exercise(name, practised if practised not in ("", TWIN) else DEFAULT).trace, DIGITS)


def hidden_in(variant: Variant) -> dict[str, list[str]]:
    """The mistakes that can be made but not be seen, each with the steps at which that is so."""
    found: dict[str, list[str]] = {}
    for fit in candidates(variant.trace):
        if (
            fit.changes is not None
            and not fit.is_in_rule
            and not _is_shown(variant, fit)
            and _can_be_made(variant, fit)
        ):
            found.setdefault(fit.id, []).append(fit.step)
    return {id: found[id] for id in sorted(found)}


def _is_shown(variant: Variant, fit: PossibleMistake) -> bool:
    paths = {step.path for step in variant.steps}
    shown = (mistake for mistake in variant.mistakes.shown(fit) if mistake.step in paths)
    return any(variant.distance(mistake) >= MIN_APART for mistake in shown)


def _can_be_made(variant: Variant, fit: PossibleMistake) -> bool:
    assert fit.changes is not None
    recording = variant.trace.recording
    try:
        replay(recording, fit.changes, until=str(recording.count))
    except WorkingsError:
        return False
    return True


def write() -> None:
    hidden = {name: hidden_in(own_numbers(name)) for name in names()}
    FILE.write_text(yaml.safe_dump(hidden, sort_keys=False, width=120, default_flow_style=None), encoding="utf-8")


if __name__ == "__main__" and sys.argv[1:] == ["write"]:
    write()
