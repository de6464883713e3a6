"""The data of a plan that is not written out: a task that is made up, or a long text."""

from __future__ import annotations

import unicodedata

from ...engine.errors import ScenarioError, WorkingsError
from ...text import BytePairs, Vocabulary
from ...text.tokens import Tokens
from ...train.data import LongText, read_text, standard_library, task
from ...train.sources import Continuations, Gaps, Questions, Source, Translations
from ..reading.plan import Plan, TaskPlan, TextPlan, VocabularyPlan

STANDARD_LIBRARY = "standard library"


def source_of(plan: Plan) -> Source | None:
    """Where the batches of a plan come from; None if its data is written out."""
    if isinstance(plan.data, tuple):
        return None
    if plan.model is None or plan.model.head != "all-tokens":
        raise ScenarioError("run.source.head", where="model.head")
    try:
        return _of_task(plan, plan.data) if isinstance(plan.data, TaskPlan) else _of_text(plan, plan.data)
    except WorkingsError as error:
        error.where = error.where or "data"
        raise


def _of_task(plan: Plan, data: TaskPlan) -> Source:
    assert plan.model is not None
    if plan.vocabulary is not None:
        raise ScenarioError("run.source.vocabulary", where="vocabulary")
    if plan.model.kind == "encoder":
        raise ScenarioError("run.source.kind", where="model.kind")
    made = task(data.task, **data.settings)
    return Translations(made) if plan.model.kind == "encoder-decoder" else Questions(made)


def _of_text(plan: Plan, data: TextPlan) -> Source:
    assert plan.model is not None
    if plan.model.kind == "encoder-decoder":
        raise ScenarioError("run.source.pairs", where="model.kind")
    text = standard_library() if data.text == STANDARD_LIBRARY else read_text(data.text)
    long = LongText(text, _learned(plan, text), data.context)
    return Gaps(long) if plan.model.kind == "encoder" else Continuations(long)


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
