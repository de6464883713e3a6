"""Hand calculation as data: the small expressions that a `by_hand` writes down.

A page's `by_hand` gets its inputs as `Paper`, reads entries off them, yields one line after
another, and returns the last one:

    def by_hand(self, at, x, *, axis):
        total = yield "total", add(x.line(at, axis))     # (symbol, expression): one line
        return x[at] / total                             # the entry itself

What comes back from `yield` is the line's result *as written*: whoever drives the calculation
decides how it is rounded. So the same lines serve float64 and a four-digit calculator.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from .arrays import Array, Index
from .hand_tables import FLOAT, Table

Number: TypeAlias = float | int


class Expression:
    """Something with a value that can be written out. Combine them with + - * / and functions."""

    def __add__(self, other: Expression) -> Expression:
        return Apply("+", (self, other))

    def __sub__(self, other: Expression) -> Expression:
        return Apply("-", (self, other))

    def __mul__(self, other: Expression) -> Expression:
        return Apply("*", (self, other))

    def __truediv__(self, other: Expression) -> Expression:
        return Apply("/", (self, other))

    def __neg__(self) -> Expression:
        return Apply("neg", (self,))


@dataclass(frozen=True)
class Literal(Expression):
    """A number that is part of the method, such as the 1 in 1 - p, or a setting."""

    value: Number


@dataclass(frozen=True)
class Entry(Expression):
    """One entry of an input (named as on the page), of the output (`out`) or of its gradient (`g`)."""

    source: str
    index: Index
    value: Number


@dataclass(frozen=True)
class Named(Expression):
    """The result of an earlier line, under the symbol that it was given."""

    symbol: str
    value: Number


PI = Named("π", math.pi)  # no line has to say what it is


@dataclass(frozen=True)
class Apply(Expression):
    """An operation on expressions; `FLOAT` and `DECIMAL` in hand_tables.py say what each kind does."""

    kind: str
    parts: tuple[Expression, ...]


@dataclass(frozen=True)
class Dot(Expression):
    """A dot product: one line on paper and one run of keys on a calculator."""

    left: tuple[Expression, ...]
    right: tuple[Expression, ...]


@dataclass(frozen=True)
class Position(Expression):
    """The first place in a row, counted from 0, at which a value stands. Places that are crossed out do not count."""

    value: Expression
    row: tuple[Expression, ...]
    crossed: tuple[Expression, ...] = ()

    def left(self) -> list[tuple[int, Expression]]:
        """The places that are not crossed out, with their entries."""
        gone = {in_float(place) for place in self.crossed}
        return [(place, entry) for place, entry in enumerate(self.row) if place not in gone]


class Line(NamedTuple):
    """One finished line: what it is called, how it was calculated, what came out.
    The last line of a calculation has no symbol: it is the entry itself.
    """

    symbol: str
    expression: Expression
    value: Number


# A `by_hand` of several lines is a generator; one of a single line just returns it.
Lines: TypeAlias = Generator[tuple[str, Expression], Named, Expression]
Hand: TypeAlias = Expression | Lines


def add(terms: Iterable[Expression]) -> Expression:
    return Apply("+", tuple(terms))


def dot(left: Iterable[Expression], right: Iterable[Expression]) -> Expression:
    return Dot(tuple(left), tuple(right))


def position(value: Expression, row: Iterable[Expression], crossed: Iterable[Expression] = ()) -> Position:
    return Position(value, tuple(row), tuple(crossed))


def exp(power: Expression) -> Expression:
    return Apply("exp", (power,))


def ln(value: Expression) -> Expression:
    return Apply("ln", (value,))


def root(value: Expression) -> Expression:
    return Apply("sqrt", (value,))


def power(base: Expression, exponent: Expression) -> Expression:
    return Apply("pow", (base, exponent))


def tanh(value: Expression) -> Expression:
    return Apply("tanh", (value,))


def erf(value: Expression) -> Expression:
    return Apply("erf", (value,))


def sin(angle: Expression) -> Expression:
    return Apply("sin", (angle,))


def cos(angle: Expression) -> Expression:
    return Apply("cos", (angle,))


def largest(values: Iterable[Expression]) -> Expression:
    return Apply("max", tuple(values))


def smallest(values: Iterable[Expression]) -> Expression:
    return Apply("min", tuple(values))


def is_greater(value: Expression, bound: Expression) -> Expression:
    """1 where the comparison holds, else 0."""
    return Apply(">", (value, bound))


def is_equal(value: Expression, other: Expression) -> Expression:
    """1 where the two are equal, else 0."""
    return Apply("==", (value, other))


def chosen(condition: Expression, value: Expression) -> Expression:
    """The value where the condition is 1, else 0: a multiplication that nobody does by hand."""
    return Apply("if", (condition, value))


def masked(allow: Expression, value: Expression) -> Expression:
    """The value where `allow` is not 0, else -∞: a score whose power of e is 0."""
    return Apply("mask", (allow, value))


@dataclass(frozen=True)
class Paper:
    """An array to read entries off. It knows its name on the page, so each entry does too."""

    source: str
    array: Array

    @property
    def shape(self) -> Index:
        return tuple(self.array.shape)

    def __getitem__(self, index: Index) -> Entry:
        """An entry by the index of the *result*: extra axes on the left are dropped, and
        an axis with a single entry is read at that entry. That is what broadcasting means.
        """
        shape = self.array.shape
        index = index[len(index) - len(shape) :]
        index = tuple(0 if size == 1 else place for place, size in zip(index, shape, strict=True))
        value = self.array[index]
        return Entry(self.source, index, value.item() if hasattr(value, "item") else _number(value))

    def block(self, at: Index, axes: tuple[int, ...], keep: bool) -> list[Entry]:
        """All entries that a reduction over `axes` (negative positions) brings together at `at`."""
        rank = len(self.array.shape)
        gone = sorted(axis % rank for axis in axes)
        index = list(at)
        if not keep:
            for axis in gone:
                index.insert(axis, 0)
        entries = []
        for places in itertools.product(*(range(self.array.shape[axis]) for axis in gone)):
            for axis, place in zip(gone, places, strict=True):
                index[axis] = place
            entries.append(self[tuple(index)])
        return entries

    def line(self, at: Index, axis: int) -> list[Entry]:
        """All entries along one axis (a negative position), through `at`."""
        return [self[_with(at, axis, place)] for place in range(self.array.shape[axis])]


def without(at: Index, axes: tuple[int, ...]) -> Index:
    """An index with the places on some axes (negative positions) left out.

    >>> without((5, 6, 7), (-2,))
    (5, 7)
    """
    return tuple(place for axis, place in enumerate(at) if axis - len(at) not in axes)


def _with(index: Index, axis: int, place: int) -> Index:
    changed = list(index)
    changed[axis] = place
    return tuple(changed)


def _number(value: Any) -> Number:
    return int(value) if "int" in str(value.dtype) or "bool" in str(value.dtype) else float(value)


def evaluate(expression: Expression, table: Table, number: Callable[[Number], Any]) -> Any:
    """The value of an expression, in floating point or in exact decimals."""
    if type(expression) is Entry:  # most of what there is
        return number(expression.value)
    if isinstance(expression, Apply):
        return table[expression.kind](*(evaluate(part, table, number) for part in expression.parts))
    if isinstance(expression, Dot):
        left = (evaluate(part, table, number) for part in expression.left)
        right = (evaluate(part, table, number) for part in expression.right)
        return table["+"](*(a * b for a, b in zip(left, right, strict=True)))
    if isinstance(expression, Position):
        value = evaluate(expression.value, table, number)
        return number(next(n for n, entry in expression.left() if evaluate(entry, table, number) == value))
    if isinstance(expression, Entry | Named | Literal):
        return number(expression.value)
    raise TypeError(f"not an expression: {expression!r}")


def in_float(expression: Expression) -> Number:
    """
    >>> in_float(Literal(0.1) + Literal(0.2) * Literal(3))
    0.7000000000000001
    """
    value: Number = evaluate(expression, FLOAT, lambda value: value)
    return value


def work_out(hand: Hand, value_of: Callable[[Expression], Number]) -> list[Line]:
    """Run a `by_hand` to its end; `value_of` evaluates each line and rounds it as its mode says."""
    if isinstance(hand, Expression):
        return [Line("", hand, value_of(hand))]
    lines: list[Line] = []
    result: Named | None = None
    while True:
        try:
            symbol, expression = hand.send(result) if result is not None else next(hand)
        except StopIteration as end:
            return [*lines, Line("", end.value, value_of(end.value))]
        lines.append(Line(symbol, expression, value_of(expression)))
        result = Named(symbol, lines[-1].value)


def reads(expression: Expression) -> Sequence[Expression]:
    """The entries, earlier results and literals that an expression is made of, from left to right."""
    if isinstance(expression, Apply):
        return [leaf for part in expression.parts for leaf in reads(part)]
    if isinstance(expression, Dot):
        pairs = zip(expression.left, expression.right, strict=True)
        return [leaf for pair in pairs for part in pair for leaf in reads(part)]
    if isinstance(expression, Position):
        return [leaf for part in (expression.value, *expression.row, *expression.crossed) for leaf in reads(part)]
    return [expression]
