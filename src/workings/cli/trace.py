"""`workings trace`: a scenario, a step of a training, or the JSON of a trace, opened and shown."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import NamedTuple, TextIO

import numpy

from ..conventions import convention
from ..document.blocks import Document, Link, Table, Words
from ..engine.arrays import Array, Index
from ..engine.errors import InputError, TraceFileError
from ..engine.files import MissingFileError, read_user_text, shown_path, write_user_file
from ..explain.trace import Trace
from ..scenarios.reading.scenario_file import DEFAULT
from ..scenarios.running.checkpoints import is_training, load_checkpoint, open_step
from ..scenarios.scenario import Scenario, names, scenario
from ..scenarios.scenario_page import scenario_document, step_document
from .options import no_runs

MAX_TRACE_BYTES = 500_000_000


def trace_list() -> Document:
    """The scenarios that come with the package, with their runs."""
    rows = []
    for name in names():
        found = scenario(name)
        runs = ", ".join(run for run in found.runs if run != DEFAULT)
        rows.append(((Link(name, ""),), (Words(found.title),), (Words(runs),)))
    headings = ("scenario", "what it shows", "other runs")
    return Document("Scenarios that are ready to run", (Table(headings, tuple(rows)),))


class TraceOptions(NamedTuple):
    """What is to be traced, and how it is computed where that differs from what the scenario says."""

    source: str
    run: str | None = None
    precision: str | None = None
    convention: str | None = None
    trust: bool = False  # the numbers of a stored trace, without computing them again


@dataclass(frozen=True)
class OpenedTrace:
    """A trace, how to make its page, and its scenario if it has one."""

    trace: Trace
    page: Callable[[Trace], Document]
    scenario: Scenario | None = None


def open_trace(options: TraceOptions) -> OpenedTrace:
    """The trace of a scenario, of a training, or of a JSON file."""
    source, run, precision, profile, trust = options
    if is_stored(source):
        stored = _stored(options)
        return OpenedTrace(stored, lambda trace: trace.document(Path(source).name))
    if trust:
        raise nothing_to_trust(source)
    if is_training(source, run):
        if profile is not None or precision is not None:
            raise InputError(
                f"The steps of {source} are shown as they were computed.",
                hint="Leave out --precision and --convention.",
            )
        opened = open_step(source, run, StepCounter(sys.stderr))
        title = f"{Path(source).name}, step {len(opened.history['loss'])}"
        return OpenedTrace(opened, lambda trace: step_document(trace, title, load_checkpoint(source).vocabulary))
    found, run = scenario(source), run or DEFAULT
    chosen = None if profile is None else convention(profile)
    trace = found.trace(run, precision=precision, convention=chosen)
    return OpenedTrace(trace, lambda trace: scenario_document(found, run, trace), found)


def offline_trace(
    opened: OpenedTrace, document: Document, options: TraceOptions, place: tuple[str | None, Index | None]
) -> str:
    """The page with the front end of the lab in it, which opens at a step and an entry if they are given."""
    from ..lab.offline.files import trace_file
    from ..lab.traces.wanted import Wanted

    source, run, precision, profile, _ = options
    step, index = place
    wanted = Wanted(Path(source).stem, run=run or DEFAULT, precision=precision or "", convention=profile or "")
    at = None if step is None else (opened.trace[step], index or ())
    return trace_file(opened.trace, document, wanted, opened.scenario, at)


class StepCounter:
    """Shows on a terminal how many steps of a training are recomputed."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def __call__(self, done: int, steps: int) -> None:
        if self.stream.isatty() and (done % 10 == 0 or done == steps):
            end = "\n" if done == steps else ""
            self.stream.write(f"\rrecomputing step {done} of {steps}{end}")
            self.stream.flush()


def write_values(arrays: Mapping[str, Array], path: Path) -> None:
    """Arrays by name as one .npz file."""
    stream = io.BytesIO()
    numpy.savez(stream, **arrays)
    write_user_file(path, stream.getvalue())


def nothing_to_trust(source: str) -> InputError:
    return InputError(f"{shown_path(source)} is not a stored trace: it is computed now.", hint="Leave out --trust.")


def is_stored(source: str) -> bool:
    """Whether a file holds a trace: JSON that begins with its schema."""
    if source in names():
        return False
    if source.endswith(".json"):
        return True
    if isfile(source):
        with suppress(OSError), open(source, "rb") as file:
            return re.match(rb'\s*\{\s*"', file.read(64)) is not None
    return False


def _stored(options: TraceOptions) -> Trace:
    source, run, precision, profile, trust = options
    if run is not None:
        raise no_runs(source)
    if profile is not None:
        raise InputError(
            f"{source} follows no convention that could be changed.",
            hint="Leave out --convention, or run its scenario with it.",
        )
    try:
        trace = Trace.from_json(read_user_text(source, MAX_TRACE_BYTES), trust=trust)
    except TraceFileError as error:
        error.where = ", ".join(filter(None, (shown_path(source), error.where)))
        raise
    except MissingFileError:
        raise InputError(
            f"There is no trace '{shown_path(source)}'.",
            hint=f"Give the file of a trace written with --format json, or one of: {', '.join(names())}.",
        ) from None
    if precision in (None, trace.precision):
        return trace
    if trace.precision != "float64":  # digits that were rounded away do not come back
        raise InputError(
            f"{source} was calculated in {trace.precision}, and is shown as it was calculated.",
            hint="Leave out --precision, or compute the trace again with it.",
        )
    return trace.in_precision(str(precision))
