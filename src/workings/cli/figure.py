"""`workings figure`: one figure of a run, on the screen or as a picture in a file."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ..engine.errors import InputError
from ..engine.sentences import say
from ..explain.curve import loss_curve, training_curve
from ..explain.document import Document, Figure, Link, Table, Words
from ..explain.view import Trace
from ..models.learning.checkpoint import Checkpoint, load_checkpoint, steps_in
from ..models.reading.scenario_reading import DEFAULT
from ..models.scenario import names, scenario
from ..render.svg import KINDS, picture
from .output import write_whole
from .trace import trace_called

FIGURES: dict[str, Callable[[Trace], Figure | None]] = {"loss": loss_curve}
TRAINING: dict[str, Callable[[Checkpoint], Figure | None]] = {
    "loss": lambda training: training_curve(training.losses, [(check.step, check.loss) for check in training.checks]),
}


def figure_list() -> Document:
    """The figures that can be asked for."""
    headings = (say("cli.figures.name"), say("cli.figures.summary"))
    rows = tuple(((Link(name, ""),), (Words(say(f"cli.figures.{name}")),)) for name in FIGURES)
    return Document(say("cli.figures"), (Table(headings, rows),))


def check_figure(name: str, path: Path | None) -> None:
    """Refuse a figure that nobody knows, and a file that cannot be a picture, before anything is computed."""
    if name not in FIGURES:
        raise InputError("figure.name", name=name, names=", ".join(FIGURES))
    if path is not None and _kind(path) not in KINDS:
        raise InputError("figure.kind", path=path, kinds=", ".join(f".{kind}" for kind in KINDS))


def figure_called(source: str, name: str, run: str | None) -> Figure:
    """One figure of a scenario, of a trace in JSON, or of a training in its folder."""
    if steps_in(Path(source)):  # a training has more to draw than its scenario
        return _trained_figure(source, name, run)
    trace, _ = trace_called(source, run, None, None)
    figure = FIGURES[name](trace)
    if figure is not None:
        return figure
    if trace.history:
        raise InputError("figure.infinite", where=source)
    trained = _trained(source)
    if trained:
        raise InputError("figure.untrained", run=run or DEFAULT, runs=", ".join(trained), where=source)
    raise InputError("figure.untrained.none", where=source)


def _trained_figure(folder: str, name: str, run: str | None) -> Figure:
    if run is not None:
        raise InputError("input.run", name=folder)
    figure = TRAINING[name](load_checkpoint(folder))
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


def _trained(source: str) -> list[str]:
    """The runs of a scenario that are trained; a trace in a file has none to choose from."""
    if source not in names() and not source.endswith((".yaml", ".yml")):
        return []
    found = scenario(source)
    return [run for run in found.runs if found.plan(run).train is not None]
