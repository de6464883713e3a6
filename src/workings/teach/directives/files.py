"""`program` and `scenario`: files that belong to a lesson."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from ...engine.errors import LessonError
from ...explain.document import Block, Equal, Program
from ..located import located
from ..reading.entry import DEFAULT
from ..reading.myst import Directive
from .kind import Kind, is_yes

if TYPE_CHECKING:
    from ..page import Page

LANGUAGES = {".py": "python", ".yaml": "yaml", ".yml": "yaml", ".json": "json"}
LARGEST = 100_000  # bytes


def _program(directive: Directive, page: Page) -> Iterator[Block]:
    """A program that stands beside the lesson. `equals` names the steps of `run` that it must give: a test runs it."""
    source = beside(directive.argument, page)
    language = LANGUAGES.get(PurePosixPath(directive.argument).suffix, "text")
    yield Program(language, source, directive.options.get("title", directive.argument), _equals(directive, page))


def _equals(directive: Directive, page: Page) -> tuple[Equal, ...]:
    """The variables that are steps: `P`, or `P_after=step2.P` where the two have different names."""
    run = directive.options.get("run", DEFAULT)
    found = []
    for pair in directive.options.get("equals", "").split():
        variable, _, name = pair.partition("=")
        view = page.trace(run)[name or variable]
        found.append(located(Equal(variable, view.id, name or variable, view.formula_block()), run))
    return tuple(found)


def beside(name: str, page: Page) -> str:
    """The text of a file in the folder of the lesson, and in no other one."""
    folder = page.file.folder
    path = None if folder is None else folder / name
    if path is None or PurePosixPath(name).name != name or not path.is_file():
        raise LessonError("lesson.file", name=name[:80])
    try:
        if path.stat().st_size > LARGEST:
            raise LessonError("lesson.file.large", name=name, most=LARGEST)
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise LessonError("lesson.file", name=name[:80]) from None


def _scenario(directive: Directive, page: Page) -> Iterator[Block]:
    """A scenario in the lesson itself. It was read before anything was written; here it is shown, if that is wanted."""
    if len(page.inside) > 1:
        raise LessonError("lesson.scenario.inside", name=page.inside[-2])
    if is_yes(directive, "show"):
        yield Program("yaml", directive.body)


FILES = {
    "program": Kind(_program, "needed", "none", ("title", "run", "equals")),
    "scenario": Kind(_scenario, "optional", "needed", ("show",)),
}
