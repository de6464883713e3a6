"""A lesson worked out: its document, and the traces that its numbers come from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..document.blocks import Document, to_data
from ..engine.arrays import Array
from ..engine.file import with_inside
from ..explain.trace import SCHEMA, Trace
from .directives.checks import LessonCheck
from .page import PageBuilder

_EMPTY = Document("", ())


@dataclass(frozen=True)
class BuiltLesson:
    """`name` is that of the lesson."""

    name: str
    document: Document
    page: PageBuilder

    @property
    def checks(self) -> list[LessonCheck]:
        return self.page.checked

    @property
    def traces(self) -> dict[str, Trace]:
        return self.page.runs.traces

    def values(self) -> dict[str, Array]:
        """Every array of every run, under `run:path`."""
        return {f"{run}:{name}": value for run, trace in self.traces.items() for name, value in trace.values().items()}

    def to_data(self) -> dict[str, Any]:
        """As JSON data; see schema/trace.json in the package."""
        runs = [run for name, trace in self.traces.items() for run in trace.to_data(name=name, document=_EMPTY)["runs"]]
        for (name, composite), inside in self.page.runs.opened.items():
            run = next(run for run in runs if run["name"] == name)
            run["steps"] = with_inside(run["steps"], composite, inside)
        return {"schema": SCHEMA, "lesson": self.name, "document": to_data(self.document), "runs": runs}
