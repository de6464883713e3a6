"""`workings trace`: which computation is meant, and its run as a trace."""

from __future__ import annotations

import io
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, TypeAlias

import numpy

from ..conventions import convention
from ..engine.arrays import Array, Index
from ..engine.errors import InputError
from ..engine.sentences import say
from ..explain.document import Document, Link, Table, Words
from ..explain.view import Trace
from ..models.learning.checkpoint import load_checkpoint
from ..models.learning.opening import is_training, open_step
from ..models.reading.scenario_reading import DEFAULT
from ..models.scenario import Scenario, names, scenario
from ..models.scenario_page import scenario_document, step_document
from .output import write_whole

Wishes: TypeAlias = tuple[str, str | None, str | None, str | None]  # name, run, precision, convention


def trace_list() -> Document:
    """The scenarios that come with the package, with their runs."""
    rows = []
    for name in names():
        found = scenario(name)
        runs = ", ".join(run for run in found.runs if run != DEFAULT)
        rows.append(((Link(name, ""),), (Words(found.title),), (Words(runs),)))
    headings = tuple(say(f"cli.traces.{key}") for key in ("name", "summary", "runs"))
    return Document(say("cli.traces"), (Table(headings, tuple(rows)),))


@dataclass(frozen=True)
class Called:
    """A trace, how to make its page, and the scenario that it is of, if it is of one."""

    trace: Trace
    page: Callable[[], Document]
    scenario: Scenario | None = None


def trace_called(name: str, run: str | None, precision: str | None, profile: str | None) -> Called:
    """The trace of a scenario, of a training, or of a JSON file."""
    if _is_stored(name):
        stored = _stored(name, run, precision, profile)
        return Called(stored, lambda: stored.document(Path(name).name))
    if is_training(name, run):
        if profile is not None or precision is not None:
            raise InputError("input.training", name=name)
        opened = open_step(name, run, Counting(sys.stderr))
        title = say("cli.traces.step", name=Path(name).name, step=len(opened.history["loss"]))
        return Called(opened, lambda: step_document(opened, title, load_checkpoint(name).vocabulary))
    found, run = scenario(name), run or DEFAULT
    chosen = None if profile is None else convention(profile)
    trace = found.trace(run, precision=precision, convention=chosen)
    return Called(trace, lambda: scenario_document(found, run, trace), found)


def offline_trace(called: Called, document: Document, wishes: Wishes, place: tuple[str | None, Index | None]) -> str:
    """The page with the front end of the lab in it, which opens at a step and an entry if they are given."""
    from ..lab.offline_files import trace_file
    from ..lab.wanted import Wanted

    name, run, precision, profile = wishes
    step, index = place
    wanted = Wanted(Path(name).stem, run=run or DEFAULT, precision=precision or "", convention=profile or "")
    at = None if step is None else (called.trace[step], index or ())
    return trace_file(called.trace, document, wanted, called.scenario, at)


class Counting:
    """Tells how far something is that takes its time, where somebody is watching."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def __call__(self, done: int, steps: int) -> None:
        if self.stream.isatty() and (done % 10 == 0 or done == steps):
            end = "\n" if done == steps else ""
            self.stream.write("\r" + say("cli.traces.again", done=done, steps=steps) + end)
            self.stream.flush()


def write_values(arrays: Mapping[str, Array], path: Path) -> None:
    """Arrays by name as one .npz file."""
    stream = io.BytesIO()
    numpy.savez(stream, **arrays)
    write_whole(path, stream.getvalue())


def _is_stored(name: str) -> bool:
    """Whether a file holds a trace: JSON that begins with its schema."""
    if name in names():
        return False
    if name.endswith(".json"):
        return True
    try:
        with open(name, "rb") as file:
            return re.match(rb'\s*\{\s*"', file.read(64)) is not None
    except OSError:
        return False


def _stored(name: str, run: str | None, precision: str | None, profile: str | None) -> Trace:
    if run is not None:
        raise InputError("input.run", name=name)
    if profile is not None:
        raise InputError("input.convention.trace", name=name)
    try:
        trace = Trace.from_json(Path(name).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError("input.trace", name=name, names=", ".join(names())) from None
    except UnicodeDecodeError:
        raise InputError("input.binary", path=name) from None
    except OSError as error:
        raise InputError("input.file", path=name, reason=error.strerror) from None
    if precision in (None, trace.precision):
        return trace
    if trace.precision != "float64":  # digits that were rounded away do not come back
        raise InputError("input.precision", path=name, precision=trace.precision)
    return trace.in_precision(str(precision))
