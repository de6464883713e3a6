"""Mistakes in words, by their ids: progress keeps only these."""

from __future__ import annotations

from .. import ops as _ops  # noqa: F401 - so that every page is known
from ..engine.in_rule import find_mistake
from ..engine.registry import OPS
from ..explain.fitting import hint_of


def mistake_title(id: str) -> str:
    """What went wrong; of a mistake that is not known any more, its id.

    >>> mistake_title("softmax.not_normalised")
    'You did not divide by the sum of the row: the shares must add up to 1.'
    """
    page, _, name = id.partition(".")
    mistake = find_mistake(OPS[page], name) if page in OPS else None
    return id if mistake is None else hint_of(mistake)
