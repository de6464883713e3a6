"""What can go wrong in the lab, and what to try."""

from __future__ import annotations

from ..engine.errors import WorkingsError


class LabError(WorkingsError):
    """A request that the lab cannot fulfill."""


class NoRoom(LabError):
    """Something that may go well in `retry` seconds, when other things are computed."""

    def __init__(self, what: str, *, hint: str, retry: int) -> None:
        super().__init__(what, hint=hint)
        self.retry = retry


class Missing(LabError):
    """Something that is not there, or not any more."""
