"""Before and after: what training changed, as a page."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ...engine.names import few
from ...engine.sentences import say
from ...explain.document import Block, Document, Index, Link, Number, Span, Spans, Table, Text, Words
from ...explain.notation import path_of
from ...explain.numbers import Style, apart, write
from ...explain.sentences import say_spans
from ...explain.step_view import StepView
from ...explain.view import Trace
from ..reading.plan import ExamplePlan
from .averaging import averaged_scopes
from .comparison import Answer, Comparison, ExampleChange, WeightChange, comparison_of

MOST = 12  # lines of a table
NAMED = 3  # places that are named in a sentence
LOSS = "loss"


def comparison_document(trace: Trace, examples: Sequence[ExamplePlan] = ()) -> Document:
    """What training changed between the first and the last step that a trace keeps. `examples` are the texts as they
    were written; without them, the page has the ids of their tokens.

    >>> from ..scenario import scenario
    >>> comparison_document(scenario("example-4").trace("after")).title
    'What training changed from step 1 to step 2'
    """
    found = comparison_of(trace)
    lines = [line for example in found.examples for line in _lines(example, examples)]
    title = say("comparison.title", first=found.first, last=found.last)
    parts = (_answers(found, lines), _loss(found, trace), _verdict(lines), _weights(found))
    why = "comparison.why.updates" if found.one_by_one else "comparison.why"
    return Document(title, (_text(why), *(block for part in parts for block in part)))


# -- examples ---------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """One answer of an example, with the words for it; the first of an example also has its loss."""

    input: str
    target: str
    answer: Answer
    example: ExampleChange
    is_first: bool

    @property
    def name(self) -> str:
        return say("comparison.name", input=self.input, target=self.target)


def _lines(example: ExampleChange, written: Sequence[ExamplePlan]) -> Iterator[Line]:
    plan = written[example.number - 1] if example.number <= len(written) else None
    ids = example.tokens.value.tolist()
    targets = example.target.value.reshape(-1).tolist()
    read = _together(ids if plan is None else plan.input)
    wanted = _apart(targets if plan is None or plan.target is None else plan.target, len(targets))
    for n, answer in enumerate(example.answers):
        yield Line(read, wanted[n], answer, example, n == 0)


def _together(words: object) -> str:
    return " ".join(map(str, words)) if isinstance(words, list | tuple) else str(words)


def _apart(words: object, count: int) -> list[str]:
    """The words of a target, one for each answer: those of a list, of a sentence, or the characters of a text."""
    if isinstance(words, list | tuple):
        return [str(word) for word in words]
    text = str(words)
    if count == 1:
        return [text]
    return text.split() if len(text.split()) == count else list(text)


def _answers(found: Comparison, lines: Sequence[Line]) -> Iterator[Block]:
    if not lines:
        return
    share = "share" if _has_labels(lines) else "P"
    names = ("input", "target", share, "after", "loss", "after")
    rows = []
    for line in lines[:MOST]:
        first = line.is_first
        shares = _pair(found, line.answer.before, line.answer.after, line.answer.index)
        losses = _pair(found, line.example.before, line.example.after) if first else (Words(""), Words(""))
        rows.append(_row(Words(line.input if first else ""), Words(line.target), *shares, *losses))
    if len(lines) > MOST:
        rows.append(_row(Words(say("comparison.more", count=len(lines) - MOST)), *[Words("")] * 5))
    yield Table(tuple(say(f"comparison.heading.{name}") for name in names), tuple(rows))


def _verdict(lines: Sequence[Line]) -> Iterator[Block]:
    """Whether every answer came nearer to what it should be."""
    if not lines:
        return
    kind = "labels" if _has_labels(lines) else "shares"
    others = [line.name for line in lines if not line.answer.improved]
    if not others:
        yield _text(f"comparison.{kind}.all")
        return
    counts = {"improved": len(lines) - len(others), "count": len(lines)}
    yield Text((Words(say(f"comparison.{kind}.some", names=few(others, NAMED), **counts)),))


def _has_labels(lines: Sequence[Line]) -> bool:
    """Whether answers are yes or no, and not words."""
    return any(line.answer.is_label for line in lines)


# -- the loss ---------------------------------------------------------------------------------------


def _loss(found: Comparison, trace: Trace) -> Iterator[Block]:
    """Of all examples together. Where each has an update of its own, it is in the history only."""
    paths = [f"step{number}.{LOSS}" for number in (found.first, found.last)]
    history = trace.history.get(LOSS, [])
    if all(path in trace.recording.paths for path in paths):
        before, after = _pair(found, trace[paths[0]], trace[paths[1]])
    elif len(history) >= found.last:
        style = apart(history[found.first - 1], history[found.last - 1], trace.style)
        before, after = (_past(history, number, style) for number in (found.first, found.last))
    else:  # a replay has other losses, and no history
        return
    fell = float(after.value) < float(before.value)
    yield _text("comparison.loss.fell" if fell else "comparison.loss.rose", before=before, after=after)
    if averaged_scopes(trace):
        yield _text("comparison.batches")


def _past(history: Sequence[float], number: int, style: Style) -> Number:
    loss = history[number - 1]
    return Number(write(loss, style), loss, LOSS, (number - 1,), "history")


# -- weights ----------------------------------------------------------------------------------------


def _weights(found: Comparison) -> Iterator[Block]:
    """How far each weight moved; of many, those that moved furthest."""
    shown = list(found.weights)
    if len(shown) <= MOST:
        yield _text("comparison.weights")
    else:
        shown = sorted(shown, key=lambda weight: -float(weight.distance.value))[:MOST]
        yield Text((Words(say("comparison.weights.some", all=len(found.weights), count=MOST)),))
    names = ("weight", "moved", "change", "at")
    rows = tuple(_weight(found, weight) for weight in shown)
    yield Table(tuple(say(f"comparison.heading.{name}") for name in names), rows)


def _weight(found: Comparison, weight: WeightChange) -> tuple[Spans, ...]:
    trace, at = weight.before.trace, weight.largest
    name = path_of(trace.recording, weight.before.step, trace.style.notation)
    change = found.beside.number(weight.difference, at)
    place = Words(trace.style.notation.entry("", at))
    return _row(Link(name, weight.before.id), found.beside.number(weight.distance), change, place)


# -- pieces -----------------------------------------------------------------------------------------


def _pair(found: Comparison, before: StepView, after: StepView, index: Index = ()) -> tuple[Number, Number]:
    """The same entry before and after: two values that differ look different."""
    one, other = (float(step.value[index]) for step in (before, after))
    style = apart(one, other, before.trace.style)
    return found.beside.number(before, index, style), found.beside.number(after, index, style)


def _row(*spans: Span) -> tuple[Spans, ...]:
    return tuple((span,) for span in spans)


def _text(key: str, **spans: Span) -> Text:
    return Text(say_spans(key, **spans))
