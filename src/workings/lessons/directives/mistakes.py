"""`mistakes`: what the mistakes that can be made at some steps would have given.

Numbers such as the identity hide mistakes. What changes nothing in the lesson's own run is shown on its telling twin,
and the lesson says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...document.blocks import Block, Note, Spans, Words
from ...engine.errors import LessonError
from ...explain.mistakes import PossibleMistake, mistake_effect, mistake_summary
from ...explain.story import is_shown
from ...explain.trace import Trace
from ..reading.entry import EntryName
from ..reading.myst import Directive
from ..rewriting import located
from ..runs import TWIN
from .kind import Kind

if TYPE_CHECKING:
    from ..page import PageBuilder


def _mistakes(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    run, twin = directive.options.get("run", ""), directive.options.get("twin", TWIN)
    only = directive.options.get("only", "").split()
    shown: dict[str, Note] = {}
    for part in directive.argument.split():
        for note in _notes(page.entry(part, run), twin, only, page):
            shown.setdefault(note.mistake, note)
    missing = [id for id in only if id not in shown]
    if missing or not shown:
        raise LessonError(
            f"These mistakes cannot be made here, or change nothing: {', '.join(missing) or directive.argument}.",
            hint="Name steps that are computed by an op with mistakes: `workings op NAME` lists them.",
        )
    yield from shown.values()


def _notes(name: EntryName, twin: str, only: list[str], page: PageBuilder) -> Iterator[Note]:
    """The mistakes at one step: as they show in the run itself, and those that it hides as they show in its twin."""
    listed: set[str] = set()
    for run in dict.fromkeys((name.run, twin if _has(page, twin) else name.run)):
        trace = page.trace(run)
        wanted = [id for id in only if id not in listed]
        for fit in trace.mistakes(name.step, wanted) if wanted or not only else ():
            # What follows a mistake on the way back shows the number of the mistake itself, or of a wrong rule.
            is_listed = fit.id in listed or (fit.is_in_rule and not only)
            gives = None if is_listed else seen_in(trace, fit)
            if gives is not None:
                listed.add(fit.id)
                yield _note(fit, gives, run, hidden=run != name.run)


def _has(page: PageBuilder, run: str) -> bool:
    return page.runs.main is not None and run in page.runs.main.runs


def _note(fit: PossibleMistake, gives: Spans, run: str, hidden: bool) -> Note:
    listed = mistake_summary(fit.id.partition(".")[2].replace(".", " "), fit.hint)
    other = " (The numbers of this lesson hide it; these are from its run with distinguishing numbers.)"
    also = (Words(other),) if hidden else ()
    return Note("mistake", located((*listed, *gives, *also), run), fit.id)


def seen_in(trace: Trace, fit: PossibleMistake) -> Spans | None:
    """What a mistake gives at its own step; one of what is read there is seen in the first step after it."""
    wrong = fit.make()
    paths = [step.path for step in trace if step.path == fit.step or is_shown(trace.recording, step.step)]
    for path in paths[paths.index(fit.step) :]:
        gives = mistake_effect(trace[path], wrong[path], fit.id) if path in wrong else None
        if gives is not None:
            return gives
    return None


MISTAKES = {"mistakes": Kind(_mistakes, "needed", "none", ("run", "twin", "only"))}
