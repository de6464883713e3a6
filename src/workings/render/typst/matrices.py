"""Matrices between brackets, digits under digits, and the words that a screen reader says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from rich.cells import cell_len

from ...document import blocks as d
from ...document.monospace import place_text, shape_text
from ...formula.typst import string
from .code import NONE, array, call, number

LINE_WIDTH = 41.0  # in units of the font size
WIDTHS = {".": 0.22, ",": 0.22, "-": 0.55, "−": 0.55, "+": 0.55, "e": 0.45}  # of signs, in the same unit
DIGIT, LETTER = 0.465, 0.47
BLANK = 5.0  # a line to write on
GAP, EDGES = 0.9, 2.4  # between two columns; brackets and the space around them
MIN_SCALE = 0.72  # a wide matrix may shrink to this fraction of its size before it is split
MAX_SPOKEN_ENTRIES = 40  # of more, only the first are read aloud
MAX_ROWS, MAX_WRITABLE_ROWS = 34, 20  # on a page, and of those to write into
SPLIT_NOTES = {
    "columns": "The matrix is wider than the page: its columns are split into groups.",
    "rows": "The matrix is longer than the page: its rows are split into groups.",
}


@dataclass(frozen=True)
class BracketedPart:
    """Some columns and rows of a slice: one pair of brackets on the page."""

    block: d.Matrix
    slice: d.MatrixSlice
    first: int
    last: int
    top: int
    bottom: int


def is_small(block: d.Matrix) -> bool:
    """Whether it may share a line with others: one matrix that fits on half a line, without remarks."""
    return not block.note and len(block.slices) == 1 and fit_side_by_side(block)


def fit_side_by_side(block: d.Matrix) -> bool:
    """Whether two of its slices fit on a line."""
    return not is_split(block) and all(wide(block, piece) <= LINE_WIDTH / 2 for piece in block.slices)


def matrix(block: d.Matrix, name: str) -> list[str]:
    """Each pair of brackets of a matrix as an expression; `name` is its typeset title."""
    parts = [part for piece in block.slices for part in _parts(block, piece)]
    return [_drawn(part, name, is_last=n == len(parts) - 1) for n, part in enumerate(parts)]


def is_split(block: d.Matrix) -> bool:
    return any(split_along(block))


def split_along(block: d.Matrix) -> Iterator[str]:
    """The directions in which a matrix is split: columns, rows, both or none."""
    parts = [part for piece in block.slices for part in _parts(block, piece)]
    if any(part.last - part.first < len(part.slice.rows[0]) for part in parts):
        yield "columns"
    if any(part.bottom - part.top < len(part.slice.rows) for part in parts):
        yield "rows"


def wide(block: d.Matrix, part: d.MatrixSlice) -> float:
    """About how wide a matrix is."""
    return _margin(block, part) + sum(width + GAP for width in _columns(part))


def _margin(block: d.Matrix, part: d.MatrixSlice) -> float:
    """The width of all but its columns: title, row labels and brackets."""
    labels = max((cell_len(label) for label in part.row_labels), default=0) * LETTER * 0.9
    return cell_len(block.title) * LETTER + labels + EDGES


def _columns(part: d.MatrixSlice) -> list[float]:
    heads = part.column_labels or ("",) * len(part.rows[0])
    blank = [BLANK if any(row[n].is_blank for row in part.rows) else 0.0 for n in range(len(heads))]
    return [
        max(cell_len(head) * LETTER * 0.9, _before(texts) + _after(texts), least)
        for head, texts, least in zip(heads, _texts(part), blank, strict=True)
    ]


def _texts(part: d.MatrixSlice) -> list[list[str]]:
    return [["" if row[n].is_blank else row[n].text for row in part.rows] for n in range(len(part.rows[0]))]


def _before(texts: list[str]) -> float:
    return max(printed(_halves(text)[0]) for text in texts)


def _after(texts: list[str]) -> float:
    return max(printed(_halves(text)[1]) for text in texts)


def _halves(text: str) -> tuple[str, str]:
    """The digits before the decimal point, and the rest."""
    head = re.split("[.,]", text)[0]
    return head, text[len(head) :]


def printed(text: str) -> float:
    """How wide a number is.

    >>> printed("0.5")
    1.15
    """
    return round(sum(WIDTHS.get(sign, DIGIT) for sign in text), 3)


def _parts(block: d.Matrix, piece: d.MatrixSlice) -> Iterator[BracketedPart]:
    """The columns that fit on a line, if need be in smaller letters; and the rows that fit on a page."""
    room = (LINE_WIDTH - _margin(block, piece)) / MIN_SCALE
    columns = _columns(piece)
    count, most = len(piece.rows), MAX_WRITABLE_ROWS if _has_blanks(piece) else MAX_ROWS
    for top in range(0, count, most):
        first, used = 0, 0.0
        for n, width in enumerate(columns):
            if n > first and used + width > room:
                yield BracketedPart(block, piece, first, n, top, min(top + most, count))
                first, used = n, 0.0
            used += width + GAP
        yield BracketedPart(block, piece, first, len(columns), top, min(top + most, count))


def _drawn(part: BracketedPart, name: str, is_last: bool) -> str:
    block, piece = part.block, part.slice
    texts = _texts(piece)
    after = [_after(column) for column in texts]
    entries = [
        call("line-to-write-on") if piece.rows[row][n].is_blank else _entry(texts[n][row], after[n], piece, n)
        for row in range(part.top, part.bottom)
        for n in range(part.first, part.last)
    ]
    caption = " ".join(_captions(part, is_last))
    return call(
        "matrix",
        string(spoken(part)),
        f"{{ {name}; [ =] }}" if block.title else NONE,
        str(part.last - part.first),
        str(part.bottom - part.top),
        array(string(label) for label in piece.row_labels[part.top : part.bottom]),
        array(string(label) for label in piece.column_labels[part.first : part.last]),
        array(entries),
        string(caption) if caption else NONE,
        single="false" if block.shape else "true",
        blanks="true" if _has_blanks(piece) else NONE,
    )


def _has_blanks(piece: d.MatrixSlice) -> bool:
    return any(entry.is_blank for row in piece.rows for entry in row)


def _captions(part: BracketedPart, is_last: bool) -> Iterator[str]:
    """The caption of the brackets: which of several it is, which columns, and at the end the shape."""
    block = part.block
    if part.slice.index:
        yield place_text(block.axes, part.slice.index)
    if part.last - part.first < len(part.slice.rows[0]):
        yield _places(block.axes[-1], part.first, part.last, "[:,{}]")
    if part.bottom - part.top < len(part.slice.rows):
        yield _places(block.axes[-2], part.top, part.bottom, "[{},:]")
    if is_last and not part.slice.index:
        yield shape_text(block.axes, block.shape)


def _places(axis: str, first: int, last: int, nameless: str) -> str:
    places = f"{first}..{last - 1}"
    return f"{axis} {places}" if axis else nameless.format(places)


def _entry(text: str, after: float, piece: d.MatrixSlice, column: int) -> str:
    """A number, moved to the left by the width that others in its column have after the point; below a wider word, the
    whole column is centered.
    """
    pad = after - printed(_halves(text)[1])
    if piece.column_labels:
        head = cell_len(piece.column_labels[column]) * LETTER * 0.85
        pad += max(head - max(printed(row[column].text) for row in piece.rows), 0) / 2
    return number(text) if pad < 0.01 else f"{{ {number(text)}; h({pad:.3g}em) }}"


def spoken(part: BracketedPart) -> str:
    """What a screen reader says for the matrix."""
    block, piece = part.block, part.slice
    name = block.title or "a matrix"
    rows = [row[part.first : part.last] for row in piece.rows[part.top : part.bottom]]
    if not block.shape:
        return f"{name} equals {_entries(rows[0], 1)}"
    title = ", ".join(filter(None, [name, " ".join(_captions(part, is_last=False))]))
    if len(block.shape) == 1:
        return f"{title}, {len(rows[0])} numbers: {_entries(rows[0], MAX_SPOKEN_ENTRIES)}"
    lines, left = [], MAX_SPOKEN_ENTRIES
    for n, row in enumerate(rows, part.top):
        if left <= 0:
            break
        label = piece.row_labels[n] if piece.row_labels else f"row {n + 1}"
        lines.append(f"{label}: {_entries(row, left)}")
        left -= len(row)
    more = ", and so on" if len(lines) < len(rows) else ""
    return f"{title}, a matrix of {len(rows)} by {len(rows[0])}. {'; '.join(lines)}{more}"


def _entries(row: tuple[d.Number, ...], most: int) -> str:
    """The entries of a row, with the words above them where there are some."""
    said = ", ".join("blank" if entry.is_blank else entry.text for entry in row[:most])
    return f"{said}, and so on" if len(row) > most else said
