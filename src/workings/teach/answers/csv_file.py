"""Answers in CSV: the columns entry and answer, in any order, with commas, semicolons or tabs between them."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from ...engine.errors import InputError
from . import places
from .collected import Collected
from .columns import Columns, find_columns
from .labels import read_label
from .spelling import shown

SEPARATORS = ",;\t"
LOOKED_AT = 20  # lines in which the headings are looked for


def collect_csv(text: str, answers: Collected) -> None:
    r"""
    >>> answers = Collected()
    >>> collect_csv("sheet,demo-1\nentry,answer\nloss,0.25\n", answers)
    >>> answers.sheet, answers.written
    ('demo-1', {'loss': '0.25'})
    """
    separator = _separator(text)
    columns: Columns | None = None
    try:
        for line, row in _rows(text, separator):
            if columns is None and len(row) > 1 and row[0].strip().casefold() == "sheet":
                answers.name_sheet(row[1].strip(), places.line(line))
            elif columns is None:
                columns = find_columns(row)
            elif any(cell.strip() for cell in row):
                _collect_row(_rejoined(row, columns, separator), columns, places.line(line), answers)
    except csv.Error as error:
        raise InputError("answers.csv", reason=str(error)) from None
    if columns is None:
        raise InputError("answers.csv.columns")


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Each row with the line on which it begins: an answer in quotes may go over several."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    line = 1
    for row in reader:
        yield line, row
        line = reader.line_num + 1


def _separator(text: str) -> str:
    """The one between the two headings."""
    for line in text.splitlines()[:LOOKED_AT]:
        for separator in SEPARATORS:
            if find_columns(line.split(separator)):
                return separator
    return SEPARATORS[0]


def _rejoined(row: Sequence[str], columns: Columns, separator: str) -> list[str]:
    """A row in which somebody wrote `scores[1,0],0,5` without quotes, with its entry and its answer whole again."""
    cells: list[str] = []
    for cell in row:
        if cells and cells[-1].count("[") > cells[-1].count("]") and len(row) > columns.width:
            cells[-1] += separator + cell
        else:
            cells.append(cell)
    if columns.answer == columns.width - 1 and separator == ",":
        cells[columns.answer :] = [separator.join(cells[columns.answer :])]
    return cells


def _collect_row(row: Sequence[str], columns: Columns, place: str, answers: Collected) -> None:
    written = row[columns.entry] if columns.entry < len(row) else ""
    label = read_label(written)
    if label is None:
        raise InputError("answers.file.label", label=shown(written), where=place)
    answers.add(label, row[columns.answer] if columns.answer < len(row) else "", place)
