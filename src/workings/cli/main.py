"""The `workings` command from start to end: what it returns, and how anything that goes wrong is said.

Nothing of the package is loaded here before a command runs, so that Ctrl-C ends it quietly from the beginning.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import TYPE_CHECKING, NoReturn

from ..loading import INTERRUPTED, loading_ends
from .streams import print_note, usable_streams

if TYPE_CHECKING:
    from ..engine.errors import WorkingsError

REFUSED, FAULT = 2, 1  # exit statuses: what the user gave cannot be used; workings itself is at fault


def run() -> NoReturn:
    """The program: run the command line of this process, and exit."""
    try:
        status = main()
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # what follows is Python shutting down
    except KeyboardInterrupt:
        status = INTERRUPTED
    # After an interrupt inside of code from a string, such as a compiled trace, Python would end itself by the signal,
    # although it was handled. Any other code from a string makes it forget.
    exec("")
    sys.exit(status)


def main(arguments: list[str] | None = None) -> int:
    """Run a command and return its exit status. Errors are sentences on standard error, never a traceback."""
    with usable_streams():
        try:
            status = _run(arguments)
            sys.stdout.flush()
            return status
        except KeyboardInterrupt:
            return INTERRUPTED
        except BrokenPipeError:  # the reader of our output, such as `head`, has seen enough
            return 0
        except Exception as error:
            return _report(error)


def _run(arguments: list[str] | None) -> int:
    from ..engine.errors import InputError
    from .commands import app

    loading_ends()
    if any("\0" in word for word in arguments or ()):
        raise InputError("An argument contains a NUL character.", hint="Leave it out: no name of a file can have one.")
    try:
        app(arguments, standalone_mode=True)
    except SystemExit as end:
        if isinstance(end.__context__, BrokenPipeError):  # which typer turns into an exit of its own
            raise end.__context__ from None
        return end.code if isinstance(end.code, int) else 0
    return 0


def _report(error: Exception) -> int:
    from ..engine.errors import WorkingsError

    if isinstance(error, WorkingsError):
        print_note(str(error))
        return REFUSED
    if os.environ.get("WORKINGS_DEBUG"):
        raise error
    if isinstance(error, OSError):
        print_note(str(_refused_by_system(error)))
        return REFUSED
    print_note(
        f"Something went wrong inside workings: {type(error).__name__}: {error}\n"
        "  try:   Set WORKINGS_DEBUG=1 to see where, and report it."
    )
    return FAULT


def _refused_by_system(error: OSError) -> WorkingsError:
    """The last net: rooms that read and write files have said more about it."""
    from ..engine.errors import InputError
    from ..engine.files import reason_of, shown_path

    if error.filename is None:  # only standard output has no name
        return InputError(
            f"The result could not be printed: {reason_of(error)}.",
            hint="Check where the output goes, or write it to a file with -o.",
        )
    return InputError(
        f"{shown_path(os.fsdecode(error.filename))} cannot be used: {reason_of(error)}.",
        hint="Check its name and its permissions.",
    )
