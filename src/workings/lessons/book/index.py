"""The index of the book: index.yaml says for each word in which sections it is explained."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from importlib import resources

from ...document.blocks import Block, Heading, Reference, Term, Terms, Text, Words, all_blocks
from ...scenarios.reading.yaml_tree import data_of, read_yaml
from .chapter import Chapter

NAME = "index"
FILE = resources.files(__package__) / "index.yaml"


def index_chapter(chapters: Mapping[str, Chapter], blocks: list[Block]) -> Iterator[Block]:
    """The words whose places are in the book, in the order of the alphabet."""
    anchors = {block.anchor for block in all_blocks(tuple(blocks)) if isinstance(block, Heading)}
    entries = []
    for word, places in sorted(words().items(), key=lambda entry: entry[0].lower()):
        there = [place for place in places if place.replace("#", ".") in anchors]
        references = [
            Reference(_reference(chapters[_lesson(place)]), anchor=place.replace("#", ".")) for place in there
        ]
        if references:
            entries.append(Term(word, tuple(references)))
    if entries:
        yield Heading(2, "Index", NAME)
        yield Text((Words("Each word leads to the sections that explain it."),))
        yield Terms(tuple(entries))


def words() -> dict[str, list[str]]:
    """Each word with its places, such as `example-1#scaling`."""
    found: dict[str, list[str]] = data_of(read_yaml(FILE.read_text(encoding="utf-8"), FILE.name))
    return found


def _lesson(place: str) -> str:
    return place.partition("#")[0]


def _reference(chapter: Chapter) -> str:
    return chapter.number or chapter.title
