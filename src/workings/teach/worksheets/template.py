"""A sheet as a table to fill in: the columns entry and answer, with nothing in the second one yet."""

from __future__ import annotations

import csv
import io

from ...engine.errors import InputError
from ..answers import sentences as _sentences  # noqa: F401 - puts them into the catalogue
from ..answers.columns import ANSWER, ENTRY
from ..practice.sheet import Sheet


def rows(sheet: Sheet) -> list[tuple[str, str]]:
    """
    >>> from workings.teach.practice.sheet import make_sheet
    >>> rows(make_sheet("example-1", seed=7, blanks="few"))[:2]
    [('sheet', 'example-1.twin-7-1f4-a0f2'), ('entry', 'answer')]
    """
    return [("sheet", sheet.code), (ENTRY, ANSWER), *((field.label, "") for field in sheet.fields)]


def to_csv(sheet: Sheet) -> bytes:
    """The table as text; the mark at its beginning tells spreadsheet programs how it is written."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows(sheet))
    return text.getvalue().encode("utf-8-sig")


def to_xlsx(sheet: Sheet) -> bytes:
    """The table as a spreadsheet."""
    try:
        from openpyxl import Workbook
    except ImportError:
        raise InputError("answers.xlsx.package") from None
    book, content = Workbook(), io.BytesIO()
    for row in rows(sheet):
        book.active.append(row)
    book.save(content)
    return content.getvalue()


TEMPLATES = {".csv": to_csv, ".xlsx": to_xlsx}
