"""One line of a hand calculation, in letters and in numbers, as spans.

scores[1][0] = Q[1] · K[0] = 0.0×0.1 + 0.1×0.0 = 0.0
"""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import localcontext
from typing import Any

from ..document.blocks import DerivedLine, Number, Spans, Words, fill_spans, plain_text
from ..document.notation import distinct_name, name_of
from ..document.numbers import ALL_DIGITS, Style, is_whole, write
from ..engine.arrays import Array, Index, indices, namespace
from ..engine.file import plain
from ..engine.hand import PI, Apply, Dot, Entry, Expression, Line, Literal, Named, Position, evaluate, in_float, reads
from ..engine.hand_tables import DECIMAL, EXACT
from ..engine.recording import Recording, is_number
from ..engine.rounding import decimal_of
from ..engine.steps import Step
from .guard_digits import Pencil, decimal_in, pencil, pencil_alone
from .hand_calculation import origin_of
from .long_sums import shown_places, split_terms, value_of_term

MAX_LITERAL_DIGITS = 8  # a number of the method with more digits is rounded
POSITION = "first position of {value} in {row}"


def style_for(recording: Recording, step: Step, style: Style) -> Style:
    """The style in which the numbers of a step are written."""
    array = recording.value(step.id)
    return replace(style, whole=is_whole(array), exact=_calculator(recording), dust=max(style.dust, _dust(step, array)))


def _calculator(recording: Recording) -> bool:
    return recording.arithmetic.precision.startswith("calculator")


def _dust(step: Step, array: Array) -> float:
    """Below this size an entry is only the rounding error of terms that cancel."""
    if not getattr(step.op, "adds", False) or not 0 < math.prod(step.form.shape) <= 4096:
        return 0.0
    return 1e-15 * float(namespace(array).max(namespace(array).abs(array)))


def number_at(step: Step, array: Array, index: Index, style: Style) -> Number:
    """One entry of a step as a printed number."""
    value = array[index]
    number = value.item() if hasattr(value, "item") else float(value)
    return Number(write(number, style), plain(number), step.id, index)


class LineWriter:
    """Writes the lines of one hand calculation in letters and numbers. `sources` is the step that each paper shows."""

    def __init__(self, recording: Recording, step: Step, index: Index, sources: dict[str, str], style: Style) -> None:
        self.recording = recording
        self.step = step
        self.index = index
        self.sources = sources
        self.style = replace(style, exact=_calculator(recording))
        self.notation = style.notation
        self._styles: dict[tuple[str, int, bool], Style] = {}
        self._whole_lines: set[str] = set()  # lines whose result has no decimal point
        self._pencil: Pencil | None = None
        self._digits = style.digits
        self._with_dust = False
        self._is_zero = False

    def lines(self, lines: list[Line]) -> tuple[DerivedLine, ...]:
        """All lines, with so many digits that each follows from what is printed."""
        lines = [line._replace(expression=self._arranged(line.expression)) for line in lines]
        for line in lines:
            if line.symbol and (isinstance(line.expression, Position) or self._all_whole(line.expression)):
                self._whole_lines.add(line.symbol)
        if not self.style.exact:  # a calculator's numbers are printed with all their digits
            self._work_with_pencil(lines)
        return tuple(self._line(line) for line in lines)

    def _work_with_pencil(self, lines: list[Line]) -> None:
        """Find the digits. Entries that are 0 but for rounding errors are printed as 0 if everything follows from that,
        else as they are.
        """
        entry = self.entry(self.step.id, self.index)
        self._is_zero = not lines[-1].value or not decimal_in(entry.text)
        true = 0.0 if self._is_zero else float(entry.value)
        lines = [*lines[:-1], lines[-1]._replace(value=true)]
        self._pencil = pencil(lines, self)
        if self._pencil is None:
            self._with_dust = True
            self._pencil = pencil(lines, self) or pencil_alone(lines, self)
        self._digits = self._pencil.digits if self._pencil else ALL_DIGITS

    def _arranged(self, expression: Expression) -> Expression:
        """What is seen of a masked score, in the order of the notation."""
        expression = unmasked(expression)
        return _swapped(expression) if self.notation.columns else expression

    def _line(self, line: Line) -> DerivedLine:
        left: Spans = (Words(self.notation.line(line.symbol)),) if line.symbol else self.left()
        value = self._result(line.symbol, line.value) if line.symbol else self._final()
        letters, numbers = self.in_letters(line.expression), self.in_numbers(line.expression)
        if plain_text(numbers).replace("−", "-") == value.text:  # the minus of −x is that of its value
            numbers = ()
        if plain_text(letters) == plain_text(numbers):  # nothing in it has a name
            letters = ()
        return DerivedLine(left, tuple(form for form in (letters, numbers) if form), value)

    def _result(self, symbol: str, value: float | int) -> Number:
        """The result of a line on the way, wherever it is read."""
        number = self.number(value, "line", self._digits, symbol in self._whole_lines)
        printed = self._pencil.results.get(symbol) if self._pencil else None
        return replace(number, text=printed) if printed else number

    def _final(self) -> Number:
        """The entry itself, at the end of the last line."""
        if self._pencil is None:
            return self.entry(self.step.id, self.index)
        if not self._pencil.agrees:
            return replace(self.entry(self.step.id, self.index), text=self._pencil.results[""])
        number = self.entry(self.step.id, self.index, self._pencil.digits_of_entry)
        return replace(number, text=write(0.0, self.style)) if self._is_zero and decimal_in(number.text) else number

    @property
    def note(self) -> str:
        """What to know about the last digits: a computer that rounds on the way may have others."""
        if self._pencil is None or self._pencil.agrees:
            return ""
        computed, by_hand = self.entry(self.step.id, self.index).text, self._pencil.results[""]
        precision = self.recording.arithmetic.precision
        return (
            ""
            if computed == by_hand
            else f"In {precision}, which rounds after every operation, the result is {computed}."
        )

    def left(self) -> Spans:
        return (Words(self._entry_name(self.step.id, self.index)),)

    def _entry_name(self, id: str, index: tuple[int | None, ...]) -> str:
        """An entry in the notation of the page, or a line of entries where a position is None. A number of the method
        has no name but its value.
        """
        step = self.recording.step(id)
        if not step.form.shape and is_number(step.name):
            return self.entry(id, (), self._digits).text
        if id == self.step.id:
            return self.notation.entry(name_of(self.recording, step, self.notation), index)
        others = [self.step, *(self.recording.step(source) for source in self.sources.values())]
        return self.notation.entry(distinct_name(self.recording, step, others, self.notation), index)

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
            return self._literal(expression, self._digits).text
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
        terms = []
        for term in shown:
            factors = term.parts if isinstance(expression, Dot) and isinstance(term, Apply) else (term,)
            terms.append("×".join(self._letters(factor) for factor in factors))
        return " + ".join(terms + ([f"({_smaller(len(hidden))})"] if hidden else []))

    def _position_in_letters(self, expression: Position) -> str:
        shown, hidden = shown_places(expression)
        entries = [self._letters(entry) for _, entry in shown] + ([_more(hidden)] if hidden else [])
        row = self._vector(expression.row) or ", ".join(entries)
        text = POSITION.format(value=self._letters(expression.value), row=row)
        return f"{text} without {', '.join(map(self._letters, expression.crossed))}" if expression.crossed else text

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
        if isinstance(expression, Entry | Named | Literal):
            return [self._leaf(expression, self._digits)]
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
                numbers = _joined([self._bracketed(factor) for factor in term.parts], "×")
            else:
                numbers = self._numbers(term)
            spans += ([Words(" + ")] if spans else []) + (_brackets_if_negative(numbers) if spans else numbers)
        if hidden:
            rest = self._rest(hidden, self._digits)
            spans += [Words(f" + ({_smaller(len(hidden))}: "), rest, Words(")")]
        return spans

    def _position_in_numbers(self, expression: Position) -> list[Any]:
        """The value, and each entry with its place before it."""
        shown, hidden = shown_places(expression)
        row = [[Words(f"{place}: "), *self._numbers(entry)] for place, entry in shown]
        entries = _joined(row + ([[Words(_more(hidden))]] if hidden else []), ", ")
        return [*fill_spans(POSITION, value=tuple(self._numbers(expression.value)), row=tuple(entries))]

    def _total(self, terms: list[Expression]) -> float | int:
        """The sum of the terms that are not shown; under a calculator, to the last printed digit."""
        if not _calculator(self.recording):
            return sum(value_of_term(term) for term in terms)
        with localcontext(EXACT):
            return float(sum(evaluate(term, DECIMAL, decimal_of) for term in terms))

    def _bracketed(self, expression: Expression) -> list[Any]:
        spans = self._numbers(expression)
        return [Words("("), *spans, Words(")")] if _is_compound(expression) else _brackets_if_negative(spans)

    # -- single numbers ------------------------------------------------------------------------

    def _leaf(self, leaf: Entry | Named | Literal, digits: int) -> Number:
        if isinstance(leaf, Entry):
            return self.entry(*self.origin(leaf), digits)
        if isinstance(leaf, Literal):
            return self._literal(leaf, digits)
        if leaf is PI:
            return self.number(leaf.value, "line", digits)
        return self._result(leaf.symbol, leaf.value)

    def _rest(self, terms: list[Expression], digits: int) -> Number:
        return self.number(self._total(terms), "rest", digits)

    def entry(self, id: str, index: Index, digits: int | None = None) -> Number:
        step = self.recording.step(id)
        digits = self.style.digits if digits is None else digits
        key = (id, digits, self._with_dust)
        if key not in self._styles:
            style = style_for(self.recording, step, replace(self.style, digits=digits))
            self._styles[key] = replace(style, dust=0.0) if self._with_dust else style
        return number_at(step, self.recording.value(id), index, self._styles[key])

    def number(self, value: float | int, role: Any, digits: int, whole: bool = False) -> Number:
        text = write(value, replace(self.style, digits=digits, whole=whole))
        return Number(text, plain(value), self.step.id, self.index, role)

    def _literal(self, literal: Literal, digits: int) -> Number:
        """A number of the method is written in full, such as 0.044715, unless its digits go on and on."""
        text = write(literal.value, replace(self.style, whole=True, exact=True))
        if sum(map(str.isdigit, text)) <= MAX_LITERAL_DIGITS:
            return Number(text, plain(literal.value), self.step.id, self.index, "setting")
        return self.number(literal.value, "setting", digits, whole=True)

    # What the search for digits asks.

    def leaf_text(self, leaf: Entry | Named | Literal, digits: int) -> str:
        return self._leaf(leaf, digits).text

    def rest_text(self, terms: list[Expression], digits: int) -> str:
        return self._rest(terms, digits).text

    def is_whole_line(self, symbol: str) -> bool:
        return symbol in self._whole_lines

    def _all_whole(self, expression: Expression) -> bool:
        """Whether all numbers that a line reads have no decimal point, so that its result needs none."""
        read = [leaf for leaf in reads(expression) if not isinstance(leaf, Literal)]
        return bool(read) and all(self._is_whole(leaf) for leaf in read)

    def _is_whole(self, leaf: Expression) -> bool:
        if isinstance(leaf, Entry):
            return is_whole(self.recording.value(self.sources[leaf.source]))
        return isinstance(leaf, Named) and leaf.symbol in self._whole_lines


# How each operation is written: with a sign between its parts, or as a function around them.
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


def _swapped(expression: Expression) -> Expression:
    """A calculation with the factors of every dot product swapped, as in Q = W X for column vectors."""
    if isinstance(expression, Dot):
        return Dot(tuple(map(_swapped, expression.right)), tuple(map(_swapped, expression.left)))
    if isinstance(expression, Apply):
        return Apply(expression.kind, tuple(map(_swapped, expression.parts)))
    return expression


def _is_compound(expression: Expression) -> bool:
    """Whether an expression needs brackets inside another one."""
    return isinstance(expression, Apply) and expression.kind in ("+", "-", "*", "/", "pow", "neg", "if")


def _smaller(count: int) -> str:
    """How many terms of a long sum are left out: those of the smallest size."""
    return f"{count} smaller"


def _more(count: int) -> str:
    return f"{count} more"


def _brackets_if_negative(spans: list[Any]) -> list[Any]:
    negative = isinstance(spans[0], Number) and spans[0].text.startswith("-")
    return [Words("("), *spans, Words(")")] if negative else spans


def _joined(parts: list[list[Any]], sign: str) -> list[Any]:
    spans: list[Any] = []
    for n, part in enumerate(parts):
        spans += ([Words(sign)] if n else []) + part
    return spans
