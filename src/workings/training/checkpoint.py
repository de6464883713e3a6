"""Checkpoints: the state of a training, in a folder that exists completely or not at all.

DIR/step-000500/weights.safetensors     the weights, the optimizer's memory, and the losses so far
DIR/step-000500/state.json              everything else: what is trained, the vocabulary, evaluations, checksums

A checkpoint is written into a folder of another name, flushed to the disk, and renamed. A process that is killed at any
moment therefore leaves the previous checkpoint intact. What the two files hold: checkpoint_format.py; the lock of the
folder DIR: lock.py.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path

from ..engine.errors import CheckpointError, InputError
from ..engine.files import read_user_file, reason_of, shown_path
from .checkpoint_format import STATE, WEIGHTS, Checkpoint, RecipeT, decode, encode

FOLDER = re.compile(r"step-([0-9]{6}|[1-9][0-9]{6,15})")
UNFINISHED = ".unfinished"
MAX_FILE_BYTES = 10**12  # weights fill the memory long before
PARTS = f"Each checkpoint is a folder with two files: {WEIGHTS} and {STATE}."


def save_checkpoint(folder: Path, checkpoint: Checkpoint[RecipeT]) -> Path:
    """Write a checkpoint into a folder, next to older ones. If that step has one already, it is kept: the session
    resumed from it, or wrote it.
    """
    final = _folder_of(folder, checkpoint.step)
    temporary = folder / f"{UNFINISHED}-{checkpoint.step:06d}-{os.getpid()}"
    try:
        if (final / STATE).exists():
            return final
        refuse_obstacles(folder, range(checkpoint.step, checkpoint.step + 1))
        is_new = not folder.exists()
        temporary.mkdir(parents=True)
        for name, content in encode(checkpoint).items():
            _write(temporary / name, content)
        _sync(temporary)
        os.rename(temporary, final)
        _sync(folder)
        if is_new:
            _sync(folder.parent)
    except OSError as error:
        shutil.rmtree(temporary, ignore_errors=True)
        raise cannot_write(folder, error) from None
    return final


def read_checkpoint(
    path: str | Path, read_recipe: Callable[[Mapping[str, str], int], RecipeT], step: int | None = None
) -> Checkpoint[RecipeT]:
    """The checkpoint of a step in the folder of a training, or the last one; or the one that a folder is itself."""
    folder = Path(path)
    if not (FOLDER.fullmatch(folder.name) and _is_checkpoint(folder)):
        steps = steps_in(folder)
        if not steps:
            raise CheckpointError(
                "There is no checkpoint here.",
                hint="Make one: workings train characters -o FOLDER.",
                where=shown_path(path),
            )
        if step is not None and step not in steps:
            raise CheckpointError(
                f"There is no checkpoint of step {step} here.",
                hint=f"There are checkpoints of these steps: {', '.join(map(str, steps))}.",
                where=shown_path(path),
            )
        folder = _folder_of(folder, steps[-1] if step is None else step)
    try:
        weights, state = (read_user_file(folder / name, MAX_FILE_BYTES) for name in (WEIGHTS, STATE))
    except InputError as error:
        raise CheckpointError(error.what, hint=PARTS, where=shown_path(folder)) from None
    try:
        found = decode(state, weights, str(folder), read_recipe)
    except CheckpointError as error:
        error.where = str(folder / error.where)
        raise
    if found.step != int(folder.name.removeprefix("step-")):
        raise CheckpointError(
            f"This folder should hold step {folder.name.removeprefix('step-').lstrip('0') or 0}, and holds step "
            f"{found.step}.",
            hint=f"Give it the name step-{found.step:06d} again.",
            where=shown_path(folder),
        )
    return found


def steps_in(folder: Path) -> list[int]:
    """The steps of which a folder has a checkpoint, in order."""
    try:
        names = [entry.name for entry in folder.iterdir() if FOLDER.fullmatch(entry.name) and _is_checkpoint(entry)]
    except (FileNotFoundError, NotADirectoryError):
        return []
    except (OSError, ValueError) as error:  # a ValueError is a name with a NUL character
        raise _cannot_read(folder, error) from None
    return sorted(int(name.removeprefix("step-")) for name in names)


def refuse_obstacles(folder: Path, steps: range) -> None:
    """Refuse a folder in which something else has the name of the checkpoint of one of these steps."""
    try:
        names = [entry.name for entry in folder.iterdir() if FOLDER.fullmatch(entry.name) and not _is_checkpoint(entry)]
    except OSError:  # creating or writing it gives a better reason
        return
    for name in names:
        if int(name.removeprefix("step-")) in steps:
            raise CheckpointError(
                f"{name} is in the way: it is not a checkpoint.",
                hint="Move it away, and run the same command again.",
                where=shown_path(folder),
            )


def remove_checkpoints(folder: Path, steps: list[int]) -> None:
    """Remove checkpoints. Each is renamed first, so that none is ever there in part."""
    for step in steps:
        doomed = folder / f"{UNFINISHED}-{step:06d}-{os.getpid()}"
        with suppress(OSError):  # it may be open in another program; an old checkpoint does no harm
            os.rename(_folder_of(folder, step), doomed)
        shutil.rmtree(doomed, ignore_errors=True)


def remove_unfinished(folder: Path) -> None:
    """Remove what a process left behind that was killed while it wrote."""
    for entry in folder.glob(f"{UNFINISHED}-*"):
        shutil.rmtree(entry, ignore_errors=True)


def cannot_write(folder: Path, error: OSError) -> CheckpointError:
    """What to say when the system refuses to write: which checkpoint is still there, if there is one."""
    reason = reason_of(error)
    kept: list[int] = []
    with suppress(CheckpointError):
        kept = steps_in(folder)
    if kept:
        return CheckpointError(
            f"The checkpoint could not be written: {reason}. The checkpoint of step {kept[-1]} is still intact.",
            hint=f"Free some space or fix the folder, and run the same command again: it resumes from step {kept[-1]}.",
            where=shown_path(folder),
        )
    if folder.is_file():
        reason = "there is a file of this name"
    elif isinstance(error, IsADirectoryError):
        reason = f"{Path(error.filename).name} in it is a folder"
    return CheckpointError(
        f"The checkpoint could not be written: {reason}.",
        hint="Choose a folder that can be written to: -o FOLDER.",
        where=shown_path(folder),
    )


def _cannot_read(folder: Path, error: OSError | ValueError) -> CheckpointError:
    return CheckpointError(
        f"{shown_path(folder)} cannot be read: {reason_of(error)}.",
        hint=PARTS,
        where=shown_path(folder),
    )


def _folder_of(folder: Path, step: int) -> Path:
    return folder / f"step-{step:06d}"


def _is_checkpoint(folder: Path) -> bool:
    try:
        return (folder / STATE).exists()
    except (OSError, ValueError) as error:  # a ValueError is a name with a NUL character
        raise _cannot_read(folder, error) from None


def _write(path: Path, content: bytes) -> None:
    with open(path, "wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _sync(folder: Path) -> None:
    """Flush the names in a folder to the disk, where the system can."""
    try:
        handle = os.open(folder, os.O_RDONLY)
    except OSError:  # Windows does not open folders
        return
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
