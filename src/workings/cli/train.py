"""`workings train`: from its options to a training session, and its progress."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from os.path import isfile
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from ..document.blocks import Document
from ..engine.arguments import unknown_choice
from ..engine.errors import InputError
from ..scenarios.reading.plan import TextPlan
from ..scenarios.reading.scenario_file import DEFAULT
from ..scenarios.running.checkpoints import is_training, load_checkpoint
from ..scenarios.running.recipe import Recipe
from ..scenarios.scenario import scenario
from ..training.session import Progress, Session, start_over
from ..training.trainer import mean_of
from ..training.training_page import training_document
from .streams import print_note

TEXT_SCENARIO = "characters"  # the one that a text file is put into
RECENT = 100  # steps whose mean loss a line shows
MAX_PLAIN_LOSS = 10_000  # a larger one is shown with an exponent
ENGINES = ("numpy",)  # the array libraries that can train


@dataclass(frozen=True)
class TrainOptions:
    """The options of the command; None where one is not given."""

    name: str | None
    data: Path | None = None
    run: str | None = None
    folder: Path | None = None
    steps: int | None = None
    learning_rate: float | None = None
    seed: int | None = None
    keep: str | None = None
    save_steps: int | None = None
    fresh: bool = False
    engine: str = "numpy"
    threads: int | None = None
    context: int | None = None

    def __post_init__(self) -> None:
        if self.engine not in ENGINES:
            raise unknown_choice("--engine", self.engine, ENGINES)
        if self.threads is not None and self.threads < 1:
            raise InputError(f"Training needs at least 1 thread, not {self.threads}.", hint="Give 1 or more.")


def train(options: TrainOptions) -> Document:
    """Train until the last step, and return a page on what was learned."""
    session = session_of(options)
    print_note(
        f"Training {session.recipe.name}: {session.steps} steps. Checkpoints go into the folder {session.folder}."
        if session.step == 0
        else f"Training {session.recipe.name} continues from step {session.step} of {session.steps}, in the folder "
        f"{session.folder}."
    )
    with _stopping(session):
        _follow(session)
    if session.stopping:
        print_note(f"Stopped after step {session.step}. The same command continues from there.")
        raise KeyboardInterrupt
    return training_document(session)


@contextmanager
def _stopping(session: Session) -> Iterator[None]:
    """Ctrl-C stops after the step, which is saved; a second one stops at once."""

    def stop(number: int, frame: object) -> None:
        if session.stopping:
            raise KeyboardInterrupt
        session.stopping = True

    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # in the background of a script: Ctrl-C is not for us
        yield
        return
    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def session_of(options: TrainOptions) -> Session:
    """The session of these options, at its last checkpoint."""
    recipe, folder = _recipe(options)
    session = Session(recipe, folder, options.threads)
    if options.fresh:  # only now that the session is known to be possible
        start_over(folder)
    session.resume()
    return session


def _recipe(options: TrainOptions) -> tuple[Recipe, Path]:
    if options.name is not None and is_training(options.name):
        folder = Path(options.name)
        if options.folder is not None:
            raise InputError(
                f"{options.name} is the folder of a training, which continues there.", hint="Leave out -o."
            )
        old = load_checkpoint(folder).recipe
        merged = _merged("" if options.fresh else old.changes, _changes(options))
        return Recipe(old.name, old.text, options.run or old.run, merged), folder
    if options.name is None and options.data is None:
        raise InputError(
            "There is nothing to train.",
            hint="Name a scenario (workings train characters), or give a text: --data FILE.",
        )
    found = scenario(options.name or TEXT_SCENARIO)
    text = found.text if isinstance(found.text, str) else found.text.decode("utf-8")
    name = found.name.removesuffix(".yaml").removesuffix(".yml")
    folder_name = name if options.data is None else options.data.stem
    folder_name = f"{folder_name}-training" if isfile(folder_name) else folder_name
    title = found.name if options.data is None else options.data.name
    changes = _changes(options)
    plan = found.plan(options.run or DEFAULT)
    if options.data is None and isinstance(plan.data, TextPlan) and isfile(plan.data.text):
        # An absolute path, so that training can continue from any folder.
        changes["data"] = {"text": str(Path(plan.data.text).absolute()), **changes.get("data", {})}
    recipe = Recipe(title, text, options.run or DEFAULT, json.dumps(changes) if changes else "")
    return recipe, options.folder or Path(folder_name if options.run is None else f"{folder_name}-{options.run}")


def _changes(options: TrainOptions) -> dict[str, Any]:
    """The options as keys of a scenario. JSON is YAML, too."""
    train: dict[str, Any] = {
        "steps": options.steps,
        "learning_rate": options.learning_rate,
        "save_steps": options.save_steps,
    }
    if options.keep is not None:
        train["keep"] = _numbers(options.keep)
    changes: dict[str, Any] = {"train": {key: value for key, value in train.items() if value is not None}}
    if options.data is not None:
        changes["data"] = {"text": str(options.data.absolute())}
    if options.context is not None:
        changes["data"] = {**changes.get("data", {}), "context": options.context}
    if options.seed is not None:
        changes["parameters"] = {"seed": options.seed}
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
        raise InputError(
            f"'{text}' is not a list of steps.", hint="Write their numbers with commas: --keep 1,100."
        ) from None


# -- progress ------------------------------------------------------------------------------------------


def _follow(session: Session) -> None:
    """Train, with a progress bar on a terminal; elsewhere with a line whenever held-out data is evaluated."""
    if session.step >= session.steps:
        print_note(f"Nothing is left to do: {session.step} of {session.steps} steps are done.")
        return
    console = Console(stderr=True)
    if not console.is_terminal:
        for progress in session.run():
            if progress.check is not None or progress.step == session.steps:
                print_note(_line(progress, session))
        return
    columns = (
        BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[losses]}"), TimeRemainingColumn(compact=True),
    )  # fmt: skip
    with Bar(*columns, console=console) as bar:
        shown = bar.add_task("", total=session.steps, completed=session.step, losses="")
        for progress in session.run():
            if progress.check is not None:
                bar.console.print(_line(progress, session), highlight=False, markup=False)
            bar.update(shown, completed=progress.step, losses=_short(progress, session))


def _short(progress: Progress, session: Session) -> str:
    return f"loss {_number(mean_of(session.losses, 20))}, rate {progress.rate:.2g}"


def _line(progress: Progress, session: Session) -> str:
    recent = session.losses[-RECENT:]
    loss, rate = _number(mean_of(recent)), f"{progress.rate:.2g}"
    line = f"step {progress.step}: loss {loss} (mean of {len(recent)} steps), rate {rate}"
    if progress.check is not None:
        line += f"; {progress.check.texts} held out: loss {_number(progress.check.loss)}"
        if progress.check.exact is not None:
            line += f", {progress.check.exact:.2%} right"
    return line


def _number(loss: float) -> str:
    return f"{loss:.4f}" if loss < MAX_PLAIN_LOSS else f"{loss:.3g}"
