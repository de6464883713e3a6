"""The lessons of the package, each worked out once for all tests of a process."""

from __future__ import annotations

from functools import cache

from workings.teach.lesson import Written, lesson, names
from workings.teach.runs import Asked

NAMES = names()
OF_SOURCES = ("example-1", "example-2", "example-3", "example-4", "example-5", "example-6",
              "cat-sleeps", "hello-world", "cat-sat", "token-i")  # fmt: skip


@cache
def written(name: str, precision: str | None = None) -> Written:
    return lesson(name).written(Asked(precision=precision))


def blocks_of(blocks):
    """All blocks, those inside others too."""
    for block in blocks:
        yield block
        for inner in ("blocks", "answer"):
            yield from blocks_of(getattr(block, inner, ()))
        for entry in getattr(block, "entries", ()):
            yield from blocks_of(entry)
