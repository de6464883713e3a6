"""Lesson: a text and its runs, as a document for any renderer.

lesson = w.lesson("example-3")            one that comes with the package, or the path of a file
lesson.trace("twin")["dW_V"].value
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from os.path import isfile
from pathlib import Path
from typing import TypeVar

from .. import conventions
from ..conventions import Convention
from ..document.blocks import Document, Figure, Ledger, Table, Text, Words, all_blocks
from ..document.displayed import Displayed
from ..engine.arguments import checks_arguments
from ..engine.arithmetic import arithmetic
from ..engine.errors import LessonError, WorkingsError
from ..engine.files import MissingFileError, read_user_text
from ..explain.trace import Trace
from ..scenarios.reading.location import place
from ..scenarios.reading.scenario_file import DEFAULT, read_scenario
from ..scenarios.scenario import Scenario, scenario
from ..scenarios.scenario import names as scenario_names
from .built import BuiltLesson
from .cache import kept_document
from .coded import coded, in_python
from .contents import FOLDER, TEXT, names, unknown_lesson
from .directives.checks import LessonCheck
from .frame import foot, head
from .measured import Measured
from .page import PageBuilder
from .reading.lesson_file import LessonFile, placed, read_lesson
from .reading.myst import directive_of, line_of, tree
from .runs import DISTINGUISHING, TWIN, LessonOptions, Numbers, Runs

Block = TypeVar("Block", Figure, Ledger, Table)
MAX_LESSON_BYTES = 8_000_000  # as many as its characters can take


@dataclass(frozen=True)
class Lesson(Displayed):
    """A lesson, as its file says it, with its numbers as they were options for.

    >>> lesson("example-1").trace()["P"].value.round(4)
    array([0.2506, 0.2494, 0.2506, 0.2494])
    """

    name: str
    file: LessonFile
    source: str = ""  # how it is options for: its name, or the path of its file
    options: LessonOptions = field(default_factory=LessonOptions)

    @property
    def title(self) -> str:
        return self.file.title

    @cached_property
    def scenario(self) -> Scenario | None:
        """The main scenario: that of the head, or the first one in the text."""
        if self.file.scenario:
            try:
                return self._find_scenario(self.file.scenario) or scenario(self.file.scenario)
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
                raise LessonError(
                    f"Two scenarios of this lesson are called '{name}'.",
                    hint="Give one of them another name: :::{scenario} NAME.",
                    where=place(self.file.name, directive.line),
                )
            # Empty lines before it, so that errors name the lines of the lesson.
            text = "\n" * (directive.body_line - 1) + directive.body
            found[name] = Scenario(self.file.name, read_scenario(text, self.file.name), text, self.file.folder)
        return found

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs of the main scenario."""
        return () if self.scenario is None else self.scenario.runs

    @checks_arguments
    def trace(self, run: str = DEFAULT, *, precision: str | None = None) -> Trace:
        """One run, computed: of the main scenario, of another one with its name before it (`demo.twin`), or one that
        the text makes.
        """
        runs = self._runs(replace(self.options, precision=precision or self.options.precision))
        try:
            return runs[run]
        except LessonError:
            made = self.build().traces
            if run not in made:
                raise
            return made[run]

    def scenario_of(self, run: str = DEFAULT) -> tuple[Scenario, str]:
        """The scenario that a run belongs to, and what the run is called there; one that the text makes has none.

        >>> lesson("example-3").scenario_of("example-2.after")[0].title
        'Example 2: one training step'
        """
        return self._runs(self.options).find(run)

    def build(self, options: LessonOptions | None = None) -> BuiltLesson:
        """The lesson worked out, as a reader wants it."""
        page = PageBuilder(self.file, self._runs(options or self.options))
        blocks = page.blocks(self.file.text)
        framed = (*head(self.file), *coded(blocks), *foot(self.file, self.source, page))
        code = self._code(options or self.options)
        return BuiltLesson(self.name, Document(self.title, framed, self.file.question, code=code), page)

    def _code(self, options: LessonOptions) -> str:
        """Python that opens this lesson, and its main run."""
        wishes = {"digits": options.digits, "precision": options.precision}
        wishes["convention"] = None if options.convention is None else options.convention.profile
        wishes["numbers"] = options.numbers if options.numbers == DISTINGUISHING else None
        path = Path(self.source)
        given = [in_python(path.name if path.is_absolute() else self.source)]
        given += [f"{key}={in_python(wish)}" for key, wish in wishes.items() if wish is not None]
        return f"import workings as w\n\nlesson = w.lesson({', '.join(given)})\ntrace = lesson.trace()"

    def checks(self, options: LessonOptions | None = None) -> list[LessonCheck]:
        """Whether the checks of the lesson hold, as a reader would work them out."""
        page = PageBuilder(self.file, self._runs(options or self.options))
        page.check(self.file.text)
        return page.checked

    # -- parts of its page -----------------------------------------------------------------------

    @cached_property
    def document(self) -> Document:
        """The whole lesson for any renderer; that of a lesson of the package is kept."""
        if self.name not in names() or self.name != self.source or self.options.change is not None:
            return self.build().document
        chosen = None if self.options.convention is None else self.options.convention.profile
        wishes = f"{self.options.digits} {self.options.precision} {chosen} {self.options.numbers}"
        return kept_document(self.name, wishes, lambda: self.build().document)

    def figure(self, number: int) -> Figure:
        """A figure of the lesson, counted from 1.

        >>> lesson("multi-head").figure(1).form
        'links'
        """
        return self._block(Figure, f"lesson.figure({number})")

    def ledger(self, number: int) -> Ledger:
        """A ledger of shapes, counted from 1."""
        return self._block(Ledger, f"lesson.ledger({number})")

    def checklist(self, number: int) -> Table:
        """A list of checks with what they gave, counted from 1."""
        return self._block(Table, f"lesson.checklist({number})")

    def _block(self, kind: type[Block], code: str) -> Block:
        found = {block.code: block for block in all_blocks(self.document.blocks) if isinstance(block, kind)}
        if code not in found:
            count = sum(1 for known in found if known)
            raise LessonError(f"{self.name} has no {code}.", hint=f"Take a number from 1 to {count}.")
        return found[code]

    def _shown(self) -> Document:
        return Document(self.title, (Text((Words(f"{self.file.about}."),)),) if self.file.about else ())

    def _runs(self, options: LessonOptions) -> Runs:
        if self.scenario is None:
            raise no_scenario(self.file.name)
        if options.numbers == DISTINGUISHING and TWIN not in self.scenario.runs:
            raise LessonError(
                f"{self.title} has only one set of numbers.",
                hint=f"Leave out `numbers`, or give its scenario a run named {TWIN} with distinguishing numbers.",
            )
        if Measured.NAME in self.scenario.runs:
            raise LessonError(
                f"A run of this scenario is called '{Measured.NAME}', as is what a lesson measures.",
                hint="Give the run another name.",
                where=self.scenario.name,
            )
        if self.file.calculator:
            try:
                arithmetic(f"calculator {self.file.calculator}")
            except WorkingsError as error:
                raise placed(error, self.file.name, self.file.lines["calculator"]) from None
        return Runs(self.scenario, self._find_scenario, options, options.digits or self.file.digits)

    def _find_scenario(self, name: str) -> Scenario | None:
        """Another scenario: one in the text, in its folder, or of the package."""
        if name in self.inline:
            return self.inline[name]
        stem = name.removesuffix(".yaml")
        path = None if self.file.folder is None else self.file.folder / f"{stem}.yaml"
        if path is not None and stem.replace("-", "").replace("_", "").isalnum() and isfile(path):
            return scenario(path)
        return scenario(name) if name in scenario_names() else None


def no_scenario(name: str) -> LessonError:
    return LessonError(
        "The lesson names no scenario.",
        hint="Write scenario: NAME into its head, or a scenario of its own with :::{scenario}.",
        where=name,
    )


@checks_arguments
def lesson(
    source: str | Path,
    *,
    digits: int | None = None,
    precision: str | None = None,
    convention: Convention | str | None = None,
    numbers: Numbers = "document",
) -> Lesson:
    """A lesson that comes with the package, by its name, or any other by the path of its file: its numbers to so many
    digits, computed in this precision and by this convention. With distinguishing `numbers`, it shows those of the run
    `twin` in place of the document's.

    >>> lesson("example-1").title
    'Example 1: a forward pass'
    """
    chosen = None if convention is None else conventions.convention(convention)
    options = LessonOptions(digits, precision, chosen, numbers)
    name = str(source)
    if name in names():
        path = FOLDER / name / TEXT
    else:
        path = Path(source)
        if not name.endswith(".md"):
            raise unknown_lesson(name)
    try:
        text = read_user_text(path, MAX_LESSON_BYTES)
    except MissingFileError as error:
        raise LessonError(
            error.what, hint="Check the path, or see `workings lessons` for those that come with the package."
        ) from None
    own_name = name if name in names() else path.stem
    return Lesson(own_name, read_lesson(text, TEXT if own_name == name else path.name, path.parent), name, options)
