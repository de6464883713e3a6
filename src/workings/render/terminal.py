"""Documents in a terminal: 80 columns or wider, colour only where it means something, ASCII where it must be.

Colour: names of steps are cyan, results of a line are bold, mistakes are yellow. Piped output has none.
"""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Callable, Iterator
from typing import IO, Any

from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.padding import Padding
from rich.table import Table as RichTable
from rich.text import Text as RichText

from ..explain import document as d
from ..explain.formula_text import in_ascii
from ..explain.numbers import aligned

ASCII = {
    "×": "*", "·": ".", "−": "-", "√": "sqrt", "Σ": "sum", "ᵀ": "^T", "≤": "<=", "≥": ">=", "≠": "!=", "≈": "~",
    "→": "->", "…": "...", "—": "-", "–": "-", "’": "'", "“": '"', "”": '"', "²": "^2", "│": "|",
}  # fmt: skip
FORMULA_SIGNS = "√ᵀΣᵢ−×═┄"  # a terminal that lacks one of them gets ASCII
UNDER = {1: "═", 2: "─", 3: "┄"}
ASCII_UNDER = {1: "=", 2: "-", 3: "."}
LAST_COLUMN = 28  # below this width the text in the last column of a table goes under the others


def show(document: d.Document, file: IO[str] | None = None, width: int | None = None) -> None:
    """Print a document."""
    file = file or sys.stdout
    console = make_console(file, width)
    encoding = _encoding(file)
    page = _Page("" if _has(encoding, FORMULA_SIGNS) else encoding, console.width)
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


def _encoding(file: IO[str]) -> str:
    return getattr(file, "encoding", None) or "ascii"


def _has(encoding: str, signs: str) -> bool:
    try:
        signs.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


class _Page:
    """One method per kind of block; a kind without one is a KeyError in the tests, not an empty line.

    `encoding` is that of a terminal without the signs of formulas, which become ASCII there; else it is empty.
    """

    def __init__(self, encoding: str, width: int) -> None:
        self.encoding = encoding
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
        if not self.encoding:
            return text
        for sign, instead in ASCII.items():
            text = text.replace(sign, instead)
        return "".join(sign if _has(self.encoding, sign) else in_ascii(sign) for sign in text)

    def math(self, math: d.Math) -> str:
        return self.plain(math.ascii) if self.encoding else math.text

    def spans(self, spans: d.Spans) -> RichText:
        text = RichText()
        for span in spans:
            if isinstance(span, d.Math):
                text.append(self.math(span), style="italic")
            else:
                text.append(self.plain(span.text), style="cyan" if isinstance(span, d.Link) else "")
        return text

    def shape(self, axes: tuple[str, ...], shape: d.Index) -> str:
        sizes = (f"{word} {size}".strip() for word, size in zip(axes, shape, strict=True))
        return self.plain(" × ".join(sizes))

    # -- one kind after the other -----------------------------------------------------------------

    def heading(self, block: d.Heading) -> RichText:
        text = self.plain(block.text)
        under = (ASCII_UNDER if self.encoding else UNDER).get(block.level, "")
        line = f"\n{under * min(cell_len(text), self.width)}" if under else ""
        return RichText(text, style="bold").append(line, style="not bold dim")

    def text(self, block: d.Text) -> RichText:
        return self.spans(block.spans)

    def formula(self, block: d.Formula) -> RenderableType:
        first, *more = _wrapped(self.math(block.math), self.width - 6)
        text = "\n".join([f"    {first}", *(f"      {line}" for line in more)])
        parts: list[RenderableType] = [RichText(text, style="italic")]
        if block.reason:
            parts.append(Padding(RichText(self.plain(block.reason), style="dim"), (0, 0, 0, 8)))
        return Group(*parts)

    def matrix(self, block: d.Matrix) -> RenderableType:
        title = RichText(f"{self.plain(block.title)}  " if block.title else "  ", style="cyan")
        title.append(self.shape(block.axes, block.shape), style="dim")
        parts: list[RenderableType] = [title] if title.plain.strip() else []
        for part in block.slices:
            if part.index:
                parts.append(RichText(f"  {self._place(block.axes, part.index)}", style="dim"))
            parts += [RichText(row, no_wrap=True) for row in self._rows(block, part)]
        if block.note:
            parts.append(Padding(RichText(self.plain(block.note), style="dim"), (0, 0, 0, 2)))
        return Group(*parts)

    def _place(self, axes: tuple[str, ...], index: d.Index) -> str:
        """Which of several matrices: batch[0] head[1], or [0,1,:,:] where the axes have no words."""
        if all(axes[: len(index)]):
            return self.plain(" ".join(f"{word}[{place}]" for word, place in zip(axes, index, strict=False)))
        return f"[{','.join(str(place) for place in index)},:,:]"

    def _rows(self, block: d.Matrix, part: d.MatrixSlice) -> Iterator[str]:
        columns = [aligned([row[n].text for row in part.rows]) for n in range(len(part.rows[0]))]
        heads = [self.plain(label) for label in part.column_labels]
        if heads:
            wide = [max(len(head), len(column[0])) for head, column in zip(heads, columns, strict=True)]
            columns = [[text.rjust(w) for text in column] for w, column in zip(wide, columns, strict=True)]
        labels = [f"{self.plain(label)} " for label in part.row_labels] or [""] * len(part.rows)
        margin = max(cell_len(label) for label in labels)
        for first, last in _chunks([len(column[0]) for column in columns], self.width - margin - 6):
            if (first, last) != (0, len(columns)):
                places = f"{first}..{last - 1}"
                yield f"  {self.plain(block.axes[-1])} {places}" if block.axes[-1] else f"  [:,{places}]"
            if heads:
                shown = "  ".join(head.rjust(len(columns[n + first][0])) for n, head in enumerate(heads[first:last]))
                yield f"  {'':{margin}}  {shown}"
            for n, label in enumerate(labels):
                numbers = "  ".join(column[n] for column in columns[first:last])
                yield f"  {label:{margin}}[ {numbers} ]" if block.shape else f"  {numbers}"

    def derivation(self, block: d.Derivation) -> RenderableType:
        parts: list[RenderableType] = [self._line(line) for line in block.lines]
        if block.note:
            parts.append(Padding(RichText(f"({self.plain(block.note)})", style="dim"), (0, 0, 0, 2)))
        return Group(*parts)

    def _line(self, line: d.DerivedLine) -> RichText:
        """left = form = form = value; a line that is too long goes on below, under its equals sign."""
        left = f"  {self.spans(line.left).plain}"
        forms = [self.spans(form).plain for form in line.forms]
        if forms and forms[-1] == line.value.text:
            forms.pop()
        whole = RichText("".join(f"{form} = " for form in [left, *forms])).append(line.value.text, style="bold")
        if cell_len(whole.plain) <= self.width:
            return whole
        margin = cell_len(left) if cell_len(left) <= min(24, self.width // 2 - 4) else 4
        rows = [] if margin == cell_len(left) else [left]
        for n, form in enumerate(forms):
            first, *more = _wrapped(form, self.width - margin - 3)
            rows.append(f"{left if n == 0 and not rows else ' ' * margin} = {first}")
            rows += [f"{' ' * margin}   {text}" for text in more]
        return RichText("\n".join([*rows, f"{' ' * margin} = "])).append(line.value.text, style="bold")

    def figure(self, block: d.Figure) -> RichText:
        return RichText(self.plain(f"{block.title}: {block.alternative}"))

    def ledger(self, block: d.Ledger) -> RenderableType:
        rows = []
        for row in block.rows:
            shape = RichText(self.shape(row.axes, row.shape) or "1")
            if row.note:
                shape.append(f"\n{self.plain(row.note)}", style="dim")
            rows.append([RichText(self.plain(row.name)), RichText(self.plain(row.op)), shape])
        return self._grid(block.headings, rows)

    def table(self, block: d.Table) -> RenderableType:
        return self._grid(block.headings, [[self.spans(cell) for cell in row] for row in block.rows])

    def _grid(self, headings: tuple[str, ...], rows: list[list[RichText]]) -> RenderableType:
        """Columns beside each other; on a narrow screen the last one goes under the others."""
        head = [RichText(self.plain(heading), style="dim") for heading in headings]
        widths = [
            max(cell_len(line) for row in [head, *rows] for line in row[n].plain.split("\n")) for n in range(len(head))
        ]
        room = self.width - sum(widths[:-1]) - 4 * len(widths)
        if room < min(widths[-1], LAST_COLUMN):
            stacked: list[RenderableType] = []
            for row in [head, *rows]:
                stacked.append(Padding(RichText("  ").join(row[:-1]), (0, 0, 0, 2)))
                stacked.append(Padding(row[-1], (0, 0, 0, 6)))
            return Group(*stacked)
        table = RichTable(box=None, padding=(0, 2, 0, 2), show_edge=False, show_header=False)
        for _ in head:
            table.add_column(overflow="fold")
        for row in [head, *rows]:
            table.add_row(*row)
        return table

    def question(self, block: d.Question) -> RenderableType:
        inner = _Page(self.encoding, self.width - 2)
        return Group(self.spans(block.spans), *(Padding(inner.block(part), (0, 0, 0, 2)) for part in block.answer))

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
        return Padding(RichText(self.plain(block.source)), (0, 0, 0, 4))


def _wrapped(text: str, room: int) -> list[str]:
    """The text in lines that fit, broken before a sign or after a comma where possible."""
    lines = [""]
    for piece in _pieces(text):
        if cell_len((lines[-1] + piece).rstrip()) > room >= cell_len(piece.strip()):
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return [part for line in lines for part in textwrap.wrap(line, room, break_on_hyphens=False)] or [""]


def _pieces(text: str) -> Iterator[str]:
    """The text cut wherever a line may end: before a sign that stands in no bracket, and after a comma."""
    start, depth = 0, 0
    for n, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        outside = depth == 0 and text[n : n + 3] in (" = ", " + ", " − ", " - ")
        if outside or text[n - 2 : n] == ", ":
            yield text[start:n]
            start = n
    yield text[start:]


def _chunks(widths: list[int], room: int) -> Iterator[tuple[int, int]]:
    """Which columns fit beside each other."""
    first, used = 0, 0
    for n, width in enumerate(widths):
        if n > first and used + width > room:
            yield first, n
            first, used = n, 0
        used += width + 2
    yield first, len(widths)
