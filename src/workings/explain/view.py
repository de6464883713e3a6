"""What users hold in their hands: `Trace` and its steps. Thin views over the engine.

with Trace() as trace:
weights = softmax(scores, axis="key", name="weights")
trace["weights"].cell(0, 1)
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, TypedDict

import numpy

from .. import conventions
from ..conventions import Convention
from ..engine import file
from ..engine.arithmetic import arithmetic
from ..engine.arrays import Array, dtype_name, is_array
from ..engine.backward import backward
from ..engine.changes import Changes
from ..engine.compile import Program, compile_recording
from ..engine.errors import CallError, NumberError, PrecisionError, ShapeError, StepError, TraceFileError
from ..engine.in_rule import find_mistake
from ..engine.leaves import leaf
from ..engine.names import find, find_all, locate
from ..engine.op import Op
from ..engine.page import Mistake
from ..engine.recording import Level, Recording
from ..engine.registry import OPS, find_op, nearest
from ..engine.replay import replay
from ..engine.rounding import GUARD, Unit
from ..engine.steps import Step
from ..engine.tensor import Tensor
from ..engine.trace_data import RunData
from .displayed import Displayed
from .document import Document, to_data
from .fitting import Fit, fitting
from .heads import HeadView, Part, find_part, find_parts, with_parts
from .numbers import PLAIN, Style
from .step import ledger_of
from .step_view import StepView
from .story import is_told, precision_text, story

SCHEMA = "workings/trace/1"


class TraceData(TypedDict):
    """A trace with its explanation, as `--format json` writes it."""

    schema: str
    lesson: str | None
    document: Document
    runs: list[RunData]


class Trace(Displayed):
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
        recording: Recording | None = None,
        convention: Convention | str | None = None,
        rerun: Callable[[Convention], Trace] | None = None,
    ) -> None:
        self.recording = recording or Recording(level, arithmetic(precision))
        self.style = style
        self.aliases = dict(aliases or {})
        # The convention that the run follows, where a call does not say otherwise, and how to run it with another.
        self.convention = None if convention is None else conventions.convention(convention)
        self.rerun = rerun
        # Of a run that draws its weights: the seed. Of one that trains: what it followed, step by step.
        self.seed: int | None = None
        self.history: dict[str, list[float]] = {}
        # What the places along the axes of a step are called, such as the words of the text.
        self.labels: Callable[[StepView], dict[str, tuple[str, ...]]] = lambda view: {}
        if self.convention is not None:
            for name, op in OPS.items():
                if op.page.conventions:
                    followed = conventions.settings_from(op, self.convention)
                    self.recording.follows[name] = {**self.recording.follows.get(name, {}), **followed}

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
        part = find_part(self.recording, name, self.aliases)
        if part is not None:
            return HeadView(self, part)
        recording, step = locate(self.recording, name, self.aliases)
        return StepView(self, step, recording)

    def all(self, name: str) -> list[StepView]:
        """Every step whose path ends in this name, or that one head of every step."""
        found = [StepView(self, step) for step in find_all(self.recording, self.aliases.get(name, name))]
        return found or [HeadView(self, part) for part in find_parts(self.recording, name, self.aliases)]

    def __contains__(self, name: str) -> bool:
        try:
            self[name]
        except StepError as error:
            return error.key == "step.ambiguous"
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
        part = find_part(self.recording, name, self.aliases)
        if part is not None and part.recording is not self.recording:
            raise StepError("step.inner", name=name, path=part.step.path.partition("/")[0])
        if part is not None:
            raise StepError("step.head.whole", name=name, path=part.step.path)
        return find(self.recording, name, self.aliases)

    # -- doing ---------------------------------------------------------------------------------

    def backward(self, target: str | Tensor, cotangent: Any = None, wrt: Sequence[str] | None = None) -> Trace:
        """Record the gradients of a step (of one number, unless a cotangent says how much each entry counts)."""
        step = self.find_step(target)
        leaves = None if wrt is None else [self.find_step(name) for name in wrt]
        array = None if cotangent is None else self._array(cotangent, step, step.path)
        backward(self.recording, step, array, leaves)
        return self

    def replay(
        self,
        values: Mapping[str, Any] | None = None,
        ops: Mapping[str, Op | Mistake | str] | None = None,
        settings: Mapping[str, Mapping[str, Any]] | None = None,
        wires: Mapping[str, Mapping[str, str]] | None = None,
    ) -> Trace:
        """A trace with the same ids in which exactly what depends on the changes is computed again."""
        changes = Changes(
            self._pinned(values or {}),
            {self.find_step(name).id: _an_op(op) for name, op in (ops or {}).items()},
            {self.find_step(name).id: dict(changed) for name, changed in (settings or {}).items()},
            {
                self.find_step(name).id: {i: self.find_step(s).id for i, s in w.items()}
                for name, w in (wires or {}).items()
            },
        )
        other_method = changes.ops or changes.settings or changes.wires
        return self._with(replay(self.recording, changes), None if other_method else self.convention)

    def _pinned(self, values: Mapping[str, Any]) -> dict[str, Array]:
        """The values to pin by step id; of one head, the whole step with that head in it."""
        pinned: dict[str, Array] = {}
        parts: list[tuple[Part, Array]] = []
        for name, value in values.items():
            part = find_part(self.recording, name, self.aliases)
            if part is not None and part.recording is self.recording:
                parts.append((part, self._array(value, part.step, part.path)))
            else:
                step = self.find_step(name)
                pinned[step.id] = self._array(value, step, step.path)
        return with_parts(pinned, parts)

    def _with(self, recording: Recording, convention: Convention | None) -> Trace:
        """The same run with other numbers; the convention is kept as long as only numbers are others."""
        return Trace(style=self.style, aliases=self.aliases, recording=recording, convention=convention)

    def mistakes(self, name: str | None = None, only: Collection[str] = ()) -> list[Fit]:
        """The mistakes that can be made in this trace, or at one step of it; each can be tried: `fit.make()`. With
        `only`, just those with these ids.

        >>> import workings as w
        >>> with w.Trace() as trace:
        ...     weights = w.ops.softmax(w.given([[2.0, 1.5], [0.3, 0.1]], "query key"), name="weights")
        >>> [fit.id for fit in trace.mistakes("weights")]
        ['softmax.wrong_axis', 'softmax.not_normalised', 'softmax.no_exponential']
        """
        return fitting(self, None if name is None else self.find_step(name), only)

    def in_precision(self, precision: str) -> Trace:
        """The same computation from the same leaves, worked out in another precision.

        >>> import workings as w
        >>> with w.Trace() as trace:
        ...     third = w.ops.div(w.given(1.0, name="one"), w.given(3.0, name="three"), name="third")
        >>> float(trace.in_precision("calculator 3 significant")["third"].value)
        0.333
        """
        return self._with(replay(self.recording, Changes(), arithmetic=arithmetic(precision)), self.convention)

    def fewest_digits(self, check: Callable[[Trace], object], unit: Unit = "significant") -> int:
        """The fewest digits of a calculator with which a check still holds: with these and with all above.

        A check looks at the trace as the calculator works it out. It fails by giving False or by an
        AssertionError; so does a calculator that runs into a division by zero.

        >>> import workings as w
        >>> with w.Trace() as trace:
        ...     third = w.ops.div(w.given(1.0, name="one"), w.given(3.0, name="three"), name="third")
        >>> trace.fewest_digits(lambda trace: abs(trace["third"].value - 1 / 3) < 0.001)
        3
        """
        held = None
        for digits in range(GUARD, 0, -1):
            if not self._holds(check, f"calculator {digits} {unit}"):
                break
            held = digits
        if held is None:
            raise PrecisionError("precision.never", digits=GUARD, unit=unit)
        return held

    def _holds(self, check: Callable[[Trace], object], precision: str) -> bool:
        try:
            verdict = check(self.in_precision(precision))
        except (AssertionError, NumberError):
            return False
        return verdict is None or bool(verdict)

    def compile(self, inputs: Sequence[str], outputs: Sequence[str]) -> Program:
        """The steps between some leaves and some results as one function of plain array calls."""
        return compile_recording(
            self.recording, [self.find_step(n) for n in inputs], [self.find_step(n) for n in outputs]
        )

    def _array(self, value: Any, step: Step, path: str) -> Array:
        if not is_array(value):
            try:
                value = numpy.asarray(value, dtype=dtype_name(self.recording.value(step.id)))
            except (ValueError, TypeError, OverflowError):
                raise ShapeError("shape.ragged", where=path, given=str(value)[:80]) from None
        return leaf(value, name=path, kind=step.leaf or "given").array

    # -- showing and storing -------------------------------------------------------------------

    def document(self, title: str = "Trace") -> Document:
        """The story of this trace, for any renderer."""
        return story(self.recording, title, self.style, self.convention)

    def to_data(self, title: str = "Trace", name: str = "default", document: Document | None = None) -> dict[str, Any]:
        """The trace with its explanation as JSON data; see schema/trace.json in the package."""
        steps = file.steps_data(self.recording)
        rows = {row["id"]: row for row in steps}
        for alias, target in self.aliases.items():
            if find_part(self.recording, target) is None:  # one head has no row of its own
                rows[self.find_step(target).id]["aliases"].append(alias)
        run: RunData = {
            "name": name,
            "seed": self.seed,
            "convention": asdict(self.convention) if self.convention is not None else {},
            "precision": self.precision,
            "history": [{"name": name, "axes": ["step"], "value": value} for name, value in self.history.items()],
            "steps": steps,
        }
        return {"schema": SCHEMA, "lesson": None, "document": to_data(document or self.document(title)), "runs": [run]}

    def to_json(self, title: str = "Trace") -> str:
        return json.dumps(self.to_data(title), allow_nan=False)

    @classmethod
    def from_json(cls, text: str, values: Mapping[str, Array] | None = None) -> Trace:
        """Rebuild a trace without the model; arrays too large for the JSON are given as `values`, by path."""
        try:
            data = json.loads(text)
        except (ValueError, TypeError, RecursionError) as error:
            raise TraceFileError("file.json", reason=f"it is not whole JSON ({error})") from None
        rows, precision = file.read_rows(data), file.precision_of(data)
        recording = file.from_steps_data(rows, numpy, precision, values)
        aliases = {alias: row["path"] for row in rows for alias in row.get("aliases", [])}
        trace = cls(recording=recording, aliases=aliases, convention=_convention(file.convention_of(data)))
        trace.seed, trace.history = file.seed_of(data), file.history_of(data)
        return trace

    def values(self) -> dict[str, Array]:
        """Every array by the path of its step, for `numpy.savez`."""
        return {step.path: numpy.asarray(self.recording.value(id)) for id, step in self.recording.steps.items()}

    def _shown(self) -> Document:
        steps = [step for step in self.recording.steps.values() if is_told(self.recording, step)]
        return Document("", (precision_text(self.recording, self.style), ledger_of(self.recording, steps, self.style)))

    def __repr__(self) -> str:
        rows = [f"  {s.id:>4}  {s.path:<28} {s.op_name:<18} {s.form}" for s in self.recording.steps.values()]
        return "\n".join([f"Trace of {len(rows)} steps, {self.precision}", *rows])


def _convention(choices: dict[str, Any]) -> Convention | None:
    """The convention of a file: its name is free, its choices are all there and can be made."""
    if not choices:
        return None
    lacking = [field for field in ("profile", *conventions.CHOICES) if field not in choices]
    if lacking or not isinstance(profile := choices.pop("profile"), str):
        raise TraceFileError("file.json", reason=f"its convention does not say {', '.join(lacking) or 'its name'}")
    return replace(conventions.convention(**choices), profile=profile)


def _an_op(op: Op | Mistake | str) -> Op | Mistake:
    """An op or one of its mistakes, by name: `softmax`, `softmax.wrong_axis`."""
    if not isinstance(op, str):
        return op
    page, dot, mistake = op.partition(".")
    found = find_op(page)
    if not dot:
        return found
    wrong = find_mistake(found, mistake)
    if wrong is None:
        raise CallError("op.unknown", name=op, nearest=nearest(op, (m.id for m in found.page.mistakes.values())))
    return wrong
