"""Which lessons come with the package, and where they stand."""

from __future__ import annotations

from importlib import resources
from pathlib import Path

FOLDER = Path(str(resources.files(__package__) / "lessons"))
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
PATH = tuple(name for part in PARTS.values() for name in part)


def names() -> tuple[str, ...]:
    """The lessons that come with the package, in the order in which they are taught.

    >>> "example-1" in names()
    True
    """
    there = {folder.name for folder in FOLDER.iterdir() if (folder / TEXT).is_file()}
    return tuple(name for name in PATH if name in there) + tuple(sorted(there - set(PATH)))
