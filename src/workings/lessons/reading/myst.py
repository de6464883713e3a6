"""MyST Markdown, as a tree whose nodes know their lines.

Markdown itself is read by markdown-it; directives (`:::{name}`), roles (`{name}`text``) and formulas between dollars by
its plugins. Raw HTML is not read as such: it stays the text that it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

from markdown_it import MarkdownIt
from markdown_it.tree import SyntaxTreeNode
from mdit_py_plugins.colon_fence import colon_fence_plugin
from mdit_py_plugins.dollarmath import dollarmath_plugin
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.myst_role import myst_role_plugin

from ...engine.errors import LessonError

_HEAD = re.compile(r"^\{([\w-]+)\}\s*(.*)$")
_OPTION = re.compile(r"^:([\w-]+):\s*(.*)$")


@dataclass(frozen=True)
class Directive:
    """`:::{name} argument`, then lines `:option: value`, then a body; and the lines on which it and its body begin."""

    name: str
    argument: str
    options: Mapping[str, str]
    body: str
    line: int
    body_line: int


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    for plugin in (front_matter_plugin, colon_fence_plugin, myst_role_plugin):
        parser.use(plugin)
    return parser.use(dollarmath_plugin, allow_labels=False, double_inline=False)


def tree(text: str) -> list[SyntaxTreeNode]:
    r"""The blocks of a text, one after the other.

    >>> [node.type for node in tree("# Goal\n\nTwo tokens.\n\n:::{cell} scores[1][0]\n:::\n")]
    ['heading', 'paragraph', 'colon_fence']
    """
    return SyntaxTreeNode(_parser().parse(text)).children


def line_of(node: SyntaxTreeNode) -> int:
    """The line of the text on which a node begins, counted from 0."""
    while node.map is None and node.parent is not None:
        node = node.parent
    return node.map[0] if node.map else 0


def directive_of(node: SyntaxTreeNode, line: int) -> Directive | None:
    r"""The directive that a node is, or None for a box without a name in braces.

    >>> [node] = tree(":::{cell} scores[1][0]\n:digits: 6\nbody\n:::\n")
    >>> directive_of(node, 1)
    Directive(name='cell', argument='scores[1][0]', options={'digits': '6'}, body='body\n', line=1, body_line=3)
    """
    head = _HEAD.match(node.info.strip())
    if head is None:
        return None
    rows = node.content.splitlines(keepends=True)
    options: dict[str, str] = {}
    for row in rows:
        option = _OPTION.match(row.strip())
        if option is None:
            break
        if option[1] in options:
            raise LessonError(
                f"The directive {head[1]} has the option '{option[1]}' twice.", hint="Keep one of the two lines."
            )
        options[option[1]] = option[2].strip()
    body = "".join(rows[len(options) :])
    return Directive(head[1], head[2].strip(), options, body, line, line + 1 + len(options))
