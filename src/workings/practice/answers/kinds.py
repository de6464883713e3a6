"""Answers that are not numbers: a shape, a set of positions, one of several choices."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...engine.errors import InputError
from .spelling import shown, spelled

MAX_CHARS = 1000
MIN_PREFIX_CHARS = 3  # letters that identify a whole word

_AROUND = re.compile(r"(?:torch\.Size|shape|\(|\)|\[|\]|\{|\}|\s|=|:)*", re.IGNORECASE)
_SIZES = re.compile(r"[0-9]{1,9}(?:\s*(?:x|\*|by|,|\s)\s*[0-9]{1,9})*\s*,?")
_POSITIONS = re.compile(r"[0-9]{1,9}(?:(?:\s*[,;&]\s*|\s+|\s*,?\s+and\s+)[0-9]{1,9})*")
_QUOTES = "\"'`‘’“”«»„ \t\r\n"


def read_shape(text: str) -> tuple[int, ...]:
    """The sizes of a shape; a single number has none.

    >>> read_shape("2x3"), read_shape("(2, 3)"), read_shape("2 × 3"), read_shape("torch.Size([2])"), read_shape("()")
    ((2, 3), (2, 3), (2, 3), (2,), ())
    """
    plain = spelled(text[:MAX_CHARS]).strip()
    start = _AROUND.match(plain)
    inside = plain[start.end() if start else 0 :].rstrip(")]} \t\r\n").casefold()
    if len(text) <= MAX_CHARS and _SIZES.fullmatch(inside):
        return tuple(int(size) for size in re.findall("[0-9]+", inside))
    if plain in ("()", "[]", "torch.Size([])"):
        return ()
    raise InputError(
        f"'{shown(text)}' is not a shape.", hint="Write it as 2 x 3 or (2, 3), and () for a single number."
    )


def read_positions(text: str) -> frozenset[int]:
    """A set of positions, which count from 0.

    >>> sorted(read_positions("{0, 2}")), sorted(read_positions("0 and 2")), read_positions("none")
    ([0, 2], [0, 2], frozenset())
    """
    plain = spelled(text[:MAX_CHARS]).strip().casefold()
    inside = plain.strip("{}[]() \t\r\n")
    if len(text) <= MAX_CHARS and _POSITIONS.fullmatch(inside):
        return frozenset(int(position) for position in re.findall("[0-9]+", inside))
    if inside in ("none", "∅") or "".join(plain.split()) in ("{}", "[]", "()"):
        return frozenset()
    raise InputError(
        f"'{shown(text)}' is not a set of positions.", hint="Write them as 0, 2 or {0, 2}, counted from 0, or none."
    )


def read_choice(text: str, choices: Sequence[str]) -> str:
    """The choice: capitals and quotes do not matter, and the beginning of a word is enough.

    >>> read_choice('"Sat"', ("sat", "mat", "ate")), read_choice("ATTEN", ("attention", "feed-forward"))
    ('sat', 'attention')
    """
    said = text[:MAX_CHARS].strip(_QUOTES).casefold()
    same = [choice for choice in choices if choice == text.strip(_QUOTES)]
    same = same or [choice for choice in choices if choice.strip(_QUOTES).casefold() == said]
    if not same and sum(sign.isalpha() for sign in said) >= MIN_PREFIX_CHARS:
        same = [choice for choice in choices if choice.casefold().startswith(said)]
    if len(same) != 1 or len(text) > MAX_CHARS:
        raise InputError(
            f"'{shown(text)}' is not one of the choices.", hint=f"Choose one of: {', '.join(choices[:20])}."
        )
    return same[0]
