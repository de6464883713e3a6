"""A run of a scenario as a document: what it is about, how training went, and the story of its trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..engine.sentences import say
from ..explain.curve import loss_curve
from ..explain.document import Block, Document, Heading, Number, Program, Table, Text, Words
from ..explain.numbers import Style, apart, write
from ..explain.view import Trace
from ..text.tokens import Tokens
from .generating.choice_page import beams_document, choice_document
from .labels import vocabulary_of
from .pages.averaging import averaged_scopes
from .pages.comparison import kept_steps
from .pages.comparison_page import comparison_document
from .pages.ledger_page import averaging_document
from .reading.plan import ExamplePlan
from .reading.scenario_reading import DEFAULT
from .scenario import Scenario

MOST = 12  # rows of the table of losses
FEW = 3  # texts of a batch that are written out


def scenario_document(scenario: Scenario, run: str, trace: Trace) -> Document:
    """The whole run for any renderer.

    >>> from .scenario import scenario
    >>> example = scenario("example-2")
    >>> scenario_document(example, "default", example.trace()).title
    'Example 2: one training step'
    """
    plan = scenario.plan(run)
    title = scenario.title if run == DEFAULT else say("scenario.run", title=scenario.title, run=run)
    blocks: list[Block] = [Text((Words(text),)) for text in (plan.about, _source(plan.source), _seed(trace)) if text]
    return Document(title, (*blocks, *_written(scenario, run, trace), *_computed(trace, title, plan.examples)))


def step_document(trace: Trace, title: str, vocabulary: Tokens | None = None) -> Document:
    """A step of a training that was opened: what it read, how training went up to it, and the story of its trace."""
    blocks: list[Block] = [Text((Words(_seed(trace)),))] if trace.seed is not None else []
    texts = [] if vocabulary is None else [step for step in trace.all("tokens") if len(step.shape) == 2]
    for step in texts[:1]:
        blocks.append(Text((Words(say("scenario.texts", count=min(FEW, len(step.value)), size=len(step.value))),)))
        blocks += [Program("text", repr(vocabulary.decode(row.tolist()))) for row in step.value[:FEW]]  # type: ignore[union-attr]
    return Document(title, (*blocks, *_computed(trace, title)))


def _computed(trace: Trace, title: str, examples: Sequence[ExamplePlan] = ()) -> Iterator[Block]:
    """What every page of a run has: the losses, what training changed, how losses were averaged, and every step."""
    yield from _losses(trace)
    if len(kept_steps(trace)) > 1:
        yield from _section(comparison_document(trace, examples))
    if averaged_scopes(trace):
        yield from _section(averaging_document(trace))
    yield from trace.document(title).blocks


def _written(scenario: Scenario, run: str, trace: Trace) -> Iterator[Block]:
    """The text that the run wrote, and how each of its tokens was chosen."""
    plan = scenario.plan(run)
    if plan.generate is not None:
        page = choice_document if plan.generate.beams is None else beams_document
        yield from _section(page(trace, vocabulary_of(scenario, run)))


def _section(document: Document) -> tuple[Block, ...]:
    return (Heading(2, document.title), *document.blocks)


def _source(source: str) -> str:
    return say("scenario.source", source=source) if source else ""


def _seed(trace: Trace) -> str:
    return "" if trace.seed is None else say("scenario.seed", seed=trace.seed)


def _losses(trace: Trace) -> list[Block]:
    """The losses of the steps of training: all of a few, and of many the first, some on the way, and the last; and
    all of them as a curve.
    """
    losses = trace.history.get("loss", [])
    if len(losses) < 2:
        return []
    steps = _some(len(losses))
    style = _telling([losses[step - 1] for step in steps], trace.style)
    rows = []
    for step in steps:
        loss = losses[step - 1]
        rows.append(((Words(str(step)),), (Number(write(loss, style), loss, "loss", (step - 1,), "history"),)))
    headings = (say("scenario.losses.step"), say("scenario.losses.loss"))
    drawn = loss_curve(trace)
    return [Heading(2, say("scenario.losses")), Table(headings, tuple(rows)), *([drawn] if drawn else [])]


def _telling(values: list[float], style: Style) -> Style:
    """As many digits as it takes to tell each value from the one before it."""
    for one, other in pairwise(values):
        style = apart(one, other, style)
    return style


def _some(count: int) -> list[int]:
    """
    >>> _some(5000)
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
    """
    if count <= MOST:
        return list(range(1, count + 1))
    round_numbers = [factor * 10**power for power in range(12) for factor in (1, 2, 5)]
    return [number for number in round_numbers if number < count] + [count]
