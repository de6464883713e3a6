"""Timing several functions in turn, so that all of them see the same machine."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Mapping


def median_seconds(functions: Mapping[str, Callable[[], object]], rounds: int, repeat: int = 1) -> dict[str, float]:
    """The median time of one call of each function, over rounds that run all of them one after the other."""
    times: dict[str, list[float]] = {name: [] for name in functions}
    for function in functions.values():
        function()
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.perf_counter()
            for _ in range(repeat):
                function()
            times[name].append((time.perf_counter() - start) / repeat)
    return {name: statistics.median(series) for name, series in times.items()}
