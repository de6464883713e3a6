"""The token that follows each position: what the model predicts there, and what comes next in the text."""

from __future__ import annotations

from dataclasses import dataclass

from ...document.spans import Index, Number
from ...engine.arrays import Array, namespace
from ...engine.steps import Step
from ...explain.line import number_at, style_for
from ...explain.trace import Trace
from .matrix_window import Labels, MatrixWindow, shown

VOCABULARY = "vocab"


@dataclass(frozen=True)
class NextToken:
    """With a `probability`, `word` is what the model predicts, and `answer` what really comes next. Without one, `word`
    is the next token of the text; of the last one, it is not known.
    """

    word: str
    probability: Number | None
    answer: str
    is_known: bool = True


def next_tokens(trace: Trace, window: MatrixWindow, labels: Labels, at: Index) -> tuple[NextToken, ...]:
    """One for each row of a window, or none at all where neither the model nor the text says anything."""
    rows = len(window.row_names)
    words = {**trace.labels.axes, **labels}.get(VOCABULARY, ())
    probabilities = _probabilities(trace)
    if probabilities is not None and len(words) == probabilities.form.shape[-1]:
        return _predicted(trace, probabilities, words, (rows, window.step.shape[-2]), at)
    if not window.labeled[1] or window.step.shape[-2] != window.step.shape[-1]:
        return ()
    after = [*window.column_names[1:rows], ""]
    if rows < window.step.shape[-2]:  # the next one is there, but it is not shown
        after[-1] = "…"
    return tuple(NextToken(word, None, "") for word in after)


def _probabilities(trace: Trace) -> Step | None:
    """The step with a probability for each entry of the vocabulary."""
    steps = trace.recording.steps.values()
    found = (step for step in steps if step.stage == "forward" and step.op_name == "softmax")
    return next((step for step in found if step.form.axes[-1:] == (VOCABULARY,)), None)


def _predicted(
    trace: Trace, step: Step, words: tuple[str, ...], counts: tuple[int, int], at: Index
) -> tuple[NextToken, ...]:
    """The most probable token at each of so many positions."""
    shown_count, all_count = counts
    rank = len(step.form.shape)
    array = trace.recording.value(step.id)
    style = style_for(trace.recording, step, trace.style)
    xp = namespace(array)
    lead = (*at, 0)[:1] if rank == 3 else ()
    if rank == 1:  # only the last position predicts
        places: list[Index | None] = [None] * (all_count - 1) + [()]
    elif rank <= 3 and step.form.shape[-2] == all_count:
        places = [(*lead, place) for place in range(all_count)]
    else:
        return ()
    found = []
    for place, index in enumerate(places[:shown_count]):
        if index is None:
            found.append(NextToken("", None, "", is_known=False))
            continue
        best = int(xp.argmax(array[index] if index else array))
        one = number_at(step, array, (*index, best), style)
        found.append(NextToken(shown(words[best]), one, _answer(trace, words, index if rank > 1 else (), place)))
    return tuple(found)


def _answer(trace: Trace, words: tuple[str, ...], index: Index, place: int) -> str:
    """The token that is the target here."""
    target = next((step for step in trace.recording.steps.values() if step.path == "target"), None)
    if target is None or len(target.form.shape) != len(index):
        return ""
    values: Array = trace.recording.value(target.id)
    token = int(values[index] if index else values)
    return shown(words[token]) if 0 <= token < len(words) else ""
