"""`figure` and `bars`: figures of a run. The pages in `workings.figures` say which there are, and what they show."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ...document.blocks import Block
from ...engine.errors import LessonError, did_you_mean
from ...engine.inside import inside
from ...explain.trace import Trace
from ...figures import PAGES
from ...figures.parts.matrix_window import Labels
from ...figures.parts.options import read_options
from ...figures.parts.page import FigureRequest, ShownStep
from ..prose import flowing
from ..reading.entry import DEFAULT
from ..reading.myst import Directive
from ..rewriting import rewritten, step_located
from .kind import Kind

if TYPE_CHECKING:
    from ..page import PageBuilder

Part = TypeVar("Part")


def _figure(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    name, _, rest = directive.argument.partition(" ")
    if name not in PAGES:
        hint = f"{did_you_mean(name, PAGES)}The figures are {', '.join(PAGES)}."
        raise LessonError(f"There is no figure '{name}'.", hint=hint)
    figure_page, names = PAGES[name], tuple(rest.split())
    for option in directive.options:
        if option not in figure_page.all_options:
            raise LessonError(
                f"The figure {name} has no option '{option}'.",
                hint=f"Its options are {', '.join(figure_page.all_options)}.",
            )
    figure_page.check_names(names)
    request = LessonRequest(page, directive.options.get("run", DEFAULT), names)
    caption = flowing(page.blocks(directive.body, directive.body_line)) if directive.body.strip() else ()
    figures = list(figure_page.figures(request, read_options(figure_page.options, directive.options)))
    for number, figure in enumerate(figures, start=1):
        is_alone = caption and len(figures) == 1
        title = directive.options.get("title", "" if is_alone else figure.title)
        yield replace(figure, title=title, caption=caption if number == len(figures) else ())


def _bars(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    return _figure(replace(directive, argument=f"bars {directive.argument}"), page)


@dataclass
class LessonRequest(FigureRequest):
    """What a figure shows of the runs of a lesson."""

    page: PageBuilder
    run: str
    names: tuple[str, ...]

    @property
    def trace(self) -> Trace:
        return self.page.trace(self.run)

    @property
    def labels(self) -> Labels:
        return self.page.labels(self.run)

    def step(self, name: str) -> ShownStep:
        entry = self.page.entry(name, self.run)
        view, run = self.page.view(entry), self.page.run_of(entry)
        labels = self.page.labels(run, view)
        return ShownStep(str(entry), view, entry.index, labels, partial(self._located, run=run))

    def has_run(self, run: str) -> bool:
        main = self.page.runs.main
        return main is not None and run in main.runs

    def in_run(self, run: str) -> LessonRequest:
        return replace(self, run=run)

    def located(self, part: Part) -> Part:
        return self._located(part, self.run)

    def _located(self, part: Part, run: str) -> Part:
        """The same data with the run in the name of every step; of composites whose inside it shows, the lesson keeps
        the steps inside.
        """

        def located(item: Any) -> Any:
            composite = getattr(item, "step", "").rpartition(".")[0]
            recording = self.page.trace(run).recording
            if composite in recording.steps and (run, composite) not in self.page.runs.opened:
                self.page.runs.opened[run, composite] = inside(recording, recording.step(composite))
            return step_located(item, run)

        return rewritten(part, located)


_OPTIONS = tuple(dict.fromkeys(option for page in PAGES.values() for option in page.all_options))
FIGURES = {
    "figure": Kind(_figure, "needed", "optional", _OPTIONS),
    "bars": Kind(_bars, "needed", "optional", tuple(PAGES["bars"].all_options)),
}
