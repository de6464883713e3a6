"""`nudge`: a gradient confirmed by hand. The weight goes up a little, then down a little, and the loss is looked at."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy

from ...document.blocks import Block, Link, Number, Spans, Table, Text, Words
from ...document.numbers import ALL_DIGITS, Style, apart, write
from ...document.spans import fill_spans
from ...engine.arrays import Index
from ...engine.errors import LessonError
from ...explain.trace import Trace
from ...ops.given import constant, given
from ..reading.myst import Directive
from ..rewriting import located
from ..runs import AS_WRITTEN
from .kind import Kind

if TYPE_CHECKING:
    from ..page import PageBuilder

BY = 1e-3
STYLE = Style(6)  # so far the quotient and the gradient agree


def _nudge(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    name = page.entry(directive.argument, directive.options.get("run", ""))
    by, loss = _size(directive.options.get("by", "")), directive.options.get("loss", "loss")
    scenario, run = page.runs.find(name.run)
    # Rounded to a few digits, the two losses would be equal.
    exact = scenario.trace(run, precision=AS_WRITTEN, convention=page.runs.options.convention)
    weight = exact[name.step]
    weight.number(*name.index)  # refuses an entry that is not there
    if weight.step.leaf not in ("parameter", "given"):
        raise LessonError(
            f"No gradient belongs to {name.step}.", hint="Take a weight, or a run that goes back from a loss."
        )
    runs = _runs(page, exact, {word: _moved(exact, weight.path, name.index, s * by) for word, s in _WAYS.items()})
    up, down = (float(page.trace(runs[word])[loss].value) for word in _WAYS)
    style = _telling(up, down)
    entry = exact.style.notation.entry(weight.name, name.index)
    rows: list[tuple[Spans, ...]] = []
    for word in _WAYS:
        nudged = page.trace(runs[word])
        numbers = nudged[weight.path].number(*name.index), nudged[loss].number(style=style)
        rows.append(((Words(f"a little {word}"),), *((located(n, runs[word]),) for n in numbers)))
    yield Table(("the weight", entry, loss), tuple(rows))
    gradient = _gradient(exact, weight.path, directive.options.get("gradient", ""))
    difference = fill_spans(
        "The difference of the losses, divided by {twice}, is {slope}. The gradient says {entry} = {gradient}.",
        twice=Words(write(2 * by, Style(exact=True))),
        slope=_slope(page, runs, loss, 2 * by),
        entry=Link(
            exact.style.notation.entry(exact[gradient].name, name.index), f"{runs['exact']}:{exact[gradient].id}"
        ),
        gradient=located(exact[gradient].number(*name.index, style=STYLE), runs["exact"]),
    )
    yield Text(
        (
            *difference,
            *(
                fill_spans(" (All of this in float64: rounded losses would be equal.)")
                if page.runs.options.precision
                else ()
            ),
        )
    )


_WAYS = {"up": 1, "down": -1}


def _runs(page: PageBuilder, exact: Trace, moved: dict[str, Trace]) -> dict[str, str]:
    """The traces among the runs of the lesson, and what they are called there."""
    number = 1 + sum(name.endswith(".exact") for name in page.runs.traces)
    names = {}
    for word, trace in {"exact": exact, **moved}.items():
        names[word] = f"nudge{number}.{word}"
        page.runs.add(names[word], trace)
    return names


def _moved(trace: Trace, weight: str, index: Index, by: float) -> Trace:
    array = numpy.array(trace[weight].value)
    array[index] += by
    return trace.replay(values={weight: array})


def _slope(page: PageBuilder, runs: dict[str, str], loss: str, twice: float) -> Number:
    """By how much the loss changes for each unit of the weight, in a small trace of its own."""
    trace = Trace(precision=AS_WRITTEN)
    name = runs["exact"].replace("exact", "slope")
    with trace:
        sides = {word: given(page.trace(runs[word])[loss].value, name=f"loss_{word}") for word in _WAYS}
        slope = (sides["up"] - sides["down"]) / constant(twice, name="twice_the_nudge")
    origins = {f"{runs[word]}:{page.trace(runs[word])[loss].id}": trace[side].path for word, side in sides.items()}
    page.runs.add(name, trace.with_run(aliases=origins))
    return located(trace[slope].number(style=STYLE), name)


def _gradient(trace: Trace, weight: str, gradient: str) -> str:
    """The gradient that belongs to a weight."""
    if gradient:
        return trace[gradient].path
    id = trace[weight].id
    found = [step.path for step in trace if step.step.twin == id and step.step.stage == "backward"]
    if not found:
        raise LessonError(
            f"No gradient belongs to {weight}.", hint="Take a weight, or a run that goes back from a loss."
        )
    return min(found, key=len)


def _telling(one: float, other: float) -> Style:
    """So many digits of both that their difference has as many as the slope shows, or all that a float64 has."""
    places = 0 if one == other else math.floor(math.log10(max(abs(one), abs(other)) / abs(one - other)))
    return replace(apart(one, other, STYLE), digits=min(places + STYLE.digits + 1, ALL_DIGITS - 1))


def _size(text: str) -> float:
    try:
        by = float(text or BY)
    except ValueError:
        by = 0.0
    if not 1e-8 <= by <= 1:
        raise LessonError(f"'{text[:20]}' is no size for a nudge.", hint="Take a number from 1e-8 to 1, such as 0.001.")
    return by


NUDGE = {"nudge": Kind(_nudge, "needed", "none", ("run", "by", "loss", "gradient"))}
