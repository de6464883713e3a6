"""The shape of a trace in JSON. The schema file of the package is derived from these types."""

from __future__ import annotations

from typing import Any, Literal, NotRequired, TypedDict

LIMIT = 10_000  # entries of an array that are still written into the JSON


class RuleData(TypedDict):
    of: str
    slot: int


class BroadcastData(TypedDict):
    """One input of a step is repeated along an axis."""

    input: int
    axis: str
    position: int
    times: int


# Not a class: one of the keys is the word `pass`.
StepData = TypedDict(
    "StepData",
    {
        "id": str,
        "name": str,
        "aliases": list[str],
        "path": str,
        "op": str,
        "kind": Literal["leaf", "primitive", "composite", "group"],
        "pass": Literal["forward", "backward", "update"],
        "inputs": list[str],
        "settings": dict[str, Any],
        "axes": list[str],  # "" where an axis has no word
        "shape": list[int],
        "dtype": str,
        "value": Any,  # nested lists; "inf", "-inf", "nan" for what JSON cannot write; null above 10,000 entries
        "formula": str,  # LaTeX
        "twin": str | None,
        "inside": list[str],  # of a group: its members
        "group": str | None,
        "broadcast": list[BroadcastData],
        "window": NotRequired[Any],  # the corner that is shown of a large value
        "kept": NotRequired[list[bool]],  # axes of size 1 that a reduction left behind
        "read_as": NotRequired[dict[str, list[Any]]],  # inputs read under other words: slot -> [axes, kept]
        "named": NotRequired[bool],  # false where nobody gave the step a name, and it has the one of its op
        "made_as": NotRequired[list[Any]],  # of a gradient: the [axes, kept] that its op would give it
        "result": NotRequired[str],  # of a group
        "rule": NotRequired[RuleData],  # of a rule application: the forward step and which of its inputs
    },
)


class RunData(TypedDict):
    """One run of a computation."""

    name: str
    seed: int | None
    convention: dict[str, Any]
    precision: str
    history: list[dict[str, Any]]
    steps: list[StepData]
