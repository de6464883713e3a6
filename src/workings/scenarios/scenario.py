"""Scenario: a file that says what is computed, and its runs as traces.

scenario = w.scenario("example-3")        one that comes with the package, or the path of a file
scenario.trace("twin")["dW_V"].value
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import replace
from importlib import resources
from os.path import isfile
from pathlib import Path
from typing import Any

from ..conventions import Convention, convention
from ..document.blocks import Document, Items, Text, Words
from ..document.displayed import Displayed
from ..document.notation import Notation, check_symbols
from ..document.numbers import Style
from ..engine.arguments import checks_arguments
from ..engine.arrays import is_float
from ..engine.errors import ScenarioError, WorkingsError, did_you_mean
from ..engine.files import MissingFileError, read_user_file, shown_path
from ..engine.tensor import Tensor
from ..explain.run import Run
from ..explain.trace import Trace
from ..nn.architecture import Architecture
from ..text.tokens import Tokens
from ..training.gradients import LOSS
from ..training.trainer import Trainer
from .labels import labels_of, vocabulary_of
from .reading.location import about
from .reading.matrices import ids_of, matrix_of
from .reading.plan import GivenIds, Plan, TextPlan
from .reading.scenario_file import DEFAULT, ScenarioFile, read_scenario
from .reading.yaml_tree import MAX_FILE_BYTES
from .running.aliases import aliases_of
from .running.building import architecture_of, find_weight, texts_of
from .running.computation import OfModel, computation_of
from .running.generation import generate_text
from .running.training import record_kept_steps, trainer_of

FOLDER = resources.files(__package__) / "library"


class Scenario(Displayed):
    """A scenario and its runs.

    >>> example = scenario("example-3")
    >>> example.runs
    ('default', 'after', 'masked', 'embeddings-too', 'twin')
    >>> example.trace()["scores"].value
    array([[0.01, 0.  ],
           [0.  , 0.01]])
    """

    def __init__(self, name: str, file: ScenarioFile, text: str | bytes = "", folder: Path | None = None) -> None:
        self.name = name
        self.file = file
        self.text = text  # of the file, which is stored with a training
        self.folder = folder  # of the file, where there is one

    def changed(self, changes: str, run: str = DEFAULT) -> Scenario:
        """The same scenario with other keys in one of its runs, which are written as in a file.

        >>> scenario("example-2").changed("train: {learning_rate: 0.5}").plan().train.learning_rate
        0.5
        """
        return Scenario(self.name, read_scenario(self.text, self.name, changes, run), self.text, self.folder)

    def starting_from(self, run: str) -> Scenario:
        """The same scenario with this run as the default. The other runs differ from it as from the old one.

        >>> scenario("example-1").starting_from("twin").trace()["scores"].value.round(3)
        array([[ 0.004, -0.129],
               [ 0.233, -0.024]])
        """
        return Scenario(self.name, read_scenario(self.text, self.name, start=run), self.text, self.folder)

    @property
    def runs(self) -> tuple[str, ...]:
        return tuple(self.file.runs)

    def plan(self, run: str = DEFAULT) -> Plan:
        """What one run computes."""
        if run not in self.file.runs:
            raise ScenarioError(
                f"There is no run '{run}'.",
                hint=f"{did_you_mean(run, self.runs)}The runs are: {', '.join(self.runs)}.",
                where=self.name,
            )
        plan = self.file.runs[run]
        if self.folder is not None and isinstance(plan.data, TextPlan) and isfile(self.folder / plan.data.text):
            # The path of a text is relative to the scenario file, not to the current folder.
            path = str((self.folder / plan.data.text).absolute())
            return replace(plan, data=replace(plan.data, text=path))
        return plan

    @property
    def title(self) -> str:
        return self.plan().title or self.name

    def convention(self, run: str = DEFAULT) -> Convention:
        """The convention that a run follows."""
        chosen = self.plan(run).convention
        return convention(chosen.profile, **chosen.changes)

    def architecture(self, run: str = DEFAULT) -> Architecture:
        """The parts and sizes of the model of a run."""
        with self._located(run):
            return architecture_of(self.plan(run), self.convention(run))

    def vocabulary(self, run: str = DEFAULT) -> Tokens:
        """The tokens that the texts of a run are written in."""
        return vocabulary_of(self.plan(run), self.architecture(run).vocab_size)

    def longest(self, run: str = DEFAULT) -> int:
        """The tokens of the longest text of a run."""
        with self._located(run):
            return texts_of(self.plan(run)).longest

    @checks_arguments
    def trace(self, run: str = DEFAULT, *, precision: str | None = None, convention: Convention | None = None) -> Trace:
        """One run, computed: every step of it forward, and back and updated where the scenario says so."""
        with self._located(run):
            try:
                return self._traced(run, precision, convention)
            except MemoryError:
                raise ScenarioError(
                    "This needs more memory than there is.",
                    hint="Make the model smaller: fewer layers, a smaller width, a shorter text.",
                ) from None

    @checks_arguments
    def trainer(self, run: str = DEFAULT) -> Trainer:
        """The training of a run, before its first step."""
        with self._located(run):
            plan, chosen = self.plan(run), self.convention(run)
            return trainer_of(plan, computation_of(plan, chosen), chosen, plan.precision, own=True)

    def _traced(self, run: str, precision: str | None, other: Convention | None) -> Trace:
        plan = self.plan(run)
        chosen = other or self.convention(run)
        begun = Run(
            style=Style(notation=_notation(plan)),
            convention=chosen,
            labels=lambda trace: labels_of(plan, trace),
            rerun=lambda another: self.trace(run, precision=precision, convention=another),
        )
        trace = Trace(precision=precision or plan.precision, run=begun)
        if plan.model is not None and plan.given and plan.train is not None and plan.train.steps > 1:
            raise ScenarioError(
                "Steps can be pinned to given values only in one training step, and here are several.",
                hint="Use `steps: 1`, or leave out `given` or `train`.",
                keys=("given",),
            )
        if plan.backward is not None and plan.train is not None:
            raise ScenarioError(
                "The backward pass of training starts at the loss, and `backward` names another step.",
                hint="Leave out `backward` or `train`.",
                keys=("backward",),
            )
        computation = computation_of(plan, chosen, own=self.convention(run), precision=precision)
        seed = plan.parameters.seed if _draws(plan, computation.weights) else None
        weights, history = computation.weights, {}
        if plan.train is not None:
            # Long training is for `workings train`: here it stops at the last step that is shown, unless a text is
            # generated afterwards.
            to_the_end = not plan.data or bool(plan.examples) or plan.generate is not None
            trainer = trainer_of(plan, computation, chosen, trace.precision, own=other is None)
            history = {LOSS: tuple(record_kept_steps(trainer, plan.train, trace, to_the_end))}
            weights = trainer.weights()
        else:
            with trace:
                computation.write_down(computation.weights)
                loss = computation.forward(computation.weights)
            if plan.backward is not None:
                _go_back(trace, plan)
            elif loss is not None:
                trace.backward(LOSS)
        if plan.generate is not None and isinstance(computation, OfModel):
            generate_text(plan.generate, computation.built, weights, trace)
        aliases = aliases_of(plan, trace.recording, own=other is None)
        trace = trace.with_run(aliases=aliases, seed=seed, history=history)
        trace = trace.with_run(fixed=tuple(_fixed(plan, trace, computation.weights, own=other is None)))
        with about("notation", "symbols"):
            check_symbols(trace.recording, trace.style.notation)
        return _pinned(trace, plan) if plan.model is not None and plan.given else trace

    def points(self, run: str, trace: Trace) -> dict[str, float]:
        """How many points the blanks of a step are worth together, by its path, where the run says so."""
        with self._located(run):
            found = {}
            for name, points in self.plan(run).points.items():
                with about("points", name):
                    if not 0 <= points < math.inf:
                        raise ScenarioError(f"{points} cannot be points.", hint="Give a number from 0 up.")
                    found[trace.find_step(name).path] = points
            return found

    def _shown(self) -> Document:
        """What a notebook shows: what it is about, and its runs."""
        about = [Text((Words(text),)) for text in (self.plan().about,) if text]
        runs = Items(tuple((Text((Words(run, "code"),)),) for run in self.runs))
        return Document(self.title, (*about, runs))

    @contextmanager
    def _located(self, run: str) -> Iterator[None]:
        """Errors get the file, and the line of the keys that they are about."""
        try:
            yield
        except WorkingsError as error:
            if error.where != self.name and not error.where.startswith(f"{self.name}, "):  # not located yet
                place = self.name
                if error.keys:
                    location = self.file.location(run, *error.keys)
                    place, error.keys = str(location), location.keys
                error.where = ", ".join(part for part in (place, error.where) if part)
            raise


@checks_arguments
def scenario(source: str | Path) -> Scenario:
    """A scenario that comes with the package, by its name, or any other by the path of its file.

    >>> scenario("example-1").trace()["P"].value.round(4)
    array([0.2506, 0.2494, 0.2506, 0.2494])
    """
    name = str(source)
    packaged = FOLDER / f"{name}.yaml"
    if name in names():
        text: str | bytes = packaged.read_text(encoding="utf-8")
        return scenario_from(text, name)
    text = _text(Path(source))
    return Scenario(Path(name).name, read_scenario(text, Path(name).name), text, Path(name).parent)


def scenario_from(text: str | bytes, name: str) -> Scenario:
    r"""A scenario from its text, which errors call by this name.

    >>> scenario_from("scenario: 1\ngiven: {x: 1 2}\ncalculate: [y = exp(x)]", "mine").trace()["y"].value.round(3)
    array([2.718, 7.389])
    """
    return Scenario(name, read_scenario(text, name), text)


def names() -> tuple[str, ...]:
    """The scenarios that come with the package."""
    return tuple(sorted(file.name.removesuffix(".yaml") for file in FOLDER.iterdir() if file.name.endswith(".yaml")))


def _text(path: Path) -> str | bytes:
    try:
        return read_user_file(path, MAX_FILE_BYTES)
    except MissingFileError:
        raise ScenarioError(
            f"There is no file {shown_path(path)}, and no scenario with this name.",
            hint=f"{did_you_mean(str(path), names())}These come with the package: {', '.join(names())}.",
        ) from None


def _notation(plan: Plan) -> Notation:
    notation = plan.notation
    with about("notation"):
        return Notation(symbols=notation.symbols, count_from=notation.count_from, vectors=notation.vectors)


def _draws(plan: Plan, weights: Mapping[str, Tensor]) -> bool:
    """Whether some weights are drawn: those that are neither given nor start as zeros or ones."""
    given = set(weights) if plan.model is None else set()
    for name in plan.parameters.values:
        with suppress(ScenarioError):  # under another convention a weight may not be there
            given.add(find_weight(name, weights))
    return any(path not in given and weight.ndim > 1 for path, weight in weights.items())


def _fixed(plan: Plan, trace: Trace, weights: Iterable[str], own: bool) -> Iterator[str]:
    """The paths of the given values and weights that every worksheet keeps. Under another convention than the plan's
    own, some may not be there.
    """
    for name in plan.fixed:
        with nullcontext() if own else suppress(WorkingsError), about("fixed"):
            step = trace.find_step(name)
            if step.op is not None:
                raise ScenarioError(
                    f"'{name}' cannot be fixed: it is computed.",
                    hint="Name values that are given; everything that is computed from them follows.",
                )
            yield step.path
    for name in plan.frozen:
        with nullcontext() if own else suppress(ScenarioError):
            yield find_weight(name, weights, ("frozen",))


def _go_back(trace: Trace, plan: Plan) -> None:
    """From the step that the plan names, with the cotangent that it gives."""
    assert plan.backward is not None
    with about("backward", "of"):
        step = trace[plan.backward.of]
    cotangent = plan.backward.cotangent
    array = None if cotangent is None else matrix_of(cotangent, step.shape, ("backward", "cotangent"))
    trace.backward(step.path, array)


def _pinned(trace: Trace, plan: Plan) -> Trace:
    """The trace with the given values in their places; the steps that depend on them are computed again."""
    pins: dict[str, Any] = {}
    for name, pin in plan.given.items():
        keys = ("given", name)
        with about(*keys):
            step = trace[name]
        array = matrix_of(pin.ids if isinstance(pin, GivenIds) else pin.value, step.shape, keys)
        if pin.axes and pin.axes != step.axes:
            raise ScenarioError(
                f"The axes of this step are {' '.join(step.axes)}, not {' '.join(pin.axes)}.",
                hint="Leave out `axes`, or check the name of the step.",
                keys=keys,
            )
        pins[step.path] = array if is_float(step.value) else ids_of(array.tolist(), keys)
    return trace.replay(values=pins)
