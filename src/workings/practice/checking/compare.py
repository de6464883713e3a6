"""A user's numbers compared with those of a trace, step by step; then why those differ that do not follow from the
user's own numbers before them.

w.compare({"scores": s, "weights": a, "dW_Q": g}, to=trace)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy

from ...document.blocks import Document
from ...document.displayed import Displayed
from ...engine.arguments import checks_arguments
from ...engine.arrays import Index
from ...engine.errors import InputError
from ...explain.step_view import StepView, code_of
from ...explain.trace import Trace
from ...nn.module import Module
from ...training.checkpoint_format import Checkpoint
from .closeness import closeness
from .following import MIN_DIGITS, FollowedNumbers, are_close
from .own_numbers import with_hidden
from .reference import reference_step
from .step_names import count_from_zero, is_step_name, read_name, steps_named
from .user_array import UserArray, to_user_array
from .why import Why, rearranged

CompareVerdict: TypeAlias = Literal[
    "exact", "approximate", "different", "follows", "another shape", "arranged otherwise", "another step",
    "not filled in",
]  # fmt: skip
AGREE = ("exact", "approximate")
DIFFER = ("different", "another shape")
MAX_CAUSES = 6  # steps whose cause is searched
BLANK = (None, ...)
AS_DICTIONARY = 'Write the tensors of your program by name: compare({"scores": scores, "attn": attn}, to=trace).'


@dataclass(frozen=True)
class ComparedStep:
    """One step: the verdict, and where the largest difference is. If shapes differ, `yours` and `ours` are shapes."""

    name: str
    verdict: CompareVerdict
    step: str = ""  # its id
    gap: float = 0.0  # the largest difference
    index: Index = ()
    yours: float | Index = ()
    ours: float | Index = ()
    path: str = ""  # of our step
    our_name: str = ""  # of our step, with as much of its path as it takes
    among: int = 1  # in how many places of the model there are steps that the name may refer to

    @property
    def agrees(self) -> bool:
        return self.verdict in AGREE


@dataclass(frozen=True)
class StepCause:
    """What produced the numbers of a step that does not follow from the user's own numbers before it."""

    name: str  # of the step
    why: Why
    between: tuple[str, ...] = ()  # steps before it that were not given
    also: tuple[str, ...] = ()  # further steps with the same cause


@dataclass(frozen=True, repr=False)
class StepComparison(Displayed):
    """All steps that were compared, in the order in which the trace made them."""

    steps: tuple[ComparedStep, ...]
    ask: Callable[[], tuple[StepCause, ...]] = field(default=lambda: (), compare=False)
    between: tuple[str, ...] = ()  # steps before the first difference that were not given
    unknown: tuple[str, ...] = ()  # names that no step has

    @property
    def first(self) -> ComparedStep | None:
        """The first step that differs: later ones may only pass the difference on."""
        return next((step for step in self.steps if step.verdict in DIFFER), None)

    @property
    def agrees(self) -> bool:
        """Whether every step was filled in, and agrees."""
        return all(step.agrees for step in self.steps)

    @cached_property
    def causes(self) -> tuple[StepCause, ...]:
        """What produced the numbers of every step that does not follow from the user's own numbers before it."""
        return self.ask()

    @property
    def why(self) -> Why | None:
        """What produced the numbers of the first step that differs, from the user's own numbers before it."""
        return self.causes[0].why if self.causes else None

    def __getitem__(self, name: str) -> ComparedStep:
        return {step.name: step for step in self.steps}[name]

    def _shown(self) -> Document:
        from .compare_page import comparison_document

        return comparison_document(self)

    def __repr__(self) -> str:
        return self._repr_mimebundle_()["text/plain"]


@checks_arguments
def compare(
    values: Mapping[str, Any], to: Trace | Module | Checkpoint[Any], *, strict: bool = False, **inputs: Any
) -> StepComparison:
    """A user's numbers, by the names of their steps, compared with those of a trace; or with those of a module, whose
    inputs are then given, or of a whole model with its `tokens` (and `targets`, for gradients). Arrays may come from
    any library; None or ... means not filled in yet. Unknown names are listed; if all are unknown, or with `strict`,
    they are refused.

    >>> import workings as w
    >>> trace = w.scenario("example-1").trace()
    >>> found = compare({"P": [0.25, 0.25, 0.25, 0.25], "scores": [[0.01, 0.0], [0.0, 0.01]]}, to=trace)
    >>> [(step.name, step.verdict) for step in found.steps]
    [('scores', 'approximate'), ('P', 'different')]
    """
    result = reference_step(to, inputs) if isinstance(to, Module | Checkpoint) else None
    trace = to if result is None else result.trace
    if not isinstance(trace, Trace):
        raise InputError(
            f"Numbers are compared with a trace; got {type(to).__name__}.",
            hint="Give one: compare(values, to=lesson.trace()). For a PyTorch module, compare(values, "
            "to=w.nn.from_torch(module), X=x).",
        )
    if inputs and trace is to:
        raise InputError(
            f"A trace already has its inputs, and takes no others: {', '.join(inputs)}.",
            hint="Leave them out, or compare with a module instead.",
        )
    _refuse_without_names(values)
    unknown = tuple(name for name in values if not is_step_name(trace, name, result))
    if strict or len(unknown) == len(values):  # they are refused when they are searched
        unknown = ()
    known = {name: value for name, value in values.items() if name not in unknown}
    return replace(_Comparing(trace, known, result).run(), unknown=unknown)


def _refuse_without_names(values: Any) -> None:
    """Refuse what is not a dictionary of arrays by the names of steps."""
    if not isinstance(values, Mapping):
        raise InputError(
            f"Numbers to compare need the names of their steps; got {type(values).__name__}.", hint=AS_DICTIONARY
        )
    if not values:
        raise InputError("There are no numbers to compare: the dictionary is empty.", hint=AS_DICTIONARY)
    for name in values:
        if not isinstance(name, str):
            raise InputError(
                f"The name of a step is a text; got {type(name).__name__}: {repr(name)[:80]}.",
                hint='Write the name between quotation marks: compare({"scores": scores}, to=trace).',
            )


class _Comparing:
    """Goes through the steps in the order of the trace, each from the user's own numbers before it."""

    def __init__(self, trace: Trace, values: Mapping[str, Any], result: StepView | None) -> None:
        self.trace = trace
        # An unknown name is refused before anything is compared.
        from_zero = count_from_zero(values)
        self.views = {name: steps_named(trace, name, result, from_zero) for name in values}
        blank = {name for name, value in values.items() if any(value is empty for empty in BLANK)}
        self.given = {name: to_user_array(value, name) for name, value in values.items() if name not in blank}
        self.own = FollowedNumbers(trace)
        self.paths: dict[str, str] = {}  # of the likeliest step of each name
        self.among: dict[str, int] = {}  # in how many places there are steps of such a name and shape

    def run(self) -> StepComparison:
        views = {name: self._likeliest(name) for name in self.views}
        self.paths = {name: view.path for name, view in views.items()}
        order = sorted(views, key=lambda name: [int(part) for part in views[name].id.split(".")])
        found = (self._compared(name, views[name]) for name in order)
        steps = tuple(replace(step, among=self.among.get(step.name, 1)) for step in found)
        roots = self.own.roots
        if not roots:
            return StepComparison(steps)
        return StepComparison(steps, self._causes, roots[0].between)

    def _likeliest(self, name: str) -> StepView:
        """The step that fits by its name, its shape and its numbers. Steps given under their own names are excluded."""
        every = self.views[name]
        views = [view for view in every if view.path not in self._paths(but=name)] or every[:1]
        got = self.given.get(name)
        if got is None:
            return views[0]
        fitting = [view for view in views if got.without_ones(view.shape).array.shape == view.shape]
        if not fitting:
            return next((view for view in views if rearranged(got.without_ones(view.shape), view)), views[0])
        alike = [view for view in fitting if _without_numbers(view) == _without_numbers(fitting[0])]
        self.among[name] = 1 if read_name(name).blocks else len(alike)
        agreeing = (view for view in fitting if are_close(got.without_ones(view.shape), view))
        return next(agreeing, None) or (fitting[0] if self.among[name] == 1 else _nearest(got, alike))

    def _paths(self, but: str) -> set[str]:
        """The steps that are given under their own names."""
        named = {name: views[0] for name, views in self.views.items() if name != but}
        return {view.path for name, view in named.items() if name.endswith(view.name)}

    def _compared(self, name: str, view: StepView) -> ComparedStep:
        if name not in self.given:
            return _about(name, view)
        got = self.given[name] = self.given[name].without_ones(view.shape)
        layouts = [array for array in (got, *_transposed(got, view)) if array.array.shape == view.shape]
        if not layouts:
            return self._in_another_shape(name, got, view)
        for array in layouts:
            found = self._agreeing(name, array, view)
            if found is not None:
                return found if array is got else replace(_about(name, view), verdict="arranged otherwise")
        every = self._possible(name, view)
        for array in layouts if self.own.roots else ():
            follows = self.own.following(array, every)
            if follows is not None:
                self.own.go_on_with(array, [follows])
                return _with_difference(name, "follows", follows, array)
        self.own.does_not_follow(name, layouts[0], every)
        return _with_difference(name, "different", view, layouts[0])

    def _in_another_shape(self, name: str, got: UserArray, view: StepView) -> ComparedStep:
        verdict: CompareVerdict = "arranged otherwise" if rearranged(got, view) else "another shape"
        if verdict == "another shape":
            self.own.does_not_follow(name, got, [view])
        return replace(_about(name, view), verdict=verdict, yours=got.array.shape, ours=view.shape)

    def _agreeing(self, name: str, got: UserArray, view: StepView) -> ComparedStep | None:
        """The step, if the numbers are the true ones, up to rounding."""
        close = closeness(with_hidden(got, view), view, least=MIN_DIGITS)
        if not close.agrees and not self._is_rounded(got, view):
            return None
        self.own.go_on_with(got, [view])
        verdict: CompareVerdict = "approximate" if close.gap or close.noise else "exact"
        named = self.views[name][0]
        if named.path != view.path and named.shape == view.shape and named.name == name:
            verdict = "another step"
        return _with_difference(name, verdict, view, got)

    def _possible(self, name: str, likeliest: StepView) -> list[StepView]:
        """The steps of its shape that a name may refer to, the likeliest first, except those of other names."""
        taken = {path for other, path in self.paths.items() if other != name}
        free = (view for view in self.views[name] if view.path not in taken and view.shape == likeliest.shape)
        here = (view for view in free if _place(view) == _place(likeliest))
        return list({view.path: view for view in (likeliest, *here)}.values())

    def _is_rounded(self, got: UserArray, view: StepView) -> bool:
        """Whether nothing was wrong so far, and they only pass on what was rounded before."""
        if self.own.roots:
            return False
        return self.own.following(got, [view]) is not None or are_close(got, view, lines=True)

    def _causes(self) -> tuple[StepCause, ...]:
        """One for each step that does not follow; steps with the same cause are one."""
        found: list[StepCause] = []
        for root in self.own.roots[:MAX_CAUSES]:
            ids = {id for one in root.why.candidates for id in (one.id, *one.also)}
            for number, other in enumerate(found):
                if ids & {id for one in other.why.candidates for id in (one.id, *one.also)}:
                    found[number] = replace(other, also=(*other.also, root.name))
                    break
            else:
                found.append(StepCause(root.name, root.why, root.between))
        return tuple(found)


def _place(view: StepView) -> str:
    """Where in the model a step is: block1.attention."""
    return view.path.rpartition(".")[0]


def _without_numbers(view: StepView) -> str:
    """What a step is called in every block and head."""
    return re.sub(r"[0-9]+", "", view.path)


def _transposed(got: UserArray, view: StepView) -> list[UserArray]:
    """A weight, or its gradient, in the layout of PyTorch: [out, in]."""
    whose = view.step if view.twin is None else view.twin.step
    is_weight = whose.leaf == "parameter" and got.array.ndim == len(view.shape) == 2
    return [replace(got, array=got.array.T)] if is_weight else []


def _nearest(got: UserArray, views: list[StepView]) -> StepView:
    """The step with the closest numbers."""
    return min(views, key=lambda view: closeness(got.without_ones(view.shape), view).gap)


def _about(name: str, view: StepView) -> ComparedStep:
    return ComparedStep(name, "not filled in", view.id, path=view.path, our_name=code_of(view)[2:-2])


def _with_difference(name: str, verdict: CompareVerdict, view: StepView, got: UserArray) -> ComparedStep:
    close = closeness(with_hidden(got, view), view, least=MIN_DIGITS)
    found = replace(_about(name, view), verdict=verdict, gap=close.gap, index=close.index)
    if not got.array.size:
        return found
    return replace(found, yours=float(got.array[close.index]), ours=float(numpy.asarray(view.value)[close.index]))
