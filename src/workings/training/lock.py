"""The lock of a training's folder: only one session at a time writes checkpoints into it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from ..engine.errors import CheckpointError
from .checkpoint import cannot_write, remove_unfinished

LOCK = ".lock"


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Keep other sessions out of a folder. The system releases the lock when a process ends, however it ends."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        file = open(folder / LOCK, "w")  # noqa: SIM115 - closed below
    except OSError as error:
        raise cannot_write(folder, error) from None
    with file:
        if not _acquired(file):
            raise CheckpointError(
                "Another training is writing into this folder.",
                hint="Wait for it, stop it, or choose another folder with -o.",
                where=str(folder),
            )
        remove_unfinished(folder)
        yield


def _acquired(file: IO[str]) -> bool:
    """Whether the lock is free. Where the system has no such locks, it always is."""
    try:
        import fcntl
    except ImportError:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:  # a file system without locks
        return True
    return True
