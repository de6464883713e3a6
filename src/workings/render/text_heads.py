"""Several heads in monospaced text: their weights as shades beside each other, and what comes before and after."""

from __future__ import annotations

from collections.abc import Iterator

from rich.cells import cell_len

from ..explain import document as d
from .lines import Plain, shape_text
from .text_grid import ASCII_SHADES, SHADES, shade
from .text_labels import fit, padded

ARROW, ASCII_ARROW = "↓", "|"
GAP = 3  # signs between heads
WIDEST = 16  # name of a head


def heads_rows(heads: d.Heads, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
    r"""What goes in, the heads, and what is made of them.

    >>> one = d.Number("1.0", 1.0, "1", (0, 0))
    >>> grid = d.Grid("1", "query", "key", (), (), ((one, one),), d.Axis("", 0, 1, (d.Tick(0, "0"), d.Tick(1, "1"))))
    >>> boxes = tuple(d.HeadBox(f"head{n}", "2", ("query", "head_size"), (1, 2), grid) for n in (1, 2))
    >>> joined = d.FlowNode("3", "joined", "concat", ("token", "model"), (1, 4), 2, 0.0, False)
    >>> print("\n".join(heads_rows(d.Heads((), boxes, joined, None, None), 40)))
    head1   head2
    ████    ████
    query 1 × head_size 2
      ↓
    joined  token 1 × model 4
    <BLANKLINE>
    0 ░▒▓█ 1
    """
    arrow = f"  {ARROW if fine else ASCII_ARROW}"
    rows = [_step(node, width, fine, plain) for node in heads.inputs]
    rows += [arrow] if rows else []
    rows += _heads(heads.heads, width, fine, plain)
    rows += [arrow, _step(heads.joined, width, fine, plain)]
    if heads.result is not None:
        rows += [arrow, _step(heads.result, width, fine, plain)]
    if heads.weight is not None:
        rows.append(f"    {_step(heads.weight, width - 4, fine, plain)}")
    first, last = (heads.heads[0].weights.scale.ticks[place].text for place in (0, -1))
    shades = (SHADES if fine else ASCII_SHADES)[1:]
    return [*rows, "", f"{plain(first)} {shades} {plain(last)}"]


def _step(node: d.FlowNode, width: int, fine: bool, plain: Plain) -> str:
    name = fit(plain(node.name), width // 2, fine)
    shape = plain(shape_text(node.axes, node.shape))
    return f"{name}  {fit(shape, width - cell_len(name) - 2, fine)}".rstrip()


def _heads(boxes: tuple[d.HeadBox, ...], width: int, fine: bool, plain: Plain) -> Iterator[str]:
    """As many heads beside each other as fit, and below them their sizes, once where all are alike."""
    signs = SHADES if fine else ASCII_SHADES
    blocks = [[fit(plain(box.name), WIDEST, fine), *_shades(box.weights, signs)] for box in boxes]
    wide = max(cell_len(row) for block in blocks for row in block)
    wide = min(wide, width)
    beside = max((width + GAP) // (wide + GAP), 1)
    alike = len({(box.axes, box.shape) for box in boxes}) == 1
    for first in range(0, len(blocks), beside):
        part = blocks[first : first + beside]
        for row in range(max(map(len, part))):
            cells = (padded(block[row] if row < len(block) else "", wide, fine) for block in part)
            yield (" " * GAP).join(cells).rstrip()
        if not alike or first + beside >= len(blocks):
            for box in boxes[first : first + (1 if alike else beside)]:
                name = "" if alike else f"{plain(box.name)}  "
                yield fit(f"{name}{plain(shape_text(box.axes, box.shape))}", width, fine)


def _shades(grid: d.Grid, signs: str) -> Iterator[str]:
    wide = 2 if len(grid.rows[0]) <= 8 else 1
    for row in grid.rows:
        yield "".join(shade(grid.scale, number, signs) * wide for number in row)
