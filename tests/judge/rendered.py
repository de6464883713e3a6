"""Whether a renderer made up a number: every run of digits on a page must be something that the document holds."""

from __future__ import annotations

import html
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from .runs import numbers_in

Block = Mapping[str, Any]
DIGITS = re.compile(r"-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?")
COLUMNS = re.compile(r"\b(\d+)\.\.(\d+)\b")  # a wide matrix is written some columns after the other
NOT_SHOWN = re.compile(r"<(script|style|head)\b.*?</\1>|<!--.*?-->|<[^>]*>", re.DOTALL | re.IGNORECASE)
WITHIN_A_WORD = re.compile(r"</?span\b[^>]*>")  # a program is colored word by word
MANY_COLUMNS = 8
SPANS = {"spans", "left"}
MATH = ("latex", "text", "ascii", "speech")
DATA = {"step", "kind", "role", "mistake", "schema", "code"}  # strings that are for machines


def unaccounted(text: str, document: Block, repeats: bool = False) -> list[str]:
    """The digits of a rendered page that the document does not hold: as often as they stand there, or, with `repeats`,
    at all.

    >>> number = {"kind": "number", "text": "0.25", "value": 0.25, "step": "1", "index": []}
    >>> page = {"title": "Step 3", "blocks": [{"kind": "text", "spans": [{"kind": "words", "text": "x = "}, number]}]}
    >>> unaccounted("Step 3: x = 0.25", page), unaccounted("Step 3: x = 0.26 and 0.25", page)
    ([], ['0.26'])
    """
    held = Counter(found for piece in pieces(document) for found in digits(piece))
    shapes = (block.get("shape") for block in nodes(document))  # that of a figure is a text
    matrices = [shape[-1] for shape in shapes if shape and not isinstance(shape, str)]
    grids = [len(block["rows"][0]) for block in nodes(document) if "rows_are" in block]
    widest = max(*matrices, *grids, 0, 0)
    text = COLUMNS.sub(lambda match: "" if int(match[1]) <= int(match[2]) < widest else match[0], text)
    shown = Counter(digits(text))
    return sorted(
        found for found in shown if shown[found] > (held[found] and (shown[found] if repeats else held[found]))
    )


def without_tags(page: str) -> str:
    """What a reader sees of an HTML page.

    >>> without_tags('<td data-index="7">1 &lt; 2</td>').strip()
    '1 < 2'
    """
    return html.unescape(NOT_SHOWN.sub(" ", WITHIN_A_WORD.sub("", page)))


def digits(text: str) -> list[str]:
    return DIGITS.findall(text.replace("−", "-"))


def nodes(node: Any) -> Iterator[Block]:
    if isinstance(node, Mapping):
        yield node
        for item in node.values():
            yield from nodes(item)
    elif isinstance(node, list):
        for item in node:
            yield from nodes(item)


def pieces(node: Any, key: str = "") -> Iterator[str]:
    """Everything in a document that may be written on a page, as it is written there."""
    if isinstance(node, str):
        yield "" if key in DATA else node
    elif isinstance(node, list):
        if node and key in SPANS | {"forms"} and is_span(node[0]):
            yield joined(node)
        elif key in ("shape", "index"):
            yield " ".join(str(number) for number in numbers_in(node)) or "1"  # a single number
        else:
            for item in node:
                yield from pieces(item, key)
    elif isinstance(node, Mapping):
        yield from mapped(node)


def mapped(node: Block) -> Iterator[str]:
    kind = node.get("kind")
    if is_span(node):
        yield joined([node])
        return
    if kind == "items" and node["counted"]:
        yield " ".join(str(number) for number in range(1, len(node["entries"]) + 1))
    if "rows_are" in node:
        yield from grid_places(node)
    for key, item in node.items():
        if key == "equals":  # what a program should give: no page shows it
            continue
        if key != "index" or kind == "slice":  # which of several matrices it is
            yield from pieces(item, key)


def grid_places(grid: Block) -> Iterator[str]:
    """Where a grid has no labels, or more than stand beside each other, it says at which places its entries stand."""
    rows, columns = len(grid["rows"]), len(grid["rows"][0])
    if not grid["row_labels"] or not grid["column_labels"] or columns > MANY_COLUMNS:
        for _ in range(rows + 1):
            yield " ".join(str(place) for place in range(max(rows, columns)))


def is_span(node: Any) -> bool:
    return isinstance(node, Mapping) and node.get("kind") in ("words", "number", "math", "link", "reference")


def joined(spans: list[Block]) -> str:
    """Spans as one text, once for each way in which formulas may be written."""
    ways = MATH if any(span["kind"] == "math" for span in spans) else ("text",)
    lines = ["".join(span.get(way, span["text"]) for span in spans) for way in ways]
    return "\n".join([*lines, *(span.get(way, "") for span in spans for way in ("address", "lesson"))])
