"""The names in `calculate:` lines: each is defined once, and before it is used."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ...engine.errors import ScenarioError, did_you_mean
from .calculate_lines import MAX_SHOWN_CHARS, CalculateLine, Call, Expression, Value


def check_names(lines: Iterable[CalculateLine], known: Iterable[str]) -> None:
    """Refuse a name that is defined twice, and a value that no line above defines.

    >>> from .calculate_lines import parse_line
    >>> try:
    ...     check_names([parse_line("y = relu(q)", 7)], ["Q", "K"])
    ... except ScenarioError as error:
    ...     print(error.keys, error)
    ('calculate', 0) There is no value 'q' here: it is neither given nor computed above.
      given: y = relu(q)
      try:   Did you mean Q?
    """
    given = set(known)
    defined: dict[str, CalculateLine] = {}
    for number, line in enumerate(lines):
        what, hint = _wrong_name(line, given, defined)
        if what:
            raise ScenarioError(what, hint=hint, given=line.text[:MAX_SHOWN_CHARS], keys=("calculate", number))
        defined[line.name] = line


def _wrong_name(line: CalculateLine, given: set[str], defined: dict[str, CalculateLine]) -> tuple[str, str]:
    """What is wrong with the names of a line, and what to try; nothing if they are fine."""
    shown = line.name[:MAX_SHOWN_CHARS]
    for name in _values_in(line.expression):
        if name not in given and name not in defined:
            known = [*defined, *sorted(given)]
            what = f"There is no value '{name[:MAX_SHOWN_CHARS]}' here: "
            if not known:
                return f"{what}nothing is given.", "Give the values that the lines start from under given:."
            hint = did_you_mean(name, known, 3).strip() or f"Known here: {', '.join(known)}."
            return f"{what}it is neither given nor computed above.", hint
    if line.name in defined:
        return f"{shown} is already computed on line {defined[line.name].line}.", "Give each result a name of its own."
    if line.name in given:
        return f"{shown} is already given.", "Give the result another name, or remove the given value."
    return "", ""


def _values_in(expression: Expression) -> Iterator[str]:
    if isinstance(expression, Value):
        yield expression.name
    elif isinstance(expression, Call):
        for part in expression.inputs:
            yield from _values_in(part)
