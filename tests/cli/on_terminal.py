"""A command on a terminal of its own: what a person would see who sits there."""

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

WORKINGS = Path(sys.executable).parent / "workings"
PATIENCE = 120  # seconds, after which something hangs


def seen(*words, keys=b"", after=b"", **environment):
    """The exit code of `workings` and all that the terminal showed; `keys` are pressed once it shows `after`."""
    ours, theirs = pty.openpty()
    variables = {key: value for key, value in os.environ.items() if key not in ("PAGER", "MANPAGER", "LESS")}
    variables |= {"TERM": "xterm", "PYTHONIOENCODING": "utf-8", **environment}
    command = [str(WORKINGS), *words]
    # In a session of its own whose terminal this is: only so does Ctrl-C arrive.
    start = "import fcntl, os, sys, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
    process = subprocess.Popen(
        [sys.executable, "-c", start, *command],
        stdin=theirs, stdout=theirs, stderr=theirs, env=variables, start_new_session=True,
    )  # fmt: skip
    os.close(theirs)
    shown, pressed, end = b"", False, time.monotonic() + PATIENCE
    try:
        while time.monotonic() < end:
            if not select.select([ours], [], [], 1)[0]:
                continue
            try:
                part = os.read(ours, 65536)
            except OSError:  # nobody has the other end any more
                break
            if not part:
                break
            shown += part
            if keys and not pressed and after in shown:
                os.write(ours, keys)
                pressed = True
        else:
            raise AssertionError(f"still running after {PATIENCE} seconds: {shown[-200:]!r}")
        return process.wait(PATIENCE), shown.decode().replace("\r\n", "\n")
    finally:
        process.kill()
        process.wait()
        os.close(ours)
