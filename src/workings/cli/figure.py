"""`workings figure`: one figure of a run, on the screen or as a picture in a file."""

from __future__ import annotations

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from ..engine.errors import InputError, LessonError, StepError
from ..engine.registry import nearest
from ..engine.sentences import say
from ..explain.backward_flow import backward_of
from ..explain.bars import bars_of
from ..explain.chain import chain_of
from ..explain.curve import loss_curve, training_curve
from ..explain.document import Document, Figure, Index, Link, Table, Words
from ..explain.flow import flow_of
from ..explain.graph import graph_of
from ..explain.head_diagram import heads_of
from ..explain.heatmap import heatmap_of, mask_of
from ..explain.links import links_of
from ..explain.plane import Groups, plane_of
from ..explain.step_view import StepView
from ..explain.treemap import treemap_of, treemap_of_numbers
from ..explain.vectors import vectors_of
from ..explain.view import Trace
from ..explain.window import Labels
from ..explain.windows import windows_of
from ..models.counting.survey import survey
from ..models.labels import labels_of, labels_of_step, token_labels
from ..models.learning.checkpoint import load_checkpoint, steps_in
from ..models.learning.opening import is_training
from ..models.presets import PRESETS
from ..models.reading.scenario_reading import DEFAULT
from ..models.scenario import Scenario, names, scenario
from ..render.svg import KINDS, picture
from ..teach.shelf import names as lesson_names
from .output import write_whole
from .trace import trace_called

LOSS, PARAMETERS = "loss", "treemap"
OF_MODULES = ("flow", "backward", "treemap", "heads")  # of the whole model, where none is named
PLACE = re.compile(r"(?P<step>[^\[\]]*)(?P<at>(?:\[\d{1,9}\])*)")  # weights[0][1]


def _at_places(maker: Callable[[Trace, str, Labels, Index], Figure]) -> Callable[[Trace, str, Labels], Figure]:
    """A figure of one matrix of a step: `weights[0]` is the first one, counted from 0."""

    def made(trace: Trace, what: str, labels: Labels) -> Figure:
        found = PLACE.fullmatch(what)
        step, at = (found["step"], found["at"]) if found else (what, "")
        return maker(trace, step, labels, tuple(int(place) for place in re.findall(r"\d+", at)))

    return made


def _in_plane(maker: Callable[[StepView | Groups, Labels], Figure]) -> Callable[[Trace, str, Labels], Figure]:
    """A figure of the rows of one step, or of several with a comma between their names."""

    def made(trace: Trace, what: str, labels: Labels) -> Figure:
        steps = [trace[name.strip()] for name in what.split(",")]
        return maker(steps[0] if len(steps) == 1 else [(step.path, step) for step in steps], labels)

    return made


def _chain(trace: Trace, what: str, labels: Labels) -> Figure:
    """One step, or several with a comma between their names."""
    steps = [trace[name.strip()] for name in what.split(",")]
    return chain_of(steps[0] if len(steps) == 1 else steps, labels)


def _treemap(trace: Trace, what: str) -> Figure:
    """All weights, or single numbers with a comma between their names."""
    if not what:
        return treemap_of(trace.recording)
    return treemap_of_numbers([(name.strip(), trace[name.strip()].number()) for name in what.split(",")])


# What stands behind the colon is a step, or of a flow chart a module.
FIGURES: dict[str, Callable[[Trace, str, Labels], Figure]] = {
    "heatmap": _at_places(heatmap_of),
    "mask": _at_places(mask_of),
    "links": _at_places(links_of),
    "windows": _at_places(windows_of),
    "bars": _at_places(bars_of),
    "flow": lambda trace, what, labels: flow_of(trace, what),
    "backward": lambda trace, what, labels: backward_of(trace, what),
    "graph": lambda trace, what, labels: graph_of(trace, what),
    "treemap": lambda trace, what, labels: _treemap(trace, what),
    "plane": _in_plane(plane_of),
    "vectors": _in_plane(vectors_of),
    "chain": _chain,
    "heads": heads_of,
}


def figure_list() -> Document:
    """The figures that can be asked for."""
    headings = tuple(say(f"cli.figures.{key}") for key in ("name", "example", "summary"))
    rows = tuple(
        ((Link(name, ""),), (Words(say(f"cli.figures.{name}.example")),), (Words(say(f"cli.figures.{name}")),))
        for name in (LOSS, *FIGURES)
    )
    return Document(say("cli.figures"), (Table(headings, rows),))


def check_figure(name: str, path: Path | None) -> None:
    """Refuse a figure that nobody knows, and a file that cannot be a picture, before anything is computed."""
    form, _, what = name.partition(":")
    if form not in (LOSS, *FIGURES):
        known = [say(f"cli.figures.{one}.example") for one in (LOSS, *FIGURES)]
        raise InputError("figure.name", name=name, nearest=nearest(form, (LOSS, *FIGURES), 1), names=", ".join(known))
    if form == LOSS and what:
        raise InputError("figure.loss", what=what)
    if form not in (LOSS, *OF_MODULES) and not what.strip():
        raise InputError("figure.step", form=form, example=say(f"cli.figures.{form}.example"))
    if path is not None and _kind(path) not in KINDS:
        raise InputError("figure.kind", path=path, kinds=", ".join(f".{kind}" for kind in KINDS))


def figure_called(source: str, name: str, run: str | None) -> Figure:
    """One figure of a scenario, of a lesson's scenario, of a trace in JSON, or of a training in its folder."""
    form, _, what = name.partition(":")
    if source in PRESETS and not is_training(source, run):
        return _of_preset(source, form, what.strip(), run)
    if form == LOSS:
        return _loss(source, run)
    trace = _trace(source, run)
    return FIGURES[form](trace, what.strip(), _labels(source, run, trace, what.strip()))


def _of_preset(source: str, form: str, what: str, run: str | None) -> Figure:
    """A model that is only counted has no numbers but those of its parameters, and no runs."""
    if form != PARAMETERS:
        raise InputError("figure.preset", name=source, form=form, parameters=PARAMETERS)
    if what:
        raise InputError("figure.preset.part", name=source, what=what, parameters=PARAMETERS)
    if run is not None:
        raise InputError("input.run", name=source)
    return treemap_of(survey(PRESETS[source], tokens=1, back=False))


def _trace(source: str, run: str | None) -> Trace:
    if _is_lesson(source):
        return _scenario(source).trace(run or DEFAULT)
    return trace_called(source, run, None, None).trace


def _labels(source: str, run: str | None, trace: Trace, what: str) -> Labels:
    """The words along the axes, as far as they are known: a trace in a file has none."""
    if is_training(source, run):
        vocabulary = load_checkpoint(source).vocabulary
        return {} if vocabulary is None else {"vocab": vocabulary.entries, **token_labels(trace, vocabulary)}
    if not _has_scenario(source):
        return {}
    found, labels = _scenario(source), labels_of(_scenario(source), run or DEFAULT, trace)
    with suppress(StepError):  # several steps, a module, or a name that the figure itself will refuse
        return labels_of_step(found, run or DEFAULT, trace[what.partition("[")[0]], labels)
    return labels


def _loss(source: str, run: str | None) -> Figure:
    if steps_in(Path(source)):  # a training has more to draw than its scenario
        return _loss_of_training(source, run)
    trace = _trace(source, run)
    figure = loss_curve(trace)
    if figure is not None:
        return figure
    if trace.history:
        raise InputError("figure.infinite", where=source)
    trained = _trained(source)
    if trained:
        raise InputError("figure.untrained", run=run or DEFAULT, runs=", ".join(trained), where=source)
    raise InputError("figure.untrained.none", where=source)


def _loss_of_training(folder: str, run: str | None) -> Figure:
    if run is not None:
        raise InputError("input.run", name=folder)
    training = load_checkpoint(folder)
    figure = training_curve(training.losses, [(check.step, check.loss) for check in training.checks])
    if figure is None:
        raise InputError("figure.infinite", where=folder)
    return figure


def write_figure(figure: Figure, path: Path) -> None:
    """The figure as a picture, of the kind that the ending of the file says."""
    try:
        content = picture(figure, _kind(path))
    except ModuleNotFoundError as error:
        if error.name != "vl_convert":
            raise
        raise InputError("figure.package") from None
    write_whole(path, content)


def _kind(path: Path) -> str:
    return path.suffix.lower().removeprefix(".")


def _is_lesson(source: str) -> bool:
    """Whether a lesson is meant. A name that a lesson shares with its scenario means the scenario."""
    return source not in names() and (source in lesson_names() or source.endswith(".md"))


def _has_scenario(source: str) -> bool:
    return source in names() or source.endswith((".yaml", ".yml")) or _is_lesson(source)


def _scenario(source: str) -> Scenario:
    """A scenario by its name or file, or the main one of a lesson."""
    if not _is_lesson(source):
        return scenario(source)
    from ..teach.lesson import lesson  # only who asks for a lesson waits until all of it is loaded

    found = lesson(source)
    if found.scenario is None:
        raise LessonError("lesson.no_scenario", where=found.file.name)
    return found.scenario


def _trained(source: str) -> list[str]:
    """The runs of a scenario that are trained; a trace in a file has none to choose from."""
    if not _has_scenario(source):
        return []
    found = _scenario(source)
    return [run for run in found.runs if found.plan(run).train is not None]
