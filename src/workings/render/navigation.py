"""Headings, contents and links of a page. In a book every heading has an anchor; a page has no links to itself."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import quote

from ..document import blocks as d

CONTENTS_LEVELS = 2  # levels of headings in the contents of a book: parts and chapters


def top_level(document: d.Document) -> int:
    """The level of its highest headings."""
    levels = (block.level for block in d.all_blocks(document.blocks) if isinstance(block, d.Heading))
    return min(levels, default=2)


def anchors_within(document: d.Document) -> frozenset[str]:
    """The anchors of headings to which a link may lead.

    >>> sorted(anchors_within(d.Document("Book", (d.Heading(1, "Theory", "theory"),), form="book")))
    ['theory']
    """
    if document.form != "book":
        return frozenset()
    return frozenset(block.anchor for block in d.all_blocks(document.blocks) if isinstance(block, d.Heading))


def contents_headings(document: d.Document) -> list[d.Heading]:
    """The headings of the parts and chapters of a book, in order."""
    if document.form != "book":
        return []
    return [block for block in document.blocks if isinstance(block, d.Heading) and block.level <= CONTENTS_LEVELS]


def address_of(reference: d.Reference, anchors: Collection[str] = ()) -> str:
    """The address of a reference. `anchors` are the places on this page. An address that does not begin with http leads
    nowhere: it could be a program.

    >>> address_of(d.Reference("softmax", lesson="softmax"))
    'softmax.html'
    >>> address_of(d.Reference("chapter 5", anchor="example-1"), {"example-1"})
    '#example-1'
    >>> address_of(d.Reference("no link", address="javascript:alert(1)"))
    ''
    """
    if reference.address:
        return reference.address if reference.address.lower().startswith(("http://", "https://")) else ""
    if reference.lesson:
        return f"{quote(reference.lesson, safe='')}.html" + (f"#{quote(reference.anchor)}" if reference.anchor else "")
    return f"#{quote(reference.anchor)}" if reference.anchor in anchors else ""
