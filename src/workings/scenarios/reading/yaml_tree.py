"""YAML as a tree of nodes that know their line. Only plain data: no tags, no objects.

PyYAML splits the text into events; the tree is built here, one event at a time and without recursion, so that a file
that is nested too deeply or too large is refused early. Words are read as in YAML 1.2: `no` and `on` are words, `1e-5`
is a number, `010` is ten.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import yaml  # type: ignore[import-untyped]

from ...engine.errors import ScenarioError
from .location import MAX_SHOWN_CHARS, NO_LINE, Location, place

MAX_FILE_BYTES = 20_000_000
MAX_DEPTH = 30  # of lists and mappings inside each other
MAX_NODES = 500_000  # a node that aliases repeat counts each time

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
class ScalarNode:
    """One value, and the text that stands for it."""

    value: bool | int | float | str | None
    text: str
    line: int
    block: bool = False  # a text below a |, line by line
    count = 1


@dataclass(frozen=True)
class ListNode:
    """A list."""

    items: tuple[YamlNode, ...]
    line: int
    count: int = 1  # of nodes, with those below it


@dataclass(frozen=True)
class MappingNode:
    """A mapping: for each key its value, and the line of the key."""

    entries: Mapping[str, YamlNode]
    lines: Mapping[str, int]
    line: int
    count: int = 1


YamlNode = ScalarNode | ListNode | MappingNode


def without_lines(node: YamlNode) -> YamlNode:
    """The same tree without lines, for values that come from elsewhere and are in no file."""
    if isinstance(node, ScalarNode):
        return replace(node, line=NO_LINE)
    if isinstance(node, ListNode):
        return replace(node, items=tuple(without_lines(item) for item in node.items), line=NO_LINE)
    entries = {key: without_lines(value) for key, value in node.entries.items()}
    return replace(node, entries=entries, lines=dict.fromkeys(entries, NO_LINE), line=NO_LINE)


def read_yaml(text: str | bytes, file: str = "") -> MappingNode:
    r"""The tree of a YAML text, which must be one mapping. `file` is its name in errors.

    >>> tree = read_yaml("model: {heads: 2}\nanswer: no\nepsilon: 1e-5")
    >>> tree.entries["answer"].value, tree.entries["epsilon"].value, tree.lines["answer"]
    ('no', 1e-05, 2)
    """
    text = _decoded(text, file)
    builder = _TreeBuilder(file)
    try:
        for event in yaml.parse(text, Loader=LOADER):
            builder.take(event)
    except yaml.YAMLError as error:
        raise _syntax_error(error, text, file) from None
    root = builder.root
    if root is None or (isinstance(root, ScalarNode) and root.value is None):
        raise ScenarioError(
            "This file is empty.", hint="Begin with `scenario: 1`, and then say what to compute.", where=file
        )
    if not isinstance(root, MappingNode):
        raise ScenarioError(
            "A scenario is a mapping of keys to values.",
            hint="Write one key on each line: `scenario: 1`, `model: ...`.",
            where=place(file, root.line),
        )
    return root


def data_of(node: YamlNode) -> Any:
    """A tree as plain data: numbers, words, tuples and mappings.

    >>> data_of(read_yaml("W: [[1, 0], [0, .5]]"))
    {'W': ((1, 0), (0, 0.5))}
    """
    if isinstance(node, ScalarNode):
        return node.value
    if isinstance(node, ListNode):
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


def _decoded(text: str | bytes, file: str) -> str:
    if len(text) > MAX_FILE_BYTES:
        raise ScenarioError(
            f"This file has more than {MAX_FILE_BYTES // 1_000_000} million bytes.",
            hint="Draw large weights from a seed instead of writing them out.",
            where=file,
        )
    try:
        text = (text if isinstance(text, str) else text.decode("utf-8")).removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = error.object.count(b"\n", 0, error.start) + 1
        raise _binary_error(error.object[error.start], place(file, line)) from None
    strange = BINARY.search(text)
    if strange is not None:
        raise _binary_error(ord(strange[0]), place(file, text.count("\n", 0, strange.start()) + 1))
    return text


def _binary_error(code: int, where: str) -> ScenarioError:
    return ScenarioError(
        f"This is not a text in UTF-8: it contains the code {code:02X}.",
        hint="Save the file as text, in the encoding UTF-8.",
        where=where,
    )


def _syntax_error(error: yaml.YAMLError, text: str, file: str) -> ScenarioError:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    number = mark.line if mark is not None else 0
    lines = text.splitlines() or [""]
    shown = lines[min(number, len(lines) - 1)]
    parts = (getattr(error, "context", None), getattr(error, "problem", None))
    problem = ", ".join(part for part in parts if part) or type(error).__name__
    where, given = place(file, number + 1), shown.strip()[:MAX_SHOWN_CHARS]
    if "\t" in shown[: len(shown) - len(shown.lstrip())]:
        return ScenarioError(
            f"This line begins with a tab: {problem}.",
            hint="Indent with spaces; YAML allows no tabs there.",
            where=where,
            given=given,
        )
    return ScenarioError(
        f"YAML cannot be read here: {problem}.",
        hint="Look at this line and the one above it: brackets, quotes, and the indentation.",
        where=where,
        given=given,
    )


@dataclass
class _Open:
    """A list or mapping that is not closed yet."""

    mapping: bool
    anchor: str | None
    line: int
    items: list[YamlNode] = field(default_factory=list)
    entries: dict[str, YamlNode] = field(default_factory=dict)
    lines: dict[str, int] = field(default_factory=dict)
    key: ScalarNode | None = None
    count: int = 1

    def closed(self) -> YamlNode:
        if self.mapping:
            return MappingNode(self.entries, self.lines, self.line, self.count)
        return ListNode(tuple(self.items), self.line, self.count)


class _TreeBuilder:
    """Builds the tree of one document from the events of the parser."""

    def __init__(self, file: str) -> None:
        self.file = file
        self.root: YamlNode | None = None
        self.documents = 0
        self.open: list[_Open] = []
        self.anchors: dict[str, YamlNode | None] = {}  # None as long as it is open
        self.count = 0

    def take(self, event: Any) -> None:
        line = event.start_mark.line + 1
        if isinstance(event, yaml.DocumentStartEvent):
            self.documents += 1
            if self.documents > 1:
                raise self.error(
                    line,
                    "A second document begins here.",
                    hint="Put each scenario into a file of its own, and leave out the line `---`.",
                )
        elif isinstance(event, yaml.NodeEvent):
            if getattr(event, "tag", None) is not None:
                raise self.error(
                    line,
                    f"There is a tag here: {event.tag[:MAX_SHOWN_CHARS]}.",
                    hint="Leave it out: a scenario needs only numbers, words, lists and mappings.",
                )
            self.begin(event, line)
        elif isinstance(event, yaml.CollectionEndEvent):
            closed = self.open.pop()
            node = closed.closed()
            if closed.anchor is not None:
                self.anchors[closed.anchor] = node
            self.add(node, closed.line)

    def begin(self, event: Any, line: int) -> None:
        if isinstance(event, yaml.AliasEvent):
            node = self.anchored(event.anchor, line)
            self.tally(node.count, line)
            self.add(node, line)
            return
        self.tally(1, line)
        if isinstance(event, yaml.ScalarEvent):
            plain = event.implicit[0]
            value = meaning(event.value) if plain else event.value
            scalar = ScalarNode(value, event.value, line, event.style == "|")
            if event.anchor is not None:
                self.anchors[event.anchor] = scalar
            self.add(scalar, line)
            return
        if len(self.open) >= MAX_DEPTH:
            raise self.error(
                line,
                f"More than {MAX_DEPTH} lists and mappings are nested here.",
                hint="Look for brackets that are not closed.",
            )
        if self.open and self.open[-1].mapping and self.open[-1].key is None:
            raise self.key_error(line)
        if event.anchor is not None:
            self.anchors[event.anchor] = None
        self.open.append(_Open(isinstance(event, yaml.MappingStartEvent), event.anchor, line))

    def tally(self, nodes: int, line: int) -> None:
        self.count += nodes
        if self.count > MAX_NODES:
            raise self.error(
                line,
                f"This file has more than {MAX_NODES} values, including those that * repeats.",
                hint='Write large matrices as text, "1 0; 0 1", or draw them from a seed.',
            )

    def anchored(self, anchor: str, line: int) -> YamlNode:
        """The node that an alias repeats."""
        name = anchor[:MAX_SHOWN_CHARS]
        if anchor not in self.anchors:
            raise self.error(
                line,
                f"There is no anchor &{name} above.",
                hint=f"Put &{name} before the value that *{name} repeats; words that begin with * need quotes.",
            )
        node = self.anchors[anchor]
        if node is None:
            raise self.error(
                line, f"The alias *{name} is inside the value that it repeats.", hint="Write the value out."
            )
        return node

    def add(self, node: YamlNode, line: int) -> None:
        """Put a finished node where it belongs. `line` is that of an alias, where the node itself is elsewhere."""
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

    def as_key(self, node: YamlNode, line: int, around: _Open) -> ScalarNode:
        if not isinstance(node, ScalarNode) or not node.text:
            raise self.key_error(line)
        if node.text == "<<":
            raise self.error(
                line, "The key << is not supported.", hint="Write the keys out, or put what differs under `runs:`."
            )
        if node.text in around.entries:
            raise self.error(
                line,
                f"The key '{node.text[:MAX_SHOWN_CHARS]}' is already on line {around.lines[node.text]}.",
                hint="Keep one of the two.",
            )
        return ScalarNode(node.value, node.text, line)

    def key_error(self, line: int) -> ScenarioError:
        return self.error(line, "A key must be a word.", hint="Write `key: value`; a list cannot be a key.")

    def error(self, line: int, what: str, *, hint: str) -> ScenarioError:
        keys = tuple(part.key.text for part in self.open if part.key is not None)
        return Location(self.file, line, keys).error(what, hint=hint)
