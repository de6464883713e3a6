"""Where something is in a scenario file: the name of the file, the line, and the path of keys.

Errors carry the path as a tuple, `("data", 0, "target")`. It becomes text only here.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from ...engine.errors import Keys, OptionError, ScenarioError, WorkingsError

NO_LINE = 0  # the line of a value that is in no file
MAX_SHOWN_CHARS = 60  # of a name or a value that an error repeats


@dataclass(frozen=True)
class Location:
    """A place in a file.

    >>> print(Location("example.yaml", 7, ("data", 0, "target")))
    example.yaml, line 7, data[0].target
    """

    file: str
    line: int
    keys: Keys = ()

    def below(self, key: str | int, line: int) -> Location:
        return Location(self.file, line, (*self.keys, key))

    def error(self, what: str, *, hint: str = "", given: str = "") -> ScenarioError:
        return ScenarioError(what, hint=hint, given=given, where=str(self), keys=self.keys)

    @contextmanager
    def around(self) -> Iterator[None]:
        """Errors of code that knows no file get this location."""
        try:
            yield
        except WorkingsError as error:
            error.where, error.keys = str(self), self.keys
            raise

    def __str__(self) -> str:
        return place(self.file, self.line, path_text(self.keys))


def place(file: str, line: int, path: str = "") -> str:
    """
    >>> place("example.yaml", 7, "model.heads")
    'example.yaml, line 7, model.heads'
    """
    return ", ".join(part for part in (file, f"line {line}" if line != NO_LINE else "", path) if part)


def path_text(keys: Keys) -> str:
    """
    >>> path_text(("data", 1, "target"))
    'data[1].target'
    """
    parts = (f"[{key}]" if isinstance(key, int) else f".{key[:MAX_SHOWN_CHARS]}" for key in keys)
    return "".join(parts).removeprefix(".")


@contextmanager
def about(*keys: str | int) -> Iterator[None]:
    """Errors of what is computed inside are about the value at these keys, unless they have keys of their own."""
    try:
        yield
    except WorkingsError as error:
        error.keys = error.keys or keys
        raise


@contextmanager
def about_options(*keys: str | int) -> Iterator[None]:
    """Errors of what is computed inside are about an option below these keys, or about all of them."""
    try:
        yield
    except OptionError as error:
        error.keys, error.where = (*keys, error.option), ""
        raise
    except WorkingsError as error:  # where and given are about the inside of the computation
        error.keys, error.where, error.given = error.keys or keys, "", ""
        raise
