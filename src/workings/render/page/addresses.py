"""Where a reference leads. An address that does not begin with http leads nowhere: it could be a program."""

from __future__ import annotations

from collections.abc import Collection
from urllib.parse import quote

from ...explain.document import Reference


def address_of(reference: Reference, anchors: Collection[str] = ()) -> str:
    """The address, or nothing. `anchors` are the places on this page.

    >>> address_of(Reference("softmax", lesson="softmax"))
    'softmax.html'
    >>> address_of(Reference("chapter 5", anchor="example-1"), {"example-1"})
    '#example-1'
    >>> address_of(Reference("no link", address="javascript:alert(1)"))
    ''
    """
    if reference.address:
        return reference.address if reference.address.lower().startswith(("http://", "https://")) else ""
    if reference.lesson:
        return f"{quote(reference.lesson, safe='')}.html" + (f"#{quote(reference.anchor)}" if reference.anchor else "")
    return f"#{quote(reference.anchor)}" if reference.anchor in anchors else ""
