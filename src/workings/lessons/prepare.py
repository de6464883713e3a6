"""Compute every lesson of the package, so that each opens at once: `python -m workings.lessons.prepare`."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import TextIO

from .contents import names
from .lesson import lesson

MOST_AT_ONCE = 4


def prepare(stream: TextIO | None = None) -> int:
    """How many lessons are ready now. Whoever watches the stream is told how far it is."""
    known = names()
    with ProcessPoolExecutor(min(MOST_AT_ONCE, os.cpu_count() or 1)) as workers:
        for done, _ in enumerate(workers.map(_work_out, known), 1):
            if stream is not None and stream.isatty():
                line = f"Working out the lessons: {done} of {len(known)}"
                stream.write(f"\r{line}" + ("\n" if done == len(known) else ""))
                stream.flush()
    return len(known)


def _work_out(name: str) -> str:
    """Its document is kept by lessons/cache.py."""
    return lesson(name).document.title


if __name__ == "__main__":
    prepare(sys.stderr)
