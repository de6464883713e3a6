"""`Trace`: what users hold. A thin view over the engine.

with Trace() as trace:
weights = softmax(scores, axis="key", name="weights")
trace["weights"].cell(0, 1)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from functools import cached_property
from typing import Any, TypedDict

import numpy

from .. import conventions
from ..conventions import Convention
from ..document.blocks import Document, to_data
from ..document.displayed import Displayed
from ..document.numbers import PLAIN, Style
from ..engine import file
from ..engine.arguments import CheckedCall, checks_arguments
from ..engine.arithmetic import arithmetic
from ..engine.arrays import Array, dtype_name, is_array
from ..engine.backward import backward
from ..engine.changes import Changes
from ..engine.compile import CompiledProgram, compile_recording
from ..engine.compiled_recording import CompiledRecording
from ..engine.errors import (
    AmbiguousStepError,
    NumberError,
    PrecisionError,
    StepError,
)
from ..engine.file_reading import not_a_trace
from ..engine.names import find, find_all, inside_a_step, locate
from ..engine.op import Op
from ..engine.page import Mistake
from ..engine.recording import Level, Recording
from ..engine.replay import replay
from ..engine.rounding import GUARD, Unit
from ..engine.steps import Step
from ..engine.tensor import Tensor, leaf, not_rectangular
from ..engine.trace_data import RunData
from .heads import HeadSlice, HeadView, find_head, find_heads, with_heads
from .mistakes import PossibleMistake, op_or_mistake, possible_mistakes
from .run import AxisLabels, History, Run, history_in, settings_followed, stored_convention
from .step_blocks import ledger_of, precision_text
from .step_view import StepView
from .stored_check import NOT_CHECKED, check_stored
from .story import is_shown, story

SCHEMA = "workings/trace/1"


class TraceData(TypedDict):
    """A trace with its explanation, as `--format json` writes it."""

    schema: str
    lesson: str | None
    document: Document
    runs: list[RunData]


class Trace(Displayed, metaclass=CheckedCall):
    """Every value of a computation, recorded while the block runs.

    >>> from workings.ops import given, softmax
    >>> with Trace() as trace:
    ...     weights = softmax(given([2.0, 1.0], "key", name="scores"), name="weights")
    >>> print(trace["weights"].cell(1))
    max = max(scores) = max(2, 1) = 2
    s0 = scores[0] − max = 2 − 2 = 0
    s1 = scores[1] − max = 1 − 2 = -1
    e0 = e^(s0) = e^(0) = 1
    e1 = e^(s1) = e^(-1) = 0.3679
    total = e0 + e1 = 1 + 0.3679 = 1.368
    weights[1] = e1 / total = 0.3679 / 1.368 = 0.2689
    """

    def __init__(
        self,
        level: Level = "trace",
        precision: str = "float64",
        style: Style = PLAIN,
        aliases: Mapping[str, str] | None = None,
        convention: Convention | str | None = None,
        *,
        run: Run | None = None,
        recording: Recording | None = None,
    ) -> None:
        self.recording = recording or CompiledRecording(level, arithmetic(precision))
        chosen = None if convention is None else conventions.convention(convention)
        self.run = run or Run(style, dict(aliases or {}), chosen)
        if self.run.convention is not None:
            for name, followed in settings_followed(self.run.convention).items():
                self.recording.follows[name] = {**self.recording.follows.get(name, {}), **followed}

    @checks_arguments
    def with_run(
        self,
        *,
        style: Style | None = None,
        aliases: Mapping[str, str] | None = None,
        seed: int | None = None,
        history: History | None = None,
        labels: Callable[[Trace], AxisLabels] | None = None,
        fixed: tuple[str, ...] | None = None,
    ) -> Trace:
        """The same steps as part of another run; their convention stays.

        >>> Trace().with_run(seed=3).seed
        3
        """
        given = {name: value for name, value in locals().items() if value is not None and name != "self"}
        return Trace(run=replace(self.run, **given), recording=self.recording)

    @property
    def style(self) -> Style:
        return self.run.style

    @property
    def aliases(self) -> Mapping[str, str]:
        return self.run.aliases

    @property
    def convention(self) -> Convention | None:
        """The convention that the run follows where a call does not say otherwise."""
        return self.run.convention

    @property
    def seed(self) -> int | None:
        """The seed of a run that draws its weights."""
        return self.run.seed

    @property
    def history(self) -> History:
        """What a training followed, step by step: `trace.history["loss"]`."""
        return self.run.history

    @cached_property
    def labels(self) -> AxisLabels:
        """The words along the axes of a step, such as the tokens of the text: `trace.labels(trace["weights"])`."""
        return self.run.labels(self)

    def __enter__(self) -> Trace:
        self.recording.__enter__()
        return self

    def __exit__(self, *exception: Any) -> None:
        self.recording.__exit__(*exception)

    @property
    def precision(self) -> str:
        return self.recording.arithmetic.precision

    # -- finding -------------------------------------------------------------------------------

    def __getitem__(self, name: str | Tensor) -> StepView:
        if isinstance(name, Tensor):
            return StepView(self, self.find_step(name))
        part = find_head(self.recording, name, self.aliases)
        if part is not None:
            return HeadView(self, part)
        recording, step = locate(self.recording, name, self.aliases)
        return StepView(self, step, recording)

    def all(self, name: str) -> list[StepView]:
        """Every step whose path ends in this name, or that one head of every step."""
        found = [StepView(self, step) for step in find_all(self.recording, self.aliases.get(name, name))]
        return found or [HeadView(self, part) for part in find_heads(self.recording, name, self.aliases)]

    def __contains__(self, name: str) -> bool:
        try:
            self[name]
        except AmbiguousStepError:
            return True
        except StepError:
            return False
        return True

    def __iter__(self) -> Iterator[StepView]:
        return (StepView(self, step) for step in self.recording.steps.values())

    def __len__(self) -> int:
        return len(self.recording.steps)

    def start_from(self, *tensors: Tensor) -> None:
        """Write down leaves now, before any scope, so that their paths are just their names."""
        for tensor in tensors:
            self.recording.id_of(tensor)

    def scope(self, name: str) -> Any:
        """Put a path part before everything that is recorded inside: `with trace.scope("step2"): ...`"""
        return self.recording.scope(name)

    def find_step(self, name: str | Tensor) -> Step:
        """The whole step of this name: one head of it, or a step inside a composite, is refused.

        >>> from workings.ops import exp, given
        >>> with Trace() as trace:
        ...     y = exp(given([2.0, 1.0], name="x"), name="y")
        >>> trace.find_step("y").op_name
        'exp'
        """
        if isinstance(name, Tensor):
            return self.recording.step(self.recording.id_of(name))
        part = find_head(self.recording, name, self.aliases)
        if part is not None and part.recording is not self.recording:
            raise inside_a_step(name, part.step.path.partition("/")[0])
        if part is not None:
            raise StepError(
                f"'{name}' is one head of the step {part.step.path}, not a step of its own.",
                hint=f"Name the whole step, {part.step.path}. You can read and pin the value of one head: "
                f"replay(values={{{name!r}: ...}}).",
            )
        return find(self.recording, name, self.aliases)

    # -- doing ---------------------------------------------------------------------------------

    @checks_arguments
    def backward(self, target: str | Tensor, cotangent: Any = None, wrt: Sequence[str] | None = None) -> Trace:
        """Record the gradients of a step (of one number, unless there is a cotangent: the upstream gradient)."""
        step = self.find_step(target)
        leaves = None if wrt is None else [self.find_step(name) for name in wrt]
        array = None if cotangent is None else self._array(cotangent, step, step.path)
        backward(self.recording, step, array, leaves)
        return self

    @checks_arguments
    def replay(
        self,
        values: Mapping[str, Any] | None = None,
        ops: Mapping[str, Op | Mistake | str] | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        wires: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Trace:
        """A trace with the same ids in which exactly the steps that depend on the changes are recomputed."""
        changes = Changes(
            self._pinned(values or {}),
            {self.find_step(name).id: op_or_mistake(op) for name, op in (ops or {}).items()},
            {self.find_step(name).id: dict(changed) for name, changed in (settings or {}).items()},
            {
                self.find_step(name).id: {i: self.find_step(s).id for i, s in w.items()}
                for name, w in (wires or {}).items()
            },
        )
        recording = replay(self.recording, changes)
        if changes.ops or changes.settings or changes.wires:  # a convention says nothing about this method
            run = replace(self.run, convention=None, rerun=None, history=history_in(recording, self.run.history))
            return Trace(run=run, recording=recording)
        return self._again(recording, lambda other: other.replay(values=other.present(values or {})))

    def present(self, values: Mapping[str, Any]) -> dict[str, Any]:
        """Those of the values whose step is here: under another convention one may be missing."""
        return {name: value for name, value in values.items() if name in self}

    def _pinned(self, values: Mapping[str, Any]) -> dict[str, Array]:
        """The values to pin by step id; of one head, the whole step with that head in it."""
        pinned: dict[str, Array] = {}
        parts: list[tuple[HeadSlice, Array]] = []
        for name, value in values.items():
            part = find_head(self.recording, name, self.aliases)
            if part is not None and part.recording is self.recording:
                parts.append((part, self._array(value, part.step, part.path)))
            else:
                step = self.find_step(name)
                pinned[step.id] = self._array(value, step, step.path)
        return with_heads(pinned, parts)

    def _again(self, recording: Recording, change: Callable[[Trace], Trace]) -> Trace:
        """The same run with other numbers; run under another convention, it gets the same change."""
        rerun = self.run.rerun
        changed = None if rerun is None else lambda convention: change(rerun(convention))
        history = history_in(recording, self.run.history)
        return Trace(run=replace(self.run, rerun=changed, history=history), recording=recording)

    def mistakes(self, name: str | None = None, only: Collection[str] = ()) -> list[PossibleMistake]:
        """The mistakes that can be made in this trace, or at one step of it; each can be tried: `fit.make()`. With
        `only`, just those with these ids.

        >>> import workings as w
        >>> with w.Trace() as trace:
        ...     weights = w.ops.softmax(w.given([[2.0, 1.5], [0.3, 0.1]], "query key"), name="weights")
        >>> [fit.id for fit in trace.mistakes("weights")][:3]
        ['softmax.wrong_axis', 'softmax.not_normalised', 'softmax.no_exponential']
        """
        return possible_mistakes(self, None if name is None else self.find_step(name), only)

    def in_precision(self, precision: str) -> Trace:
        """The same computation from the same leaves, worked out in another precision.

        >>> import workings as w
        >>> with w.Trace() as trace:
        ...     third = w.ops.div(w.given(1.0, name="one"), w.given(3.0, name="three"), name="third")
        >>> float(trace.in_precision("calculator 3 significant")["third"].value)
        0.333
        """
        again = replay(self.recording, Changes(), arithmetic=arithmetic(precision))
        return self._again(again, lambda other: other.in_precision(precision))

    def fewest_digits(self, check: Callable[[Trace], object], unit: Unit = "significant") -> int:
        """The fewest digits of a calculator with which a check still holds: with these and with all above.

        A check fails by giving False or by an AssertionError; so does a calculator that divides by zero.

        >>> import workings as w
        >>> with w.Trace() as trace:
        ...     third = w.ops.div(w.given(1.0, name="one"), w.given(3.0, name="three"), name="third")
        >>> trace.fewest_digits(lambda trace: abs(trace["third"].value - 1 / 3) < 0.001)
        3
        """
        held = None
        for digits in range(GUARD, 0, -1):
            try:
                if check(self.in_precision(f"calculator {digits} {unit}")) in (False, numpy.False_):
                    break
            except (AssertionError, NumberError):
                break
            held = digits
        if held is None:
            raise PrecisionError(
                f"The check does not hold even with {GUARD} {unit} digits.",
                hint=f"Look at what it asks for: trace.in_precision('calculator {GUARD} {unit}').",
            )
        return held

    def compile(self, inputs: Sequence[str], outputs: Sequence[str]) -> CompiledProgram:
        """The steps between some leaves and some results as one function of plain array calls."""
        return compile_recording(
            self.recording, [self.find_step(n) for n in inputs], [self.find_step(n) for n in outputs]
        )

    def _array(self, value: Any, step: Step, path: str) -> Array:
        if not is_array(value):
            try:
                value = numpy.asarray(value, dtype=dtype_name(self.recording.value(step.id)))
            except (ValueError, TypeError, OverflowError):
                raise not_rectangular(path, str(value)[:80]) from None
        return leaf(value, name=path, kind=step.leaf or "given").array

    # -- showing and storing -------------------------------------------------------------------

    def document(self, title: str = "Trace") -> Document:
        """The story of this trace, for any renderer."""
        return self.run.noted(story(self.recording, title, self.style, self.convention))

    def to_data(self, title: str = "Trace", name: str = "default", document: Document | None = None) -> dict[str, Any]:
        """The trace with its explanation as JSON data; see schema/trace.json in the package."""
        steps = file.steps_data(self.recording)
        rows = {row["id"]: row for row in steps}
        for alias, target in self.aliases.items():
            if find_head(self.recording, target) is None:  # one head has no row of its own
                rows[self.find_step(target).id]["aliases"].append(alias)
        run: RunData = {
            "name": name,
            "seed": self.seed,
            "convention": asdict(self.convention) if self.convention is not None else {},
            "precision": self.precision,
            "history": [{"name": name, "axes": ["step"], "value": list(value)} for name, value in self.history.items()],
            "steps": steps,
        }
        return {"schema": SCHEMA, "lesson": None, "document": to_data(document or self.document(title)), "runs": [run]}

    def to_json(self, title: str = "Trace") -> str:
        return json.dumps(self.to_data(title), allow_nan=False)

    @classmethod
    def from_json(cls, text: str, values: Mapping[str, Array] | None = None, trust: bool = False) -> Trace:
        """Rebuild a trace without the model; arrays too large for the JSON are given as `values`, by path.

        Every step is recomputed from its inputs, and a file with a step that does not follow is refused. With `trust`
        the numbers are not checked, and the pages of the trace say so (`trace.run.note`).
        """
        try:
            data = json.loads(text)
        except (ValueError, TypeError, RecursionError) as error:
            raise not_a_trace(f"it is not whole JSON ({error})") from None
        rows, precision = file.read_rows(data), file.precision_of(data)
        recording = file.from_steps_data(rows, numpy, precision, values)
        aliases = {alias: row["path"] for row in rows for alias in row.get("aliases", [])}
        run = Run(aliases=aliases, seed=file.seed_of(data), history=file.history_of(data))
        convention = stored_convention(file.convention_of(data))
        note = NOT_CHECKED if trust else check_stored(recording, rows, run.history)
        return cls(run=replace(run, convention=convention, note=note), recording=recording)

    def values(self) -> dict[str, Array]:
        """Every array by the path of its step, for `numpy.savez`."""
        return {step.path: numpy.asarray(self.recording.value(id)) for id, step in self.recording.steps.items()}

    def _shown(self) -> Document:
        steps = [step for step in self.recording.steps.values() if is_shown(self.recording, step)]
        shown = precision_text(self.recording, self.style), ledger_of(self.recording, steps, self.style)
        return self.run.noted(Document("", shown))

    def __repr__(self) -> str:
        rows = [f"  {s.id:>4}  {s.path:<28} {s.op_name:<18} {s.form}" for s in self.recording.steps.values()]
        return "\n".join([f"Trace of {len(rows)} steps, {self.precision}", *rows])
