"""Hand calculations: aligned at their equals signs, broken between two terms, with real powers and indices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from rich.cells import cell_len

from ...document import blocks as d
from ...formula.typst import string
from .code import NONE, call, joined, number, optional_words

LINE_WIDTH = 40.0  # in units of the font size
MIN_LEFT_WIDTH = 5.0  # of a left side: others in its calculation are wider
BOLD = 1.1
MAX_LEFT_SIGNS = 24  # that fit on the left side
MAX_PIECE_SIGNS = 60  # a longer piece may be broken at any space
_BREAKS = (" = ", " + ", " − ", " - ")
_NAME = re.compile(r"\b(d?[A-Za-z])_([A-Za-z0-9]+(?:_[A-Za-z0-9]+)*)\b|(?<![\w.])(d?[A-Za-zα-ω])(?![\w.(])")
_POWER = re.compile(r"\^([A-Za-z0-9]+)")


# How wide signs are, in the same unit; all others are about as wide as a digit.
WIDTHS = {
    sign: width
    for signs, width in ((".,:'", 0.22), (" \u00a0", 0.25), ("()[]·", 0.33), ("+−-×=", 0.55))
    for sign in signs
}


def wide(text: str) -> float:
    """About how wide a text is.

    >>> wide("x[0]")
    1.59
    """
    return round(sum(WIDTHS.get(sign, 0.465) for sign in text), 3)


def derivation(block: d.Derivation) -> str:
    lines = [piece for line in block.lines for piece in _line(line)]
    return call("derivation", *lines, note=optional_words(block.note))


def _line(line: d.DerivedLine) -> Iterator[str]:
    """The left side, and what it is equal to; one form below the other where they do not fit on a line."""
    forms = list(line.forms)
    if forms and d.plain_text(forms[-1]) == line.value.text:
        forms.pop()
    left = d.plain_text(line.left)
    value = call("strong", number(line.value.text))
    rights = [(typeset(form), wide(d.plain_text(form))) for form in forms] + [(value, wide(line.value.text) * BOLD)]
    room = LINE_WIDTH - min(max(wide(left), MIN_LEFT_WIDTH), wide("0") * MAX_LEFT_SIGNS)
    right: list[str] = []
    used = 0.0
    for n, (form_code, alone) in enumerate(rights):
        width = alone + wide("= ")
        fits = used + width + wide(" ") <= room
        right += ([string(" ") if fits else "parbreak()"] if n else []) + [string("=\u00a0"), form_code]
        used = used + width + wide(" ") if fits or not n else width
    if cell_len(left) > MAX_LEFT_SIGNS:
        yield call("stacked", typeset(line.left), joined(right))
    else:
        yield typeset(line.left)
        yield joined(right)


@dataclass(frozen=True)
class _Sign:
    """A sign of a line, or a whole number."""

    text: str
    is_number: bool = False


def typeset(spans: d.Spans) -> str:
    """A side of a calculation. A line may end before a sign outside of brackets, and after a comma."""
    signs: list[_Sign] = []
    for span in spans:
        if isinstance(span, d.Number):
            signs.append(_Sign(span.text, is_number=True))
        else:
            signs += [_Sign(sign) for sign in span.text]
    return joined(_set(_kept_together(signs)))


def _kept_together(signs: list[_Sign]) -> list[_Sign]:
    """The signs, with spaces at which no line ends, except where one may."""
    text = "".join("0" * max(len(sign.text), 1) if sign.is_number else sign.text for sign in signs)
    breaks, depth, at = {0}, 0, 0
    for n, letter in enumerate(text):
        depth += (letter in "([{") - (letter in ")]}")
        if (depth == 0 and text[n : n + 3] in _BREAKS) or text[n - 1 : n + 1] == ", ":
            breaks.add(n)
    ends = sorted(breaks | {len(text)})
    hard = {n for one, other in pairwise(ends) if other - one > MAX_PIECE_SIGNS for n in range(one, other)}
    kept = []
    for sign in signs:
        if sign.text == " " and not sign.is_number and at not in breaks and at not in hard:
            kept.append(_Sign("\u00a0"))
        else:
            kept.append(sign)
        at += max(len(sign.text), 1) if sign.is_number else 1
    return kept


def _set(signs: list[_Sign]) -> Iterator[str]:
    """Text and numbers; the content of the brackets after a ^ is raised."""
    n, text = 0, ""
    while n < len(signs):
        sign = signs[n]
        if sign.is_number:
            yield from _names(text)
            text = ""
            yield number(sign.text)
        elif sign.text == "^" and n + 1 < len(signs) and signs[n + 1].text == "(":
            end = _closing(signs, n + 1)
            yield from _names(text)
            text = ""
            yield call("raised", joined(_set(signs[n + 2 : end])))
            n = end
        elif sign.text == "^" and n + 1 < len(signs) and signs[n + 1].is_number:
            yield from _names(text)
            text = ""
            yield call("raised", number(signs[n + 1].text))
            n += 1
        elif sign.text == "√" and _is_bare(signs[n + 1 : n + 4]):  # nothing else is under the root
            yield from _names(text + sign.text)
            text = ""
            yield number(signs[n + 2].text)
            n += 3
        else:
            text += sign.text
        n += 1
    yield from _names(text)


def _is_bare(signs: list[_Sign]) -> bool:
    """Whether these are a number between brackets, and not a negative one."""
    marks = [sign.text for sign in signs if not sign.is_number]
    return len(signs) == 3 and marks == ["(", ")"] and signs[1].is_number and not signs[1].text.startswith("-")


def _closing(signs: list[_Sign], start: int) -> int:
    depth = 0
    for n in range(start, len(signs)):
        if not signs[n].is_number:
            depth += (signs[n].text == "(") - (signs[n].text == ")")
        if depth == 0:
            return n
    return len(signs)


def _names(text: str) -> Iterator[str]:
    """A text in which letters look as in a formula: W_Q with its index below, single letters slanted.

    >>> list(_names("W_Q[0] − x"))
    ['emph("W")', 'lowered("Q")', '"[0] − "', 'emph("x")']
    """
    at = 0
    for found in _NAME.finditer(text):
        yield from _powers(text[at : found.start()])
        if found[3]:
            yield call("emph", string(found[3]))
        else:
            yield call("emph", string(found[1]))
            yield call("lowered", string(found[2].replace("_", ", ")))
        at = found.end()
    yield from _powers(text[at:])


def _powers(text: str) -> Iterator[str]:
    for n, piece in enumerate(_POWER.split(text)):
        if piece:
            yield call("raised", string(piece)) if n % 2 else string(piece)


def title(text: str) -> str:
    """The name of a matrix, as in a calculation."""
    return joined(_names(text)) if text else NONE
