"""The parts of a figure page, and the registry of all pages.

name        what a lesson and the command line call it; `form`, where documents call it otherwise
summary     one sentence: what it shows. The docstring of the class says more to a reader of docs/figures.md
takes       what is named after it: a step, several steps, a module, or nothing
data        a frozen dataclass, which is a part of the JSON schema
options     a frozen dataclass of `option(...)` fields
build       how it is made from what a lesson or a command names
svg         or `chart`, a specification in Vega-Lite, of a page that is a ChartPage
text        rows of monospaced text
example     what to draw, of a scenario that comes with the package: the tests and the documentation draw it
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Any, ClassVar, Generic, TypeAlias, TypeVar

from ...document.blocks import Figure, FigureData, Index
from ...document.figure_data import DATA_OF_FORM
from ...document.monospace import Plain
from ...document.numbers import Style
from ...engine.errors import CallError, PageError
from ...explain.step_view import StepView
from ...explain.trace import Trace
from .matrix_window import Labels
from .options import NoOptions, options_in

PAGES: dict[str, FigurePage[Any, Any]] = {}  # filled while `workings.figures` is imported, and only read afterwards
COMMON_OPTIONS = {
    "run": "The run to draw, instead of the default run.",
    "title": "What to write above the figure, instead of its usual title.",
}

Part = TypeVar("Part")
Data = TypeVar("Data", bound=FigureData)
Options = TypeVar("Options")
Places: TypeAlias = Sequence[tuple[float, float]]  # where a number lies across, such as its step of training; its value


class Takes(Enum):
    """What is named after a figure."""

    STEP = "STEP"
    STEPS = "STEP ..."
    ANY_STEPS = "[STEP ...]"
    MODULE = "[MODULE]"
    NOTHING = ""


@dataclass(frozen=True)
class FigureExample:
    """A figure of a scenario, as the command line takes it."""

    scenario: str
    subject: str = ""
    run: str = ""

    def command(self, name: str) -> str:
        run = f" --run {self.run}" if self.run else ""
        return f"workings figure {self.scenario} {self.figure(name)}{run}"

    def figure(self, name: str) -> str:
        return f"{name}:{self.subject}" if self.subject else name


# -- what a lesson or a command wants to see ---------------------------------------------------------


@dataclass(frozen=True)
class ShownStep:
    """A step that a figure shows, with the name that its reader wrote. Of a step with several matrices, `index` is the
    place of one.
    """

    name: str
    view: StepView
    index: Index = ()
    labels: Labels = field(default_factory=dict)
    locate: Callable[[Any], Any] = lambda part: part

    def located(self, part: Part) -> Part:
        """The same data, in which every step says to which run it belongs."""
        found: Part = self.locate(part)
        return found

    def labels_with(self, words: tuple[str, ...]) -> Labels:
        """Its labels, with these `words` for its rows, or for the entries of a single row."""
        form = self.view.form
        rows = -min(2, len(form.axes))
        if words and (not rows or len(words) != form.shape[rows]):
            raise CallError(
                f"There are {len(words)} labels for the rows of {self.name}, which is {form!s}.",
                hint="Write one for each row, separated by commas.",
            )
        return {**self.labels, form.axes[rows]: words} if words else self.labels


class FigureRequest(ABC):
    """What a lesson or a command wants to see: a run, and the `names` after the name of the figure."""

    run: str
    names: tuple[str, ...]

    @property
    @abstractmethod
    def trace(self) -> Trace: ...

    @property
    @abstractmethod
    def labels(self) -> Labels:
        """The words along the axes of this run, such as the tokens of its text."""

    @property
    def style(self) -> Style:
        return self.trace.style

    @abstractmethod
    def step(self, name: str) -> ShownStep: ...

    @abstractmethod
    def has_run(self, run: str) -> bool: ...

    @abstractmethod
    def in_run(self, run: str) -> FigureRequest:
        """The same for another run."""

    @abstractmethod
    def located(self, part: Part) -> Part:
        """Data of this run, in which every step and every history says to which run it belongs."""

    def losses(self) -> Mapping[str, Places]:
        """The histories of the loss, by name: that of training, and perhaps that of what was held out."""
        return {"loss": list(enumerate(self.trace.history.get("loss", ()), start=1))}


# -- pages -------------------------------------------------------------------------------------------


class FigurePage(ABC, Generic[Data, Options]):
    """One kind of figure. A page is a subclass, of which its file makes one: `heatmap = HeatmapPage()`."""

    name: ClassVar[str] = ""
    form: ClassVar[str] = ""
    summary: ClassVar[str] = ""
    takes: ClassVar[Takes]
    data: ClassVar[type[FigureData]]
    options: ClassVar[type] = NoOptions
    example: ClassVar[FigureExample]
    module_option: ClassVar[str] = ""  # the option that the command line sets to what follows the colon
    needs_values: ClassVar[bool] = True  # a model of which only the shapes are known has none
    text_has_numbers: ClassVar[bool] = True  # if not, a page of text says them in words below

    def __init__(self) -> None:
        parts = ("name", "summary", "takes", "data", "example")
        missing = [part for part in parts if not hasattr(self, part) or not getattr(self, part, "")]
        missing += ["a docstring"] if not self.about else []
        if missing or self.name in PAGES:
            raise PageError(
                f"The figure page {type(self).__name__} lacks {', '.join(missing) or 'a name of its own'}.",
                hint="figures/parts/page.py lists the parts of a page.",
            )
        type(self).form = self.form or self.name
        PAGES[self.name] = self
        DATA_OF_FORM[self.form] = self.data

    @property
    def about(self) -> str:
        """What a reader should know about it."""
        own = vars(type(self)).get("__doc__") or ""
        return "\n\n".join(" ".join(part.split()) for part in own.split("\n\n") if ">>>" not in part)

    @property
    def all_options(self) -> dict[str, str]:
        """Each option with a line of help."""
        return {**COMMON_OPTIONS, **{name: entry.help for name, entry in options_in(self.options).items()}}

    def check_names(self, names: Sequence[str]) -> None:
        """Refuse too many or too few names, before anything is computed."""
        if self.takes in (Takes.STEP, Takes.STEPS) and not names:
            raise CallError(
                f"The figure {self.name} needs the name of a step.",
                hint=f"Write it after {self.name}, such as {self.example.subject}.",
            )
        if self.takes is Takes.MODULE and len(names) > 1:
            raise CallError(
                f"The figure {self.name} draws one module, but several are named: {' '.join(names)}.",
                hint="Write one figure for each.",
            )
        if self.takes is Takes.NOTHING and names:
            raise CallError(
                f"The figure {self.name} shows a whole run, so nothing can follow its name: {' '.join(names)}.",
                hint=f"Write {self.name} alone.",
            )

    @abstractmethod
    def figures(self, request: FigureRequest, options: Options) -> Iterator[Figure]:
        """The figures that are wanted; most often it is one."""

    @abstractmethod
    def svg(self, figure: Figure, data: Data) -> str: ...

    @abstractmethod
    def text(self, data: Data, width: int, fine: bool = True, plain: Plain = str) -> list[str]:
        """Rows of at most so many columns. `fine` says whether the target has signs such as █; `plain` turns a text
        into signs that it has.
        """


class StepFigurePage(FigurePage[Data, Options]):
    """A page of one step; of several steps there is one figure each."""

    takes = Takes.STEP

    def figures(self, request: FigureRequest, options: Options) -> Iterator[Figure]:
        for name in request.names:
            step = request.step(name)
            yield step.located(self.build(step, options))

    @abstractmethod
    def build(self, step: ShownStep, options: Options) -> Figure: ...


class StepsFigurePage(FigurePage[Data, Options]):
    """A page that shows several steps in one figure. They may be of several runs: `build` locates what belongs to each
    of them.
    """

    takes = Takes.STEPS

    def figures(self, request: FigureRequest, options: Options) -> Iterator[Figure]:
        yield self.build([request.step(name) for name in request.names], options)

    @abstractmethod
    def build(self, steps: Sequence[ShownStep], options: Options) -> Figure: ...


class RunFigurePage(FigurePage[Data, Options]):
    """A page that shows a run, or a part of it."""

    takes = Takes.MODULE

    def figures(self, request: FigureRequest, options: Options) -> Iterator[Figure]:
        yield request.located(self.build(request, options))

    @abstractmethod
    def build(self, request: FigureRequest, options: Options) -> Figure: ...
