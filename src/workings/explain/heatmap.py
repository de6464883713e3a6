"""A matrix as a picture: a heatmap of its entries, or a mask that says who may look at whom."""

from __future__ import annotations

from .document import Figure, Index
from .grid import LARGEST_NUMBERED, LARGEST_WHOLE, YES_NO, fits_without_numbers, grid_of, scale_of, with_ticks
from .largest import can_be_drawn
from .mask import seen_in
from .numbers import apart, write
from .sentences import say
from .step_view import StepView
from .view import Trace
from .window import Labels, Window, window_of


def heatmap_of(trace: Trace, step: str | StepView, labels: Labels | None = None, at: Index = ()) -> Figure:
    """The entries of a step as a heatmap: of one head (`head2.weights`), or of the matrix `at` these leading places. Of
    a large matrix the colours alone are drawn, and of one that is larger still the corner.

    >>> import workings as w
    >>> trace = w.scenario("cat-sat").trace()
    >>> figure = heatmap_of(trace, "weights", {"query": ("The", "cat", "sat"), "key": ("The", "cat", "sat")})
    >>> print(figure.alternative)
    weights as a heatmap, 3 by 3: the lowest entry is 0.2017 at (The, sat), the highest 0.5368 at (cat, cat).
    """
    view = trace[step] if isinstance(step, str) else step
    is_whole = fits_without_numbers(view.shape[-2:])
    window = window_of(trace, view, labels, at, LARGEST_WHOLE if is_whole else LARGEST_NUMBERED)
    grid = grid_of(window, scale_of(window))
    data = with_ticks(window, grid) if is_whole else grid
    return Figure("heatmap", window.title, data, _in_words(window), _note(window))


def mask_of(trace: Trace, step: str | StepView, labels: Labels | None = None, at: Index = ()) -> Figure:
    """Who may look at whom: a step of an op such as `causal_mask`, or any matrix of 0 and 1.

    >>> import workings as w
    >>> trace = w.scenario("cat-sat").trace("masked")
    >>> print(mask_of(trace, "masked", {"query": ("The", "cat", "sat"), "key": ("The", "cat", "sat")}).alternative)
    The sees The. cat sees The, cat. sat sees all 3.
    """
    window = window_of(trace, step, labels, at)
    seen = seen_in(trace, window)
    title = say("explain.figure.mask", title=window.title)
    return Figure("mask", title, grid_of(window, YES_NO, seen), mask_in_words(window, seen), window.note)


MOST_SAID = 8  # rows of a mask that are told one by one


def _in_words(window: Window) -> str:
    found = [
        (number.value, number, row, column)
        for row, numbers in zip(window.row_names, window.rows, strict=True)
        for column, number in zip(window.column_names, numbers, strict=True)
        if can_be_drawn(number)
    ]
    lowest, highest = min(found, key=lambda one: float(one[0])), max(found, key=lambda one: float(one[0]))
    sizes = {"title": window.title, "rows": len(window.rows), "columns": len(window.rows[0])}
    if lowest[0] == highest[0]:
        return say("explain.figure.heatmap.same", lowest=lowest[1].text, **sizes)
    style = apart(float(lowest[0]), float(highest[0]), window.style)
    return say(
        "explain.figure.heatmap",
        lowest=write(float(lowest[0]), style),
        where_lowest=_place(lowest[2], lowest[3]),
        highest=write(float(highest[0]), style),
        where_highest=_place(highest[2], highest[3]),
        **sizes,
    )


def _place(row: str, column: str) -> str:
    return say("explain.figure.place", row=row, column=column) if row and column else row or column


def _note(window: Window) -> str:
    """What is not to be seen: the rest of a large matrix, and entries without a colour."""
    hidden = len(window.numbers) - len(window.finite())
    without = say("explain.figure.heatmap.hidden", count=hidden) if hidden else ""
    return " ".join(part for part in (window.note, without) if part)


def mask_in_words(window: Window, seen: tuple[tuple[bool, ...], ...]) -> str:
    if len(seen) > MOST_SAID or len(seen[0]) > MOST_SAID:
        places = [place for row in seen for place in row]
        return say("explain.figure.mask.many", seen=sum(places), count=len(places))
    return " ".join(_seen_by(name, row, window.column_names) for name, row in zip(window.row_names, seen, strict=True))


def _seen_by(name: str, row: tuple[bool, ...], columns: tuple[str, ...]) -> str:
    found = [column for column, is_seen in zip(columns, row, strict=True) if is_seen]
    if not found:
        return say("explain.figure.mask.row.none", row=name)
    if len(found) == len(row) > 1:
        return say("explain.figure.mask.row.all", row=name, count=len(found))
    return say("explain.figure.mask.row", row=name, columns=", ".join(found))
