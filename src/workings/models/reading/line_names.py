"""The names in `calculate:` lines: each is defined once, and before it is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...engine.errors import ScenarioError
from .likely import likely
from .line_parsing import SHOWN, Call, Expression, Line, Value


def check_names(lines: Iterable[Line], known: Iterable[str], where: str = "") -> None:
    """Refuse a name that is defined twice, and a value that no line above defines.

    >>> from .line_parsing import parse_line
    >>> try:
    ...     check_names([parse_line("y = relu(q)", 7)], ["Q", "K"])
    ... except ScenarioError as error:
    ...     print(error)
    There is no value 'q' here: it is neither given nor computed above.
      where: line 7, y = relu(q)
      try:   Did you mean Q?
    """
    given = set(known)
    defined: dict[str, Line] = {}
    for line in lines:
        for name in _values_in(line.expression):
            if name not in given and name not in defined:
                near = likely(name, [*defined, *sorted(given)])
                key = "calculate.unknown" if near else "calculate.unknown.empty"
                raise ScenarioError(key, where=place_of(line, where), name=name[:SHOWN], nearest=near)
        if line.name in defined:
            first = defined[line.name].line
            raise ScenarioError("calculate.twice", where=place_of(line, where), name=line.name[:SHOWN], first=first)
        if line.name in given:
            raise ScenarioError("calculate.given", where=place_of(line, where), name=line.name[:SHOWN])
        defined[line.name] = line


def place_of(line: Line, where: str) -> str:
    """`example.yaml, line 7, y = relu(x)`."""
    return ", ".join(part for part in (where, f"line {line.line}", line.text[:SHOWN]) if part)


def _values_in(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Value):
        yield expression.name
    elif isinstance(expression, Call):
        for part in expression.inputs:
            yield from _values_in(part)
