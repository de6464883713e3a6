r"""LaTeX tables whose columns fit on the page.

Widths are in points, as if all signs were monospaced, which is more than most texts need.
"""

from __future__ import annotations

from collections.abc import Sequence

PAGE = 468.0  # points of a line: \textwidth of the preamble
SIGN = 5.75  # points of a sign
GAP = 12.0  # points around a column: \tabcolsep on both sides
ROWS = 36  # of a table that still fits on a page


def table(headings: list[str], rows: list[list[str]], columns: str) -> str:
    """A table; a long one goes on in another, with the same headings."""
    parts = [rows[n : n + ROWS] for n in range(0, len(rows), ROWS)] or [[]]
    return "\n\n".join(_table(headings, part, columns) for part in parts)


def _table(headings: list[str], rows: list[list[str]], columns: str) -> str:
    above, *lines = [f"{apart(' & '.join(row))} \\\\" for row in (headings, *rows)]
    inside = [r"\toprule", above, r"\midrule", *lines, r"\bottomrule"]
    return "\n".join([rf"\begin{{tabular}}{{{columns}}}", *inside, r"\end{tabular}"])


def apart(text: str) -> str:
    r"""A text that may follow a command which reads [ or *, such as \item or the end of a row.

    >>> apart("[CLS] & 1"), apart("first")
    ('{}[CLS] & 1', 'first')
    """
    return f"{{}}{text}" if text.lstrip().startswith(("[", "*")) else text


# -- columns ------------------------------------------------------------------------------------------


def columns_for(rows: Sequence[Sequence[str]], numeric: set[int]) -> str:
    r"""How each column is set: numbers to the right; the texts of a wide table in lines that divide up the page.

    >>> columns_for([["step", "shape"], ["scores", "2"]], {1})
    'lr'
    >>> columns_for([["step", "words " * 30]], set())
    'lp{0.899\\linewidth}'
    """
    wide = [SIGN * max(len(text) for text in column) for column in zip(*rows, strict=True)]
    least = [SIGN * max(_longest_word(text) for text in column) for column in zip(*rows, strict=True)]
    room = PAGE - GAP * len(wide)
    kept = _kept(wide, room)
    shared = _divided(wide, least, room, kept)
    return "".join(
        ("r" if n in numeric else "l") if n in kept else rf"p{{{int(shared[n] / PAGE * 1000) / 1000:.3f}\linewidth}}"
        for n in range(len(wide))
    )


def _longest_word(text: str) -> int:
    return max(map(len, text.split()), default=0)


def _kept(wide: list[float], room: float) -> set[int]:
    """The columns that need no line breaks: all if they fit, else those that need no more than an equal part."""
    if sum(wide) <= room:
        return set(range(len(wide)))
    return {n for n, width in enumerate(wide) if width <= room / len(wide)}


def _divided(wide: list[float], least: list[float], room: float, kept: set[int]) -> dict[int, float]:
    """The rest of the room, divided by what the other columns need; each gets at least its longest word."""
    rest = room - sum(wide[n] for n in kept)
    open_ = [n for n in range(len(wide)) if n not in kept]
    needed = sum(least[n] for n in open_)
    if needed >= rest:
        return {n: rest * least[n] / needed for n in open_}
    more = sum(wide[n] - least[n] for n in open_)
    return {n: least[n] + (rest - needed) * (wide[n] - least[n]) / more for n in open_}
