"""A user's numbers compared with those of a trace, step by step; then why the first step that differs does.

w.compare({"scores": s, "weights": a, "dW_Q": g}, to=trace)
"""

from __future__ import annotations

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
from .closeness import Closeness, closeness
from .own_numbers import OwnNumbers, with_hidden
from .reference import reference_step
from .step_names import is_step_name, steps_named
from .user_array import UserArray, to_user_array
from .why import Why, rearranged, why_of

CompareVerdict: TypeAlias = Literal[
    "exact", "approximate", "different", "another shape", "arranged otherwise", "another step", "not filled in"
]
AGREE = ("exact", "approximate")
DIFFER = ("different", "another shape")
REASONS = ("mistake", "convention", "several")
BLANK = (None, ...)
MIN_DIGITS = 3  # of numbers that may have been rounded: the output of a program may be short by itself


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

    @property
    def agrees(self) -> bool:
        return self.verdict in AGREE


@dataclass(frozen=True, repr=False)
class StepComparison(Displayed):
    """All steps that were compared, in the order in which the trace made them."""

    steps: tuple[ComparedStep, ...]
    ask: Callable[[], Why | None] = field(default=lambda: None, compare=False)
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
    def why(self) -> Why | None:
        """What produced the numbers of the first step that differs, from the user's own numbers before it."""
        return self.ask()

    def __getitem__(self, name: str) -> ComparedStep:
        return {step.name: step for step in self.steps}[name]

    def _shown(self) -> Document:
        from .compare_page import comparison_document

        return comparison_document(self)

    def __repr__(self) -> str:
        return self._repr_mimebundle_()["text/plain"]


@checks_arguments
def compare(values: Mapping[str, Any], to: Trace | Module, *, strict: bool = False, **inputs: Any) -> StepComparison:
    """A user's numbers, by the names of their steps, compared with those of a trace; or with those of a module, whose
    inputs are then given. Arrays may come from any library; None or ... means not filled in yet. Unknown names are
    listed; if all are unknown, or with `strict`, they are refused.

    >>> import workings as w
    >>> trace = w.scenario("example-1").trace()
    >>> found = compare({"P": [0.25, 0.25, 0.25, 0.25], "scores": [[0.01, 0.0], [0.0, 0.01]]}, to=trace)
    >>> [(step.name, step.verdict) for step in found.steps]
    [('scores', 'approximate'), ('P', 'different')]
    """
    result = reference_step(to, inputs) if isinstance(to, Module) else None
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
    if not isinstance(values, Mapping):
        raise InputError(
            f"Numbers to compare need the names of their steps; got {type(values).__name__}.",
            hint='Write a dictionary: compare({"scores": scores}, to=trace).',
        )
    for name in values:
        if not isinstance(name, str):
            raise InputError(
                f"The name of a step is a text; got {type(name).__name__}: {repr(name)[:80]}.",
                hint='Write the name between quotation marks: compare({"scores": scores}, to=trace).',
            )
    unknown = tuple(name for name in values if not is_step_name(trace, name, result))
    if strict or len(unknown) == len(values):  # they are refused when they are searched
        unknown = ()
    known = {name: value for name, value in values.items() if name not in unknown}
    return replace(_Comparing(trace, known, result).run(), unknown=unknown)


class _Comparing:
    """Goes through the steps in the order of the trace, and keeps the user's numbers of those that agree."""

    def __init__(self, trace: Trace, values: Mapping[str, Any], result: StepView | None) -> None:
        self.trace = trace
        # An unknown name is refused before anything is compared.
        self.views = {name: steps_named(trace, name, result) for name in values}
        blank = {name for name, value in values.items() if any(value is empty for empty in BLANK)}
        self.given = {name: to_user_array(value, name) for name, value in values.items() if name not in blank}
        self.own = OwnNumbers(trace)  # of the steps before the first difference
        self.differs: str | None = None

    def run(self) -> StepComparison:
        views = {name: self._likeliest(name) for name in self.views}
        order = sorted(views, key=lambda name: [int(part) for part in views[name].id.split(".")])
        steps = tuple(self._compared(name, views[name]) for name in order)
        if self.differs is None:
            return StepComparison(steps)
        missing = self.own.missing(self.own.step(views[self.differs]))
        return StepComparison(steps, self._why, missing)

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
        agreeing = (view for view in fitting if _close(got.without_ones(view.shape), view).agrees)
        return next(agreeing, fitting[0])

    def _paths(self, but: str) -> set[str]:
        """The steps that are given under their own names."""
        named = {name: views[0] for name, views in self.views.items() if name != but}
        return {view.path for name, view in named.items() if name.endswith(view.name)}

    def _compared(self, name: str, view: StepView) -> ComparedStep:
        if name not in self.given:
            return _about(name, view)
        got = self.given[name] = self.given[name].without_ones(view.shape)
        found = self._with_verdict(name, got, view)
        if found.verdict in DIFFER and self.differs is None:
            self.differs = name
        is_right = self.differs is None and found.verdict in (*AGREE, "another step")
        if is_right and numpy.all(numpy.isfinite(got.array)):  # an infinite number cannot be pinned
            self.own[view.path] = got.array
        return found

    def _with_verdict(self, name: str, got: UserArray, view: StepView) -> ComparedStep:
        ours = numpy.asarray(view.value)
        if got.array.shape != ours.shape:
            verdict: CompareVerdict = "arranged otherwise" if rearranged(got, view) else "another shape"
            return replace(_about(name, view), verdict=verdict, yours=got.array.shape, ours=ours.shape)
        close = _close(got, view)
        verdict = "different"
        if close.agrees or self._follows(got, view):
            verdict = "approximate" if close.gap or close.noise else "exact"
            named = self.views[name][0]
            if named.path != view.path and named.shape == view.shape and named.name == name:
                verdict = "another step"
        found = replace(_about(name, view), verdict=verdict, gap=close.gap, index=close.index)
        if not got.array.size:
            return found
        return replace(found, yours=float(got.array[close.index]), ours=float(ours[close.index]))

    def _follows(self, got: UserArray, view: StepView) -> bool:
        """Whether they follow from the user's own numbers before, or would if every line was rounded as they are."""
        if self.differs is not None:
            return False
        own = self.own.step(view)
        return _close(got, own).agrees or any(_close(got, step, lines=True).agrees for step in (own, view))

    def _why(self) -> Why | None:
        """For all steps that the name may refer to: the first one with a reason."""
        assert self.differs is not None
        got = self.given[self.differs]
        likeliest = self._likeliest(self.differs)
        views = [likeliest, *(view for view in self.views[self.differs] if view.shape == likeliest.shape)]
        found = [why_of(got, self.own.step(view)) for view in {view.path: view for view in views}.values()]
        return next((why for why in found if why.verdict in REASONS), found[0])


def _about(name: str, view: StepView) -> ComparedStep:
    return ComparedStep(name, "not filled in", view.id, path=view.path, our_name=code_of(view)[2:-2])


def _close(got: UserArray, view: StepView, lines: bool = False) -> Closeness:
    return closeness(with_hidden(got, view), view, lines, MIN_DIGITS)
