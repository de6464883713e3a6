"""Files that users name: read up to a limit or refused, written whole or not at all.

Every room reads and writes such files here, so that an error of the operating system is the same sentence everywhere.
"""

from __future__ import annotations

import os
import stat
import tempfile
from contextlib import suppress
from os import PathLike
from typing import BinaryIO, TypeAlias

from .errors import InputError

UserPath: TypeAlias = str | PathLike[str]
MAX_SHOWN_CHARS = 120
NO_WAITING = getattr(os, "O_NONBLOCK", 0)  # opening a pipe would wait for its other end; Windows has no such flag


class MissingFileError(InputError):
    """There is no file of this name."""


def read_user_file(path: UserPath, max_bytes: int, *, hint: str = "") -> bytes:
    """The content of a regular file. A folder, a pipe, a device and a file that is too large are refused before
    anything is read. The hint says what to give instead.

    >>> read_user_file("nowhere/mine.json", 1000, hint="Give a sheet.")
    Traceback (most recent call last):
    ...
    workings.engine.files.MissingFileError: There is no file nowhere/mine.json.
      try:   Give a sheet.
    """
    shown = shown_path(path)
    try:
        _check_status(os.stat(path), shown, max_bytes, hint)  # before opening, which some devices take for an order
        with open(path, "rb", opener=_open_without_waiting) as file:
            status = os.fstat(file.fileno())
            _check_status(status, shown, max_bytes, hint)
            content = file.read(status.st_size + 1)  # which is also what is reserved in memory
            if len(content) > status.st_size:  # it grows, or its size is not known
                content += file.read(max_bytes + 1 - len(content))
    except FileNotFoundError:
        raise MissingFileError(f"There is no file {shown}.", hint=hint or _search_hint(path)) from None
    except (OSError, ValueError) as error:  # a ValueError is a name with a NUL character
        raise InputError(
            f"{shown} cannot be read: {reason_of(error)}.", hint=hint or "Check its name, and that you may read it."
        ) from None
    if len(content) > max_bytes:
        raise _too_large(shown, len(content), max_bytes, hint)
    return content


def read_user_text(path: UserPath, max_bytes: int, *, hint: str = "") -> str:
    """The text of a file in UTF-8, without a byte order mark and with plain line feeds."""
    content = read_user_file(path, max_bytes, hint=hint)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{shown_path(path)} is not text in UTF-8: byte {error.start} is 0x{error.object[error.start]:02x}.",
            hint=hint or "Save it as plain text in UTF-8.",
        ) from None
    return text.replace("\r\n", "\n").replace("\r", "\n")


def write_user_file(path: UserPath, content: bytes) -> None:
    """Write a file under a temporary name first, so that nothing half-written is ever left at `path`."""
    temporary = None
    try:
        target = os.path.realpath(path)  # a link stays a link
        if os.path.exists(target) and not os.path.isfile(target):  # a device, such as /dev/null, cannot be replaced
            with open(target, "wb") as file:
                file.write(content)
            return
        mode = _mode_of(target)
        handle, temporary = tempfile.mkstemp(prefix=".", dir=os.path.dirname(target))
        with open(handle, "wb") as file:
            _write_to_disk(file, content)
        os.chmod(temporary, mode)
        os.replace(temporary, target)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    finally:
        if temporary is not None:
            with suppress(OSError):
                os.unlink(temporary)


def make_user_folder(path: UserPath) -> None:
    """Make a folder, unless it is there."""
    try:
        os.makedirs(path, exist_ok=True)
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None


def write_new_user_file(path: UserPath, content: bytes) -> None:
    """Write a file where there is none. One that exists stays as it is, even if it appeared a moment ago."""
    unfinished = False
    try:
        with open(path, "xb") as file:
            unfinished = True
            _write_to_disk(file, content)
        unfinished = False
    except FileExistsError:
        raise InputError(
            f"{shown_path(path)} exists already, and was not changed.", hint="Choose another name."
        ) from None
    except (OSError, ValueError) as error:
        raise _unwritable(path, error) from None
    finally:
        if unfinished:
            with suppress(OSError):
                os.unlink(path)


def shown_path(path: UserPath) -> str:
    r"""A path as an error prints it: on one line, not longer than one.

    >>> shown_path("a\0b\n.md"), len(shown_path("x" * 5000))
    ('a�b�.md', 120)
    """
    text = os.fspath(path) or "''"
    if len(text) > MAX_SHOWN_CHARS:
        half = MAX_SHOWN_CHARS // 2
        text = f"{text[: half - 2]}...{text[-half + 1 :]}"
    return "".join(char if char.isprintable() else "\N{REPLACEMENT CHARACTER}" for char in text)


def reason_of(error: OSError | ValueError) -> str:
    """Why the operating system refused.

    >>> reason_of(FileNotFoundError(2, "No such file or directory")), reason_of(ValueError("embedded null byte"))
    ('No such file or directory', 'embedded null byte')
    """
    return getattr(error, "strerror", None) or str(error) or type(error).__name__


def _search_hint(path: UserPath) -> str:
    with suppress(OSError):  # the current folder itself may be gone
        return f"We looked in the folder {shown_path(os.path.dirname(os.path.abspath(path)))}: check the name."
    return "Check its name."


def _open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | NO_WAITING)


def _check_status(status: os.stat_result, shown: str, max_bytes: int, hint: str) -> None:
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{shown} is a folder, not a file.", hint=hint or "Name a file in it.")
    if not stat.S_ISREG(status.st_mode):
        raise InputError(
            f"{shown} is a pipe or a device, not a regular file.",
            hint="Save the content in a file, and name that file.",
        )
    if status.st_size > max_bytes:
        raise _too_large(shown, status.st_size, max_bytes, hint)


def _too_large(shown: str, size: int, max_bytes: int, hint: str) -> InputError:
    return InputError(
        f"{shown} is too large: it has {size / 1e6:,.1f} MB, and the limit is {max_bytes / 1e6:,.1f} MB.",
        hint=hint or "Check that it is the right file.",
    )


def _unwritable(path: UserPath, error: OSError | ValueError) -> InputError:
    return InputError(
        f"{shown_path(path)} cannot be written: {reason_of(error)}.",
        hint="Check the folder, its permissions and the free space. No unfinished file was left there.",
    )


def _write_to_disk(file: BinaryIO, content: bytes) -> None:
    file.write(content)
    file.flush()
    os.fsync(file.fileno())


def _mode_of(path: str) -> int:
    """The permissions of a file; for a new one, what the user's mask leaves."""
    if os.path.exists(path):
        return stat.S_IMODE(os.stat(path).st_mode)
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
