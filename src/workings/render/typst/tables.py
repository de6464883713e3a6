"""Tables and ledgers. One that is wider than the page has smaller letters, and if that is not enough, is split."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from ...document import blocks as d
from ...document.monospace import shape_text
from ...formula.typst import string
from .code import NONE, array, call, joined, optional_words, words
from .spans import Places, inside, spans, step_link

LINE_SIGNS = 99
SMALL_LINE_SIGNS = 112  # in smaller letters
MAX_UNBROKEN_SIGNS = 26  # a longer text can be broken into lines
PAD = 2  # around a cell
HEAD_COLUMNS = 1  # the column that names a row; every piece repeats it


def table(block: d.Table, places: Places, is_before_text: bool = True) -> str:
    widths = [_needed(block, n) for n in range(len(block.headings))]
    pieces = list(_pieces(widths))
    split = "The table is wider than the page: its columns are split into groups." if len(pieces) > 1 else ""
    tables = []
    for n, columns in enumerate(pieces):
        title = block.title if n == 0 else ""
        tables.append(
            call(
                "ruled",
                _columns([_natural(block, c) for c in columns]),
                array(_align(block, c) for c in columns),
                array(words(block.headings[c]) if block.headings[c] else '""' for c in columns),
                array(_cell(row[c], places) for row in block.rows for c in columns),
                title=optional_words(title),
                small="true" if sum(widths) > LINE_SIGNS else NONE,
                note=optional_words(split if n == len(pieces) - 1 else ""),
                before_text=NONE if is_before_text else "false",
            )
        )
    return joined(tables)


def ledger(block: d.Ledger, places: Places) -> str:
    cells = []
    for row in block.rows:
        shape = inside(words(shape_text(row.axes, row.shape) or "1"))
        note = call("text", inside(words(f" {row.note}")).join("{}"), size="0.85em", fill="faint") if row.note else ""
        cells += [step_link(row.name, row.step, places), string(row.op), joined([shape, note])]
    return call(
        "ruled",
        "(auto, auto, 1fr)",
        "(left, left, left)",
        array(words(heading) for heading in block.headings),
        array(cells),
        title=optional_words(block.title),
    )


def _cell(cell: d.Spans, places: Places) -> str:
    content = spans(cell, places)
    return '""' if content == NONE else content


def _is_numeric(block: d.Table, column: int) -> bool:
    return all(isinstance(span, d.Number) for row in block.rows for span in row[column])


def _align(block: d.Table, column: int) -> str:
    return "right" if _is_numeric(block, column) else "left"


def _texts(block: d.Table, column: int) -> list[str]:
    return [block.headings[column], *(d.plain_text(row[column]) for row in block.rows)]


def _natural(block: d.Table, column: int) -> int:
    return max(cell_len(text) for text in _texts(block, column))


def _needed(block: d.Table, column: int) -> int:
    """How many signs wide a column must be: a number needs all of its digits, a text its longest word."""
    if _is_numeric(block, column):
        return max([*(cell_len(text) for text in _texts(block, column)[1:]), 4]) + PAD
    words_in = [cell_len(word) for text in _texts(block, column) for word in text.split()]
    return max([min(_natural(block, column), MAX_UNBROKEN_SIGNS), *words_in]) + PAD


def _columns(natural: list[int]) -> str:
    """Columns as wide as they need to be; a text that must be broken gets the room that the others leave."""
    if sum(natural) + PAD * len(natural) <= LINE_SIGNS:
        return array("auto" for _ in natural)
    longest = max(natural)
    return array(
        f"{min(width, 80)}fr" if width > MAX_UNBROKEN_SIGNS or width == longest else "auto" for width in natural
    )


def _pieces(widths: list[int]) -> Iterator[list[int]]:
    """Which columns go into each piece; the first column is in all of them."""
    head, room = list(range(HEAD_COLUMNS)), SMALL_LINE_SIGNS - sum(widths[:HEAD_COLUMNS])
    columns, used = list(head), 0
    for n in range(HEAD_COLUMNS, len(widths)):
        if used and used + widths[n] > room:
            yield columns
            columns, used = list(head), 0
        columns.append(n)
        used += widths[n]
    yield columns
