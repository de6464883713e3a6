"""The document: what an explanation consists of, as data.

A dozen kinds of block. A text is a list of spans, and every number in it knows which entry of
which step it is, so that every printed number can be computed again. Renderers turn blocks
into pages; they never see a trace and contain no sentence.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

SCHEMA = "workings/document/1"

Index: TypeAlias = tuple[int, ...]
Value: TypeAlias = float | int | str  # non-finite numbers are the words "inf", "-inf", "nan"


# -- spans: the pieces of a line of text ---------------------------------------------------------


@dataclass(frozen=True)
class Words:
    text: str
    kind: Literal["words"] = "words"


@dataclass(frozen=True)
class Math:
    """A formula within a line, in every form that a target may need."""

    latex: str
    text: str
    ascii: str
    speech: str
    kind: Literal["math"] = "math"


@dataclass(frozen=True)
class Number:
    """A printed number. `step` and `index` say which entry it is (or to whose hand calculation it belongs);
    `role` says whether it is that entry, a line on the way to it, a setting, the rest of a long sum, what a
    mistake would have given there, or a number of the history that `step` names, such as the loss.
    """

    text: str
    value: Value
    step: str
    index: Index
    role: Literal["entry", "line", "setting", "rest", "mistake", "history"] = "entry"
    kind: Literal["number"] = "number"


@dataclass(frozen=True)
class Link:
    """The name of a step, leading to it."""

    text: str
    step: str
    kind: Literal["link"] = "link"


Span: TypeAlias = Words | Math | Number | Link
Spans: TypeAlias = tuple[Span, ...]


def plain_text(spans: Spans) -> str:
    """The spans as one line of Unicode text."""
    return "".join(span.text for span in spans)


# -- blocks -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Heading:
    level: int
    text: str
    kind: Literal["heading"] = "heading"


@dataclass(frozen=True)
class Text:
    spans: Spans
    kind: Literal["text"] = "text"


@dataclass(frozen=True)
class Formula:
    math: Math
    reason: str = ""
    kind: Literal["formula"] = "formula"


@dataclass(frozen=True)
class Matrix:
    """The value of a step, or the corner of it that fits on a page. `rows` holds the matrices one after
    the other, each under its `index` of leading axes (batch, head).
    """

    title: str
    step: str
    axes: tuple[str, ...]
    shape: Index
    slices: tuple[MatrixSlice, ...]
    note: str = ""
    kind: Literal["matrix"] = "matrix"


@dataclass(frozen=True)
class MatrixSlice:
    index: Index
    rows: tuple[tuple[Number, ...], ...]
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    kind: Literal["slice"] = "slice"


@dataclass(frozen=True)
class DerivedLine:
    """left = form = form = ... = value, from the letters to the number."""

    left: Spans
    forms: tuple[Spans, ...]
    value: Number
    kind: Literal["line"] = "line"

    def __str__(self) -> str:
        parts = [plain_text(self.left), *(plain_text(form) for form in self.forms)]
        if parts[-1] != self.value.text:
            parts.append(self.value.text)
        return " = ".join(parts)


@dataclass(frozen=True)
class Derivation:
    """The hand calculation of one entry."""

    step: str
    index: Index
    lines: tuple[DerivedLine, ...]
    note: str = ""
    kind: Literal["derivation"] = "derivation"

    def __str__(self) -> str:
        return "\n".join([str(line) for line in self.lines] + ([self.note] if self.note else []))


@dataclass(frozen=True)
class Figure:
    """A picture as data: `form` says how to draw, `alternative` says it in words, and `note` what a reader must know
    to read it.
    """

    form: str
    title: str
    data: Lines
    alternative: str
    note: str = ""
    kind: Literal["figure"] = "figure"


@dataclass(frozen=True)
class Lines:
    """The form `lines`: one or more lines over two axes."""

    across: Axis
    up: Axis
    lines: tuple[Line, ...]


@dataclass(frozen=True)
class Axis:
    """From where to where it reaches (`low` is below `high`), and the numbers that stand at it."""

    title: str
    low: float
    high: float
    ticks: tuple[Tick, ...]
    scale: Literal["linear", "log"] = "linear"


@dataclass(frozen=True)
class Tick:
    value: float
    text: str


@dataclass(frozen=True)
class Line:
    """`name` is for the reader, `history` is the name of the numbers in the trace."""

    name: str
    history: str
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Point:
    """The numbers `first` to `last` of the history of a line: the mean of where they lie across, the mean of their
    values, and the lowest and the highest of them. Mostly it is one number. Numbers that cannot be drawn, such as
    an infinite one, do not count.
    """

    across: float
    value: float
    low: float
    high: float
    first: int
    last: int


@dataclass(frozen=True)
class LedgerRow:
    step: str
    name: str
    op: str
    axes: tuple[str, ...]
    shape: Index
    note: str = ""
    kind: Literal["row"] = "row"


@dataclass(frozen=True)
class Ledger:
    """The shape ledger: each step with what its axes mean and how long they are."""

    headings: tuple[str, ...]
    rows: tuple[LedgerRow, ...]
    kind: Literal["ledger"] = "ledger"


@dataclass(frozen=True)
class Table:
    headings: tuple[str, ...]
    rows: tuple[tuple[Spans, ...], ...]
    kind: Literal["table"] = "table"


@dataclass(frozen=True)
class Question:
    spans: Spans
    answer: tuple[Block, ...]
    kind: Literal["question"] = "question"


@dataclass(frozen=True)
class AnswerField:
    """A blank to fill in: the entry that belongs there, and to how many digits it is asked."""

    step: str
    index: Index
    label: str
    digits: int
    kind: Literal["answer"] = "answer"


@dataclass(frozen=True)
class Note:
    """A remark beside the text; `tone` says whether it explains, warns or names a mistake."""

    tone: Literal["hint", "warning", "mistake"]
    spans: Spans
    mistake: str = ""  # its id, such as softmax.wrong_axis
    kind: Literal["note"] = "note"


@dataclass(frozen=True)
class Program:
    language: str
    source: str
    kind: Literal["program"] = "program"


Block: TypeAlias = (
    Heading | Text | Formula | Matrix | Derivation | Figure | Ledger | Table | Question | AnswerField | Note | Program
)


@dataclass(frozen=True)
class Document:
    title: str
    blocks: tuple[Block, ...]
    schema: str = SCHEMA


def to_data(item: Any) -> Any:
    """A block or a document as plain data for JSON.

    >>> to_data(Heading(1, "Forward"))
    {'level': 1, 'text': 'Forward', 'kind': 'heading'}
    """
    if dataclasses.is_dataclass(item):
        return {field.name: to_data(getattr(item, field.name)) for field in dataclasses.fields(item)}
    if isinstance(item, list | tuple):
        return [to_data(part) for part in item]
    if isinstance(item, dict):
        return {key: to_data(part) for key, part in item.items()}
    return item
