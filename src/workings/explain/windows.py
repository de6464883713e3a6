"""What each position may see, as a window that grows from row to row: a mask with the words in its boxes."""

from __future__ import annotations

from ..engine.errors import CallError
from .document import Figure, Index
from .grid import YES_NO, grid_of
from .heatmap import mask_in_words
from .mask import seen_in
from .sentences import say
from .step_view import StepView
from .view import Trace
from .window import Labels, window_of

MOST_WORDS = 12  # in a row, and rows


def windows_of(trace: Trace, step: str | StepView, labels: Labels | None = None, at: Index = ()) -> Figure:
    """Of a step of a mask, or of a matrix of 0 and 1: for each row, the words that it may see.

    >>> import workings as w
    >>> trace = w.scenario("cat-sat").trace("masked")
    >>> print(windows_of(trace, "masked", {"query": ("The", "cat", "sat"), "key": ("The", "cat", "sat")}).alternative)
    The sees The. cat sees The, cat. sat sees all 3.
    """
    view = trace[step] if isinstance(step, str) else step
    if len(view.shape) < 2:
        raise CallError("figure.windows", form=str(view.form), where=view.path)
    window = window_of(trace, view, labels, at, most=(MOST_WORDS, MOST_WORDS), turn=False)
    seen = seen_in(trace, window)
    title = say("explain.figure.windows", title=window.title)
    grid = grid_of(window, YES_NO, seen, named=True)
    return Figure("windows", title, grid, mask_in_words(window, seen), window.note)
