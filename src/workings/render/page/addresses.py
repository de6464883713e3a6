"""Where a reference leads. An address that does not begin with http leads nowhere: it could be a program."""

from __future__ import annotations

from urllib.parse import quote

from ...explain.document import Reference


def address_of(reference: Reference) -> str:
    """
    >>> address_of(Reference("softmax", lesson="softmax"))
    'softmax.html'
    >>> address_of(Reference("no link", address="javascript:alert(1)"))
    ''
    """
    if reference.address:
        return reference.address if reference.address.lower().startswith(("http://", "https://")) else ""
    return f"{quote(reference.lesson, safe='')}.html" if reference.lesson else ""
