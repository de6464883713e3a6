"""The answers of the lab: what a page gets when it asks. Texts and numbers are documents and printed numbers of
`explain`; everything else is where they stand and where they lead.

`schema/lab.json` is derived from these types, and from that the types of the front end.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from ...document.blocks import Document, Index, Number
from ...document.spans import Span

Stage: TypeAlias = Literal["forward", "backward", "update"]
Kind: TypeAlias = Literal["leaf", "primitive", "composite"]


# -- pages of text ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class Page:
    """A document, and its figures drawn: one SVG for each, in the order of the document; empty where the package that
    draws it is missing.
    """

    document: Document
    drawings: tuple[str, ...] = ()


@dataclass(frozen=True)
class LessonEntry:
    """A lesson on the path. `explored` is the scenario or lesson that the explorer opens for it, `practised` whether
    it has a sheet, `switches` whether it has a second, distinguishing set of numbers.
    """

    name: str
    title: str
    about: str
    part: str
    minutes: int | None
    needs: tuple[str, ...]
    explored: str
    practised: bool
    question: str = ""
    switches: bool = False


@dataclass(frozen=True)
class LessonPath:
    parts: tuple[LessonPart, ...]


@dataclass(frozen=True)
class LessonPart:
    name: str
    title: str
    lessons: tuple[LessonEntry, ...]


@dataclass(frozen=True)
class ScenarioEntry:
    name: str
    title: str
    about: str
    runs: tuple[str, ...]


@dataclass(frozen=True)
class Scenarios:
    scenarios: tuple[ScenarioEntry, ...]


@dataclass(frozen=True)
class ScenarioText:
    """A scenario as YAML: one of the package, or one made for somebody's own words or matrices."""

    name: str
    text: str


# -- a trace ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Overview:
    """A trace without its numbers: its steps in the order in which they are computed, and its modules.

    `base` is the key of the same trace before anything was changed, by edits, precision or convention; `changed` are
    the steps whose numbers are others since. Entries are counted from `count_from`.
    `headline` are the few numbers that a reader watches: the loss, the probability of the target.
    """

    key: str
    base: str
    title: str
    source: str
    run: str
    runs: tuple[str, ...]
    precision: str
    convention: str
    conventions: tuple[str, ...]
    digits: int
    count_from: int
    steps: tuple[StepRow, ...]
    modules: tuple[ModuleEntry, ...]
    changed: tuple[str, ...]
    headline: tuple[Watched, ...]
    edits: tuple[EditRow, ...]
    keys: tuple[ScenarioKey, ...]
    multiply_adds: int


@dataclass(frozen=True)
class StepRow:
    """`name` is how a link calls it (the shortest that is clear), `title` how the notation writes it. `reads` and
    `read_by` are steps; `gradient` is the step that holds its gradient, `twin` of a gradient the step that it is of.
    One that is `told` stands in the story by itself; one that is `turned` is shown with its last two axes exchanged.
    """

    id: str
    path: str
    name: str
    title: str
    module: str
    op: str
    kind: Kind
    leaf: str
    stage: Stage
    axes: tuple[str, ...]
    shape: Index
    turned: bool
    reads: tuple[str, ...]
    read_by: tuple[str, ...]
    twin: str
    gradient: str
    told: bool
    editable: bool


@dataclass(frozen=True)
class ModuleEntry:
    """A path that steps lie under, with the op of its group where it is one."""

    path: str
    title: str
    parent: str
    op: str
    summary: str


@dataclass(frozen=True)
class Watched:
    """A number worth watching, and what it was before the edits."""

    title: str
    number: Number
    before: Number | None


@dataclass(frozen=True)
class EditRow:
    """An edit as it stands in the address, such as `W_Q[0][1]=0.3`, and what stood there before."""

    text: str
    label: str
    value: str
    before: str


@dataclass(frozen=True)
class ScenarioKey:
    """A setting of the scenario that can be edited: `model.mask`, with what it is now and what it could be; with no
    choices, anything may be written.
    """

    key: str
    title: str
    value: str
    choices: tuple[str, ...]


@dataclass(frozen=True)
class StepPage:
    """One step: what it is in words and as a formula, what is `inside` a composite, and `around` it in one."""

    row: StepRow
    page: Page
    inside: tuple[StepRow, ...]
    around: tuple[StepRow, ...]
    lead_labels: tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class CellPage:
    """One entry: its hand calculation, where it comes from, where it goes, and its gradient."""

    step: str
    index: Index
    label: str
    number: Number
    before: Number | None
    page: Page
    reads: tuple[Reading, ...]
    feeds: tuple[Feeding, ...]
    gradient: Number | None
    way: tuple[WayStep, ...]


@dataclass(frozen=True)
class Reading:
    """An entry that the hand calculation reads."""

    step: str
    title: str
    index: Index
    label: str
    text: str


@dataclass(frozen=True)
class Feeding:
    """The entries of a later step into which an entry goes; `more` are not listed."""

    step: str
    title: str
    op: str
    stage: Stage
    entries: tuple[Index, ...]
    labels: tuple[str, ...]
    more: int


@dataclass(frozen=True)
class WayStep:
    """A step on the way from the loss back to an entry: its gradient, and by what rule it comes from the one before."""

    step: str
    title: str
    gradient: str
    gradient_title: str
    op: str
    formula: tuple[Span, ...]


# -- practice and checking -------------------------------------------------------------------------


@dataclass(frozen=True)
class SheetPage:
    """A sheet to fill in. `fields` are the labels in the order in which they are asked."""

    code: str
    title: str
    source: str
    run: str
    seed: int
    blanks: str
    page: Page
    fields: tuple[str, ...]


@dataclass(frozen=True)
class Marked:
    """What is said about one answer. `right` counts: right, right to its digits, and what follows from one's own."""

    label: str
    verdict: str
    right: bool
    mistake: str
    page: Page


@dataclass(frozen=True)
class GradePage:
    first_wrong: str
    marks: tuple[Marked, ...]
    right: int
    asked: int
    page: Page


@dataclass(frozen=True)
class HintPage:
    rung: int
    rungs: int
    page: Page


@dataclass(frozen=True)
class CheckPage:
    """What came of checking somebody's numbers: the first step that differs, and why."""

    first_wrong: str
    mistake: str
    page: Page
    scenario: str


# -- learners --------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Learner:
    """A learner is a random code and nothing else."""

    code: str
    since: str
    kept_until: str
    lessons: tuple[LessonProgress, ...]
    mistakes: tuple[MistakeCount, ...]


@dataclass(frozen=True)
class LessonProgress:
    name: str
    opened: bool
    answers: int
    right: int


@dataclass(frozen=True)
class MistakeCount:
    """`source` is the lesson or scenario in which it was made last."""

    mistake: str
    title: str
    source: str
    count: int
    last: str


# -- models, words, errors -------------------------------------------------------------------------


@dataclass(frozen=True)
class ModelEntry:
    name: str
    about: str
    parameters: str


@dataclass(frozen=True)
class Models:
    models: tuple[ModelEntry, ...]


@dataclass(frozen=True)
class Problem:
    """What went wrong, where, what was given, and what to try."""

    key: str
    what: str
    where: str
    given: str
    try_this: str


@dataclass(frozen=True)
class Start:
    """What the front end asks for first; an offline file has no `live` lab behind it."""

    live: bool
    version: str
