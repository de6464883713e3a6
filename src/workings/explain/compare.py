"""Somebody's numbers beside those of a trace, step by step.

w.compare({"scores": s, "weights": a, "dW_Q": g}, to=trace)
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy

from ..engine.arrays import Index
from ..engine.errors import InputError
from ..engine.file import plain
from ..engine.sentences import add_sentences
from .displayed import Displayed
from .document import Document, Link, Number, Span, Spans, Table, Text, Words
from .numbers import PLAIN, apart, write
from .sentences import say, say_spans
from .step_view import StepView
from .view import Trace

Verdict: TypeAlias = Literal["exact", "approximate", "different", "another shape", "not filled in"]
AGREE = ("exact", "approximate")
# By how much of the largest entry numbers may be off that were only rounded in another order, by their type.
CLOSE = {"float64": 1e-9, "float32": 1e-5, "float16": 1e-3, "bfloat16": 8e-3}
NOTHING = 1e-6  # entries that are so much smaller than what they were made from may be what rounding left over of 0
BLANK = (None, ...)
WHOLE = "biu"  # the kinds of numbers in NumPy that are whole
REAL = f"{WHOLE}f"

add_sentences(
    "explain",
    {
        "compare.step": "step",
        "compare.verdict": "verdict",
        "compare.gap": "largest difference",
        "compare.entry": "at",
        "compare.yours": "yours",
        "compare.ours": "ours",
        "compare.exact": "exact",
        "compare.approximate": "approximate",
        "compare.different": "different",
        "compare.another_shape": "another shape",
        "compare.not_filled_in": "not filled in",
        "compare.first": "The first difference is in {step}.",
    },
)
add_sentences(
    "error",
    {
        "compare.trace": "Numbers are compared to a trace, and a {kind} is none.",
        "compare.trace.try": "Give one: compare(values, to=lesson.trace()).",
        "compare.values": "Numbers to compare come under the names of their steps, and a {kind} has no names.",
        "compare.values.try": 'Write a dictionary: compare({{"scores": scores}}, to=trace).',
        "compare.name": "The name of a step is a text, and {name} is of the type {kind}.",
        "compare.name.try": 'Write the name between quotation marks: compare({{"scores": scores}}, to=trace).',
        "compare.array": "What is given as {name} is no array of numbers.",
        "compare.array.try": "Give an array of numbers, or None as long as there is none.",
    },
)


@dataclass(frozen=True)
class Compared:
    """One step: the verdict, and where the largest difference is. Of another shape, `yours` and `ours` are shapes."""

    name: str
    verdict: Verdict
    step: str = ""  # its id
    gap: float = 0.0  # the largest difference
    index: Index = ()
    yours: float | Index = ()
    ours: float | Index = ()

    @property
    def agrees(self) -> bool:
        return self.verdict in AGREE


@dataclass(frozen=True, repr=False)
class Comparison(Displayed):
    """All steps that were compared, in the order in which the trace made them."""

    steps: tuple[Compared, ...]

    @property
    def first(self) -> Compared | None:
        """The first step that differs: whatever comes after it may only pass the difference on."""
        return next((step for step in self.steps if not step.agrees and step.verdict != "not filled in"), None)

    @property
    def agrees(self) -> bool:
        """Whether every step was filled in, and agrees."""
        return all(step.agrees for step in self.steps)

    def __getitem__(self, name: str) -> Compared:
        return {step.name: step for step in self.steps}[name]

    def _shown(self) -> Document:
        keys = ("step", "verdict", "gap", "entry", "yours", "ours")
        headings = tuple(say(f"explain.compare.{key}") for key in keys)
        table = Table(headings, tuple(_row(step) for step in self.steps))
        if self.first is None or len(self.steps) == 1:
            return Document("", (table,))
        first = Link(self.first.name, self.first.step)
        return Document("", (table, Text(say_spans("explain.compare.first", step=first))))

    def __repr__(self) -> str:
        return self._repr_mimebundle_()["text/plain"]


def compare(values: Mapping[str, Any], to: Trace) -> Comparison:
    """Somebody's numbers, by the names of the steps that they should be, beside those of a trace. Arrays of any library
    will do; what is None or ... is not filled in yet.

    >>> import workings as w
    >>> trace = w.scenario("example-1").trace()
    >>> found = compare({"P": [0.25, 0.25, 0.25, 0.25], "scores": [[0.01, 0.0], [0.0, 0.01]]}, to=trace)
    >>> [(step.name, step.verdict) for step in found.steps]
    [('scores', 'approximate'), ('P', 'different')]
    """
    if not isinstance(to, Trace):
        raise InputError("compare.trace", kind=type(to).__name__)
    if not isinstance(values, Mapping):
        raise InputError("compare.values", kind=type(values).__name__)
    for name in values:
        if not isinstance(name, str):
            raise InputError("compare.name", name=repr(name)[:80], kind=type(name).__name__)
    views = {name: to[name] for name in values}  # a name that is not there is refused before anything is compared
    order = sorted(values, key=lambda name: [int(part) for part in views[name].id.split(".")])
    return Comparison(tuple(_compared(name, values[name], views[name]) for name in order))


def _compared(name: str, value: Any, view: StepView) -> Compared:
    if any(value is blank for blank in BLANK):
        return Compared(name, "not filled in", view.id)
    yours, dtype = _array(name, value)
    ours = numpy.asarray(view.value)
    if yours.shape != ours.shape:
        return Compared(name, "another shape", view.id, yours=yours.shape, ours=ours.shape)
    gaps = _gaps(yours, ours)
    at = numpy.unravel_index(int(numpy.argmax(gaps)), gaps.shape) if gaps.size else ()
    index = tuple(int(place) for place in at)
    gap = float(gaps[index]) if gaps.size else 0.0
    limit = max(CLOSE.get(kind, 0.0) for kind in (dtype, view.trace.precision)) * _size(view)
    verdict: Verdict = "exact" if not gap else "approximate" if gap <= limit else "different"
    pair = (float(yours[index]), float(ours[index])) if gaps.size else ((), ())
    return Compared(name, verdict, view.id, gap, index, *pair)


def _array(name: str, value: Any) -> tuple[Any, str]:
    """A tensor of any library as an array of NumPy, and the type that its numbers had there."""
    kind = str(getattr(value, "dtype", "float64")).rpartition(".")[2]
    try:
        for step in ("detach", "cpu"):
            if hasattr(value, step):
                value = getattr(value, step)()
        if kind == "bfloat16" and hasattr(value, "float"):  # which NumPy does not know
            value = value.float()
        array = numpy.asarray(value)
        if array.dtype.kind not in REAL:
            raise InputError("compare.array", name=name)
        array = array if array.dtype.kind in WHOLE else array.astype(numpy.float64)
    except (ValueError, TypeError, RuntimeError, OverflowError):  # of a tensor without numbers, NotImplementedError
        raise InputError("compare.array", name=name) from None
    return array, kind if kind in CLOSE else "float64"


def _gaps(yours: Any, ours: Any) -> Any:
    """How far apart each pair of entries is: equal infinities not at all, what is not a number infinitely far."""
    one, other = yours.astype(numpy.float64), ours.astype(numpy.float64)
    same = (one == other) | (numpy.isnan(one) & numpy.isnan(other))
    with numpy.errstate(invalid="ignore", over="ignore"):
        gaps = numpy.where(same, 0.0, numpy.abs(one - other))
    return numpy.where(numpy.isnan(gaps), numpy.inf, gaps)


def _size(view: StepView) -> float:
    """What a difference is measured by: the largest entry, or a little of what it was made from."""
    made_from = max((_largest(source.value) for source in view.inputs), default=0.0)
    return max(_largest(view.value), NOTHING * made_from) or 1.0


def _largest(value: Any) -> float:
    array = numpy.abs(numpy.asarray(value, dtype=numpy.float64))
    return float(numpy.max(array, where=numpy.isfinite(array), initial=0.0))


# -- as a table ---------------------------------------------------------------------------------------


def _row(step: Compared) -> tuple[Spans, ...]:
    verdict = Words(say(f"explain.compare.{step.verdict.replace(' ', '_')}"))
    cells: list[Span] = [Link(step.name, step.step), verdict]
    if isinstance(step.yours, float) and isinstance(step.ours, float) and step.gap:
        style = apart(step.yours, step.ours, PLAIN)
        entry = step.name + "".join(f"[{place}]" for place in step.index)
        ours = Number(write(step.ours, style), plain(step.ours), step.step, step.index)
        cells += [Words(write(step.gap)), Words(entry), Words(write(step.yours, style)), ours]
    elif step.verdict == "another shape":
        shapes = [" × ".join(map(str, shape)) or "1" for shape in (step.yours, step.ours) if isinstance(shape, tuple)]
        cells += [Words(""), Words(""), *map(Words, shapes)]
    else:
        cells += [Words("")] * 4
    return tuple((cell,) for cell in cells)
