"""The conventions that a page depends on, who chooses which, and all conventions side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..conventions import CHOICES, PROFILES, subject, words
from ..document.blocks import Block, Document, Heading, Note, Table, Text, Words
from ..engine.op import Op


def convention_blocks(op: Op, settings: Mapping[str, Any]) -> Iterator[Block]:
    """A sentence for each choice that a page depends on."""
    if op.page.conventions:
        yield Heading(2, "Conventions")
    for field, followed in op.page.conventions.items():
        yield Text((Words(_sentence(field, settings.get(followed, followed))),))


def conventions_document() -> Document:
    """All conventions side by side, and what each does differently from the first."""
    blocks: list[Block] = [
        Text(
            (
                Words(
                    "What papers, libraries and textbooks do differently. Each column is a convention: choose one with "
                    "--convention on the command line, or with w.convention in Python."
                ),
            )
        ),
        _table(),
    ]
    first, *others = PROFILES.values()
    for other in others:
        blocks.append(Heading(2, f"{first.profile} and {other.profile}"))
        blocks += [Note("hint", (Words(str(difference)),)) for difference in first.differences(other)]
    return Document("Conventions", tuple(blocks))


def _table() -> Table:
    """A row for each choice, a column for each profile."""
    rows = tuple(
        ((Words(subject(field)),), *((Words(words(field, getattr(p, field))),) for p in PROFILES.values()))
        for field in CHOICES
    )
    return Table(("choice", *PROFILES), rows)


def _sentence(field: str, here: Any) -> str:
    profiles: dict[Any, list[str]] = {here: []}
    for name, convention in PROFILES.items():
        profiles.setdefault(getattr(convention, field), []).append(name)
    here_words, *elsewhere = [_with_profiles(words(field, choice), names) for choice, names in profiles.items()]
    others = f" Elsewhere: {', '.join(elsewhere)}." if elsewhere else ""
    return f"{subject(field)} {here_words}.{others}"


def _with_profiles(choice: str, names: list[str]) -> str:
    return f"{choice} ({', '.join(names)})" if names else choice
