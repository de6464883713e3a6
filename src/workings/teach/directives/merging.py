"""`merging`: how a text becomes tokens, pair by pair, with merges that were learned from it or from another text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...engine.errors import LessonError
from ...engine.sentences import say
from ...explain.document import Block, Table, Words
from ...explain.merges import shown
from ...explain.view import Trace
from ...ops.given import given, ids
from ...text import BytePairs, Piece
from ..reading.myst import Directive
from ..runs import AS_WRITTEN
from .files import beside
from .kind import Kind, is_yes

if TYPE_CHECKING:
    from ..page import Page

BYTES = 256
MOST = 100_000  # entries: more than any text of a lesson can fill
PIECES = 12  # pieces of a text that fit into a row
_RUN = re.compile(r"[A-Za-z][\w-]*")


def _merging(directive: Directive, page: Page) -> Iterator[Block]:
    """A table of what each merge does; with `run`, the ids are a run of the lesson, too."""
    text = _text(directive.argument, page)
    size = _size(directive.options.get("size", str(MOST)))
    pairs = BytePairs.learn(_text(directive.options.get("learn", directive.argument), page), size)
    if "run" in directive.options:
        _add(directive.options["run"], pairs, text, page)
    if not is_yes(directive, "hidden"):
        yield _table(pairs.merging(text).pieces, directive.options.get("title", ""))
    elif "run" not in directive.options:
        raise LessonError("lesson.merging.hidden")


def _text(asked: str, page: Page) -> str:
    """The text itself, or that of a file beside the lesson."""
    return beside(asked, page).rstrip("\n") if asked.endswith(".txt") else asked


def _size(asked: str) -> int:
    if not (asked.isascii() and asked.isdigit() and BYTES <= int(asked[:9]) <= MOST):
        raise LessonError("lesson.merging.size", size=asked[:20], least=BYTES, most=MOST)
    return int(asked)


def _add(run: str, pairs: BytePairs, text: str, page: Page) -> None:
    """The ids of the text, and how many entries there are, as a run."""
    if not _RUN.fullmatch(run) or run in page.runs.traces or (page.runs.main and run in page.runs.main.runs):
        raise LessonError("lesson.merging.run", run=run[:40])
    trace = Trace(precision=AS_WRITTEN)
    with trace:
        trace.start_from(ids(pairs.encode(text), name="ids"))
        trace.start_from(given(len(pairs), name="entries"))
    page.runs.add(run, trace)


def _table(pieces: tuple[Piece, ...], title: str) -> Table:
    """One row for the bytes, and one after each merge that changes something."""
    if len(pieces) > PIECES:
        raise LessonError("lesson.merging.long", count=len(pieces), most=PIECES)
    merges = {state.merge.number: state.merge for piece in pieces for state in piece.states if state.merge}
    rows = []
    for number in (0, *sorted(merges)):
        pair = " + ".join(map(_seen, merges[number].pair)) if number else say("lesson.merging.bytes")
        tokens = " | ".join(" ".join(map(_seen, _tokens(piece, number))) for piece in pieces)
        rows.append(((Words(pair),), (Words(tokens),)))
    return Table((say("lesson.merging.pair"), say("lesson.merging.tokens")), tuple(rows), title)


def _seen(token: bytes) -> str:
    """A token with its spaces as signs: among so many tokens a gap would not be seen."""
    return shown(token).replace("\u00a0", "␣")


def _tokens(piece: Piece, number: int) -> tuple[bytes, ...]:
    """The tokens of a piece after the merges up to this one."""
    return [state for state in piece.states if state.merge is None or state.merge.number <= number][-1].tokens


MERGING = {"merging": Kind(_merging, "needed", "none", ("learn", "size", "run", "title", "hidden"))}
