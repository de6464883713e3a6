"""`program` and `scenario`: files that belong to a lesson."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ...document.blocks import Block, Equal, Program
from ...engine.errors import LessonError
from ...engine.files import MissingFileError, read_user_text
from ..reading.entry import DEFAULT
from ..reading.myst import Directive
from ..rewriting import located
from .kind import Kind, is_yes

if TYPE_CHECKING:
    from ..page import PageBuilder

LANGUAGES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".json": "json"}
MAX_PROGRAM_BYTES = 100_000


def _program(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """A program that stands beside the lesson. `equals` names the steps of `run` that it must give: a test runs it."""
    source = text_in_folder(directive.argument, page)
    language = LANGUAGES.get(PurePosixPath(directive.argument).suffix, "text")
    yield Program(language, source, directive.options.get("title", directive.argument), _equals(directive, page))


def _equals(directive: Directive, page: PageBuilder) -> tuple[Equal, ...]:
    """The variables that are steps: `P`, or `P_after=step2.P` where the two have different names."""
    run = directive.options.get("run", DEFAULT)
    found = []
    for pair in directive.options.get("equals", "").split():
        variable, _, name = pair.partition("=")
        view = page.trace(run)[name or variable]
        found.append(located(Equal(variable, view.id, name or variable, view.formula_block()), run))
    return tuple(found)


def text_in_folder(name: str, page: PageBuilder) -> str:
    """The text of a file in the folder of the lesson, and in no other one."""
    folder = page.file.folder
    path = None if folder is None else folder / name
    if path is None or PurePosixPath(name).name != name:
        raise _missing(name)
    try:
        return read_user_text(path, MAX_PROGRAM_BYTES)
    except MissingFileError:
        raise _missing(name) from None


def _missing(name: str) -> LessonError:
    return LessonError(
        f"The folder of the lesson has no text file '{name[:80]}'.",
        hint="Put it into the same folder, and write its name without a path.",
    )


def _scenario(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    """A scenario in the lesson itself. It was read before anything was written; here it is shown, if that is wanted."""
    if len(page.inside) > 1:
        raise LessonError(
            f"A scenario cannot stand inside of a directive such as {page.inside[-2]}.",
            hint="Put it between the paragraphs of the lesson.",
        )
    if is_yes(directive, "show"):
        yield Program("yaml", directive.body)


FILES = {
    "program": Kind(_program, "needed", "none", ("title", "run", "equals")),
    "scenario": Kind(_scenario, "optional", "needed", ("show",)),
}
