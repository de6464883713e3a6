"""What the server refuses, with the status of its answer."""

from __future__ import annotations

from ..engine.errors import WorkingsError


class ServerError(WorkingsError):
    """A request that the server does not take. `retry`: in so many seconds it may.

    >>> ServerError("Too many requests.", status=429, retry=3).status
    429
    """

    def __init__(
        self,
        what: str,
        *,
        hint: str = "",
        where: str = "",
        given: str = "",
        key: str = "",
        status: int = 400,
        retry: int | None = None,
    ) -> None:
        super().__init__(what, hint=hint, where=where, given=given, key=key)
        self.status = status
        self.retry = retry
