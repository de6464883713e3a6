"""Documents in a terminal: 80 columns or wider, colour only where it means something, ASCII where it must be.

Colour: names of steps are cyan, results of a line are bold, mistakes are yellow. Piped output has none.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from typing import IO, Any

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text as RichText

from ..explain import document as d
from ..explain.numbers import aligned

ASCII = {
    "×": "*", "·": ".", "−": "-", "√": "sqrt", "Σ": "sum ", "ᵀ": "^T", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~",
    "→": "->", "…": "...", "—": "-", "–": "-", "’": "'", "“": '"', "”": '"', "²": "^2", "│": "|",
}  # fmt: skip


def show(document: d.Document, file: IO[str] | None = None, width: int | None = None) -> None:
    """Print a document."""
    file = file or sys.stdout
    console = make_console(file, width)
    page = _Page(ascii_only=not _can_print(file), width=console.width)
    with console.capture() as capture:
        console.print(page.heading(d.Heading(1, document.title)))
        for block in document.blocks:
            console.print()
            console.print(page.block(block))
    # Rich fills lines up with spaces; nobody wants those in a file.
    file.writelines(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def make_console(file: IO[str], width: int | None = None) -> Console:
    """A console for a stream: as wide as the terminal, 80 columns when piped."""
    columns = width or (shutil.get_terminal_size((80, 24)).columns if file.isatty() else 80)
    return Console(file=file, width=min(columns, 120), highlight=False, soft_wrap=False, emoji=False, markup=False)


def _can_print(file: IO[str]) -> bool:
    """Whether the stream's encoding has the signs that formulas need."""
    try:
        "√ᵀΣᵢ−×".encode(getattr(file, "encoding", None) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True


class _Page:
    """One method per kind of block; a kind without one is a KeyError in the tests, not an empty line."""

    def __init__(self, ascii_only: bool, width: int) -> None:
        self.ascii_only = ascii_only
        self.width = width
        self.kinds: dict[str, Callable[[Any], RenderableType]] = {
            "heading": self.heading,
            "text": self.text,
            "formula": self.formula,
            "matrix": self.matrix,
            "derivation": self.derivation,
            "figure": self.figure,
            "ledger": self.ledger,
            "table": self.table,
            "question": self.question,
            "answer": self.answer,
            "note": self.note,
            "program": self.program,
        }

    def block(self, block: d.Block) -> RenderableType:
        return self.kinds[block.kind](block)

    def plain(self, text: str) -> str:
        """The text in signs that this terminal has."""
        if not self.ascii_only:
            return text
        for sign, instead in ASCII.items():
            text = text.replace(sign, instead)
        return text.encode("ascii", "replace").decode("ascii")

    def spans(self, spans: d.Spans) -> RichText:
        text = RichText()
        for span in spans:
            if isinstance(span, d.Math):
                text.append(span.ascii if self.ascii_only else span.text, style="italic")
            else:
                text.append(self.plain(span.text), style="cyan" if isinstance(span, d.Link) else "")
        return text

    # -- one kind after the other -----------------------------------------------------------------

    def heading(self, block: d.Heading) -> RichText:
        text = self.plain(block.text)
        under = {1: "═", 2: "─"}.get(block.level, "") if not self.ascii_only else {1: "=", 2: "-"}.get(block.level, "")
        return RichText(text, style="bold").append(f"\n{under * cell_len(text)}" if under else "", style="not bold dim")

    def text(self, block: d.Text) -> RichText:
        return self.spans(block.spans)

    def formula(self, block: d.Formula) -> RenderableType:
        line = RichText(block.math.ascii if self.ascii_only else block.math.text, style="italic")
        parts: list[RenderableType] = [Padding(line, (0, 0, 0, 4))]
        if block.reason:
            parts.append(Padding(RichText(self.plain(block.reason), style="dim"), (0, 0, 0, 8)))
        return Group(*parts)

    def matrix(self, block: d.Matrix) -> RenderableType:
        sizes = (f"{word} {size}".strip() for word, size in zip(block.axes, block.shape, strict=True))
        title = RichText(f"{block.title}  " if block.title else "  ", style="cyan")
        title.append(self.plain(" × ".join(sizes)), style="dim")
        parts: list[RenderableType] = [title] if title.plain.strip() else []
        for part in block.slices:
            if part.index:
                lead = zip(block.axes, part.index, strict=False)
                parts.append(RichText("  " + " ".join(f"{word}[{place}]" for word, place in lead), style="dim"))
            parts += [RichText(row, no_wrap=True) for row in self._rows(block, part)]
        if block.note:
            parts.append(RichText(f"  {self.plain(block.note)}", style="dim"))
        return Group(*parts)

    def _rows(self, block: d.Matrix, part: d.MatrixSlice) -> Iterator[str]:
        columns = [aligned([row[n].text for row in part.rows]) for n in range(len(part.rows[0]))]
        heads = [self.plain(label) for label in part.column_labels]
        if heads:
            wide = [max(len(head), len(column[0])) for head, column in zip(heads, columns, strict=True)]
            columns = [[text.rjust(w) for text in column] for w, column in zip(wide, columns, strict=True)]
        labels = [self.plain(label) for label in part.row_labels] or [""] * len(part.rows)
        margin = max(cell_len(label) for label in labels)
        for first, last in _chunks([len(column[0]) for column in columns], self.width - margin - 6):
            if heads:
                shown = "  ".join(head.rjust(len(columns[n + first][0])) for n, head in enumerate(heads[first:last]))
                yield f"  {'':{margin}}  {shown}"
            if (first, last) != (0, len(columns)):
                yield f"  {block.axes[-1] or 'column'} {first}..{last - 1}"
            for n, label in enumerate(labels):
                numbers = "  ".join(column[n] for column in columns[first:last])
                yield f"  {label:{margin}}[ {numbers} ]" if block.shape else f"  {numbers}"

    def derivation(self, block: d.Derivation) -> RenderableType:
        parts: list[RenderableType] = [self._line(line) for line in block.lines]
        if block.note:
            parts.append(RichText(f"  ({self.plain(block.note)})", style="dim"))
        return Group(*parts)

    def _line(self, line: d.DerivedLine) -> RenderableType:
        """left = form = form = value; a line that is too long goes on below, under its equals sign."""
        left = RichText("  ") + self.spans(line.left)
        pieces = [self.spans(form) for form in line.forms]
        if not pieces or pieces[-1].plain != line.value.text:
            pieces.append(RichText(line.value.text, style="bold"))
        whole = left.copy()
        for piece in pieces:
            whole.append(" = ").append(piece)
        if cell_len(whole.plain) <= self.width:
            return whole
        margin = min(cell_len(left.plain), 24)
        rows: list[RenderableType] = [] if margin == cell_len(left.plain) else [left]
        for n, piece in enumerate(pieces):
            head = left if n == 0 and not rows else RichText(" " * margin)
            grid = RichTable.grid(padding=0)
            grid.add_column(no_wrap=True, width=margin + 3)
            grid.add_column(overflow="fold")
            grid.add_row(head.copy().append(" = "), piece)
            rows.append(grid)
        return Group(*rows)

    def figure(self, block: d.Figure) -> RichText:
        return RichText(self.plain(f"{block.title}: {block.alternative}"))

    def ledger(self, block: d.Ledger) -> RichTable:
        rows = [(row.name, row.op, self._shape(row), self.plain(row.note)) for row in block.rows]
        return self._grid([*block.headings, ""], [[RichText(cell) for cell in row] for row in rows])

    def _shape(self, row: d.LedgerRow) -> str:
        sizes = (f"{word} {size}".strip() for word, size in zip(row.axes, row.shape, strict=True))
        return self.plain(" × ".join(sizes)) or "1"

    def table(self, block: d.Table) -> RichTable:
        return self._grid(list(block.headings), [[self.spans(cell) for cell in row] for row in block.rows])

    def _grid(self, headings: list[str], rows: list[list[RichText]]) -> RichTable:
        table = RichTable(box=None, padding=(0, 2, 0, 2), show_edge=False, header_style="dim")
        for heading in headings:
            table.add_column(self.plain(heading), overflow="fold")
        for row in rows:
            table.add_row(*row)
        return table

    def question(self, block: d.Question) -> RenderableType:
        return Group(self.spans(block.spans), *(Padding(self.block(part), (0, 0, 0, 2)) for part in block.answer))

    def answer(self, block: d.AnswerField) -> RichText:
        return RichText(f"  {self.plain(block.label)} = ____________")

    def note(self, block: d.Note) -> RenderableType:
        style = {"mistake": "yellow", "warning": "yellow", "hint": "dim"}[block.tone]
        grid = RichTable.grid(padding=0)
        grid.add_column(width=4)
        grid.add_column()
        text = self.spans(block.spans)
        text.stylize(style)
        grid.add_row("  - ", text)
        return grid

    def program(self, block: d.Program) -> RenderableType:
        return Padding(RichText(block.source), (0, 0, 0, 4))


def _chunks(widths: list[int], room: int) -> Iterator[tuple[int, int]]:
    """Which columns fit beside each other."""
    first, used = 0, 0
    for n, width in enumerate(widths):
        if n > first and used + width > room:
            yield first, n
            first, used = n, 0
        used += width + 2
    yield first, len(widths)
