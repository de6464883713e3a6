"""Lessons that were worked out before: their documents are kept, so that they open at once.

A kept document belongs to the files of the package as they are: when one of them changes, it is made again. What cannot
be read or written is no trouble, only slower.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..explain.document import Document, to_data
from ..explain.reading_back import document_of

PACKAGE = Path(__file__).parents[1]
FILES = (".py", ".md", ".yaml", ".json")
PLACE = "WORKINGS_CACHE"  # the variable that names another folder; empty: nothing is kept


def kept_document(name: str, asked: str, make: Callable[[], Document]) -> Document:
    """The document of a lesson of the package, kept from before or made now; `asked` says in which form."""
    folder = _folder()
    if folder is None:
        return make()
    path = folder / f"{name}-{hashlib.sha256(asked.encode()).hexdigest()[:16]}.json"
    state = _state()
    try:
        kept = json.loads(path.read_text(encoding="utf-8"))
        if kept["state"] == state:
            return document_of(kept["document"])
    except (OSError, ValueError, TypeError, KeyError):
        pass  # not there, of another version, or damaged
    document = make()
    _keep(path, {"state": state, "document": to_data(document)})
    return document


def _folder() -> Path | None:
    own = os.environ.get(PLACE)
    if own is not None:
        return Path(own) if own else None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "") or os.path.expanduser("~/.cache")
    return Path(base) / "workings" if base and os.path.isabs(base) else None


def _state() -> str:
    """What the files of the package are like: their names, sizes and times."""
    known = hashlib.sha256(sys.version.encode())
    for folder, _, files in sorted(os.walk(PACKAGE)):
        for file in sorted(files):
            if file.endswith(FILES):
                about = os.stat(os.path.join(folder, file))
                known.update(f"{folder}/{file} {about.st_size} {about.st_mtime_ns}\n".encode())
    return known.hexdigest()


def _keep(path: Path, content: object) -> None:
    """Written under another name first: whoever reads at the same moment finds the old one or the new one."""
    beside = path.with_name(f"{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        beside.write_text(json.dumps(content), encoding="utf-8")
        os.replace(beside, path)
    except OSError:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
