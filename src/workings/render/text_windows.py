"""Windows of a mask in monospaced text: for each position, the words that it may see, each in brackets."""

from __future__ import annotations

from rich.cells import cell_len

from ..explain import document as d
from .lines import Plain
from .text_grid import mask_rows
from .text_labels import fit, margin_of, padded

WIDEST = 12  # signs of a word
HIDDEN, ASCII_HIDDEN = "·", "."


def windows_rows(grid: d.Grid, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    r"""A row for each position. Where there is no room for the words, squares.

    >>> one = d.Number("1", 1, "1", ())
    >>> axis = d.Axis("", 0, 1, (d.Tick(0, "0"), d.Tick(1, "1")))
    >>> seen = ((True, False), (True, True))
    >>> grid = d.Grid("1", "query", "key", ("The", "cat"), ("The", "cat"), ((one, one),) * 2, axis, seen)
    >>> print("\n".join(windows_rows(grid, 40)))
    The  [The]  ·
    cat  [The][cat]
    """
    words = [fit(plain(label), WIDEST, fine) for label in grid.column_labels]
    margin = margin_of(grid.row_labels, width, plain)
    if margin + 2 + sum(cell_len(word) + 2 for word in words) > width:
        return mask_rows(grid, width, fine, plain)
    hidden = HIDDEN if fine else ASCII_HIDDEN
    boxes = [(f"[{word}]", f"{hidden:^{cell_len(word) + 2}}") for word in words]
    return [
        (
            f"{padded(plain(label), margin, fine)}  "
            + "".join(boxes[column][0 if is_seen else 1] for column, is_seen in enumerate(places))
        ).rstrip()
        for label, places in zip(grid.row_labels, grid.seen, strict=True)
    ]
