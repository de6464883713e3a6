"""A trace as JSON and back: the same bits, and a reason for everything that is refused."""

import contextlib
import copy
import json
import random

import numpy
import pytest
from graphs import bits, same_steps
from small_traces import attention_backward, attention_training

import workings as w
from workings import ops
from workings.engine.changes import Changes
from workings.engine.errors import TraceFileError, WorkingsError
from workings.engine.file import from_steps_data, steps_data
from workings.engine.replay import replay


def told(trace):
    rows = []
    for step in trace.recording.steps.values():
        facts = [getattr(step, slot) for slot in ("id", "path", "name", "inputs", "stage", "twin", "group", "leaf")]
        rows.append((*facts, step.op_name, step.form, dict(step.settings), step.named, bits(step.tensor.array)))
    return rows


def round_trip(trace):
    """There and back; the text is JSON that any reader accepts."""
    data = json.loads(trace.to_json(), parse_constant=lambda text: pytest.fail(f"{text} is not JSON"))
    return w.Trace.from_json(json.dumps(data, allow_nan=False))


def rows_of(trace):
    return json.loads(json.dumps(steps_data(trace.recording), allow_nan=False))


# -- there and back --------------------------------------------------------------------------


@pytest.mark.parametrize("precision", ["float64", "float32", "calculator 3 decimals", "calculator 5 significant"])
def test_a_training_step_comes_back_as_it_was(precision):
    trace = attention_training(precision)
    again = round_trip(trace)
    assert again.precision == precision
    assert told(again) == told(trace)
    assert again.to_json() == trace.to_json()
    for group, other in zip(trace.recording.groups.values(), again.recording.groups.values(), strict=True):
        for slot in ("id", "path", "inputs", "settings", "result", "rule_of", "slot", "group", "read_as", "stage"):
            assert getattr(other, slot) == getattr(group, slot)


def test_what_is_recorded_after_reading_continues_the_trace():
    trace, again = attention_backward(), round_trip(attention_backward())
    for one in (trace, again):
        with one:
            ops.exp(one["logits"].tensor, name="P")
        one.backward("loss", wrt=["W_Q"])
    assert told(again) == told(trace)


def masked():
    mask = w.constant([[0.0, -numpy.inf], [0.0, 0.0]], "query key", name="mask")
    scores = w.given([[1.0, 2.0], [0.5, 0.1]], "query key", name="scores")
    with w.Trace() as trace:
        weights = ops.softmax(ops.add(scores, mask, name="masked"), name="weights")
        ops.negative_log_likelihood(weights, w.ids([0, 1], "query", name="target"), name="loss")
    return trace.backward("loss")


def test_a_mask_of_minus_infinity_comes_back():
    again = round_trip(masked())
    assert told(again) == told(masked())
    assert again["mask"].value[0, 1] == again["masked"].value[0, 1] == -numpy.inf
    assert again["weights"].value[0].tolist() == [1.0, 0.0]
    same_steps(replay(again.recording, Changes(), everything=True), again.recording)


def test_whole_numbers_truth_values_and_single_numbers_come_back():
    with w.Trace() as trace:
        ops.lookup(w.given([[0.1], [0.2]], "vocab model", name="E"), w.ids(1, name="one"), name="row")
        ops.add(w.given(3.0, name="x"), w.given(2.0, name="y"), name="z")
        ops.neg(w.given([-0.0], name="nought"), name="also")
    assert told(round_trip(trace)) == told(trace)
    assert numpy.signbit(round_trip(trace)["nought"].value[0])


def test_numbers_of_numpy_in_settings_can_be_written():
    with w.Trace() as trace:
        x = w.given([[1.0, 2.0], [3.0, 4.0]], name="x")
        ops.scale(x, factor=numpy.float32(0.5), name="half")
        ops.take_row(x, index=numpy.int64(1), name="row")
        ops.scale(x, factor=numpy.array(2.0), name="double")
    assert trace["half"].settings == {"factor": 0.5}
    assert told(round_trip(trace)) == told(trace)


def test_aliases_come_back():
    with w.Trace(aliases={"α": "weights"}) as trace:
        ops.softmax(w.given([[2.0, 1.0]], "query key", name="scores"), name="weights")
    assert round_trip(trace)["α"].path == "weights"


def test_a_replay_with_a_mistake_and_a_pinned_step_comes_back():
    trace = pinned_and_mistaken()
    again = round_trip(trace)
    assert told(again) == told(trace)
    changed = {"W_V": numpy.ones((2, 2))}
    assert told(again.replay(values=changed)) == told(trace.replay(values=changed))


def test_the_values_given_to_a_reader_stay_the_users():
    own = numpy.ones((2, 2))
    trace = attention_backward()
    again = w.Trace.from_json(trace.to_json(), values={trace["W_Q"].path: own}, trust=True)
    own[...] = 3.0
    assert again["W_Q"].value.tolist() == [[1, 1], [1, 1]]


# -- large arrays ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def large():
    numbers = numpy.random.default_rng(2)
    with w.Trace() as trace:
        x = w.given(numbers.standard_normal((101, 100)), "token model", name="X")
        y = ops.softmax(ops.transpose(x, name="turned"), name="Y")
        ops.sum(y, axis="token", name="small")
        ops.sum(ops.mul(y, y), name="loss")
    return trace.backward("loss")


def test_a_large_value_is_left_out_and_its_corner_shown(large):
    rows = {row["path"]: row for row in rows_of(large)}
    assert rows["X"]["value"] is None
    assert rows["X"]["window"] == large["X"].value[:8, :8].tolist()
    assert "window" not in rows["small"]
    assert len(rows["small"]["value"]) == 100
    assert w.Trace.from_json(attention_backward().to_json())["E"].value.size <= 10_000


def test_ten_thousand_entries_are_still_written():
    with w.Trace() as trace:
        ops.neg(w.given(numpy.ones((100, 100)), name="X"))
    assert numpy.shape(rows_of(trace)[0]["value"]) == (100, 100)


def test_a_large_leaf_must_be_given_and_the_rest_is_computed_again(large):
    text = large.to_json()
    with pytest.raises(TraceFileError, match="leaf without a value") as raised:
        w.Trace.from_json(text)
    assert "10,000" in raised.value.hint
    again = w.Trace.from_json(text, values={large["X"].path: large["X"].value})
    assert told(again) == told(large)
    in_columns = numpy.asfortranarray(large["X"].value)
    assert told(w.Trace.from_json(text, values={large["X"].path: in_columns})) == told(large)


def test_a_large_leaf_of_another_shape_is_refused(large):
    with pytest.raises(TraceFileError, match="shape"):
        w.Trace.from_json(large.to_json(), values={large["X"].path: large["X"].value.T})


def test_a_large_step_with_a_mistake_is_computed_again(large):
    wrong = large.replay(ops={"Y": "softmax.wrong_axis", "dturned": "softmax.diagonal_only"})
    again = w.Trace.from_json(wrong.to_json(), values={large["X"].path: large["X"].value})
    assert told(again) == told(wrong)


# -- damage ----------------------------------------------------------------------------------

TEXT = attention_backward().to_json()


@pytest.mark.parametrize("text", ["", "{", "null", "[]", "3", '"runs"', "{}", '{"runs": []}', '{"runs": [{}]}'])
def test_json_that_is_no_trace_is_refused(text):
    with pytest.raises(TraceFileError, match="not a trace") as raised:
        w.Trace.from_json(text)
    assert "to_json" in raised.value.hint


@pytest.mark.parametrize("steps", [None, 3, {}, "steps", [None], [3], [[]], [{}], ["step"]])
def test_steps_that_are_none_are_refused(steps):
    with pytest.raises(TraceFileError):
        w.Trace.from_json(json.dumps({"runs": [{"precision": "float64", "steps": steps}]}))


@pytest.mark.parametrize("share", [0.001, 0.1, 0.5, 0.9, 0.999999])
def test_text_that_breaks_off_is_refused(share):
    with pytest.raises(TraceFileError, match="not whole JSON"):
        w.Trace.from_json(TEXT[: int(share * len(TEXT))])


def damaged(at, **changes):
    """The rows of the small trace in which one step is different."""
    rows = rows_of(attention_backward())
    row = next(row for row in rows if row["path"] == at and row["kind"] != "group")
    row.update(changes)
    return rows


@pytest.mark.parametrize(
    ("path", "changes", "words"),
    [
        ("Q", {"inputs": ["999", "4"]}, "comes later"),
        ("Q", {"inputs": ["5", "4"]}, "comes later"),
        ("X", {"inputs": ["12", "2"]}, "comes later"),
        ("Q", {"op": "matmuls"}, "Did you mean matmul?"),
        ("Q", {"op": "softmax.sideways"}, "not known here"),
        ("W_Q", {"value": None}, "leaf without a value"),
        ("W_Q", {"value": [[1.0, 2.0]]}, "shape"),
        ("W_Q", {"value": [[1.0], [2.0, 3.0]]}, "cannot be read"),
        ("W_Q", {"value": [[1.0, None], [2.0, 3.0]]}, "no number"),
        ("W_Q", {"value": [[1.0, "1"], [2.0, 3.0]]}, "no number"),
        ("tokens", {"value": [0.5, 1]}, "no number"),
        ("tokens", {"value": [2**70, 1]}, "cannot be read"),
        ("Q", {"inputs": ["3"]}, "takes 2 inputs"),
        ("Q", {"inputs": ["3", "4", "4"]}, "takes 2 inputs"),
        ("Q", {"settings": {"speed": 1}}, "no setting 'speed'"),
        ("P", {"settings": {"axis": [1]}}, "cannot be"),
        ("Q", {"dtype": "str_"}, "dtype"),
        ("Q", {"dtype": "matmul"}, "dtype"),
        ("Q", {"kind": "composite"}, "is no composite"),
        ("Q", {"shape": [2, -2]}, "sizes"),
        ("Q", {"axes": ["token", "token"]}, "two axes"),
        ("Q", {"axes": ["token"]}, "given: token (1)"),
        ("Q", {"shape": [1, 4], "value": [[1, 2, 3, 4]]}, "does not give the shape"),
        ("Q", {"id": "3"}, "twice"),
        ("Q", {"path": "K"}, "twice"),
        ("Q", {"pass": "sideways"}, "pass"),
        ("dW_Q", {"twin": "999"}, "not there"),
        ("Q", {"group": "999"}, "not there"),
    ],
)
def test_one_damaged_field_is_refused_with_a_reason(path, changes, words):
    with pytest.raises(WorkingsError) as raised:
        from_steps_data(damaged(path, **changes), numpy)
    assert words in str(raised.value)


def test_a_group_that_lies_in_itself_is_refused():
    rows = rows_of(attention_backward())
    group = next(row for row in rows if row["kind"] == "group")
    group["group"] = group["id"]
    with pytest.raises(TraceFileError):
        from_steps_data(rows, numpy)


def test_nesting_without_end_is_refused():
    value = deep = []
    for _ in range(5000):
        deep.append([])
        deep = deep[0]
    with pytest.raises(TraceFileError):
        from_steps_data(damaged("W_Q", value=value), numpy)


@pytest.mark.parametrize(
    ("path", "settings"),
    [
        ("last", {"index": "__import__('os')._exit(1)", "axis": -2}),
        ("last", {"index": 0, "axis": "__import__('os')._exit(1)"}),
        ("dlogits.y", {"size": 4, "word": "vocab", "dtype": "float64') + __import__('os')._exit(1) + ('"}),
    ],
)
def test_code_in_a_setting_is_refused(path, settings):
    with pytest.raises(WorkingsError):
        from_steps_data(damaged(path, settings=settings), numpy)


# -- fuzz ------------------------------------------------------------------------------------

ODD = [None, True, False, 0, -1, 1, 7, 10**30, 0.5, -2.5, "", "1", "x", "inf", "nan", "softmax", "given", "group",
       "float32", "int64", [], [1], ["1"], [[]], [[1.0]], [None], {}, {"1": 2}, {"of": "3", "slot": 9}]  # fmt: skip


def places(data, at=()):
    """Every place in nested data, from the outside in."""
    yield at
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, item in items:
        yield from places(item, (*at, key))


def damage(rows, choice):
    """One field changed, lost, doubled or exchanged with another."""
    rows = copy.deepcopy(rows)
    *way, key = choice.choice([place for place in places(rows) if place])
    holder = rows
    for part in way:
        holder = holder[part]
    kind = choice.choice(["odd", "odd", "odd", "lost", "twice", "other"])
    if kind == "lost":
        del holder[key]
    elif kind == "twice" and isinstance(holder, list):
        holder.append(copy.deepcopy(holder[key]))
    elif kind == "other" and isinstance(holder, list):
        other = choice.randrange(len(holder))
        holder[key], holder[other] = holder[other], holder[key]
    else:
        holder[key] = copy.deepcopy(choice.choice(ODD))
    return rows


def pinned_and_mistaken():
    trace = attention_backward().replay(ops={"attention": "attention.queries_and_keys_exchanged"})
    return trace.replay(ops={"dscaled": "softmax.diagonal_only"}, values={"attention.scores": numpy.eye(2)})


def test_a_damaged_file_is_read_or_refused_and_nothing_else():
    whole = [rows_of(trace) for trace in (attention_training(), masked(), pinned_and_mistaken())]
    refused = 0
    for seed in range(300):
        broken = damage(whole[seed % len(whole)], random.Random(seed))
        try:
            recording = from_steps_data(broken, numpy)
            steps_data(recording)
            same_steps(replay(recording, Changes()), recording)
            replay(recording, Changes(), everything=True)
        except WorkingsError as error:
            refused += bool(str(error))
    assert 100 < refused < 290


def test_a_damaged_text_is_read_or_refused_and_nothing_else():
    data = json.loads(TEXT)
    for seed in range(60):
        choice = random.Random(seed)
        broken = {**data, "runs": damage(data["runs"], choice) if seed % 3 else choice.choice(ODD)}
        with contextlib.suppress(WorkingsError):
            trace = w.Trace.from_json(json.dumps(broken))
            assert len(trace.replay()) == len(trace)
