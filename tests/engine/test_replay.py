"""Replay: the same ids, and exactly what depends on the change is new."""

import numpy
import pytest
from graphs import bits, depending_on, random_plan, run, same_steps
from hypothesis import given, settings
from hypothesis import strategies as some
from small_traces import Weights, attention_backward, attention_training, predict

import workings as w
from workings import ops
from workings.engine.changes import Changes
from workings.engine.errors import NumberError, ReplayError, ShapeError, WorkingsError
from workings.engine.file import from_steps_data, steps_data
from workings.engine.replay import replay

LEAVES = ["E", "W_Q", "W_K", "W_V", "W_vocab"]
EXAMPLES = settings(max_examples=60, deadline=None, derandomize=True, database=None)


@pytest.fixture(scope="module")
def trace():
    return attention_training()


def told(trace):
    return {step.id: (step.path, step.op, bits(step.value)) for step in trace}


def numbers(trace):
    return {step.id: (step.path, bits(step.value)) for step in trace}


def trained_from(**weights):
    """The training step of the small model, run afresh from other weights."""
    first = Weights.first()
    trace, tokens, target = w.Trace(), w.ids([0, 1], name="tokens"), w.ids(2, name="target")
    own = {n: w.parameter(weights[n], " ".join(getattr(first, n).axes), name=n) for n in weights}
    from small_traces import train_once

    new = train_once(trace, Weights(**{n: own.get(n, getattr(first, n)) for n in first.names()}), tokens, target)
    with trace, trace.scope("step2"):
        ops.cross_entropy(predict(new, tokens), target, name="loss")
    return trace


# -- nothing changed -------------------------------------------------------------------------


@pytest.mark.parametrize("precision", ["float64", "float32", "calculator 3 decimals", "calculator 4 significant"])
def test_an_unchanged_replay_is_bit_identical_also_from_a_file(precision):
    trace = attention_training(precision)
    rebuilt = w.Trace.from_json(trace.to_json())
    for recording in (trace.recording, rebuilt.recording):
        again = w.Trace(recording=replay(recording, Changes(), everything=True))
        assert told(again) == told(trace)
        assert again.to_json() == trace.to_json()


def test_an_unchanged_replay_computes_nothing(trace):
    again = trace.replay()
    assert all(again[step.id].value is step.value for step in trace)


# -- values ----------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LEAVES)
def test_a_changed_leaf_gives_what_a_fresh_run_gives(trace, name):
    value = numpy.random.default_rng(3).standard_normal(trace[name].shape)
    assert told(trace.replay(values={name: value})) == told(trained_from(**{name: value}))


PINS = [*LEAVES, "step1.X", "step1.attention.scores", "step1.attention.weights", "step1.loss", "step1.dloss",
        "step1.attention.dscores", "step1.dX", "step1.dX.via_Q", "dW_V", "step1.W_Q_new"]  # fmt: skip


@pytest.mark.parametrize("name", PINS)
def test_exactly_what_depends_on_a_pinned_step_is_computed_again(trace, name):
    old = trace[name]
    value = old.value + 0.25
    new = trace.replay(values={name: value})
    changed = depending_on(trace.recording, {old.id})
    assert bits(new[name].value) == bits(value)
    for step in trace:
        assert (new[step.id].value is step.value) == (step.id not in changed), step.path
        assert new[step.id].path == step.path


def test_a_pinned_step_in_the_middle_flows_through_backward_and_update(trace):
    scores = numpy.array([[0.3, -0.2], [1.0, 0.4]])
    new = trace.replay(values={"step1.attention.scores": scores})
    weights = ops.softmax(w.given(scores / numpy.sqrt(2.0))).array
    assert bits(new["step1.attention.weights"].value) == bits(weights)
    dweights = new["step1.attention.dweights"].value
    dscaled = weights * (dweights - (dweights * weights).sum(axis=-1, keepdims=True))
    assert bits(new["step1.attention.dscaled"].value) == bits(dscaled)
    step = 0.1 * new["dW_Q"].value
    assert bits(new["step1.W_Q_new"].value) == bits(trace["W_Q"].value - step)
    assert bits(new["step2.Q"].value) == bits(new["step2.X"].value @ new["step1.W_Q_new"].value)


def test_a_pinned_step_stays_pinned(trace):
    scores, queries = numpy.ones((2, 2)), numpy.full((2, 2), 0.3)
    at_once = trace.replay(values={"step1.attention.scores": scores, "W_Q": queries})
    first = trace.replay(values={"step1.attention.scores": scores}).replay(values={"W_Q": queries})
    other = trace.replay(values={"W_Q": queries}).replay(values={"step1.attention.scores": scores})
    assert told(first) == told(other) == told(at_once)
    assert bits(first["step1.attention.scores"].value) == bits(scores)


def test_a_pinned_step_is_a_leaf_from_then_on(trace):
    new = trace.replay(values={"step1.attention.scores": numpy.ones((2, 2))})
    step = new["step1.attention.scores"]
    assert (step.op, step.step.kind, step.step.leaf) == ("given", "leaf", "given")
    program = new.compile(["W_Q", "step1.attention.scores"], ["step1.loss"])
    (loss,) = program(numpy.zeros((2, 2)), step.value)
    assert bits(loss) == bits(new["step1.loss"].value)


def test_the_gradients_around_a_pinned_step_still_know_their_rules():
    trace = attention_backward()
    pinned = trace.replay(values={"attention.scores": numpy.ones((2, 2))})
    for changed in (pinned, w.Trace.from_json(pinned.to_json())):
        wrong = changed.replay(ops={"dQ": "matmul.not_transposed"})
        at_once = trace.replay(values={"attention.scores": numpy.ones((2, 2))}, ops={"dQ": "matmul.not_transposed"})
        assert told(wrong) == told(at_once)
        assert bits(wrong["dQ"].value) == bits(wrong["dscores"].value @ wrong["K_T"].value)


def test_the_pinned_array_stays_the_users(trace):
    own = numpy.ones((2, 2))
    new = trace.replay(values={"W_Q": own})
    own[...] = 7.0
    assert new["W_Q"].value.tolist() == [[1, 1], [1, 1]]
    with pytest.raises(ValueError, match="read-only"):
        new["W_Q"].value[0, 0] = 2.0


@pytest.mark.parametrize(
    "value", [numpy.ones((2, 2), dtype=int), numpy.ones((2, 2), dtype="float32"), [[1, 1], [1, 1]]]
)
def test_a_pinned_value_has_the_type_of_the_step(trace, value):
    assert bits(trace.replay(values={"W_Q": value})["W_Q"].value) == bits(numpy.ones((2, 2)))


@pytest.mark.parametrize(
    ("name", "value", "error"),
    [
        ("W_Q", numpy.ones(3), ShapeError),
        ("W_Q", numpy.ones((1, 2, 2)), ShapeError),
        ("W_Q", [[1.0, float("nan")], [0.0, 0.0]], NumberError),
        ("tokens", numpy.array([0.0, 1.5]), NumberError),
        ("tokens", [0, 4], NumberError),
        ("step1.attention.scores", numpy.full((2, 2), -numpy.inf), NumberError),
    ],
)
def test_a_value_that_does_not_fit_is_refused_and_the_error_says_where(trace, name, value, error):
    with pytest.raises(error) as raised:
        trace.replay(values={name: value})
    assert raised.value.where or name in raised.value.what
    assert raised.value.hint


# -- random graphs ---------------------------------------------------------------------------


@EXAMPLES
@given(seed=some.integers(0, 10**6), data=some.data())
def test_a_changed_leaf_of_a_random_graph_gives_what_a_fresh_run_gives(seed, data):
    plan = random_plan(seed)
    values, others = plan.values(seed), plan.values(seed + 1)
    recorded = run(plan, values)
    changed = data.draw(some.sets(some.integers(0, plan.leaves - 1)))
    new = {recorded.leaves[n]: others[n] for n in changed}
    fresh = run(plan, [others[n] if n in changed else value for n, value in enumerate(values)])
    replayed = replay(recorded.recording, Changes(values=new))
    same_steps(replayed, fresh.recording)
    dirty = depending_on(recorded.recording, set(new))
    for id in recorded.recording.steps:
        assert (replayed.value(id) is recorded.recording.value(id)) == (id not in dirty)


@EXAMPLES
@given(seed=some.integers(0, 10**6))
def test_a_random_graph_replays_from_a_file_to_the_same_bits(seed):
    plan = random_plan(seed)
    recorded = run(plan, plan.values(seed))
    rebuilt = from_steps_data(steps_data(recorded.recording), numpy)
    same_steps(replay(rebuilt, Changes(), everything=True), recorded.recording)
    changes = Changes(values={recorded.leaves[0]: plan.values(seed + 1)[0]})
    same_steps(replay(rebuilt, changes), replay(recorded.recording, changes))


@EXAMPLES
@given(seed=some.integers(0, 10**6), data=some.data())
def test_two_replays_of_a_random_graph_are_one(seed, data):
    plan = random_plan(seed)
    recording = run(plan, plan.values(seed)).recording
    first, second = (data.draw(some.sampled_from(list(recording.steps))) for _ in range(2))
    one, two = ({id: 0.5 * recording.value(id)} for id in (first, second))
    twice = replay(replay(recording, Changes(values=one)), Changes(values=two))
    same_steps(twice, replay(recording, Changes(values={**one, **two})))


# -- backward after a replay -----------------------------------------------------------------


def test_backward_after_a_replay_is_backward_of_a_fresh_run():
    value = numpy.array([[0.5, 0.1], [0.2, -0.3]])
    first = Weights.first()

    def forward(queries):
        with w.Trace() as trace:
            weights = Weights(first.E, queries, first.W_K, first.W_V, first.W_vocab)
            ops.cross_entropy(predict(weights, w.ids([0, 1], name="tokens")), w.ids(2, name="target"), name="loss")
        return trace

    replayed = forward(first.W_Q).replay(values={"W_Q": value}).backward("loss")
    fresh = forward(w.parameter(value, "model head_size", name="W_Q")).backward("loss")
    assert told(replayed) == told(fresh)


def test_backward_after_a_replay_with_backward_is_a_second_pass():
    new = attention_backward().replay(values={"W_Q": numpy.ones((2, 2))}).backward("loss")
    assert bits(new["backward2.dW_Q"].value) == bits(new["dW_Q"].value)


def test_backward_stops_at_a_pinned_step():
    new = attention_backward().replay(values={"attention.scores": numpy.ones((2, 2))}).backward("loss")
    reached = {step.path for step in new if step.path.startswith("backward2.")}
    assert "backward2.attention.dscores" in reached
    assert not reached & {"backward2.dW_Q", "backward2.dW_K", "backward2.dQ"}


# -- wires -----------------------------------------------------------------------------------


def test_a_wire_feeds_another_step(trace):
    new = attention_backward().replay(wires={"V": {"b": "W_K"}})
    assert bits(new["V"].value) == bits(new["K"].value)
    assert [step.path for step in new["V"].inputs] == ["X", "W_K"]
    assert bits(new["context"].value) == bits(new["weights"].value @ new["K"].value)


def chain():
    x = w.given([[1.0, 2.0], [0.5, 0.1]], name="X")
    with w.Trace() as trace:
        a = ops.exp(x, name="A")
        b = ops.neg(x, name="B")
        ops.add(a, b, name="C")
    return trace


def test_a_wire_may_come_from_a_later_step_and_the_trace_can_still_be_stored():
    trace = chain().replay(wires={"A": {"x": "B"}})
    x = trace["X"].value
    assert bits(trace["C"].value) == bits(numpy.exp(-x) + -x)
    rebuilt = w.Trace.from_json(trace.to_json())
    assert told(rebuilt.replay(values={"X": x + 1})) == told(trace.replay(values={"X": x + 1}))
    trace.backward("C", cotangent=numpy.ones((2, 2)))
    numpy.testing.assert_allclose(trace["dX"].value, -numpy.exp(-x) - 1)
    (out,) = trace.compile(["X"], ["C"])(x)
    assert bits(out) == bits(trace["C"].value)


@pytest.mark.parametrize("wires", [{"A": {"x": "C"}}, {"A": {"x": "A"}}, {"A": {"x": "B"}, "B": {"x": "A"}}])
def test_wires_that_run_in_a_circle_are_refused(wires):
    with pytest.raises(ReplayError, match="circle"):
        chain().replay(wires=wires)


@pytest.mark.parametrize(
    ("wires", "words"),
    [
        ({"A": {"y": "B"}}, "has no input 'y'"),
        ({"X": {"x": "B"}}, "is a leaf"),
        ({"A": {"x": "nothing"}}, "no step 'nothing'"),
    ],
)
def test_wires_that_lead_nowhere_are_refused(wires, words):
    with pytest.raises(WorkingsError, match=words):
        chain().replay(wires=wires)


def test_a_wire_of_another_shape_or_meaning_is_not_applicable(trace):
    with pytest.raises(WorkingsError) as raised:
        trace.replay(wires={"step1.Q": {"b": "W_vocab"}})
    assert raised.value.where == "step1.Q"
    assert "head_size" in raised.value.given
