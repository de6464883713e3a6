"""What the front end asks for first: whether a lab is behind it, and which version."""

from __future__ import annotations

from ..answers.trace import Start


def start(live: bool = True) -> Start:
    """
    >>> start().live, start(live=False).live
    (True, False)
    """
    from ... import __version__

    return Start(live, __version__)
