"""Lesson: a text and its runs, as a document for any renderer.

lesson = w.lesson("example-3")            one that comes with the package, or the path of a file
lesson.trace("twin")["dW_V"].value
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from ..engine.arrays import Array, indices
from ..engine.errors import LessonError, WorkingsError
from ..engine.file import with_inside
from ..engine.sentences import say
from ..explain.cell import cell
from ..explain.document import (
    Block,
    Derivation,
    Document,
    Matrix,
    Reference,
    Span,
    Text,
    Words,
    all_blocks,
    to_data,
)
from ..explain.sentences import say_spans
from ..explain.story import precision_text
from ..explain.view import SCHEMA, Trace
from ..models.reading.likely import likely
from ..models.reading.scenario_reading import DEFAULT, read_scenario
from ..models.scenario import Scenario, scenario
from ..models.scenario import names as scenario_names
from . import sentences
from .directives.checks import Check
from .located import located
from .page import Page
from .reading.lesson_file import LessonFile, placed, read_lesson
from .reading.myst import directive_of, line_of, tree
from .runs import LONG, WIDE, Asked, Runs
from .shelf import FOLDER, TEXT, names


@dataclass(frozen=True)
class Lesson:
    """A lesson, as its file says it.

    >>> lesson("example-1").trace()["P"].value.round(4)
    array([0.2506, 0.2494, 0.2506, 0.2494])
    """

    name: str
    file: LessonFile
    _own: dict[str, Scenario] = field(default_factory=dict)

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
                raise placed(error, self.file.name, 1) from None
        return next(iter(self.inline.values()), None)

    @cached_property
    def inline(self) -> dict[str, Scenario]:
        """The scenarios in the text itself."""
        found: dict[str, Scenario] = {}
        for node in tree(self.file.text):
            directive = directive_of(node, line_of(node) + 1) if node.type == "colon_fence" else None
            if directive is None or directive.name != "scenario":
                continue
            name = directive.argument or self.name
            if name in found:
                raise LessonError("lesson.two_scenarios", name=name, where=f"{self.file.name}, line {directive.line}")
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
        return Written(self, Document(self.title, (*_head(self, page), *blocks, *_foot(self))), page)

    def checks(self, asked: Asked | None = None) -> list[Check]:
        """Whether the checks of the lesson hold, as a reader would work them out."""
        page = Page(self.file, self._runs(asked or Asked()))
        page.check(self.file.text)
        return page.checked

    def _runs(self, asked: Asked) -> Runs:
        if self.scenario is None:
            raise LessonError("lesson.no_scenario", where=self.file.name)
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


@dataclass(frozen=True)
class Written:
    """A lesson worked out: its document, and the traces that its numbers come from."""

    lesson: Lesson
    document: Document
    page: Page

    @property
    def checks(self) -> list[Check]:
        return self.page.checked

    @property
    def traces(self) -> dict[str, Trace]:
        return self.page.runs.traces

    def with_cells(self) -> Document:
        """The document with the hand calculation of every entry of the smaller matrices that stand on it."""
        steps = dict.fromkeys(block.step for block in all_blocks(self.document.blocks) if isinstance(block, Matrix))
        return replace(self.document, cells=tuple(cell for step in steps for cell in self._cells(step)))

    def _cells(self, name: str) -> Iterator[Derivation]:
        run, _, id = name.rpartition(":")
        trace = self.page.trace(run)
        step = trace.recording.steps.get(id)
        if step is not None and step.op is not None and math.prod(step.form.shape) <= MOST_CELLS:
            for index in indices(step.form.shape):
                yield located(cell(trace.recording, step, index, trace.style), run)

    def values(self) -> dict[str, Array]:
        """Every array of every run, under `run:path`."""
        return {f"{run}:{name}": value for run, trace in self.traces.items() for name, value in trace.values().items()}

    def to_data(self) -> dict[str, Any]:
        """As JSON data; see schema/trace.json in the package."""
        runs = [run for name, trace in self.traces.items() for run in trace.to_data(name=name, document=_EMPTY)["runs"]]
        for (name, composite), inside in self.page.runs.opened.items():
            run = next(run for run in runs if run["name"] == name)
            run["steps"] = with_inside(run["steps"], composite, inside)
        return {"schema": SCHEMA, "lesson": self.lesson.name, "document": to_data(self.document), "runs": runs}


_EMPTY = Document("", ())
MOST_CELLS = 64  # entries of a step that are all worked out by hand


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
        text = path.read_text(encoding="utf-8")
    except FileNotFoundError:
        near = likely(Path(name).stem, names())
        raise LessonError("lesson.unknown" if near else "lesson.unknown.none", name=name[:80], nearest=near) from None
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "utf-8"
        raise LessonError("lesson.unread", path=path, reason=reason) from None
    called = name if name in names() else path.stem
    return Lesson(called, read_lesson(text, TEXT if called == name else path.name, path.parent))


def _head(lesson: Lesson, page: Page) -> Iterator[Block]:
    """What stands above the text: how long it takes, what it needs, how its numbers are written."""
    file = lesson.file
    spans: list[Span] = [Words(say("lesson.minutes", minutes=file.minutes))] if file.minutes else []
    if file.needs:
        needs = [part for name in file.needs for part in (Words(", "), Reference(name, lesson=name))][1:]
        spans += [Words(" ")] if spans else []
        spans += say_spans("lesson.needs", needs=tuple(needs))
    if spans:
        yield Text(tuple(spans))
    yield precision_text(page.trace(DEFAULT).recording, page.style)
    if file.calculator:
        command = f'workings lesson {lesson.name} --precision "calculator {file.calculator}"'
        yield Text(say_spans("lesson.calculator", digits=Words(file.calculator), command=Words(command, "code")))
    if file.scenario in scenario_names():
        command = f"workings trace {file.scenario} --step NAME --cell 0,1"
        yield Text(say_spans("lesson.by_hand", command=Words(command, "code")))
    if (page.runs.asked.precision or "").startswith("calculator"):
        yield Text((Words(say("lesson.long", steps=LONG, width=WIDE)),))


def _foot(lesson: Lesson) -> Iterator[Block]:
    if lesson.file.next:
        yield Text(say_spans("lesson.next", next=Reference(lesson.file.next, lesson=lesson.file.next)))


__all__ = ["Lesson", "Written", "lesson", "names", "sentences"]
