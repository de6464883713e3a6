"""Somebody's numbers beside those of a trace, step by step; then why the first step that differs does.

w.compare({"scores": s, "weights": a, "dW_Q": g}, to=trace)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy

from ...engine.arrays import Array, Index
from ...engine.errors import InputError, WorkingsError
from ...explain.displayed import Displayed
from ...explain.document import Document
from ...explain.step_view import StepView, code_of
from ...explain.story import is_told
from ...explain.view import Trace
from ...nn.module import Module
from .called import called
from .closeness import Closeness, before, closeness
from .meanings import is_known, meanings
from .received import Received, received
from .why import Why, rearranged, why_of

Verdict: TypeAlias = Literal[
    "exact", "approximate", "different", "another shape", "arranged otherwise", "another step", "not filled in"
]
AGREE = ("exact", "approximate")
DIFFER = ("different", "another shape")
REASONS = ("mistake", "convention", "several")
BLANK = (None, ...)
LEAST_DIGITS = 3  # of numbers that may have been rounded: one that a program gives may be short by itself
HIDDEN = -1e4  # at most: what programs write where they mean -∞


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
    path: str = ""  # of the step that it was taken for
    called: str = ""  # that step, by as much of its path as it takes

    @property
    def agrees(self) -> bool:
        return self.verdict in AGREE


@dataclass(frozen=True, repr=False)
class Comparison(Displayed):
    """All steps that were compared, in the order in which the trace made them."""

    steps: tuple[Compared, ...]
    ask: Callable[[], Why | None] = field(default=lambda: None, compare=False)
    between: tuple[str, ...] = ()  # steps on the way to the first difference that were not given
    unknown: tuple[str, ...] = ()  # names that are those of no step

    @property
    def first(self) -> Compared | None:
        """The first step that differs: whatever comes after it may only pass the difference on."""
        return next((step for step in self.steps if step.verdict in DIFFER), None)

    @property
    def agrees(self) -> bool:
        """Whether every step was filled in, and agrees."""
        return all(step.agrees for step in self.steps)

    @cached_property
    def why(self) -> Why | None:
        """How the numbers of the first step that differs came about, from their own numbers of the steps before it."""
        return self.ask()

    def __getitem__(self, name: str) -> Compared:
        return {step.name: step for step in self.steps}[name]

    def _shown(self) -> Document:
        from .compare_page import comparison_document

        return comparison_document(self)

    def __repr__(self) -> str:
        return self._repr_mimebundle_()["text/plain"]


def compare(values: Mapping[str, Any], to: Trace | Module, *, strict: bool = False, **inputs: Any) -> Comparison:
    """Somebody's numbers, by the names of the steps that they should be, beside those of a trace; or of a module, for
    which its inputs are given. Arrays of any library will do; what is None or ... is not filled in yet. A name that
    no step has is listed; if all are such, or with `strict`, it is refused.

    >>> import workings as w
    >>> trace = w.scenario("example-1").trace()
    >>> found = compare({"P": [0.25, 0.25, 0.25, 0.25], "scores": [[0.01, 0.0], [0.0, 0.01]]}, to=trace)
    >>> [(step.name, step.verdict) for step in found.steps]
    [('scores', 'approximate'), ('P', 'different')]
    """
    result = called(to, inputs) if isinstance(to, Module) else None
    trace = to if result is None else result.trace
    if not isinstance(trace, Trace):
        raise InputError("compare.trace", kind=type(to).__name__)
    if inputs and trace is to:
        raise InputError("compare.inputs", names=", ".join(inputs))
    if not isinstance(values, Mapping):
        raise InputError("compare.values", kind=type(values).__name__)
    for name in values:
        if not isinstance(name, str):
            raise InputError("compare.name", name=repr(name)[:80], kind=type(name).__name__)
    unknown = tuple(name for name in values if not is_known(trace, name, result))
    if strict or len(unknown) == len(values):  # they are refused when they are looked for
        unknown = ()
    known = {name: value for name, value in values.items() if name not in unknown}
    return replace(_Comparing(trace, known, result).run(), unknown=unknown)


class _Comparing:
    """Goes through the steps in the order of the trace, and keeps their own numbers of those that agree."""

    def __init__(self, trace: Trace, values: Mapping[str, Any], result: StepView | None) -> None:
        self.trace = trace
        # A name that is not there is refused before anything is compared.
        self.meant = {name: meanings(trace, name, result) for name in values}
        blank = {name for name, value in values.items() if any(value is empty for empty in BLANK)}
        self.given = {name: received(value, name) for name, value in values.items() if name not in blank}
        self.own: dict[str, Array] = {}  # their numbers of the steps before the first difference, by path
        self.differs: str | None = None

    def run(self) -> Comparison:
        views = {name: self._likeliest(name) for name in self.meant}
        order = sorted(views, key=lambda name: [int(part) for part in views[name].id.split(".")])
        steps = tuple(self._compared(name, views[name]) for name in order)
        if self.differs is None:
            return Comparison(steps)
        return Comparison(steps, self._why, self._between(views[self.differs]))

    def _likeliest(self, name: str) -> StepView:
        """The step that is meant: by its name, its shape, and its numbers. What is given by itself is not meant."""
        views = [view for view in self.meant[name] if view.path not in self._paths(but=name)] or self.meant[name][:1]
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
        named = {name: views[0] for name, views in self.meant.items() if name != but}
        return {view.path for name, view in named.items() if name.endswith(view.name)}

    def _compared(self, name: str, view: StepView) -> Compared:
        if name not in self.given:
            return _about(name, view)
        got = self.given[name] = self.given[name].without_ones(view.shape)
        found = self._judged(name, got, view)
        if found.verdict in DIFFER and self.differs is None:
            self.differs = name
        is_right = self.differs is None and found.verdict in (*AGREE, "another step")
        if is_right and numpy.all(numpy.isfinite(got.array)):  # an infinite number cannot be pinned
            self.own[view.path] = got.array
        return found

    def _judged(self, name: str, got: Received, view: StepView) -> Compared:
        ours = numpy.asarray(view.value)
        if got.array.shape != ours.shape:
            verdict: Verdict = "arranged otherwise" if rearranged(got, view) else "another shape"
            return replace(_about(name, view), verdict=verdict, yours=got.array.shape, ours=ours.shape)
        close = _close(got, view)
        verdict = "different"
        if close.agrees or self._follows(got, view):
            verdict = "approximate" if close.gap else "exact"
            named = self.meant[name][0]
            if named.path != view.path and named.shape == view.shape and named.name == name:
                verdict = "another step"
        found = replace(_about(name, view), verdict=verdict, gap=close.gap, index=close.index)
        if not got.array.size:
            return found
        return replace(found, yours=float(got.array[close.index]), ours=float(ours[close.index]))

    def _follows(self, got: Received, view: StepView) -> bool:
        """Whether they follow from their own numbers before, or would if every line was rounded as they are."""
        if self.differs is not None:
            return False
        own = self._from_own(view)
        return _close(got, own).agrees or any(_close(got, step, lines=True).agrees for step in (own, view))

    def _from_own(self, view: StepView) -> StepView:
        """The step as it follows from their own numbers of the steps before."""
        if not self.own:
            return view
        try:
            return self.trace.replay(values=self.own)[view.path]
        except WorkingsError:  # their numbers lead into an overflow, or a row that is all hidden
            return view

    def _why(self) -> Why | None:
        """Of all that the name may mean: the first step for which there is a reason."""
        assert self.differs is not None
        got = self.given[self.differs]
        likeliest = self._likeliest(self.differs)
        views = [likeliest, *(view for view in self.meant[self.differs] if view.shape == likeliest.shape)]
        found = [why_of(got, self._from_own(view)) for view in {view.path: view for view in views}.values()]
        return next((why for why in found if why.verdict in REASONS), found[0])

    def _between(self, view: StepView) -> tuple[str, ...]:
        """The steps on the way from what they have given to a step: what is wrong there may have gone wrong earlier."""
        pinned = self._from_own(view)
        if not self.own:
            return ()
        on_the_way = [step for step in before(pinned.recording, pinned.step) if step.op is not None]
        return tuple(step.path for step in reversed(on_the_way) if is_told(pinned.recording, step))


def _about(name: str, view: StepView) -> Compared:
    return Compared(name, "not filled in", view.id, path=view.path, called=code_of(view)[2:-2])


def _close(got: Received, view: StepView, lines: bool = False) -> Closeness:
    """How close they are, where a number that is meant to be -∞ is taken for it."""
    hidden = (numpy.asarray(view.value) == -numpy.inf) & (got.array <= HIDDEN)
    meant = replace(got, array=numpy.where(hidden, -numpy.inf, got.array)) if numpy.any(hidden) else got
    return closeness(meant, view, lines, LEAST_DIGITS)
