"""How Python gets the figures and ledgers of a lesson: by their number. See Lesson.figure."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from typing import Any

from ..document.blocks import Block, Figure, Ledger
from .rewriting import rewritten


def coded(blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """The blocks, in which every figure and ledger says how Python gets it.

    >>> [block.code for block in coded((Ledger((), ()), Ledger((), ())))]
    ['lesson.ledger(1)', 'lesson.ledger(2)']
    """
    counts: Counter[str] = Counter()

    def numbered(part: Any) -> Any:
        if not isinstance(part, Figure | Ledger):
            return part
        counts[part.kind] += 1
        return replace(part, code=f"lesson.{part.kind}({counts[part.kind]})")

    return rewritten(blocks, numbered)


def in_python(value: str | int) -> str:
    r"""A text or a number as it stands in a program. Quotation marks in the name of a file are only signs of it.

    >>> print(in_python("it's.md"), in_python('a "b".md'), in_python(3))
    "it's.md" "a \"b\".md" 3
    """
    return json.dumps(value, ensure_ascii=False)
