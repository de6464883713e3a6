"""What a page promises, frozen: how its op is called, the axes of its results, and what its mistakes give.

Also the names that a reader meets: of the steps inside, and of the lines of the calculations by hand.

A rule has a judge, but a mistake has none: whatever is wrong differs from the truth. So its numbers on the examples of
its page are written down, in frozen.json, and whoever changes a mistake sees it there. So are the words of the axes,
which no other library knows. `python tests/frozen.py write` (make frozen) writes the
file anew, one line for each mistake, to be read before it is committed.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path
from typing import Any

from example_runs import arrays_of, cotangents, plain, pull_back, record, tensors_of
from hand_calculations import hand_calculations
from more_examples import examples_of

import workings  # noqa: F401 - fills the registry
from workings.engine.changes import Changes
from workings.engine.errors import AxisError, CallError, NumberError, ShapeError, WorkingsError
from workings.engine.hand import work_out
from workings.engine.op import OPS, Op, first_of
from workings.engine.page import Example, Mistake
from workings.engine.replay import replay
from workings.engine.tensor import Tensor

FILE = Path(__file__).parents[1] / "frozen.json"
DIGITS = 8
# What the errors of mistakes that cannot be made are called in frozen.json: their class, and a part of their sentence.
CODES: dict[str, tuple[type[WorkingsError], str]] = {
    "axis.unknown": (AxisError, "There is no axis"),
    "label": (NumberError, "outside the vocabulary"),
    "number.divide": (NumberError, "would be divided by 0"),
    "number.harmless": (NumberError, "whether or not you subtract"),
    "number.index": (NumberError, "The position"),
    "number.log": (NumberError, "The logarithm of"),
    "number.masked": (NumberError, "is masked everywhere"),
    "number.overflow": (NumberError, "too large, or not defined"),
    "number.power": (NumberError, "to the power"),
    "setting.choice": (CallError, "The setting"),
    "shape.concat": (ShapeError, "do not fit side by side"),
    "shape.elementwise": (ShapeError, "do not pair up"),
    "shape.matmul": (ShapeError, "as many columns on the left"),
    "shape.rank": (ShapeError, "needs an input with"),
    "shape.split": (ShapeError, "Parts of"),
    "shape.value": (ShapeError, "cannot be repeated to"),
    "shape.words": (ShapeError, "one word for each axis"),
}
FACTS = ("call", "formulas", "rules", "forms", "steps", "by_hand")  # beside the mistakes


def facts_of(op: Op) -> dict[str, Any]:
    """What is frozen of one page. A mistake across steps has no numbers: it is made in a trace."""
    mistakes = {
        name: mistake.across or [_outcome(op, example, mistake) for example in examples_of(op)]
        for name, mistake in op.page.mistakes.items()
    }
    forms = [_form(op, example) for example in examples_of(op)]
    formulas = [dict(when) for _, when in op.page.formulas]  # for which settings there is one
    rules = {f"d{input}": [dict(when) for _, when in rule.formulas] for input, rule in op.page.rules.items()}
    steps, by_hand = zip(*(_shown(op, example) for example in examples_of(op)), strict=True)
    return {
        "call": _call(op),
        "formulas": formulas,
        "rules": rules,
        "forms": forms,
        "steps": list(steps),
        "by_hand": list(by_hand),
        "mistakes": mistakes,
    }


def _shown(op: Op, example: Example) -> tuple[str, str]:
    """The steps inside a page and its rules, and the lines with which the first entries are worked out by hand."""
    inner, run = record(op, example, opened=op.kind == "composite"), record(op, example)
    found = cotangents(op, example, run.result.form.shape)
    pull_back(run, found.get("own", found["random"]))
    steps = [*inner.recording.steps.values(), *(step for step in run.recording.steps.values() if step.group)]
    lines = []
    for what, hand, at, _ in hand_calculations(run.recording):
        if not any(at):
            names = [line.symbol for line in work_out(hand, run.recording.arithmetic.value_of)[:-1]]
            lines += [f"{what}: {' '.join(names)}"] if names else []
    return ", ".join(f"{step.path} ({step.op_name})" for step in steps if step.op_name), "; ".join(lines)


def _form(op: Op, example: Example) -> str:
    """The axes of the result, and which of them a reduction left behind."""
    form = _result(op, example).form
    return f"{form}; may be stretched: {form.kept}" if any(form.kept) else str(form)


def _call(op: Op) -> str:
    """`softmax(x, *, axis=-1)`."""
    page = op.page
    inputs = [*page.inputs[:-1], f"*{page.inputs[-1]}"] if page.variadic else page.inputs
    settings = [f"{name}={page.defaults[name]!r}" if name in page.defaults else name for name in page.settings]
    return f"{op.name}({', '.join([*inputs, *(['*'] if settings else []), *settings])})"


def _outcome(op: Op, example: Example, mistake: Mistake) -> Any:
    """The numbers that a mistake gives, under their axes if these are others than those of the right result; or which
    error says that it cannot be made here.
    """
    try:
        wrong = _mistaken(op, example, mistake)
        numbers = _written(plain(wrong.array).tolist())
        return numbers if mistake.of or wrong.axes == _result(op, example).axes else {str(wrong.form): numbers}
    except WorkingsError as error:
        return _code(error)


def _code(error: WorkingsError) -> str:
    """The code under which frozen.json knows an error."""
    found = [code for code, (kind, words) in CODES.items() if isinstance(error, kind) and words in error.what]
    assert len(found) == 1, f"{type(error).__name__}: {error.what} is {found or 'none'} of the errors in frozen.json"
    return found[0]


def _result(op: Op, example: Example) -> Tensor:
    return first_of(op(*tensors_of(op, example, arrays_of(example)), **op.complete(example.settings)))


def _mistaken(op: Op, example: Example, mistake: Mistake) -> Tensor:
    if not mistake.of:
        tensors = tuple(tensors_of(op, example, arrays_of(example)))
        return first_of(mistake.run(tensors, op.complete(example.settings)))
    run = record(op, example)
    found = cotangents(op, example, run.result.form.shape)
    pull_back(run, found.get("own", found["random"]))
    groups = [group for group in run.recording.groups.values() if group.rule_of == run.result.id]
    result = next(group.result for group in groups if op.input_name(group.slot) == mistake.of)
    return replay(run.recording, Changes(ops={result: mistake})).step(result).tensor


def _written(value: Any) -> Any:
    if isinstance(value, list):
        return [_written(part) for part in value]
    return float(f"{value:.{DIGITS}g}") if math.isfinite(value) else str(value)


def same_facts(got: Any, frozen: Any) -> bool:
    """Whether two facts agree; numbers to six digits, for another machine may add in another order."""
    if isinstance(got, dict) and isinstance(frozen, dict):
        return got.keys() == frozen.keys() and all(same_facts(got[key], frozen[key]) for key in got)
    if isinstance(got, list) and isinstance(frozen, list):
        return len(got) == len(frozen) and all(map(same_facts, got, frozen))
    if isinstance(got, float | int) and isinstance(frozen, float | int):
        return math.isclose(got, frozen, rel_tol=1e-6, abs_tol=1e-9)
    return bool(got == frozen)


def check_frozen(op: Op) -> None:
    """A page is what it was when it was frozen. One that never was is free."""
    frozen = read().get(op.name)
    if frozen is None:
        return
    got = facts_of(op)
    for fact in FACTS:
        if got[fact] != frozen[fact]:
            raise AssertionError(f"{op.name}: got {got[fact]}, frozen {frozen[fact]}. If it is meant: make frozen")
    for name in {**frozen["mistakes"], **got["mistakes"]}:
        new, old = got["mistakes"].get(name, "no mistake"), frozen["mistakes"].get(name, "no mistake")
        if not same_facts(new, old):
            raise AssertionError(f"{op.name}.{name}: got {new}, frozen {old}. If it is meant: make frozen")


def read() -> dict[str, Any]:
    return dict(json.loads(FILE.read_text(encoding="utf-8")))


def write() -> None:
    pages = [f'"{name}": {_as_text(facts_of(op))}' for name, op in sorted(OPS.items())]
    FILE.write_text("{\n" + ",\n".join(pages) + "\n}\n", encoding="utf-8")


def _as_text(facts: dict[str, Any]) -> str:
    mistakes = ",\n".join(f'    "{name}": {json.dumps(numbers)}' for name, numbers in facts["mistakes"].items())
    others = [f'"{fact}": {json.dumps(facts[fact], ensure_ascii=False)}' for fact in FACTS]
    listed = ",\n  ".join([*others, f'"mistakes": {{\n{mistakes}\n  }}'])
    return f"{{{listed}}}"


if __name__ == "__main__" and sys.argv[1:] == ["write"]:
    write()
