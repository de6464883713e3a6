"""What an offline file holds: answers of the lab, each under the request that asks for it.

A file cannot hold everything. Of every run, it has the steps that a lesson names, with the hand calculations of the
entries that the lesson shows and of the numbers in those calculations. Of the run that a lesson is about, it has all
steps, and every entry of the smaller ones; of a large matrix, the corner. For anything else a page has to ask the lab.
"""

from __future__ import annotations

import dataclasses
import itertools
import json
import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from functools import cache, partial
from typing import Any, TypeAlias

from ...document.blocks import Figure, Link, to_data
from ...engine.arrays import Index, indices
from ...engine.errors import StepError
from ...figures.parts.flow_chart import Flow
from ...lessons.runs import DISTINGUISHING
from ...scenarios.reading.scenario_file import DEFAULT
from ..addresses import encoded
from ..answers.trace import Page
from ..pages.cells import cell_page
from ..pages.lesson_changes import entries, parts_of
from ..pages.overview import flow, overview
from ..pages.reading import lesson_path
from ..pages.start import start
from ..pages.step_page import step_page
from ..pages.windows import window
from ..traces.store import Opened
from ..traces.wanted import Wanted

WHOLE = (DEFAULT, "twin")  # runs of a lesson of which every step can be opened: its own, and the one to practice on
SMALL = 64  # entries of a step of which none is left out
MOST_MATRICES = 16  # of a step with more than two axes
CORNER = 24  # rows, and columns, of the first window that a page asks for
DRAWN = re.compile(r'data-step="([^"]*)"')  # what a part of a drawing leads to
USUAL = {"run": DEFAULT, "numbers": "document"}  # what a request leaves out, as web/src/api/ask.ts does

Answers: TypeAlias = dict[str, Any]  # by request, as JSON data
Named: TypeAlias = Mapping[str, set[Index]]  # entries by step
Answered: TypeAlias = Iterator[tuple[str, object]]


def posted(path: str, body: Mapping[str, Any]) -> str:
    """The request that sends a body: its keys are in order, and whatever is empty or usual is left out.

    >>> posted("/api/traces", {"source": "example-3", "run": "default", "numbers": "document", "edits": ()})
    '/api/traces {"source":"example-3"}'
    """
    given = {key: value for key, value in sorted(body.items()) if value not in ("", None, (), [], USUAL.get(key))}
    return f"{path} {json.dumps(given, ensure_ascii=False, separators=(',', ':'))}"


def everywhere() -> Answers:
    """What every page asks for first."""
    return {"/api/start": to_data(start(live=False)), "/api/lessons": to_data(lesson_path())}


def lesson_answers(wanted: Wanted, page: Page, open_run: Callable[[str], Opened]) -> Answers:
    """A lesson as it was `wanted` for, and everything that its numbers lead to."""
    answers = {lesson_request(wanted): to_data(page)}
    for run, named in named_entries(page).items():
        answers |= trace_answers(open_run(run), named, whole=run in WHOLE)
    return answers


def lesson_request(wanted: Wanted) -> str:
    """
    >>> lesson_request(Wanted("example-3", precision="calculator 4 significant", digits=5))
    '/api/lessons/example-3?digits=5&precision=calculator%204%20significant'
    """
    wishes = {"digits": wanted.digits, "precision": wanted.precision, "convention": wanted.convention}
    wishes |= {"numbers": wanted.numbers} if wanted.numbers == DISTINGUISHING else {}
    query = "&".join(f"{key}={encoded(str(wish))}" for key, wish in wishes.items() if wish)
    return f"/api/lessons/{encoded(wanted.source)}" + (f"?{query}" if query else "")


def trace_answers(opened: Opened, named: Named | None = None, whole: bool = True) -> Answers:
    """A trace: its flow, the first window of each matrix, and its entries by hand. Of one that is not wanted `whole`
    there are only the entries that are named, and those in their hand calculations.
    """
    return {request: to_data(answer) for request, answer in _of_trace(opened, named or {}, whole)}


def named_entries(page: Page) -> dict[str, Named]:
    """The entries whose numbers a page shows, by the run and the id of their step. A step to which only a name or a
    part of a drawing leads has none.

    >>> from workings.lab.pages.reading import lesson_page
    >>> sorted(named_entries(lesson_page("example-1"))["twin"]["8"])
    [(0, 0), (0, 1), (1, 0), (1, 1)]
    """
    found: dict[str, dict[str, set[Index]]] = defaultdict(lambda: defaultdict(set))
    shown = [(number.step, {number.index}) for number in entries(page.document)]
    named = [(step, set[Index]()) for drawing in page.drawings for step in DRAWN.findall(drawing)]
    named += [(link.step, set()) for link in parts_of(page.document, Link)]
    for step, indexes in (*shown, *named):
        run, colon, id = step.rpartition(":")
        if colon:
            found[run][id] |= indexes
    return {run: dict(steps) for run, steps in found.items()}


# -- one trace ---------------------------------------------------------------------------------------


def _of_trace(opened: Opened, named: Named, whole: bool) -> Answered:
    seen, here = overview(opened), f"/api/traces/{opened.key}"
    yield posted("/api/traces", dataclasses.asdict(opened.wanted)), seen
    yield from _flows(opened, f"{here}/flow")
    recorder = _Recorder(opened, f"{here}/steps")
    held = recorder.with_their_numbers(named)
    told = (row.id for row in seen.steps if whole and row.told)
    for id in dict.fromkeys((*told, *held)):
        is_led_to = named.get(id) == set()  # a name or a drawing leads to all of it
        yield from recorder.of_step(id, held.get(id, set()), whole or is_led_to)


def _flows(opened: Opened, here: str, under: str = "") -> Answered:
    """The flow of the whole, and of each module that can be opened in it."""
    try:
        page = flow(opened, under)
    except StepError:  # nothing is computed forwards there
        return
    yield f"{here}?under={encoded(under)}" if under else here, page
    for figure in page.document.blocks:
        assert isinstance(figure, Figure)
        assert isinstance(figure.data, Flow)
        for module in dict.fromkeys(node.module for node in figure.data.nodes if node.module):
            yield from _flows(opened, here, module)


class _Recorder:
    """Answers about the steps of a trace; each hand calculation is made once."""

    def __init__(self, opened: Opened, steps: str) -> None:
        self.opened = opened
        self.steps = steps  # the address that they have in common
        self.cell = cache(partial(cell_page, opened))

    def with_their_numbers(self, named: Named) -> Named:
        """The entries, and those in their hand calculations, which a reader opens next."""
        held = defaultdict(set, {id: set(indexes) for id, indexes in named.items()})
        for id, indexes in named.items():
            for index in indexes:
                for number in entries(self.cell(id, index).page.document):
                    held[number.step].add(number.index)
        return held

    def of_step(self, id: str, named: set[Index], whole: bool) -> Answered:
        """A step and its named entries; of a small one that is wanted `whole`, all entries and the steps inside it."""
        opened, here = self.opened, f"{self.steps}/{id}"
        page, shape = step_page(opened, id), opened.view(id).shape
        yield here, page
        for lead in itertools.islice(indices(shape[:-2]), MOST_MATRICES):
            where = f"lead={','.join(map(str, lead))}&" if lead else ""
            query = f"{where}row=0&column=0&rows={CORNER}&columns={CORNER}"
            yield f"{here}/window?{query}", window(opened, id, lead, rows=CORNER, columns=CORNER)
        is_complete = whole and math.prod(shape) <= SMALL
        for index in indices(shape) if is_complete else sorted(named):
            yield f"{here}/cells/{','.join(map(str, index)) or '-'}", self.cell(id, index)
        if is_complete:
            for inner in page.inside:
                yield from self.of_step(inner.id, set(), whole)
