"""Answers in a spreadsheet: the columns entry and answer of the sheet called answers, or of the first.

A spreadsheet is a zip archive of XML, so a small file may hold a huge one. All its parts are unpacked and counted
before a library sees it. Formulas are not carried out: the value that the spreadsheet program has stored is read.
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
from . import places
from .collected import Collected
from .columns import Columns, find_columns
from .labels import read_label
from .spelling import shown

MOST_PARTS = 2_000
LARGEST = 10_000_000  # bytes of all parts together
MOST_TAGS = 300_000  # in all of them: empty cells are short, and each takes time
MOST_ROWS, MOST_COLUMNS = 20_000, 50
SHEET = "answers"

_PIECE = 1_000_000  # bytes
_DEFINITION = re.compile(rb"<!(?:DOCTYPE|ENTITY)")  # with these XML can grow when it is read; spreadsheets have none


def collect_xlsx(content: bytes, answers: Collected) -> None:
    """
    >>> from openpyxl import Workbook
    >>> book, content = Workbook(), io.BytesIO()
    >>> for row in (["sheet", "demo-1"], ["entry", "answer"], ["loss", 0.25]):
    ...     book.active.append(row)
    >>> book.save(content)
    >>> answers = Collected()
    >>> collect_xlsx(content.getvalue(), answers)
    >>> answers.sheet, answers.written, answers.places
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
            label = _label(texts[columns.entry], row[columns.entry])
            cell = row[columns.answer]
            if cell.value is None and hasattr(cell, "row"):
                missing.append((label, cell))
            answers.add(label, texts[columns.answer], _place(cell))
    if columns is None:
        raise InputError("answers.xlsx.columns")
    if missing:
        _add_formulas(content, missing, answers)


def _label(text: str, cell: Any) -> str:
    label = read_label(text)
    if label is None:
        raise InputError("answers.file.label", label=shown(text), where=_place(cell))
    return label


def _add_formulas(content: bytes, missing: list[tuple[str, Any]], answers: Collected) -> None:
    """A cell without a value may hold a formula that no program has worked out yet. Its text is the answer then,
    which is refused where the number is read.
    """
    with _opened(content, values=False) as sheet:
        formulas = {(cell.row, cell.column): cell.value for row in _rows(sheet) for cell in row if hasattr(cell, "row")}
    for label, cell in missing:
        formula = formulas.get((cell.row, cell.column))
        if isinstance(formula, str):
            answers.add(label, formula, _place(cell))


def _rows(sheet: Any) -> list[tuple[Any, ...]]:
    return [row for row in sheet.iter_rows(max_row=MOST_ROWS, max_col=MOST_COLUMNS) if row]


def _text(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _place(cell: Any) -> str:
    return places.cell(cell.coordinate) if hasattr(cell, "coordinate") else ""


@contextmanager
def _opened(content: bytes, *, values: bool) -> Iterator[Any]:
    """The sheet with the answers. The library fails in many ways on a damaged file; all mean the same to people."""
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise InputError("answers.xlsx.package") from None
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
        raise InputError("answers.xlsx") from None
    finally:
        if book is not None:
            book.close()


def _check_archive(content: bytes) -> None:
    """Refuse what is no archive, or grows too much when it is unpacked, whatever it says about its own size."""
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            parts = archive.infolist()
            if len(parts) > MOST_PARTS:
                raise InputError("answers.xlsx.parts", count=len(parts), most=MOST_PARTS)
            if sum(part.file_size for part in parts) > LARGEST:
                raise _too_large()
            room = _Room()
            for part in parts:
                _unpack(archive, part, room)
    except (zipfile.BadZipFile, zlib.error, NotImplementedError, RuntimeError, EOFError, OSError, ValueError):
        raise InputError("answers.xlsx") from None


@dataclass
class _Room:
    """How much may still come."""

    bytes: int = LARGEST
    tags: int = MOST_TAGS


def _unpack(archive: zipfile.ZipFile, part: zipfile.ZipInfo, room: _Room) -> None:
    """Take what is in a part from the room that is left."""
    before = b""
    with archive.open(part) as file:
        while piece := file.read(_PIECE):
            room.bytes -= len(piece)
            room.tags -= piece.count(b"<")
            if min(room.bytes, room.tags) < 0:
                raise _too_large()
            if _DEFINITION.search((before + piece).replace(b"\0", b"")):  # UTF-16 has a zero beside each letter
                raise InputError("answers.xlsx.definition")
            before = piece[-40:]


def _too_large() -> InputError:
    return InputError("answers.xlsx.large", most=f"{LARGEST / 1e6:.0f} MB", rows=MOST_ROWS)
