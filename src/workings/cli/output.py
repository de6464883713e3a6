"""Where a command's result goes: the screen, or a file that is written whole or not at all."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path
from typing import Any

from ..engine.errors import InputError
from ..explain.document import Document
from ..render.terminal import show

FORMATS = ("terminal", "json")
FILE_WIDTH = 100  # columns of a page that goes into a file


class ReaderLeft(Exception):
    """Whoever read our output, such as `head`, has seen enough."""


def check_format(format: str) -> None:
    """Refuse a format that is not there, before anything is computed."""
    if format not in FORMATS:
        raise InputError("output.format", format=format, formats=", ".join(FORMATS))


def give(document: Document, data: dict[str, Any], format: str, path: Path | None) -> None:
    """Show a document, or write it, in the format asked for."""
    if path is not None:
        write_whole(path, (_json(data) if format == "json" else _page(document)).encode())
        return
    try:
        if format == "json":
            sys.stdout.write(_json(data, ascii_only=not _prints_unicode()))
        else:
            show(document)
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderLeft from None
    except OSError as error:
        raise InputError("output.screen", reason=error.strerror) from None


def _json(data: dict[str, Any], ascii_only: bool = False) -> str:
    return json.dumps(data, allow_nan=False, ensure_ascii=ascii_only, indent=1) + "\n"


def _page(document: Document) -> str:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", newline="")
    show(document, stream, width=FILE_WIDTH)
    stream.seek(0)
    return stream.read()


def _prints_unicode() -> bool:
    return (sys.stdout.encoding or "ascii").lower().startswith("utf")


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
