"""What the routes of one lab share."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

from ..lab.practice import Sheets
from ..lab.store import Lab
from .database import Database
from .desk import Desk
from .progress import Progress
from .settings import Settings


@dataclass(frozen=True)
class Service:
    """The traces, the sheets, the desk that answers, and the progress of learners."""

    lab: Lab
    settings: Settings
    desk: Desk
    progress: Progress
    sheets: Sheets = field(default_factory=Sheets)

    async def at_hand(self, key: str) -> None:
        """See to it that a trace is there: one that was let go is computed again with the other heavy work."""
        if not self.lab.is_kept(key):
            await self.desk.run(partial(self.lab.find, key), "heavy", f"find {key}")


def make_service(lab: Lab, settings: Settings) -> Service:
    limits = settings.limits
    return Service(lab, settings, Desk(limits), Progress(Database(settings.database), limits))
