r"""Tables without brackets: LaTeX, Markdown, CSV and plain lines. Each function gives the ways to read a text, or None
for a text of another kind.
"""

from __future__ import annotations

import re
from functools import partial

from .layout import CellLayout, Shape, Ways, nothing_in, rows_of, split_at_commas, split_at_spaces, table, words_in

_BEGIN = re.compile(r"\\begin\{([A-Za-z]{1,20}\*?)\}\s{0,9}(?:\[[^\]]{0,20}\]|\{[^{}]{0,60}\})?")
_AROUND = re.compile(r"(?:[\s$().,;|{}\[\]]|\\[\[\]()])*")  # formula signs and brackets around a matrix
_ROW_END = re.compile(r"\\\\(?:\[[^\]]{0,20}\])?")
_RULER = re.compile(r":?-{2,}:?|:-:?|-:")  # a single - is a blank entry
_EMPHASIS = "`* "


def latex(text: str, _: Shape | None) -> Ways | None:
    r"""
    >>> latex(r"\begin{bmatrix} 1 & 2 \\ 3 & 4 \end{bmatrix}", None)[0][0]().cells
    ('1', '2', '3', '4')
    """
    if "&" not in text and "\\\\" not in text and "\\begin" not in text:
        return None
    return [[partial(_latex_table, text)]]


def _latex_table(text: str) -> CellLayout:
    begin, end = _BEGIN.search(text), text.rfind(r"\end{")
    body = text
    if begin is not None and end > begin.end():
        body = text[begin.end() : end]
        closed = text[end:].removeprefix(rf"\end{{{begin[1]}}}")
        named = text[: begin.start()].rpartition("=")[2]
        for around in (named, closed):
            if not _AROUND.fullmatch(around):
                raise words_in(text, around)
    rows = [[cell.strip() for cell in row.split("&")] for row in _ROW_END.split(body.replace(r"\hline", ""))]
    if len(rows) > 1 and not "".join(rows[-1]).strip("$ "):
        rows.pop()  # the last row ends like the others
    return table(rows)


def markdown(text: str, shape: Shape | None) -> Ways | None:
    r"""A table, without its heading unless the shape says that it holds numbers too.

    >>> markdown("| a | b |\n|---|---|\n| 1 | 2 |", None)[0][0]().cells
    ('1', '2')
    """
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if not all("|" in line for line in lines) or not lines:
        return None
    rows = [[cell.strip(_EMPHASIS) for cell in line.removeprefix("|").removesuffix("|").split("|")] for line in lines]
    if len(lines) > 1 and all(map(_RULER.fullmatch, rows[1])):
        del rows[1]
        if shape is None or len(rows) != (shape[0] if len(shape) > 1 else 1):
            del rows[0]
    if not rows:
        raise nothing_in(text)
    return [[partial(table, rows)]]


def lines(text: str, shape: Shape | None) -> Ways:
    r"""Lines of numbers, separated by commas, semicolons, tabs or spaces.

    >>> [way().cells for way in lines("1,5 2,5", None)[0]]
    [('1', '5', '2', '5'), ('1,5', '2,5')]
    """
    rows = rows_of(text)
    if not rows:
        raise nothing_in(text)
    ways = [partial(table, [split(row) for row in rows]) for split in (split_at_commas, split_at_spaces)]
    found: Ways = [ways if "," in text else ways[:1]]
    filled = [line.strip(" ") for line in text.splitlines() if line.strip()]
    if "\t" in text:
        return [[partial(table, [line.split("\t") for line in filled])], *found]
    # In a file, semicolons separate columns. On a single line they do so only if the shape has as many columns.
    columns = [line.split(";") for line in filled]
    if len(filled) > 1 and any(";" in line.rstrip(";") for line in filled):
        return [[partial(table, columns)], *found]
    if shape in ((len(columns[0]),), (1, len(columns[0]))) and len(columns[0]) > 1:
        return [[partial(table, columns)], *found]
    return found
