"""Standard output and standard error: they may be closed, full, or read by a program that leaves early."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from typing import TextIO


@contextmanager
def usable_streams() -> Iterator[None]:
    """Within this context all three streams can be used. One that was closed when the program was started (`2>&-`) is
    the null device: otherwise the next file that is opened would become standard error. At the end, output that a
    stream cannot take is thrown away: Python would try again when it exits, and complain.
    """
    before = sys.stdin, sys.stdout, sys.stderr
    with ExitStack() as opened:
        for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
            if getattr(sys, name) is None:  # a file gets the lowest free number, which is that of this stream
                setattr(sys, name, opened.enter_context(open(os.devnull, mode, encoding="utf-8")))
        outputs = sys.stdout, sys.stderr  # typer replaces them when a reader leaves
        try:
            yield
        finally:
            for stream in outputs:
                _settle(stream)
            sys.stdin, sys.stdout, sys.stderr = before


def print_line(text: str) -> None:
    """A line on standard output, at once. A character that its encoding lacks becomes a question mark."""
    print_text(f"{text}\n")


def print_text(text: str) -> None:
    sys.stdout.write(_encodable(text, sys.stdout))
    sys.stdout.flush()


def print_note(text: str) -> None:
    """A line on standard error. Nothing depends on it, so a stream that cannot take it is no error."""
    with suppress(OSError, ValueError):
        sys.stderr.write(_encodable(f"{text}\n", sys.stderr))
        sys.stderr.flush()


def _settle(stream: TextIO) -> None:
    try:
        stream.flush()
    except (OSError, ValueError):
        with suppress(OSError, ValueError), open(os.devnull, "wb") as null:  # a stream in memory has no number
            os.dup2(null.fileno(), stream.fileno())


def _encodable(text: str, stream: TextIO) -> str:
    encoding = stream.encoding or "ascii"
    return text.encode(encoding, "replace").decode(encoding)
