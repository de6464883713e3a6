"""A run of a scenario as a document: what it is about, how training went, and every step of its trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from ..document.blocks import Block, Document, Heading, Number, Program, Table, Text, Words
from ..document.numbers import Style, apart, write
from ..explain.trace import Trace
from ..figures.loss import loss_curve
from ..generation.generation_page import beams_document, choice_document
from ..text.tokens import Tokens
from .pages.averaging import averaged_scopes
from .pages.comparison import kept_steps
from .pages.comparison_page import comparison_document
from .pages.ledger_page import averaging_document
from .reading.plan import ExamplePlan
from .reading.scenario_file import DEFAULT
from .scenario import Scenario

MAX_ROWS = 12  # of the table of losses
MAX_TEXTS = 3  # of a batch that are shown


def scenario_document(scenario: Scenario, run: str, trace: Trace) -> Document:
    """The whole run for any renderer.

    >>> from .scenario import scenario
    >>> example = scenario("example-2")
    >>> scenario_document(example, "default", example.trace()).title
    'Example 2: one training step'
    """
    plan = scenario.plan(run)
    title = scenario.title if run == DEFAULT else f"{scenario.title} (run {run})"
    blocks: list[Block] = [Text((Words(text),)) for text in (plan.about, _source(plan.source), _seed(trace)) if text]
    return Document(title, (*blocks, *_generated(scenario, run, trace), *_computed(trace, title, plan.examples)))


def step_document(trace: Trace, title: str, vocabulary: Tokens | None = None) -> Document:
    """One step of a training: its texts, the losses up to it, and every step of its trace."""
    blocks: list[Block] = [Text((Words(_seed(trace)),))] if trace.seed is not None else []
    texts = [] if vocabulary is None else [step for step in trace.all("tokens") if len(step.shape) == 2]
    for step in texts[:1]:
        assert vocabulary is not None
        shown = step.value[:MAX_TEXTS]
        read = (
            f"The first {len(shown)} of the {len(step.value)} texts in this batch. A token is its id in the vocabulary."
        )
        blocks.append(Text((Words(read),)))
        blocks += [Program("text", repr(vocabulary.decode(row.tolist()))) for row in shown]
    return Document(title, (*blocks, *_computed(trace, title)))


def _computed(trace: Trace, title: str, examples: Sequence[ExamplePlan] = ()) -> Iterator[Block]:
    """What every page of a run has: the losses, what training changed, how losses were averaged, and every step."""
    yield from _losses(trace)
    if len(kept_steps(trace)) > 1:
        yield from _section(comparison_document(trace, examples))
    if averaged_scopes(trace):
        yield from _section(averaging_document(trace))
    yield from trace.document(title).blocks


def _generated(scenario: Scenario, run: str, trace: Trace) -> Iterator[Block]:
    """The text that the run generated, and how each of its tokens was chosen."""
    plan = scenario.plan(run)
    if plan.generate is not None:
        page = choice_document if plan.generate.beams is None else beams_document
        yield from _section(page(trace, scenario.vocabulary(run)))


def _section(document: Document) -> tuple[Block, ...]:
    return (Heading(2, document.title), *document.blocks)


def _source(source: str) -> str:
    return f"Source: {source}." if source else ""


def _seed(trace: Trace) -> str:
    return "" if trace.seed is None else f"Weights that are not given are drawn from the seed {trace.seed}."


def _losses(trace: Trace) -> list[Block]:
    """The losses of the training steps as a table (of many steps, the first, some in between, and the last), and all of
    them as a curve.
    """
    losses = trace.history.get("loss", [])
    if len(losses) < 2:
        return []
    steps = _some(len(losses))
    style = _distinguishing([losses[step - 1] for step in steps], trace.style)
    rows = []
    for step in steps:
        loss = losses[step - 1]
        rows.append(((Words(str(step)),), (Number(write(loss, style), loss, "loss", (step - 1,), "history"),)))
    headings = ("step", "loss")
    drawn = loss_curve(trace)
    return [Heading(2, "Training"), Table(headings, tuple(rows)), *([drawn] if drawn else [])]


def _distinguishing(values: list[float], style: Style) -> Style:
    """Enough digits to tell each value from the one before it."""
    for one, other in pairwise(values):
        style = apart(one, other, style)
    return style


def _some(count: int) -> list[int]:
    """
    >>> _some(5000)
    [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000]
    """
    if count <= MAX_ROWS:
        return list(range(1, count + 1))
    round_numbers = [factor * 10**power for power in range(12) for factor in (1, 2, 5)]
    return [number for number in round_numbers if number < count] + [count]
