"""What somebody meant who wrote a name that is not there."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import islice

from ...engine.registry import nearest

LONGEST = 60  # characters of a name that are compared, and shown
MOST = 1000  # names that are compared


def likely(name: str, names: Iterable[str]) -> str:
    """The names that look most like this one; one that differs in capitals only is surely meant.

    >>> likely("hedas", ["width", "heads", "layers"]), likely("q", ["K", "Q"])
    ('heads', 'Q')
    """
    listed = list(islice(names, MOST))
    same = [other for other in listed if other.casefold() == name.casefold()]
    return ", ".join(same) or nearest(name[:LONGEST], listed)
