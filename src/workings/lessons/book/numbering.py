"""Numbers of figures, tables and equations: chapter by chapter, Figure 5.1, Table 5.1, (5.1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ...document.blocks import Block, Figure, Fold, Formula, Heading, Image, Items, Ledger, Question, Table, Words

CHAPTER = 2  # the level of its heading
UNNUMBERED = "0"  # of what is in a chapter without a number


def numbered(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks of a book, with a number for each figure, table and equation that is printed."""
    return _Numbering().all(blocks)


class _Numbering:
    """Goes through a book from its first block to its last. `title` is that of the section or fold around a block,
    which names a figure or table that has no title.
    """

    def __init__(self) -> None:
        self.chapter = UNNUMBERED
        self.title = ""
        self.used: Counter[str] = Counter()

    def all(self, blocks: tuple[Block, ...]) -> tuple[Block, ...]:
        return tuple(self.one(block) for block in blocks)

    def one(self, block: Block) -> Block:
        if isinstance(block, Heading):
            self._enter(block)
        elif isinstance(block, Fold):
            return self._fold(block)
        elif isinstance(block, Items):
            return replace(block, entries=tuple(map(self.all, block.entries)))
        elif isinstance(block, Question):
            return replace(block, answer=self.all(block.answer))
        elif isinstance(block, Figure):
            return self._figure(block)
        elif isinstance(block, Image):
            number = Words(f"{self._number('Figure')}. ", "strong")
            return replace(block, caption=(number, *(block.caption or (Words(self.title),))))
        elif isinstance(block, Table | Ledger):
            return replace(block, title=f"{self._number('Table')}. {block.title or self.title}")
        elif isinstance(block, Formula) and not block.reason:
            return replace(block, number=self._number("").strip())
        return block

    def _enter(self, heading: Heading) -> None:
        self.title = heading.text
        if heading.level == CHAPTER:
            first = heading.text.split(" ", 1)[0]
            self.chapter = first if first.isdigit() or (len(first) == 1 and first.isupper()) else UNNUMBERED
            self.used.clear()

    def _fold(self, block: Fold) -> Fold:
        if block.summary:  # its line is printed in place of what is in it
            return block
        around, self.title = self.title, block.title
        inside = replace(block, blocks=self.all(block.blocks))
        self.title = around
        return inside

    def _figure(self, block: Figure) -> Figure:
        number = Words(f"{self._number('Figure')}. ", "strong")
        title = () if block.title and block.caption else (Words(block.title or self.title),)
        return replace(block, title=block.title if block.caption else "", caption=(number, *(block.caption or title)))

    def _number(self, kind: str) -> str:
        self.used[kind] += 1
        return f"{kind} {self.chapter}.{self.used[kind]}"
