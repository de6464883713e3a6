"""Places that references lead to. In a book every heading is one; a page has no references to itself."""

from __future__ import annotations

from ..explain import document as d

CONTENTS = 2  # levels of headings that stand in the contents of a book: parts and chapters


def anchors_within(document: d.Document) -> frozenset[str]:
    """The anchors of headings to which something may lead.

    >>> sorted(anchors_within(d.Document("Book", (d.Heading(1, "Theory", "theory"),), form="book")))
    ['theory']
    """
    if document.form != "book":
        return frozenset()
    return frozenset(block.anchor for block in d.all_blocks(document.blocks) if isinstance(block, d.Heading))


def in_contents(document: d.Document) -> list[d.Heading]:
    """The headings of parts and chapters of a book, in their order."""
    if document.form != "book":
        return []
    return [block for block in document.blocks if isinstance(block, d.Heading) and block.level <= CONTENTS]
