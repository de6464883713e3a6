"""What is said about somebody's numbers: a table of the steps, then what went wrong, and what is right there."""

from __future__ import annotations

from collections.abc import Iterator

import numpy

from ..engine.errors import WorkingsError
from ..engine.file import plain
from ..engine.sentences import add_sentences, say
from ..explain.document import Block, Document, Fold, Heading, Link, Number, Span, Spans, Table, Text, Words
from ..explain.numbers import PLAIN, apart, write
from ..explain.sentences import say_spans
from ..explain.step_view import StepView
from .checking_why import why_in_words
from .judging import Checked

COLUMNS = ("step", "verdict", "entry", "yours", "right")

add_sentences(
    "lab",
    {
        "checked.title": "Your numbers",
        "checked.all": "Everything that you gave fits.",
        "checked.first": "The first step that does not fit is {step}.",
        "checked.unclear": "Nothing is wrong for certain, but something is not decided: see below.",
        "checked.step": "step",
        "checked.verdict": "yours",
        "checked.entry": "furthest off at",
        "checked.yours": "you have",
        "checked.right": "it should be",
        "checked.as": "{name} (our {step})",
        "checked.verdict.exact": "fits",
        "checked.verdict.fits": "fits, to rounding",
        "checked.verdict.follows": "follows from your own numbers",
        "checked.verdict.unclear": "not decided",
        "checked.verdict.arranged": "fits, arranged otherwise",
        "checked.verdict.wrong": "does not fit",
        "checked.verdict.shape": "another shape",
        "checked.between": "You gave nothing for {steps}: what went wrong may have gone wrong there.",
        "checked.should": "What it should be",
        "checked.should.own": "What it should be, from your own numbers before it",
        "checked.by_hand": "The entry that is furthest off, by hand",
    },
)

add_sentences(
    "error",
    {
        "lab.check.nothing": "There are no results to check.",
        "lab.check.nothing.try": "Fill in at least one step that you worked out, such as scores or weights.",
        "lab.check.step": "There is no step called {name} here.",
        "lab.check.step.try": "Steps that can be checked: {known}.",
    },
)


def check_document(steps: tuple[Checked, ...]) -> Document:
    """All that was found out, for any renderer.

    >>> import workings as w
    >>> from .judging import judge
    >>> steps = judge(w.scenario("token-i").trace("twin"), {"scaled": "1 2; 3 4"})
    >>> "".join(span.text for span in check_document(steps).blocks[0].spans)
    'The first step that does not fit is scaled.'
    """
    return Document(say("lab.checked.title"), tuple(_blocks(steps)), form="part")


def _blocks(steps: tuple[Checked, ...]) -> Iterator[Block]:
    first = next((step for step in steps if step.is_wrong), None)
    if first is not None:
        yield Text(say_spans("lab.checked.first", step=Link(_named(first), first.truth.id)))
    else:
        unclear = any(step.verdict == "unclear" for step in steps)
        yield Text((Words(say("lab.checked.unclear" if unclear else "lab.checked.all")),))
    yield Table(tuple(say(f"lab.checked.{key}") for key in COLUMNS), tuple(_row(step) for step in steps))
    for step in steps:
        if step.is_wrong or step.verdict == "unclear":
            yield from _about(step)


def _row(step: Checked) -> tuple[Spans, ...]:
    verdict = Words(say(f"lab.checked.verdict.{step.verdict}"))
    cells: list[Span] = [Link(_named(step), step.truth.id), verdict]
    if step.verdict == "shape":
        yours, ours = (" × ".join(map(str, shape)) or "1" for shape in step.why.shapes)
        cells += [Words(""), Words(yours), Words(ours)]
    elif step.verdict == "wrong":
        cells += _furthest(step)
    else:
        cells += [Words("")] * 3
    return tuple((cell,) for cell in cells)


def _furthest(step: Checked) -> list[Span]:
    """The entry that is furthest off: theirs, and what it should be."""
    ours, yours = float(step.view.value[step.why.index]), float(step.yours.array[step.why.index])
    style = apart(yours, ours, PLAIN)
    entry = step.view.trace.style.notation.entry("", step.why.index)
    right = Number(write(ours, style), plain(ours), step.truth.id, step.why.index)
    return [Words(entry), Words(write(yours, style)), right]


def _about(step: Checked) -> Iterator[Block]:
    """Why it is not right, and what is."""
    yield Heading(2, _named(step))
    if step.between:
        yield Text((Words(say("lab.checked.between", steps=", ".join(step.between))),))
    yield from why_in_words(step.why)
    yield Heading(3, say("lab.checked.should.own" if _is_other(step) else "lab.checked.should"))
    formula = step.view.formula_block()
    if formula is not None:
        yield formula
    yield step.view.matrix()
    if step.verdict == "wrong":
        yield from _by_hand(step.view, step.why.index)


def _is_other(step: Checked) -> bool:
    return not numpy.array_equal(step.view.value, step.truth.value)


def _by_hand(view: StepView, index: tuple[int, ...]) -> Iterator[Block]:
    try:
        yield Fold(say("lab.checked.by_hand"), (view.cell(*index),), is_open=True)
    except WorkingsError:  # an entry that is nobody's sum, such as one that is hidden
        return


def _named(step: Checked) -> str:
    """What they called it, and which of our steps it was taken for where that is another name."""
    return step.name if step.name == step.truth.name else say("lab.checked.as", name=step.name, step=step.truth.name)
