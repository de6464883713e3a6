"""Check my numbers: somebody's results beside what their own inputs give; the first step that differs, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ..engine.registry import OPS
from ..engine.sentences import say
from ..explain.fitting import hint_of
from ..explain.view import Trace
from ..models.scenario import scenario_from
from ..teach.checking.candidates import Candidate
from .answers import CheckPage, Page
from .checking_page import check_document
from .judging import Checked, judge
from .own_matrices import OwnMatrices, read_given

BY_MODEL = "attention_scale=model"
ROOT_OF_MODEL = "divide_by_root.root_of_model"


def check_page(
    given: Mapping[str, str], got: Mapping[str, str], mask: str = "", heads: int = 1, convention: str = ""
) -> CheckPage:
    """What fits of somebody's results, the first step that does not, and why.

    >>> given = {"Q": "1 0; 0 1", "K": "1 2; 0 1", "V": "1 2; 3 4"}
    >>> page = check_page(given, {"scores": "1 0; 2 1", "scaled": "1 0; 2 1"})
    >>> page.first_wrong, page.mistake
    ('scaled', 'divide_by_root.not_divided')
    """
    own = OwnMatrices(read_given(given), mask, heads, convention)
    steps = _with_root_of_model(judge(_traced(own), got), own, got)
    first = next((step for step in steps if step.is_wrong), None)
    cause = first.why.cause if first is not None else None
    return CheckPage(
        first_wrong=first.truth.path if first is not None else "",
        mistake=cause.id if cause is not None else "",
        page=Page(check_document(steps)),
        scenario=own.text(),
    )


def _traced(own: OwnMatrices) -> Trace:
    name, text = say("lab.starter.matrices.name"), own.text()
    return scenario_from(text, name).trace()


def _with_root_of_model(steps: tuple[Checked, ...], own: OwnMatrices, got: Mapping[str, str]) -> tuple[Checked, ...]:
    """The steps, where √d_model instead of √d_head is named if it explains the first wrong one. Lines that begin at X
    have no words for their axes, so that the page of the root cannot know which width is that of the model.
    """
    first = next((step for step in steps if step.is_wrong), None)
    if first is None or own.heads == 1 or any(one.kind != "relation" for one in first.why.candidates):
        return steps
    others = judge(_traced(replace(own, convention=BY_MODEL)), got)
    if any(other.name == first.name and other.is_wrong for other in others):
        return steps
    page, name = ROOT_OF_MODEL.split(".")
    hint = hint_of(OPS[page].page.mistakes[name])
    cause = Candidate(ROOT_OF_MODEL, "mistake", "scaled", hint)
    named = replace(first, why=replace(first.why, verdict="mistake", candidates=(cause,)))
    return tuple(named if step is first else step for step in steps)
