"""Texts to train on: one from a file, or the source of Python's own standard library, which every Python brings along.

Of the standard library these files are taken, in the order of their paths:

- every module, those inside of packages too, whose source is pure ASCII, so that about a hundred characters are all
  that a model has to know;
- but no tests and no tables of characters; no programs that only come along with the library (an editor,
  demonstrations, an installer); nothing that many a Python comes without (windows on a screen, what newer ones have
  dropped); and nothing that was written for this one machine. See LEFT_OUT and MACHINE.
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from ...engine.errors import DataError

LEFT_OUT = frozenset(
    {
        "test", "tests", "idle_test", "encodings", "pydoc_data", "idlelib", "turtledemo", "ensurepip", "lib2to3",
        "distutils", "msilib", "tkinter",
    }
)  # fmt: skip
MACHINE = ("_sysconfigdata", "sitecustomize", "usercustomize")  # how the names of such modules begin


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file in UTF-8. Whatever ends a line in it, here a line ends with a line feed alone.

    >>> read_text("poem.txt")
    Traceback (most recent call last):
    ...
    workings.engine.errors.DataError: There is no file 'poem.txt'.
      try:   Look at how it is written, and in which folder you are.
    """
    data = _bytes_of(Path(path))
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise DataError(
            "data.bytes", path=repr(str(path)), place=error.start, byte=f"{data[error.start]:02x}"
        ) from None
    if "\0" in text:
        raise DataError("data.bytes", path=repr(str(path)), place=data.index(0), byte="00")
    if not text.removeprefix("\ufeff").strip():
        raise DataError("data.empty", path=repr(str(path)))
    return _with_plain_lines(text)


def standard_library() -> str:
    """The source of the standard library of this Python, as one text with an empty line between two files.

    >>> "class TextWrapper:" in standard_library()
    True
    """
    folder = Path(sysconfig.get_path("stdlib"))
    files = sorted(_modules(folder), key=lambda file: file.relative_to(folder).as_posix())
    sources = (_bytes_of(file) for file in files)
    texts = [_with_plain_lines(source.decode()) for source in sources if source.isascii() and source.strip()]
    if not texts:
        raise DataError("data.library", where=str(folder))
    return "\n".join(texts)


def _bytes_of(path: Path) -> bytes:
    shown = repr(str(path))
    try:
        if path.is_dir():
            raise DataError("data.folder", path=shown)
        return path.read_bytes()
    except FileNotFoundError:
        raise DataError("data.missing", path=shown) from None
    except OSError as error:
        raise DataError("data.closed", path=shown, reason=error.strerror or error) from None
    except ValueError as error:  # a name that no file can have
        raise DataError("data.closed", path=shown, reason=error) from None


def _with_plain_lines(text: str) -> str:
    """Without the mark that some editors put at the beginning, and with one sign at the end of a line."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _modules(folder: Path) -> Iterator[Path]:
    """The modules in a folder, and in the packages in it. A folder that is not there has none."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.suffix == ".py" and not path.name.startswith(MACHINE) and path.is_file():
            yield path
        elif path.name not in LEFT_OUT and (path / "__init__.py").is_file():
            yield from _modules(path)
