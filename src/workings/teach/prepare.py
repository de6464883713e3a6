"""Works out every lesson of the package, so that each opens at once afterwards: `python -m workings.teach.prepare`."""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from typing import TextIO

from ..engine.sentences import add_sentences, say
from .lesson import lesson
from .shelf import names

MOST_AT_ONCE = 4

add_sentences("lesson", {"prepare": "Working out the lessons: {done} of {count}"})


def prepare(stream: TextIO | None = None) -> int:
    """How many lessons are ready now. Whoever watches the stream is told how far it is."""
    known = names()
    with ProcessPoolExecutor(min(MOST_AT_ONCE, os.cpu_count() or 1)) as workers:
        for done, _ in enumerate(workers.map(_work_out, known), 1):
            if stream is not None and stream.isatty():
                line = say("lesson.prepare", done=done, count=len(known))
                stream.write(f"\r{line}" + ("\n" if done == len(known) else ""))
                stream.flush()
    return len(known)


def _work_out(name: str) -> str:
    """Its document is kept by teach/cache.py."""
    return lesson(name).document.title


if __name__ == "__main__":
    prepare(sys.stderr)
