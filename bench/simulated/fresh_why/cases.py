"""A program for `why` with the sentence that tells what it does and what would be right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..why_cases import FEED_FORWARD, LINEAR, LOSS, NORM, QKV, Array, Program, normal, rows, softmax, square

__all__ = [
    "ADAM", "BACK", "CAUSAL", "EPS", "FEED_FORWARD", "GRADIENT", "HEADS", "LINEAR", "LOGITS", "LOSS", "NORM", "ONE",
    "PADDED", "PROJECTED", "QKV", "TOKENS", "TWO_HEADS", "WIDTH", "Array", "Programs", "normal", "rows", "softmax",
    "square",
]  # fmt: skip

TOKENS, WIDTH, HEADS, EPS = 5, 6, 2, 1e-5
BACK = {"cotangent": rows}
ONE = {"cotangent": 1.0}
LOGITS = {**LOSS, **ONE}
CAUSAL = {**QKV, "mask": "causal"}
TWO_HEADS = {**QKV, "heads": HEADS}
PADDED = {**QKV, "mask": np.tile((np.arange(TOKENS) < 3).astype(float), (TOKENS, 1))}  # two tokens are padding
PROJECTED = {"x": rows, **{f"W_{letter}": square for letter in "QKVO"}, "heads": HEADS}
GRADIENT = {"W": normal(4, 3), "dW": normal(4, 3), "rate": 0.1}
ADAM = {**GRADIENT, "m": normal(4, 3), "v": lambda numbers: 0.1 + numbers.random((4, 3)), "t": 3}


@dataclass(frozen=True)
class Told(Program):
    """`says` is one sentence about the bug; `title` replaces the name of a module."""

    says: str = ""
    title: str = ""

    @property
    def name(self) -> str:
        return f"{self.title or self.what} {self.step} {self.compute.__name__}".replace("  ", " ")


class Programs(list[Told]):
    """Programs are added by the decorators `broken` and `right`."""

    def broken(self, what: Any, names: set[str], says: str, **inputs: Any) -> Callable[[Any], Any]:
        """Where the catalogue has no id for the bug, `names` has one that begins with `pending.`"""
        return self._adding(what, frozenset(names), says, inputs)

    def right(self, what: Any, **inputs: Any) -> Callable[[Any], Any]:
        return self._adding(what, frozenset(), "", inputs)

    def _adding(self, what: Any, ids: frozenset[str], says: str, inputs: dict[str, Any]) -> Callable[[Any], Any]:
        step = inputs.pop("step", "")
        title = "" if isinstance(what, str) else type(what).__name__

        def add(compute: Callable[..., Array]) -> Callable[..., Array]:
            self.append(Told(what, compute, inputs, ids, step, says, title))
            return compute

        return add
