"""The text of a file, in whatever encoding a program has saved it."""

from __future__ import annotations

import codecs
import re

from ...engine.errors import InputError

# The byte order marks of a file; that of UTF-32 begins like that of UTF-16.
BYTE_ORDER_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NOT_IN_TEXT = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def decoded(content: bytes) -> str:
    r"""The text of a file in UTF-8, UTF-16, UTF-32, or the Windows code page 1252.

    >>> decoded("loss,0.25".encode("utf-16")), decoded(b"entry,answer\n")
    ('loss,0.25', 'entry,answer\n')
    """
    mark, encoding = next(
        ((mark, name) for mark, name in BYTE_ORDER_MARKS if content.startswith(mark)), (b"", _guessed(content))
    )
    try:
        text = content[len(mark) :].decode(encoding)
    except UnicodeDecodeError:
        text = "\0" if mark else content.decode("cp1252", "replace")
    if _NOT_IN_TEXT.search(text):
        raise InputError(
            "The file is not text.",
            hint="Its name ends like that of a text file: check that it is the right file, and how it was saved.",
        )
    return text


def _guessed(content: bytes) -> str:
    """In UTF-16, every second byte of a Western text is 0."""
    beginning = content[:1000]
    for start, encoding in ((1, "utf-16-le"), (0, "utf-16-be")):
        zeros = beginning[start::2].count(0)
        if zeros > len(beginning) // 3 and not beginning[1 - start :: 2].count(0):
            return encoding
    return "utf-8"
