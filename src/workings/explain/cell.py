"""The hand calculation of one entry of one step, as data.

scores[1][0] = Q[1] · K[0] = 0.0×0.1 + 0.1×0.0 = 0.0
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

from ..engine.arrays import Array, Index, brackets, indices
from ..engine.errors import EntryError
from ..engine.file import plain
from ..engine.hand import Apply, Dot, Entry, Expression, Hand, Line, Literal, Named, Paper, in_float, work_out
from ..engine.op import Op
from ..engine.recording import Recording
from ..engine.steps import GroupRecord, Step
from ..engine.tensor import Tensor
from .document import Derivation, DerivedLine, Number, Spans, Words
from .numbers import PLAIN, Style, is_whole, write
from .sentences import say

MOST_TERMS = 8  # of a longer sum: the largest so many, and the rest as one number


def cell(recording: Recording, step: Step, index: Index, style: Style = PLAIN) -> Derivation:
    """How one entry comes about, line by line."""
    index = checked(step, index)
    if step.op is None:
        return _leaf(recording, step, index, style)
    work = _work(recording, step, index)
    if work is None:
        note = say("explain.no_hand", op=step.op_name)
        return replace(_leaf(recording, step, index, style), note=note)
    hand, sources = work
    lines = work_out(hand, recording.arithmetic.value_of)
    writer = _Writer(recording, step, index, sources, style)
    return Derivation(step.id, index, tuple(writer.line(line) for line in lines))


def checked(step: Step, index: Index) -> Index:
    """The index with negative positions counted from the end; an error if there is no such entry."""
    shape = step.form.shape
    if len(index) != len(shape):
        example = step.name + brackets(0 for _ in shape)
        raise EntryError("entry.rank", name=step.name, rank=len(shape), count=len(index), example=example)
    for axis, (place, size) in enumerate(zip(index, shape, strict=True)):
        if not -size <= place < size:
            word = step.form.axes[axis] or str(axis)
            raise EntryError("entry.range", position=place, axis=word, size=size, last=size - 1, where=step.path)
    return tuple(place % size for place, size in zip(index, shape, strict=True))


def telling_entry(recording: Recording, step: Step) -> Index:
    """An entry that is worth calculating: the largest by size, among the first few hundred."""
    array = recording.value(step.id)
    candidates = [at for at, _ in zip(indices(step.form.shape), range(512), strict=False)]
    return max(candidates, key=lambda at: abs(float(array[at])))


def style_for(recording: Recording, step: Step, style: Style) -> Style:
    """The style in which the numbers of a step are written."""
    array = recording.value(step.id)
    return replace(style, whole=is_whole(array), exact=_calculator(recording), dust=_dust(step, array))


def _calculator(recording: Recording) -> bool:
    return recording.arithmetic.precision.startswith("calculator")


def _dust(step: Step, array: Array) -> float:
    """Below this size an entry is only what rounding left of terms that cancel."""
    if not getattr(step.op, "adds", False) or not 0 < math.prod(step.form.shape) <= 4096:
        return 0.0
    return 1e-15 * max(abs(float(array[at])) for at in indices(step.form.shape))


def number_at(step: Step, array: Array, index: Index, style: Style) -> Number:
    """One entry of a step as a printed number."""
    value = array[index]
    number = value.item() if hasattr(value, "item") else float(value)
    return Number(write(number, style), plain(number), step.id, index)


def _leaf(recording: Recording, step: Step, index: Index, style: Style) -> Derivation:
    writer = _Writer(recording, step, index, {}, style)
    value = writer.entry(step.id, index)
    note = say(f"explain.leaf.{step.leaf}") if step.leaf else ""
    return Derivation(step.id, index, (DerivedLine(writer.left(), (), value),), note)


def _work(recording: Recording, step: Step, index: Index) -> tuple[Hand, dict[str, str]] | None:
    """The `by_hand` that belongs to a step, and which step each of its papers shows."""
    group = rule_of(recording, step)
    if group is not None:
        return _backward_work(recording, group, index)
    if not isinstance(step.op, Op):
        return None
    tensors = recording.input_tensors(step)
    names = step.op.slot_names(len(tensors))
    settings = step.op.positional(tuple(tensor.form for tensor in tensors), step.settings)
    papers = [Paper(name, tensor.array) for name, tensor in zip(names, tensors, strict=True)]
    sources = dict(zip(names, step.inputs, strict=True))
    return step.op.by_hand(index, *papers, **settings), sources


def rule_of(recording: Recording, step: Step) -> GroupRecord | None:
    """The rule application whose result a step is."""
    if step.stage != "backward" or step.op is None:
        return None
    # A step knows its innermost group; the result of a rule lies directly in the rule's group.
    group = recording.groups.get(step.group or "")
    return group if group is not None and group.rule_of and group.result == step.id else None


def _backward_work(recording: Recording, group: GroupRecord, index: Index) -> tuple[Hand, dict[str, str]]:
    forward = recording.step(group.rule_of or "")
    op, input = group.op, group.op.input_name(group.slot)
    tensors = recording.input_tensors(forward)
    known, ids = op.known(tensors, forward.tensor, group.slot), op.known(forward.inputs, forward.id, group.slot)
    reads = op.page.rules[input].signature
    papers: list[Any] = [Paper("g", recording.value(group.inputs[0]))]
    sources = {"g": group.inputs[0]}
    for name in reads.reads:
        value = known(name)
        if isinstance(value, tuple):  # a variadic input: all of its parts
            papers.append([Paper(f"{name}{n}", part.array) for n, part in enumerate(value, 1)])
            sources |= {f"{name}{n}": id for n, id in enumerate(ids(name), 1)}
        elif isinstance(value, Tensor):
            papers.append(Paper(name, value.array))
            sources[name] = ids(name)
        else:
            papers.append(value)
    forms = tuple(tensor.form for tensor in tensors)
    settings = op.positional(forms, forward.settings)
    chosen = {name: settings[name] for name in reads.settings}
    hand: Hand = getattr(op, f"by_hand_d{input}")(index, *papers, **chosen)
    return hand, sources


@dataclass
class _Writer:
    """Puts lines of a hand calculation into words and numbers."""

    recording: Recording
    step: Step
    index: Index
    sources: dict[str, str]
    style: Style

    def __post_init__(self) -> None:
        self.style = replace(self.style, exact=_calculator(self.recording))
        self._styles: dict[str, Style] = {}
        self._whole_lines: set[str] = set()  # lines whose result is written without a point

    # -- one line ------------------------------------------------------------------------------

    def line(self, line: Line) -> DerivedLine:
        if line.symbol:
            left: Spans = (Words(line.symbol),)
            if self._all_whole(line.expression):
                self._whole_lines.add(line.symbol)
            value = self.number(line.value, "line", whole=line.symbol in self._whole_lines)
        else:
            left, value = self.left(), self.entry(self.step.id, self.index)
        forms = [self.in_letters(line.expression), self.in_numbers(line.expression)]
        return DerivedLine(left, tuple(form for form in forms if form), value)

    def left(self) -> Spans:
        return (Words(self.step.name + brackets(self.index)),)

    # -- letters -------------------------------------------------------------------------------

    def in_letters(self, expression: Expression) -> Spans:
        if isinstance(expression, Literal) or all(isinstance(leaf, Literal) for leaf in _leaves(expression)):
            return ()
        return (Words(self._letters(expression)),)

    def _letters(self, expression: Expression) -> str:
        if isinstance(expression, Entry):
            id, index = self.origin(expression)
            return self.recording.step(id).name + brackets(index)
        if isinstance(expression, Named):
            return expression.symbol
        if isinstance(expression, Literal):
            return self._written(expression.value, whole=True)
        if isinstance(expression, Dot):
            left, right = self._vector(expression.left), self._vector(expression.right)
            if left and right:
                return f"{left} · {right}"
            return _sum([_product(self._letters(a), self._letters(b)) for a, b in _pairs(expression)])
        assert isinstance(expression, Apply)
        vector = self._vector(expression.parts) if expression.kind in ("+", "max") else ""
        if vector and len(expression.parts) > 1:
            return f"Σ {vector}" if expression.kind == "+" else f"max({vector})"
        return _applied(expression.kind, [self._grouped(part, self._letters) for part in expression.parts])

    def _vector(self, parts: tuple[Expression, ...]) -> str:
        """The name of a whole row or column, if that is what the parts are."""
        origins = [self.origin(part) for part in parts if isinstance(part, Entry)]
        if len(origins) != len(parts) or len({id for id, _ in origins}) != 1:
            return ""
        step = self.recording.step(origins[0][0])
        varying = [a for a in range(len(step.form.shape)) if len({index[a] for _, index in origins}) > 1]
        axis = varying[0] if varying else len(step.form.shape) - 1
        whole = [index[axis] for _, index in origins] == list(range(step.form.shape[axis]))
        if len(varying) > 1 or not whole:
            return ""
        index = origins[0][1]
        if axis == len(index) - 1:
            return step.name + brackets(index[:-1])
        places = [":" if a == axis else str(place) for a, place in enumerate(index)]
        return f"{step.name}[{','.join(places)}]"

    def origin(self, entry: Entry) -> tuple[str, Index]:
        """The entry that a person would point at: steps that only move entries and have no name of
        their own (the transpose in Q · Kᵀ) are looked through.
        """
        id, index = self.sources[entry.source], entry.index
        while True:
            step = self.recording.step(id)
            if not isinstance(step.op, Op) or step.named or rule_of(self.recording, step):
                return id, index
            work = _work(self.recording, step, index)
            if work is None or not isinstance(work[0], Entry):
                return id, index
            id, index = work[1][work[0].source], work[0].index

    # -- numbers -------------------------------------------------------------------------------

    def in_numbers(self, expression: Expression) -> Spans:
        if isinstance(expression, Entry | Named):
            return ()  # a copy: the value at the end of the line says it
        return tuple(self._numbers(expression))

    def _numbers(self, expression: Expression) -> list[Any]:
        if isinstance(expression, Entry):
            id, index = self.origin(expression)
            return [self.entry(id, index)]
        if isinstance(expression, Named):
            return [self.number(expression.value, "line", whole=expression.symbol in self._whole_lines)]
        if isinstance(expression, Literal):
            return [self.number(expression.value, "setting", whole=True)]
        if isinstance(expression, Dot):
            return self._sum_of(
                [
                    (in_float(a) * in_float(b), _times(self._bracketed(a), self._bracketed(b)))
                    for a, b in _pairs(expression)
                ]
            )
        assert isinstance(expression, Apply)
        if expression.kind == "+":
            return self._sum_of([(in_float(part), self._numbers(part)) for part in expression.parts])
        return _applied_spans(expression.kind, [self._bracketed(part) for part in expression.parts])

    def _sum_of(self, terms: list[tuple[float, list[Any]]]) -> list[Any]:
        """All terms, or the largest ones and the exact rest."""
        shown = set(range(len(terms)))
        if len(terms) > MOST_TERMS:
            by_size = sorted(shown, key=lambda n: -abs(terms[n][0]))
            shown = set(by_size[: MOST_TERMS - 2])
        spans: list[Any] = []
        for n in sorted(shown):
            _, term = terms[n]
            spans += ([Words(" + ")] if spans else []) + (_in_brackets(term) if spans and _is_negative(term) else term)
        if len(shown) < len(terms):
            rest = sum(value for n, (value, _) in enumerate(terms) if n not in shown)
            more = say("explain.more_terms", count=len(terms) - len(shown))
            spans += [Words(f" + ({more}: "), self.number(rest, "rest"), Words(")")]
        return spans

    def _bracketed(self, expression: Expression) -> list[Any]:
        spans = self._numbers(expression)
        return _in_brackets(spans) if _is_negative(spans) or isinstance(expression, Apply) else spans

    def _grouped(self, expression: Expression, write_it: Any) -> str:
        text: str = write_it(expression)
        return f"({text})" if isinstance(expression, Apply) and expression.kind in ("+", "-", "/") else text

    def entry(self, id: str, index: Index) -> Number:
        step = self.recording.step(id)
        array = self.recording.value(id)
        if id not in self._styles:
            self._styles[id] = style_for(self.recording, step, self.style)
        return number_at(step, array, index, self._styles[id])

    def number(self, value: float | int, role: Any, whole: bool = False) -> Number:
        return Number(self._written(value, whole), plain(value), self.step.id, self.index, role)

    def _written(self, value: float | int, whole: bool) -> str:
        return write(value, replace(self.style, whole=whole))

    def _all_whole(self, expression: Expression) -> bool:
        """Whether all that a line reads is written without a point, so that its result can be too."""
        read = [leaf for leaf in _leaves(expression) if not isinstance(leaf, Literal)]
        return bool(read) and all(self._is_whole(leaf) for leaf in read)

    def _is_whole(self, leaf: Expression) -> bool:
        if isinstance(leaf, Entry):
            return is_whole(self.recording.value(self.sources[leaf.source]))
        return isinstance(leaf, Named) and leaf.symbol in self._whole_lines


def _leaves(expression: Expression) -> list[Expression]:
    if isinstance(expression, Apply):
        return [leaf for part in expression.parts for leaf in _leaves(part)]
    if isinstance(expression, Dot):
        return [leaf for part in (*expression.left, *expression.right) for leaf in _leaves(part)]
    return [expression]


def _pairs(dot: Dot) -> list[tuple[Expression, Expression]]:
    return list(zip(dot.left, dot.right, strict=True))


def _is_negative(spans: list[Any]) -> bool:
    return bool(spans) and isinstance(spans[0], Number) and spans[0].text.startswith("-")


def _in_brackets(spans: list[Any]) -> list[Any]:
    return [Words("("), *spans, Words(")")]


def _sum(terms: list[str]) -> str:
    return " + ".join(terms)


def _product(a: str, b: str) -> str:
    return f"{a}×{b}"


def _times(a: list[Any], b: list[Any]) -> list[Any]:
    return [*a, Words("×"), *b]


# How each operation is written: with the sign between its parts, or as a function around them.
BETWEEN = {"+": " + ", "-": " − ", "*": " × ", "/": " / ", "==": " = ", ">": " > "}
AROUND = {"exp": ("e^(", ")"), "ln": ("ln(", ")"), "sqrt": ("√(", ")"), "max": ("max(", ")"), "neg": ("−(", ")")}
COMPARING = ("==", ">")


def _applied(kind: str, parts: list[str]) -> str:
    return "".join(span.text for span in _applied_spans(kind, [[Words(part)] for part in parts]))


def _applied_spans(kind: str, parts: list[list[Any]]) -> list[Any]:
    if kind in BETWEEN:
        joined = _joined(parts, BETWEEN[kind])
        return [Words("["), *joined, Words("]")] if kind in COMPARING else joined
    if kind == "if":  # the value where the condition holds
        return _joined(parts[::-1], " · ")
    before, after = AROUND[kind]
    return [Words(before), *_joined([_unbracketed(part) for part in parts], ", "), Words(after)]


def _joined(parts: list[list[Any]], sign: str) -> list[Any]:
    spans: list[Any] = []
    for n, part in enumerate(parts):
        spans += ([Words(sign)] if n else []) + part
    return spans


def _unbracketed(spans: list[Any]) -> list[Any]:
    bracketed = len(spans) > 2 and spans[0] == Words("(") and spans[-1] == Words(")")
    return spans[1:-1] if bracketed else spans
