"""Labels in monospaced text: cut to the room that there is, and filled up to it."""

from __future__ import annotations

from collections.abc import Iterable

from rich.cells import cell_len, set_cell_size

from ...document.monospace import Plain


def fit(text: str, most: int, fine: bool = True) -> str:
    """A text that is at most so wide.

    >>> fit("attention", 5), fit("attention", 5, fine=False), fit("cat", 5)
    ('atte…', 'atte~', 'cat')
    """
    text = " ".join(text.split())
    return text if cell_len(text) <= most else set_cell_size(text, max(most - 1, 0)).rstrip() + ("…" if fine else "~")


def padded(text: str, wide: int, fine: bool = True) -> str:
    """A text that is exactly so wide."""
    return set_cell_size(fit(text, wide, fine), wide)


def margin_of(labels: Iterable[str], width: int, plain: Plain) -> int:
    """How wide the labels on the left are: at most a third of all there is."""
    return min(max((cell_len(plain(label)) for label in labels), default=0), max(width // 3, 4))
