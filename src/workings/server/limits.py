"""Everything that is limited, in one place. docs/lab.md states the same numbers, and a test compares them."""

from __future__ import annotations

from dataclasses import dataclass

KB = 1000
MB = 1000 * KB


@dataclass(frozen=True)
class Rate:
    """So many requests a second for long, and so many at once after a pause."""

    per_second: float
    burst: float


@dataclass(frozen=True)
class ServerLimits:
    """What one lab lets in. The defaults suit a class of 200 behind one address.

    >>> ServerLimits().learner
    Rate(per_second=20, burst=400)
    """

    learner: Rate = Rate(20, 400)  # also for all at one address together who send no code
    address: Rate = Rate(500, 5000)
    newcomers: Rate = Rate(2, 600)  # codes that were never seen before, of one address
    new_learners: Rate = Rate(1, 250)  # who want their progress to be kept, of one address
    people: int = 10_000  # codes and addresses whose requests are counted at a time

    body: int = 64 * KB  # bytes of a request
    body_seconds: float = 10.0  # until a body must be there

    heavy: int = 2  # traces, lessons and sheets that are computed at a time
    light: int = 2  # windows, cells and pages of steps that are made at a time
    waiting: int = 500  # requests that may wait for either
    connections: int = 2000  # that are open at a time
    seconds: float = 20.0  # until an answer must be there; what is computed goes on, and is kept

    kept: int = 32 * MB  # bytes of answers that are kept to be sent again
    attempts: int = 10_000  # answers of one learner that are remembered


HEAVY_REQUEST = 5  # requests that one counts for which computes a trace, a lesson or a sheet
RETRY_SECONDS = 2  # after which a computation that took too long may be asked for again
