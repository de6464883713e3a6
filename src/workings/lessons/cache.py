"""Lessons that were worked out before: their documents are kept, so that they open at once.

A kept document belongs to the files of the package as they are: when one of them changes, it is made again. What
cannot be read or written is no trouble, only slower.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import numpy

from ..document.blocks import Document, to_data
from ..document.from_data import document_of
from ..engine.errors import InputError
from ..engine.files import write_user_file

PACKAGE = Path(__file__).parents[1]
FILES = (".py", ".md", ".yaml", ".json")
PLACE = "WORKINGS_CACHE"  # the variable that names another folder; empty: nothing is kept
NAME = re.compile(r"[\w-]+-[0-9a-f]{16}(-cells)?\.json")  # -cells: of older versions
HEAD = re.compile(rb'\{"state": "([0-9a-f]{64})", "digest": "([0-9a-f]{64})", "document": ')
STATE = re.compile(rb'\{"state": "([0-9a-f]{64})", ')  # with which files of older versions begin too
LONGEST_HEAD = 200  # bytes


def kept_document(name: str, options: str, make: Callable[[], Document]) -> Document:
    """The document of a lesson of the package, kept from before or made now. `options` says in which form."""
    folder = _folder()
    if folder is None:
        return make()
    path, state = folder / f"{name}-{_digest(options.encode())[:16]}.json", _state()
    with suppress(Exception):  # not there, of another version, or damaged in whatever way
        return _read(path, state)
    document = make()
    _keep(path, state, document)
    _remove_others(folder, state)
    return document


def _folder() -> Path | None:
    own = os.environ.get(PLACE)
    if own is not None:
        return Path(own) if os.path.isabs(own) else None
    if sys.platform == "win32":
        base = os.environ.get("LOCALAPPDATA", "")
    else:
        base = os.environ.get("XDG_CACHE_HOME", "") or os.path.expanduser("~/.cache")
    return Path(base) / "workings" if os.path.isabs(base) else None


def _state() -> str:
    """What the documents depend on: the files of the package, which say its version too, and what runs them."""
    known = hashlib.sha256(f"{sys.version}\n{numpy.__version__}\n".encode())
    for folder, _, files in sorted(os.walk(PACKAGE)):
        for file in sorted(files):
            if not file.endswith(FILES):
                continue
            with suppress(OSError):  # an editor may keep a link to nowhere next to its file
                content = Path(folder, file).read_bytes()
                known.update(f"{os.path.relpath(folder, PACKAGE)}/{file} {len(content)}\n".encode())
                known.update(content)
    return known.hexdigest()


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def _read(path: Path, state: str) -> Document:
    content = path.read_bytes()
    head = HEAD.match(content)
    if head is None or head[1].decode() != state:
        raise ValueError("of another version")
    body = content[head.end() : -1]
    if _digest(body) != head[2].decode():
        raise ValueError("damaged")
    return document_of(json.loads(body))


def _keep(path: Path, state: str, document: Document) -> None:
    """Written whole: another process that reads at the same moment finds the old one or the new one."""
    body = json.dumps(to_data(document))
    content = f'{{"state": "{state}", "digest": "{_digest(body.encode())}", "document": {body}}}'
    with suppress(OSError, InputError):  # without a cache the lesson is computed each time
        path.parent.mkdir(parents=True, exist_ok=True)
        write_user_file(path, content.encode("ascii"))


def _remove_others(folder: Path, state: str) -> None:
    """Documents of other versions are never read again. A file that is not one of ours is left alone."""
    with suppress(OSError):
        for path in folder.iterdir():
            if NAME.fullmatch(path.name) and _kept_state(path) not in (None, state):
                path.unlink(missing_ok=True)


def _kept_state(path: Path) -> str | None:
    with suppress(OSError), path.open("rb") as file:
        head = STATE.match(file.read(LONGEST_HEAD))
        return head[1].decode() if head else None
    return None
