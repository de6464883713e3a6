"""The works that lessons cite: those of bibliography.yaml, and of a file that a lesson names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

from ..document.blocks import Block, Reference, Spans, Text, Words
from ..engine.errors import LessonError, did_you_mean
from ..engine.files import read_user_text
from ..scenarios.reading.location import place
from ..scenarios.reading.yaml_tree import data_of, read_yaml

FILE = "bibliography.yaml"
MAX_BYTES = 1_000_000
NEEDED, OPTIONAL = ("authors", "year", "title"), ("in", "link")
MAX_NAMED = 2  # authors that a citation names; more are "et al."


@dataclass(frozen=True)
class CitedWork:
    """A paper or a book: its authors are separated by commas, family names last."""

    authors: str
    year: str
    title: str
    published: str = ""  # where
    link: str = ""

    @property
    def short(self) -> str:
        """How a sentence cites it.

        >>> CitedWork("Jimmy Lei Ba, Jamie Ryan Kiros, Geoffrey Hinton", "2016", "Layer Normalization").short
        'Ba et al., 2016'
        """
        families = [author.split()[-1] for author in self.authors.split(", ")]
        names = " and ".join(families) if len(families) <= MAX_NAMED else f"{families[0]} et al."
        return f"{names}, {self.year}"

    def citation(self) -> Spans:
        return (Reference(self.short, address=self.link),) if self.link else (Words(self.short),)

    def entry(self) -> tuple[Block, ...]:
        """The work in a list of references."""
        title = Reference(self.title, address=self.link) if self.link else Words(self.title, "emphasis")
        published = (Words(". "), Words(self.published, "emphasis")) if self.published else ()
        return (Text((Words(f"{self.authors} ({self.year}). "), title, *published, Words("."))),)


@cache
def packaged_works() -> Mapping[str, CitedWork]:
    """The works that the lessons of the package cite.

    >>> packaged_works()["vaswani2017"].title
    'Attention Is All You Need'
    """
    file = resources.files(__package__) / FILE
    return read_works(file.read_text(encoding="utf-8"), FILE)


def works_of(file: str, folder: Path | None) -> Mapping[str, CitedWork]:
    """The works that a lesson can cite: those of the package, and those of its own file."""
    if not file:
        return packaged_works()
    text = read_user_text((folder or Path()) / file, MAX_BYTES, hint="Name a YAML file beside the lesson.")
    return {**packaged_works(), **read_works(text, file)}


def read_works(text: str, name: str) -> dict[str, CitedWork]:
    r"""Works by their keys.

    >>> read_works("ba2016: {authors: Jimmy Lei Ba, year: 2016, title: Layer Normalization}", "")["ba2016"].year
    '2016'
    """
    tree = read_yaml(text, name)
    works = {}
    for key, node in tree.entries.items():
        data: Any = data_of(node)
        if not isinstance(data, dict) or not set(NEEDED) <= data.keys() <= {*NEEDED, *OPTIONAL}:
            raise LessonError(
                f"The work {key[:40]} is not complete, or says too much.",
                hint=f"It needs {', '.join(NEEDED)}, and may have {', '.join(OPTIONAL)}.",
                where=place(name, tree.lines[key]),
            )
        values = (str(data.get(part, "")) for part in (*NEEDED, *OPTIONAL))
        works[key] = CitedWork(*values)
    return works


def cited(key: str, works: Mapping[str, CitedWork]) -> CitedWork:
    """The work that a lesson names."""
    if key not in works:
        raise LessonError(
            f"No work is called '{key[:40]}'.",
            hint=f"{did_you_mean(key, works)}The bibliography has {', '.join(sorted(works)[:8])} ...; for more, "
            "name a file in the head of the lesson: bibliography: works.yaml.",
        )
    return works[key]
