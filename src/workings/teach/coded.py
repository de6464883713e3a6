"""How Python gets the figures and ledgers of a lesson: by their number. See Lesson.figure."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

from ..explain.document import Block, Figure, Fold, Items, Ledger, Question


def coded(blocks: tuple[Block, ...], counts: Counter[str] | None = None) -> tuple[Block, ...]:
    """The blocks, in which every figure and ledger says how Python gets it.

    >>> [block.code for block in coded((Ledger((), ()), Ledger((), ())))]
    ['lesson.ledger(1)', 'lesson.ledger(2)']
    """
    counts = Counter() if counts is None else counts
    return tuple(_coded(block, counts) for block in blocks)


def _coded(block: Block, counts: Counter[str]) -> Block:
    if isinstance(block, Figure | Ledger):
        counts[block.kind] += 1
        return replace(block, code=f"lesson.{block.kind}({counts[block.kind]})")
    if isinstance(block, Question):
        return replace(block, answer=coded(block.answer, counts))
    if isinstance(block, Fold):
        return replace(block, blocks=coded(block.blocks, counts))
    if isinstance(block, Items):
        return replace(block, entries=tuple(coded(entry, counts) for entry in block.entries))
    return block
