"""Answers in CSV: the columns entry and answer, in any order, separated by commas, semicolons or tabs."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence

from ...engine.errors import InputError
from .collector import AnswerCollector
from .labels import Columns, find_columns, require_label

SEPARATORS = ",;\t"
MAX_HEADING_LINES = 20  # in which the headings are searched


def collect_csv(text: str, answers: AnswerCollector) -> None:
    r"""
    >>> answers = AnswerCollector()
    >>> collect_csv("sheet,demo-1\nentry,answer\nloss,0.25\n", answers)
    >>> answers.sheet, answers.texts
    ('demo-1', {'loss': '0.25'})
    """
    separator = _separator(text)
    columns: Columns | None = None
    try:
        for line, row in _rows(text, separator):
            if columns is None and len(row) > 1 and row[0].strip().casefold() == "sheet":
                answers.name_sheet(row[1].strip(), f"line {line}")
            elif columns is None:
                columns = find_columns(row)
            elif any(cell.strip() for cell in row):
                _collect_row(_rejoined(row, columns, separator), columns, f"line {line}", answers)
    except csv.Error as error:
        raise InputError(
            f"The table cannot be read: {error!s}.", hint="Save it again as CSV, with the columns entry and answer."
        ) from None
    if columns is None:
        raise InputError(
            "The table has no columns named entry and answer.",
            hint="Write entry,answer above it, and one entry with its answer on each line.",
        )


def _rows(text: str, separator: str) -> Iterator[tuple[int, list[str]]]:
    """Each row with the line on which it begins: a quoted answer may span several."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    line = 1
    for row in reader:
        yield line, row
        line = reader.line_num + 1


def _separator(text: str) -> str:
    """The one between the two headings."""
    for line in text.splitlines()[:MAX_HEADING_LINES]:
        for separator in SEPARATORS:
            if find_columns(line.split(separator)):
                return separator
    return SEPARATORS[0]


def _rejoined(row: Sequence[str], columns: Columns, separator: str) -> list[str]:
    """A row with unquoted commas, `scores[1,0],0,5`, with its entry and its answer put together again."""
    cells: list[str] = []
    for cell in row:
        if cells and cells[-1].count("[") > cells[-1].count("]") and len(row) > columns.width:
            cells[-1] += separator + cell
        else:
            cells.append(cell)
    if columns.answer == columns.width - 1 and separator == ",":
        cells[columns.answer :] = [separator.join(cells[columns.answer :])]
    return cells


def _collect_row(row: Sequence[str], columns: Columns, place: str, answers: AnswerCollector) -> None:
    label = require_label(row[columns.entry] if columns.entry < len(row) else "", place)
    answers.add(label, row[columns.answer] if columns.answer < len(row) else "", place)
