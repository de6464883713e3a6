"""On how many threads products are computed: it changes how long they take, and may change the last bit of a sum."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext


def usual_threads() -> int:
    """Half of the cores. Threads wait for each other without rest: where every core has one, and another program needs
    a core as well, training takes many times as long.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // 2)


def on_threads(count: int) -> AbstractContextManager[object]:
    """What runs inside computes its products on so many threads; without threadpoolctl NumPy decides."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    limits: AbstractContextManager[object] = threadpool_limits(count)
    return limits
