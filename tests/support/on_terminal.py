"""A command on a terminal of its own: what a person would see who sits there."""

import os
import pty
import select
import sys
import time
from pathlib import Path

from started import started

WORKINGS = Path(sys.executable).parent / "workings"
PATIENCE = 120  # seconds, after which something hangs


def seen(*words, keys=b"", after=b"", **environment):
    """The exit code of `workings` and all that the terminal showed; `keys` are pressed once it shows `after`."""
    ours, theirs = pty.openpty()
    variables = {key: value for key, value in os.environ.items() if key not in ("PAGER", "MANPAGER", "LESS")}
    variables |= {"TERM": "xterm", "PYTHONIOENCODING": "utf-8", **environment}
    streams = {"stdin": theirs, "stdout": theirs, "stderr": theirs}
    try:
        with started(WORKINGS, *words, terminal=True, env=variables, **streams) as process:
            os.close(theirs)
            shown = _watched(ours, keys, after)
            return process.wait(PATIENCE), shown.decode().replace("\r\n", "\n")
    finally:
        os.close(ours)


def _watched(terminal, keys, after):
    shown, pressed, end = b"", False, time.monotonic() + PATIENCE
    while time.monotonic() < end:
        if not select.select([terminal], [], [], 1)[0]:
            continue
        try:
            part = os.read(terminal, 65536)
        except OSError:  # the other end is closed
            return shown
        if not part:
            return shown
        shown += part
        if keys and not pressed and after in shown:
            os.write(terminal, keys)
            pressed = True
    raise AssertionError(f"still running after {PATIENCE} seconds: {shown[-200:]!r}")
