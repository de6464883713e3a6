"""Where a command's result goes: the screen, or a file that is written whole or not at all."""

from __future__ import annotations

import io
import json
import os
import shutil
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..engine.errors import InputError
from ..explain.document import Document
from ..render.markdown import to_markdown
from ..render.terminal import show

FORMATS = ("terminal", "md", "html", "json")
FILE_WIDTH = 100  # columns of a page that goes into a file


class ReaderLeft(Exception):
    """Whoever read our output, such as `head`, has seen enough."""


def check_format(format: str) -> None:
    """Refuse a format that is not there, before anything is computed."""
    if format not in FORMATS:
        raise InputError("output.format", format=format, formats=", ".join(FORMATS))
    if format == "html":
        from ..render.page.shell import is_built

        if not is_built():
            raise InputError("html.katex")


def give(document: Document, data: Callable[[], Any], format: str, path: Path | None) -> None:
    """Show a document, or write it, in the format asked for. `data` makes what JSON holds, if that is asked for."""
    if path is not None:
        write_whole(path, _written(document, data, format).encode())
        return
    try:
        if format == "terminal" and sys.stdout.isatty():
            _page_by_page(document)
        elif format == "terminal":
            show(document)
        else:
            sys.stdout.write(_written(document, data, format, sys.stdout.encoding or "ascii"))
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


def _page_by_page(document: Document) -> None:
    """Through the pager that the reader has chosen, or the usual one; what fits on the screen just appears."""
    import pydoc

    screen = _Screen()
    show(document, screen)
    os.environ.setdefault("LESS", "FRX")
    if screen.getvalue().count("\n") < shutil.get_terminal_size().lines:
        sys.stdout.write(screen.getvalue())
    else:
        pydoc.pager(screen.getvalue())


def _written(document: Document, data: Callable[[], Any], format: str, encoding: str = "utf-8") -> str:
    if format == "json":
        ascii_only = not encoding.lower().startswith("utf")
        return json.dumps(data(), allow_nan=False, ensure_ascii=ascii_only, indent=1) + "\n"
    if format == "html":
        from ..render.html import to_html  # only who asks for it waits until it is loaded

        return to_html(document).encode(encoding, "xmlcharrefreplace").decode(encoding)
    return to_markdown(document, encoding) if format == "md" else _page(document)


def _page(document: Document) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    show(document, stream, width=FILE_WIDTH)
    stream.seek(0)
    return stream.read()


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under another name first, so that nothing half-written is ever left at `path`."""
    path = Path(os.path.realpath(path))  # a link stays a link
    whole = path if path.exists() and not path.is_file() else path.with_name(f".{path.name}.{os.getpid()}")
    try:
        with open(whole, "wb") as file:
            file.write(content)
            file.flush()
            if whole != path:  # nothing can stand in for a device, such as /dev/null
                os.fsync(file.fileno())
                os.replace(whole, path)
    except OSError as error:
        if whole != path:
            whole.unlink(missing_ok=True)
        raise InputError("output.path", path=path, reason=error.strerror) from None
