"""A training session: steps, evaluations and checkpoints in one folder. It may be stopped at any moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from ..engine.errors import CheckpointError, NumberError, TrainingError, WorkingsError
from ..explain.trace import Trace
from .checkpoint import read_checkpoint, refuse_obstacles, remove_checkpoints, save_checkpoint, steps_in
from .checkpoint_format import Check, Checkpoint
from .evaluation import Evaluator
from .lock import locked
from .recipe import STEPS, TrainingRecipe
from .threads import on_threads, usual_threads

EVALUATION_BATCH = 64
CHECK_TEXTS, LAST_CHECK_TEXTS = 256, 10_000  # held-out texts that are evaluated: now and then, and after the last step
MAX_DIFFERENCES = 3  # between two trainings that an error names
MAX_DIFFERENCE_CHARS = 60


@dataclass(frozen=True)
class Progress:
    """What one step did."""

    step: int
    steps: int
    loss: float
    rate: float
    check: Check | None = None


class DivergedError(TrainingError):
    """Numbers that became infinite while training."""

    def __init__(self, step: int, rate: float, place: str, steepest: str) -> None:
        first = f" The first was {place}." if place else ""
        gradient = f" The largest gradient before it was that of {steepest}." if steepest else ""
        super().__init__(
            f"Training diverged at step {step}, with a learning rate of {rate:g}: numbers became infinite."
            f"{first}{gradient}",
            hint="Choose a smaller learning rate, a warm-up, or clip the gradient: `max_grad_norm: 1`.",
        )
        self.step = step
        self.place = place  # the step of the trace whose value is not finite
        self.steepest = steepest


class Session:
    """One training in one folder. If the folder has a checkpoint of it, it can resume from there."""

    def __init__(self, recipe: TrainingRecipe, folder: Path, threads: int | None = None) -> None:
        self.recipe = recipe
        self.folder = folder
        self._chosen_threads = threads
        self.threads = threads or usual_threads()
        if not recipe.precision.startswith("float"):
            raise TrainingError(
                f"Long training runs in floating point, not in {recipe.precision}.",
                hint="Write `precision: float64` or `float32`; `workings trace` trains with a calculator.",
                where="precision",
            )
        self.setup = recipe.build()
        self.trainer = self.setup.trainer
        self.trainer.compile()
        self.checks: list[Check] = []
        self.stopping = False  # set it to save and stop after the step that is being made
        self._protected: set[int] = set()  # steps whose checkpoints are not removed
        self._evaluate = Evaluator(self.setup.model, EVALUATION_BATCH, recipe.precision)

    @property
    def step(self) -> int:
        """How many steps were made."""
        return self.trainer.step

    @property
    def steps(self) -> int:
        """How many steps there are to make, with those that were made."""
        return self.recipe.options.steps

    @property
    def losses(self) -> list[float]:
        return self.trainer.losses

    # -- resuming -------------------------------------------------------------------------------------

    def resume(self, step: int | None = None) -> None:
        """Go to the state of the last checkpoint, or that of a step; without one, stay at the beginning."""
        if not steps_in(self.folder):
            return
        found = read_checkpoint(self.folder, self.recipe.from_data, step)
        self._refuse_other(found)
        self._restore(found)

    def _restore(self, found: Checkpoint[TrainingRecipe]) -> None:
        trainer = self.trainer
        for stored, parts in {"": found.weights, **found.memory}.items():
            for path, row in trainer.flat.views(trainer.flat.empty(trainer.precision)).items():
                if path not in parts or parts[path].dtype != row.dtype:
                    raise _misfit(found, f"{stored} of {path}" if stored else path)
        per_step = len(self.trainer.computation.updates(1))
        if set(found.memory) != set(trainer.optimizer.memory) or found.updates != found.step * per_step:
            raise _misfit(found, "the state of the optimizer")
        trainer.restore(found.losses, found.updates, found.weights, found.memory)
        # Checkpoints before the last two were to be kept, now or in an earlier session.
        self._protected = set(steps_in(self.folder)[:-2])
        self.checks = list(found.checks)
        self.threads = self._chosen_threads or found.threads  # with others, the last bit might differ

    def _refuse_other(self, found: Checkpoint[TrainingRecipe]) -> None:
        """Refuse to continue what another recipe, or other data, has begun."""
        old, new = found.recipe.settings, self.recipe.settings
        different = [key for key in {**old, **new} if old.get(key) != new.get(key)]
        if different == [STEPS]:
            raise CheckpointError(
                f"The learning rate falls until step {old[STEPS]}; with {new[STEPS]} steps it would have fallen "
                f"{'more slowly' if new[STEPS] > old[STEPS] else 'faster'}.",
                hint="Train from the beginning in another folder with -o, or keep the number of steps.",
                where=str(self.folder),
            )
        if different:
            values = [f"{key}: {old.get(key)}, now {new.get(key)}"[:MAX_DIFFERENCE_CHARS] for key in different]
            raise CheckpointError(
                f"This folder has another training: {found.recipe.name}, up to step {found.step} "
                f"({'; '.join(values[:MAX_DIFFERENCES])}).",
                hint="Choose another folder with -o, or --fresh to start over and lose what is there.",
                where=str(self.folder),
            )
        if found.data != self._fingerprint():
            raise CheckpointError(
                "The data has changed since this training began.",
                hint="Restore the old data, or train from the beginning in another folder with -o.",
                where=str(self.folder),
            )

    # -- training -----------------------------------------------------------------------------------

    def run(self) -> Iterator[Progress]:
        """Train to the last step, and report each."""
        with locked(self.folder):
            yield from self._run()

    def _run(self) -> Iterator[Progress]:
        options = self.recipe.options
        kept = {number - 1 for number in options.keep}
        refuse_obstacles(self.folder, range(self.step, self.steps + 1))
        if self.step in kept or self.step == 0:
            self.save(kept)
        while self.step < self.steps:
            loss = self._advance()
            last = self.step == self.steps
            texts = LAST_CHECK_TEXTS if last else CHECK_TEXTS
            check = self.check(texts) if last or self.step % options.eval_steps == 0 else None
            if last or self.step % options.save_steps == 0 or self.step in kept:
                self.save(kept)
            yield Progress(self.step, self.steps, loss, self.trainer.rate, check)
            if self.stopping:
                self.save(kept)
                return

    def advance_to(self, number: int, on_step: Callable[[int, int], None] | None = None) -> None:
        """Make the steps up to this one, and save nothing. After each, `on_step(made, to_make)` is called."""
        first = self.step
        while self.step < number:
            self._advance()
            if on_step is not None:
                on_step(self.step - first, number - first)

    def _advance(self) -> float:
        try:
            with on_threads(self.threads):
                return self.trainer.advance()
        except NumberError:
            raise self._diverged(self.step + 1) from None

    def _diverged(self, number: int) -> DivergedError:
        """Which number became infinite first. Some weights may have moved already, so the step is made again from the
        last checkpoint, and recorded: it stops at that number.
        """
        again = Session(self.recipe, self.folder, self.threads)
        again.resume()
        rate = self.trainer.rate
        try:
            with on_threads(self.threads):
                while again.step < number - 1:
                    again.trainer.advance()
            again.record_step()
        except WorkingsError as error:
            return DivergedError(number, rate, error.where, again.trainer.steepest())
        return DivergedError(number, rate, "", self.trainer.steepest())

    def record_step(self) -> Trace:
        """The next step as a whole trace: forward pass, backward pass and update."""
        trace = self.trainer.empty_trace()
        with on_threads(self.threads):
            self.trainer.record(trace)
        return trace

    # -- evaluating and saving ----------------------------------------------------------------------

    def check(self, size: int) -> Check | None:
        """Evaluate at most so many held-out texts; None where none are held out."""
        source = self.setup.source
        if source is None:
            return None
        texts = min(size, source.most_held_out)
        with on_threads(self.threads):
            loss, exact = self._evaluate(self.trainer.weights(), source.held_out(texts))
        self.checks.append(Check(self.step, loss, exact if source.has_answers else None, texts))
        return self.checks[-1]

    def save(self, kept: set[int]) -> None:
        """Write a checkpoint. The previous one stays in case this one is damaged; older ones are removed, unless their
        step was to be kept.
        """
        checkpoint = Checkpoint(
            self.recipe,
            self.step,
            self.trainer.updates,
            {path: tensor.array for path, tensor in self.trainer.weights().items()},
            self.trainer.memory(),
            tuple(self.losses),
            self.setup.vocabulary,
            self.setup.longest,
            self._fingerprint(),
            tuple(self.checks),
            self.threads,
        )
        save_checkpoint(self.folder, checkpoint)
        kept = kept | self._protected
        old = [step for step in steps_in(self.folder) if step < self.step and step not in kept]
        remove_checkpoints(self.folder, old[:-1])

    def _fingerprint(self) -> str:
        return "" if self.setup.source is None else self.setup.source.fingerprint


def start_over(folder: Path) -> None:
    """Remove the checkpoints of a folder, and nothing else."""
    remove_checkpoints(folder, steps_in(folder))


def _misfit(found: Checkpoint[TrainingRecipe], name: str) -> CheckpointError:
    return CheckpointError(
        f"This checkpoint does not fit the model that is trained: {name}.",
        hint="The scenario in state.json was changed. Use the checkpoint that `workings train` wrote.",
        where=found.where,
    )
