"""Streams that say what they are, and what a document looks like on them."""

from __future__ import annotations

import io

from workings.document.blocks import Block, Document
from workings.render.terminal import show


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    encoding = "utf-8"

    def isatty(self) -> bool:
        return True


class Pipe(io.StringIO):
    """A stream of some encoding."""

    def __init__(self, encoding: str = "utf-8") -> None:
        super().__init__()
        self.named = encoding

    @property
    def encoding(self) -> str:
        return self.named


def shown(document: Document, width: int = 80, encoding: str = "utf-8") -> str:
    stream = Pipe(encoding)
    show(document, stream, width)
    return stream.getvalue()


def block_text(block: Block, width: int = 80, encoding: str = "utf-8") -> str:
    """What one block looks like, without the title of the document."""
    return shown(Document("t", (block,)), width, encoding).split("\n", 3)[3]
