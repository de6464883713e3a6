"""Before and after: what training changed, as a page."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean

from ...document.blocks import Block, Document, Index, Link, Number, Span, Spans, Table, Text, Words
from ...document.notation import path_of
from ...document.numbers import Style, apart, write
from ...document.spans import fill_spans
from ...engine.names import few
from ...explain.step_view import StepView
from ...explain.trace import Trace
from ..reading.plan import ExamplePlan
from .averaging import averaged_scopes
from .comparison import ExampleChange, TargetChange, TrainingComparison, WeightChange, comparison_of

MAX_ROWS = 12  # of a table
MAX_NAMES = 3  # of places in a sentence
LOSS = "loss"


def comparison_document(trace: Trace, examples: Sequence[ExamplePlan] = ()) -> Document:
    """What training changed between the first and the last training step of a trace. `examples` are the texts; without
    them, the page shows token ids.

    >>> from ..scenario import scenario
    >>> comparison_document(scenario("example-4").trace("after")).title
    'What training changed from step 1 to step 2'
    """
    found = comparison_of(trace)
    rows = [row for example in found.examples for row in _target_rows(example, examples)]
    title = f"What training changed from step {found.first} to step {found.last}"
    parts = (_targets(found, rows), _loss(found, trace), _verdict(rows), _weights(found))
    introduction = (
        "Weights are compared at the beginning of the two steps, and each example before its own update."
        if found.has_updates
        else "Both steps are compared before their updates."
    )
    return Document(title, (_text(introduction), *(block for part in parts for block in part)))


# -- examples ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class TargetRow:
    """One target of an example, with its words; the first of an example also shows its loss."""

    input: str
    target: str
    change: TargetChange
    example: ExampleChange
    is_first: bool

    @property
    def name(self) -> str:
        return f"{self.target} after {self.input}"


def _target_rows(example: ExampleChange, plans: Sequence[ExamplePlan]) -> Iterator[TargetRow]:
    plan = plans[example.number - 1] if example.number <= len(plans) else None
    ids = example.tokens.value.tolist()
    targets = example.target.value.reshape(-1).tolist()
    text = _joined(ids if plan is None else plan.input)
    words = _split(targets if plan is None or plan.target is None else plan.target, len(targets))
    for n, change in enumerate(example.changes):
        yield TargetRow(text, words[n], change, example, n == 0)


def _joined(words: object) -> str:
    return " ".join(map(str, words)) if isinstance(words, list | tuple) else str(words)


def _split(words: object, count: int) -> list[str]:
    """The words of a target, one for each prediction: those of a list, of a sentence, or the characters of a text."""
    if isinstance(words, list | tuple):
        return [str(word) for word in words]
    text = str(words)
    if count == 1:
        return [text]
    return text.split() if len(text.split()) == count else list(text)


def _targets(found: TrainingComparison, rows: Sequence[TargetRow]) -> Iterator[Block]:
    if not rows:
        return
    cells = []
    for row in rows[:MAX_ROWS]:
        first = row.is_first
        probabilities = _pair(found, row.change.before, row.change.after, row.change.index)
        losses = _pair(found, row.example.before, row.example.after) if first else (Words(""), Words(""))
        cells.append(_row(Words(row.input if first else ""), Words(row.target), *probabilities, *losses))
    if len(rows) > MAX_ROWS:
        cells.append(_row(Words(f"{len(rows) - MAX_ROWS} more"), *[Words("")] * 5))
    yield Table(("input", "target", "P" if _has_labels(rows) else "P(target)", "after", "loss", "after"), tuple(cells))


def _verdict(rows: Sequence[TargetRow]) -> Iterator[Block]:
    """Whether every prediction came closer to its target."""
    if not rows:
        return
    has_labels = _has_labels(rows)
    others = [row.name for row in rows if not row.change.improved]
    if not others:
        yield _text("Every P came closer to its target." if has_labels else "P(target) rose everywhere.")
        return
    places = f"{len(rows) - len(others)} of {len(rows)} places"
    if has_labels:
        yield _text(f"P came closer to its target in {places}. It did not for {few(others, MAX_NAMES)}.")
    else:
        yield _text(f"P(target) rose in {places}. It did not rise for {few(others, MAX_NAMES)}.")


def _has_labels(rows: Sequence[TargetRow]) -> bool:
    """Whether the targets are yes or no, and not words."""
    return any(row.change.is_label for row in rows)


# -- the loss ---------------------------------------------------------------------------------------


def _loss(found: TrainingComparison, trace: Trace) -> Iterator[Block]:
    """Of all examples together. Where a step has several updates, only the history has it."""
    paths = [f"step{number}.{LOSS}" for number in (found.first, found.last)]
    history = trace.history.get(LOSS, [])
    if all(path in trace.recording.paths for path in paths):
        before, after = _pair(found, trace[paths[0]], trace[paths[1]])
    elif all(_is_of(trace, history, number) for number in (found.first, found.last)):
        style = apart(history[found.first - 1], history[found.last - 1], trace.style)
        before, after = (_past(history, number, style) for number in (found.first, found.last))
    else:  # a replay has other losses than its history
        return
    fell = float(after.value) < float(before.value)
    template = (
        "The loss fell from {before} to {after}." if fell else "The loss did not fall: it was {before}, and is {after}."
    )
    yield Text(fill_spans(template, before=before, after=after))
    if averaged_scopes(trace):
        yield _text("Each step has its own texts, so its loss also depends on which ones these are.")


def _is_of(trace: Trace, history: Sequence[float], number: int) -> bool:
    """Whether the history has the loss of this step: the mean of the losses of its updates."""
    losses: dict[str, StepView] = {}  # by update; the loss of an example has a longer path
    for step in sorted(trace.all(LOSS), key=lambda step: len(step.path)):
        at, _, rest = step.path.partition(".")
        if at == f"step{number}":
            losses.setdefault(rest.partition(".")[0], step)
    mean = fmean(float(step.value) for step in losses.values()) if losses else math.nan
    return number <= len(history) and math.isclose(mean, history[number - 1], rel_tol=1e-6)


def _past(history: Sequence[float], number: int, style: Style) -> Number:
    loss = history[number - 1]
    return Number(write(loss, style), loss, LOSS, (number - 1,), "history")


# -- weights ----------------------------------------------------------------------------------------


def _weights(found: TrainingComparison) -> Iterator[Block]:
    """How far each weight moved; of many, those that moved furthest."""
    shown = list(found.weights)
    text = "How far a weight moved is the norm of its change, over all entries."
    if len(shown) > MAX_ROWS:
        shown = sorted(shown, key=lambda weight: -float(weight.distance.value))[:MAX_ROWS]
        text += f" Of {len(found.weights)} weights, these {MAX_ROWS} moved furthest."
    yield _text(text)
    yield Table(("weight", "moved by", "largest change", "at"), tuple(_weight(found, weight) for weight in shown))


def _weight(found: TrainingComparison, weight: WeightChange) -> tuple[Spans, ...]:
    trace, at = weight.before.trace, weight.largest
    name = path_of(trace.recording, weight.before.step, trace.style.notation)
    change = found.side.number(weight.difference, at)
    place = Words(trace.style.notation.entry("", at))
    return _row(Link(name, weight.before.id), found.side.number(weight.distance), change, place)


# -- pieces -----------------------------------------------------------------------------------------


def _pair(found: TrainingComparison, before: StepView, after: StepView, index: Index = ()) -> tuple[Number, Number]:
    """The same entry before and after, with enough digits to tell the two apart."""
    one, other = (float(step.value[index]) for step in (before, after))
    style = apart(one, other, before.trace.style)
    return found.side.number(before, index, style), found.side.number(after, index, style)


def _row(*spans: Span) -> tuple[Spans, ...]:
    return tuple((span,) for span in spans)


def _text(text: str) -> Text:
    return Text((Words(text),))
