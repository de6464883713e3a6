"""What an answer file calls an entry, in one spelling: `scores[1][0]`."""

from __future__ import annotations

import re
import unicodedata

LONGEST = 200  # characters

_INDEX = re.compile(r"\s?\[\s?(-?[0-9]{1,9}(?:\s?[,;]\s?-?[0-9]{1,9}){0,9})\s?\]")
_LABEL = re.compile(r"[^\W\d_][^|=\n]*")


def read_label(text: str) -> str | None:
    """The label in its one spelling, or None for what cannot be one.

    >>> read_label("scores [1, 0]"), read_label("shape of  z"), read_label("0.25")
    ('scores[1][0]', 'shape of z', None)
    """
    if len(text) > LONGEST:
        return None
    plain = " ".join(unicodedata.normalize("NFKC", text).split())
    plain = _INDEX.sub(lambda found: "".join(f"[{place}]" for place in re.findall(r"-?[0-9]+", found[1])), plain)
    return plain if _LABEL.fullmatch(plain) else None
