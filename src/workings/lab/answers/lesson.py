"""What a page gets when it asks for a lesson. See trace.py."""

from __future__ import annotations

from dataclasses import dataclass

from ...document.blocks import Number
from .trace import EditRow, Page


@dataclass(frozen=True)
class LessonPage(Page):
    """A lesson. `runs` are those whose given numbers can be changed; `edits` are the changes, `was` the numbers that
    are others since, as they stood before, and `broken` counts the checks of the text that held before.
    """

    runs: tuple[str, ...] = ()
    edits: tuple[EditRow, ...] = ()
    was: tuple[Number, ...] = ()
    broken: int = 0
