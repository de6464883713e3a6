"""Scenario: a file that says what is computed, and its runs as traces.

scenario = w.scenario("example-3")        one that comes with the package, or the path of a file
scenario.trace("twin")["dW_V"].value
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

from ..conventions import Convention, convention
from ..engine.arrays import is_float
from ..engine.errors import CallError, ScenarioError, WorkingsError
from ..engine.tensor import Tensor
from ..explain.displayed import Displayed
from ..explain.document import Document, Items, Text, Words
from ..explain.notation import Notation, check_symbols
from ..explain.numbers import Style
from ..explain.view import Trace
from ..nn.architecture import Architecture
from .reading.likely import likely
from .reading.matrix_reading import ids_of, matrix_of
from .reading.plan import GivenIds, Plan, TextPlan
from .reading.scenario_reading import DEFAULT, ScenarioFile, read_scenario
from .running.aliases import aliases_of
from .running.building import architecture_of, texts_of, weight_called
from .running.computation import LOSS, Computation, OfModel, computation_of
from .running.training import Trainer
from .running.writing import write_text

FOLDER = resources.files(__package__) / "scenarios"


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
        self.text = text  # of the file, so that it can be stored beside what was learned
        self.folder = folder  # that the file stands in, where it is one

    def changed(self, changes: str, run: str = DEFAULT) -> Scenario:
        """The same scenario with other keys in one of its runs, which are written as in a file.

        >>> scenario("example-2").changed("train: {rate: 0.5}").plan().train.rate
        0.5
        """
        return Scenario(self.name, read_scenario(self.text, self.name, changes, run), self.text, self.folder)

    @property
    def runs(self) -> tuple[str, ...]:
        return tuple(self.file.runs)

    def plan(self, run: str = DEFAULT) -> Plan:
        """What one run computes."""
        if run not in self.file.runs:
            near, runs = likely(run, self.runs), ", ".join(self.runs)
            key = "run.unknown" if near else "run.unknown.none"
            raise ScenarioError(key, run=run, nearest=near, runs=runs, where=self.name)
        plan = self.file.runs[run]
        if self.folder is not None and isinstance(plan.data, TextPlan) and (self.folder / plan.data.text).is_file():
            # A text that stands beside the file is meant, from wherever it is asked for.
            beside = str((self.folder / plan.data.text).absolute())
            return replace(plan, data=replace(plan.data, text=beside))
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

    def longest(self, run: str = DEFAULT) -> int:
        """The tokens of the longest text of a run."""
        with self._located(run):
            return texts_of(self.plan(run)).longest

    def trace(self, run: str = DEFAULT, *, precision: str | None = None, convention: Convention | None = None) -> Trace:
        """One run, computed: every step of it forward, and back and updated where the scenario says so."""
        with self._located(run):
            try:
                return self._traced(run, precision, convention)
            except MemoryError:
                raise ScenarioError("run.memory") from None

    def trainer(self, run: str = DEFAULT) -> Trainer:
        """The training of a run, before its first step."""
        with self._located(run):
            plan = self.plan(run)
            if plan.train is None:
                raise ScenarioError("run.no_train", where=self.name)
            return _trainer(plan, computation_of(plan, self.convention(run), self.name), own=True)

    def _traced(self, run: str, precision: str | None, other: Convention | None) -> Trace:
        plan = self.plan(run)
        chosen = other or self.convention(run)
        trace = Trace(
            precision=precision or plan.precision,
            convention=chosen,
            style=Style(notation=_notation(plan)),
            rerun=lambda another: self.trace(run, precision=precision, convention=another),
        )
        if plan.model is not None and plan.given and plan.train is not None and plan.train.steps > 1:
            raise ScenarioError("run.pins", where="given")
        if plan.backward is not None and plan.train is not None:
            raise ScenarioError("run.backward", where="backward")
        computation = computation_of(plan, chosen, self.name, own=self.convention(run), precision=precision)
        trace.seed = plan.parameters.seed if _draws(plan, computation.weights) else None
        weights = computation.weights
        if plan.train is not None:
            # Long training is for `workings train`: here it goes as far as the last step that is shown, unless a text
            # is written afterwards.
            to_the_end = not plan.data or bool(plan.examples) or plan.generate is not None
            trainer = _trainer(plan, computation, own=other is None)
            trace.history = {LOSS: trainer.record(trace, to_the_end)}
            weights = trainer.state.weights
        else:
            with trace:
                computation.write_down(computation.weights)
                loss = computation.forward(computation.weights)
            if plan.backward is not None:
                _go_back(trace, plan)
            elif loss is not None:
                trace.backward(LOSS)
        if plan.generate is not None and isinstance(computation, OfModel):
            write_text(plan.generate, computation.built, weights, trace)
        trace.aliases = aliases_of(plan, trace.recording, own=other is None)
        with _at("notation.symbols"):
            check_symbols(trace.recording, trace.style.notation)
        return _pinned(trace, plan) if plan.model is not None and plan.given else trace

    def _shown(self) -> Document:
        """What a notebook shows: what it is about, and its runs."""
        about = [Text((Words(text),)) for text in (self.plan().about,) if text]
        runs = Items(tuple((Text((Words(run, "code"),)),) for run in self.runs))
        return Document(self.title, (*about, runs))

    @contextmanager
    def _located(self, run: str) -> Iterator[None]:
        """An error that says which key it is about also says on which line that key stands."""
        try:
            yield
        except WorkingsError as error:
            keys, comma, rest = error.where.partition(", ")
            found = _keys(keys)
            if found:
                error.where = f"{self.file.place_of(run, *found)}{comma}{rest}"
            elif not error.where.startswith(self.name):
                error.where = ", ".join(part for part in (self.name, error.where) if part)
            raise


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
        return path.read_bytes()
    except FileNotFoundError:
        near = likely(str(path), names())
        key = "run.file" if near else "run.file.none"
        raise ScenarioError(key, path=path, nearest=near, names=", ".join(names())) from None
    except OSError as error:
        raise ScenarioError("run.file.closed", path=path, reason=error.strerror) from None


@contextmanager
def _at(keys: str) -> Iterator[None]:
    """What goes wrong inside is about these keys."""
    try:
        yield
    except WorkingsError as error:
        error.where = error.where or keys
        raise


def _notation(plan: Plan) -> Notation:
    notation = plan.notation
    with _at("notation"):
        return Notation(symbols=notation.symbols, count_from=notation.count_from, vectors=notation.vectors)


def _trainer(plan: Plan, computation: Computation, own: bool) -> Trainer:
    assert plan.train is not None
    try:
        return Trainer(plan.train, computation, _fixed(plan), own, plan.parameters.seed)
    except CallError as error:  # about the learning rate, or the settings of the optimiser
        error.where, error.given = "train", ""
        raise


def _draws(plan: Plan, weights: Mapping[str, Tensor]) -> bool:
    """Whether some weights are drawn: those that are neither given nor start as zeros or ones."""
    given = set(weights) if plan.model is None else set()
    for name in plan.parameters.values:
        with suppress(ScenarioError):  # under another convention a weight may not be there
            given.add(weight_called(name, weights))
    return any(path not in given and weight.ndim > 1 for path, weight in weights.items())


def _fixed(plan: Plan) -> tuple[str, ...]:
    """The weights that training leaves as they are."""
    is_fixed = plan.model is not None and plan.model.embedding == "fixed"
    return ("embedding.E", "encoder.embedding.E") if is_fixed else ()


def _go_back(trace: Trace, plan: Plan) -> None:
    """From the step that the plan names, with the cotangent that it gives."""
    assert plan.backward is not None
    with _at("backward.of"):
        step = trace[plan.backward.of]
    cotangent = plan.backward.cotangent
    array = None if cotangent is None else matrix_of(cotangent, step.shape, "backward.cotangent")
    trace.backward(step.path, array)


def _pinned(trace: Trace, plan: Plan) -> Trace:
    """The trace with the given values in their places: whatever depends on them is computed again."""
    pins: dict[str, Any] = {}
    for name, written in plan.given.items():
        where = f"given.{name}"
        with _at(where):
            step = trace[name]
        value = written.ids if isinstance(written, GivenIds) else written.value
        array = matrix_of(value, step.shape, where)
        if written.axes and written.axes != step.axes:
            raise ScenarioError("run.pin.axes", axes=" ".join(written.axes), needed=" ".join(step.axes), where=where)
        pins[step.path] = array if is_float(step.value) else ids_of(array.tolist(), where)
    pinned = trace.replay(values=pins)
    pinned.rerun, pinned.seed = trace.rerun, trace.seed
    if trace.history:  # of the one step, which is another now
        pinned.history = {LOSS: [float(pinned[LOSS].value)]}
    return pinned


def _keys(where: str) -> tuple[str | int, ...]:
    """The keys that `data.0.target` or `parameters.block1.attention.W_Q` means; none for another place."""
    first, dot, rest = where.partition(".")
    if first in ("parameters", "given", "aliases"):
        return (first, rest) if dot else (first,)
    if first in ("data", "model", "train", "generate", "backward", "vocabulary", "notation", "precision"):
        return (first, *(int(key) if key.isdigit() else key for key in rest.split(".") if key))
    return ()
