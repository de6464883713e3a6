"""A sheet as a table to fill in: the columns entry and answer, the second one empty."""

from __future__ import annotations

import csv
import io

from ..answers.labels import ANSWER, ENTRY
from ..answers.xlsx_file import openpyxl_missing
from ..sheet import Sheet


def rows(sheet: Sheet) -> list[tuple[str, str]]:
    """
    >>> from workings.practice.sheet import make_sheet
    >>> rows(make_sheet("example-1", seed=7, blanks="few"))[:2]
    [('sheet', 'example-1.twin-7-2f4-a0f2'), ('entry', 'answer')]
    """
    return [("sheet", sheet.code), (ENTRY, ANSWER), *((blank.label, "") for blank in sheet.fields)]


def to_csv(sheet: Sheet) -> bytes:
    """The table as text; a byte order mark tells spreadsheet programs its encoding."""
    text = io.StringIO(newline="")
    csv.writer(text, lineterminator="\n").writerows(rows(sheet))
    return text.getvalue().encode("utf-8-sig")


def to_xlsx(sheet: Sheet) -> bytes:
    """The table as a spreadsheet."""
    try:
        from openpyxl import Workbook
    except ImportError:
        raise openpyxl_missing() from None
    book, content = Workbook(), io.BytesIO()
    for row in rows(sheet):
        book.active.append(row)
    book.save(content)
    return content.getvalue()


TEMPLATES = {".csv": to_csv, ".xlsx": to_xlsx}
