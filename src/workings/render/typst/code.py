"""The language of Typst: calls of the functions in template.typ. Whatever a document says is a string in it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...explain.formula_typst import string

NONE = "none"
LONG_NAME = 30  # letters; a longer name may be broken behind a point or an underscore, but no command that is copied
_QUOTES = re.compile(
    """("|(?<=[^\\W\\d_])'(?=[^\\W\\d_]))"""
)  # a single one only within a word: it may be that of a token
_NAMED = re.compile(r"`([^`]+)`")
_JOINT = re.compile(r"(?<=[._/\]])(?=\w)")


def call(name: str, *arguments: str, **options: str) -> str:
    """A call; options that are none are left out, and _ in their names stands for -.

    >>> call("fold", string("More"), wide="true", note=NONE)
    'fold("More", wide: true)'
    """
    given = [f"{key.replace('_', '-')}: {value}" for key, value in options.items() if value != NONE]
    return f"{name}({', '.join([*arguments, *given])})"


def joined(parts: Iterable[str]) -> str:
    """Pieces of content one after the other.

    >>> joined(['"a"', 'strong("b")'])
    '{ "a"; strong("b") }'
    """
    inside = "; ".join(part for part in parts if part)
    return f"{{ {inside} }}" if inside else NONE


def array(items: Iterable[str]) -> str:
    """
    >>> array(['"a"']), array([])
    ('("a",)', '()')
    """
    inside = "".join(f"{item}, " for item in items)
    return f"({inside.rstrip(' ')})" if inside else "()"


def words(text: str) -> str:
    """A text, with quotation marks and apostrophes as in print; what stands between two ticks is a name or a command.

    >>> words("it's `x`")
    '{ "it"; smartquote(double: false); "s "; code("x") }'
    """
    pieces = [name(piece) if n % 2 else _quoted(piece) for n, piece in enumerate(_NAMED.split(text))]
    return joined(pieces)


def optional_words(text: str) -> str:
    return words(text) if text else NONE


def name(text: str) -> str:
    """A name in letters of one width.

    >>> name("W_Q")
    'code("W_Q")'
    """
    return call("code", string(_JOINT.sub("\u200b", text) if len(text) > LONG_NAME and " " not in text else text))


def number(text: str) -> str:
    """A number as it is printed, with a real minus.

    >>> number("-0.5")
    '"−0.5"'
    """
    return string(text.replace("-", "−"))


def _quoted(text: str) -> str:
    pieces = [_mark(piece) if n % 2 else string(piece) for n, piece in enumerate(_QUOTES.split(text)) if piece]
    return "; ".join(pieces)


def _mark(quote: str) -> str:
    return "smartquote(double: true)" if quote == '"' else "smartquote(double: false)"
