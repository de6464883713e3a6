"""The data of a plan that is not written out: a task with generated examples, or a long text."""

from __future__ import annotations

import unicodedata

from ...engine.errors import ScenarioError
from ...text import BytePairs, Vocabulary
from ...text.tokens import Tokens
from ...training.data import LongText, read_text, standard_library, task
from ...training.sources import Continuations, MaskedText, Questions, Source, Translations
from ..reading.location import about
from ..reading.plan import Plan, TaskPlan, TextPlan, VocabularyPlan

STANDARD_LIBRARY = "standard library"


def source_of(plan: Plan) -> Source | None:
    """Where the batches of a plan come from; None if its data is written out."""
    if isinstance(plan.data, tuple):
        return None
    if plan.model is None or plan.model.head != "all-tokens":
        raise ScenarioError(
            "A task or a long text needs a prediction after every token.",
            hint="Use `head: all-tokens`.",
            keys=("model", "head"),
        )
    with about("data"):
        return _of_task(plan, plan.data) if isinstance(plan.data, TaskPlan) else _of_text(plan, plan.data)


def _of_task(plan: Plan, data: TaskPlan) -> Source:
    assert plan.model is not None
    if plan.vocabulary is not None:
        raise ScenarioError("A task has its own vocabulary.", hint="Leave out `vocabulary`.", keys=("vocabulary",))
    if plan.model.kind == "encoder":
        raise ScenarioError(
            "A task has questions and answers; an encoder reads only one text.",
            hint="Use `kind: decoder` or `kind: encoder-decoder`.",
            keys=("model", "kind"),
        )
    made = task(data.task, **data.settings)
    return Translations(made) if plan.model.kind == "encoder-decoder" else Questions(made)


def _of_text(plan: Plan, data: TextPlan) -> Source:
    assert plan.model is not None
    if plan.model.kind == "encoder-decoder":
        raise ScenarioError(
            "A long text is one text; an encoder-decoder reads one text and generates another.",
            hint="Use `kind: decoder`, or `data: {task: dates}`, which has pairs of texts.",
            keys=("model", "kind"),
        )
    text = standard_library() if data.text == STANDARD_LIBRARY else read_text(data.text)
    long = LongText(text, _learned(plan, text), data.context)
    return MaskedText(long) if plan.model.kind == "encoder" else Continuations(long)


def _learned(plan: Plan, text: str) -> Tokens:
    """The vocabulary that a plan names; else that of the text: its characters, or what the plan says."""
    words = plan.vocabulary or VocabularyPlan(unit="character")
    special = words.special
    if plan.model is not None and plan.model.kind == "encoder" and "<mask>" not in special:
        special = (*special, "<mask>")
    if words.tokens:
        return Vocabulary(words.tokens, words.unit, special)  # type: ignore[arg-type]
    if words.unit == "byte-pair":
        return BytePairs.learn(text, words.size or 512, special)
    if words.unit == "character":
        return Vocabulary.characters(sorted(set(unicodedata.normalize("NFC", text))), special)
    return Vocabulary.from_text(text, words.unit, special)
