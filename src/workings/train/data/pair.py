"""One thing to learn: a question, and the answer to it."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Pair:
    """A question and its answer, both as texts.

    >>> Pair("cab>", "abc").answer
    'abc'
    """

    question: str
    answer: str
