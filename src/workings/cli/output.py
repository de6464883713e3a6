"""Where a command's result goes: the screen, or a file that is written whole or not at all."""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

from ..engine.errors import InputError
from ..explain.document import Document
from ..render.terminal import show

FORMATS = ("terminal", "json")


def give(document: Document, data: dict[str, Any], format: str, path: Path | None) -> None:
    """Show a document, or write it, in the format asked for."""
    if format not in FORMATS:
        raise InputError("output.format", format=format, formats=", ".join(FORMATS))
    if format == "json":
        text = json.dumps(data, allow_nan=False, ensure_ascii=False, indent=1) + "\n"
    elif path is None:
        show(document)
        return
    else:
        stream = io.StringIO()
        show(document, stream, width=100)
        text = stream.getvalue()
    if path is None:
        sys.stdout.write(text if _prints(text) else json.dumps(data, allow_nan=False, indent=1) + "\n")
    else:
        write_whole(path, text.encode())


def _prints(text: str) -> bool:
    try:
        text.encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return False
    return True


def write_whole(path: Path, content: bytes) -> None:
    """Write a file under another name first, so that nothing half-written is ever left at `path`."""
    try:
        handle, temporary = tempfile.mkstemp(dir=path.parent or Path(), prefix=f".{path.name}.")
    except OSError as error:
        raise InputError("output.path", path=path, reason=error.strerror) from None
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    except OSError as error:
        Path(temporary).unlink(missing_ok=True)
        raise InputError("output.path", path=path, reason=error.strerror) from None
