"""Check my numbers: a user's results compared with what their own inputs give, as a page of the lab."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy

from ...document.blocks import Block, Document, Fold, Heading, Link, Number, Span, Spans, Table, Text, Words
from ...document.numbers import PLAIN, apart, write
from ...document.spans import fill_spans
from ...engine.errors import WorkingsError
from ...engine.file import plain
from ...explain.step_view import StepView
from ...explain.trace import Trace
from ...practice.checking.step_check import CheckedStep, CheckVerdict, check_steps, first_wrong
from ...practice.checking.why_page import why_for_learners
from ...scenarios.scenario import scenario_from
from ..answers.trace import CheckPage, Page
from ..traces.own_matrices import OwnMatrices, read_given

BY_MODEL = "attention_scale=model"
HEADINGS = ("step", "yours", "furthest off at", "you have", "it should be")
VERDICT_LABELS: dict[CheckVerdict, str] = {
    "exact": "fits",
    "fits": "fits, to rounding",
    "follows": "follows from your own numbers",
    "unclear": "undecided",
    "arranged": "fits, in another arrangement",
    "wrong": "does not fit",
    "shape": "another shape",
}


def check_page(
    given: Mapping[str, str], got: Mapping[str, str], mask: str = "", heads: int = 1, convention: str = ""
) -> CheckPage:
    """Which of a user's results fit, the first step that does not, and why.

    >>> given = {"Q": "1 0; 0 1", "K": "1 2; 0 1", "V": "1 2; 3 4"}
    >>> page = check_page(given, {"scores": "1 0; 2 1", "scaled": "1 0; 2 1"})
    >>> page.first_wrong, page.mistake
    ('scaled', 'divide_by_root.not_divided')
    """
    own = OwnMatrices(read_given(given), mask, heads, convention)

    def by_root_of_model() -> Trace:
        return _traced(replace(own, convention=BY_MODEL))

    steps = check_steps(_traced(own), got, by_root_of_model if heads > 1 else None)
    first = first_wrong(steps)
    cause = first.why.cause if first is not None else None
    return CheckPage(
        first_wrong=first.truth.path if first is not None else "",
        mistake=cause.id if cause is not None else "",
        page=Page(check_document(steps)),
        scenario=own.text(),
    )


def _traced(own: OwnMatrices) -> Trace:
    return scenario_from(own.text(), "your-matrices").trace()


def check_document(steps: tuple[CheckedStep, ...]) -> Document:
    """A table of the steps, then what went wrong, and what is right there.

    >>> import workings as w
    >>> steps = check_steps(w.scenario("token-i").trace("twin"), {"scaled": "1 2; 3 4"})
    >>> "".join(span.text for span in check_document(steps).blocks[0].spans)
    'The first step that does not fit is scaled.'
    """
    return Document("Your numbers", tuple(_blocks(steps)), form="part")


def _blocks(steps: tuple[CheckedStep, ...]) -> Iterator[Block]:
    first = first_wrong(steps)
    if first is not None:
        yield Text(fill_spans("The first step that does not fit is {step}.", step=Link(_name(first), first.truth.id)))
    elif any(step.verdict == "unclear" for step in steps):
        yield Text((Words("Nothing is clearly wrong, but one step is undecided: see below."),))
    else:
        yield Text((Words("All of your results fit."),))
    yield Table(HEADINGS, tuple(_row(step) for step in steps))
    for step in steps:
        if step.is_wrong or step.verdict == "unclear":
            yield from _about(step)


def _row(step: CheckedStep) -> tuple[Spans, ...]:
    cells: list[Span] = [Link(_name(step), step.truth.id), Words(VERDICT_LABELS[step.verdict])]
    if step.verdict == "shape":
        yours, ours = (" × ".join(map(str, shape)) or "1" for shape in step.why.shapes)
        cells += [Words(""), Words(yours), Words(ours)]
    elif step.verdict == "wrong":
        cells += _furthest(step)
    else:
        cells += [Words("")] * 3
    return tuple((cell,) for cell in cells)


def _furthest(step: CheckedStep) -> list[Span]:
    """The entry that is furthest off: the user's, and what it should be."""
    ours, yours = float(step.view.value[step.why.index]), float(step.yours.array[step.why.index])
    style = apart(yours, ours, PLAIN)
    entry = step.view.trace.style.notation.entry("", step.why.index)
    right = Number(write(ours, style), plain(ours), step.truth.id, step.why.index)
    return [Words(entry), Words(write(yours, style)), right]


def _about(step: CheckedStep) -> Iterator[Block]:
    """Why it is not right, and what is."""
    yield Heading(2, _name(step))
    if step.between:
        yield Text((Words(f"You gave nothing for {', '.join(step.between)}: the error may be there."),))
    yield from why_for_learners(step.why)
    is_own = not numpy.array_equal(step.view.value, step.truth.value)
    yield Heading(3, "What it should be, from your own earlier numbers" if is_own else "What it should be")
    formula = step.view.formula_block()
    if formula is not None:
        yield formula
    yield step.view.matrix()
    if step.verdict == "wrong":
        yield from _by_hand(step.view, step.why.index)


def _by_hand(view: StepView, index: tuple[int, ...]) -> Iterator[Block]:
    try:
        yield Fold("The entry that is furthest off, by hand", (view.cell(*index),), is_open=True)
    except WorkingsError:  # an entry without a calculation, such as a masked one
        return


def _name(step: CheckedStep) -> str:
    """The user's name of a step, and ours if it differs."""
    return step.name if step.name == step.truth.name else f"{step.name} (our {step.truth.name})"
