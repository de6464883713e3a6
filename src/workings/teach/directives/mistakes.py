"""`mistakes`: what the mistakes that can be made at some steps would have given.

Numbers such as the identity hide mistakes. What changes nothing in the lesson's own run is shown on its telling twin,
and the lesson says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...engine.errors import LessonError
from ...engine.sentences import say
from ...explain.document import Block, Note, Spans, Words
from ...explain.fitting import Fit
from ...explain.mistaken import told_mistake, what_it_gives
from ...explain.story import is_told
from ...explain.view import Trace
from ..located import located
from ..reading.entry import EntryName
from ..reading.myst import Directive
from ..runs import TWIN
from .kind import Kind

if TYPE_CHECKING:
    from ..page import Page


def _mistakes(directive: Directive, page: Page) -> Iterator[Block]:
    run, twin = directive.options.get("run", ""), directive.options.get("twin", TWIN)
    only = directive.options.get("only", "").split()
    shown: dict[str, Note] = {}
    for part in directive.argument.split():
        for note in _notes(page.entry(part, run), twin, only, page):
            shown.setdefault(note.mistake, note)
    missing = [id for id in only if id not in shown]
    if missing or not shown:
        raise LessonError("lesson.mistakes", names=", ".join(missing) or directive.argument)
    yield from shown.values()


def _notes(name: EntryName, twin: str, only: list[str], page: Page) -> Iterator[Note]:
    """The mistakes at one step: as they show in the run itself, and those that it hides as they show in its twin."""
    told: set[str] = set()
    for run in dict.fromkeys((name.run, twin if _has(page, twin) else name.run)):
        trace = page.trace(run)
        wanted = [id for id in only if id not in told]
        for fit in trace.mistakes(name.step, wanted) if wanted or not only else ():
            # What follows a mistake on the way back shows the number of the mistake itself, or of a wrong rule.
            is_told = fit.id in told or (fit.is_in_rule and not only)
            gives = None if is_told else seen_in(trace, fit)
            if gives is not None:
                told.add(fit.id)
                yield _note(fit, gives, run, hidden=run != name.run)


def _has(page: Page, run: str) -> bool:
    return page.runs.main is not None and run in page.runs.main.runs


def _note(fit: Fit, gives: Spans, run: str, hidden: bool) -> Note:
    told = told_mistake(fit.id.partition(".")[2].replace(".", " "), fit.hint)
    beside = (Words(" " + say("lesson.mistake.hidden")),) if hidden else ()
    return Note("mistake", located((*told, *gives, *beside), run), fit.id)


def seen_in(trace: Trace, fit: Fit) -> Spans | None:
    """What a mistake gives at its own step; one of what is read there is seen in the first step after it."""
    wrong = fit.make()
    paths = [step.path for step in trace if step.path == fit.step or is_told(trace.recording, step.step)]
    for path in paths[paths.index(fit.step) :]:
        gives = what_it_gives(trace[path], wrong[path], fit.id) if path in wrong else None
        if gives is not None:
            return gives
    return None


MISTAKES = {"mistakes": Kind(_mistakes, "needed", "none", ("run", "twin", "only"))}
