"""`workings train`: what is meant by its arguments, and how far training is."""

from __future__ import annotations

import json
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from ..engine.errors import InputError
from ..engine.sentences import add_sentences, say
from ..explain.document import Document
from ..models.learning.checkpoint import load_checkpoint
from ..models.learning.learned_page import learned_document
from ..models.learning.opening import is_training
from ..models.learning.recipe import Recipe
from ..models.learning.session import Progress, Session, begin_anew
from ..models.reading.plan import TextPlan
from ..models.reading.scenario_reading import DEFAULT
from ..models.scenario import scenario
from ..train.loop import mean_of

TEXTS = "characters"  # the scenario that a text file is put into
RECENT = 100  # steps whose losses a line tells the mean of
ENORMOUS = 10_000


@dataclass(frozen=True)
class Asked:
    """What the command line says, where it says something."""

    name: str | None
    data: Path | None = None
    run: str | None = None
    folder: Path | None = None
    steps: int | None = None
    rate: float | None = None
    seed: int | None = None
    keep: str | None = None
    save: int | None = None
    fresh: bool = False
    engine: str = "numpy"
    threads: int | None = None
    context: int | None = None

    def __post_init__(self) -> None:
        if self.engine != "numpy":
            raise InputError("train.engine", engine=self.engine)
        if self.threads is not None and self.threads < 1:
            raise InputError("train.threads", threads=self.threads)


def train_called(asked: Asked) -> Document:
    """Train until the last step, and a page on what was learned."""
    session = session_of(asked)
    _say(say("train.start" if session.step == 0 else "train.resume", name=session.recipe.name, step=session.step,
             steps=session.steps, folder=session.folder))  # fmt: skip
    with _stopping(session):
        _follow(session)
    if session.stopping:
        _say(say("train.stopped", step=session.step))
        raise KeyboardInterrupt
    return learned_document(session)


@contextmanager
def _stopping(session: Session) -> Iterator[None]:
    """Ctrl-C lets the step be finished and saved; a second one stops at once."""

    def stop(number: int, frame: object) -> None:
        if session.stopping:
            raise KeyboardInterrupt
        session.stopping = True

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def session_of(asked: Asked) -> Session:
    """The session that is meant, standing where its last checkpoint stands."""
    recipe, folder = _recipe(asked)
    session = Session(recipe, folder, asked.threads)
    if asked.fresh:  # only now, when it is sure that there is something to begin with
        begin_anew(folder)
    session.resume()
    return session


def _recipe(asked: Asked) -> tuple[Recipe, Path]:
    if asked.name is not None and is_training(asked.name):
        folder = Path(asked.name)
        if asked.folder is not None:
            raise InputError("train.folder", path=asked.name)
        old = load_checkpoint(folder).recipe
        merged = _merged("" if asked.fresh else old.changes, _changes(asked))
        return Recipe(old.name, old.text, asked.run or old.run, merged), folder
    if asked.name is None and asked.data is None:
        raise InputError("train.nothing")
    found = scenario(asked.name or TEXTS)
    text = found.text if isinstance(found.text, str) else found.text.decode("utf-8")
    name = found.name.removesuffix(".yaml").removesuffix(".yml")
    usual = name if asked.data is None else asked.data.stem
    usual = f"{usual}-training" if Path(usual).is_file() else usual
    title = found.name if asked.data is None else asked.data.name
    changes = _changes(asked)
    plan = found.plan(asked.run or DEFAULT)
    if asked.data is None and isinstance(plan.data, TextPlan) and Path(plan.data.text).is_file():
        # Wherever training goes on, it finds the text.
        changes["data"] = {"text": str(Path(plan.data.text).absolute()), **changes.get("data", {})}
    recipe = Recipe(title, text, asked.run or DEFAULT, json.dumps(changes) if changes else "")
    return recipe, asked.folder or Path(usual if asked.run is None else f"{usual}-{asked.run}")


def _changes(asked: Asked) -> dict[str, Any]:
    """What the command line changes, as keys of a scenario. JSON is YAML, too."""
    train: dict[str, Any] = {"steps": asked.steps, "rate": asked.rate, "save": asked.save}
    if asked.keep is not None:
        train["keep"] = _numbers(asked.keep)
    changes: dict[str, Any] = {"train": {key: value for key, value in train.items() if value is not None}}
    if asked.data is not None:
        changes["data"] = {"text": str(asked.data.absolute())}
    if asked.context is not None:
        changes["data"] = {**changes.get("data", {}), "context": asked.context}
    if asked.seed is not None:
        changes["parameters"] = {"seed": asked.seed}
    return {key: value for key, value in changes.items() if value}


def _merged(old: str, new: dict[str, Any]) -> str:
    merged: dict[str, Any] = json.loads(old) if old else {}
    for key, value in new.items():
        merged[key] = {**merged.get(key, {}), **value}
    return json.dumps(merged) if merged else ""


def _numbers(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise InputError("train.keep", text=text) from None


# -- how far it is -------------------------------------------------------------------------------------


def _follow(session: Session) -> None:
    """Train, with a bar where there is a terminal; else a line whenever held-out data is looked at."""
    if session.step >= session.steps:
        _say(say("train.ready", step=session.step, steps=session.steps))
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        for progress in session.run():
            if progress.check is not None or progress.step == session.steps:
                _say(_line(progress, session))
        return
    columns = (
        BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[said]}"), TimeRemainingColumn(compact=True),
    )  # fmt: skip
    with Bar(*columns, console=console) as bar:
        shown = bar.add_task("", total=session.steps, completed=session.step, said="")
        for progress in session.run():
            if progress.check is not None:
                bar.console.print(_line(progress, session), highlight=False, markup=False)
            bar.update(shown, completed=progress.step, said=_short(progress, session))


def _short(progress: Progress, session: Session) -> str:
    return say("train.bar", loss=_number(mean_of(session.losses, 20)), rate=f"{progress.rate:.2g}")


def _line(progress: Progress, session: Session) -> str:
    recent = session.losses[-RECENT:]
    loss, rate = _number(mean_of(recent)), f"{progress.rate:.2g}"
    said = say("train.line", step=progress.step, loss=loss, count=len(recent), rate=rate)
    if progress.check is not None:
        said += say("train.held_out", loss=_number(progress.check.loss), texts=progress.check.texts)
        if progress.check.exact is not None:
            said += say("train.exact", share=f"{progress.check.exact:.2%}")
    return said


def _number(loss: float) -> str:
    return f"{loss:.4f}" if loss < ENORMOUS else f"{loss:.3g}"


def _say(text: str) -> None:
    encoding = sys.stderr.encoding or "ascii"
    sys.stderr.write(text.encode(encoding, "replace").decode(encoding) + "\n")
    sys.stderr.flush()


add_sentences(
    "train",
    {
        "start": "Training {name}: {steps} steps. Checkpoints go into the folder {folder}.",
        "resume": "Training {name} goes on from step {step} of {steps}, in the folder {folder}.",
        "ready": "Nothing is left to do: step {step} is made, and {steps} were asked for.",
        "stopped": "Stopped after step {step}. The same command goes on from there.",
        "bar": "loss {loss}, rate {rate}",
        "line": "step {step}: loss {loss} (mean of {count} steps), rate {rate}",
        "held_out": "; {texts} held out: loss {loss}",
        "exact": ", {share} right",
    },
)

add_sentences(
    "error",
    {
        "train.nothing": "It is not said what is to be trained.",
        "train.nothing.try": "Name a scenario (workings train characters), or give a text: --data FILE.",
        "train.engine": "Training on '{engine}' is not there yet: NumPy computes.",
        "train.engine.try": "Leave out --engine.",
        "train.threads": "There is no training on {threads} threads.",
        "train.threads.try": "Give 1 or more.",
        "train.folder": "{path} is the folder of a training already; it goes on there.",
        "train.folder.try": "Leave out -o.",
        "train.keep": "'{text}' are no numbers of steps.",
        "train.keep.try": "Write them with commas between them: --keep 1,100.",
    },
)
