"""One line of a hand calculation, in letters and in numbers, as spans.

scores[1][0] = Q[1] · K[0] = 0.0×0.1 + 0.1×0.0 = 0.0
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from decimal import localcontext
from typing import Any

from ..engine.arrays import Array, Index, indices, namespace
from ..engine.file import plain
from ..engine.hand import Apply, Dot, Entry, Expression, Line, Literal, Named, Position, evaluate, in_float, reads
from ..engine.hand_tables import DECIMAL, EXACT
from ..engine.recording import Recording
from ..engine.rounding import decimal_of
from ..engine.steps import Step
from .document import DerivedLine, Number, Spans, Words, plain_text
from .notation import name_beside, name_of
from .numbers import Style, is_whole, write
from .sentences import say
from .work import origin_of

MOST_TERMS = 8  # of a longer sum: the largest so many, less two, and the rest as one number
MOST_DIGITS = 8  # of a number of the method that is written in full


def style_for(recording: Recording, step: Step, style: Style) -> Style:
    """The style in which the numbers of a step are written."""
    array = recording.value(step.id)
    return replace(style, whole=is_whole(array), exact=_calculator(recording), dust=max(style.dust, _dust(step, array)))


def _calculator(recording: Recording) -> bool:
    return recording.arithmetic.precision.startswith("calculator")


def _dust(step: Step, array: Array) -> float:
    """Below this size an entry is only what rounding left of terms that cancel."""
    if not getattr(step.op, "adds", False) or not 0 < math.prod(step.form.shape) <= 4096:
        return 0.0
    return 1e-15 * float(namespace(array).max(namespace(array).abs(array)))


def number_at(step: Step, array: Array, index: Index, style: Style) -> Number:
    """One entry of a step as a printed number."""
    value = array[index]
    number = value.item() if hasattr(value, "item") else float(value)
    return Number(write(number, style), plain(number), step.id, index)


def split_terms(expression: Expression) -> tuple[list[Expression], list[Expression]]:
    """The terms of a sum, a maximum or a minimum that are written out, and the others: of a long one those that count
    most are shown.
    """
    if isinstance(expression, Dot):
        terms: list[Expression] = [Apply("*", pair) for pair in zip(expression.left, expression.right, strict=True)]
    elif isinstance(expression, Position):
        return [expression.value, *expression.crossed, *expression.row], []
    else:
        terms = list(expression.parts) if isinstance(expression, Apply) else [expression]
    if len(terms) <= MOST_TERMS:
        return terms, []
    values = [_value(term) for term in terms]
    if isinstance(expression, Dot) or (isinstance(expression, Apply) and expression.kind == "+"):
        values = [abs(value) for value in values]
    elif isinstance(expression, Apply) and expression.kind == "min":
        values = [-value for value in values]
    shown = set(sorted(range(len(terms)), key=lambda n: -values[n])[: MOST_TERMS - 2])
    return [terms[n] for n in sorted(shown)], [term for n, term in enumerate(terms) if n not in shown]


def _value(term: Expression) -> float | int:
    """What a term comes to. The product of two entries is by far the commonest one, and a sum may have thousands."""
    if isinstance(term, Entry):
        return term.value
    if isinstance(term, Apply) and term.kind == "*":
        one, other = term.parts
        if isinstance(one, Entry) and isinstance(other, Entry):
            return one.value * other.value
    return in_float(term)


class LineWriter:
    """Puts the lines of one hand calculation into words and numbers. `sources` says which step each paper shows."""

    def __init__(self, recording: Recording, step: Step, index: Index, sources: dict[str, str], style: Style) -> None:
        self.recording = recording
        self.step = step
        self.index = index
        self.sources = sources
        self.style = replace(style, exact=_calculator(recording))
        self.notation = style.notation
        self._styles: dict[str, Style] = {}
        self._results: dict[str, str] = {}  # how the result of each earlier line was written
        self._whole_lines: set[str] = set()  # lines whose result is written without a point

    def line(self, line: Line) -> DerivedLine:
        expression = unmasked(line.expression)
        if self.notation.columns:
            expression = _turned(expression)
        if line.symbol:
            left: Spans = (Words(self.notation.line(line.symbol)),)
            whole = isinstance(expression, Position) or self._all_whole(expression)
            value = self.number(line.value, "line", whole)
            self._results[line.symbol] = value.text
            self._whole_lines |= {line.symbol} if whole else set()
        else:
            left, value = self.left(), self.entry(self.step.id, self.index)
        letters, numbers = self.in_letters(expression), self.in_numbers(expression)
        if plain_text(numbers).replace("−", "-") == value.text:  # the minus of −x is that of its value
            numbers = ()
        return DerivedLine(left, tuple(form for form in (letters, numbers) if form), value)

    def left(self) -> Spans:
        return (Words(self._entry_name(self.step.id, self.index)),)

    def _entry_name(self, id: str, index: tuple[int | None, ...]) -> str:
        """An entry in the notation of the page, or a line of entries where a position is None."""
        step = self.recording.step(id)
        if id == self.step.id:
            return self.notation.entry(name_of(self.recording, step, self.notation), index)
        beside = [self.step, *(self.recording.step(source) for source in self.sources.values())]
        return self.notation.entry(name_beside(self.recording, step, beside, self.notation), index)

    # -- letters -------------------------------------------------------------------------------

    def in_letters(self, expression: Expression) -> Spans:
        if all(isinstance(leaf, Literal) for leaf in reads(expression)):
            return ()
        return (Words(self._letters(expression)),)

    def _letters(self, expression: Expression) -> str:
        if isinstance(expression, Entry):
            return self._entry_name(*self.origin(expression))
        if isinstance(expression, Named):
            return self.notation.line(expression.symbol)
        if isinstance(expression, Literal):
            return self._literal(expression).text
        if isinstance(expression, Dot):
            left, right = self._vector(expression.left), self._vector(expression.right)
            if left and right:
                return f"{left} · {right}"
            return self._sum_in_letters(expression)
        if isinstance(expression, Position):
            return self._position_in_letters(expression)
        assert isinstance(expression, Apply)
        vector = self._vector(expression.parts) if expression.kind in ("+", "max", "min") else ""
        if vector and len(expression.parts) > 1:
            return f"Σ {vector}" if expression.kind == "+" else f"{expression.kind}({vector})"
        if expression.kind == "+":
            return self._sum_in_letters(expression)
        inner = self._letters if expression.kind in AROUND else self._in_group
        shown, hidden = split_terms(expression)
        return plain_text(tuple(_applied(expression.kind, [[Words(inner(part))] for part in shown], len(hidden))))

    def _sum_in_letters(self, expression: Expression) -> str:
        shown, hidden = split_terms(expression)
        written = []
        for term in shown:
            factors = term.parts if isinstance(expression, Dot) and isinstance(term, Apply) else (term,)
            written.append("×".join(self._letters(factor) for factor in factors))
        return " + ".join(written + ([f"({_smaller(len(hidden))})"] if hidden else []))

    def _position_in_letters(self, expression: Position) -> str:
        shown, hidden = _places(expression)
        entries = [self._letters(entry) for _, entry in shown] + ([_more(hidden)] if hidden else [])
        facts = {"value": self._letters(expression.value), "row": self._vector(expression.row) or ", ".join(entries)}
        if not expression.crossed:
            return say("explain.position", **facts)
        return say("explain.position.crossed", crossed=", ".join(map(self._letters, expression.crossed)), **facts)

    def _in_group(self, expression: Expression) -> str:
        text = self._letters(expression)
        return f"({text})" if text.startswith("-") or _is_compound(expression) else text

    def _vector(self, parts: tuple[Expression, ...]) -> str:
        """The name of a whole row, column or tensor, if that is what the parts are."""
        origins = [self.origin(part) for part in parts if isinstance(part, Entry)]
        if len(origins) != len(parts) or len({id for id, _ in origins}) != 1:
            return ""
        step, index = self.recording.step(origins[0][0]), origins[0][1]
        shape = step.form.shape
        varying = [axis for axis in range(len(shape)) if len({place[axis] for _, place in origins}) > 1]
        if len(varying) > 1:
            everything = len(origins) == math.prod(shape) and [place for _, place in origins] == list(indices(shape))
            return self._entry_name(step.id, ()) if everything else ""
        axis = varying[0] if varying else len(shape) - 1
        if not shape or [place[axis] for _, place in origins] != list(range(shape[axis])):
            return ""
        return self._entry_name(step.id, tuple(None if a == axis else place for a, place in enumerate(index)))

    def origin(self, entry: Entry) -> tuple[str, Index]:
        return origin_of(self.recording, self.sources[entry.source], entry.index)

    # -- numbers -------------------------------------------------------------------------------

    def in_numbers(self, expression: Expression) -> Spans:
        if isinstance(expression, Entry | Named | Literal):
            return ()  # a copy: the value at the end of the line says it
        return tuple(self._numbers(expression))

    def _numbers(self, expression: Expression) -> list[Any]:
        if isinstance(expression, Entry):
            return [self.entry(*self.origin(expression))]
        if isinstance(expression, Named):
            number = self.number(expression.value, "line")
            return [replace(number, text=self._results.get(expression.symbol, number.text))]
        if isinstance(expression, Literal):
            return [self._literal(expression)]
        if isinstance(expression, Dot) or (isinstance(expression, Apply) and expression.kind == "+"):
            return self._sum_in_numbers(expression)
        if isinstance(expression, Position):
            return self._position_in_numbers(expression)
        assert isinstance(expression, Apply)
        inner = self._numbers if expression.kind in AROUND else self._bracketed
        shown, hidden = split_terms(expression)
        return _applied(expression.kind, [inner(part) for part in shown], len(hidden))

    def _sum_in_numbers(self, expression: Expression) -> list[Any]:
        """All terms, or the largest ones and the exact rest."""
        shown, hidden = split_terms(expression)
        spans: list[Any] = []
        for term in shown:
            if isinstance(expression, Dot) and isinstance(term, Apply):
                written = _joined([self._bracketed(factor) for factor in term.parts], "×")
            else:
                written = self._numbers(term)
            spans += ([Words(" + ")] if spans else []) + (_brackets_if_negative(written) if spans else written)
        if hidden:
            spans += [Words(f" + ({_smaller(len(hidden))}: "), self.number(self._total(hidden), "rest"), Words(")")]
        return spans

    def _position_in_numbers(self, expression: Position) -> list[Any]:
        """The value, and each entry with its place before it."""
        shown, hidden = _places(expression)
        row = [[Words(f"{place}: "), *self._numbers(entry)] for place, entry in shown]
        facts = {
            "value": self._numbers(expression.value),
            "row": _joined(row + ([[Words(_more(hidden))]] if hidden else []), ", "),
        }
        pieces = re.split(r"\{(\w+)\}", say("explain.position", value="{value}", row="{row}"))
        return [span for n, piece in enumerate(pieces) for span in (facts[piece] if n % 2 else [Words(piece)])]

    def _total(self, terms: list[Expression]) -> float | int:
        """The sum of terms that are not shown; under a calculator, to the last digit of what is written."""
        if not _calculator(self.recording):
            return sum(_value(term) for term in terms)
        with localcontext(EXACT):
            return float(sum(evaluate(term, DECIMAL, decimal_of) for term in terms))

    def _bracketed(self, expression: Expression) -> list[Any]:
        spans = self._numbers(expression)
        return [Words("("), *spans, Words(")")] if _is_compound(expression) else _brackets_if_negative(spans)

    def entry(self, id: str, index: Index) -> Number:
        step = self.recording.step(id)
        array = self.recording.value(id)
        if id not in self._styles:
            self._styles[id] = style_for(self.recording, step, self.style)
        return number_at(step, array, index, self._styles[id])

    def number(self, value: float | int, role: Any, whole: bool = False) -> Number:
        return Number(self._written(value, whole), plain(value), self.step.id, self.index, role)

    def _literal(self, literal: Literal) -> Number:
        """A number of the method is written in full, such as 0.044715, unless its digits go on and on."""
        text = write(literal.value, replace(self.style, whole=True, exact=True))
        if sum(map(str.isdigit, text)) <= MOST_DIGITS:
            return Number(text, plain(literal.value), self.step.id, self.index, "setting")
        return self.number(literal.value, "setting", whole=True)

    def _written(self, value: float | int, whole: bool) -> str:
        return write(value, replace(self.style, whole=whole))

    def _all_whole(self, expression: Expression) -> bool:
        """Whether all that a line reads is written without a point, so that its result can be too."""
        read = [leaf for leaf in reads(expression) if not isinstance(leaf, Literal)]
        return bool(read) and all(self._is_whole(leaf) for leaf in read)

    def _is_whole(self, leaf: Expression) -> bool:
        if isinstance(leaf, Entry):
            return is_whole(self.recording.value(self.sources[leaf.source]))
        return isinstance(leaf, Named) and leaf.symbol in self._whole_lines


# How each operation is written: with the sign between its parts, or as a function around them.
BETWEEN = {"+": " + ", "-": " − ", "*": " × ", "/": " / ", "pow": "^", "==": " = ", ">": " > "}
AROUND = {
    "exp": ("e^(", ")"),
    "ln": ("ln(", ")"),
    "sqrt": ("√(", ")"),
    "max": ("max(", ")"),
    "min": ("min(", ")"),
    **{function: (f"{function}(", ")") for function in ("tanh", "erf", "sin", "cos")},
}
COMPARING = ("==", ">")


def _applied(kind: str, parts: list[list[Any]], hidden: int) -> list[Any]:
    if kind in BETWEEN:
        joined = _joined(parts, BETWEEN[kind])
        return [Words("["), *joined, Words("]")] if kind in COMPARING else joined
    if kind == "if":  # the value where the condition holds
        return _joined(parts[::-1], " · ")
    if kind == "neg":
        return [Words("−"), *parts[0]]
    before, after = AROUND[kind]
    return [Words(before), *_joined(parts + ([[Words(_more(hidden))]] if hidden else []), ", "), Words(after)]


def unmasked(expression: Expression) -> Expression:
    """What a mask leaves to see: the value itself where it is allowed, else -∞."""
    if not isinstance(expression, Apply):
        return expression
    if expression.kind != "mask":
        return Apply(expression.kind, tuple(unmasked(part) for part in expression.parts))
    allow, value = expression.parts
    return unmasked(value) if in_float(allow) else Literal(-math.inf)


def _turned(expression: Expression) -> Expression:
    """A calculation in which the factors of every dot product have changed sides, as those of Q = W X have."""
    if isinstance(expression, Dot):
        return Dot(tuple(map(_turned, expression.right)), tuple(map(_turned, expression.left)))
    if isinstance(expression, Apply):
        return Apply(expression.kind, tuple(map(_turned, expression.parts)))
    return expression


def _places(expression: Position) -> tuple[list[tuple[int, Expression]], int]:
    """The places of a row that are written out, and how many are not: of a long row, the largest entries are shown."""
    left = expression.left()
    if len(left) <= MOST_TERMS:
        return left, 0
    shown = sorted(left, key=lambda pair: -in_float(pair[1]))[: MOST_TERMS - 2]
    return sorted(shown, key=lambda pair: pair[0]), len(left) - len(shown)


def _is_compound(expression: Expression) -> bool:
    """Whether an expression needs brackets inside another one."""
    return isinstance(expression, Apply) and expression.kind in ("+", "-", "*", "/", "pow", "neg", "if")


def _smaller(count: int) -> str:
    """How many terms of a long sum are left out: those that are smallest by size."""
    return say("explain.smaller_terms", count=count)


def _more(count: int) -> str:
    return say("explain.more_terms", count=count)


def _brackets_if_negative(spans: list[Any]) -> list[Any]:
    negative = isinstance(spans[0], Number) and spans[0].text.startswith("-")
    return [Words("("), *spans, Words(")")] if negative else spans


def _joined(parts: list[list[Any]], sign: str) -> list[Any]:
    spans: list[Any] = []
    for n, part in enumerate(parts):
        spans += ([Words(sign)] if n else []) + part
    return spans
