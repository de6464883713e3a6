"""`StepView`: one step of a trace, as users see it. A thin view over the engine."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy

from ..document.blocks import Block, Derivation, Document, Formula, Matrix, Number, Spans, Text
from ..document.displayed import Displayed
from ..document.numbers import Style
from ..engine.arrays import Array, Index
from ..engine.errors import StepError
from ..engine.form import Form
from ..engine.inside import inside
from ..engine.recording import Recording
from ..engine.steps import Step
from ..engine.tensor import Tensor
from .cell import cell, checked_index
from .line import number_at, style_for
from .step_blocks import MAX_SIZE, MAX_WHOLE_SIZE, matrix_of, precision_text, step_blocks, title_of
from .step_formula import formula_of

if TYPE_CHECKING:
    from .trace import Trace


class StepView(Displayed):
    """One step of a trace: its value, where it comes from, and any entry of it by hand."""

    def __init__(self, trace: Trace, step: Step, recording: Recording | None = None) -> None:
        self.trace = trace
        self.step = step
        self.recording = recording or trace.recording  # of its own, for a step inside a composite

    @property
    def value(self) -> Array:
        """The array itself. It is read-only: `trace.replay(values=...)` changes it."""
        if self.step.tensor.array is None:
            return self.recording.value(self.step.id)  # raises, saying why
        return self.step.tensor.array

    @property
    def tensor(self) -> Tensor:
        """The value with its axis words, to go on computing with it."""
        return self.step.tensor

    @property
    def id(self) -> str:
        return self.step.id

    @property
    def name(self) -> str:
        return self.step.name

    @property
    def path(self) -> str:
        return self.step.path

    @property
    def op(self) -> str:
        return self.step.op_name

    @property
    def form(self) -> Form:
        """Its axis words and sizes."""
        return self.step.form

    @property
    def axes(self) -> tuple[str, ...]:
        return self.form.axes

    @property
    def shape(self) -> tuple[int, ...]:
        return self.form.shape

    @property
    def settings(self) -> dict[str, Any]:
        return dict(self.step.settings)

    @property
    def inputs(self) -> list[StepView]:
        return [self._view(self.recording.step(id), self.recording) for id in self.step.inputs]

    @property
    def twin(self) -> StepView | None:
        """Of a gradient or a new weight: the step that it belongs to."""
        return self._view(self.recording.step(self.step.twin), self.recording) if self.step.twin else None

    @property
    def formula(self) -> str:
        """The formula as LaTeX."""
        formula = self.formula_block()
        return formula.math.latex if formula else ""

    def formula_block(self) -> Formula | None:
        """The formula for any renderer; a leaf has none."""
        return formula_of(self.recording, self.step, notation=self.trace.style.notation)

    @property
    def inside(self) -> list[StepView]:
        """The steps inside a composite, made by running its page again."""
        opened = inside(self.recording, self.step)
        return [self._view(step, opened) for step in opened.steps.values()]

    def cell(self, *index: int, digits: int | None = None) -> Derivation:
        """The hand calculation of one entry: `print(trace["scores"].cell(1, 0))`."""
        style = self.trace.style if digits is None else replace(self.trace.style, digits=digits)
        arguments = [*map(str, index), *([] if digits is None else [f"digits={digits}"])]
        by_hand = cell(self.recording, self.step, self._entry(index), style)
        return replace(by_hand, code=f"{code_of(self)}.cell({', '.join(arguments)})")

    def number(self, *index: int, style: Style | None = None) -> Number:
        """One entry as a printed number, which knows its step and index.

        >>> import workings as w
        >>> with w.Trace() as trace:
        ...     third = w.ops.div(w.given(1.0, name="one"), w.given(3.0, name="three"), name="third")
        >>> trace["third"].number().text
        '0.3333'
        """
        style = style_for(self.recording, self.step, style or self.trace.style)
        return number_at(self.step, self.recording.value(self.step.id), self._entry(index), style)

    def matrix(self, labels: dict[str, tuple[str, ...]] | None = None, whole: bool = False) -> Matrix:
        """The value as a matrix of printed numbers; `labels` are the words along each axis. A large one is cut to its
        corner, unless `whole` is set and it has no more than 64 rows and columns.
        """
        labels = self.trace.labels(self) if labels is None else labels
        return replace(self._matrix(labels, MAX_WHOLE_SIZE if whole else MAX_SIZE), code=code_of(self))

    def document(self, cell: Index | None = None) -> Document:
        """This step alone, for any renderer: its formula, value and an entry by hand, or just the entry `cell`."""
        blocks = self._blocks() if cell is None else [Text(self.title()), self.cell(*cell)]
        title = self.trace.style.notation.path(self.path)
        shown = Document(title, (precision_text(self.recording, self.trace.style), *blocks), form="part")
        return self.trace.run.noted(shown)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return numpy.asarray(self.value, dtype=dtype)

    def __repr__(self) -> str:
        rows = [" ".join(number.text for number in row) for s in self.matrix().slices for row in s.rows]
        return f"{self.path} ({self.trace.style.notation.form(self.form)}, {self.op})\n" + "\n".join(
            f"  {row}" for row in rows
        )

    def _shown(self) -> Document:
        return Document("", (replace(self.matrix(), title=""),))  # the code above has just named it

    # -- what a view of one head overrides (heads.py) ----------------------------------------------

    def _view(self, step: Step, recording: Recording) -> StepView:
        return StepView(self.trace, step, recording)

    def axis_size(self, axis: int) -> Number:
        """The size of an axis as a printed number, which knows its step and the axis."""
        size = self.shape[axis]
        return Number(str(size), size, self.step.id, (self._axis(axis),), "size")

    def _entry(self, index: Index) -> Index:
        return checked_index(self.step, index)

    def _axis(self, axis: int) -> int:
        return axis

    def _matrix(self, labels: dict[str, tuple[str, ...]], max_size: int) -> Matrix:
        return matrix_of(self.recording, self.step, self.trace.style, labels, max_size)

    def title(self) -> Spans:
        """The name of the step, and where it comes from."""
        return title_of(self.recording, self.step, self.trace.style)

    def _blocks(self) -> Iterable[Block]:
        return step_blocks(self.recording, self.step, self.trace.style)


def code_of(view: StepView) -> str:
    """The Python that follows a trace to get this step: its name, with as much of its path as it takes.

    >>> import workings as w
    >>> trace = w.scenario("hello-world").trace()
    >>> code_of(trace["block1.attention.head2.weights"]), code_of(trace["logits"])
    ('["head2.weights"]', '["logits"]')
    """
    before = view.path.removesuffix(view.name).rstrip(".").split(".") if view.path.endswith(view.name) else []
    for count in range(len(before)):
        name = ".".join([*before[len(before) - count :], view.name])
        try:
            found = view.trace[name]
        except StepError:  # there are several of this name
            continue
        if (found.id, found.path) == (view.id, view.path):
            return f'["{name}"]'
    return f'["{view.path}"]'
