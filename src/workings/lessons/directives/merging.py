"""`merging`: how a text becomes tokens, pair by pair, with merges that were learned from it or from another text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ...document.blocks import Block, Table, Words
from ...engine.errors import LessonError
from ...explain.byte_pair_page import token_text
from ...explain.trace import Trace
from ...ops.given import given, ids
from ...text import BytePairs, Piece
from ..reading.myst import Directive
from ..runs import AS_WRITTEN
from .files import text_in_folder
from .kind import Kind, is_yes

if TYPE_CHECKING:
    from ..page import PageBuilder

BYTES = 256
MOST = 100_000  # entries: more than any text of a lesson can fill
PIECES = 12  # pieces of a text that fit into a row
_RUN = re.compile(r"[A-Za-z][\w-]*")


def _merging(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """A table of what each merge does; with `run`, the ids are a run of the lesson, too."""
    text = _text(directive.argument, page)
    size = _size(directive.options.get("size", str(MOST)))
    pairs = BytePairs.learn(_text(directive.options.get("learn", directive.argument), page), size)
    if "run" in directive.options:
        _add(directive.options["run"], pairs, text, page)
    if not is_yes(directive, "hidden"):
        yield _table(pairs.merging(text).pieces, directive.options.get("title", ""))
    elif "run" not in directive.options:
        raise LessonError(
            "Hidden and without a run, this directive does nothing.",
            hint="Write `:run: name` to give the ids a name, or leave out `hidden`.",
        )


def _text(given: str, page: PageBuilder) -> str:
    """The text itself, or that of a file in the folder of the lesson."""
    return text_in_folder(given, page).rstrip("\n") if given.endswith(".txt") else given


def _size(given: str) -> int:
    if not (given.isascii() and given.isdigit() and BYTES <= int(given[:9]) <= MOST):
        raise LessonError(
            f"The option size says how many entries there may be, and '{given[:20]}' is no such number.",
            hint=f"Write a whole number from {BYTES} to {MOST}.",
        )
    return int(given)


def _add(run: str, pairs: BytePairs, text: str, page: PageBuilder) -> None:
    """The ids of the text, and how many entries there are, as a run."""
    if not _RUN.fullmatch(run) or run in page.runs.traces or (page.runs.main and run in page.runs.main.runs):
        raise LessonError(
            f"'{run[:40]}' cannot be the name of a new run.",
            hint="Choose a name of letters and digits that no other run has.",
        )
    trace = Trace(precision=AS_WRITTEN)
    with trace:
        trace.start_from(ids(pairs.encode(text), name="ids"))
        trace.start_from(given(len(pairs), name="entries"))
    page.runs.add(run, trace)


def _table(pieces: tuple[Piece, ...], title: str) -> Table:
    """One row for the bytes, and one after each merge that changes something."""
    if len(pieces) > PIECES:
        raise LessonError(
            f"The text has {len(pieces)} pieces, and at most {PIECES} fit into a row.",
            hint="Show a shorter text, or write `:hidden: yes` and `:run: name`.",
        )
    merges = {state.merge.number: state.merge for piece in pieces for state in piece.states if state.merge}
    rows = []
    for number in (0, *sorted(merges)):
        pair = " + ".join(map(_seen, merges[number].pair)) if number else "bytes"
        tokens = " | ".join(" ".join(map(_seen, _tokens(piece, number))) for piece in pieces)
        rows.append(((Words(pair),), (Words(tokens),)))
    return Table(("joined", "tokens"), tuple(rows), title)


def _seen(token: bytes) -> str:
    """A token with its spaces as signs: among so many tokens a gap would not be seen."""
    return token_text(token).replace("\u00a0", "␣")


def _tokens(piece: Piece, number: int) -> tuple[bytes, ...]:
    """The tokens of a piece after the merges up to this one."""
    return [state for state in piece.states if state.merge is None or state.merge.number <= number][-1].tokens


MERGING = {"merging": Kind(_merging, "needed", "none", ("learn", "size", "run", "title", "hidden"))}
