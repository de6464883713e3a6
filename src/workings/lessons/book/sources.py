"""What the documents print that the lessons follow: one appendix, with a section for each document."""

from __future__ import annotations

from collections.abc import Iterator

from ...document.blocks import Block, Fold, Heading, Text, Words
from .chapter import PrintedInDocument

NAME = "what-the-documents-print"
# Each document, and the lessons that follow it.
DOCUMENTS = {
    "Understanding Transformers: From First Principles to Mastery": (
        "why-transformers", "matrix-core", "embeddings", "attention-intuition",
        "example-1", "example-2", "example-3", "example-4", "example-5", "example-6",
    ),
    "A Full Transformer Attention Example": ("cat-sleeps",),
    "Transformer Deep Learning Guide": ("hello-world",),
    "Attention Mechanism: Complete Visual Deep Dive": ("cat-sat",),
    "Self-Attention for Token i, and Transformers: Detailed Notes": ("token-i",),
}  # fmt: skip
ABOUT = (
    "Several chapters follow older documents, and keep their models and given numbers. Here is every number in them "
    "that can be computed and does not come out as printed, with the reason."
)


def sources_chapter(printed: list[PrintedInDocument]) -> Iterator[Block]:
    """The appendix; nothing where no chapter follows a document."""
    if not printed:
        return
    yield Heading(2, "What the documents print", NAME)
    yield Text((Words(ABOUT),))
    known = {name for lessons in DOCUMENTS.values() for name in lessons}
    others = {one.chapter.title: (one.chapter.name,) for one in printed if one.chapter.name not in known}
    for document, lessons in {**DOCUMENTS, **others}.items():
        of_document = [one for name in lessons for one in printed if one.chapter.name == name]
        if of_document:
            yield Heading(3, document, f"{NAME}.{of_document[0].chapter.name}")
        for one in of_document:
            if len(of_document) > 1:
                yield Heading(4, one.chapter.heading, f"{NAME}.{one.chapter.name}.notes")
            for block in one.blocks:
                yield from block.blocks if isinstance(block, Fold) else (block,)
