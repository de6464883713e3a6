"""What the front end is told first: every sentence that it may say, and whether a lab is behind it."""

from __future__ import annotations

from ..engine.sentences import sentences_under
from ..render.page.sentences import say
from . import (  # noqa: F401
    check_page_sentences,
    explorer_sentences,
    overview,
    practice_page_sentences,
    sentences,
    whatif_sentences,
)
from .answers import Start

PREFIXES = ("lab.", "page.")  # its own words, and those that it shares with pages in HTML


def start(live: bool = True) -> Start:
    """
    >>> start().sentences["lab.setting.model.mask"], start(live=False).live
    ('Mask', False)
    """
    from .. import __version__

    known = {key: text for prefix in PREFIXES for key, text in sentences_under(prefix).items()}
    return Start(say("page.language"), known, live, __version__)
