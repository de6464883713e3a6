"""A program with blanks: the learner writes the lines that matter, and the rest stays.

A line becomes a blank if it assigns a name that the learner should compute, or reads such a name. So the rest runs as
it is, and the learner goes from blank to blank.
"""

from __future__ import annotations

import ast
import io
import tokenize
from collections.abc import Iterator, Set
from dataclasses import dataclass

BLANK = "..."
SHOWING_CALL = "print"  # a line that only shows something may be left out
READ_ANY_NAME = {"globals", "locals", "vars", "eval", "exec"}  # a call of one of these may read any variable


@dataclass(frozen=True)
class KeptCode:
    """Lines that stay."""

    source: str


@dataclass(frozen=True)
class CodeBlank:
    """Lines that are left out: the names that they assign, the comments behind and above them, and which of the names
    can be checked now.
    """

    names: tuple[tuple[str, ...], ...]  # by line
    remarks: tuple[str, ...]
    above: tuple[str, ...]
    checked: tuple[str, ...]
    solution: str


def blanked(source: str, wanted: Set[str]) -> list[KeptCode | CodeBlank]:
    r"""The program in parts, with a blank for each of the names that the learner should compute.

    >>> parts = blanked("x = 2\ny = x + 1  # one more\nz = 2 * y\nprint(z)\n", {"y", "z"})
    >>> for part in parts:
    ...     print(part)
    KeptCode(source='x = 2')
    CodeBlank(names=(('y',),), remarks=('one more',), above=(), checked=('y',), solution='y = x + 1  # one more')
    CodeBlank(names=(('z',),), remarks=('',), above=(), checked=('z',), solution='z = 2 * y')
    """
    statements = list(_statements(source))
    left_out = _left_out([statement.node for statement in statements], wanted)
    return _parts(statements, left_out, wanted)


def made_by(source: str) -> set[str]:
    r"""The names that a program assigns.

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
    above: tuple[str, ...]  # the comments above it
    source: str
    remark: str
    apart: bool  # whether an empty line comes before it

    @property
    def whole(self) -> str:
        return "\n".join([*([""] if self.apart else []), *(f"# {line}" for line in self.above), self.source])


def _statements(source: str) -> Iterator[_Statement]:
    """The statements with their comments, without the docstring of the program."""
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


def _left_out(nodes: list[ast.stmt], wanted: Set[str]) -> set[str]:
    """The wanted names, those that the same lines assign, and all that are computed from them."""
    found = set(wanted)
    while True:
        lost = [node for node in nodes if _depends(node, found) or found & {*_makes(node)}]
        more = {name for node in lost for name in _makes(node)} - found
        if not more:
            return found
        found |= more


def _depends(node: ast.stmt, names: Set[str]) -> bool:
    return bool(_reads(node) & {*names, *READ_ANY_NAME})


def _is_shown_only(node: ast.stmt) -> bool:
    if isinstance(node, ast.For):
        return all(map(_is_shown_only, node.body))
    call = node.value if isinstance(node, ast.Expr) else None
    return isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == SHOWING_CALL


def _makes(node: ast.stmt) -> list[str]:
    """The names that a statement assigns or changes in place, in order."""
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
    if isinstance(node, ast.FunctionDef):  # its own names mean nothing outside
        own = {part.arg for part in ast.walk(node.args) if isinstance(part, ast.arg)}
        own |= {part.id for part in ast.walk(node) if isinstance(part, ast.Name) and isinstance(part.ctx, ast.Store)}
        return read - own
    return read


# -- parts --------------------------------------------------------------------------------------------


def _parts(statements: list[_Statement], left_out: set[str], wanted: Set[str]) -> list[KeptCode | CodeBlank]:
    parts: list[KeptCode | CodeBlank] = []
    kept: list[str] = []
    waiting: list[_Statement] = []
    is_made = {name: n for n, statement in enumerate(statements) for name in _makes(statement.node) if name in wanted}
    for n, statement in enumerate(statements):
        makes = _makes(statement.node)
        if not left_out & {*makes} and not _depends(statement.node, left_out):
            kept.append(statement.whole)
            continue
        if _is_shown_only(statement.node):
            continue
        waiting.append(statement)
        checked = tuple(name for name in makes if is_made.get(name) == n)
        if checked:
            parts += [*_kept(kept), _blank(waiting, left_out, checked)]
            kept, waiting = [], []
    parts += _kept(kept)
    return [*parts, _blank(waiting, left_out, ())] if waiting else parts


def _kept(sources: list[str]) -> list[KeptCode | CodeBlank]:
    return [KeptCode("\n".join(sources).strip("\n"))] if sources else []


def _blank(statements: list[_Statement], left_out: set[str], checked: tuple[str, ...]) -> CodeBlank:
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
    return CodeBlank(tuple(names), tuple(remarks), above, checked, "\n".join(part.source for part in statements))
