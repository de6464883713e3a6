"""How often somebody may ask: a bucket of tokens for each, which fills up again with time."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass

from .limits import Rate


@dataclass
class Bucket:
    tokens: float
    seen: float


class Buckets:
    """The buckets of many people. Those who have not asked for longest are forgotten first: by then theirs is full.

    >>> buckets = Buckets(Rate(per_second=1, burst=2), most=10, clock=lambda: 0.0)
    >>> [buckets.wait_for("somebody") for _ in range(3)]
    [0.0, 0.0, 1.0]
    """

    def __init__(self, rate: Rate, most: int, clock: Callable[[], float] = time.monotonic) -> None:
        self.rate = rate
        self.most = most
        self.clock = clock
        self._buckets: OrderedDict[str, Bucket] = OrderedDict()
        self._lock = threading.Lock()

    def wait_for(self, who: str, cost: float = 1) -> float:
        """Take `cost` tokens: 0 if they are there, else in how many seconds they will be."""
        now = self.clock()
        with self._lock:
            bucket = self._buckets.pop(who, None) or Bucket(self.rate.burst, now)
            self._buckets[who] = bucket
            if len(self._buckets) > self.most:
                self._buckets.popitem(last=False)
            bucket.tokens = min(self.rate.burst, bucket.tokens + (now - bucket.seen) * self.rate.per_second)
            bucket.seen = now
            if bucket.tokens < cost:
                return (cost - bucket.tokens) / self.rate.per_second
            bucket.tokens -= cost
            return 0.0

    def __contains__(self, who: str) -> bool:
        """Whether somebody asked before, as far as it is remembered."""
        return who in self._buckets

    def __len__(self) -> int:
        return len(self._buckets)
