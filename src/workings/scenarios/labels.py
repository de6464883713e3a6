"""The labels of the places along an axis: the words of the text, and those of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

from ..explain.run import AxisLabels
from ..explain.step_view import StepView
from ..explain.trace import Trace
from ..generation.generated_text import source_path, words_at
from ..text.tokens import Tokens
from ..text.vocabulary import Vocabulary
from .reading.plan import Plan
from .running.building import texts_of

TEXT_AXES = ("token", "query", "key")  # along which the words of a text are
TEXTS = ("tokens", "source")  # the steps that hold them as ids


def labels_of(plan: Plan, trace: Trace) -> AxisLabels:
    """The words along each axis, and for a step of a text that the run generates, the words of that text so far.
    Words of a text are there only if all texts that the run reads are the same: else a label would mean several words.

    >>> from .scenario import scenario
    >>> labels = scenario("example-1").trace().labels.axes
    >>> labels["query"], labels["vocab"]
    (('A', 'B'), ('A', 'B', 'C', 'D'))
    """
    own = {axis: tuple(words.split()) for axis, words in plan.labels.items()}
    if plan.model is None:
        return AxisLabels(own)
    labels = _classes(plan)
    vocabulary = texts_of(plan).vocabulary
    if vocabulary is None:
        return AxisLabels({**labels, **own})
    axes = {**labels, "vocab": vocabulary.entries, **token_labels(trace, vocabulary), **own}
    if plan.generate is None:
        return AxisLabels(axes)

    def at_step(view: StepView) -> dict[str, tuple[str, ...]]:
        words = words_at(view.trace, view.path, view.form, vocabulary)
        return {axis: text for axis, text in words.items() if axis not in plan.labels}

    return AxisLabels(axes, at_step)


def vocabulary_of(plan: Plan, entries: int) -> Tokens:
    """The tokens of the texts of a run; where these are given as ids, the ids are the tokens."""
    return texts_of(plan).vocabulary or Vocabulary.words([str(id) for id in range(entries)])


def token_labels(trace: Trace, vocabulary: Tokens) -> dict[str, tuple[str, ...]]:
    """The words of the one text that a trace reads; nothing where it reads several different ones."""
    texts = set(_texts(trace))
    if len(texts) != 1:
        return {}
    words = tuple(vocabulary.token(id) for id in texts.pop())
    return dict.fromkeys(TEXT_AXES, words)


def _texts(trace: Trace) -> Iterator[tuple[int, ...]]:
    """The ids of every text that was read, those of a batch one by one."""
    for name in TEXTS:
        for step in trace.all(name):
            if step.step.leaf == "given" and step.path != source_path(trace):
                value = step.value.tolist()
                for text in value if len(step.shape) == 2 else [value]:
                    yield tuple(text)


def _classes(plan: Plan) -> dict[str, tuple[str, ...]]:
    names = plan.model.classes if plan.model is not None else None
    return {"class": names} if isinstance(names, tuple) else {}
