"""Where an answer stands in its file, in words."""

from __future__ import annotations

from .sentences import say


def line(number: int) -> str:
    """
    >>> line(3)
    'line 3'
    """
    return say("answers.place.line", line=number)


def cell(name: str) -> str:
    """
    >>> cell("B3")
    'cell B3'
    """
    return say("answers.place.cell", cell=name)


def key(name: str) -> str:
    """For an answer whose line is not known.

    >>> key("loss")
    'key loss'
    """
    return say("answers.place.key", name=name)
