"""Documents as PDF, set by Typst: tagged, with words for everything that is not text (PDF/UA-1).

The package typst is loaded when it is first needed. Its own fonts are used, so that a page looks the same everywhere;
only where they lack a sign, those of the system are asked too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...explain import document as d
from .page import to_typst
from .sentences import say

STANDARD = "ua-1"
INSTEAD = "□"  # of a sign that no font has
ROUNDS = 4  # in which signs without a font are found
_LACKING = re.compile(r'the text `"((?:[^"\\]|\\.)+)"` could not be displayed')
_ESCAPED = re.compile(r"\\u\{([0-9a-f]+)\}")


class TypesettingFault(Exception):
    """Typst refused what we wrote, which is our fault: what it says, and where."""

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
        """What to tell about it, if anything."""
        return say("print.unset", signs=" ".join(self.lacking)) if self.lacking else ""


def to_pdf(document: d.Document) -> Printed:
    """The whole document.

    >>> to_pdf(d.Document("softmax", (d.Text((d.Words("2 < 3"),)),))).pdf[:5]
    b'%PDF-'
    """
    import typst

    source = to_typst(document)
    lacking: list[str] = []
    own_fonts = True
    for _ in range(ROUNDS):
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
            source = source.translate({ord(sign): INSTEAD for sign in lacking})
    raise TypesettingFault(say("print.unset", signs=" ".join(lacking)), "")


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
