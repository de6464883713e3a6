"""Mistakes on top of mistakes: a replay is a trace like any other, and can be replayed, listed and stored again."""

from collections import Counter
from functools import lru_cache

import numpy
import pytest
from traces import small

import workings as w
from workings import ops
from workings.engine.errors import ReplayError

SLOPES = ([[0.4, 0.7], [0.1, 0.6]], [[0.3, 0.2], [0.9, 0.5]])


def bits(array):
    array = numpy.asarray(array)
    return array.dtype.name, array.shape, array.tobytes()


def told(trace):
    return {step.id: (step.path, step.op, step.settings, bits(step.value)) for step in trace}


def ids(trace, step=None):
    return [fit.id for fit in trace.mistakes(step)]


@lru_cache
def twice(op="adam"):
    """Two updates of one weight, without scopes."""
    weight = w.parameter([[0.3, -0.2], [0.5, 0.1]], "model hidden", name="W")
    memory = [w.constant(numpy.zeros((2, 2)), "model hidden", name=f"{part}0") for part in "mv"]
    with w.Trace() as trace:
        for t, slope in enumerate(SLOPES, 1):
            gradient = w.given(slope, "model hidden", name=f"slope{t}")
            weight, *memory = getattr(ops, op)(weight, gradient, *memory, t=t, rate=0.1)
    return trace


def normed_attention(X=((0.5, -1.2), (2.0, 0.3), (-0.7, 0.9)), normalise=True, op=ops.attention):
    """A norm that feeds a group, under one name for queries, keys and values."""
    with w.Trace() as trace:
        X = w.given(X, "token head_size", name="X")
        gamma, beta = (w.parameter(row, "head_size", name=n) for n, row in (("gamma", [1.5, 0.6]), ("beta", [0.2, 0])))
        normed = ops.layer_norm(X, gamma, beta, name="normed")
        read = normed if normalise else X
        ops.sum(op(read, read, read), name="total")
    return trace.backward("total")


# -- one after the other ---------------------------------------------------------------------------


def test_the_mistakes_of_a_replayed_trace_are_listed():
    """A reader may have become a mistake itself, or a leaf."""
    trace = small("block")
    wrong = trace.replay(ops={"K": "matmul.second_transposed", "residual2": "add.subtracted", "dX": "collect.assigned"})
    assert "layer_norm.left_out" in ids(wrong, "normed1")
    assert "add.residual_forgotten" in ids(wrong, "residual1")
    both = wrong.replay(ops={"normed1": "layer_norm.left_out"})
    assert both.recording.step(both["K"].id).inputs[0] == both["X"].id
    assert both["K"].op == "matmul.second_transposed"


def test_a_pinned_step_reads_nothing_that_could_be_left_out():
    trace = small("block")
    pinned = trace.replay(values={name: trace[name].value for name in ("K", "V")})
    assert "layer_norm.left_out" in ids(pinned, "normed1")
    wrong = pinned.replay(ops={"normed1": "layer_norm.left_out"})
    assert bits(wrong["K"].value) == bits(trace["K"].value)
    assert bits(wrong["Q"].value) != bits(trace["Q"].value)
    alone = pinned.replay(values={"Q": trace["Q"].value})
    assert "layer_norm.left_out" not in ids(alone, "normed1")


# -- several groups at once ------------------------------------------------------------------------


@pytest.mark.parametrize("order", [("W_new", "W_new2"), ("W_new2", "W_new")])
def test_two_groups_that_are_written_anew_in_one_replay_share_no_path(order):
    trace = twice("adamw")
    wrong = trace.replay(ops=dict.fromkeys(order, "adamw.decay_in_gradient"))
    one_by_one = trace
    for step in order:
        one_by_one = one_by_one.replay(ops={step: "adamw.decay_in_gradient"})
    paths = Counter(step.path for step in wrong)
    assert {"W_pull", "W_pulled", "W_pull2", "W_pulled2"} <= set(paths)
    assert set(paths.values()) == {1}
    assert told(w.Trace.from_json(wrong.to_json())) == told(wrong)
    for path in ("W_new", "W_m", "W_v", "W_new2", "W_m2", "W_v2"):
        assert bits(wrong[path].value) == bits(one_by_one[path].value), path
    assert wrong.recording.paths.keys() == one_by_one.recording.paths.keys()


@pytest.mark.parametrize("order", [("W_new", "W_new2"), ("W_new2", "W_new")])
def test_a_group_that_is_written_anew_once_more_has_the_same_steps(order):
    trace = twice("adamw")
    for step in order:
        trace = trace.replay(ops={step: "adamw.decay_in_gradient"})
    for step in order:
        assert told(trace.replay(ops={step: "adamw.decay_in_gradient"})) == told(trace)


# -- what feeds a group ----------------------------------------------------------------------------


@pytest.mark.parametrize("group", ["attention.unscaled", "attention.queries_and_keys_exchanged"])
def test_a_wire_mistake_before_a_group_stays_when_the_group_is_written_anew(group):
    trace = normed_attention()
    first = trace.replay(ops={"normed": "layer_norm.left_out"})
    second = first.replay(ops={"context": group})
    mistake = ops.attention.page.mistakes[group.partition(".")[2]]
    X = trace["X"].tensor
    expected = mistake.run((X, X, X), {"d": None})
    assert bits(second["context"].value) == bits(expected.array)
    together = trace.replay(ops={"normed": "layer_norm.left_out", "context": group})
    assert told(second) == told(together)
    other_way = told(trace.replay(ops={"context": group}).replay(ops={"normed": "layer_norm.left_out"}))
    assert other_way == {id: facts for id, facts in told(together).items() if id in other_way}
    assert told(w.Trace.from_json(second.to_json())) == told(second)


def test_a_group_has_the_inputs_that_its_members_read():
    first = normed_attention().replay(ops={"normed": "layer_norm.left_out"})
    (group,) = (group for group in first.recording.groups.values() if not group.rule_of)
    assert group.inputs == (first["X"].id,) * 3
    rebuilt = w.Trace.from_json(first.to_json())
    assert rebuilt.recording.groups[group.id].inputs == group.inputs
    assert told(rebuilt.replay(ops={"context": "attention.unscaled"})) == told(
        first.replay(ops={"context": "attention.unscaled"})
    )


def test_a_group_of_which_one_member_reads_something_else_keeps_its_inputs():
    """That is another computation inside the group, and goes with the steps that a mistake writes anew."""
    trace = normed_attention()
    first = trace.replay(wires={"scores": {"a": "X"}})
    (group,) = (group for group in first.recording.groups.values() if not group.rule_of)
    assert group.inputs == (trace["normed"].id,) * 3
    again = first.replay(ops={"context": "attention.unscaled"})
    assert bits(again["context"].value) == bits(trace.replay(ops={"context": "attention.unscaled"})["context"].value)


def test_a_group_reads_a_new_wire_under_the_words_of_the_old_one():
    numbers = numpy.random.default_rng(2)
    rows = [numbers.standard_normal((3, 2)).round(2) for _ in range(3)]
    with w.Trace() as trace:
        Q, K, other = (w.given(rows[n], "token model", name=name) for n, name in enumerate(("Q", "K", "other")))
        trace.start_from(other)
        Q, K = (x.rename(token=word, model="head_size") for x, word in ((Q, "query"), (K, "key")))
        ops.attention(Q, K, K)
    both = trace.replay(wires={"scores": {"a": "other"}}).replay(ops={"context": "attention.unscaled"})
    at_once = trace.replay(wires={"scores": {"a": "other"}}, ops={"context": "attention.unscaled"})
    assert told(both) == told(at_once)
    assert both["context"].axes == trace["context"].axes
    mistake = ops.attention.page.mistakes["unscaled"]
    expected = mistake.run((w.given(rows[2], "query head_size"), K, K), {"d": None})
    assert bits(both["context"].value) == bits(expected.array)


def test_a_rule_that_is_written_anew_reads_what_its_steps_read():
    with w.Trace() as trace:
        x = w.given([0.4, -0.9], "model", name="x")
        ops.sum(ops.mul(ops.gelu(x, name="bent"), w.given([2.0, 3.0], "model"), name="y"), name="total")
    trace.backward("total")
    assert trace["dbent"].inputs
    wires = {step.path: {"a": "dy"} for step in trace if trace["dbent"].id in step.step.inputs}
    assert wires
    first = trace.replay(wires=wires)
    second = first.replay(ops={"bent": "gelu_tanh"})
    expected = trace.replay(ops={"bent": "gelu_tanh"})
    assert bits(second["dx"].value) != bits(expected["dx"].value)
    numpy.testing.assert_allclose(second["dx"].value, expected["dx"].value / [2.0, 3.0])


# -- the order of steps ----------------------------------------------------------------------------


def test_what_feeds_a_group_comes_before_its_first_member():
    """The first update reads a number of the second one, of which only the result reads what the first one gives."""
    turned = twice().replay(wires={"W_new": {"dW": "W_direction2"}})
    paths = [step.path for step in turned]
    assert paths.index("W_squared2") < paths.index("W_new")
    with pytest.raises(ReplayError, match="runs in a circle"):  # the second one as a whole needs all of it
        turned.replay(ops={"W_new2": "adam.correction_forgotten"})
    assert "adam.correction_forgotten" not in ids(turned, "W_new2")
    wrong = turned.replay(ops={"W_new": "adam.correction_forgotten"})
    assert bits(wrong["W_new"].value) != bits(turned["W_new"].value)


def test_a_group_that_was_pulled_apart_is_written_anew_once_it_can_be():
    numbers = numpy.random.default_rng(3)
    with w.Trace() as trace:
        X = w.given(numbers.standard_normal((3, 3)).round(2), "token head_size", name="X")
        early = ops.scale(X, factor=2.0, name="early")
        values = ops.scale(early, factor=0.5, name="values")
        ops.attention(X, X, values)
    # `values` waits for the scores of the group that it feeds no longer; the group as a whole has to wait for it.
    turned = trace.replay(wires={"early": {"x": "scores"}}).replay(wires={"early": {"x": "X"}})
    assert [step.path for step in turned].index("attention.scores") < [step.path for step in turned].index("values")
    wrong = turned.replay(ops={"context": "attention.unscaled"})
    expected = trace.replay(ops={"context": "attention.unscaled"})
    assert {s.path: bits(s.value) for s in wrong} == {s.path: bits(s.value) for s in expected}


def test_the_members_of_a_group_are_found_in_whatever_order_they_stand():
    trace = twice()
    turned = trace.replay(wires={"W_squared": {"a": "W_squared2"}}).replay(wires={"W_squared": {"a": "slope1"}})
    assert [s.path for s in turned].index("W_squared2") < [s.path for s in turned].index("W_squared")
    assert told(turned) == told(trace)
    mistake = {"W_new2": "adam.correction_forgotten"}
    assert told(turned.replay(ops=mistake)) == told(trace.replay(ops=mistake))


def test_the_mistake_of_a_rule_comes_after_all_that_it_reads():
    with w.Trace() as trace:
        first = ops.scale(w.given([0.4, -0.9], "model", name="x"), factor=2.0, name="first")
        second = ops.mul(first, w.given([2.0, 3.0], "model", name="gain"), name="second")
        ops.sum(second, name="total")
    trace.backward("total")
    # The gradient of `first` is made without it, and so may come before it; the mistake reads it.
    turned = trace.replay(wires={"first": {"x": "dfirst"}})
    with pytest.raises(ReplayError, match="runs in a circle"):
        turned.replay(ops={"dfirst": "mul.own_value"})
    back = turned.replay(wires={"first": {"x": "x"}})
    assert [step.path for step in back].index("dfirst") < [step.path for step in back].index("first")
    assert told(back.replay(ops={"dfirst": "mul.own_value"})) == told(trace.replay(ops={"dfirst": "mul.own_value"}))
