"""The options of a figure: what a lesson writes below a directive, such as `:axes: 0 1`, as typed values.

A page lists its options as fields of a frozen dataclass, each made with `option`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any, Generic, TypeVar, cast

from ...engine.errors import CallError

Value = TypeVar("Value")
Default = TypeVar("Default")
Options = TypeVar("Options")
SHOWN_CHARS = 20  # of a text that cannot be read, in an error


@dataclass(frozen=True)
class OptionType(Generic[Value]):
    """What can be written for an option: in words, as an example, and how it is read. `read` raises ValueError."""

    words: str
    example: str
    read: Callable[[str], Value]


def _yes_or_no(text: str) -> bool:
    return bool(("no", "yes").index(text))


def _two_entries(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]{1,6}) +([0-9]{1,6})", text.strip())
    if found is None:
        raise ValueError(text)
    return int(found[1]), int(found[2])


def _words(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _names(text: str) -> tuple[str, ...]:
    return tuple(text.replace(",", " ").split())


NAME = OptionType("a name", "attention", str)
NAMES = OptionType("names separated by spaces", "scores weights", _names)
WORDS = OptionType("words separated by commas", "The, cat, sat", _words)
YES_OR_NO = OptionType("yes or no", "yes", _yes_or_no)
TWO_ENTRIES = OptionType("two entries of a row, counted from 0", "0 1", _two_entries)


def option(type: OptionType[Value], help: str, default: Default, name: str = "") -> Value | Default:
    """A field of the options of a page. `name` is needed only where Python does not allow it, as `from`."""
    made = field(default=default, metadata={"type": type, "help": help, "name": name})
    return cast("Value | Default", made)


@dataclass(frozen=True)
class NoOptions:
    """Of a page that has only the options that every figure has."""


@dataclass(frozen=True)
class LabelOptions:
    """Of a page that shows the rows of a step."""

    labels: tuple[str, ...] = option(WORDS, "Labels for the rows, or for the entries of a single row.", ())


@dataclass(frozen=True)
class OptionEntry:
    """One option of a page, as documentation lists it."""

    name: str
    field: str
    type: OptionType[Any]
    help: str


def options_in(kind: type) -> dict[str, OptionEntry]:
    """The options that a page has of its own, by name."""
    entries = [
        OptionEntry(one.metadata["name"] or one.name, one.name, one.metadata["type"], one.metadata["help"])
        for one in fields(kind)
    ]
    return {entry.name: entry for entry in entries}


def read_options(kind: type[Options], given: Mapping[str, str]) -> Options:
    """The options of a page from texts; those that it does not know are skipped.

    >>> @dataclass(frozen=True)
    ... class PlaneOptions:
    ...     axes: tuple[int, int] = option(TWO_ENTRIES, "Which entries of a row are drawn.", (0, 1))
    >>> read_options(PlaneOptions, {"axes": "0 2"})
    PlaneOptions(axes=(0, 2))
    """
    values = {}
    for name, entry in options_in(kind).items():
        if name in given:
            try:
                values[entry.field] = entry.type.read(given[name])
            except ValueError:
                raise CallError(
                    f"The option {name} takes {entry.type.words}, not '{given[name][:SHOWN_CHARS]}'.",
                    hint=f"Write :{name}: {entry.type.example}, or leave it out.",
                ) from None
    return kind(**values)


def names_for(names: Sequence[str], count: int) -> Sequence[str]:
    """The names that an option gives, if there is one for each of so many things."""
    if names and len(names) != count:
        raise CallError(
            f"There are {len(names)} names for {count} things.", hint="Write one name for each, separated by commas."
        )
    return names
