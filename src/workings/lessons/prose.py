"""The text of a lesson between its directives, as spans and blocks."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, Literal

from markdown_it.tree import SyntaxTreeNode

from ..document.blocks import (
    Block,
    Formula,
    Heading,
    Items,
    Note,
    Number,
    Program,
    Reference,
    Span,
    Spans,
    Table,
    Text,
    Words,
    plain_text,
)
from ..engine.errors import LessonError
from ..explain.step_formula import math_of

Look = Literal["plain", "strong", "emphasis", "code"]
Role = Callable[[str, str], Spans]  # the name of a role and its text
Picture = Callable[[str, str, str], Block]  # its file, what it shows, and its caption
LOOKS: dict[str, Look] = {"strong": "strong", "em": "emphasis"}
_ROLE = re.compile(r"\{[a-z]+\}(?: *$|`)")  # the beginning of a role whose ticks are not where they should be
_ADDRESS = re.compile(r"https?://", re.IGNORECASE)


def _unsupported(node: SyntaxTreeNode) -> LessonError:
    if node.type == "image":
        hint = "Put it on a line of its own, with empty lines around it."
        return LessonError("A picture is within a line.", hint=hint)
    return LessonError(
        f"A lesson cannot hold this piece of Markdown: {node.type.replace('_', ' ')}.",
        hint="Write it in words, or with a directive.",
    )


def spans_of(nodes: list[SyntaxTreeNode], role: Role, look: Look = "plain") -> Spans:
    """The pieces of a line; `role` knows what `{value}` and its like stand for."""
    spans: list[Span] = []
    for node in nodes:
        if node.type == "text":
            if _ROLE.search(node.content):
                raise LessonError(
                    "A role is not written as one.",
                    hint="Write the name in braces, and right behind it the text in ticks: {value}`P[0]`.",
                    given=node.content.strip()[-60:],
                )
            spans.append(Words(node.content, look))
        elif node.type == "code_inline":
            spans.append(Words(node.content, "code"))
        elif node.type in ("softbreak", "hardbreak"):
            spans.append(Words(" ", look))
        elif node.type in LOOKS:
            spans += spans_of(node.children, role, LOOKS[node.type])
        elif node.type == "math_inline":
            spans.append(math_of(node.content))
        elif node.type == "myst_role":
            spans += role(node.meta["name"], node.content)
        elif node.type == "link":
            spans += _link(node, role)
        else:
            raise _unsupported(node)
    return _joined(spans)


def _link(node: SyntaxTreeNode, role: Role) -> Spans:
    """A link; to anything but a page of the web it is only its words."""
    words, address = spans_of(node.children, role), str(node.attrs.get("href", ""))
    return (Reference(_only_words(words), address=address),) if _ADDRESS.match(address) else words


def _only_words(spans: Spans) -> str:
    """The text of a heading or a link, where a number would lose its step and index."""
    if any(isinstance(span, Number) for span in spans):
        raise LessonError(
            "A heading, the head of a table and a link hold words only, and here is a number: "
            f"{plain_text(spans)[:60]}.",
            hint="Put the number into the text below.",
        )
    return plain_text(spans)


def _joined(spans: list[Span]) -> Spans:
    """Words that stand beside each other and look alike are one piece."""
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if isinstance(span, Words) and isinstance(last, Words) and last.look == span.look:
            joined[-1] = replace(last, text=last.text + span.text)
        else:
            joined.append(span)
    return tuple(joined)


def anchor_of(title: str) -> str:
    """What a heading is called in a link.

    >>> anchor_of("Step by step: A, B")
    'step-by-step-a-b'
    """
    return "-".join(re.findall(r"[^\W_]+", title.lower()))


class Prose:
    """One method per kind of Markdown block. What a role or a directive means is not known here."""

    def __init__(
        self, role: Role, blocks: Callable[[list[SyntaxTreeNode]], tuple[Block, ...]], picture: Picture
    ) -> None:
        self.role = role
        self.picture = picture
        self.blocks = blocks  # of nodes inside another one: they may be directives
        self.kinds: dict[str, Callable[[SyntaxTreeNode], Iterator[Block]]] = {
            "heading": self.heading,
            "paragraph": self.paragraph,
            "bullet_list": self.items,
            "ordered_list": self.items,
            "table": self.table,
            "fence": self.program,
            "code_block": self.program,
            "blockquote": self.note,
            "math_block": self.formula,
            "front_matter": self.nothing,
            "hr": self.nothing,
        }

    def block(self, node: SyntaxTreeNode) -> Iterator[Block]:
        if node.type not in self.kinds:
            raise _unsupported(node)
        return self.kinds[node.type](node)

    def spans(self, node: SyntaxTreeNode) -> Spans:
        """Of a block that holds one line of text."""
        return spans_of([part for inline in node.children for part in inline.children], self.role)

    def heading(self, node: SyntaxTreeNode) -> Iterator[Block]:
        title = _only_words(self.spans(node))
        yield Heading(int(node.tag[1]), title, anchor_of(title))

    def paragraph(self, node: SyntaxTreeNode) -> Iterator[Block]:
        parts = [part for inline in node.children for part in inline.children]
        if len(parts) == 1 and parts[0].type == "image":
            source, title = (str(parts[0].attrs.get(key, "")) for key in ("src", "title"))
            yield self.picture(source, parts[0].content, title)
        else:
            yield Text(self.spans(node))

    def items(self, node: SyntaxTreeNode) -> Iterator[Block]:
        yield Items(tuple(self.blocks(item.children) for item in node.children), node.type == "ordered_list")

    def table(self, node: SyntaxTreeNode) -> Iterator[Block]:
        rows = [row for part in node.children for row in part.children]
        cells = [tuple(self.spans(cell) for cell in row.children) for row in rows]
        yield Table(tuple(map(_only_words, cells[0])), tuple(cells[1:]))

    def program(self, node: SyntaxTreeNode) -> Iterator[Block]:
        yield Program(node.info.strip() or "text", node.content)

    def note(self, node: SyntaxTreeNode) -> Iterator[Block]:
        yield Note("hint", flowing(self.blocks(node.children)))

    def formula(self, node: SyntaxTreeNode) -> Iterator[Block]:
        yield Formula(math_of(node.content.strip()))

    def nothing(self, node: SyntaxTreeNode) -> Iterator[Block]:
        yield from ()


def flowing(blocks: tuple[Block, ...]) -> Spans:
    """Paragraphs as one line of text, for a box that holds just one."""
    spans: list[Any] = []
    for block in blocks:
        if not isinstance(block, Text):
            raise LessonError(
                f"A box of this kind holds paragraphs only, and here is something else: {block.kind}.",
                hint="Put it before or after the box; in a question, put it into the answer.",
            )
        spans += [Words(" "), *block.spans] if spans else block.spans
    return tuple(spans)
