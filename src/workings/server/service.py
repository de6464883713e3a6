"""What the routes of one lab share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from fastapi import Request
from fastapi.responses import Response

from ..lab.pages.practice import Sheets
from ..lab.traces.store import Lab, Opened
from .database import Database
from .desk import Desk
from .progress import ProgressStore
from .settings import ServerSettings


@dataclass(frozen=True)
class Service:
    """The traces, the sheets, the desk that answers, and the progress of learners."""

    lab: Lab
    settings: ServerSettings
    desk: Desk
    progress: ProgressStore
    sheets: Sheets = field(default_factory=Sheets)

    async def about(self, request: Request, key: str, kind: Any, make: Callable[[Opened], Any]) -> Response:
        """An answer about a trace: one that was let go is computed again with the other heavy work."""
        if not self.lab.is_kept(key):
            await self.desk.run(partial(self.lab.find, key), "heavy", f"find {key}")
        return await self.desk.read(request, kind, lambda: make(self.lab.find(key)))


def make_service(lab: Lab, settings: ServerSettings) -> Service:
    limits = settings.limits
    return Service(lab, settings, Desk(limits), ProgressStore(Database(settings.database), limits))
