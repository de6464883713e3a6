"""The mutants: the op pages and the walk backward, each time with one small change that should not go unnoticed.

cosmic-ray's operators make the changes. Of its replacements these are used:

* one arithmetic operator by two others (TELLING), not by all eleven, so that a run stays affordable;
* one comparison by three others, after Kaminski, Ammann and Offutt (`<` by `<=` and `!=`; where they have `False`, by
  its opposite `>=`);
* all of its unary (but `+x` for `-x`: the same program as `x`), number (one more, one less), `and`/`or`,
  `True`/`False`, added-`not`, break/continue, decorator, exception and empty-loop replacements.

Left alone, by their place in the syntax tree, is what is not the meaning of a page: annotations of types, the numbers
of `example` and `more_examples` (another example is as good), imports for the type checker, and the markers `*` and
`/` in a list of parameters. Strings (sentences, formulas, names) are no business of cosmic-ray. A change that is not
Python any more is no mutant. 77 files of pages make about 5,000 mutants; backward makes 125.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from cosmic_ray.ast import ast_nodes, get_ast
from cosmic_ray.mutating import mutate_code
from cosmic_ray.plugins import get_operator, operator_names

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"

TELLING = {
    "Add": ("Sub", "Mul"),
    "Sub": ("Add", "Mul"),
    "Mul": ("Div", "Add"),
    "Div": ("Mul", "Sub"),
    "FloorDiv": ("Mul", "Mod"),
    "Mod": ("FloorDiv", "Mul"),
    "Pow": ("Mul", "Div"),
    "LShift": ("RShift", "Add"),
    "RShift": ("LShift", "Sub"),
    "BitOr": ("BitAnd", "BitXor"),
    "BitAnd": ("BitOr", "BitXor"),
    "BitXor": ("BitOr", "BitAnd"),
}
IMPLYING = {
    "Eq": ("NotEq", "LtE", "GtE"),
    "NotEq": ("Eq", "Lt", "Gt"),
    "Lt": ("LtE", "NotEq", "GtE"),
    "LtE": ("Lt", "Eq", "Gt"),
    "Gt": ("GtE", "NotEq", "LtE"),
    "GtE": ("Gt", "Eq", "Lt"),
    "Is": ("IsNot",),
    "IsNot": ("Is",),
}
CHOSEN = {"ReplaceBinaryOperator": TELLING, "ReplaceComparisonOperator": IMPLYING}
LEFT_OUT = {
    "ReplaceUnaryOperator_USub_UAdd",  # what ReplaceUnaryOperator_Delete_USub makes
    "VariableReplacer",  # random changes of variables that somebody names
    "VariableInserter",
}


@dataclass(frozen=True)
class Mutant:
    """One changed module. Where it is and how the line reads identify it, whatever becomes of the line numbers."""

    file: str  # as in src/workings/ops/add.py
    where: str  # as in Add.by_hand
    before: str
    after: str
    operator: str = field(compare=False)
    line: int = field(compare=False)
    source: str = field(compare=False, repr=False)

    @property
    def module(self) -> str:
        return module_of(self.file)

    def __str__(self) -> str:
        return f"{self.file}:{self.line} {self.where}\n    - {self.before}\n    + {self.after or '(removed)'}"


def module_of(file: str) -> str:
    """`workings.ops.add` for src/workings/ops/add.py."""
    parts = Path(file).relative_to("src").with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def mutated_files() -> list[str]:
    """What is mutated unless somebody names files: every op page, and backward."""
    pages = sorted(SOURCE.glob("workings/ops/**/*.py"))
    return [str(path.relative_to(ROOT)) for path in (*pages, SOURCE / "workings/engine/backward.py")]


def mutants_of(file: str, source: str) -> Iterator[Mutant]:
    """All mutants of one file."""
    nodes = list(ast_nodes(get_ast(source)))
    meaning = _meaning(source)
    for name in operators():
        operator = get_operator(name)()
        places = [node for node in nodes for _ in operator.mutation_positions(node)]
        for occurrence, node in enumerate(places):
            if is_left_alone(node):
                continue
            mutated = mutate_code(source, operator, occurrence)
            if mutated is not None and _meaning(mutated) not in ("", meaning):
                line, before, after = changed_lines(source, mutated)
                yield Mutant(file, definition(node), before, after, name.split("/")[1], line, mutated)


def operators() -> list[str]:
    """The names of the operators that are used."""
    return [name for name in operator_names() if _is_used(name.split("/")[1])]


def _is_used(name: str) -> bool:
    kind, *change = name.split("_")
    if kind in CHOSEN:
        return change[1] in CHOSEN[kind][change[0]]
    return name not in LEFT_OUT


def _meaning(source: str) -> str:
    """The program without its layout; nothing if it is none."""
    try:
        return ast.dump(ast.parse(source))
    except SyntaxError:
        return ""


def is_left_alone(node: Any) -> bool:
    """Whether this place is no part of the meaning of a page."""
    inner = node
    for outer in _around(node):
        if outer.type == "tfpdef" and inner is outer.children[2]:  # the type of a parameter
            return True
        if outer.type == "funcdef" and inner is outer.annotation:
            return True
        if outer.type == "annassign" and inner is outer.children[1]:
            return True
        if outer.type in ("parameters", "lambdef") and inner is node and node.type == "operator":
            return True
        if outer.type == "expr_stmt" and outer.children[0].get_code().strip() in ("example", "more_examples"):
            return True
        if outer.type == "if_stmt" and outer.children[1].get_code().strip() == "TYPE_CHECKING":
            return True
        inner = outer
    return False


def definition(node: Any) -> str:
    """The class and the function that a place lies in, as `Add.by_hand`; a decorator belongs to what it decorates."""
    names = []
    for outer in (node, *_around(node)):
        if outer.type in ("funcdef", "classdef"):
            names.insert(0, outer.name.value)
        elif outer.type == "decorated":
            inner = outer.children[-1].name.value
            if not names or names[0] != inner:
                names.insert(0, inner)
    return ".".join(names) or "the module"


def _around(node: Any) -> Iterator[Any]:
    while node.parent is not None:
        node = node.parent
        yield node


def changed_lines(source: str, mutated: str) -> tuple[int, str, str]:
    """The number of the first changed line, and what changed, before and after, without its indentation."""
    old, new = source.splitlines(), mutated.splitlines()
    first = next(n for n in range(len(old)) if n >= len(new) or old[n] != new[n])
    last = 0
    while last < min(len(old), len(new)) - first and old[-1 - last] == new[-1 - last]:
        last += 1
    before, after = old[first : len(old) - last], new[first : len(new) - last]
    return first + 1, " ".join(map(str.strip, before)).strip(), " ".join(map(str.strip, after)).strip()
