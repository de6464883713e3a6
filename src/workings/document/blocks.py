"""The document: an explanation as data.

Sixteen kinds of block. A text is a list of spans, and every number in it knows which entry of which step it is, so that
every printed number can be recomputed. Renderers turn blocks into pages; they never see a trace.
"""

from __future__ import annotations

import base64
import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from ..engine.form import shape_text
from .displayed import Displayed
from .figure_data import FigureData
from .spans import Index, Link, Math, Number, Reference, Span, Spans, Value, Words, fill_spans, plain_text

SCHEMA = "workings/document/1"

# -- blocks -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Heading:
    level: int
    text: str
    anchor: str = ""  # the name by which links find it
    kind: Literal["heading"] = "heading"


@dataclass(frozen=True)
class Text:
    spans: Spans
    kind: Literal["text"] = "text"


@dataclass(frozen=True)
class Formula:
    """A formula on lines of its own; in a book it may have a `number`, such as 5.1."""

    math: Math
    reason: str = ""
    number: str = ""
    kind: Literal["formula"] = "formula"


@dataclass(frozen=True)
class Matrix(Displayed):
    """The value of a step, or the corner of it that fits on a page. `rows` holds the matrices one after
    the other, each under its `index` of leading axes (batch, head).
    """

    title: str
    step: str
    axes: tuple[str, ...]
    shape: Index
    slices: tuple[MatrixSlice, ...]
    note: str = ""
    code: str = field(default="", compare=False)  # the Python that follows a trace to get it: ["scores"]
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
class Derivation(Displayed):
    """The hand calculation of one entry."""

    step: str
    index: Index
    lines: tuple[DerivedLine, ...]
    note: str = ""
    code: str = field(default="", compare=False)  # the same: ["scores"].cell(1, 0)
    kind: Literal["derivation"] = "derivation"

    def __str__(self) -> str:
        return "\n".join([str(line) for line in self.lines] + ([self.note] if self.note else []))


@dataclass(frozen=True)
class Figure(Displayed):
    """A picture as data: `form` says how to draw, `alternative` says it in words, `note` what a reader must know to
    read it, and `caption` what to see in it.
    """

    form: str
    title: str
    data: FigureData
    alternative: str
    note: str = ""
    code: str = ""  # how Python gets it: lesson.figure(1)
    caption: Spans = ()
    kind: Literal["figure"] = "figure"


@dataclass(frozen=True)
class Image:
    """A picture of an author's own: `source` holds it as a data URL, `alternative` says what it shows."""

    source: str
    alternative: str
    caption: Spans = ()
    kind: Literal["image"] = "image"

    @property
    def content(self) -> bytes:
        """The file, byte by byte."""
        return base64.b64decode(self.source.partition(",")[2])

    @property
    def ending(self) -> str:
        """That of its file: png, jpeg or svg."""
        return self.source.partition(";")[0].partition("/")[2].partition("+")[0]


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
class Ledger(Displayed):
    """The shape ledger: each step with what its axes mean and how long they are."""

    headings: tuple[str, ...]
    rows: tuple[LedgerRow, ...]
    title: str = ""
    code: str = ""
    kind: Literal["ledger"] = "ledger"


@dataclass(frozen=True)
class Table(Displayed):
    headings: tuple[str, ...]
    rows: tuple[tuple[Spans, ...], ...]
    title: str = ""
    code: str = ""
    kind: Literal["table"] = "table"


@dataclass(frozen=True)
class Items:
    """A list; `counted` says whether its entries have numbers, from 1."""

    entries: tuple[tuple[Block, ...], ...]
    counted: bool = False
    kind: Literal["items"] = "items"


@dataclass(frozen=True)
class Fold:
    """Blocks that a reader may open and close, where the target can. Elsewhere they follow their title, or, if there is
    a `summary`, this line takes their place: what was left out, and where to open it.
    """

    title: str
    blocks: tuple[Block, ...]
    is_open: bool = False
    summary: str = ""
    kind: Literal["fold"] = "fold"


@dataclass(frozen=True)
class Question:
    """A question to think about. The `answer` is hidden at first where the target can hide it; one without an answer is
    answered by what follows.
    """

    spans: Spans
    answer: tuple[Block, ...]
    title: str = ""
    label: str = ""  # the text before the answer
    kind: Literal["question"] = "question"


@dataclass(frozen=True)
class AnswerField:
    """A blank to fill in: its entry, its label in a file of answers, and the number of digits that count. `question`
    says what to answer where that is not the entry itself. One that is `placed` is also a blank in the matrix above.
    """

    step: str
    index: Index
    label: str
    digits: int
    question: str = ""
    choices: tuple[str, ...] = ()
    placed: bool = False
    kind: Literal["answer"] = "answer"


@dataclass(frozen=True)
class Answers:
    """The blanks of one step. A target with room to write in its matrices needs only those outside of them.
    `headings` are those of a table: the label, the question, the answer.
    """

    fields: tuple[AnswerField, ...]
    headings: tuple[str, str, str]
    kind: Literal["answers"] = "answers"

    @property
    def unplaced(self) -> tuple[AnswerField, ...]:
        """Those outside of matrices."""
        return tuple(field for field in self.fields if not field.placed)


@dataclass(frozen=True)
class Note:
    """A remark next to the text; `tone` says whether it explains, warns or names a mistake."""

    tone: Literal["hint", "warning", "mistake"]
    spans: Spans
    mistake: str = ""  # its id, such as softmax.wrong_axis
    kind: Literal["note"] = "note"


@dataclass(frozen=True)
class Equal:
    """A variable of a program that is a step: which one, its name in a trace, and its formula."""

    variable: str
    step: str
    name: str
    formula: Formula | None = None
    kind: Literal["equal"] = "equal"


@dataclass(frozen=True)
class Program:
    language: str
    source: str
    title: str = ""
    equals: tuple[Equal, ...] = ()
    kind: Literal["program"] = "program"


@dataclass(frozen=True)
class Terms:
    """The index of a book: its words, in the order of the alphabet."""

    entries: tuple[Term, ...]
    kind: Literal["terms"] = "terms"


@dataclass(frozen=True)
class Term:
    """A word, and the places where it is explained. Targets without page numbers show the texts of the places."""

    name: str
    places: tuple[Reference, ...]
    kind: Literal["term"] = "term"


Block: TypeAlias = (
    Heading
    | Text
    | Formula
    | Matrix
    | Derivation
    | Figure
    | Image
    | Ledger
    | Table
    | Items
    | Fold
    | Question
    | Answers
    | Note
    | Program
    | Terms
)


@dataclass(frozen=True)
class Document(Displayed):
    """A `book` has a title page, contents, and parts and chapters as the two highest levels of headings. In a notebook
    of `blanks` the learner writes some of the code. A `part` goes into another text. A worksheet has the code of its
    `sheet`, under which a target with fields keeps the answers.
    """

    title: str
    blocks: tuple[Block, ...]
    subtitle: str = ""
    form: Literal["page", "book", "blanks", "part"] = "page"
    author: str = ""  # of a book, and below it who may copy it
    rights: str = ""
    code: str = ""  # the Python that the code of its blocks builds on
    sheet: str = ""
    schema: str = SCHEMA

    def _shown(self) -> Document:
        return self


def all_blocks(blocks: tuple[Block, ...], on_paper: bool = False) -> Iterator[Block]:
    """The blocks, and those inside them; of a fold that is one line on paper, only the fold.

    >>> [block.kind for block in all_blocks((Fold("More", (Text(()),)),))]
    ['fold', 'text']
    """
    for block in blocks:
        yield block
        if isinstance(block, Question):
            yield from all_blocks(block.answer, on_paper)
        elif isinstance(block, Fold) and not (on_paper and block.summary):
            yield from all_blocks(block.blocks, on_paper)
        elif isinstance(block, Items):
            for entry in block.entries:
                yield from all_blocks(entry, on_paper)


def to_data(item: Any) -> Any:
    """A block or a document as plain data for JSON.

    >>> to_data(Heading(1, "Forward"))
    {'level': 1, 'text': 'Forward', 'anchor': '', 'kind': 'heading'}
    """
    if dataclasses.is_dataclass(item):
        return {field.name: to_data(getattr(item, field.name)) for field in dataclasses.fields(item)}
    if isinstance(item, list | tuple):
        return [to_data(part) for part in item]
    if isinstance(item, dict):
        return {key: to_data(part) for key, part in item.items()}
    return item


__all__ = [
    "SCHEMA", "AnswerField", "Answers", "Block", "Derivation", "DerivedLine", "Document", "Equal", "Figure",
    "FigureData", "Fold", "Formula", "Heading", "Image", "Index", "Items", "Ledger", "LedgerRow", "Link", "Math",
    "Matrix", "MatrixSlice", "Note", "Number", "Program", "Question", "Reference", "Span", "Spans", "Table", "Term",
    "Terms", "Text", "Value", "Words",
    "all_blocks", "fill_spans", "plain_text", "shape_text", "to_data",
]  # fmt: skip
