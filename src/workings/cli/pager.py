"""A text page by page, in the program that the reader has chosen for it: PAGER, else less."""

from __future__ import annotations

import os
import shlex
import shutil
import signal
import subprocess
import sys

DEFAULT_PAGER = ("less", "-FRX")  # ends by itself where all fits, shows colors, leaves the text on the screen
NO_PAGER = ("", "cat")  # a reader who names one of these wants the text to be printed
NOT_STARTED = (126, 127)  # exit statuses with which a shell or env says so


def page_by_page(text: str) -> None:
    """Show a text in the pager; where there is none, or it cannot start, the text is printed."""
    command = pager_command()
    if not command or not _show(command, text):
        sys.stdout.write(text)


def pager_command() -> list[str]:
    """The words of the command; none if the text is to be printed."""
    if sys.stdin is None or not sys.stdin.isatty():
        return []  # there is no keyboard to turn the page with
    chosen = os.environ.get("PAGER")
    if chosen is None:
        return list(DEFAULT_PAGER) if shutil.which(DEFAULT_PAGER[0]) and os.environ.get("TERM") != "dumb" else []
    try:
        words = shlex.split(chosen)
    except ValueError:  # a quotation mark without its partner
        return []
    if not words or (len(words) == 1 and words[0] in NO_PAGER):
        return []
    # Colors need -R, which LESS may lack; a file behind -- must not be taken for one.
    return [words[0], "-R", *words[1:]] if os.path.basename(words[0]) == "less" else words


def _show(command: list[str], text: str) -> bool:
    """Whether the pager could be started. It may be closed before the end of the text."""
    sys.stdout.flush()
    # Ctrl-C is for the pager alone. A handler that does nothing keeps it from us, also in the moment in which the pager
    # starts; a signal that we ignored would be ignored in the pager, too.
    before = signal.signal(signal.SIGINT, lambda number, frame: None)
    try:
        pager = subprocess.Popen(command, stdin=subprocess.PIPE)
        try:
            pager.communicate(text.encode(sys.stdout.encoding or "ascii", "replace"))
        finally:
            if pager.poll() is None:  # something went wrong here: the pager must not stay on the screen alone
                pager.kill()
                pager.wait()
    except (OSError, ValueError):
        return False
    finally:
        signal.signal(signal.SIGINT, before)
    return pager.returncode not in NOT_STARTED
