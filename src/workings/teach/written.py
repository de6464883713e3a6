"""A lesson worked out: its document, and the traces that its numbers come from."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from ..engine.arrays import Array, indices
from ..engine.file import with_inside
from ..explain.cell import cell
from ..explain.document import Derivation, Document, Matrix, all_blocks, to_data
from ..explain.view import SCHEMA, Trace
from .directives.checks import Check
from .located import located
from .page import Page

MOST_CELLS = 64  # entries of a step that are all worked out by hand
_EMPTY = Document("", ())


@dataclass(frozen=True)
class Written:
    """`name` is that of the lesson."""

    name: str
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
        return {"schema": SCHEMA, "lesson": self.name, "document": to_data(self.document), "runs": runs}
