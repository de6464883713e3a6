"""One row of attention in a trace: from the scores of a query to its context vector."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...document.blocks import DerivedLine, FigureData, Index, Number
from ...engine.errors import CallError
from ...explain.step_view import StepView
from .matrix_window import Labels, shown
from .numbers import joined_notes
from .operations import operation_of
from .svg import cut

MAX_KEYS = 8
MAX_VALUES = 4  # columns of V
MAX_LABEL_CHARS = 16
ROOT, MASKS = "divide_by_root", ("causal_mask", "padding_mask", "mask")


@dataclass(frozen=True)
class AttendedKey:
    """A key as a query sees it. `scores` has a number for each column before the attention weight; `value` is its row
    of V. `is_strongest` where no key of the row has a larger weight.
    """

    word: str
    scores: tuple[Number, ...]
    weight: Number
    value: tuple[Number, ...]
    is_strongest: bool


@dataclass(frozen=True)
class ScoreColumn:
    """A step with a score for each key; `how` says in signs how it is computed."""

    name: str
    how: str


@dataclass(frozen=True)
class AttentionRow(FigureData):
    """The form `attention`: what one query attends to. `line` is the arithmetic of the first entry of its context
    vector; `more` says whether there are more columns of values than those that are drawn.
    """

    query: str
    columns: tuple[ScoreColumn, ...]
    weights: str
    keys: tuple[AttendedKey, ...]
    values: str
    context_name: str
    context: tuple[Number, ...]
    more: bool
    line: DerivedLine


class QueryRow:
    """The row of a query in the attention weights of a step. `token` is a word, or a place in digits; without one it is
    the last token.
    """

    def __init__(self, view: StepView, labels: Labels, at: Index, token: str) -> None:
        self.view, self.labels = view, labels
        if view.op != "softmax" or len(view.shape) < 2:
            raise _no_weights(view)
        self.context = _context_of(view)
        self.values = self.context.inputs[1]
        sizes = view.shape[:-2]
        if len(at) > len(sizes) or any(place >= size for place, size in zip(at, sizes, strict=False)):
            raise CallError(
                f"There is no matrix at {list(at)} in {view.form!s}.",
                hint="Give an index, counted from 0, for each axis before the last two, or none.",
                where=view.path,
            )
        self.lead = (*at, *(0 for _ in sizes[len(at) :]))
        self.place = self._place_of(token)
        self.steps = _before_softmax(view)

    def _words(self, axis: str, count: int) -> Sequence[str]:
        """The words along an axis, or the numbers of its places."""
        words = self.labels.get(axis, ())
        if len(words) == count:
            return [cut(shown(word), MAX_LABEL_CHARS) for word in words]
        return [str(self.view.trace.style.notation.place(place)) for place in range(count)]

    def _place_of(self, token: str) -> int:
        count = self.view.shape[-2]
        words = self.labels.get(self.view.axes[-2], ())
        if not token:
            return count - 1
        if token in words and len(words) == count:
            return words.index(token)
        if token.isdecimal() and int(token) < count:
            return int(token)
        raise CallError(
            f"No row of {self.view.name} belongs to the token '{cut(token, MAX_LABEL_CHARS)}'.",
            hint=f"Write one of its {count} tokens, or a place, counted from 0.",
            where=self.view.path,
        )

    def data(self) -> AttentionRow:
        notation = self.view.trace.style.notation
        words = self._words(self.view.axes[-1], self.view.shape[-1])
        axis, count = self.view.axes[-2], self.view.shape[-2]
        word = self._words(axis, count)[self.place]
        columns = min(self.context.shape[-1], MAX_VALUES)
        keys = tuple(self._key(place, words[place], columns) for place in self.keys)
        return AttentionRow(
            word if len(self.labels.get(axis, ())) == count else f"{axis} {word}",
            tuple(ScoreColumn(notation.path(step.step.name), _how(step)) for step in self.steps),
            notation.path(self.view.step.name),
            keys,
            notation.path(self.values.step.name),
            notation.path(self.context.step.name),
            tuple(self.context.number(*self._lead_of(self.context), self.place, column) for column in range(columns)),
            columns < self.context.shape[-1],
            self.context.cell(*self._lead_of(self.context), self.place, 0).lines[-1],
        )

    @property
    def keys(self) -> list[int]:
        """The places of the keys; of many, those with the largest attention weights."""
        places = range(self.view.shape[-1])
        strongest = sorted(places, key=lambda place: -self._weight(place))[:MAX_KEYS]
        return sorted(strongest)

    def _weight(self, place: int) -> float:
        return float(self.view.value[(*self.lead, self.place, place)])

    def _key(self, place: int, word: str, count: int) -> AttendedKey:
        most = max(map(self._weight, range(self.view.shape[-1])))
        return AttendedKey(
            word,
            tuple(step.number(*self._lead_of(step), self.place, place) for step in self.steps),
            self.view.number(*self.lead, self.place, place),
            tuple(self.values.number(*self._lead_of(self.values), place, column) for column in range(count)),
            self._weight(place) == most,
        )

    def _lead_of(self, part: StepView) -> Index:
        """The places of its leading axes."""
        return self.lead[len(self.lead) - (len(part.shape) - 2) :]

    @property
    def note(self) -> str:
        """What is not drawn."""
        count, columns = self.view.shape[-1], self.context.shape[-1]
        places = [f"{axis}[{place}]" for axis, place in zip(self.view.axes, self.lead, strict=False)]
        return joined_notes(
            f"This is the row at {', '.join(places)}." if places else "",
            f"Of {count} keys, the {MAX_KEYS} with the largest attention weights are drawn."
            if count > MAX_KEYS
            else "",
            f"Only the first columns of {self.values.step.name} are drawn." if columns > MAX_VALUES else "",
        )


def _no_weights(view: StepView) -> CallError:
    return CallError(
        f"{view.name} has no attention weights.",
        hint="Name a softmax over the keys that is multiplied by the values, such as weights or head2.weights.",
        where=view.path,
        given=view.op,
    )


def _context_of(view: StepView) -> StepView:
    """The weighted sum of the values."""
    recording, ids = view.recording, {view.step.id}
    for step in recording.steps.values():
        if step.stage == "forward" and step.inputs and step.inputs[0] in ids:
            if step.op_name == "dropout":
                ids.add(step.id)
            elif step.op_name == "matmul" and len(step.form.shape) >= 2:
                return view._view(step, recording)
    raise _no_weights(view)


def _before_softmax(view: StepView) -> tuple[StepView, ...]:
    """The scores, and what the softmax reads: scaled, or masked."""
    last = first = view.inputs[0]
    while first.op in (ROOT, "scale", *MASKS) and first.inputs and first.inputs[0].shape == view.shape:
        first = first.inputs[0]
    return (first,) if first.id == last.id else (first, last)


def _how(view: StepView) -> str:
    """How a step is computed from scores, in signs."""
    if view.op == "matmul":
        return operation_of(view)
    signs: list[str] = []
    while view.op in (ROOT, "scale", *MASKS):
        signs.append(operation_of(view))
        view = view.inputs[0]
    return ", ".join(reversed(signs))
