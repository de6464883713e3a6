"""`workings figure`: one figure of a run, on the screen or as a picture in a file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import TypeVar

from ..counting.presets import PRESETS
from ..counting.survey import survey
from ..document.blocks import Document, Figure, Link, Table, Words
from ..document.numbers import PLAIN, Style
from ..engine.errors import InputError, did_you_mean
from ..engine.files import write_user_file
from ..explain.trace import Trace
from ..figures import KINDS, PAGES, picture
from ..figures.parts.matrix_window import Labels
from ..figures.parts.numbers import joined_notes
from ..figures.parts.options import read_options
from ..figures.parts.page import FigureRequest, Places, ShownStep, Takes
from ..lessons.contents import names as lesson_names
from ..scenarios.labels import token_labels
from ..scenarios.reading.scenario_file import DEFAULT
from ..scenarios.running.checkpoints import is_training, load_checkpoint
from ..scenarios.scenario import Scenario, names, scenario
from ..training.checkpoint import steps_in
from .options import no_runs
from .trace import TraceOptions, is_stored, nothing_to_trust, open_trace

Part = TypeVar("Part")
ENTRY = re.compile(r"(?P<step>[^\[\]]*)(?P<at>(?:\[\d{1,9}\])*)")  # weights[0][1]


def figure_list() -> Document:
    """The figures that there are."""
    rows = tuple(
        ((Link(name, ""),), (Words(page.example.figure(name)),), (Words(page.summary),)) for name, page in PAGES.items()
    )
    return Document("Figures", (Table(("figure", "for example", "what it shows"), rows),))


def check_figure(name: str, path: Path | None) -> None:
    """Refuse a figure that does not exist, and a file that cannot be a picture, before anything is computed."""
    form, names = _parts(name)
    if form not in PAGES:
        known = [page.example.figure(form) for form, page in PAGES.items()]
        raise InputError(
            f"There is no figure '{name}'.",
            hint=f"{did_you_mean(form, PAGES)}There are: {', '.join(known)}.",
        )
    PAGES[form].check_names(names)
    if path is not None and _kind(path) not in KINDS:
        endings = ", ".join(f".{kind}" for kind in KINDS)
        raise InputError(f"{path} is not the name of a picture.", hint=f"End it in one of: {endings}.")


def requested_figure(source: str, name: str, run: str | None, trust: bool = False) -> Figure:
    """One figure of a scenario, of a lesson's scenario, of a trace in JSON, or of a training in its folder."""
    if trust and not is_stored(source):
        raise nothing_to_trust(source)
    form, names = _parts(name)
    page, given = PAGES[form], dict[str, str]()
    if page.module_option and names:
        given, names = {page.module_option: names[0]}, ()
    if source in PRESETS and not is_training(source, run):
        request: FigureRequest = _preset(source, form, names, run)
    else:
        request = CommandRequest(source, run, names, trust)
    figures = list(page.figures(request, read_options(page.options, given)))
    if len(figures) > 1:
        raise InputError(f"The figure {form} shows one step, but {len(figures)} are named.", hint="Name one of them.")
    if not is_stored(source):
        return figures[0]
    return replace(figures[0], note=joined_notes(figures[0].note, request.trace.run.note))


def _parts(name: str) -> tuple[str, tuple[str, ...]]:
    """heatmap:weights, vectors:X,Q: the figure, and what is named behind the colon."""
    form, _, subject = name.partition(":")
    return form, tuple(part.strip() for part in subject.split(",") if part.strip())


class CommandRequest(FigureRequest):
    """What a figure shows of a scenario, a lesson, a trace in a file or a training."""

    def __init__(self, source: str, run: str | None, names: tuple[str, ...], trust: bool = False) -> None:
        self.source, self.chosen_run, self.names, self.trust = source, run, names, trust
        self.run = run or DEFAULT

    @cached_property
    def trace(self) -> Trace:
        if _is_lesson(self.source):
            return _scenario(self.source).trace(self.run)
        return open_trace(TraceOptions(self.source, self.chosen_run, trust=self.trust)).trace

    @cached_property
    def labels(self) -> Labels:
        """A trace in a file has none."""
        if not self._is_training:
            return self.trace.labels.axes
        vocabulary = load_checkpoint(self.source).vocabulary
        return {} if vocabulary is None else {"vocab": vocabulary.entries, **token_labels(self.trace, vocabulary)}

    @property
    def _is_training(self) -> bool:
        return is_training(self.source, self.chosen_run)

    def step(self, name: str) -> ShownStep:
        """A step, or one matrix of it: `weights[0]` is the first one, counted from 0."""
        found = ENTRY.fullmatch(name)
        step, at = (found["step"], found["at"]) if found else (name, "")
        view = self.trace[step]
        labels = self.labels if self._is_training else self.trace.labels(view)
        return ShownStep(name, view, tuple(int(place) for place in re.findall(r"\d+", at)), labels)

    def has_run(self, run: str) -> bool:
        return False  # --run says which

    def in_run(self, run: str) -> CommandRequest:
        return CommandRequest(self.source, run, self.names, self.trust)

    def located(self, part: Part) -> Part:
        return part

    @property
    def style(self) -> Style:
        return PLAIN if self._is_folder else super().style

    @property
    def _is_folder(self) -> bool:
        """Whether it is a training, which has more to draw than its scenario."""
        return bool(steps_in(Path(self.source)))

    def losses(self) -> Mapping[str, Places]:
        if self._is_folder:
            return self._losses_of_training()
        losses = super().losses()
        if losses["loss"]:
            return losses
        trained = _trained(self.source)
        if trained:
            raise InputError(
                f"The run '{self.run}' does not train, so it has no losses to draw.",
                hint=f"Choose one that does, with --run: {', '.join(trained)}.",
                where=self.source,
            )
        raise InputError(
            "Nothing is trained here, so there are no losses to draw.",
            hint="Add train: to the scenario, with steps: 2 or more.",
            where=self.source,
        )

    def _losses_of_training(self) -> Mapping[str, Places]:
        if self.chosen_run is not None:
            raise no_runs(self.source)
        training = load_checkpoint(self.source)
        held_out = [(float(check.step), check.loss) for check in training.checks]
        return {"loss": list(enumerate(training.losses, start=1)), "held_out": held_out}


class _Shapes(CommandRequest):
    """A model that is only counted: its steps have shapes but no values."""

    @cached_property
    def trace(self) -> Trace:
        return Trace(recording=survey(PRESETS[self.source], tokens=1, back=False))


def _preset(source: str, form: str, names: tuple[str, ...], run: str | None) -> FigureRequest:
    """A model that is only counted has no values and no runs."""
    if PAGES[form].needs_values:
        others = ", ".join(name for name, page in PAGES.items() if not page.needs_values)
        raise InputError(
            f"{source} is a model without a run, so the figure {form} has no values to show.",
            hint=f"Draw {others}, or name a scenario, a lesson or a training.",
        )
    if names and PAGES[form].takes is not Takes.MODULE:
        raise InputError(
            f"A figure of {source} shows the whole model, so '{', '.join(names)}' cannot be named.",
            hint=f"Write {form} alone.",
        )
    if run is not None:
        raise no_runs(source)
    return _Shapes(source, None, names)


def write_figure(figure: Figure, path: Path) -> None:
    """The figure as a picture, of the kind that the ending of the file says."""
    try:
        content = picture(figure, _kind(path))
    except ModuleNotFoundError as error:
        if error.name != "vl_convert":
            raise
        raise InputError(
            "The package vl-convert, which draws charts and writes PNG and PDF, is not installed.",
            hint='Install it with pip install "workings[print]". Without -o, the figure is shown here.',
        ) from None
    write_user_file(path, content)


def _kind(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def _is_lesson(source: str) -> bool:
    """Whether it names a lesson. A name that a lesson shares with its scenario means the scenario."""
    return source not in names() and (source in lesson_names() or source.endswith(".md"))


def _has_scenario(source: str) -> bool:
    return source in names() or source.endswith((".yaml", ".yml")) or _is_lesson(source)


def _scenario(source: str) -> Scenario:
    """A scenario by its name or file, or the main one of a lesson."""
    if not _is_lesson(source):
        return scenario(source)
    from ..lessons.lesson import lesson, no_scenario  # loading lessons takes a while

    found = lesson(source)
    if found.scenario is None:
        raise no_scenario(found.file.name)
    return found.scenario


def _trained(source: str) -> list[str]:
    """The runs of a scenario that are trained; a trace in a file has none to choose from."""
    if not _has_scenario(source):
        return []
    found = _scenario(source)
    return [run for run in found.runs if found.plan(run).train is not None]
