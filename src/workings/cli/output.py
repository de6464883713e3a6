"""Where a command's result goes: the screen, or a file that is written whole or not at all."""

from __future__ import annotations

import io
import json
import os
import shutil
import stat
import sys
import tempfile
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias

from ..engine.errors import InputError
from ..explain.document import Document
from ..render.markdown import to_markdown
from ..render.terminal import show
from .pager import page_by_page

FILE_WIDTH = 100  # columns of a page that goes into a file


class ReaderLeft(Exception):
    """Whoever read our output, such as `head`, has seen enough."""


ENDINGS = {
    ".md": "md",
    ".html": "html",
    ".htm": "html",
    ".json": "json",
    ".pdf": "pdf",
    ".ipynb": "ipynb",
    ".tex": "tex",
}
# Endings of files that a page of text would not be: nobody can open it as what it is called.
FOREIGN = (".doc", ".docx", ".epub", ".gif", ".jpg", ".npz", ".odt", ".png", ".pptx", ".rtf", ".svg", ".xlsx", ".yaml")
Data: TypeAlias = Callable[[], Any]  # makes what JSON holds
Offline: TypeAlias = Callable[[], str]  # makes a page with the front end of the lab


def check_format(format: str, path: Path | None = None, offline: bool = False) -> str:
    """The format that is meant, before anything is computed: one that is not there is refused. Nobody wants the page of
    a terminal in a file that is called x.html. An `offline` page needs the front end of the lab.
    """
    if format == "terminal" and path is not None:
        format = ENDINGS.get(path.suffix.lower(), format)
        if path.suffix.lower() in FOREIGN:
            raise InputError("output.ending", path=path, endings=", ".join(ENDINGS))
    if format not in FORMATS:
        raise InputError("output.format", format=format, formats=", ".join(FORMATS))
    if format == "html":
        _check_html(offline)
    if format == "pdf":
        _check_pdf(path)
    return format


def _check_html(offline: bool) -> None:
    """Whether what such a page contains has been built."""
    if offline:
        from ..lab.offline import check_app

        check_app()
    else:
        from ..render.page.shell import is_built

        if not is_built():
            raise InputError("html.katex")


def _check_pdf(path: Path | None) -> None:
    """Whether a PDF can be made, and goes where it can be read."""
    from ..render.typst import sentences  # noqa: F401  (what is said about it)

    if find_spec("typst") is None:
        raise InputError("pdf.package")
    if path is None and sys.stdout.isatty():
        raise InputError("pdf.screen")


def give(document: Document, data: Data, format: str, path: Path | None, offline: Offline | None = None) -> None:
    """Show a document, or write it, in the format asked for. `data` is called if that is JSON. A document that has an
    `offline` page, with the front end of the lab in it, is that in HTML.
    """
    writer = WRITERS[format]
    if format == "html" and offline is not None:
        writer = partial(_offline, offline)
    if path is not None:
        write_whole(path, writer(document, data, "utf-8"))
        return
    try:
        if format == "terminal" and sys.stdout.isatty():
            _on_screen(document)
        elif format == "terminal":
            show(document)
        else:
            sys.stdout.flush()
            sys.stdout.buffer.write(writer(document, data, sys.stdout.encoding or "ascii"))
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderLeft from None
    except OSError as error:
        raise InputError("output.screen", reason=error.strerror) from None


class _Screen(io.StringIO):
    """Text for the screen, with its colours."""

    encoding = property(lambda self: sys.stdout.encoding)

    def isatty(self) -> bool:
        return True


def _on_screen(document: Document) -> None:
    """What fits on the screen just appears; the rest goes through the pager."""
    screen = _Screen()
    show(document, screen)
    text = screen.getvalue()
    if text.count("\n") < shutil.get_terminal_size().lines:
        sys.stdout.write(text)
    else:
        page_by_page(text)


def _json(document: Document, data: Data, encoding: str) -> bytes:
    ascii_only = not encoding.lower().startswith("utf")
    return (json.dumps(data(), allow_nan=False, ensure_ascii=ascii_only, indent=1) + "\n").encode(encoding)


def _html(document: Document, data: Data, encoding: str) -> bytes:
    from ..render.html import to_html  # only who asks for it waits until it is loaded

    return to_html(document).encode(encoding, "xmlcharrefreplace")


def _offline(offline: Offline, document: Document, data: Data, encoding: str) -> bytes:
    return offline().encode(encoding, "xmlcharrefreplace")


def _markdown(document: Document, data: Data, encoding: str) -> bytes:
    return to_markdown(document, encoding).encode(encoding, "replace")


def _notebook(document: Document, data: Data, encoding: str) -> bytes:
    from ..render.notebook.notebook import to_notebook

    return to_notebook(document).encode()  # notebooks are always UTF-8


def _pdf(document: Document, data: Data, encoding: str) -> bytes:
    from ..render.typst.printing import TypesettingFault, to_pdf

    try:
        printed = to_pdf(document)
    except TypesettingFault as fault:
        raise InputError("pdf.fault", message=fault.message, place=fault.place) from None
    _tell(printed.remark)
    return printed.pdf


def _tell(remark: str) -> None:
    if remark and sys.stderr is not None:
        sys.stderr.write(remark + "\n")


def _tex(document: Document, data: Data, encoding: str) -> bytes:
    from ..render.tex.page import typeset

    written = typeset(document)
    _tell(written.remark)
    return written.text.encode()


def page_text(document: Document) -> str:
    """The page of a terminal, as it goes into a file."""
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    show(document, stream, width=FILE_WIDTH)
    stream.seek(0)
    return stream.read()


def _terminal(document: Document, data: Data, encoding: str) -> bytes:
    return page_text(document).encode()


# One for each format: a document, what JSON would hold, and the encoding that the target can take, as bytes.
WRITERS: dict[str, Callable[[Document, Data, str], bytes]] = {
    "terminal": _terminal,
    "md": _markdown,
    "html": _html,
    "json": _json,
    "pdf": _pdf,
    "ipynb": _notebook,
    "tex": _tex,
}
FORMATS = tuple(WRITERS)


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under another name first, so that nothing half-written is ever left at `path`."""
    path = Path(os.path.realpath(path))  # a link stays a link
    beside = None
    try:
        if path.exists() and not path.is_file():  # nothing can stand in for a device, such as /dev/null
            path.write_bytes(content)
            return
        mode = stat.S_IMODE(path.stat().st_mode) if path.exists() else _usual_mode()
        handle, beside = tempfile.mkstemp(prefix=".", dir=path.parent)
        with open(handle, "wb") as file:
            _fill(file, content)
        os.chmod(beside, mode)
        os.replace(beside, path)
    except OSError as error:
        raise InputError("output.path", path=path, reason=error.strerror or error) from None
    finally:
        if beside is not None:
            with suppress(OSError):
                os.unlink(beside)


def write_new(path: Path, content: bytes) -> None:
    """Write a file where there is none. Whatever is there already stays as it is, even if it came a moment ago."""
    made = False
    try:
        with open(path, "xb") as file:
            made = True
            _fill(file, content)
        made = False  # nothing to take back
    except FileExistsError:
        raise InputError("output.exists", path=path) from None
    except OSError as error:
        raise InputError("output.path", path=path, reason=error.strerror or error) from None
    finally:
        if made:
            with suppress(OSError):
                os.unlink(path)


def _fill(file: BinaryIO, content: bytes) -> None:
    """Write all of a file, down to the disk."""
    file.write(content)
    file.flush()
    os.fsync(file.fileno())


def _usual_mode() -> int:
    """What everybody may do with a new file."""
    hidden = os.umask(0)
    os.umask(hidden)
    return 0o666 & ~hidden
