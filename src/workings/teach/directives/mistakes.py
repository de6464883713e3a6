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
from .kind import Kind

if TYPE_CHECKING:
    from ..page import Page

TWIN = "twin"


def _mistakes(directive: Directive, page: Page) -> Iterator[Block]:
    run, twin = directive.options.get("run", ""), directive.options.get("twin", TWIN)
    only = directive.options.get("only", "").split()
    shown: set[str] = set()
    for part in directive.argument.split():
        name = page.entry(part, run)
        for note in _notes(name, twin, page):
            if (not only or note.mistake in only) and note.mistake not in shown:
                shown.add(note.mistake)
                yield note
    missing = [id for id in only if id not in shown]
    if missing or not shown:
        raise LessonError("lesson.mistakes", names=", ".join(missing) or directive.argument)


def _notes(name: EntryName, twin: str, page: Page) -> Iterator[Note]:
    own = {fit.id: fit for fit in page.trace(name.run).mistakes(name.step)}
    told = dict(own)
    if twin in (page.runs.main.runs if page.runs.main is not None else ()):
        told |= {fit.id: fit for fit in page.trace(twin).mistakes(name.step) if fit.id not in told}
    for id, fit in told.items():
        note = _note(fit, name.run, page) if id in own else None
        if note is None and twin != name.run:
            note = _note(fit, twin, page, hidden=True)
        if note is not None:
            yield note


def _note(fit: Fit, run: str, page: Page, hidden: bool = False) -> Note | None:
    found = next((other for other in page.trace(run).mistakes(fit.step) if other.id == fit.id), None)
    if found is None:
        return None
    gives = _seen(page.trace(run), found)
    if gives is None:
        return None
    told = told_mistake(found.id.partition(".")[2].replace(".", " "), found.hint)
    beside = (Words(" " + say("lesson.mistake.hidden")),) if hidden else ()
    return Note("mistake", located((*told, *gives, *beside), run), found.id)


def _seen(trace: Trace, fit: Fit) -> Spans | None:
    """What a mistake gives at its own step; one of what is read there is seen in the first step after it."""
    wrong = fit.make()
    paths = [step.path for step in trace if step.path == fit.step or is_told(trace.recording, step.step)]
    for path in paths[paths.index(fit.step) :]:
        gives = what_it_gives(trace[path], wrong[path], fit.id) if path in wrong else None
        if gives is not None:
            return gives
    return None


MISTAKES = {"mistakes": Kind(_mistakes, "needed", "none", ("run", "twin", "only"))}
