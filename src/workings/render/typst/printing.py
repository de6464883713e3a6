"""Documents as PDF, set by Typst: tagged, with words for everything that is not text (PDF/UA-1).

The package typst is loaded when it is first needed. We use its own fonts, so that a page looks the same everywhere, and
those of the system only for signs that its fonts lack.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from ...document import blocks as d
from .page import to_typst

STANDARD: Final = "ua-1"
PLACEHOLDER = "□"  # for a sign that no font has
MAX_ROUNDS = 4  # each finds more signs without a font
_LACKING = re.compile(r'the text `"((?:[^"\\]|\\.)+)"` could not be displayed')
_ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}")


class TypesettingFault(Exception):
    """Typst refused our source, which is our fault: its message, and the place."""

    def __init__(self, message: str, place: str) -> None:
        super().__init__(message)
        self.message = message
        self.place = place


@dataclass(frozen=True)
class Printed:
    """A PDF, and the signs that could not be set."""

    pdf: bytes
    lacking: tuple[str, ...] = ()

    @property
    def remark(self) -> str:
        """What a user should know about it, if anything."""
        return _missing_signs(self.lacking) if self.lacking else ""


def to_pdf(document: d.Document) -> Printed:
    """The whole document.

    >>> to_pdf(d.Document("softmax", (d.Text((d.Words("2 < 3"),)),))).pdf[:5]
    b'%PDF-'
    """
    import typst

    source = to_typst(document)
    lacking: list[str] = []
    own_fonts = True
    for _ in range(MAX_ROUNDS):
        try:
            # Without a date, so that the same document gives the same file.
            pdf: bytes = typst.compile(
                source.encode(), ignore_system_fonts=own_fonts, pdf_standards=STANDARD, timestamp=0
            )
            return Printed(pdf, tuple(lacking))
        except typst.TypstError as error:
            signs = _lacking(error.diagnostic)
            if not signs:
                raise TypesettingFault(error.message, _place(error.diagnostic)) from None
            if own_fonts:
                own_fonts = False
                continue
            lacking += [sign for sign in signs if sign not in lacking]
            source = source.translate({ord(sign): PLACEHOLDER for sign in lacking})
    raise TypesettingFault(_missing_signs(lacking), "")


def _missing_signs(signs: Iterable[str]) -> str:
    return f"The PDF shows {PLACEHOLDER} for signs that no font here has: {' '.join(signs)}."


def _lacking(diagnostic: str) -> list[str]:
    """The signs for which there is no font, as Typst names them."""
    found = []
    for text in _LACKING.findall(diagnostic):
        plain = _ESCAPED.sub(lambda code: chr(int(code[1], 16)), text)
        found += [sign for sign in plain if sign not in found and not sign.isascii()]
    return found


def _place(diagnostic: str) -> str:
    """Where in the source it is."""
    found = re.search(r":(\d+:\d+)", diagnostic)
    return found[1] if found else ""
