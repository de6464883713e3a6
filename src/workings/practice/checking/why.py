"""Why: what produced a user's numbers.

w.why(got, "attention", q=q, k=k, v=v, heads=8, mask="causal")
w.why(got, trace["scores"])

It never accuses and always says something: what gives these numbers, which entry would distinguish several such
reasons, or what comes closest of everything that was tried.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Literal, TypeAlias

import numpy

from ...document.blocks import Document
from ...document.displayed import Displayed
from ...engine.arguments import checks_arguments
from ...engine.arrays import Index
from ...engine.errors import InputError
from ...explain.step_view import StepView
from ...nn.module import Module
from ...training.checkpoint_format import Checkpoint
from .candidates import Attempt, Candidate, CandidateKind, DistinguishingEntry, attempts, distinguishing_entry, merged
from .closeness import MIN_LINE_DIGITS, Closeness, allowed_by, ancestors, closeness, gaps
from .noise import noise_type
from .other_inputs import changed_line, function_applied, other_input
from .pairs import two_mistakes
from .reference import reference_step
from .relations import RELATIONS, STEP_RELATIONS, ArrayPair, row_factors
from .rounding import FoundRounding, find_rounding
from .shapes import other_shapes
from .user_array import UserArray, to_user_array

Measured: TypeAlias = list[tuple[Attempt, Closeness]]
WhyVerdict: TypeAlias = Literal[
    "exact", "rounded", "number type", "convention", "mistake", "relation", "several", "none", "another shape",
    "not a number", "too few digits", "two mistakes",
]  # fmt: skip
MAX_CHANCE_DIGITS = 4  # of all numbers together: so few may agree by chance with one of a hundred mistakes
MAX_BY_LINES = 8  # candidates that are computed again with every line rounded
MIN_APART = 2.0  # times what rounding every line may do: a reason must be further from everything else
FEW_DIGITS = 2  # significant ones, of numbers that may be short by themselves
MIN_ROUNDED_DIGITS = 2  # significant ones that rounding must leave: with fewer, many numbers are the same
TO_STEPS = {
    **STEP_RELATIONS, "other_input": other_input, "function": function_applied, "changed_line": changed_line
}  # fmt: skip
WEAKEST = {"row_factors": row_factors}  # it says least
# Shapes that keep all of the numbers; PyTorch gives the weights of all heads averaged.
REARRANGED = ("shape.transposed", "shape.axes_exchanged", "shape.heads_apart", "shape.reshaped", "shape.averaged")


@dataclass(frozen=True, repr=False)
class Why(Displayed):
    """What was found out about a user's numbers for one step."""

    step: str  # its path
    verdict: WhyVerdict
    candidates: tuple[Candidate, ...] = ()  # everything that gives these numbers
    apart: DistinguishingEntry | None = None  # where the candidates differ
    nearest: Candidate | None = None  # if nothing gives them: what comes closest
    tried: int = 0  # conventions, mistakes and relations
    digits: int = 0  # significant ones, to which typed numbers were compared
    entries: int = 0  # how many numbers there are
    blanks: int = 0  # how many were left open
    gap: float = 0.0  # the largest difference from the truth
    index: Index = ()  # where it is; if there is a NaN, the first one
    shapes: tuple[Index, Index] = ((), ())  # the user's, and the true one
    earlier: str = ""  # if nothing gives them: an earlier step whose numbers would help

    @property
    def cause(self) -> Candidate | None:
        """The one thing that gives these numbers; None if there are several, or none."""
        return self.candidates[0] if len(self.candidates) == 1 else None

    @property
    def causes(self) -> tuple[Candidate, ...]:
        """The cause, or both mistakes that give these numbers together."""
        return self.candidates if self.verdict == "two mistakes" or self.cause is not None else ()

    @property
    def is_right(self) -> bool:
        """Whether the numbers are the true ones, to rounding."""
        return self.verdict in ("exact", "rounded", "number type")

    @property
    def is_weak(self) -> bool:
        """Whether the numbers may agree by chance: there are so few digits, or so much rounding is allowed."""
        few = bool(self.digits) and self.digits * self.entries <= MAX_CHANCE_DIGITS
        return few or any(candidate.by_lines for candidate in self.candidates)

    def _shown(self) -> Document:
        from .why_page import why_document

        return why_document(self)

    def __repr__(self) -> str:
        return self._repr_mimebundle_()["text/plain"]


@checks_arguments
def why(got: Any, what: str | StepView | Module | Checkpoint[Any], /, **inputs: Any) -> Why:
    """What produced a user's numbers: for a step of a trace, or for an op, a module or a trained model with their own
    inputs.

    >>> why([[0.73, 0.27]], "softmax", x=[[2.0, 1.0]]).verdict
    'rounded'
    >>> found = why([[7.3891, 2.7183]], "softmax", x=[[2.0, 1.0]])
    >>> found.verdict, found.cause.id
    ('mistake', 'softmax.not_normalised')
    """
    numbers = to_user_array(got)
    if isinstance(what, StepView):
        if inputs:
            raise InputError(
                f"A step already has its inputs, and takes no others: {', '.join(inputs)}.",
                hint="Leave them out, or name the op instead of the step.",
            )
        view = what
    elif isinstance(what, str | Module | Checkpoint):
        view = _of_shape(reference_step(what, inputs), numbers)
    else:
        raise InputError(
            f"Numbers are compared with an op, a module or a step of a trace; got {type(what).__name__}.",
            hint='Write why(got, "softmax", x=x), or why(got, trace["weights"]); w.nn.from_torch(module) converts a '
            "PyTorch module.",
        )
    return why_of(numbers.without_ones(view.shape), view)


def _of_shape(view: StepView, got: UserArray) -> StepView:
    """The step that the numbers belong to: they may be those of the heads before these are merged."""
    apart = view.inputs[0] if view.op == "merge_heads" else view
    return apart if got.array.shape == apart.shape != view.shape else view


def why_of(got: UserArray, view: StepView) -> Why:
    """What produced numbers that should be those of a step."""
    if got.array.shape != view.shape:
        return _another_shape(got, view)
    truth = closeness(got, view)
    digits = got.digits.get("significant", 0)
    blank = numpy.zeros(got.array.shape, dtype=bool) if got.blank is None else got.blank
    about = Why(view.path, "none", gap=truth.gap, index=truth.index, digits=digits)
    about = replace(about, entries=int(numpy.sum(~blank)), blanks=int(numpy.sum(blank)))
    wrong = numpy.isnan(got.array.astype(float)) & ~numpy.isnan(numpy.asarray(view.value, dtype=float)) & ~blank
    if numpy.any(wrong):
        first = tuple(int(number) for number in numpy.argwhere(wrong)[0])
        return replace(about, verdict="not a number", index=first)
    if truth.grain == "float64":
        return replace(about, verdict="exact")
    rounding = find_rounding(got, view, truth)
    if rounding is None:
        return _reason(about, got, view)
    right = _as_candidate(rounding, view, truth)
    # With so few digits a mistake may give exactly these numbers: 0.01 is 0.00707 rounded, and 0.01 itself.
    tried = list(attempts(view)) if right.kind == "rounded" and digits <= FEW_DIGITS else []
    same_shape = [attempt for attempt in tried if attempt.view.shape == view.shape]
    exact = [one.candidate(0.0) for one in same_shape if closeness(got, one.view).grain == "float64"]
    found = _verdict(about, [right, *exact], got, view, len(tried))
    is_little = found.verdict == "rounded" and rounding.digits < MIN_ROUNDED_DIGITS
    return replace(found, verdict="too few digits") if is_little else found


def _as_candidate(found: FoundRounding, view: StepView, close: Closeness) -> Candidate:
    """The rounding or the number type that turns the true numbers into these."""
    kind: CandidateKind = "number type" if found.id.startswith("type.") else "rounded"
    return Candidate(found.id, kind, view.path, found.hint, close.gap, trace=view.trace)


def _by_rounded_lines(got: UserArray, view: StepView) -> list[Candidate]:
    """The true numbers, if every line was rounded."""
    close = closeness(got, view, lines=True)
    found = find_rounding(got, view, close)
    return [] if found is None else [_as_candidate(found, view, close)]


def _reason(about: Why, got: UserArray, view: StepView) -> Why:
    """The convention or the mistake that gives numbers other than the true ones; or a relation to these."""
    tried = list(attempts(view))
    others = [attempt for attempt in tried if attempt.view.shape == view.shape]
    fitting = _by_rounded_lines(got, view)
    measured = [(attempt, closeness(got, attempt.view, least=MIN_LINE_DIGITS)) for attempt in others]
    fitting += [attempt.candidate(close.gap) for attempt, close in measured if close.agrees]
    if not fitting:  # only then we look for one that fits if every line was rounded
        fitting = _by_lines(got, view, measured)
    if not fitting:
        fitting = _in_another_type(got, view)
    if fitting:
        return _verdict(about, fitting, got, view, len(tried))
    count = len(tried) + len(RELATIONS) + len(TO_STEPS) + len(WEAKEST)
    related = _related(got, view)
    if related is not None:
        return _verdict(about, [related], got, view, count)
    pair, pairs = two_mistakes(got, view, measured)
    if pair:
        return replace(about, verdict="two mistakes", candidates=pair, tried=count + pairs)
    earlier = (step.path for step in ancestors(view.recording, view.step) if step.op is not None)
    return replace(about, nearest=_nearest(about, measured), tried=count + pairs, earlier=next(earlier, ""))


def _by_lines(got: UserArray, view: StepView, measured: Measured) -> list[Candidate]:
    """What gives these numbers if every line is rounded, by a type or by hand. By hand, every attempt within the error
    of the best fit is listed with it; if these are not clearly apart from all others, and from the truth, none is.
    """
    nearest = sorted(measured, key=lambda pair: pair[1].gap)[:MAX_BY_LINES]
    closer = [(attempt, closeness(got, attempt.view, lines=True)) for attempt, _ in nearest]
    found = [(attempt, close) for attempt, close in closer if close.agrees]
    reach = max((close.reach for _, close in found if close.grain.startswith("calculator")), default=None)
    if reach is None:
        return [attempt.candidate(close.gap) for attempt, close in found]
    listed = [(attempt, close) for attempt, close in measured if close.gap <= reach]
    rest = [view, *(attempt.view for attempt, close in measured if close.gap > reach)]
    if any(_are_near(attempt.view, other, MIN_APART * reach) for attempt, _ in found for other in rest):
        return []
    return [attempt.candidate(close.gap, by_lines=True) for attempt, close in listed]


def _are_near(one: StepView, other: StepView, distance: float) -> bool:
    return bool(numpy.max(gaps(numpy.asarray(one.value), numpy.asarray(other.value)), initial=0.0) < distance)


def _nearest(about: Why, measured: Measured) -> Candidate:
    """The truth, or a mistake that comes closer."""
    attempt, close = min(measured, key=lambda pair: pair[1].gap, default=(None, None))
    if attempt is None or close is None or close.gap >= about.gap:
        return Candidate("truth", "rounded", about.step, "the true numbers", about.gap)
    return attempt.candidate(close.gap)


def _in_another_type(got: UserArray, view: StepView) -> list[Candidate]:
    """The true numbers, if they were computed in float32 and converted; a narrower type would show."""
    if got.digits or got.stored != "float64":
        return []
    return _by_rounded_lines(replace(got, dtype="float32", typed=()), view)


def _verdict(about: Why, fitting: list[Candidate], got: UserArray, view: StepView, tried: int) -> Why:
    candidates = merged(fitting, noise_type(got), view.step.stage)
    if len(candidates) == 1:
        return replace(about, verdict=candidates[0].kind, candidates=candidates, tried=tried)
    apart = distinguishing_entry(candidates, view, noise_type(got))
    return replace(about, verdict="several", candidates=candidates, apart=apart, tried=tried)


def _related(got: UserArray, view: StepView) -> Candidate | None:
    """The first relation of these numbers to the true ones that holds; none if entries are left open."""
    if got.blank is not None:
        return None
    truth = numpy.asarray(view.value, dtype=float)
    pair = ArrayPair(got.array.astype(float), truth, allowed_by(got, view), view.axes)
    to_truth = ((name, relation(pair)) for name, relation in RELATIONS.items())
    to_steps = ((name, relation(pair, view)) for name, relation in TO_STEPS.items())
    weakest = ((name, relation(pair)) for name, relation in WEAKEST.items())
    for name, hint in chain(to_truth, to_steps, weakest):
        if hint is not None:
            return Candidate(f"relation.{name}", "relation", view.path, hint)
    return None


def _another_shape(got: UserArray, view: StepView) -> Why:
    """What numbers of another shape may be: the true ones transposed, cut or summed, or what a mistake gives."""
    about = Why(view.path, "another shape", shapes=(tuple(got.array.shape), view.shape))
    found, tried = _in_another_shape(got, view)
    fitting = [] if found is None else [found]
    for attempt in attempts(view) if found is None else ():
        tried += 1
        if attempt.view.shape == got.array.shape and (close := closeness(got, attempt.view)).agrees:
            fitting.append(attempt.candidate(close.gap))
    candidates = merged(fitting, noise_type(got), view.step.stage)
    apart = distinguishing_entry(candidates, view, noise_type(got)) if len(candidates) > 1 else None
    return replace(about, candidates=candidates, apart=apart, tried=tried)


def rearranged(got: UserArray, view: StepView) -> bool:
    """Whether numbers of another shape are all of the true ones in another arrangement."""
    found, _ = _in_another_shape(got, view)
    return found is not None and found.id in REARRANGED


def _in_another_shape(got: UserArray, view: StepView) -> tuple[Candidate | None, int]:
    """The true numbers in another shape, if they are that; and how many arrangements were tried."""
    ways = list(other_shapes(numpy.asarray(view.value, dtype=float), view.axes, got.array.shape))
    allowed = allowed_by(got, view)
    for way in ways:
        if ArrayPair(got.array.astype(float), way.array, allowed).equal(way.array):
            return Candidate(f"shape.{way.name}", "relation", view.path, way.hint), len(ways)
    return None, len(ways)
