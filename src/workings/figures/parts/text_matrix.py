"""Small matrices in monospaced text: numbers below each other, with brackets around those that are highlighted."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len

from ...document.blocks import Number
from ...document.monospace import Plain
from ...document.numbers import aligned
from .text_labels import fit

MAX_LABEL = 12  # columns
GAP = 1  # between numbers


@dataclass(frozen=True)
class TextMatrix:
    """The cells of a matrix as texts, with the labels of its rows and columns; there may be none."""

    cells: tuple[tuple[str, ...], ...]
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()

    @property
    def margin(self) -> int:
        """How wide the labels of its rows are, with the space after them."""
        return max((cell_len(label) + 1 for label in self.row_labels if label), default=0)

    def widths(self) -> list[int]:
        columns = zip(*self.cells, strict=True)
        labels = self.column_labels or ("",) * len(self.cells[0])
        return [max(cell_len(label) + 1, *map(cell_len, column)) for label, column in zip(labels, columns, strict=True)]

    def lines(self, widths: Sequence[int] = ()) -> list[str]:
        """All columns, which may be wider than they must."""
        return list(self._part(0, len(self.cells[0]), widths or self.widths()))

    def lines_within(self, width: int) -> list[str]:
        """In parts, one below the other, if it takes several."""
        widths, first, lines = self.widths(), 0, list[str]()
        while first < len(widths):
            end = first + 1
            while end < len(widths) and self.margin + sum(widths[first : end + 1]) + GAP * (end - first) <= width:
                end += 1
            lines += self._part(first, end, widths)
            first = end
        return [fit(line, width) if cell_len(line) > width else line for line in lines]

    def _part(self, first: int, end: int, widths: Sequence[int]) -> Iterator[str]:
        heads = [f"{label} " for label in self.column_labels]
        if self.column_labels:
            yield self._line("", heads[first:end], widths[first:end])
        for place, row in enumerate(self.cells):
            label = self.row_labels[place] if self.row_labels else ""
            yield self._line(label, row[first:end], widths[first:end])

    def _line(self, label: str, cells: Sequence[str], widths: Sequence[int]) -> str:
        filled = (" " * (width - cell_len(cell)) + cell for cell, width in zip(cells, widths, strict=True))
        return (label + " " * (self.margin - cell_len(label)) + (" " * GAP).join(filled)).rstrip()


def text_matrix(
    rows: Sequence[Sequence[Number]],
    row_labels: Sequence[str] = (),
    column_labels: Sequence[str] = (),
    lit: Collection[tuple[int, int]] = (),
    plain: Plain = str,
    fine: bool = True,
) -> TextMatrix:
    r"""
    >>> row = [Number(text, 1, "1", ()) for text in ("1", "0.25")]
    >>> print("\n".join(text_matrix([row], ["cat"], ["0", "1"], {(0, 1)}).lines()))
         0      1
    cat  1  [0.25]
    """
    columns = [aligned([plain(one.text) for one in column]) for column in zip(*rows, strict=True)]
    cells = tuple(
        tuple(f"[{cell}]" if (row, column) in lit else f" {cell} " for column, cell in enumerate(cells))
        for row, cells in enumerate(zip(*columns, strict=True))
    )
    labels = (tuple(fit(plain(label), MAX_LABEL, fine) for label in some) for some in (row_labels, column_labels))
    return TextMatrix(cells, *labels)
