"""Answers in a filled worksheet: rows of tables, and code blocks below a line that ends in =.

`sheet example-1.twin-7-2s4-a0f2`

| entry | answer |
|---|---|
| scores[1][0] | 0.0071 |

weights =
```
0.5 0.5; 0.25 0.75
```
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from .collector import AnswerCollector
from .labels import ANSWER, read_label

_SHEET = re.compile(r"`sheet\s{1,9}([^`\s]{1,200})`")
_FENCE = re.compile(r"(`{3,}|~{3,})[^`]*")
_BAR = re.compile(r"(?<!\\)\|")
_RULER = re.compile(r"\s*:?-+:?\s*")
_ESCAPED = re.compile(r"\\([_\[\]*`|])")
_AROUND = "`*$ \t"


@dataclass
class _Table:
    rows: list[tuple[int, list[str]]] = field(default_factory=list)
    heading: list[str] = field(default_factory=list)

    @property
    def asks(self) -> bool:
        """Whether the heading of the last column says that it holds answers."""
        return bool(self.heading) and self.heading[-1].strip(_AROUND).casefold() == ANSWER


def collect_markdown(text: str, answers: AnswerCollector) -> None:
    r"""
    >>> answers = AnswerCollector()
    >>> collect_markdown("`sheet demo-1`\n\n| entry | answer |\n|---|---|\n| loss | 0.25 |\n", answers)
    >>> answers.sheet, answers.texts
    ('demo-1', {'loss': '0.25'})
    """
    tables = _WorksheetReader(answers).read(text)
    for table in [table for table in tables if table.asks] or tables:
        for line, cells in table.rows:
            label = read_label(_ESCAPED.sub(r"\1", cells[0]).strip(_AROUND))
            if label is not None and len(cells) > 1:
                answers.add(label, _answer(cells[-1]), f"line {line}")


def _answer(cell: str) -> str:
    """The answer in a cell, without the line to write on: ____0.5____."""
    plain = cell.replace(r"\_", "_").replace(r"\|", "|").strip(_AROUND).strip("_")
    return re.sub("<br ?/?>", "\n", plain)


class _WorksheetReader:
    """Goes through the lines of a worksheet once: collects what is in code blocks, and returns the tables."""

    def __init__(self, answers: AnswerCollector) -> None:
        self.answers = answers
        self.tables: list[_Table] = []
        self.table: _Table | None = None
        self.fence = ""  # that opened the block around this line
        self.block: list[str] = []
        self.label: str | None = None  # of the block that comes next
        self.place = ""

    def read(self, text: str) -> list[_Table]:
        for number, line in enumerate(text.splitlines(), 1):
            if self.fence:
                self._in_block(line)
                continue
            for found in _SHEET.finditer(line):
                self.answers.name_sheet(found[1], f"line {number}")
            self._outside(line.strip(), number)
        self._end_block()
        return self.tables

    def _in_block(self, line: str) -> None:
        if line.strip().startswith(self.fence) and not line.strip().strip(self.fence[0]):
            self._end_block()
        else:
            self.block.append(line)

    def _end_block(self) -> None:
        if self.fence and self.label is not None:
            self.answers.add(self.label, "\n".join(self.block), self.place)
        self.fence, self.block, self.label = "", [], None

    def _outside(self, line: str, number: int) -> None:
        if not line.startswith("|"):
            self.table = None
        if found := _FENCE.fullmatch(line):
            self.fence = found[1]
        elif line.startswith("|"):
            self._row(_BAR.split(line.removeprefix("|").removesuffix("|")), number)
        elif line.endswith("="):
            self.label = read_label(_ESCAPED.sub(r"\1", line[:-1]).strip(_AROUND))
            self.place = f"line {number}"
        elif line:
            self.label = None

    def _row(self, cells: list[str], number: int) -> None:
        if self.table is None:
            self.table = _Table()
            self.tables.append(self.table)
        if len(self.table.rows) == 1 and not self.table.heading and all(_RULER.fullmatch(cell) for cell in cells):
            self.table.heading = self.table.rows.pop()[1]
        else:
            self.table.rows.append((number, cells))
