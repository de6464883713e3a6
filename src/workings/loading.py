"""Ctrl-C while the command is still loading: there is nothing to put away yet, so it just ends.

This is the first module of the package that is loaded, so it needs as little as it can: `_signal` is `signal` without
its enums, which take longer to load than a finger to press.
"""

from __future__ import annotations

import os
import sys
from _signal import SIGINT, default_int_handler, getsignal, signal  # type: ignore[import-not-found]

INTERRUPTED = 130  # the exit status of a program that Ctrl-C has ended, as shells give it


def loading_ends() -> None:
    """From now on Ctrl-C raises a KeyboardInterrupt again."""
    if getsignal(SIGINT) is _end:
        signal(SIGINT, default_int_handler)


def _end(number: int, frame: object) -> None:
    """Raising would not do: a KeyboardInterrupt inside of an import ends in a traceback, or is lost."""
    os._exit(INTERRUPTED)


def _is_command() -> bool:
    """Whether this process is `workings` or `python -m workings`, which is called -m until its module is found."""
    program = os.path.basename(sys.argv[0]) if sys.argv else ""
    return program.removesuffix(".exe") == "workings" or (program == "-m" and "workings" in sys.orig_argv)


# Every other program keeps its own handler, and so does a command for which Ctrl-C is ignored, as in the background of
# a script.
if _is_command() and getsignal(SIGINT) is default_int_handler:
    signal(SIGINT, _end)
