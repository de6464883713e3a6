"""YAML as a tree of nodes that know their line. Only plain data: no tags, no objects, no surprises.

PyYAML cuts the text into events; the tree is made here, one event at a time and without recursion, so that
whatever is too deep or too large is refused before it does harm. Words are read as in YAML 1.2: `no` and
`on` are words, `1e-5` is a number, `010` is ten.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NoReturn

import yaml  # type: ignore[import-untyped]

from ...engine.errors import ScenarioError
from .likely import LONGEST

LARGEST = 20_000_000  # bytes of a file
DEEPEST = 30  # lists and mappings inside each other
MOST = 500_000  # nodes, each counted as often as it is meant

# The parser written in C, where PyYAML has it, is ten times as fast.
LOADER: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

BINARY = re.compile("[^\t\n\r\x20-\x7e\x85\xa0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
WHOLE = re.compile(r"[-+]?[0-9]+")
REAL = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
WORDS: Mapping[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}


@dataclass(frozen=True)
class Scalar:
    """One value, as what it means and as it was written."""

    value: bool | int | float | str | None
    text: str
    line: int
    column: int = 1
    block: bool = False  # a text written below a |, line by line
    count = 1


@dataclass(frozen=True)
class Items:
    """A list."""

    items: tuple[Node, ...]
    line: int
    column: int = 1
    count: int = 1  # of nodes, with those below it


@dataclass(frozen=True)
class Entries:
    """A mapping: for each key its value, and the line on which the key stands."""

    entries: Mapping[str, Node]
    lines: Mapping[str, int]
    line: int
    column: int = 1
    count: int = 1


Node = Scalar | Items | Entries

NOWHERE = 0  # the line of what stands in no file


def lifted(node: Node) -> Node:
    """The same without lines: what was asked for elsewhere stands in no file."""
    if isinstance(node, Scalar):
        return replace(node, line=NOWHERE)
    if isinstance(node, Items):
        return replace(node, items=tuple(lifted(item) for item in node.items), line=NOWHERE)
    entries = {key: lifted(value) for key, value in node.entries.items()}
    return replace(node, entries=entries, lines=dict.fromkeys(entries, NOWHERE), line=NOWHERE)


def read_yaml(text: str | bytes, where: str = "") -> Entries:
    r"""The tree of a YAML text, which must be one mapping.

    >>> tree = read_yaml("model: {heads: 2}\nanswer: no\nepsilon: 1e-5")
    >>> tree.entries["answer"].value, tree.entries["epsilon"].value, tree.lines["answer"]
    ('no', 1e-05, 2)
    """
    text = _decoded(text, where)
    builder = _Builder(where)
    try:
        for event in yaml.parse(text, Loader=LOADER):
            builder.take(event)
    except yaml.YAMLError as error:
        _refuse_syntax(error, text, where)
    root = builder.root
    if root is None or (isinstance(root, Scalar) and root.value is None):
        raise ScenarioError("yaml.empty", where=where)
    if not isinstance(root, Entries):
        raise ScenarioError("yaml.mapping", where=place(where, root.line))
    return root


def place(where: str, line: int, path: str = "") -> str:
    """
    >>> place("example.yaml", 7, "model.heads")
    'example.yaml, line 7, model.heads'
    """
    return ", ".join(part for part in (where, f"line {line}" if line != NOWHERE else "", path) if part)


def data_of(node: Node) -> Any:
    """A tree as plain data: numbers, words, tuples and mappings.

    >>> data_of(read_yaml("W: [[1, 0], [0, .5]]"))
    {'W': ((1, 0), (0, 0.5))}
    """
    if isinstance(node, Scalar):
        return node.value
    if isinstance(node, Items):
        return tuple(data_of(item) for item in node.items)
    return {key: data_of(value) for key, value in node.entries.items()}


def meaning(text: str) -> bool | int | float | str | None:
    """What a word without quotes means.

    >>> meaning("yes"), meaning("true"), meaning("1e-5"), meaning(".1"), meaning("010"), meaning("1:30")
    ('yes', True, 1e-05, 0.1, 10, '1:30')
    """
    if text in WORDS:
        found: bool | float | None = WORDS[text]
        return found
    if WHOLE.fullmatch(text) and len(text) < 300:  # a longer one is too large for any use, and becomes infinite
        return int(text)
    return float(text) if REAL.fullmatch(text) else text


def _decoded(text: str | bytes, where: str) -> str:
    if len(text) > LARGEST:
        raise ScenarioError("yaml.large", where=where, most=LARGEST // 1_000_000)
    try:
        text = (text if isinstance(text, str) else text.decode("utf-8")).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        code = f"{error.object[error.start]:02X}"
        raise ScenarioError("yaml.binary", where=place(where, line), code=code) from None
    strange = BINARY.search(text)
    if strange is not None:
        line = text.count("\n", 0, strange.start()) + 1
        raise ScenarioError("yaml.binary", where=place(where, line), code=f"{ord(strange[0]):02X}")
    return text


def _refuse_syntax(error: yaml.YAMLError, text: str, where: str) -> NoReturn:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    number = mark.line if mark is not None else 0
    lines = text.splitlines() or [""]
    shown = lines[min(number, len(lines) - 1)]
    parts = (getattr(error, "context", None), getattr(error, "problem", None))
    problem = ", ".join(part for part in parts if part) or type(error).__name__
    key = "yaml.tab" if "\t" in shown[: len(shown) - len(shown.lstrip())] else "yaml.syntax"
    given = shown.strip()[:LONGEST]
    raise ScenarioError(key, where=place(where, number + 1), given=given, problem=problem) from None


@dataclass
class _Open:
    """A list or mapping that is not closed yet."""

    mapping: bool
    anchor: str | None
    line: int
    column: int
    items: list[Node] = field(default_factory=list)
    entries: dict[str, Node] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    key: Scalar | None = None
    count: int = 1

    def closed(self) -> Node:
        if self.mapping:
            return Entries(self.entries, self.lines, self.line, self.column, self.count)
        return Items(tuple(self.items), self.line, self.column, self.count)


class _Builder:
    """Makes the tree of one document from the events of the parser."""

    def __init__(self, where: str) -> None:
        self.where = where
        self.root: Node | None = None
        self.documents = 0
        self.open: list[_Open] = []
        self.anchors: dict[str, Node | None] = {}  # None as long as it is open
        self.count = 0

    def take(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                self.refuse("yaml.documents", line)
        elif isinstance(event, yaml.NodeEvent):
            if getattr(event, "tag", None) is not None:
                self.refuse("yaml.tag", line, tag=event.tag[:LONGEST])
            self.begin(event, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            closed = self.open.pop()
            node = closed.closed()
            if closed.anchor is not None:
                self.anchors[closed.anchor] = node
            self.add(node, closed.line)

    def begin(self, event: Any, line: int) -> None:
        column = event.start_mark.column + 1
        if isinstance(event, yaml.AliasEvent):
            node = self.meant(event.anchor, line)
            self.tally(node.count, line)
            self.add(node, line)
            return
        self.tally(1, line)
        if isinstance(event, yaml.ScalarEvent):
            plain = event.implicit[0]
            value = meaning(event.value) if plain else event.value
            scalar = Scalar(value, event.value, line, column, event.style == "|")
            if event.anchor is not None:
                self.anchors[event.anchor] = scalar
            self.add(scalar, line)
            return
        if len(self.open) >= DEEPEST:
            self.refuse("yaml.deep", line, most=DEEPEST)
        if self.open and self.open[-1].mapping and self.open[-1].key is None:
            self.refuse("yaml.key", line)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        self.open.append(_Open(isinstance(event, yaml.MappingStartEvent), event.anchor, line, column))

    def tally(self, nodes: int, line: int) -> None:
        self.count += nodes
        if self.count > MOST:
            self.refuse("yaml.many", line, most=MOST)

    def meant(self, anchor: str, line: int) -> Node:
        """What an alias stands for."""
        if anchor not in self.anchors:
            self.refuse("yaml.alias", line, name=anchor[:LONGEST])
        node = self.anchors[anchor]
        if node is None:
            self.refuse("yaml.circle", line, name=anchor[:LONGEST])
        return node

    def add(self, node: Node, line: int) -> None:
        """Put a finished node where it belongs. `line` is that of an alias, where the node stands elsewhere."""
        if not self.open:
            self.root = node
            return
        around = self.open[-1]
        around.count += node.count
        if not around.mapping:
            around.items.append(node)
        elif around.key is None:
            around.key = self.as_key(node, line, around)
        else:
            around.entries[around.key.text] = node
            around.lines[around.key.text] = around.key.line
            around.key = None

    def as_key(self, node: Node, line: int, around: _Open) -> Scalar:
        if not isinstance(node, Scalar) or not node.text:
            self.refuse("yaml.key", line)
        if node.text == "<<":
            self.refuse("yaml.merge", line)
        if node.text in around.entries:
            first = around.lines[node.text]
            self.refuse("yaml.twice", line, name=node.text[:LONGEST], first=first)
        return Scalar(node.value, node.text, line, node.column)

    def refuse(self, key: str, line: int, **values: Any) -> NoReturn:
        path = ".".join(part.key.text[:LONGEST] for part in self.open if part.key is not None)
        raise ScenarioError(key, where=place(self.where, line, path), **values)
