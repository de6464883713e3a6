"""A text page by page, in the program that the reader has chosen for it: PAGER, else less."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys

USUAL = ("less", "-FRX")  # ends by itself where all fits, shows colours, leaves the text on the screen
PRINTS = ("", "cat")  # a reader who names one of these wants no pager
NOT_STARTED = (126, 127)  # how a shell or env says so


def page_by_page(text: str) -> None:
    """Show a text in the pager; where there is none, or it cannot start, the text is printed."""
    words = _pager()
    if not words or not _shown(words, text):
        sys.stdout.write(text)


def _pager() -> list[str]:
    """The words of the command, or none at all."""
    if sys.stdin is None or not sys.stdin.isatty():
        return []  # nobody could turn the page
    chosen = os.environ.get("PAGER")
    if chosen is None:
        return list(USUAL) if shutil.which(USUAL[0]) and os.environ.get("TERM") != "dumb" else []
    try:
        words = shlex.split(chosen)
    except ValueError:  # a quotation mark without its partner
        return []
    if not words or (len(words) == 1 and words[0] in PRINTS):
        return []
    # Colours need -R, which LESS may lack; a file behind -- must not be taken for one.
    return [words[0], "-R", *words[1:]] if os.path.basename(words[0]) == "less" else words


def _shown(words: list[str], text: str) -> bool:
    """Whether the pager could be started. Ctrl-C is its own affair, and it may be closed before the end."""
    sys.stdout.flush()
    try:
        pager = subprocess.Popen(words, stdin=subprocess.PIPE)
    except (OSError, ValueError):
        return False
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        pager.communicate(text.encode(sys.stdout.encoding or "ascii", "replace"))
    finally:
        signal.signal(signal.SIGINT, before)
    return pager.returncode not in NOT_STARTED
