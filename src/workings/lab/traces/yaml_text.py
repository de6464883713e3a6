"""Parts of a scenario as YAML. What people write stands between quotation marks, and is never YAML of its own."""

from __future__ import annotations

import json
from collections.abc import Iterable

import numpy
from numpy.typing import NDArray

WHOLE = 1e15  # below it, a float without a fraction is written as a whole number


def quoted(text: str) -> str:
    r"""A text between quotation marks: what JSON escapes, YAML reads back as it was.

    >>> print(quoted('say "no": {x}'))
    "say \"no\": {x}"
    """
    return json.dumps(text, ensure_ascii=False)


def rows(matrix: NDArray[numpy.float64]) -> str:
    """Rows of numbers, each as short as it can be without becoming another.

    >>> rows(numpy.array([[1.0, 0.25]]))
    '[[1, 0.25]]'
    """
    return json.dumps([[_short(entry) for entry in row] for row in matrix.tolist()])


def _short(entry: float) -> float:
    return int(entry) if abs(entry) < WHOLE and entry == int(entry) else entry


def scenario_text(title: str, about: str, lines: Iterable[str]) -> str:
    r"""A whole scenario: what it is called and about, and the lines that say what is computed.

    >>> scenario_text("One line", "", ["given: {x: 2}", "calculate: [y = exp(x)]"])
    'scenario: 1\ntitle: "One line"\nabout: ""\ngiven: {x: 2}\ncalculate: [y = exp(x)]\n'
    """
    return "\n".join(("scenario: 1", f"title: {quoted(title)}", f"about: {quoted(about)}", *lines, ""))
