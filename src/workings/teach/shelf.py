"""Which lessons come with the package, and where they stand."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

FOLDER = Path(str(resources.files(__package__) / "lessons"))
TEXT = "lesson.md"
# The order in which they are taught.
PATH = (
    "example-1", "example-2", "example-3", "example-4", "example-5", "example-6",
    "cat-sleeps", "token-i", "hello-world", "cat-sat",
)  # fmt: skip


def names() -> tuple[str, ...]:
    """The lessons that come with the package, in the order in which they are taught.

    >>> names()[0]
    'example-1'
    """
    there = {folder.name for folder in FOLDER.iterdir() if (folder / TEXT).is_file()}
    return tuple(name for name in PATH if name in there) + tuple(sorted(there - set(PATH)))
