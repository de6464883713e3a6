"""The ids of all catalogued mistakes, in mistake_ids.txt: one that was given away once stays.

`python tests/support/mistake_ids.py write` (make frozen) adds the new ones; it takes none away.
"""

from __future__ import annotations

import sys
from pathlib import Path

import workings  # noqa: F401 - fills the registry
from workings.engine.op import OPS

FILE = Path(__file__).parents[1] / "ops" / "mistake_ids.txt"


def all_ids() -> list[str]:
    """Those of the pages; conventions have their names in conventions.py."""
    return sorted(mistake.id for op in OPS.values() for mistake in op.page.mistakes.values())


def write() -> None:
    known = FILE.read_text(encoding="utf-8").split() if FILE.exists() else []
    FILE.write_text("\n".join(sorted({*known, *all_ids()})) + "\n", encoding="utf-8")


if __name__ == "__main__" and sys.argv[1:] == ["write"]:
    write()
