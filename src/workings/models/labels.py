"""What the places along an axis are called: the words of the text, and those of the vocabulary."""

from __future__ import annotations

from collections.abc import Iterator

from ..explain.step_view import StepView
from ..explain.view import Trace
from ..text.tokens import Tokens
from ..text.vocabulary import Vocabulary
from .generating.written import source_path, words_at
from .reading.plan import Plan
from .running.building import texts_of
from .scenario import Scenario

TEXT_AXES = ("token", "query", "key")  # along which the words of a text stand
TEXTS = ("tokens", "source")  # the steps that hold them as ids


def labels_of(scenario: Scenario, run: str, trace: Trace) -> dict[str, tuple[str, ...]]:
    """Axis word -> what stands at each place of that axis. Words of a text are there only if all texts that the run
    reads are alike: else one label would stand for several words.

    >>> from .scenario import scenario
    >>> example = scenario("example-1")
    >>> labels = labels_of(example, "default", example.trace())
    >>> labels["query"], labels["vocab"]
    (('A', 'B'), ('A', 'B', 'C', 'D'))
    """
    plan = scenario.plan(run)
    own = {axis: tuple(words.split()) for axis, words in plan.labels.items()}
    if plan.model is None:
        return own
    labels = _classes(plan)
    vocabulary = texts_of(plan).vocabulary
    if vocabulary is None:
        return {**labels, **own}
    return {**labels, "vocab": vocabulary.entries, **token_labels(trace, vocabulary), **own}


def vocabulary_of(scenario: Scenario, run: str) -> Tokens:
    """The tokens that the texts of a run are written in; where they are only numbers, these are their words."""
    plan = scenario.plan(run)
    found = texts_of(plan).vocabulary
    return found or Vocabulary.words([str(id) for id in range(scenario.architecture(run).vocabulary)])


def labels_of_step(
    scenario: Scenario, run: str, view: StepView, labels: dict[str, tuple[str, ...]]
) -> dict[str, tuple[str, ...]]:
    """The labels of a run, and for a step of a text that it writes, the words of that text so far."""
    plan = scenario.plan(run)
    if plan.generate is None:
        return labels
    vocabulary = texts_of(plan).vocabulary
    words = {} if vocabulary is None else words_at(view.trace, view.path, view.form, vocabulary)
    return {**labels, **{axis: text for axis, text in words.items() if axis not in plan.labels}}


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
