"""A file to start from: a template under a name of the reader's choice."""

from __future__ import annotations

import shlex
from importlib.resources.abc import Traversable
from pathlib import Path

from .output import write_new

FILE = "FILE"  # stands in a template where its commands name the file


def can_be_name(name: str) -> bool:
    """Whether a file can be called so, and a command in a text can name it.

    >>> can_be_name("folder/my lesson"), can_be_name("folder/"), can_be_name("a`b"), can_be_name(".hidden")
    (True, False, False, False)
    """
    whole = bool(name.strip()) and name.isprintable() and "`" not in name
    return whole and not name.endswith(("/", "\\")) and not Path(name).name.startswith(".")


def in_command(path: Path) -> str:
    """The path as a shell reads it.

    >>> in_command(Path("my lesson.md"))
    "'my lesson.md'"
    """
    return shlex.quote(path.as_posix())


def write_template(template: Traversable, path: Path) -> None:
    """Write the template, unless something is there already."""
    write_new(path, template.read_text(encoding="utf-8").replace(FILE, in_command(path)).encode())
