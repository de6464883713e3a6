"""The results of why and compare as plain data for JSON."""

from __future__ import annotations

from typing import Any

from ...engine.file import plain
from .candidates import Candidate
from .compare import StepComparison
from .why import Why

WHY_SCHEMA = "workings/why/1"
COMPARE_SCHEMA = "workings/compare/1"


def why_data(found: Why) -> dict[str, Any]:
    """
    >>> from .why import why
    >>> data = why_data(why([[7.3891, 2.7183]], "softmax", x=[[2.0, 1.0]]))
    >>> data["verdict"], data["cause"]
    ('mistake', 'softmax.not_normalised')
    """
    apart = found.apart
    return {
        "schema": WHY_SCHEMA,
        "step": found.step,
        "verdict": found.verdict,
        "cause": None if found.cause is None else found.cause.id,
        "candidates": [_candidate(candidate) for candidate in found.candidates],
        "apart": None
        if apart is None
        else {
            "step": apart.step,
            "index": list(apart.index),
            "values": [{"id": id, "value": plain(value)} for id, value in apart.values],
        },
        "nearest": None if found.nearest is None else _candidate(found.nearest),
        "tried": found.tried,
        "gap": plain(found.gap),
        "index": list(found.index),
    }


def comparison_data(found: StepComparison) -> dict[str, Any]:
    """
    >>> import workings as w
    >>> trace = w.scenario("example-1").trace()
    >>> comparison_data(w.compare({"Q": trace["Q"].value}, to=trace))["steps"][0]["verdict"]
    'exact'
    """
    return {
        "schema": COMPARE_SCHEMA,
        "first": None if found.first is None else found.first.name,
        "steps": [
            {
                "name": step.name,
                "step": step.path,
                "verdict": step.verdict,
                "gap": plain(step.gap),
                "index": list(step.index),
                "yours": plain(step.yours),
                "ours": plain(step.ours),
            }
            for step in found.steps
        ],
        "between": list(found.between),
        "unknown": list(found.unknown),
        "why": None if found.why is None else why_data(found.why),
        "causes": [
            {
                "name": cause.name,
                "cause": None if cause.why.cause is None else cause.why.cause.id,
                "between": list(cause.between),
                "also": list(cause.also),
                "why": why_data(cause.why),
            }
            for cause in found.causes
        ],
    }


def _candidate(candidate: Candidate) -> dict[str, Any]:
    return {
        "id": candidate.id,
        "kind": candidate.kind,
        "step": candidate.step,
        "hint": candidate.hint,
        "gap": plain(candidate.gap),
        "also": list(candidate.also),
    }
