"""The update of one weight in a trace, and what the model predicts before and after it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...document.blocks import DerivedLine, FigureData, Number
from ...engine.errors import CallError
from ...engine.steps import Step
from ...explain.step_view import StepView
from .matrix_part import MatrixPart, matrix_part, places_around
from .matrix_window import Labels, shown
from .numbers import joined_notes, largest_in
from .svg import cut

MAX_ROWS, MAX_COLUMNS = 4, 4
ROOM = 322.0  # for a matrix with the labels of its rows
MAX_LABEL_CHARS = 12
UPDATE, LOSS, VOCABULARY = "sgd", "loss", "vocab"


@dataclass(frozen=True)
class ForwardResult:
    """The loss of a forward pass, and the probability of the target, if there is one target."""

    loss: Number
    target: str
    probability: Number | None


@dataclass(frozen=True)
class WeightUpdate(FigureData):
    """The form `update`: a weight, its gradient (or another direction), the learning rate, and the new weight, with the
    entry at `row` and `column` of what is drawn, and its arithmetic. `before` and `after` are the forward passes with
    the old and with the new weight; there may be none.
    """

    weight: MatrixPart
    gradient: MatrixPart
    new: MatrixPart
    rate: Number
    row: int
    column: int
    lines: tuple[DerivedLine, ...]
    before: ForwardResult | None
    after: ForwardResult | None

    @property
    def changes(self) -> tuple[Number, Number, Number]:
        """The entry that is marked, in all three."""
        old, slope, new = (part.rows[self.row][self.column] for part in (self.weight, self.gradient, self.new))
        return old, slope, new


def update_data(view: StepView, labels: Labels) -> WeightUpdate:
    """That of a step which is an update, or the first update of a weight."""
    view = _update_of(view)
    weight, gradient = view.inputs[:2]
    sizes = (1, 1, *view.shape)[-2:]
    entry = largest_in(gradient.value) if view.shape else ()
    row, column = (0, 0, *entry)[-2:]
    rows = places_around(row, sizes[0], MAX_ROWS)
    columns = places_around(column, sizes[1], MAX_COLUMNS)
    for count in range(MAX_COLUMNS, 1, -1):
        columns = places_around(column, sizes[1], count)
        parts = [matrix_part(part, rows, columns, labels, entry[:-2]) for part in (weight, gradient, view)]
        cells = [part.cells() for part in parts]
        labels_width = max(one.labels_width for one in cells)
        if max(one.cell_width for one in cells) * len(columns) + labels_width <= ROOM:
            break
    lines = view.cell(*entry).lines
    rate = next(one for line in lines for one in _numbers(line) if one.role == "setting")
    losses = _losses(view)
    return WeightUpdate(
        parts[0],
        parts[1],
        replace(parts[2], role="parameter"),
        rate,
        rows.index(row),
        columns.index(column),
        lines,
        _result(view, losses[0]),
        _result(view, losses[1]),
    )


def update_note(view: StepView, data: WeightUpdate) -> str:
    """What is not drawn, and what else changed."""
    count = sum(step.op_name == UPDATE for step in _until_next_loss(_update_of(view)))
    return joined_notes(
        f"Only the part of {data.new.name} around its largest change is drawn." if any(data.new.more) else "",
        "The forward pass after it has new values in all trained weights, not only in this one."
        if data.after and count > 1
        else "",
    )


def _until_next_loss(view: StepView) -> Iterator[Step]:
    """The steps of the same training step: since the last loss before an update, until the next one."""
    before, after = (loss.id if loss else None for loss in _losses(view))
    inside = before is None
    for step in view.recording.steps.values():
        if step.id == after:
            return
        if inside:
            yield step
        inside = inside or step.id == before


def _numbers(line: DerivedLine) -> Iterator[Number]:
    for form in line.forms:
        yield from (span for span in form if isinstance(span, Number))


def _update_of(view: StepView) -> StepView:
    if view.op == UPDATE:
        return view
    steps = view.recording.steps.values()
    found = next((step for step in steps if step.op_name == UPDATE and step.inputs[0] == view.step.id), None)
    if found is None:
        raise CallError(
            f"{view.name} is not updated in this run.",
            hint="Name a weight that is trained, or its update, such as W_vocab_new.",
            where=view.path,
        )
    return StepView(view.trace, found, view.recording)


def _losses(view: StepView) -> tuple[Step | None, Step | None]:
    """The last loss before the update, and the first one after it."""
    before, passed = None, False
    for step in view.recording.steps.values():
        passed = passed or step.id == view.step.id
        if step.name == LOSS and step.stage == "forward" and not step.form.shape:
            if passed:
                return before, step
            before = step
    return before, None


def _result(view: StepView, loss: Step | None) -> ForwardResult | None:
    if loss is None:
        return None
    found = StepView(view.trace, loss, view.recording)
    target, probabilities = _target(view, loss), _probabilities(view, loss)
    if target is None or probabilities is None:
        return ForwardResult(found.number(), "", None)
    token = int(target.value)
    words = view.trace.labels(probabilities).get(VOCABULARY, ())
    label = words[token] if len(words) == probabilities.shape[-1] else str(view.trace.style.notation.place(token))
    return ForwardResult(found.number(), cut(shown(label), MAX_LABEL_CHARS), probabilities.number(token))


def _target(view: StepView, loss: Step) -> StepView | None:
    """The token that should come next, where the loss is about a single one."""
    targets = [view.recording.step(id) for id in loss.inputs[1:]]
    return next((StepView(view.trace, step, view.recording) for step in targets if not step.form.shape), None)


def _probabilities(view: StepView, loss: Step) -> StepView | None:
    """The softmax of the same logits."""
    for step in view.recording.steps.values():
        alike = step.op_name == "softmax" and step.stage == "forward" and step.inputs[0] == loss.inputs[0]
        if alike and len(step.form.shape) == 1:
            return StepView(view.trace, step, view.recording)
    return None
