"""Spans: the pieces of a line of text. Every number knows which entry of which step it is."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Index: TypeAlias = tuple[int, ...]
Value: TypeAlias = float | int | str  # non-finite numbers are the words "inf", "-inf", "nan"


@dataclass(frozen=True)
class Words:
    text: str
    look: Literal["plain", "strong", "emphasis", "code"] = "plain"
    kind: Literal["words"] = "words"


@dataclass(frozen=True)
class Math:
    """A formula within a line, in every form that a target may need."""

    latex: str
    text: str
    ascii: str
    speech: str
    typst: str = ""
    kind: Literal["math"] = "math"


@dataclass(frozen=True)
class Number:
    """A printed number. `step` and `index` say which entry it is (or to whose hand calculation it belongs);
    `role` says whether it is that entry, a line on the way to it, a setting, the rest of a long sum, what the
    `mistake` of that name would have given there, a number of the history that `step` names, such as the loss, the
    size of an axis (`index` says which), a count in a figure, such as the weights in an area, what a source printed
    there, right or wrong, the smallest or largest accepted answer, or a blank: a line to write on, which has no value.
    """

    text: str
    value: Value
    step: str
    index: Index
    role: Literal[
        "entry", "line", "setting", "rest", "mistake", "history", "size", "count", "printed", "limit", "blank"
    ] = "entry"
    mistake: str = ""  # its id, such as softmax.wrong_axis
    kind: Literal["number"] = "number"

    @property
    def is_blank(self) -> bool:
        return self.role == "blank"


@dataclass(frozen=True)
class Link:
    """The name of a step, leading to it."""

    text: str
    step: str
    kind: Literal["link"] = "link"


@dataclass(frozen=True)
class Reference:
    """Words that lead elsewhere: to another lesson, to the heading with this `anchor` (here, or in that lesson), or to
    an address that begins with http.
    """

    text: str
    lesson: str = ""
    address: str = ""
    anchor: str = ""
    kind: Literal["reference"] = "reference"


Span: TypeAlias = Words | Math | Number | Link | Reference
Spans: TypeAlias = tuple[Span, ...]


def plain_text(spans: Spans) -> str:
    """The spans as one line of Unicode text."""
    return "".join(span.text for span in spans)


def fill_spans(template: str, **spans: Span | Spans) -> Spans:
    """A sentence with spans in it: each {name} becomes its span, or its spans, so that a number stays a number.

    >>> [span.kind for span in fill_spans("{step} gives {value}.", step=Link("P", "3"), value=Words("2"))]
    ['link', 'words', 'words', 'words']
    """
    found: list[Span] = []
    for n, piece in enumerate(re.split(r"\{(\w+)\}", template)):
        part = spans[piece] if n % 2 else Words(piece)
        found += part if isinstance(part, tuple) else (part,)
    return tuple(span for span in found if span != Words(""))
