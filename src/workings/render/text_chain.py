"""A chain of states in monospaced text: one below the other, each with a bar and its number."""

from __future__ import annotations

from rich.cells import cell_len

from ..explain import document as d
from ..explain.numbers import aligned
from .colours import strength
from .lines import Plain
from .text_labels import fit, margin_of, padded

LONGEST = 32  # signs of a bar
BAR, ASCII_BAR = "█", "#"
ARROW, ASCII_ARROW = "↓", "|"


def chain_rows(chain: d.Chain, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    r"""The states from the first to the last, with an arrow between them.

    >>> numbers = d.Number("0.25", 0.25, "1", (0,)), d.Number("1.0", 1.0, "1", (1,))
    >>> states = tuple(d.ChainState(f"h_{n}", word, numbers[n]) for n, word in enumerate(("The", "cat")))
    >>> print("\n".join(chain_rows(d.Chain(d.Axis("", 0, 1, ()), states), 30)))
    h_0  The  ███▌            0.25
     ↓
    h_1  cat  ██████████████  1.0
    """
    names = [plain(state.name) for state in chain.states]
    words = [plain(state.word) for state in chain.states]
    margins = margin_of(names, width, plain), margin_of(words, width // 2, plain)
    numbers = aligned([plain(state.number.text) for state in chain.states])
    taken = margins[0] + 2 + (margins[1] + 2 if margins[1] else 0) + 2 + max(map(cell_len, numbers))
    room = max(min(LONGEST, width - taken), 4)
    rows: list[str] = []
    for name, word, state, written in zip(names, words, chain.states, numbers, strict=True):
        rows += [f" {ARROW if fine else ASCII_ARROW}"] if rows else []
        label = f"{padded(name, margins[0], fine)}  " + (f"{padded(word, margins[1], fine)}  " if margins[1] else "")
        rows.append(_fit(f"{label}{padded(_bar(chain.scale, state.number, room, fine), room)}  {written}", width, fine))
    return rows


def _fit(row: str, width: int, fine: bool) -> str:
    return row.rstrip() if cell_len(row.rstrip()) <= width else fit(row, width, fine)


def _bar(scale: d.Axis, one: d.Number, room: int, fine: bool) -> str:
    share = 0.0 if isinstance(one.value, str) else abs(strength(scale, one.value))
    halves = round(share * room * 2)
    return (BAR if fine else ASCII_BAR) * (halves // 2) + ("▌" if fine and halves % 2 else "")
