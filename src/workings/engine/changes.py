"""Changes: what is to be different when a recording is run again, by step id."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from .arrays import Array
from .op import Op
from .page import Mistake


@dataclass(frozen=True)
class Changes:
    """Other values, other ops or mistakes, other settings, other steps that feed an input."""

    values: Mapping[str, Array] = field(default_factory=dict)
    ops: Mapping[str, Op | Mistake] = field(default_factory=dict)
    settings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    wires: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    def touch(self, id: str) -> bool:
        return id in self.values or id in self.ops or id in self.settings or id in self.wires

    def and_also(self, other: Changes) -> Changes:
        """Both; where they say different things of one input or setting, `other` holds."""
        return Changes(
            {**self.values, **other.values},
            {**self.ops, **other.ops},
            _by_step(self.settings, other.settings),
            _by_step(self.wires, other.wires),
        )


def _by_step(one: Mapping[str, Mapping[str, Any]], other: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    return {id: {**one.get(id, {}), **other.get(id, {})} for id in {**one, **other}}
