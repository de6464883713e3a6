"""The prose of a lesson: every piece of text that its author typed, without what directives put there."""

from __future__ import annotations

from collections.abc import Iterator

from workings.lessons.reading.myst import directive_of, line_of, tree

DATA = ("scenario", "measure", "program", "source-notes", "formula")  # their bodies are no prose
TITLES = ("title", "summary", "names", "reason", "labels")  # options that are


def words_of(text: str, line: int = 1) -> Iterator[tuple[int, str, str]]:
    """(line, kind, text) of each piece: `text`, `code` or `math`."""
    for node in tree(text):
        at = line + line_of(node)
        if node.type == "colon_fence":
            yield from _of_directive(directive_of(node, at))
        elif node.type == "fence":
            yield at, "code", node.content
        elif node.type != "front_matter":
            yield from _of_node(node, at)


def _of_directive(directive) -> Iterator[tuple[int, str, str]]:
    for option in TITLES:
        if option in directive.options:
            yield directive.line, "text", directive.options[option]
    if directive.name in ("fold", "predict", "question", "exercise", "table"):
        yield directive.line, "text", directive.argument
    if directive.name == "checks":
        for number, row in enumerate(directive.body.splitlines()):
            yield from words_of(row.partition("|")[0], directive.body_line + number)
    elif directive.name == "formula":
        yield directive.line, "math", directive.body
    elif directive.name not in DATA:
        yield from words_of(directive.body, directive.body_line)


def _of_node(node, line: int) -> Iterator[tuple[int, str, str]]:
    kinds = {"text": "text", "code_inline": "code", "math_inline": "math", "math_block": "math"}
    if node.type in kinds:
        yield line, kinds[node.type], node.content
    for child in node.children:
        yield from _of_node(child, line)
