"""Attention as lines between words: from every row of a matrix to every column, the thicker the larger the entry."""

from __future__ import annotations

from ..engine.errors import CallError
from .document import Figure, Index
from .grid import grid_of, scale_of
from .largest import can_be_drawn, largest_of
from .sentences import say
from .step_view import StepView
from .view import Trace
from .window import Labels, Window, window_of

MOST_WORDS = 16  # on each side
MOST_SAID = 6  # lines of a row that are told one by one


def links_of(trace: Trace, step: str | StepView, labels: Labels | None = None, at: Index = ()) -> Figure:
    """The entries of a matrix as lines, from what a row stands for to what a column stands for.

    >>> import workings as w
    >>> trace = w.scenario("example-1").trace()
    >>> print(links_of(trace, "weights", {"query": ("A", "B"), "key": ("A", "B")}).alternative)
    From A to A 0.5018, B 0.4982. From B to A 0.4982, B 0.5018.
    """
    view = trace[step] if isinstance(step, str) else step
    if len(view.shape) < 2:
        raise CallError("figure.links", form=str(view.form), where=view.path)
    window = window_of(trace, view, labels, at, most=(MOST_WORDS, MOST_WORDS), turn=False)
    title = say("explain.figure.links", title=window.title)
    return Figure("links", title, grid_of(window, scale_of(window), named=True), _in_words(window), _note(window))


def _in_words(window: Window) -> str:
    told = []
    for name, row in zip(window.row_names, window.rows, strict=True):
        lines = [(column, one) for column, one in zip(window.column_names, row, strict=True) if can_be_drawn(one)]
        if not lines:
            told.append(say("explain.figure.links.none", row=name))
        elif len(row) > MOST_SAID:
            place = largest_of(row) or 0
            strongest = {"column": window.column_names[place], "number": row[place].text}
            told.append(say("explain.figure.links.strongest", row=name, **strongest))
        else:
            ends = ", ".join(f"{column} {one.text}" for column, one in lines)
            told.append(say("explain.figure.links.row", row=name, ends=ends))
    return " ".join(told)


def _note(window: Window) -> str:
    missing = len(window.numbers) - len(window.finite())
    notes = (
        window.note,
        say("explain.figure.missing", count=missing) if missing else "",
        say("explain.figure.links.negative") if min(window.finite()) < 0 else "",
    )
    return " ".join(note for note in notes if note)
