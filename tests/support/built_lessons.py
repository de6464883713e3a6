"""The lessons of the package, each worked out once for all tests of a process."""

from __future__ import annotations

import math
from functools import cache

from loops import slow_if

from workings.document.blocks import Derivation, Matrix, Number
from workings.document.blocks import all_blocks as blocks_of
from workings.engine.arrays import indices
from workings.lessons.contents import PARTS
from workings.lessons.lesson import BuiltLesson, lesson, names
from workings.lessons.rewriting import located
from workings.lessons.runs import LessonOptions

NAMES = names()
OF_SOURCES = PARTS["examples"] + PARTS["longer"]  # lessons that go with a source from its first number to its last
PART_OF = {name: part for part, names in PARTS.items() for name in names}


MOST_ENTRIES = 64
QUICK = ("example-1", "example-2", "token-i")


LONG = ("cat-sat", "example-6", "hello-world")


def each(names, only_quick=False, slow=()):
    """One case for each lesson, some of them slow. With `only_quick`, all are but a few."""
    return slow_if([name for name in names if name in slow or (only_quick and name not in QUICK)], names)


def numbers_of(part):
    """Every number in a block or a tuple of them, wherever it stands."""
    if isinstance(part, Number):
        yield part
    elif isinstance(part, tuple):
        for inner in part:
            yield from numbers_of(inner)
    elif hasattr(part, "__dataclass_fields__"):
        for name in part.__dataclass_fields__:
            yield from numbers_of(getattr(part, name))


def behind_entries(worked: BuiltLesson) -> list[Derivation]:
    """The hand calculation of every entry of the smaller matrices that stand on the page of a lesson."""
    found = []
    for step in dict.fromkeys(block.step for block in blocks_of(worked.document.blocks) if isinstance(block, Matrix)):
        run, _, id = step.rpartition(":")
        trace = worked.page.trace(run)
        if id in trace.recording.steps and trace[id].step.op is not None and math.prod(trace[id].shape) <= MOST_ENTRIES:
            found += [located(trace[id].cell(*index), run) for index in indices(trace[id].shape)]
    return found


@cache
def written(name: str, precision: str | None = None) -> BuiltLesson:
    return lesson(name).build(LessonOptions(precision=precision))


__all__ = ["LONG", "NAMES", "OF_SOURCES", "PART_OF", "behind_entries", "blocks_of", "each", "numbers_of", "written"]
