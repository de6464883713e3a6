"""A stored trace is not believed: each step is computed again, and the first that does not follow is named."""

import contextlib
import copy
import json
import random
import re
from pathlib import Path

import numpy
import pytest
from small_traces import attention_backward, attention_training

import workings as w
from workings import ops
from workings.engine import file_check
from workings.engine.errors import TraceFileError
from workings.engine.file_check import check_values
from workings.explain import stored_check
from workings.scenarios.running.checkpoints import open_step
from workings.scenarios.scenario import names

SAMPLES = Path(__file__).parents[1] / "samples" / "0.8"
PRECISIONS = ("float64", "float32", "calculator 4 significant", "calculator 3 decimals")
MOST = 40  # steps of each trace in which a number is changed


def masked():
    mask = w.constant([[0.0, -numpy.inf], [0.0, 0.0]], "query key", name="mask")
    scores = w.given([[1.0, 2.0], [0.5, 0.1]], "query key", name="scores")
    with w.Trace(aliases={"α": "weights"}) as trace:
        weights = ops.softmax(ops.add(scores, mask, name="masked"), name="weights")
        ops.negative_log_likelihood(weights, w.ids([0, 1], "query", name="target"), name="loss")
    return trace.backward("loss")


def trained(precision):
    """Layer norm, two blocks of residuals, every gradient and every update."""
    return w.scenario("example-6").trace("twin", precision=precision)


def adam():
    with w.Trace() as trace:
        W = w.parameter([0.5, -0.25], "model", name="W")
        loss = ops.sum(ops.mul(W, W, name="squares"), name="loss")
    trace.backward("loss")
    with trace:
        still = w.given([0.0, 0.0], "model", name="m"), w.given([0.0, 0.0], "model", name="v")
        ops.adam(W, trace["dW"].tensor, *still, t=1, rate=0.1)
    assert loss.shape == ()
    return trace


TRACES = {
    **{f"attention, {precision}": (attention_training, precision) for precision in PRECISIONS},
    **{f"norms, {precision}": (trained, precision) for precision in PRECISIONS[:3]},
    "mask": (masked,),
    "adam": (adam,),
}


@pytest.fixture(params=TRACES)
def data(request):
    make, *precision = TRACES[request.param]
    return json.loads(make(*precision).to_json())


def changed(data, row, choice):
    """A copy in which one number of a step is another one, and where it is."""
    data = copy.deepcopy(data)
    holder = next(other for other in data["runs"][0]["steps"] if other["id"] == row["id"])
    key, at = "value", ""
    while isinstance(holder[key], list):
        holder, key = holder[key], choice.randrange(len(holder[key]))
        at += f"[{key}]"
    before = holder[key]
    if isinstance(before, int):
        holder[key] = 1 - before if before < 2 else before - 1
    else:
        holder[key] = 0.5 if isinstance(before, str) else before + choice.choice([0.01, -0.2, 9.0])
    return data, at


def refusal(data):
    with pytest.raises(TraceFileError) as raised:
        w.Trace.from_json(json.dumps(data))
    return raised.value


def computed_rows(data):
    return [row for row in data["runs"][0]["steps"] if row["kind"] not in ("leaf", "group")]


def test_changed_number_of_a_step_is_found_in_this_step(data):
    """Forward, backward and update, open and closed steps; never blamed on a step that only reads it."""
    choice = random.Random(1)
    rows = computed_rows(data)
    stages = {row["pass"] for row in rows}
    rows = choice.sample(rows, min(MOST, len(rows)))
    assert {row["pass"] for row in rows} == stages
    for row in rows:
        wrong, at = changed(data, row, choice)
        error = refusal(wrong)
        assert error.what == f"This trace does not hold: {row['path']}{at} does not follow from its inputs."
        assert error.where.startswith(f"step {row['id']} ({row['pass']}): {row['path']} = {row['op']}(")
        assert "the file says" in error.given
        assert "inputs give" in error.given
        assert "--trust" in error.hint


def test_changed_leaf_is_found_in_a_step_that_reads_it(data):
    choice = random.Random(2)
    steps = data["runs"][0]["steps"]
    leaves = [row for row in steps if row["kind"] == "leaf"]
    found = []
    for leaf in leaves:
        readers = [row["path"] for row in steps if leaf["id"] in row["inputs"] and row["kind"] != "group"]
        wrong, _ = changed(data, leaf, choice)
        # Nothing reads some numbers, such as the row of a token that is not in the text.
        with contextlib.suppress(NothingWrong):
            named = step_of(wrong)
            assert named in readers
            found.append(named)
    assert len(found) > 0.7 * len(leaves)


class NothingWrong(Exception):
    pass


def step_of(data):
    """The step that is named when this is refused."""
    try:
        w.Trace.from_json(json.dumps(data))
    except TraceFileError as error:
        return re.fullmatch(r"step \d+ \(\w+\): (.+) = .*", error.where)[1]
    raise NothingWrong


def test_changed_setting_is_found():
    data = json.loads(attention_training("float64").to_json())
    row = next(row for row in computed_rows(data) if row["op"] == "sgd")
    row["settings"]["rate"] = 0.2
    assert refusal(data).what.startswith(f"This trace does not hold: {row['path']}[")


def test_first_of_several_changed_steps_is_named():
    data = json.loads(attention_backward().to_json())
    rows = {row["path"]: row for row in computed_rows(data)}
    for path in ("loss", "V", "K"):
        rows[path]["value"] = (numpy.asarray(rows[path]["value"]) + 1).tolist()
    assert "K[0][0] does not follow" in refusal(data).what


def test_inputs_that_give_no_value_are_told():
    with w.Trace() as trace:
        ops.div(w.given([1.0], name="x"), w.given([2.0], name="y"), name="ratio")
    data = json.loads(trace.to_json())
    data["runs"][0]["steps"][1]["value"] = [0.0]
    error = refusal(data)
    assert error.what == "This trace does not hold: ratio does not follow from its inputs."
    assert "its inputs give no value" in error.given


def test_difference_of_rounding_is_no_change():
    """Another machine adds in another order, and the sum of numbers that cancel is then another small number."""
    with w.Trace() as trace:
        ops.sum(w.given([0.1, 0.2, -0.3], name="x"), name="nothing")
    data = json.loads(trace.to_json())
    row = data["runs"][0]["steps"][-1]
    assert 0 < abs(row["value"]) < 1e-15
    row["value"] = -row["value"]
    assert w.Trace.from_json(json.dumps(data)).run.note == ""
    row["value"] = 1e-12
    assert "the file says 1e-12" in refusal(data).given


def test_numbers_are_told_with_the_digits_that_differ():
    data = json.loads(attention_backward().to_json())
    row = next(row for row in computed_rows(data) if row["path"] == "Q")
    row["value"][0][1] += 1e-6
    assert refusal(data).given == "the file says -0.179999, but its inputs give -0.18"


# -- what is not checked ---------------------------------------------------------------------------------------


def test_trusted_trace_is_read_and_its_pages_say_so():
    data = json.loads(attention_backward().to_json())
    next(row for row in computed_rows(data) if row["path"] == "Q")["value"][0][0] = 9.75
    trace = w.Trace.from_json(json.dumps(data), trust=True)
    assert trace["Q"].value[0, 0] == 9.75
    for page in (trace.document(), trace["Q"].document(), trace["Q"].document((0, 0)), trace.replay().document()):
        assert page.blocks[0].spans[0].text == stored_check.NOT_CHECKED


def test_checked_trace_has_no_note():
    trace = w.Trace.from_json(attention_training("float64").to_json())
    assert trace.run.note == ""
    assert "not checked" not in str(trace.document().blocks[0])


def test_steps_beyond_the_budget_are_counted_on_the_page(monkeypatch):
    text = attention_training("float64").to_json()
    recording = w.Trace.from_json(text).recording
    every = sum(step.op is not None for step in recording.steps.values())
    assert check_values(recording, max_operations=0) == every
    assert 0 < check_values(recording, max_operations=60) < every
    monkeypatch.setattr(stored_check, "check_values", lambda *given: check_values(*given, max_operations=0))
    note = w.Trace.from_json(text).run.note
    assert note.startswith(f"The last {every} of {every} steps were not checked")
    assert f"{file_check.MAX_OPERATIONS:,} operations" in note


def test_calculator_costs_more_of_the_budget():
    plain, by_hand = (w.Trace.from_json(attention_training(precision).to_json()) for precision in PRECISIONS[:3:2])
    most = 20_000
    assert check_values(plain.recording, max_operations=most) == 0
    assert check_values(by_hand.recording, max_operations=most) > 0


# -- large values and history ----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large():
    numbers = numpy.random.default_rng(2)
    with w.Trace() as trace:
        x = w.given(numbers.standard_normal((101, 100)), "token model", name="X")
        ops.sum(ops.softmax(x, name="Y"), axis="token", name="small")
    return trace


@pytest.mark.parametrize("path", ["X", "Y"])
def test_corner_of_a_large_value_is_compared(large, path):
    data = json.loads(large.to_json())
    values = {"X": large["X"].value}
    w.Trace.from_json(json.dumps(data), values=values)
    row = next(row for row in data["runs"][0]["steps"] if row["path"] == path)
    row["window"][2][3] += 0.5
    with pytest.raises(TraceFileError, match=rf"{path}\[2\]\[3\] does not follow"):
        w.Trace.from_json(json.dumps(data), values=values)
    row["window"] = [["?"]]
    with pytest.raises(TraceFileError, match="the window of step"):
        w.Trace.from_json(json.dumps(data), values=values)


def test_large_value_that_is_given_must_follow(large):
    values = {"X": large["X"].value, "Y": large["Y"].value + 0.5}
    with pytest.raises(TraceFileError, match="Y"):
        w.Trace.from_json(large.to_json(), values=values)


def test_changed_loss_in_the_history_is_found():
    data = json.loads(w.scenario("example-4").trace("after").to_json())
    data["runs"][0]["history"][0]["value"][1] += 0.001
    error = refusal(data)
    assert error.what == "This trace does not hold: its history of loss is not that of its steps."
    assert error.where == "training step 2"


def test_losses_of_steps_that_are_not_in_the_file_are_not_checked():
    note = w.Trace.from_json(w.scenario("example-4").trace("rate-low").to_json()).run.note
    assert note == "The loss of training steps that are not in this file was not checked."


# -- files that hold ---------------------------------------------------------------------------------------------


def test_replays_with_mistakes_and_pinned_steps_hold():
    trace = attention_backward().replay(ops={"attention": "attention.queries_and_keys_exchanged"})
    for other in (
        trace,
        trace.replay(ops={"dscaled": "softmax.diagonal_only"}, values={"attention.scores": numpy.eye(2)}),
        trace.replay(settings={"weights": {"axis": -2}}),
    ):
        assert w.Trace.from_json(other.to_json()).run.note == ""


def test_trace_of_version_0_8_holds():
    assert w.Trace.from_json((SAMPLES / "trace.json").read_text(encoding="utf-8")).run.note == ""


@pytest.mark.parametrize("training", ["training", "training-adamw"])
def test_step_of_a_training_holds(training):
    trace = open_step(str(SAMPLES / training), None)
    w.Trace.from_json(trace.to_json())


@pytest.mark.slow
@pytest.mark.parametrize("name", names())
def test_every_run_of_every_scenario_holds_in_every_precision(name):
    scenario = w.scenario(name)
    for run in scenario.runs:
        trace = scenario.trace(run)
        size = sum(step.tensor.array.size for step in trace.recording.steps.values())
        for precision in PRECISIONS if size < 5_000 else PRECISIONS[:1]:
            again = trace.in_precision(precision)
            large = {path: value for path, value in again.values().items() if value.size > 10_000}
            w.Trace.from_json(again.to_json(), values=large)
