"""Which lessons come with the package, in which order they are taught, and in which part of the book they are."""

from __future__ import annotations

from functools import cache
from importlib import resources
from pathlib import Path

from ..engine.errors import LessonError, did_you_mean
from .reading.lesson_file import read_lesson

FOLDER = Path(str(resources.files(__package__) / "library"))
TEXT = "lesson.md"
# The parts of the path, and of the book: what they contain, in the order in which it is taught.
PARTS: dict[str, tuple[str, ...]] = {
    "theory": ("why-transformers", "matrix-core", "embeddings", "attention-intuition"),
    "examples": ("example-1", "example-2", "example-3", "example-4", "example-5", "example-6"),
    "longer": ("cat-sleeps", "token-i", "hello-world", "cat-sat"),
    "pieces": (
        "tokenization", "positional-encoding", "causal-mask", "multi-head", "layer-norm", "encoder-decoder", "adam",
        "generation", "kv-cache", "training-vs-inference", "parameter-counts",
    ),
    "appendices": ("matrix-calculus", "hand-calculation-tips", "common-mistakes"),
}  # fmt: skip
PART_TITLES = {
    "theory": "Theory",
    "examples": "Six examples by hand",
    "longer": "Four longer examples",
    "pieces": "Piece by piece",
    "appendices": "Appendices",
}
PATH = tuple(name for part in PARTS.values() for name in part)


def names() -> tuple[str, ...]:
    """The lessons that come with the package, in the order in which they are taught.

    >>> "example-1" in names()
    True
    """
    there = {folder.name for folder in FOLDER.iterdir() if (folder / TEXT).is_file()}
    return tuple(name for name in PATH if name in there) + tuple(sorted(there - set(PATH)))


@cache
def title_of(name: str) -> str:
    """The title of a lesson that comes with the package; of any other, its name.

    >>> title_of("example-1")
    'Example 1: a forward pass'
    """
    if name not in names():
        return name
    text = (FOLDER / name / TEXT).read_text(encoding="utf-8")
    return read_lesson(text, name).title


def short_title(name: str) -> str:
    """The title of a lesson as a sentence says it: what comes before a colon.

    >>> short_title("example-1")
    'Example 1'
    """
    return title_of(name).partition(":")[0]


def unknown_lesson(name: str) -> LessonError:
    return LessonError(
        f"There is no lesson '{name[:80]}'.",
        hint=f"{did_you_mean(name, names())}See `workings lessons`; a file of your own ends in .md.",
    )
