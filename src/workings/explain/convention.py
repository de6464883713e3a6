"""Which conventions a page depends on: what was chosen here, and who chooses otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..conventions import CHOICES, PROFILES, words
from ..engine.op import Op
from .document import Block, Document, Heading, Note, Table, Text, Words
from .sentences import say


def convention_blocks(op: Op, settings: Mapping[str, Any]) -> Iterator[Block]:
    """A sentence for each choice that a page depends on; nothing if there are none."""
    if op.page.conventions:
        yield Heading(2, say("explain.conventions"))
    for field, followed in op.page.conventions.items():
        yield Text((Words(_sentence(field, settings.get(followed, followed))),))


def conventions_document() -> Document:
    """All conventions side by side, and what each does differently from the first."""
    blocks: list[Block] = [Text((Words(say("explain.conventions.about")),)), _table()]
    first, *others = PROFILES.values()
    for other in others:
        blocks.append(Heading(2, say("explain.conventions.pair", one=first.profile, other=other.profile)))
        blocks += [Note("hint", (Words(str(difference)),)) for difference in first.differences(other)]
    return Document(say("explain.conventions"), tuple(blocks))


def _table() -> Table:
    """A row for each choice, a column for each profile."""
    choice = say("explain.conventions.choice")
    rows = tuple(
        ((Words(say(f"convention.{field}")),), *((Words(words(field, getattr(p, field))),) for p in PROFILES.values()))
        for field in CHOICES
    )
    return Table((choice, *PROFILES), rows)


def _sentence(field: str, here: Any) -> str:
    profiles: dict[Any, list[str]] = {here: []}
    for name, convention in PROFILES.items():
        profiles.setdefault(getattr(convention, field), []).append(name)
    told = [_who(words(field, choice), names) for choice, names in profiles.items()]
    facts = {"subject": say(f"convention.{field}"), "here": told[0], "elsewhere": ", ".join(told[1:])}
    return say("explain.conventions.differ" if told[1:] else "explain.conventions.agree", **facts)


def _who(choice: str, names: list[str]) -> str:
    return f"{choice} ({', '.join(names)})" if names else choice
