"""A program in plain NumPy whose numbers `why` is given: what it should compute, from which inputs, and what is wrong.

@broken("softmax", "softmax.wrong_axis", x=rows)
def over_columns(x):
    return np.exp(x) / np.exp(x).sum(axis=0)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from inspect import signature
from typing import Any

import numpy as np

Array = Any
TOKENS, WIDTH, HIDDEN, VOCABULARY = 5, 6, 8, 7


@dataclass(frozen=True)
class Program:
    """What is asked (an op or a module, with a step of it), the inputs, the program, and the ids that name its bug."""

    what: str
    compute: Callable[..., Array]
    inputs: dict[str, Any]
    ids: frozenset[str] = frozenset()
    step: str = ""

    @property
    def name(self) -> str:
        return f"{self.what} {self.step} {self.compute.__name__}".replace("  ", " ")

    def draw(self, numbers: np.random.Generator) -> tuple[Array, dict[str, Any]]:
        """What the program gives, and what `why` is told about it."""
        given = {key: value(numbers) if callable(value) else value for key, value in self.inputs.items()}
        known = signature(self.compute).parameters
        got = self.compute(**{key: value for key, value in given.items() if key in known})
        return got, given | ({"step": self.step} if self.step else {})


class Collection:
    """Programs that are broken, and programs that are right."""

    def __init__(self) -> None:
        self.broken_ones: list[Program] = []
        self.right_ones: list[Program] = []

    def broken(self, what: str, *ids: str, step: str = "", **inputs: Any) -> Callable[[Any], Any]:
        return self._adding(self.broken_ones, what, frozenset(ids), step, inputs)

    def right(self, what: str, step: str = "", **inputs: Any) -> Callable[[Any], Any]:
        return self._adding(self.right_ones, what, frozenset(), step, inputs)

    def _adding(self, to: list[Program], what: str, ids: frozenset[str], step: str, inputs: dict[str, Any]) -> Any:
        def add(compute: Callable[..., Array]) -> Callable[..., Array]:
            to.append(Program(what, compute, inputs, ids, step))
            return compute

        return add


def normal(*shape: int) -> Callable[[np.random.Generator], Array]:
    return lambda numbers: numbers.standard_normal(shape)


def labels(count: int, classes: int) -> Callable[[np.random.Generator], Array]:
    return lambda numbers: numbers.integers(0, classes, count)


rows, square, vector = normal(TOKENS, WIDTH), normal(WIDTH, WIDTH), normal(WIDTH)
tall, wide = normal(WIDTH, HIDDEN), normal(HIDDEN, WIDTH)
QKV = {"q": rows, "k": rows, "v": rows}
LINEAR = {"x": rows, "W": square, "b": vector}
NORM = {"x": rows, "gamma": vector, "beta": vector}
FEED_FORWARD = {"x": rows, "W_1": tall, "b_1": normal(HIDDEN), "W_2": wide, "b_2": vector}
LOSS = {"logits": normal(TOKENS, VOCABULARY), "target": labels(TOKENS, VOCABULARY)}
ONE = {"cotangent": 1.0}
BACK = {"cotangent": rows}


def softmax(x: Array, axis: int = -1) -> Array:
    powers = np.exp(x - x.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)
