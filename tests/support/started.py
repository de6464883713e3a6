"""Programs in processes of their own, which can be interrupted however the tests themselves were started, and of which
nothing is left running.
"""

import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager, suppress

# A shell that starts the tests in the background lets SIGINT be ignored, and a child would inherit that. It must be
# reset before the program itself starts.
RESET = "import os, signal, sys; signal.signal(signal.SIGINT, signal.SIG_DFL); "
ON_TERMINAL = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); "  # only so does Ctrl-C arrive there
EXECUTE = "os.execv(sys.argv[1], sys.argv[1:])"
PATIENCE = 5  # seconds


@contextmanager
def started(*command, terminal=False, **options):
    """A program in a session of its own, on a terminal if standard input is one. At the end it and all programs that it
    started are killed.
    """
    launcher = RESET + (ON_TERMINAL if terminal else "") + EXECUTE
    process = subprocess.Popen(
        [sys.executable, "-c", launcher, *map(str, command)], start_new_session=True, **options
    )  # fmt: skip
    try:
        yield process
    finally:
        kill_group(process.pid)
        process.communicate()


def kill_group(number):
    with suppress(ProcessLookupError):
        os.killpg(number, signal.SIGKILL)


def is_running(group):
    """Whether a process of a group is left. One that was killed takes a moment to end."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return False
        time.sleep(0.05)
    return True
