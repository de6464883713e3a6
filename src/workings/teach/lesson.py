"""Lesson: a text and its runs, as a document for any renderer.

lesson = w.lesson("example-3")            one that comes with the package, or the path of a file
lesson.trace("twin")["dW_V"].value
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ..engine.arithmetic import arithmetic
from ..engine.errors import LessonError, WorkingsError
from ..explain.document import Document
from ..explain.view import Trace
from ..models.reading.likely import likely
from ..models.reading.scenario_reading import DEFAULT, read_scenario
from ..models.reading.yaml_reading import place
from ..models.scenario import Scenario, scenario
from ..models.scenario import names as scenario_names
from .directives.checks import Check
from .frame import foot, head
from .measured import Measured
from .page import Page
from .reading.lesson_file import LessonFile, placed, read_lesson
from .reading.myst import directive_of, line_of, tree
from .runs import Asked, Runs
from .shelf import FOLDER, TEXT, names
from .written import Written


@dataclass(frozen=True)
class Lesson:
    """A lesson, as its file says it.

    >>> lesson("example-1").trace()["P"].value.round(4)
    array([0.2506, 0.2494, 0.2506, 0.2494])
    """

    name: str
    file: LessonFile
    source: str = ""  # how it is asked for: its name, or the path of its file

    @property
    def title(self) -> str:
        return self.file.title

    @cached_property
    def scenario(self) -> Scenario | None:
        """The main scenario: that of the head, or the first one in the text."""
        if self.file.scenario:
            try:
                return self._called(self.file.scenario) or scenario(self.file.scenario)
            except WorkingsError as error:
                raise placed(error, self.file.name, self.file.lines["scenario"]) from None
        return next(iter(self.inline.values()), None)

    @cached_property
    def inline(self) -> dict[str, Scenario]:
        """The scenarios in the text itself."""
        found: dict[str, Scenario] = {}
        for node in tree(self.file.text):
            try:
                directive = directive_of(node, line_of(node) + 1) if node.type == "colon_fence" else None
            except LessonError as error:
                raise placed(error, self.file.name, line_of(node) + 1) from None
            if directive is None or directive.name != "scenario":
                continue
            name = directive.argument or self.name
            if name in found:
                raise LessonError("lesson.two_scenarios", name=name, where=place(self.file.name, directive.line))
            # Empty lines before it, so that errors name the lines of the lesson.
            text = "\n" * (directive.body_line - 1) + directive.body
            found[name] = Scenario(self.file.name, read_scenario(text, self.file.name), text, self.file.folder)
        return found

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs of the main scenario."""
        return () if self.scenario is None else self.scenario.runs

    def trace(self, run: str = DEFAULT, *, precision: str | None = None) -> Trace:
        """One run, computed."""
        return self._runs(Asked(precision=precision))[run]

    def written(self, asked: Asked | None = None) -> Written:
        """The lesson worked out, as a reader wants it."""
        asked = asked or Asked()
        page = Page(self.file, self._runs(asked))
        blocks = page.blocks(self.file.text)
        framed = (*head(self.file, self.source, page), *blocks, *foot(self.file))
        return Written(self.name, Document(self.title, framed), page)

    def checks(self, asked: Asked | None = None) -> list[Check]:
        """Whether the checks of the lesson hold, as a reader would work them out."""
        page = Page(self.file, self._runs(asked or Asked()))
        page.check(self.file.text)
        return page.checked

    def _runs(self, asked: Asked) -> Runs:
        if self.scenario is None:
            raise LessonError("lesson.no_scenario", where=self.file.name)
        if Measured.NAME in self.scenario.runs:
            raise LessonError("lesson.run.measured", run=Measured.NAME, where=self.scenario.name)
        if self.file.calculator:
            try:
                arithmetic(f"calculator {self.file.calculator}")
            except WorkingsError as error:
                raise placed(error, self.file.name, self.file.lines["calculator"]) from None
        return Runs(self.scenario, self._called, asked, asked.digits or self.file.digits)

    def _called(self, name: str) -> Scenario | None:
        """Another scenario: one in the text, beside it, or of the package."""
        if name in self.inline:
            return self.inline[name]
        stem = name.removesuffix(".yaml")
        beside = None if self.file.folder is None else self.file.folder / f"{stem}.yaml"
        if beside is not None and stem.replace("-", "").replace("_", "").isalnum() and beside.is_file():
            return scenario(beside)
        return scenario(name) if name in scenario_names() else None


def lesson(source: str | Path) -> Lesson:
    """A lesson that comes with the package, by its name, or any other by the path of its file.

    >>> lesson("example-1").title
    'Example 1: a forward pass'
    """
    name = str(source)
    if name in names():
        path = FOLDER / name / TEXT
    else:
        path = Path(source)
        if not name.endswith(".md"):
            near = likely(name, names())
            raise LessonError("lesson.unknown" if near else "lesson.unknown.none", name=name[:80], nearest=near)
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise LessonError("lesson.missing", path=name[:80]) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "utf-8"
        raise LessonError("lesson.unread", path=path, reason=reason) from None
    called = name if name in names() else path.stem
    return Lesson(called, read_lesson(text, TEXT if called == name else path.name, path.parent), name)
