"""`workings new-scenario` and `new-lesson`: a file to start from, under a name of the user's choice."""

from __future__ import annotations

import shlex
from importlib import resources
from importlib.resources.abc import Traversable
from pathlib import Path

from ..engine.errors import InputError
from ..engine.files import write_new_user_file

SCENARIO = resources.files("workings.scenarios") / "templates" / "scenario.yaml"
LESSON = resources.files("workings.lessons") / "templates" / "lesson.md"
PLACEHOLDER = "FILE"  # where the commands in a template name the file


def new_scenario(name: str) -> Path:
    """Write the commented scenario under a name, unless there is a file already."""
    return _write_template(SCENARIO, name, (".yaml", ".yml"), "scenario")


def new_lesson(name: str) -> Path:
    """Write the lesson to start from under a name, unless there is a file already."""
    return _write_template(LESSON, name, (".md",), "lesson")


def in_command(path: Path) -> str:
    """The path as a shell reads it.

    >>> in_command(Path("my lesson.md"))
    "'my lesson.md'"
    """
    return shlex.quote(path.as_posix())


def can_be_name(name: str) -> bool:
    """Whether a file can have this name, and a command in a text can name it.

    >>> can_be_name("folder/my lesson"), can_be_name("folder/"), can_be_name("a`b"), can_be_name(".hidden")
    (True, False, False, False)
    """
    whole = bool(name.strip()) and name.isprintable() and "`" not in name
    return whole and not name.endswith(("/", "\\")) and not Path(name).name.startswith(".")


def _write_template(template: Traversable, name: str, endings: tuple[str, ...], kind: str) -> Path:
    if not can_be_name(name):
        raise InputError(f"'{name}' cannot be the name of a {kind}.", hint=f"Give a name such as my-{kind}.")
    path = Path(name if name.endswith(endings) else f"{name}{endings[0]}")
    text = template.read_text(encoding="utf-8").replace(PLACEHOLDER, in_command(path))
    write_new_user_file(path, text.encode())
    return path
