"""By how much the result of each kind of hand expression moves with each of its operands."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TypeAlias

Slopes: TypeAlias = Callable[..., Sequence[float]]


def _of_power(base: float, exponent: float) -> tuple[float, float]:
    by_base = exponent * math.pow(base, exponent - 1) if exponent and base else 0.0
    return by_base, math.log(base) * math.pow(base, exponent) if base > 0 else 0.0


def _where(values: tuple[float, ...], chosen: float) -> list[float]:
    """All of the slope belongs to the value that was chosen."""
    place = values.index(chosen)
    return [float(n == place) for n in range(len(values))]


SLOPES: dict[str, Slopes] = {
    "+": lambda *terms: [1.0] * len(terms),
    "-": lambda a, b: (1.0, -1.0),
    "*": lambda a, b: (b, a),
    "/": lambda a, b: (1 / b, -a / (b * b)),
    "neg": lambda a: (-1.0,),
    "pow": _of_power,
    "exp": lambda a: (math.exp(a),),
    "ln": lambda a: (1 / a,),
    "sqrt": lambda a: (0.5 / math.sqrt(a) if a else 0.0,),
    "tanh": lambda a: (1 - math.tanh(a) ** 2,),
    "erf": lambda a: (2 / math.sqrt(math.pi) * math.exp(-a * a),),
    "sin": lambda a: (math.cos(a),),
    "cos": lambda a: (-math.sin(a),),
    "max": lambda *values: _where(values, max(values)),
    "min": lambda *values: _where(values, min(values)),
    ">": lambda a, b: (0.0, 0.0),
    "==": lambda a, b: (0.0, 0.0),
    "if": lambda condition, value: (0.0, float(bool(condition))),
    "mask": lambda allow, value: (0.0, float(bool(allow))),
}
