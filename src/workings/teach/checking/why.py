"""Why: how somebody's numbers came about.

w.why(got, "attention", q=q, k=k, v=v, heads=8, mask="causal")
w.why(got, trace["scores"])

It never accuses and never falls silent: it says what gives these numbers, which entry would tell several such
reasons apart, or what of all that was tried comes nearest.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias

import numpy

from ...engine.arrays import Index
from ...engine.errors import InputError
from ...engine.sentences import say
from ...explain.displayed import Displayed
from ...explain.document import Document
from ...explain.step_view import StepView
from ...nn.module import Module
from .beside import BESIDE
from .called import called
from .candidates import Apart, Candidate, Kind, Made, made_before, merged, telling
from .closeness import Closeness, allowed_by, before, closeness, gaps
from .received import Received, received
from .relations import RELATIONS, Pair
from .rounding import told_rounding
from .shapes import heads_apart, other_shapes, same_entries

Verdict: TypeAlias = Literal[
    "exact", "rounded", "number type", "convention", "mistake", "relation", "several", "none", "another shape",
    "not a number",
]  # fmt: skip
BY_CHANCE = 4  # digits, of all numbers together, with which one of a hundred mistakes may well agree by chance
MOST_BY_LINES = 8  # candidates that are worked out again with every line rounded
APART = 2.0  # times what rounding every line may do: nearer to something else than this, it is no reason
FEW_DIGITS = 2  # significant ones, of numbers that may be short by themselves
# Shapes in which all of the numbers are still there; PyTorch gives the weights of all heads averaged.
ARRANGED = ("shape.transposed", "shape.axes_exchanged", "shape.heads_apart", "shape.reshaped", "shape.averaged")


@dataclass(frozen=True, repr=False)
class Why(Displayed):
    """What was found out about somebody's numbers for one step."""

    step: str  # its path
    verdict: Verdict
    candidates: tuple[Candidate, ...] = ()  # everything that gives these numbers
    apart: Apart | None = None  # the entry that would tell the candidates apart
    nearest: Candidate | None = None  # where nothing gives them: what comes nearest
    tried: int = 0  # conventions, mistakes and relations
    digits: int = 0  # to how many significant digits numbers were compared that were typed
    entries: int = 0  # how many numbers there are
    blanks: int = 0  # how many were left open
    gap: float = 0.0  # the largest difference from the truth
    index: Index = ()  # where it is; of what is not a number, where the first one stands
    shapes: tuple[Index, Index] = ((), ())  # theirs, and the true one
    earlier: str = ""  # where nothing gives them: a step before it whose numbers would tell more

    @property
    def cause(self) -> Candidate | None:
        """The one thing that gives these numbers; None if there are several, or none."""
        return self.candidates[0] if len(self.candidates) == 1 else None

    @property
    def is_right(self) -> bool:
        """Whether the numbers are the true ones, to rounding."""
        return self.verdict in ("exact", "rounded", "number type")

    @property
    def is_weak(self) -> bool:
        """Whether the numbers may agree by chance: so few digits are there, or so much rounding is allowed for."""
        few = bool(self.digits) and self.digits * self.entries <= BY_CHANCE
        return few or any(candidate.by_lines for candidate in self.candidates)

    def _shown(self) -> Document:
        from .why_page import why_document

        return why_document(self)

    def __repr__(self) -> str:
        return self._repr_mimebundle_()["text/plain"]


def why(got: Any, what: str | StepView | Module, /, **inputs: Any) -> Why:
    """How somebody's numbers came about: for a step of a trace, or for an op or a module with their own inputs.

    >>> why([[0.73, 0.27]], "softmax", x=[[2.0, 1.0]]).verdict
    'rounded'
    >>> found = why([[7.3891, 2.7183]], "softmax", x=[[2.0, 1.0]])
    >>> found.verdict, found.cause.id
    ('mistake', 'softmax.not_normalised')
    """
    numbers = received(got)
    if isinstance(what, StepView):
        if inputs:
            raise InputError("why.step", names=", ".join(inputs))
        view = what
    elif isinstance(what, str | Module):
        view = _of_shape(called(what, inputs), numbers)
    else:
        raise InputError("why.kind", kind=type(what).__name__)
    return why_of(numbers.without_ones(view.shape), view)


def _of_shape(view: StepView, got: Received) -> StepView:
    """The step that is meant: heads that were given apart may also have been left so."""
    apart = view.inputs[0] if view.op == "merge_heads" else view
    return apart if got.array.shape == apart.shape != view.shape else view


def why_of(got: Received, view: StepView) -> Why:
    """How numbers came about that should be those of a step."""
    if got.array.shape != view.shape:
        return _another_shape(got, view)
    truth = closeness(got, view)
    digits = got.digits.get("significant", 0)
    blank = numpy.zeros(got.array.shape, dtype=bool) if got.blank is None else got.blank
    about = Why(view.path, "none", gap=truth.gap, index=truth.index, digits=digits)
    about = replace(about, entries=int(numpy.sum(~blank)), blanks=int(numpy.sum(blank)))
    wrong = numpy.isnan(got.array.astype(float)) & ~numpy.isnan(numpy.asarray(view.value, dtype=float)) & ~blank
    if numpy.any(wrong):
        first = tuple(int(place) for place in numpy.argwhere(wrong)[0])
        return replace(about, verdict="not a number", index=first)
    if truth.grain == "float64":
        return replace(about, verdict="exact")
    right = _rounding(got, view, truth)
    if right is None:
        return _reason(about, got, view)
    # So few digits may also be all that a mistake gives: 0.01 is 0.00707 rounded, and 0.01 itself.
    tried = list(made_before(view)) if right.kind == "rounded" and digits <= FEW_DIGITS else []
    alike = [made for made in tried if made.view.shape == view.shape]
    exact = [made.candidate(0.0) for made in alike if closeness(got, made.view).grain == "float64"]
    return _verdict(about, [right, *exact], view, len(tried))


def _rounding(got: Received, view: StepView, truth: Closeness) -> Candidate | None:
    """The rounding or the type of numbers that makes these numbers of the true ones."""
    told = told_rounding(got, view, truth)
    if told is None:
        return None
    kind: Kind = "number type" if told.id.startswith("type.") else "rounded"
    return Candidate(told.id, kind, view.path, told.hint, truth.gap, trace=view.trace)


def _reason(about: Why, got: Received, view: StepView) -> Why:
    """The convention or the mistake that gives numbers which are not the true ones; or a relation to these."""
    tried = list(made_before(view))
    others = [made for made in tried if made.view.shape == view.shape]
    by_lines = _rounding(got, view, closeness(got, view, lines=True))
    fitting = [] if by_lines is None else [by_lines]
    judged = [(made, closeness(got, made.view)) for made in others]
    fitting += [made.candidate(close.gap) for made, close in judged if close.agrees]
    if not fitting:  # only then is it asked which of the nearest would fit if every line was rounded
        fitting = _by_lines(got, view, judged)
    if not fitting:
        fitting = _in_another_type(got, view)
    if fitting:
        return _verdict(about, fitting, view, len(tried))
    count = len(tried) + len(RELATIONS) + len(BESIDE)
    related = _related(got, view)
    if related is not None:
        return _verdict(about, [related], view, count)
    earlier = (step.path for step in before(view.recording, view.step) if step.op is not None)
    return replace(about, nearest=_nearest(about, judged), tried=count, earlier=next(earlier, ""))


def _by_lines(got: Received, view: StepView, judged: list[tuple[Made, Closeness]]) -> list[Candidate]:
    """What gives these numbers if every line is rounded, by a type or by hand. By hand, whatever comes as near as the
    best fit may be off is listed with it; and if that is not clear of all the rest, and of the truth, nothing is.
    """
    nearest = sorted(judged, key=lambda pair: pair[1].gap)[:MOST_BY_LINES]
    closer = [(made, closeness(got, made.view, lines=True)) for made, _ in nearest]
    found = [(made, close) for made, close in closer if close.agrees]
    reach = max((close.reach for _, close in found if close.grain.startswith("calculator")), default=None)
    if reach is None:
        return [made.candidate(close.gap) for made, close in found]
    listed = [(made, close) for made, close in judged if close.gap <= reach]
    rest = [view, *(made.view for made, close in judged if close.gap > reach)]
    if any(_are_near(made.view, other, APART * reach) for made, _ in found for other in rest):
        return []
    return [made.candidate(close.gap, by_lines=True) for made, close in listed]


def _are_near(one: StepView, other: StepView, distance: float) -> bool:
    return bool(numpy.max(gaps(numpy.asarray(one.value), numpy.asarray(other.value)), initial=0.0) < distance)


def _nearest(about: Why, judged: list[tuple[Made, Closeness]]) -> Candidate:
    """The truth, or a mistake that comes nearer."""
    made, close = min(judged, key=lambda pair: pair[1].gap, default=(None, None))
    if made is None or close is None or close.gap >= about.gap:
        return Candidate("truth", "rounded", about.step, say("checking.truth"), about.gap)
    return made.candidate(close.gap)


def _in_another_type(got: Received, view: StepView) -> list[Candidate]:
    """The true numbers, if they were computed in float32 and converted; what comes of a narrower type shows it."""
    if got.digits or got.stored != "float64":
        return []
    found = _rounding(got, view, closeness(replace(got, dtype="float32", typed=()), view, lines=True))
    return [] if found is None else [found]


def _verdict(about: Why, fitting: list[Candidate], view: StepView, tried: int) -> Why:
    candidates = merged(fitting)
    if len(candidates) == 1:
        return replace(about, verdict=candidates[0].kind, candidates=candidates, tried=tried)
    return replace(about, verdict="several", candidates=candidates, apart=telling(candidates, view), tried=tried)


def _related(got: Received, view: StepView) -> Candidate | None:
    """The first relation of these numbers to the true ones that holds; where entries are left open, none is sought."""
    if got.blank is not None:
        return None
    truth = numpy.asarray(view.value, dtype=float)
    pair = Pair(got.array.astype(float), truth, allowed_by(got, view))
    for name, relation in RELATIONS.items():
        found = relation(pair)
        if found is not None:
            values = {**found, "axis": _axis(view, found["axis"])} if "axis" in found else found
            return Candidate(f"relation.{name}", "relation", view.path, say(f"checking.relation.{name}", **values))
    for name, beside in BESIDE.items():
        found = beside(pair, view)
        if found is not None:
            return Candidate(f"relation.{name}", "relation", view.path, say(f"checking.relation.{name}", **found))
    return None


def _axis(view: StepView, place: str) -> str:
    return view.axes[int(place)] or place


def _another_shape(got: Received, view: StepView) -> Why:
    """What numbers of another shape may be: the true ones turned, cut or added up, or what a mistake gives."""
    about = Why(view.path, "another shape", shapes=(tuple(got.array.shape), view.shape))
    found, tried = _arranged(got, view)
    fitting = [] if found is None else [found]
    for made in made_before(view) if found is None else ():
        tried += 1
        if made.view.shape == got.array.shape and (close := closeness(got, made.view)).agrees:
            fitting.append(made.candidate(close.gap))
    candidates = merged(fitting)
    apart = telling(candidates, view) if len(candidates) > 1 else None
    return replace(about, candidates=candidates, apart=apart, tried=tried)


def rearranged(got: Received, view: StepView) -> bool:
    """Whether numbers of another shape are all of the true ones, only arranged in another way."""
    found, _ = _arranged(got, view)
    return found is not None and found.id in ARRANGED


def _arranged(got: Received, view: StepView) -> tuple[Candidate | None, int]:
    """The true numbers in another shape, if they are that; and in how many ways they may be so."""
    truth, shape = numpy.asarray(view.value, dtype=float), got.array.shape
    ways = [(name, array, values) for name, array, values in other_shapes(truth, view.axes) if array.shape == shape]
    ways += [("heads_apart", array, {}) for array in heads_apart(truth, shape) if array.shape == shape]
    if (entries := same_entries(truth, shape)) is not None:
        ways.append(("reshaped", entries, {}))
    allowed = allowed_by(got, view)
    for name, array, values in ways:
        if Pair(got.array.astype(float), array, allowed).equal(array):
            hint = say(f"checking.shape.{name}", **values)
            return Candidate(f"shape.{name}", "relation", view.path, hint), len(ways)
    return None, len(ways)
