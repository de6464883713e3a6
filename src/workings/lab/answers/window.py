"""Parts of a step, as numbers or as strengths of color. The front end has these types too, from schema/lab.json."""

from __future__ import annotations

from dataclasses import dataclass

from ...document.blocks import Index, Number


@dataclass(frozen=True)
class Window:
    """A part of the value of a step: rows and columns from `row` and `column` on, of the matrix at `lead` of its
    leading axes. `levels` are how strong each entry is, from -100 to 100, of the largest in the step; `before` are the
    printed numbers before the edits, where they were others.
    """

    step: str
    axes: tuple[str, ...]
    shape: Index
    lead: Index
    row: int
    column: int
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    numbers: tuple[tuple[Number, ...], ...]
    levels: tuple[tuple[int, ...], ...]
    before: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Tile:
    """How strong the entries of a large part are, without their numbers: one byte each, row after row, in base64;
    the byte is the level + 128, with 0 for a number that is not finite. With a `stride` above 1 a byte stands for the
    strongest entry of a square of so many rows and columns.
    """

    step: str
    lead: Index
    row: int
    column: int
    rows: int
    columns: int
    stride: int
    levels: str
