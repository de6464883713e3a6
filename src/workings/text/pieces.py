"""A text cut into pieces, within which bytes are joined; and the signs in which bytes are written.

The rule is that of GPT-2. A piece is, whatever comes first:

    's 'd 'm 't 'll 've 're     the ends of English words, such as don't
    letters, or digits, or other signs of one kind, with the space before them
    white space; the last one before a word is left to that word if it is a space

Letters and digits are what Unicode calls so, in every script. The module `re` cannot ask for them, so a text is
first drawn in ASCII, sign by sign: any other letter as A, any other digit as 0, any other white space as a line
end, and everything else as an exclamation mark. The drawing is as long as the text, and is cut in its place.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator

_PIECE = re.compile(
    r"'(?:[sdmt]|ll|ve|re)"
    r"| ?[A-Za-z]+"
    r"| ?[0-9]+"
    r"| ?[^\sA-Za-z0-9]+"
    r"|\s+(?!\S)"  # all white space but the last, which may be the space before a word
    r"|\s+",
    re.ASCII,
)


class _Drawing(dict[int, str]):
    """Each sign in ASCII, worked out when it is first met."""

    def __missing__(self, code: int) -> str:
        sign = chr(code)
        kind = unicodedata.category(sign)[0]
        if code < 128:
            drawn = sign
        elif kind in "LN":
            drawn = "A" if kind == "L" else "0"
        else:
            drawn = "\n" if sign.isspace() else "!"
        self[code] = drawn
        return drawn


_DRAWING = _Drawing()


def pieces(text: str) -> Iterator[str]:
    r"""The pieces of a text; side by side they are the text again.

    >>> list(pieces("Don't  go: x2\n"))
    ['Don', "'t", ' ', ' go', ':', ' x', '2', '\n']
    """
    for found in _PIECE.finditer(text.translate(_DRAWING)):
        yield text[found.start() : found.end()]


def apart(text: str, special: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    """A text cut at its special tokens: each part, and whether it is one. Of those that begin alike the longest is it.

    >>> list(apart("<s>a cat", ("<s>",)))
    [('<s>', True), ('a cat', False)]
    """
    longest_first = sorted(special, key=len, reverse=True)
    parts = re.split(f"({'|'.join(map(re.escape, longest_first))})", text) if special else [text]
    return ((part, bool(n % 2)) for n, part in enumerate(parts) if part)


def _alphabet() -> str:
    """One printable sign for each byte: itself where it has one in Latin-1, else the next sign from Ā on."""
    printable = {*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)}
    others = iter(range(0x100, 0x200))
    return "".join(chr(byte if byte in printable else next(others)) for byte in range(256))


SIGNS = _alphabet()
_SIGN_OF = dict(enumerate(SIGNS))
_BYTE_OF = {ord(sign): byte for byte, sign in enumerate(SIGNS)}


def in_signs(content: bytes) -> str:
    r"""Bytes as GPT-2 writes them, one sign each: a space is Ġ, a line end Ċ.

    >>> in_signs(" né\n".encode())
    'ĠnÃ©Ċ'
    """
    return content.decode("latin-1").translate(_SIGN_OF)


def from_signs(signs: str) -> bytes | None:
    """The bytes behind the signs, or None if one of them means no byte.

    >>> from_signs("Ġthe"), from_signs("日")
    (b' the', None)
    """
    return bytes(_BYTE_OF[ord(sign)] for sign in signs) if all(ord(sign) in _BYTE_OF for sign in signs) else None
