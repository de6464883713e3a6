"""A program in which a learner writes the lines that matter: what is given stays, and what is asked for is left out.

A line is left out if it makes something that is asked for, or reads something that was left out. So the rest runs as it
is, and a learner goes from blank to blank.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Set
from dataclasses import dataclass

BLANK = "..."
FOR_A_READER = "print"  # what is only shown may be left out
BY_TEXT = {"globals", "locals", "vars", "eval", "exec"}  # whoever calls one of these may read any variable


@dataclass(frozen=True)
class Given:
    """Lines that stay."""

    source: str


@dataclass(frozen=True)
class Blank:
    """Lines that are left out: the names that they make, the remarks that stood beside and above them, and which of
    the names can be checked now.
    """

    names: tuple[tuple[str, ...], ...]  # by line
    remarks: tuple[str, ...]
    above: tuple[str, ...]
    checked: tuple[str, ...]
    solution: str


def blanked(source: str, asked: Set[str]) -> list[Given | Blank]:
    r"""The program in parts, one blank for each of the names that are asked for.

    >>> parts = blanked("x = 2\ny = x + 1  # one more\nz = 2 * y\nprint(z)\n", {"y", "z"})
    >>> for part in parts:
    ...     print(part)
    Given(source='x = 2')
    Blank(names=(('y',),), remarks=('one more',), above=(), checked=('y',), solution='y = x + 1  # one more')
    Blank(names=(('z',),), remarks=('',), above=(), checked=('z',), solution='z = 2 * y')
    """
    statements = list(_statements(source))
    left_out = _left_out([statement.node for statement in statements], asked)
    return _parts(statements, left_out, asked)


def made_by(source: str) -> set[str]:
    r"""The names that a program gives a value.

    >>> sorted(made_by("x, y = 1, 2\ndef f():\n    z = 3\n"))
    ['f', 'x', 'y']
    """
    return {name for node in ast.parse(source).body for name in _makes(node)}


def imported_by(source: str) -> set[str]:
    r"""The packages that a program needs.

    >>> sorted(imported_by("import math, os.path\ndef f():\n    from torch.nn import Linear\n"))
    ['math', 'os', 'torch']
    """
    nodes = list(ast.walk(ast.parse(source)))
    whole = [name.name for node in nodes if isinstance(node, ast.Import) for name in node.names]
    parts = [node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in whole + parts}


@dataclass(frozen=True)
class _Statement:
    node: ast.stmt
    above: tuple[str, ...]  # the remarks above it
    source: str
    remark: str
    apart: bool  # whether an empty line stands above it

    @property
    def whole(self) -> str:
        return "\n".join([*([""] if self.apart else []), *(f"# {line}" for line in self.above), self.source])


def _statements(source: str) -> Iterator[_Statement]:
    """The statements with their remarks. What a program says about itself in its first line is none."""
    lines = source.splitlines()
    remarks = {
        token.start[0]: token.string.lstrip("# ")
        for token in tokenize.generate_tokens(io.StringIO(source).readline)
        if token.type == tokenize.COMMENT
    }
    last = 0
    for n, node in enumerate(ast.parse(source).body):
        first, end = node.lineno, node.end_lineno or node.lineno
        if n == 0 and isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
            last = end
            continue
        above = tuple(remarks[line] for line in range(last + 1, first) if line in remarks)
        apart = any(not line.strip() for line in lines[last : first - 1])
        yield _Statement(node, above, "\n".join(lines[first - 1 : end]), remarks.get(end, ""), apart)
        last = end


# -- what depends on what -----------------------------------------------------------------------------


def _left_out(nodes: list[ast.stmt], asked: Set[str]) -> set[str]:
    """The names that are asked for, and all that are made from them."""
    found = set(asked)
    while True:
        more = {name for node in nodes if _depends(node, found) for name in _makes(node)} - found
        if not more:
            return found
        found |= more


def _depends(node: ast.stmt, names: Set[str]) -> bool:
    return bool(_reads(node) & {*names, *BY_TEXT})


def _is_shown_only(node: ast.stmt) -> bool:
    if isinstance(node, ast.For):
        return all(map(_is_shown_only, node.body))
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == FOR_A_READER


def _makes(node: ast.stmt) -> list[str]:
    """The names that a statement gives a value, in order: those that it changes in place among them."""
    if isinstance(node, ast.FunctionDef | ast.ClassDef):
        return [node.name]
    made = [part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)]
    for part in ast.walk(node):
        if isinstance(part, ast.Subscript | ast.Attribute) and isinstance(part.ctx, ast.Store):
            made += [inner.id for inner in ast.walk(part.value) if isinstance(inner, ast.Name)][:1]
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Call) and not _is_shown_only(node):
        made += [part.id for part in node.value.args[:1] if isinstance(part, ast.Name)]
    return list(dict.fromkeys(made))


def _reads(node: ast.stmt) -> set[str]:
    read = {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Load)}
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name):
        read.add(node.target.id)
    if isinstance(node, ast.FunctionDef):  # what is its own means nothing outside
        own = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
        own |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        return read - own
    return read


# -- parts --------------------------------------------------------------------------------------------


def _parts(statements: list[_Statement], left_out: set[str], asked: Set[str]) -> list[Given | Blank]:
    parts: list[Given | Blank] = []
    given: list[str] = []
    waiting: list[_Statement] = []
    is_made = {name: n for n, statement in enumerate(statements) for name in _makes(statement.node) if name in asked}
    for n, statement in enumerate(statements):
        makes = _makes(statement.node)
        if not left_out & {*makes} and not _depends(statement.node, left_out):
            given.append(statement.whole)
            continue
        if _is_shown_only(statement.node):
            continue
        waiting.append(statement)
        checked = tuple(name for name in makes if is_made.get(name) == n)
        if checked:
            parts += [*_given(given), _blank(waiting, left_out, checked)]
            given, waiting = [], []
    parts += _given(given)
    return [*parts, _blank(waiting, left_out, ())] if waiting else parts


def _given(sources: list[str]) -> list[Given | Blank]:
    return [Given("\n".join(sources).strip("\n"))] if sources else []


def _blank(statements: list[_Statement], left_out: set[str], checked: tuple[str, ...]) -> Blank:
    names: list[tuple[str, ...]] = []
    remarks: list[str] = []
    for statement in statements:
        new = tuple(name for name in _makes(statement.node) if not any(name in line for line in names))
        if new:
            names.append(new)
            remarks.append(statement.remark)
        elif statement.remark and remarks:
            remarks[-1] = "; ".join(part for part in (remarks[-1], statement.remark) if part)
    above = tuple(line for statement in statements for line in statement.above)
    return Blank(tuple(names), tuple(remarks), above, checked, "\n".join(part.source for part in statements))
