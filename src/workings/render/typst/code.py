"""The language of Typst: calls of the functions in template.typ. Every text of a document is a string in it."""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...formula.typst import string

NONE = "none"
MAX_NAME_LETTERS = 30  # a longer name may be broken after a point or an underscore; commands to copy are not
# A single quote only within a word: elsewhere it may belong to a token.
_QUOTES = re.compile("""("|(?<=[^\\W\\d_])'(?=[^\\W\\d_]))""")
_NAMED = re.compile(r"`([^`]+)`")
_JOINT = re.compile(r"(?<=[._/\]])(?=\w)")


def call(name: str, *arguments: str, **options: str) -> str:
    """A call; options that are none are left out, and _ in their names becomes -.

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
    """A text, with quotation marks and apostrophes as in print; text between two ticks is a name or a command.

    >>> words("it's `x`")
    '{ "it"; smartquote(double: false); "s "; code("x") }'
    """
    pieces = [name(piece) if n % 2 else _quoted(piece) for n, piece in enumerate(_NAMED.split(text))]
    return joined(pieces)


def optional_words(text: str) -> str:
    return words(text) if text else NONE


def name(text: str) -> str:
    """A name in monospaced letters.

    >>> name("W_Q")
    'code("W_Q")'
    """
    may_break = len(text) > MAX_NAME_LETTERS and " " not in text
    return call("code", string(_JOINT.sub("\u200b", text) if may_break else text))


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
