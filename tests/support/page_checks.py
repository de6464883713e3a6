"""What every op page must stand, written once for all pages.

Each check takes an op and one of its examples, and raises an AssertionError that names the op,
the example, the entry, what came out and what was expected. test_pages.py runs them on every page.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import array_api_compat.torch
import array_api_strict
import numpy
import torch
import torch_judges
from example_runs import (
    DIFFERENCES,
    EXACT,
    Run,
    arrays_of,
    central_differences,
    cotangents,
    gradients,
    is_off,
    other_numbers,
    plain,
    projected,
    pull_back,
    random_array,
    record,
    same,
    same_bits,
    same_gradients,
    slot_title,
    slots_with_gradient,
    tensors_of,
    title,
    without_infinite,
)
from hand_calculations import hand_calculations, judge_in_decimal
from refusals import check_refusals

from workings.engine.arrays import Array, brackets, dtype_name, indices
from workings.engine.changes import Changes
from workings.engine.compile import compile_recording
from workings.engine.errors import NumberError, WorkingsError
from workings.engine.file import from_steps_data, steps_data
from workings.engine.hand import Apply, Dot, Expression, Literal, work_out
from workings.engine.op import OPS, Op, Primitive, first_of
from workings.engine.page import Example, Mistake
from workings.engine.recording import Recording
from workings.engine.replay import replay
from workings.engine.tensor import Tensor

LIBRARIES = {"array_api_strict": array_api_strict, "PyTorch": array_api_compat.torch}
CALCULATORS = ("calculator 3 significant", "calculator 4 significant", "calculator 3 decimals")


# -- the same numbers everywhere -------------------------------------------------------------


def check_libraries(op: Op, example: Example) -> None:
    """NumPy, array-api-strict and PyTorch give the same result and the same gradients."""
    reference = record(op, example)
    cotangent = cotangents(op, example, reference.result.form.shape)["random"]
    expected = gradients(reference, cotangent)
    for library, xp in LIBRARIES.items():
        run = record(op, example, arrays=arrays_of(example, xp))
        what = f"{title(op, example)}: the result with {library}"
        same(what, run.value, reference.value, EXACT, "NumPy")
        if dtype_name(run.value) != dtype_name(reference.value):
            raise AssertionError(f"{what}: got {dtype_name(run.value)}, expected {dtype_name(reference.value)}")
        same_gradients(run, gradients(run, cotangent), expected, EXACT, f"NumPy; this was {library}")


def check_forward(op: Op, example: Example) -> None:
    """The result is the one that an independent PyTorch version of the op gives."""
    run = record(op, example)
    judge = _judge(op, example)
    same(f"{title(op, example)}: the result", run.value, judge(*_torch_inputs(run)), EXACT, "PyTorch")


def check_gradients(op: Op, example: Example) -> None:
    """Each rule gives what PyTorch's autograd gives."""
    judge = _judge(op, example)
    for cotangent in cotangents(op, example, record(op, example).result.form.shape).values():
        run = record(op, example)
        got = gradients(run, cotangent)
        if got:
            inputs = _torch_inputs(run)
            expected = _torch_gradients(judge(*inputs), inputs, list(got), cotangent)
            same_gradients(run, got, expected, EXACT, "PyTorch autograd")


def _judge(op: Op, example: Example) -> Callable[..., torch.Tensor]:
    """The op in PyTorch. A page without a judge is judged through its own forward, which autograd differentiates."""
    arrays = arrays_of(example)
    forms = tuple(tensor.form for tensor in tensors_of(op, example, arrays))
    settings = op.complete(example.settings)
    if op.name in torch_judges.JUDGES:
        judge, positional = torch_judges.JUDGES[op.name], op.positional(forms, settings)
        return lambda *inputs: judge(*inputs, **positional)
    return lambda *inputs: first_of(op(*map(Tensor, inputs, forms), **settings)).array


def _torch_inputs(run: Run) -> list[torch.Tensor]:
    """The inputs of a run as torch tensors; those that have a gradient follow it."""
    arrays = [run.recording.value(id) for id in run.inputs]
    slots = slots_with_gradient(run.op, arrays)
    return [torch.tensor(x, requires_grad=slot in slots) for slot, x in enumerate(arrays)]


def _torch_gradients(
    output: torch.Tensor, inputs: list[torch.Tensor], slots: list[int], cotangent: Array, again: bool = False
) -> dict[int, torch.Tensor]:
    """Autograd's gradients by slot; zeros where the output does not depend on an input at all."""
    chosen = [inputs[slot] for slot in slots]
    if not output.requires_grad:
        return {slot: torch.zeros_like(inputs[slot]) for slot in slots}
    weights = torch.tensor(cotangent)
    found = torch.autograd.grad(output, chosen, weights, create_graph=again, materialize_grads=True, allow_unused=True)
    return dict(zip(slots, found, strict=True))


def check_differences(op: Op, example: Example) -> None:
    """Each rule agrees with central differences, under the example's cotangent and a random one."""
    settings = op.complete(example.settings)
    for which, cotangent in cotangents(op, example, record(op, example).result.form.shape).items():
        run = record(op, example)
        weights = without_infinite(cotangent, run.value)
        got = gradients(run, weights)

        def weighted(arrays: list[Array], weights: Array = weights) -> float:
            return projected(first_of(op(*tensors_of(op, example, arrays), **settings)).array, weights)

        expected = central_differences(weighted, arrays_of(example), list(got))
        same_gradients(run, got, expected, DIFFERENCES, f"central differences ({which} cotangent)")


def check_chain_rule(op: Op, example: Example) -> None:
    """The closed rules of a composite give what the chain rule gives through its opened steps."""
    closed, opened = record(op, example), record(op, example, opened=True)
    same(f"{title(op, example)}: the opened result", opened.value, closed.value, EXACT, "closed")
    cotangent = random_array(closed.result.form.shape)
    got = gradients(closed, cotangent)
    through = pull_back(opened, cotangent)
    nothing = {slot: numpy.zeros_like(array) for slot, array in got.items()}
    expected = nothing | {slot: tensor.array for slot, tensor in through.items()}
    same_gradients(closed, got, expected, EXACT, "the chain rule through its steps")


def check_tape(op: Op, example: Example) -> None:
    """A tape, which keeps only what the rules read, gives the gradients of the full trace, bit for bit."""
    run = record(op, example)
    cotangent = random_array(run.result.form.shape)
    expected = pull_back(run, cotangent)
    for slot, gradient in pull_back(record(op, example, level="tape"), cotangent).items():
        same_bits(f"{slot_title(op, example, slot)} from a tape", gradient.array, expected[slot].array)


def check_float32(op: Op, example: Example) -> None:
    """In float32 every result and every gradient is float32: nothing slips back into float64."""
    run = record(op, example, precision="float32")
    pull_back(run, random_array(run.result.form.shape))
    for step in run.recording.steps.values():
        dtype = dtype_name(step.tensor.array)
        if dtype == "float64" and step.settings.get("dtype") != dtype:  # one_hot is told its type
            raise AssertionError(f"{title(op, example)}: {step.path} is {dtype}, expected float32")


# -- second order ----------------------------------------------------------------------------


def check_second_order(op: Op, example: Example) -> None:
    """The gradient of the gradient agrees with central differences and with PyTorch's double backward."""
    run = record(op, example)
    cotangent = random_array(run.result.form.shape)
    first = pull_back(run, cotangent)
    if not first:
        return
    directions = {slot: random_array(tensor.shape, seed=slot) for slot, tensor in first.items()}
    got = _second_gradients(run, first, directions)

    def weighted(arrays: list[Array]) -> float:
        moved = pull_back(record(op, example, arrays=arrays), cotangent)
        return sum(projected(tensor.array, directions[slot]) for slot, tensor in moved.items())

    expected = central_differences(weighted, arrays_of(example), list(got))
    same_gradients(run, got, expected, DIFFERENCES, "central differences of the gradient")
    judge = _judge(op, example)
    inputs = _torch_inputs(run)
    by_torch = _torch_gradients(judge(*inputs), inputs, list(directions), cotangent, again=True)
    total = sum((by_torch[slot] * torch.tensor(directions[slot])).sum() for slot in directions)
    expected = _torch_gradients(total, inputs, list(got), numpy.ones(()))
    same_gradients(run, got, expected, EXACT, "PyTorch's double backward")


def _second_gradients(run: Run, first: dict[int, Tensor], directions: dict[int, Array]) -> dict[int, Array]:
    """The gradient of Σ gradient · direction: zeros where the first gradient does not depend on an input."""
    with run.recording:
        parts = [
            OPS["sum"](OPS["mul"](gradient, Tensor(directions[slot], gradient.form, leaf="constant")))
            for slot, gradient in first.items()
        ]
        total = OPS["collect"](*parts)
        target = run.recording.step(run.recording.id_of(total))
    found = pull_back(run, None, target)
    return {slot: found[slot].array if slot in found else numpy.zeros(first[slot].shape) for slot in first}


# -- by hand ---------------------------------------------------------------------------------


def check_by_hand(op: Op, example: Example) -> None:
    """Every entry of every step and every gradient, worked out by hand, is the recorded one (float64)."""
    run = _there_and_back(op, example, "float64")
    _work_out_all(title(op, example), run.recording, EXACT)


def check_calculator(op: Op, example: Example) -> None:
    """Every entry by hand is the recorded one to the last digit of a calculator, and `decimal` agrees."""
    applied = 0
    for precision in CALCULATORS:
        try:
            run = _there_and_back(op, example, precision)
        except NumberError:  # rounding made a divisor 0: a person would stop here too
            continue
        applied += 1
        where = f"{title(op, example)}, {precision}"
        _work_out_all(where, run.recording, tolerance=0.0)
        judge_in_decimal(where, run.recording)
    if not applied:
        raise AssertionError(f"{title(op, example)}: no calculator gets through this example")


def _there_and_back(op: Op, example: Example, precision: str) -> Run:
    """A recorded example with its backward pass."""
    run = record(op, example, precision=precision)
    found = cotangents(op, example, run.result.form.shape)
    pull_back(run, found.get("own", found["random"]))
    return run


def _work_out_all(where: str, recording: Recording, tolerance: float) -> None:
    """Every hand calculation of a recording against the recorded entry."""
    for what, hand, at, expected in hand_calculations(recording):
        got = work_out(hand, recording.arithmetic.value_of)[-1].value
        if is_off(got, expected, tolerance):
            raise AssertionError(f"{where}: {what}{brackets(at)} by hand: got {got!r}, expected {expected!r}")


# -- replay, compile, file -------------------------------------------------------------------


def check_replay(op: Op, example: Example) -> None:
    """Compiled = replayed = recorded, bit for bit, also after a way through JSON."""
    run = record(op, example)
    recording = run.recording
    found = pull_back(run, random_array(run.result.form.shape))
    outputs = [run.result, *(recording.step(recording.id_of(tensor)) for tensor in found.values())]
    data = json.loads(json.dumps(steps_data(recording)))
    rebuilt = from_steps_data(data, numpy)
    if json.loads(json.dumps(steps_data(rebuilt))) != data:
        raise AssertionError(f"{title(op, example)}: the trace that was read from JSON is written in another way")
    for how, again in (("replayed", recording), ("replayed from JSON", rebuilt)):
        new = replay(again, Changes(), everything=True)
        for id, step in recording.steps.items():
            same_bits(f"{title(op, example)}: {step.path} {how}", new.value(id), recording.value(id))
    inputs = [recording.step(id) for id in run.inputs]
    program = compile_recording(recording, inputs, outputs)
    # Other numbers first: what is wrongly taken for a constant, or left in a buffer, shows then.
    for how, changed in (("other inputs", other_numbers), ("its own inputs", numpy.asarray)):
        values = {step.id: changed(step.tensor.array) for step in inputs}
        expected = replay(recording, Changes(values=values))
        for step, value in zip(outputs, program(*values.values()), strict=True):
            same_bits(f"{title(op, example)}: {step.path} compiled ({how})", value, expected.value(step.id))


def check_memory(op: Op, example: Example) -> None:
    """A result that looks into the memory of an input is marked as a view: compile reuses buffers."""
    assert isinstance(op, Primitive)
    arrays = arrays_of(example)
    forms = tuple(x.form for x in tensors_of(op, example, arrays))
    settings = op.positional(forms, op.complete(example.settings))
    source = op.source(*forms, **settings)
    if "{out}" in source:  # written into a buffer of its own
        return
    names = {f"x{slot}": x for slot, x in enumerate(arrays)}
    if source:
        result = eval(source.format(*names, **settings), vars(numpy) | names)
    else:
        result = op.forward(*arrays, **settings)
    looked_into = [slot for slot, x in enumerate(arrays) if numpy.may_share_memory(result, x)]
    if looked_into and not (op.view and looked_into == [0]):
        raise AssertionError(f"{title(op, example)}: it shares the memory of input {looked_into}; mark it as a view")


def check_buffer(op: Op, example: Example) -> None:
    """Written into a buffer that held something else, the result is that of `forward`, bit for bit."""
    assert isinstance(op, Primitive)
    arrays = arrays_of(example)
    forms = tuple(x.form for x in tensors_of(op, example, arrays))
    settings = op.positional(forms, op.complete(example.settings))
    source, expected = op.source(*forms, **settings), numpy.asarray(op.forward(*arrays, **settings))
    if "{out}" not in source:
        return
    names = {f"x{slot}": x for slot, x in enumerate(arrays)}
    out = numpy.full_like(expected, 7)
    own = {} if op.into is None else {op.name: op.into, "settings": settings}
    asked = {"out": "out", **(settings if op.into is None else {"settings": "settings"})}
    eval(source.format(*names, **asked), vars(numpy) | names | own | {"out": out})
    same_bits(f"{title(op, example)}: what was written into a buffer", out, expected)


def check_adds(op: Op, example: Example) -> None:
    """A page says that its terms may cancel, so that rounding dust is shown as 0, if and only if it adds by hand."""
    assert isinstance(op, Primitive)
    runs = [record(op, each) for each in op.page.examples]
    hands = [hand for run in runs for _, hand, _, _ in hand_calculations(run.recording)]
    adds = any(_is_sum(work_out(hand, runs[0].recording.arithmetic.value_of)[-1].expression) for hand in hands)
    if adds != op.adds:
        raise AssertionError(f"{title(op, example)}: by hand it {'adds' if adds else 'adds nothing'}; adds = {op.adds}")


def _is_sum(expression: Expression) -> bool:
    """A dot product, or a sum or difference of several numbers that are no part of the method."""
    if isinstance(expression, Apply) and expression.kind in ("+", "-"):
        return sum(not isinstance(part, Literal) for part in expression.parts) > 1
    return isinstance(expression, Dot)


# -- mistakes --------------------------------------------------------------------------------


def check_mistake(op: Op, mistake: Mistake) -> None:
    """A wrong version runs, and gives something else than the truth on at least one example of its page."""
    outcomes = []
    for example in op.page.examples:
        try:
            outcomes.append(_differs(op, example, mistake))
        except WorkingsError as error:
            outcomes.append(f"does not apply: {error.what}")
    if True not in outcomes:
        listed = "; ".join(f"example {n}: {outcome}" for n, outcome in enumerate(outcomes))
        raise AssertionError(f"{mistake.id} never differs from the truth: {listed}")


def _differs(op: Op, example: Example, mistake: Mistake) -> bool | str:
    """Whether a mistake gives other numbers here: of forward by itself, of a rule by replay of the whole."""
    if not mistake.of:
        run = record(op, example)
        tensors = tuple(tensors_of(op, example, arrays_of(example)))
        wrong = first_of(mistake.run(tensors, op.complete(example.settings))).array
        replayed = replay(run.recording, Changes(ops={run.result.id: mistake}))
        same_bits(f"{title(op, example)}: {mistake.id} replayed", replayed.value(run.result.id), wrong)
        return _is_other(wrong, run.value)
    run = _there_and_back(op, example, "float64")
    for group in run.recording.groups.values():
        if group.rule_of == run.result.id and op.input_name(group.slot) == mistake.of:
            replayed = replay(run.recording, Changes(ops={group.result: mistake}))
            return _is_other(replayed.value(group.result), run.recording.value(group.result))
    return "the rule is not applied"


def _is_other(wrong: Array, truth: Array) -> bool | str:
    wrong, truth = plain(wrong), plain(truth)
    if wrong.shape != truth.shape:
        return True
    pairs = [(float(wrong[at]), float(truth[at])) for at in indices(truth.shape)]
    if any(math.isnan(number) for pair in pairs for number in pair):
        raise AssertionError(f"not a number: {wrong.tolist()} beside {truth.tolist()}")
    return any(is_off(one, other, 1e-6) for one, other in pairs) or "the same numbers"


ONLY_FOR = {"chain_rule": "composite", "memory": "primitive", "adds": "primitive", "buffer": "primitive"}


def checks_for(op: Op) -> list[str]:
    """The names of the checks that apply to a page of this kind."""
    return [check for check in CHECKS if ONLY_FOR.get(check, op.kind) == op.kind]


CHECKS: dict[str, Callable[[Op, Example], None]] = {
    "libraries": check_libraries,
    "forward": check_forward,
    "gradients": check_gradients,
    "differences": check_differences,
    "tape": check_tape,
    "float32": check_float32,
    "chain_rule": check_chain_rule,
    "second_order": check_second_order,
    "by_hand": check_by_hand,
    "calculator": check_calculator,
    "replay": check_replay,
    "memory": check_memory,
    "buffer": check_buffer,
    "adds": check_adds,
    "refusals": check_refusals,
}
