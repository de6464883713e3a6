"""Answers in a spreadsheet: the columns entry and answer of the sheet named answers, or of the first.

A spreadsheet is a zip archive of XML, so a small file may unpack to a huge one. All its parts are unpacked and counted
before a library sees it. Formulas are not evaluated: we read the value that the spreadsheet program has stored.
"""

from __future__ import annotations

import io
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ...engine.errors import InputError, WorkingsError
from .collector import AnswerCollector
from .labels import Columns, find_columns, require_label

MAX_PARTS = 2_000
MAX_BYTES = 10_000_000  # of all parts together
MAX_TAGS = 300_000  # in all of them: empty cells are short, and each takes time
MAX_ROWS, MAX_COLUMNS = 20_000, 50
SHEET = "answers"

_CHUNK = 1_000_000  # bytes
_DEFINITION = re.compile(rb"<!(?:DOCTYPE|ENTITY)")  # with these XML can grow when it is read; spreadsheets have none


def collect_xlsx(content: bytes, answers: AnswerCollector) -> None:
    """
    >>> from openpyxl import Workbook
    >>> book, content = Workbook(), io.BytesIO()
    >>> for row in (["sheet", "demo-1"], ["entry", "answer"], ["loss", 0.25]):
    ...     book.active.append(row)
    >>> book.save(content)
    >>> answers = AnswerCollector()
    >>> collect_xlsx(content.getvalue(), answers)
    >>> answers.sheet, answers.texts, answers.places
    ('demo-1', {'loss': '0.25'}, {'loss': 'cell B3'})
    """
    _check_archive(content)
    with _opened(content, values=True) as sheet:
        rows = _rows(sheet)
    columns: Columns | None = None
    missing: list[tuple[str, Any]] = []
    for row in rows:
        texts = [_text(cell.value) for cell in row]
        if columns is None and texts[0].strip().casefold() == "sheet" and len(texts) > 1:
            answers.name_sheet(texts[1].strip(), _place(row[1]))
        elif columns is None:
            columns = find_columns(texts)
        elif any(texts):
            label = require_label(texts[columns.entry], _place(row[columns.entry]))
            cell = row[columns.answer]
            if cell.value is None and hasattr(cell, "row"):
                missing.append((label, cell))
            answers.add(label, texts[columns.answer], _place(cell))
    if columns is None:
        raise InputError(
            "The sheet has no columns named entry and answer.",
            hint="Write entry and answer above them, on the first sheet or on one named answers.",
        )
    if missing:
        _add_formulas(content, missing, answers)


def _add_formulas(content: bytes, missing: list[tuple[str, Any]], answers: AnswerCollector) -> None:
    """A cell without a value may hold a formula that no program has evaluated yet. Then its text is the answer, which
    is refused where the number is read.
    """
    with _opened(content, values=False) as sheet:
        formulas = {(cell.row, cell.column): cell.value for row in _rows(sheet) for cell in row if hasattr(cell, "row")}
    for label, cell in missing:
        formula = formulas.get((cell.row, cell.column))
        if isinstance(formula, str):
            answers.add(label, formula, _place(cell))


def _rows(sheet: Any) -> list[tuple[Any, ...]]:
    return [row for row in sheet.iter_rows(max_row=MAX_ROWS, max_col=MAX_COLUMNS) if row]


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _place(cell: Any) -> str:
    return f"cell {cell.coordinate}" if hasattr(cell, "coordinate") else ""


@contextmanager
def _opened(content: bytes, *, values: bool) -> Iterator[Any]:
    """The sheet with the answers. The library raises many errors on a damaged file; all mean the same to a user."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise openpyxl_missing() from None
    book = None
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about styles and rules, which are not read here
            book = load_workbook(io.BytesIO(content), read_only=True, data_only=values, keep_links=False)
            named = [sheet for sheet in book.worksheets if sheet.title.strip().casefold() == SHEET]
            yield (named or book.worksheets)[0]
    except WorkingsError:
        raise
    except Exception:
        raise _unreadable() from None
    finally:
        if book is not None:
            book.close()


def _check_archive(content: bytes) -> None:
    """Refuse a file that is not an archive, or that grows too large when it is unpacked, whatever size it claims."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            if len(parts) > MAX_PARTS:
                raise InputError(
                    f"The spreadsheet consists of {len(parts)} parts, too many for a file of answers.",
                    hint=f"At most {MAX_PARTS} are read: copy the two columns into a new file.",
                )
            if sum(part.file_size for part in parts) > MAX_BYTES:
                raise _too_large()
            budget = _Budget()
            for part in parts:
                _unpack(archive, part, budget)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError):
        raise _unreadable() from None


@dataclass
class _Budget:
    """How much may still be unpacked."""

    bytes: int = MAX_BYTES
    tags: int = MAX_TAGS


def _unpack(archive: zipfile.ZipFile, part: zipfile.ZipInfo, budget: _Budget) -> None:
    """Take the size of a part from the budget."""
    before = b""
    with archive.open(part) as file:
        while piece := file.read(_CHUNK):
            budget.bytes -= len(piece)
            budget.tags -= piece.count(b"<")
            if min(budget.bytes, budget.tags) < 0:
                raise _too_large()
            if _DEFINITION.search((before + piece).replace(b"\0", b"")):  # UTF-16 has a zero next to each letter
                raise InputError(
                    "The spreadsheet contains definitions that no spreadsheet program writes.",
                    hint="Copy the two columns into a new file.",
                )
            before = piece[-40:]


def _too_large() -> InputError:
    return InputError(
        "The spreadsheet becomes too large when it is unpacked.",
        hint=f"At most {MAX_BYTES // 10**6} MB and {MAX_ROWS} rows are read: copy the two columns into a new file.",
    )


def _unreadable() -> InputError:
    return InputError(
        "The spreadsheet cannot be read: it is damaged, protected by a password, or not a spreadsheet.",
        hint="Save it again in a spreadsheet program, as .xlsx without a password, or as .csv.",
    )


def openpyxl_missing() -> InputError:
    return InputError(
        "The package openpyxl, which reads and writes spreadsheets, is not installed.",
        hint='Install it with pip install "workings[print]", or save the sheet as .csv.',
    )
