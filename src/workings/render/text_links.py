"""Lines between words in monospaced text: an arrow for each line, the longer the larger the entry."""

from __future__ import annotations

from rich.cells import cell_len

from ..explain import document as d
from ..explain.numbers import aligned
from .colours import strength
from .lines import Plain
from .text_labels import fit, margin_of, padded

LONGEST = 32  # signs of an arrow
WIDEST = 14  # of the word at its end
FEW = 8  # of so many lines in a row each is drawn; of more, those that are longer than a head
SHORTEST = 2  # signs of an arrow that is only a head
ABOVE, BELOW, HEAD = "━", "╌", "▶"  # a line above 0, one below 0
ASCII_ABOVE, ASCII_BELOW, ASCII_HEAD = "=", "-", ">"


def links_rows(grid: d.Grid, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    r"""Row by row, an arrow to the word of each column, and the number; of many, those that can be seen as arrows.

    >>> numbers = tuple(d.Number(str(value), value, "1", (0, n)) for n, value in enumerate((0.25, 0.75)))
    >>> axis = d.Axis("", 0, 1, (d.Tick(0, "0"), d.Tick(1, "1")))
    >>> grid = d.Grid("1", "query", "key", ("cat",), ("The", "cat"), (numbers,), axis)
    >>> print("\n".join(links_rows(grid, 30)))
    query → key
    cat  ━━━━▶ The            0.25
         ━━━━━━━━━━▶ cat      0.75
    """
    ends = [fit(plain(name), WIDEST, fine) for name in grid.column_labels]
    margin = margin_of(grid.row_labels, width, plain)
    texts = aligned([plain(one.text) for row in grid.rows for one in row])
    numbers = iter(texts)
    taken = margin + 2 + 2 + max(map(cell_len, ends)) + 2 + max(map(cell_len, texts))
    room = max(min(LONGEST, width - taken), 4)
    column = width if taken + room > width else taken + room
    axes = " → ".join(axis for axis in (grid.rows_are, grid.columns_are) if axis)
    rows = [fit(plain(axes), width, fine)] if axes else []
    for start, row in zip(grid.row_labels, grid.rows, strict=True):
        label, is_whole = padded(plain(start), margin, fine), True
        for place, one in enumerate(row):
            arrow, written = _arrow(grid.scale, one, room, fine), next(numbers)
            if len(row) > FEW and len(arrow) <= SHORTEST:
                is_whole = False
                continue
            line = f"{label}  {arrow}{ends[place]}"
            gap = " " * max(column - cell_len(line) - cell_len(written), 1)
            rows.append(f"{line}{gap}{written}".rstrip())
            label = " " * margin
        rows += [] if is_whole else [f"{label}  {plain('…')}"]
    return rows


def _arrow(scale: d.Axis, one: d.Number, room: int, fine: bool) -> str:
    """So long as the number is large; one that is 0, or that is none, has no arrow."""
    share = 0.0 if isinstance(one.value, str) else strength(scale, one.value)
    if not share:
        return ""
    above, below, head = (ABOVE, BELOW, HEAD) if fine else (ASCII_ABOVE, ASCII_BELOW, ASCII_HEAD)
    return (above if share > 0 else below) * round(abs(share) * room) + head + " "
