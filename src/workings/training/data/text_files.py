"""Texts to train on: a file, or the source code of Python's standard library, which every Python has.

Of the standard library we take these files, in the order of their paths:

- every module, inside packages too, whose source is pure ASCII, so that a model needs only about a hundred characters;
- but no tests and no tables of characters; no programs that are merely shipped with the library (an editor,
  demonstrations, an installer); nothing that some Pythons lack (graphical windows, modules that newer versions
  dropped); and nothing that was generated for this machine. See LEFT_OUT and MACHINE.
"""

from __future__ import annotations

import os
import sysconfig
from collections.abc import Iterator
from pathlib import Path

from ...engine.errors import DataError
from ...engine.files import read_user_file

LEFT_OUT = frozenset(
    {
        "test", "tests", "idle_test", "encodings", "pydoc_data", "idlelib", "turtledemo", "ensurepip", "lib2to3",
        "distutils", "msilib", "tkinter",
    }
)  # fmt: skip
MAX_TEXT_BYTES = 2_000_000_000  # all of it is held in memory
MACHINE = ("_sysconfigdata", "sitecustomize", "usercustomize")  # how the names of such modules begin


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a file in UTF-8, with line feeds as line ends.

    >>> read_text("/nowhere/poem.txt")
    Traceback (most recent call last):
    ...
    workings.engine.files.MissingFileError: There is no file /nowhere/poem.txt.
      try:   We looked in the folder /nowhere: check the name.
    """
    data = read_user_file(Path(path), MAX_TEXT_BYTES)
    try:
        text = data.decode()
    except UnicodeDecodeError as error:
        raise _not_text(path, data, error.start) from None
    if "\0" in text:
        raise _not_text(path, data, data.index(0))
    if not text.removeprefix("\ufeff").strip():
        raise DataError(
            f"There is no text in {str(path)!r}: the file is empty, or has only white space.",
            hint="Give a file with text in it.",
        )
    return _with_plain_lines(text)


def standard_library() -> str:
    """The source of the standard library of this Python, as one text with an empty line between two files.

    >>> "class TextWrapper:" in standard_library()
    True
    """
    folder = Path(sysconfig.get_path("stdlib"))
    files = sorted(_modules(folder), key=lambda file: file.relative_to(folder).as_posix())
    sources = (file.read_bytes() for file in files)
    texts = [_with_plain_lines(source.decode()) for source in sources if source.isascii() and source.strip()]
    if not texts:
        raise DataError(
            "This Python was installed without the source of its standard library.",
            hint="Give a text of your own: read_text(path).",
            where=str(folder),
        )
    return "\n".join(texts)


def _with_plain_lines(text: str) -> str:
    """Without the byte order mark that some editors write, and with one character at the end of a line."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def _modules(folder: Path) -> Iterator[Path]:
    """The modules in a folder, and in the packages in it. A folder that does not exist has none."""
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.suffix == ".py" and not path.name.startswith(MACHINE) and path.is_file():
            yield path
        elif path.name not in LEFT_OUT and (path / "__init__.py").is_file():
            yield from _modules(path)


def _not_text(path: str | os.PathLike[str], data: bytes, place: int) -> DataError:
    return DataError(
        f"The file {str(path)!r} is not text in UTF-8: byte {place}, counted from 0, is {data[place]:02x}.",
        hint="Save it as plain text in UTF-8. A program, a picture or a PDF cannot be read as text.",
    )
