"""A lesson becomes a document: its text as it stands, and a page of the trace wherever a directive asks for one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial

from markdown_it.tree import SyntaxTreeNode

from ..document.blocks import Block, Number, Span, Spans, Words
from ..document.numbers import Style
from ..engine.errors import LessonError, StepError, WorkingsError, did_you_mean
from ..explain.step_view import StepView
from ..explain.trace import Trace
from ..scenarios.reading.location import place
from .citations import CitedWork, cited, works_of
from .directives import DIRECTIVES
from .directives.checks import LessonCheck
from .directives.kind import allowed
from .measured import Measured
from .pictures import picture_in_folder
from .prose import Prose, flowing
from .reading.entry import DEFAULT, EntryName, read_entry
from .reading.lesson_file import LessonFile, placed
from .reading.myst import directive_of, line_of, tree
from .rewriting import located
from .roles import ROLES
from .runs import LessonOptions, Runs


class PageBuilder:
    """The writing of one lesson. Directives and roles are given the page, and take from it what they show."""

    def __init__(self, file: LessonFile, runs: Runs) -> None:
        self.file = file
        self.runs = runs
        self.measured = Measured(self)
        self.checked: list[LessonCheck] = []
        self.checklists = 0  # so many lists of checks were written
        self.works: dict[str, CitedWork] = {}  # that were cited
        self.inside: list[str] = []  # the directives that are being written, from the outermost to the innermost
        self._line = 0  # of the block that is being written, and before it those of the text around it
        self._prose = Prose(self._role, self._nodes, partial(picture_in_folder, folder=file.folder))

    # -- from text to blocks ---------------------------------------------------------------------

    def blocks(self, text: str, line: int = 1) -> tuple[Block, ...]:
        """A text that begins on this line of the file, as blocks."""
        around, self._line = self._line, line
        try:
            nodes = tree(text)
            self._refuse_unclosed(nodes, text.splitlines())
            return self._nodes(nodes)
        finally:
            self._line = around

    def _refuse_unclosed(self, nodes: list[SyntaxTreeNode], rows: list[str]) -> None:
        """A directive without an end would swallow the rest of the text."""
        for node in nodes:
            if node.type == "colon_fence" and node.map and rows[node.map[1] - 1].strip(" :>"):
                place_of = self._line + line_of(node)
                raise LessonError(
                    "A directive is not closed.",
                    hint="End it with as many colons as it begins with, on a line of their own; a directive around "
                    "another needs more colons than the inner one.",
                    given=node.info[:60],
                    where=place(self.file.name, place_of),
                )

    def check(self, text: str) -> None:
        """Only what the text measures and checks, without a page."""
        for node in tree(text):
            directive = directive_of(node, 1 + line_of(node)) if node.type == "colon_fence" else None
            if directive is None:
                continue
            if directive.name in ("measure", "checks"):
                list(self._block(node))
            elif directive.name == "only" and directive.argument == self.runs.options.numbers:
                self.check(directive.body)

    def _nodes(self, nodes: list[SyntaxTreeNode]) -> tuple[Block, ...]:
        return tuple(block for node in nodes for block in self._block(node))

    def _block(self, node: SyntaxTreeNode) -> Iterator[Block]:
        line = self._line + line_of(node)
        try:
            if node.type == "colon_fence":
                yield from self._directive(node, line)
            else:
                yield from self._prose.block(node)
        except WorkingsError as error:
            raise placed(self._explained(error), self.file.name, line) from None

    def _explained(self, error: WorkingsError) -> WorkingsError:
        """Under another convention a lesson may speak of a step that is not there: then that is the reason."""
        convention = self.runs.options.convention
        if convention is None or not isinstance(error, StepError):
            return error
        return LessonError(
            f"With the convention {convention.profile} this lesson cannot go on.",
            hint="Read it as it is, or choose another convention.",
            given=error.what,
        )

    @contextmanager
    def at(self, line: int) -> Iterator[None]:
        """What goes wrong inside stands on this line of the file."""
        try:
            yield
        except WorkingsError as error:
            error.where = place(self.file.name, line)
            raise

    def _directive(self, node: SyntaxTreeNode, line: int) -> Iterator[Block]:
        directive = directive_of(node, line)
        if directive is None:
            raise LessonError(
                "These colons close nothing: the directive is closed already, or has no name.",
                hint="Around a directive that contains others put more colons than inside, ::::{exercise} around "
                ":::{answer}; and write a name in braces: :::{cell} scores[1][0].",
                given=node.info[:60],
            )
        if directive.name not in DIRECTIVES:
            raise LessonError(
                f"There is no directive '{directive.name}'.",
                hint=f"{did_you_mean(directive.name, DIRECTIVES)}The directives are {', '.join(DIRECTIVES)}.",
            )
        kind = DIRECTIVES[directive.name]
        allowed(directive, kind)
        self.inside.append(directive.name)
        try:
            yield from kind.write(directive, self)
        finally:
            self.inside.pop()

    def _role(self, name: str, text: str) -> Spans:
        if name not in ROLES:
            raise LessonError(
                f"There is no role '{name}'.", hint=f"{did_you_mean(name, ROLES)}The roles are {', '.join(ROLES)}."
            )
        return ROLES[name](text, self)

    def cite(self, key: str) -> CitedWork:
        """The work of this name, which then is among the references of the lesson."""
        if key not in self.works:
            self.works[key] = cited(key, works_of(self.file.bibliography, self.file.folder))
        return self.works[key]

    def sentence(self, text: str) -> Spans:
        """A line of text, with its roles."""
        return flowing(self._nodes(tree(text)))

    def unchanged(self) -> PageBuilder:
        """The same lesson as it is without the wishes of a reader, to be compared with a source."""
        options = LessonOptions(self.runs.options.digits)
        return PageBuilder(self.file, Runs(self.runs.main, self.runs.other, options, self.runs.digits))

    # -- what directives take --------------------------------------------------------------------

    @property
    def style(self) -> Style:
        return Style(self.runs.digits)

    def trace(self, run: str) -> Trace:
        return self.runs[run]

    def view(self, name: EntryName) -> StepView:
        """The step that is named; a measured one is found without its run, too."""
        return self.trace(self._run(name))[name.step]

    def _run(self, name: EntryName) -> str:
        is_measured = name.run in (DEFAULT, Measured.NAME) and self.measured.has(name.step)
        return self.measured.run_of(name.step) if is_measured else name.run

    def run_of(self, name: EntryName) -> str:
        """The run that a step lies in; that a composite of it was opened is remembered."""
        run, view = self._run(name), self.view(name)
        if view.recording is not view.trace.recording:
            self.runs.opened[run, view.id.rpartition(".")[0]] = view.recording
        return run

    def whole(self, name: EntryName) -> StepView:
        """A step that is meant as a whole."""
        if name.index:
            raise LessonError(
                f"A matrix is shown whole, and '{name!s}' is a part of one.",
                hint=f"Write {name.step}, or show the part with the directive cell or value.",
            )
        return self.view(name)

    def value(self, name: EntryName) -> float:
        """One entry, as a number to compare with."""
        return float(self.view(name).number(*name.index).value)

    def number(self, name: EntryName, style: Style | None = None) -> Number:
        """One entry as a printed number that knows its run."""
        view = self.view(name)
        style = style or view.trace.style
        if name.digits is not None:
            style = replace(style, digits=name.digits)
        return located(view.number(*name.index, style=style), self.run_of(name))

    def sizes(self, name: EntryName) -> Spans:
        """The sizes of a step: 2 × 4."""
        view, spans = self.whole(name), list[Span]()
        for axis in range(len(view.shape)):
            spans += [Words(" × ")] if spans else []
            spans.append(view.axis_size(axis))
        return located(tuple(spans), self.run_of(name))

    def labels(self, run: str, view: StepView | None = None) -> dict[str, tuple[str, ...]]:
        labels = self.runs[run].labels
        return dict(labels.axes) if view is None else labels(view)

    def entry(self, text: str, run: str = "") -> EntryName:
        """What a text names; `run` is that of the directive, for names that do not say theirs."""
        name = read_entry(text)
        return replace(name, run=run) if run and name.run == DEFAULT else name
