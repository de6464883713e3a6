"""How many threads compute products: it changes how long they take, and may change the last bit of a sum."""

from __future__ import annotations

import os
from contextlib import AbstractContextManager, nullcontext


def usual_threads() -> int:
    """Half of the cores. BLAS threads wait for each other actively: if every core has one and another program needs a
    core too, training takes many times as long.
    """
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, cores // 2)


def on_threads(count: int) -> AbstractContextManager[object]:
    """Compute products inside on this many threads; without threadpoolctl, NumPy decides."""
    try:
        from threadpoolctl import threadpool_limits
    except ImportError:
        return nullcontext()
    limits: AbstractContextManager[object] = threadpool_limits(count)
    return limits
