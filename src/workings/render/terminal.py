"""Documents in a terminal: 80 columns or wider, color only where it means something, ASCII where it must be.

Color: names of steps are cyan, results of a line are bold, mistakes are yellow. Piped output has none.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterable, Iterator
from typing import IO

from rich.align import Align
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text as RichText

from ..document import blocks as d
from ..document.monospace import (
    BLANK,
    answer_prompt,
    derived_rows,
    has_signs,
    in_signs_of,
    matrix_rows,
    place_text,
    shape_text,
    wrapped,
)
from ..figures import figure_rows, remarks
from .by_kind import ByKind

UNDER = {1: "═", 2: "─", 3: "┄"}
ASCII_UNDER = {1: "=", 2: "-", 3: "."}
MIN_LAST_COLUMN = 28  # a narrower last column of a table goes under the others
MIN_LIST_WIDTH = 24  # columns of text inside a list


def show(document: d.Document, file: IO[str] | None = None, width: int | None = None) -> None:
    """Print a document."""
    file = file or sys.stdout
    console = make_console(file, width)
    encoding = _encoding(file)
    page = TerminalPage("" if has_signs(encoding) else encoding, console.width)
    with console.capture() as capture:
        if document.title:
            console.print(page.heading(d.Heading(1, document.title)))
        if document.subtitle:
            console.print(RichText(f"\n{page.plain(document.subtitle)}", style="italic"))
        for block in document.blocks:
            if isinstance(block, d.Answers) and not block.unplaced:
                continue
            console.print()
            console.print(page.block(block), crop=False)
    # Rich pads lines with spaces, which do not belong in a file.
    file.writelines(f"{line.rstrip()}\n" for line in capture.get().splitlines())


def make_console(file: IO[str], width: int | None = None) -> Console:
    """A console for a stream: as wide as the terminal, 80 columns when piped."""
    columns = width or (shutil.get_terminal_size((80, 24)).columns if file.isatty() else 80)
    # In a notebook Rich would also display what it prints, instead of only writing it to the file.
    return Console(
        file=file,
        width=min(columns, 120),
        highlight=False,
        soft_wrap=False,
        emoji=False,
        markup=False,
        force_jupyter=False,
    )


def _encoding(file: IO[str]) -> str:
    return getattr(file, "encoding", None) or "ascii"


class TerminalPage(ByKind):
    """The page of one document, block by block.

    `encoding` is that of a terminal without the signs of formulas, which become ASCII there; else it is empty.
    """

    def __init__(self, encoding: str, width: int) -> None:
        self.encoding = encoding
        self.width = width

    def plain(self, text: str) -> str:
        """The text in signs that this terminal has."""
        return in_signs_of(self.encoding, text) if self.encoding else text

    def math(self, math: d.Math) -> str:
        return self.plain(math.ascii) if self.encoding else math.text

    def spans(self, spans: d.Spans) -> RichText:
        text = RichText()
        for span in spans:
            if isinstance(span, d.Math):
                text.append(self.math(span), style="italic")
            else:
                text.append(self.plain(span.text), style=_look(span))
                if isinstance(span, d.Reference) and span.address not in ("", span.text):
                    text.append(self.plain(f" ({span.address})"), style="dim")
        return text

    def shape(self, axes: tuple[str, ...], shape: d.Index) -> str:
        return self.plain(shape_text(axes, shape))

    # -- one kind after the other -----------------------------------------------------------------

    def heading(self, block: d.Heading) -> RichText:
        text = self.plain(block.text)
        under = (ASCII_UNDER if self.encoding else UNDER).get(block.level, "")
        line = f"\n{under * min(cell_len(text), self.width)}" if under else ""
        return RichText(text, style="bold").append(line, style="not bold dim")

    def text(self, block: d.Text) -> RichText:
        return self.spans(block.spans)

    def formula(self, block: d.Formula) -> RenderableType:
        first, *more = wrapped(self.math(block.math), self.width - 6)
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
                parts.append(RichText(f"  {self.plain(place_text(block.axes, part.index))}", style="dim"))
            rows = matrix_rows(block, part, self.width - 2, self.plain)
            parts += [RichText(f"  {row}", no_wrap=True) for row in rows]
        if block.note:
            parts.append(Padding(RichText(self.plain(block.note), style="dim"), (0, 0, 0, 2)))
        return Group(*parts)

    def derivation(self, block: d.Derivation) -> RenderableType:
        parts: list[RenderableType] = [self._line(line) for line in block.lines]
        if block.note:
            parts.append(Padding(RichText(f"({self.plain(block.note)})", style="dim"), (0, 0, 0, 2)))
        return Group(*parts)

    def _line(self, line: d.DerivedLine) -> RichText:
        rows = derived_rows(line, self.width - 2, lambda spans: self.spans(spans).plain)
        text = RichText("\n".join(f"  {row}" for row in rows))
        text.stylize("bold", len(text) - len(self.plain(line.value.text)))
        return text

    def figure(self, block: d.Figure) -> RenderableType:
        rows = figure_rows(block, self.width - 2, not self.encoding, self.plain)
        parts = [RichText(self.plain(block.title))] if block.title else []
        parts += [RichText(f"  {row}", no_wrap=True) for row in rows]
        said = [RichText(self.plain(text), style="dim") for text in remarks(block)]
        said += [self.spans(block.caption)] if block.caption else []
        return Group(*parts, *(Padding(text, (0, 0, 0, 2)) for text in said))

    def image(self, block: d.Image) -> RenderableType:
        shown = RichText(self.plain(f"[picture: {block.alternative}]"), style="dim")
        return Group(shown, self.spans(block.caption)) if block.caption else shown

    def ledger(self, block: d.Ledger) -> RenderableType:
        rows = []
        for row in block.rows:
            shape = RichText(self.shape(row.axes, row.shape) or "1")
            if row.note:
                shape.append(f"\n{self.plain(row.note)}", style="dim")
            rows.append([RichText(self.plain(row.name)), RichText(self.plain(row.op)), shape])
        grid = self._grid(block.headings, rows)
        return Group(RichText(self.plain(block.title)), grid) if block.title else grid

    def table(self, block: d.Table) -> RenderableType:
        columns = zip(*block.rows, strict=True)
        numeric = [all(isinstance(span, d.Number) for cell in column for span in cell) for column in columns]
        grid = self._grid(block.headings, [[self.spans(cell) for cell in row] for row in block.rows], numeric)
        return Group(RichText(self.plain(block.title)), grid) if block.title else grid

    def _grid(
        self, headings: tuple[str, ...], rows: list[list[RichText]], numeric: list[bool] | None = None
    ) -> RenderableType:
        """Columns side by side, numbers aligned right; on a narrow screen the last one goes under the others."""
        head = [RichText(self.plain(heading), style="dim") for heading in headings]
        widths = [
            max(cell_len(line) for row in [head, *rows] for line in row[n].plain.split("\n")) for n in range(len(head))
        ]
        room = self.width - sum(widths[:-1]) - 4 * len(widths)
        longest = max((cell_len(word) for row in rows for word in row[-1].plain.split()), default=0)
        if room < min(widths[-1], max(MIN_LAST_COLUMN, longest)):
            stacked: list[RenderableType] = []
            for row in [head, *rows]:
                stacked.append(Padding(RichText("  ").join(row[:-1]), (0, 0, 0, 2)))
                stacked.append(Padding(row[-1], (0, 0, 0, 6)))
            return Group(*stacked)
        table = RichTable(box=None, padding=(0, 2, 0, 2), show_edge=False, show_header=False)
        for _ in head:
            table.add_column(overflow="fold")
        for row in [head, *rows]:
            right = numeric or [False] * len(row)
            table.add_row(*(Align.right(cell) if to else cell for cell, to in zip(row, right, strict=True)))
        return table

    def items(self, block: d.Items) -> RenderableType:
        marks = [f"{n}. " if block.counted else "- " for n in range(1, len(block.entries) + 1)]
        wide = 2 + max(map(len, marks), default=0)
        entries = zip(marks, block.entries, strict=True)
        return Group(*(part for mark, entry in entries for part in self._entry(mark.rjust(wide), entry)))

    def _entry(self, mark: str, entry: tuple[d.Block, ...]) -> Iterator[RenderableType]:
        inner = TerminalPage(self.encoding, self.width - len(mark))
        if inner.width >= MIN_LIST_WIDTH:
            yield _Marked(mark, Group(*_apart(inner.block(part) for part in entry)))
            return
        # There is no room to go further in: a list within this one goes on below, as far in as this one.
        for part in entry:
            yield self.block(part) if isinstance(part, d.Items) else _Marked(mark, inner.block(part))
            mark = " " * len(mark)

    def fold(self, block: d.Fold) -> RenderableType:
        if block.summary:
            return RichText(self.plain(block.summary), style="dim")
        title = RichText(self.plain(block.title), style="bold")
        return Group(*_apart([title, *(self.block(part) for part in block.blocks)]))

    def question(self, block: d.Question) -> RenderableType:
        inner = TerminalPage(self.encoding, self.width - 2)
        title = [RichText(self.plain(block.title), style="bold")] if block.title else []
        label = [RichText(self.plain(block.label), style="dim")] if block.label else []
        answer = (_Marked("  ", inner.block(part)) for part in block.answer)
        return Group(*title, *_apart([self.spans(block.spans), *label, *answer]))

    def answers(self, block: d.Answers) -> RenderableType:
        lines = (f"  {self.plain(answer_prompt(field))} {BLANK}" for field in block.unplaced)
        return RichText("\n").join(map(RichText, lines))

    def note(self, block: d.Note) -> RenderableType:
        style = {"mistake": "yellow", "warning": "yellow", "hint": "dim"}[block.tone]
        text = self.spans(block.spans)
        text.stylize(style)
        return _Marked("  - ", text)

    def program(self, block: d.Program) -> RenderableType:
        rows = self.plain(block.source).rstrip("\n").expandtabs(4)
        source = _Marked("    ", RichText(rows, no_wrap=True, overflow="ignore"))
        return Group(*_apart([RichText(self.plain(block.title), style="bold"), source])) if block.title else source

    def terms(self, block: d.Terms) -> RenderableType:
        return Group(
            *(
                RichText(self.plain(f"{term.name}: {', '.join(place.text for place in term.places)}"))
                for term in block.entries
            )
        )


class _Marked:
    """A mark, or room for one, and the content indented next to it. Unlike a grid, it does not measure what is in
    it, which would take twice as long with each level; unlike padding, it cuts off no long line of a program.
    """

    def __init__(self, mark: str, content: RenderableType) -> None:
        self.mark = mark
        self.content = content

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        mark = self.mark
        room = max(options.max_width - len(mark), 1)
        lines = list(Segment.split_lines(console.render(self.content, options.update(width=room))))
        for line in lines or [[]]:
            yield from (Segment(mark), *line, Segment.line())
            mark = " " * len(mark)


def _look(span: d.Span) -> str:
    if isinstance(span, d.Words):
        return {"plain": "", "strong": "bold", "emphasis": "italic", "code": "cyan"}[span.look]
    return "cyan" if isinstance(span, d.Link | d.Reference) else ""


def _apart(parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
    """The parts with an empty line between them."""
    for number, part in enumerate(parts):
        if number:
            yield RichText()
        yield part
