"""The page of one entry: its hand calculation, where it comes from, where it goes, and its gradient."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

import numpy

from ...document.blocks import Block, Document, Link, Number, Text, Words
from ...document.numbers import Style, apart, write
from ...document.spans import Span, fill_spans
from ...engine.arrays import Index
from ...engine.steps import Step
from ...explain.cell import checked_index
from ...explain.line import number_at, style_for
from ...explain.step_formula import formula_of
from ...explain.step_view import StepView
from ..answers.trace import CellPage, Feeding, Reading, WayStep
from ..traces.earlier import before, differ
from ..traces.store import Opened
from .drawings import page_of
from .feeding import entries_fed, entries_read, ids_read
from .gradient_path import WayBack, way_back
from .neighbors import neighbors
from .steps import op_of, title_of

MOST_READ, MOST_FED = 64, 32  # entries that are listed, of all that are read and of each step that is fed
SLOPE = "If {entry} grows by a little, {target} changes by {gradient} times as much."
WEIGHED = (
    "If {entry} grows by a little, the entries of {target}, each times its entry of {seed}, together change by "
    "{gradient} times as much."
)
MOST_BY_HAND = 16_000  # numbers that go into one entry which is still calculated by hand


def cell_page(opened: Opened, id: str, index: Index) -> CellPage:
    """All about one entry.

    >>> from workings.lab.traces.store import Lab
    >>> from workings.lab.traces.wanted import Wanted
    >>> opened = Lab().open(Wanted("example-3"))
    >>> page = cell_page(opened, opened.trace["scores"].id, (1, 0))
    >>> page.label, page.number.text, [reading.label for reading in page.reads]
    ('scores[1][0]', '0.0', ['Q[1][0]', 'K[0][0]', 'Q[1][1]', 'K[0][1]'])
    >>> [(feeding.title, feeding.labels) for feeding in page.feeds]
    [('scaled', ('scaled[1][0]',))]
    >>> [step.gradient_title for step in page.way]
    ['dloss', 'dlogits', 'dlast', 'dcontext', 'dweights', 'dscaled', 'dscores']
    """
    view = opened.view(id)
    index = checked_index(view.step, index)
    writer = _CellWriter(view)
    number, earlier = _now_and_before(opened, view, index)
    gradient = _gradient(view)
    way = way_back(view.trace, view.step) if view.recording is view.trace.recording else None
    slope = None if gradient is None else writer.number(gradient, index)
    read = _numbers_read(view)
    blocks = [*_by_hand(view, index, read), *_slope(writer, index, way), *_ways(way)]
    return CellPage(
        step=view.id,
        index=index,
        label=writer.label(view.step, index),
        number=number,
        before=earlier,
        page=page_of(Document(writer.label(view.step, index), tuple(blocks), form="part")),
        reads=tuple(_readings(writer, index)) if read <= MOST_BY_HAND else (),
        feeds=tuple(_feedings(writer, index)),
        gradient=slope,
        way=() if way is None else tuple(_way_step(writer, step) for step in way.gradients),
    )


@dataclass(frozen=True)
class _CellWriter:
    """Writes entries of the steps around one; how the numbers of a step are written is found out once."""

    view: StepView
    styles: dict[str, Style] = field(default_factory=dict)

    def title(self, step: Step) -> str:
        return title_of(self.view.trace, step, self.view.recording)

    def label(self, step: Step, index: Index) -> str:
        return self.view.trace.style.notation.entry(self.title(step), index)

    def number(self, step: Step, index: Index) -> Number:
        recording = self.view.recording
        if step.id not in self.styles:
            self.styles[step.id] = style_for(recording, step, self.view.trace.style)
        return number_at(step, recording.value(step.id), index, self.styles[step.id])


def _now_and_before(opened: Opened, view: StepView, index: Index) -> tuple[Number, Number | None]:
    """The entry, and what it was before the edits if it was another. Two that would look alike get more digits."""
    number, old = view.number(*index), before(opened, view)
    if old is None or not differ(view, numpy.asarray(view.value)[index], numpy.asarray(old.value)[index]):
        return number, None
    earlier = old.number(*index)
    if earlier.text == number.text:
        now, then = float(view.value[index]), float(old.value[index])
        style = apart(now, then, style_for(view.recording, view.step, view.trace.style))
        number, earlier = replace(number, text=write(now, style)), replace(earlier, text=write(then, style))
    return number, earlier


def _numbers_read(view: StepView) -> int:
    """About how many numbers go into each entry: into the loss of a long text, all of its scores."""
    if view.step.op is None:
        return 0
    sizes = (math.prod(view.recording.step(id).form.shape) for id in view.step.inputs)
    return max(sizes, default=0) // max(math.prod(view.shape), 1)


def _by_hand(view: StepView, index: Index, read: int) -> Iterator[Block]:
    if read <= MOST_BY_HAND:
        yield view.cell(*index)
    else:
        yield Text((Words(f"About {read:,} numbers go into this one: too many to write them down."),))


def _gradient(view: StepView) -> Step | None:
    id = neighbors(view.trace).gradients.get(view.id)
    return None if id is None else view.trace.recording.step(id)


def _slope(writer: _CellWriter, index: Index, way: WayBack | None) -> Iterator[Block]:
    """What the gradient of this entry means, or what this entry means if it is a gradient itself."""
    recording, gradients = writer.view.recording, neighbors(writer.view.trace).gradients
    of = writer.view.step if writer.view.id in gradients else recording.step(writer.view.step.twin or writer.view.id)
    if way is None or gradients.get(of.id) != way.gradients[-1].id:  # a part of a gradient means nothing by itself
        return
    seed = way.gradients[0]
    if seed is way.gradients[-1]:  # that of the loss itself says nothing
        return
    target = recording.step(seed.twin or "")
    spans: dict[str, Span] = {
        "entry": Words(writer.label(of, index)),
        "target": Link(writer.title(target), target.id),
        "gradient": writer.number(way.gradients[-1], index),
    }
    if seed.form.shape:
        yield Text(fill_spans(WEIGHED, seed=Link(writer.title(seed), seed.id), **spans))
    else:
        yield Text(fill_spans(SLOPE, **spans))


def _ways(way: WayBack | None) -> Iterator[Block]:
    if way is not None and way.ways > 1:
        yield Text(
            fill_spans(
                "The gradient flows back along {count} paths and is added up; the shortest is shown.",
                count=Words(str(way.ways)),
            )
        )


def _readings(writer: _CellWriter, index: Index) -> Iterator[Reading]:
    for read in dict.fromkeys((*entries_read(writer.view, index, MOST_READ), *ids_read(writer.view, index))):
        text = writer.number(read.step, read.index).text
        yield Reading(read.step.id, writer.title(read.step), read.index, writer.label(read.step, read.index), text)


def _feedings(writer: _CellWriter, index: Index) -> Iterator[Feeding]:
    for fed in entries_fed(writer.view, index, MOST_FED):
        yield Feeding(
            step=fed.step.id,
            title=writer.title(fed.step),
            op=op_of(writer.view.recording, fed.step),
            stage=fed.step.stage,
            entries=fed.entries,
            labels=tuple(writer.label(fed.step, at) for at in fed.entries),
            more=fed.count - len(fed.entries),
        )


def _way_step(writer: _CellWriter, gradient: Step) -> WayStep:
    """A gradient on the way, the step that it is of, and the rule by which it comes from the one before."""
    recording = writer.view.recording
    twin = recording.step(gradient.twin or "")
    formula = formula_of(recording, gradient, notation=writer.view.trace.style.notation)
    return WayStep(
        step=twin.id,
        title=writer.title(twin),
        gradient=gradient.id,
        gradient_title=writer.title(gradient),
        op=op_of(recording, gradient),
        formula=() if formula is None else (formula.math,),
    )
