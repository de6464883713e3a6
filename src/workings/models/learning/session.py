"""A session of training: steps, looks at what was held out, and checkpoints. It may be stopped at any moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ...engine.errors import CheckpointError, NumberError, TrainingError, WorkingsError
from ...explain.view import Trace
from ...train.judging import Judge
from ...train.loop import Training
from ..running.building import Texts
from ..running.computation import BatchComputation, ModelComputation
from ..running.training import Trainer
from . import checkpoint as files
from .checkpoint import Check, Checkpoint
from .recipe import Recipe
from .threads import on_threads, usual_threads

PORTION = 64  # texts that are looked at together
FEW, MANY = 256, 10_000  # texts that are looked at: now and then, and at the end


@dataclass(frozen=True)
class Progress:
    """What one step did."""

    step: int
    steps: int
    loss: float
    rate: float
    check: Check | None = None


class Session:
    """One training in one folder. If the folder has a checkpoint of it, it goes on from there."""

    def __init__(self, recipe: Recipe, folder: Path, threads: int | None = None) -> None:
        self.recipe = recipe
        self.folder = folder
        self._asked_threads = threads
        self.threads = threads or usual_threads()
        plan = recipe.plan
        if not plan.precision.startswith("float"):
            raise TrainingError("train.precision", precision=plan.precision, where="precision")
        self.trainer: Trainer = recipe.scenario.trainer(recipe.run)
        self.computation = self.trainer.computation
        self.trace = Trace(precision=plan.precision, convention=recipe.scenario.convention(recipe.run))
        self.training: Training = self.trainer.compiled(self.trace)
        self.step = 0
        self.losses: list[float] = []
        self.stopping = False  # set by whoever wants it to save and stop after the step that it is making
        self._protected: set[int] = set()
        self.checks: list[Check] = []
        self._judge = self._made_judge()

    @property
    def steps(self) -> int:
        return self.recipe.train.steps

    # -- going on -----------------------------------------------------------------------------------

    def resume(self, step: int | None = None) -> None:
        """Stand where the last checkpoint stands, or that of a step; without one, stay at the beginning."""
        if not files.steps_in(self.folder):
            return
        found = files.load_checkpoint(self.folder, step)
        self._refuse_other(found)
        self._take(found)

    def _take(self, found: Checkpoint) -> None:
        training = self.training
        views = [training.flat.views(training.state.weights), *training.carried().values()]
        stored = [found.weights, *(found.carried[name] for name in training.optimiser.carried)]
        for view, values in zip(views, stored, strict=True):
            for path, row in view.items():
                if path not in values or values[path].shape != row.shape or values[path].dtype != row.dtype:
                    raise CheckpointError("checkpoint.weights", path=path, where=found.where)
                row[...] = values[path]
        training.state.step = found.updates
        # What lies before the last two was to be kept, now or in an earlier session.
        self._protected = set(files.steps_in(self.folder)[:-2])
        self.step, self.losses, self.checks = found.step, list(found.losses), list(found.checks)
        self.threads = self._asked_threads or found.threads  # on others, the last bit might not be the same

    def _refuse_other(self, found: Checkpoint) -> None:
        """Refuse to go on with what another recipe, or other data, has begun."""
        if not found.recipe.goes_on(self.recipe):
            if found.recipe.differs_in_steps(self.recipe):
                old, new = found.recipe.train.steps, self.steps
                raise CheckpointError("checkpoint.falls", old=old, new=new, where=str(self.folder))
            raise CheckpointError(
                "checkpoint.other",
                name=found.recipe.name,
                step=found.step,
                differences="; ".join(found.recipe.differences(self.recipe)),
                where=str(self.folder),
            )
        if found.data != self._fingerprint():
            raise CheckpointError("checkpoint.data", where=str(self.folder))

    # -- training -----------------------------------------------------------------------------------

    def run(self) -> Iterator[Progress]:
        """Train to the last step, and tell of each."""
        with files.claimed(self.folder):
            yield from self._run()

    def _run(self) -> Iterator[Progress]:
        train = self.recipe.train
        kept = {number - 1 for number in train.keep or ()}
        if self.step in kept or self.step == 0:
            self.save(kept)
        while self.step < self.steps:
            number = self.step + 1
            loss = self._advanced(number)
            self.step = number
            self.losses.append(loss)
            last = number == self.steps
            check = self.check(MANY if last else FEW) if last or number % train.check == 0 else None
            if last or number % train.save == 0 or number in kept:
                self.save(kept)
            yield Progress(number, self.steps, loss, self.training.rate, check)
            if self.stopping:
                self.save(kept)
                return

    def advance_to(self, number: int, tell: Callable[[int, int], None] | None = None) -> None:
        """Make the steps up to this one, and save nothing. `tell` hears how many are made, and how many there are."""
        first = self.step
        for step in range(first + 1, number + 1):
            self.losses.append(self._advanced(step))
            self.step = step
            if tell is not None:
                tell(step - first, number - first)

    def _advanced(self, number: int) -> float:
        try:
            with on_threads(self.threads):
                return self.trainer.advance(self.training, number)
        except NumberError:
            raise self._blown(number) from None

    def _blown(self, number: int) -> TrainingError:
        """Whose number grew out of bounds first. Some weights may have moved already: the step is made again from the
        last checkpoint, and recorded; it stops where the number is.
        """
        again = Session(self.recipe, self.folder, self.threads)
        again.resume()
        rate = f"{self.training.rate:g}"
        try:
            for step in range(again.step + 1, number):
                again.trainer.advance(again.training, step)
            again.recorded(number)
        except WorkingsError as error:
            steepest = again.training.steepest()
            key = "train.blown" if steepest else "train.blown.first"
            return TrainingError(key, step=number, path=error.where, rate=rate, steepest=steepest)
        steepest = self.training.steepest()
        return TrainingError("train.blown.update", step=number, rate=rate, steepest=steepest)

    def recorded(self, number: int) -> Trace:
        """The next step as a whole trace: forward, backward and update."""
        self.trainer.go_on_from(self.training)
        trace = Trace(precision=self.trace.precision, convention=self.trace.convention, style=self.trace.style)
        with trace:
            self.computation.write_down(self.trainer.state.weights)
        with on_threads(self.threads):
            self.trainer.step(trace, number, "")
        return trace

    # -- looking and saving -------------------------------------------------------------------------

    def check(self, size: int) -> Check | None:
        """A look at so many texts that were held out; None where nothing is."""
        if self._judge is None or not isinstance(self.computation, BatchComputation):
            return None
        source = self.computation.source
        texts = min(size, source.most_held_out)
        with on_threads(self.threads):
            found = self._judge(self.training.weights(), source.held_out(texts))
        check = Check(self.step, found.loss, found.exact if source.has_answers else None, texts)
        self.checks.append(check)
        return check

    def save(self, kept: set[int]) -> None:
        """A checkpoint of now. The one before stays, in case this one comes to harm; older ones are removed unless a
        step was to be kept.
        """
        texts = self._texts()
        training = self.training
        files.save(
            self.folder,
            Checkpoint(
                self.recipe,
                self.step,
                training.state.step,
                {path: tensor.array for path, tensor in training.weights().items()},
                training.carried(),
                tuple(self.losses),
                texts.vocabulary,
                texts.longest,
                self._fingerprint(),
                tuple(self.checks),
                self.threads,
            ),
        )
        kept = kept | self._protected
        old = [step for step in files.steps_in(self.folder) if step < self.step and step not in kept]
        files.remove(self.folder, old[:-1])

    def _texts(self) -> Texts:
        computation = self.computation
        if isinstance(computation, BatchComputation):
            return Texts(computation.source.vocabulary, computation.source.longest)
        if isinstance(computation, ModelComputation):
            longest = max(len(text) for row in computation.rows for text in (row.tokens, row.written or []))
            return Texts(computation.built.vocabulary, longest)
        raise TrainingError("train.lines")

    def _fingerprint(self) -> str:
        computation = self.computation
        return computation.source.fingerprint if isinstance(computation, BatchComputation) else ""

    def _made_judge(self) -> Judge | None:
        if not isinstance(self.computation, BatchComputation):
            return None
        return Judge(self.computation.built.quiet(), PORTION, self.recipe.plan.precision)


def begin_anew(folder: Path) -> None:
    """Remove the checkpoints of a folder, and nothing else."""
    files.remove(folder, files.steps_in(folder))
