"""How an op is carried out: in floating point, or as a person with a calculator does it."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from copy import copy
from decimal import Decimal, localcontext
from typing import Any, ClassVar, Literal, Protocol

from .arrays import Array, indices, is_float, namespace
from .errors import PrecisionError, did_you_mean
from .form import Form, Layout
from .guard import guarded
from .hand import Expression, Hand, Number, Paper, Position, evaluate, in_float, work_out
from .hand_tables import DECIMAL, EXACT
from .rounding import GUARD, Unit, decimal_of, rounded
from .tensor import Tensor
from .varying import settled

Kind = Literal["leaf", "primitive", "composite", "group"]


class Operation(Protocol):
    """What has to be known of an op (op.py) to carry it out."""

    kind: ClassVar[Kind]
    name: str
    forward: Callable[..., Any]
    by_hand: Callable[..., Hand]
    check: Callable[..., None] | None

    def slot_names(self, count: int) -> list[str]: ...

    def positional(self, forms: tuple[Form, ...], settings: Mapping[str, Any]) -> dict[str, Any]: ...

    def laid_out(self, forms: tuple[Form, ...], settings: Mapping[str, Any]) -> Layout: ...


class Arithmetic(ABC):
    """Carries out one op. Composites and groups are written in ops, so only primitives differ."""

    precision: str
    dtype = "float64"  # of the real numbers that it makes
    checks = True  # whether pages may refuse values; inside a composite its own page has done so

    def unchecked(self) -> Arithmetic:
        inner = copy(self)
        inner.checks = False
        return inner

    def run(self, op: Operation, inputs: tuple[Tensor, ...], settings: Mapping[str, Any]) -> Tensor:
        arrays = [x.array for x in inputs]
        if op.kind != "primitive":
            if op.check is not None and self.checks:
                op.check(*arrays, **op.positional(tuple([x.form for x in inputs]), settings))
            result: Tensor = op.forward(*inputs, **settings)
            return result
        form, positional, _ = op.laid_out(tuple([x.form for x in inputs]), settings)
        if op.check is not None and self.checks:
            op.check(*arrays, **positional)
        array = self.primitive(op, arrays, positional)
        if not form.shape:  # NumPy hands out scalars here, which are not quite arrays
            array = namespace(array).asarray(array)
        return Tensor(array, form)

    @abstractmethod
    def primitive(self, op: Operation, arrays: list[Array], settings: Mapping[str, Any]) -> Array:
        """The value of one primitive."""

    @abstractmethod
    def accept(self, array: Array, literal: bool = False) -> Array:
        """A leaf's array as this arithmetic takes it; a literal is a number of the method itself."""

    @abstractmethod
    def value_of(self, expression: Expression) -> Number:
        """The value of one line of a hand calculation."""


class Float(Arithmetic):
    """Floating point: `float64` computes with what it is given, `float32` narrows the leaves first."""

    def __init__(self, precision: str = "float64") -> None:
        self.precision = self.dtype = precision

    def primitive(self, op: Operation, arrays: list[Array], settings: Mapping[str, Any]) -> Array:
        return guarded(op.forward, arrays, settled(settings) if settings else settings)

    def accept(self, array: Array, literal: bool = False) -> Array:
        if self.precision == "float32" and is_float(array):
            xp = namespace(array)
            # Weights that are narrow already are not copied: a model may fill half the memory.
            return array if array.dtype == xp.float32 else guarded(xp.astype, [array, xp.float32], {})
        return array

    def value_of(self, expression: Expression) -> Number:
        return in_float(expression)


class Calculator(Arithmetic):
    """Every line of a hand calculation is worked out from the operands as written and rounded once."""

    def __init__(self, digits: int, unit: Unit = "significant") -> None:
        if not 1 <= digits <= GUARD:
            raise PrecisionError(
                f"A calculator with {digits} digits cannot be used.", hint=f"Give 1 to {GUARD} digits."
            )
        self.digits = digits
        self.unit: Unit = unit
        self.precision = f"calculator {digits} {unit}"

    def primitive(self, op: Operation, arrays: list[Array], settings: Mapping[str, Any]) -> Array:
        result = guarded(op.forward, arrays, settings)
        if not is_float(result):
            return result
        papers = [Paper(name, array) for name, array in zip(op.slot_names(len(arrays)), arrays, strict=True)]
        xp = namespace(result)
        numbers = [
            work_out(op.by_hand(at, *papers, **settings), self.value_of)[-1].value for at in indices(result.shape)
        ]
        return xp.reshape(xp.asarray(numbers, dtype=result.dtype), result.shape)

    def accept(self, array: Array, literal: bool = False) -> Array:
        if literal or not is_float(array):
            return array
        xp = namespace(array)
        numbers = [float(rounded(decimal_of(float(array[at])), self.digits, self.unit)) for at in indices(array.shape)]
        return xp.reshape(xp.asarray(numbers, dtype=array.dtype), array.shape)

    def value_of(self, expression: Expression) -> Number:
        with localcontext(EXACT):
            exact: Decimal = evaluate(expression, DECIMAL, decimal_of)
        if isinstance(expression, Position):  # counted, not calculated
            return int(exact)
        return float(rounded(exact, self.digits, self.unit))


PLAIN = Float()


def arithmetic(precision: str) -> Arithmetic:
    """The arithmetic that a precision names.

    >>> arithmetic("calculator 4 significant").digits
    4
    """
    if precision in ("float64", "float32"):
        return Float(precision)
    match = re.fullmatch(r"calculator (\d+) (significant|decimals?)", str(precision).strip())
    if match is None:
        known = ("float64", "float32", "calculator 4 significant", "calculator 3 decimals")
        raise PrecisionError(
            f"'{precision}' is not a precision.",
            hint=f"{did_you_mean(str(precision), known)}Write such as {', '.join(known)}.",
        )
    return Calculator(int(match[1]), "significant" if match[2] == "significant" else "decimals")
