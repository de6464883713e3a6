"""Mistakes on top of mistakes: a replay is a trace like any other, and can be replayed, listed and stored again."""

import json
import random
from collections import Counter
from dataclasses import replace
from functools import lru_cache

import numpy
import pytest
from loops import slow_if
from traces import small

import workings as w
from workings import ops
from workings.conventions import PROFILES
from workings.engine.changes import Changes
from workings.engine.errors import ConventionError, ReplayError, TraceFileError, WorkingsError
from workings.engine.file import from_steps_data, steps_data
from workings.engine.replay import replay as again
from workings.engine.site import Site

# The names of the block that more than one step has.
NORMED, RESIDUAL1, RESIDUAL2 = (
    f"block1.{name}" for name in ("attention.norm.normed", "attention.residual", "feed_forward.residual")
)

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
    wrong = trace.replay(ops={"K": "matmul.second_transposed", RESIDUAL2: "add.subtracted", "dX": "collect.assigned"})
    assert "layer_norm.left_out" in ids(wrong, NORMED)
    assert "add.residual_forgotten" in ids(wrong, RESIDUAL1)
    both = wrong.replay(ops={NORMED: "layer_norm.left_out"})
    assert both.recording.step(both["K"].id).inputs[0] == both["X"].id
    assert both["K"].op == "matmul.second_transposed"


def test_a_pinned_step_reads_nothing_that_could_be_left_out():
    trace = small("block")
    pinned = trace.replay(values={name: trace[name].value for name in ("K", "V")})
    assert "layer_norm.left_out" in ids(pinned, NORMED)
    wrong = pinned.replay(ops={NORMED: "layer_norm.left_out"})
    assert bits(wrong["K"].value) == bits(trace["K"].value)
    assert bits(wrong["Q"].value) != bits(trace["Q"].value)
    alone = pinned.replay(values={"Q": trace["Q"].value})
    assert "layer_norm.left_out" not in ids(alone, NORMED)


# -- several groups at once ------------------------------------------------------------------------


@pytest.mark.parametrize("order", [("W_new", "W_new2"), ("W_new2", "W_new")])
def test_two_groups_recomputed_in_one_replay_share_no_path(order):
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
def test_group_recomputed_twice_has_the_same_steps(order):
    trace = twice("adamw")
    for step in order:
        trace = trace.replay(ops={step: "adamw.decay_in_gradient"})
    for step in order:
        assert told(trace.replay(ops={step: "adamw.decay_in_gradient"})) == told(trace)


# -- what feeds a group ----------------------------------------------------------------------------


@pytest.mark.parametrize("group", ["attention.unscaled", "attention.queries_and_keys_exchanged"])
def test_wire_mistake_before_a_group_survives_recomputing_the_group(group):
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


def test_group_with_a_rewired_member_keeps_its_inputs():
    """That is another computation inside the group, and goes with the steps that a mistake recomputes."""
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


def test_recomputed_rule_reads_the_same_steps():
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


FIRST = [
    ("A_v", "running_mean.rest_forgotten"),
    ("A_direction", "adam_direction.epsilon_inside"),
    ("A_new", "sgd.added"),
]


@pytest.mark.parametrize(("step", "mistake"), FIRST)
def test_mistake_in_a_group_survives_recomputing_the_group(step, mistake):
    trace, group = trained("adam"), {"A_new": "adam.betas_exchanged"}
    both = trace.replay(ops={step: mistake}).replay(ops=group)
    assert told(both) == told(trace.replay(ops=group).replay(ops={step: mistake}))
    assert both[step].op == mistake
    assert bits(both["A_new"].value) != bits(trace.replay(ops=group)["A_new"].value)


def test_mistake_in_a_rule_survives_replacing_the_rule():
    trace, setting = small("block"), {NORMED: {"epsilon": 0.5}}
    mistake = {"block1.attention.norm.dgamma": "layer_norm.not_normalised", "dX.via_normed": "layer_norm.direct_way"}
    both = trace.replay(ops=mistake).replay(settings=setting)
    assert told(both) == told(trace.replay(ops=mistake, settings=setting)) != told(trace.replay(settings=setting))


def test_a_mistake_in_a_rule_that_is_no_longer_followed_is_refused():
    wrong = small("block").replay(ops={"dhidden": "relu.mask_forgotten"})
    with pytest.raises(ReplayError, match=r"relu\.mask_forgotten does not fit the step block1.feed_forward.dhidden"):
        wrong.replay(ops={"activated": "gelu"})


def test_mistake_without_a_place_in_the_changed_group_is_rejected():
    with w.Trace() as trace:
        W, slope = w.parameter([0.3, -0.2], name="W"), w.given([0.4, 0.7], name="slope")
        ops.momentum(W, slope, w.constant([0.1, 0.2], name="velocity"), rate=0.1)
    wrong = trace.replay(ops={"W_velocity": "add.subtracted"})
    with pytest.raises(ReplayError, match=r"add\.subtracted does not fit the step W_velocity"):
        wrong.replay(ops={"W_new": "momentum.averaged"})


# -- the order of steps ----------------------------------------------------------------------------


def test_inputs_of_a_group_come_before_its_first_member():
    """The first update reads a number of the second one, of which only the result reads what the first one gives."""
    turned = twice().replay(wires={"W_new": {"dW": "W_direction2"}})
    paths = [step.path for step in turned]
    assert paths.index("W_squared2") < paths.index("W_new")
    with pytest.raises(ReplayError, match="runs in a circle"):  # the second one as a whole needs all of it
        turned.replay(ops={"W_new2": "adam.correction_forgotten"})
    assert "adam.correction_forgotten" not in ids(turned, "W_new2")
    wrong = turned.replay(ops={"W_new": "adam.correction_forgotten"})
    assert bits(wrong["W_new"].value) != bits(turned["W_new"].value)


def test_group_that_was_pulled_apart_is_recomputed_once_it_can_be():
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


def test_members_of_a_group_are_found_in_any_order():
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


# -- what fits, and what does not ------------------------------------------------------------------


@lru_cache
def trained(op="sgd", names="AB"):
    """Two steps of training of one or two weights of one shape."""
    weights = {name: w.parameter([[0.3, -0.2], [0.5, n]], "model hidden", name=name) for n, name in enumerate(names)}
    memory = {name: [w.constant(numpy.zeros((2, 2)), name=f"{name}_{part}0") for part in "mv"] for name in names}
    trace, X = w.Trace(), w.given([[1.0, 2.0], [0.5, -0.4]], "token model", name="X")
    for t in (1, 2):
        with trace:
            first, *rest = (ops.matmul(X, weights[name], name=f"by_{name}{t}") for name in names)
            ops.mean(ops.mul(first, *rest or [first], name=f"product{t}"), name=f"loss{t}")
        trace.backward(f"loss{t}", wrt=[weights[name].name if t == 1 else f"{name}_new" for name in names])
        slopes = {name: trace[f"d{name}" if t == 1 else f"backward2.d{name}_new"].tensor for name in names}
        with trace:
            for name in names:
                if op == "sgd":
                    weights[name] = ops.sgd(weights[name], slopes[name], rate=0.1)
                else:
                    made = getattr(ops, op)(weights[name], slopes[name], *memory[name], t=t, rate=0.1)
                    weights[name], *memory[name] = made
    return trace


def test_the_gradient_of_another_weight_is_that_of_the_same_pass():
    trace = trained()
    steps = {"A_new": "dB", "B_new": "dA", "A_new2": "backward2.dB_new", "B_new2": "backward2.dA_new"}
    assert [fit.step for fit in trace.mistakes() if fit.id == "sgd.other_gradient"] == list(steps)
    for step, gradient in steps.items():
        wrong = trace.replay(ops={step: "sgd.other_gradient"})
        assert told(wrong) == told(trace.replay(wires={step: {"dW": gradient}}))


def test_a_weight_has_no_other_gradient_if_it_is_alone():
    trace = trained(names="A")
    assert "sgd.other_gradient" not in ids(trace)
    with pytest.raises(ReplayError, match="does not fit"):
        trace.replay(ops={"A_new": "sgd.other_gradient"})


def test_inside_an_optimizer_no_direction_is_taken_for_a_gradient():
    trace = trained("adam")
    assert "sgd.other_gradient" not in ids(trace)
    with w.Trace() as trace:
        memory = (w.constant(numpy.zeros((2, 2))), w.constant(numpy.zeros((2, 2))))
        for n, name in enumerate("AB"):
            weight, slope = w.parameter(SLOPES[n], name=name), w.given(SLOPES[1 - n], name=f"d{name}")
            ops.sgd(weight, slope, rate=0.1) if name == "A" else ops.adam(weight, slope, *memory, t=1, rate=0.1)
    assert "sgd.other_gradient" not in ids(trace)


def test_another_matrix_is_that_of_another_weight_in_the_same_pass():
    trace = trained()
    steps = {"by_A1": "B", "by_B1": "A", "by_A2": "B_new", "by_B2": "A_new"}
    assert [fit.step for fit in trace.mistakes() if fit.id == "matmul.other_weight"] == list(steps)
    for step, weight in steps.items():
        wrong = trace.replay(ops={step: "matmul.other_weight"})
        assert told(wrong) == told(trace.replay(wires={step: {"b": weight}}))
    assert "matmul.other_weight" not in ids(trained(names="A"))


@pytest.mark.parametrize("pinned", [False, True])
@pytest.mark.parametrize("op", ["sgd", "adam", "adamw"])
def test_of_the_steps_of_an_update_only_the_new_weight_is_one(op, pinned):
    trace = trained(op)
    if pinned:
        trace = trace.replay(values={name: trace[name].value for name in ("A_new", "B_new2")})
    found = [step.path for step in trace if Site(trace.recording, step.step).is_weight()]
    assert sorted(found) == ["A", "A_new", "A_new2", "B", "B_new", "B_new2"]


def layers(bias, rows):
    """Two layers with one bias."""
    with w.Trace() as trace:
        row = w.given([0.5, -1.2], "model", name="X")
        X = w.given([[0.5, -1.2], [2.0, 0.3]][:rows], "token model", name="X") if rows else row
        W = w.parameter([[0.3, -0.2], [0.5, 0.1]], "model model2", name="W")
        b = bias([0.7, -0.4], "model", name="b")
        for name in ("first", "second"):
            X = ops.add(ops.matmul(X, W).relabeled(X.axes), b, name=name)
        ops.relu(X, name="y")
    return trace


@pytest.mark.parametrize("bias", [w.parameter, w.constant, w.given])
@pytest.mark.parametrize("rows", [1, 2])
def test_a_bias_that_is_used_twice_is_no_residual(bias, rows):
    trace = layers(bias, rows)
    assert not {"add.residual_forgotten", "add.residual_of_normalised"} & set(ids(trace))
    with pytest.raises(ReplayError, match="does not fit"):
        trace.replay(ops={"second": "add.residual_forgotten"})


@pytest.mark.parametrize("bias", [w.parameter, w.constant])
def test_nor_is_it_one_where_there_is_a_single_row(bias):
    assert "add.residual_forgotten" not in ids(layers(bias, 0))


@pytest.mark.parametrize("turned", [False, True])
def test_given_value_is_the_first_residual(turned):
    with w.Trace() as trace:
        X = w.given([[0.5, -1.2], [2.0, 0.3]], "token model", name="X")
        bent = ops.gelu(X, name="bent")
        ops.relu(ops.add(*((bent, X) if turned else (X, bent)), name="residual"), name="y")
    wrong = trace.replay(ops={"residual": "add.residual_forgotten"})
    assert wrong["residual"].value.tolist() == trace["bent"].value.tolist()


# -- a tape, conventions, and files ----------------------------------------------------------------


def taped(level):
    with w.Trace(level=level) as trace:
        W = w.parameter([[0.3, -0.2], [0.5, 0.1]], "model hidden", name="W")
        hidden = ops.matmul(w.given([[0.5, -1.2], [2.0, 0.3]], "token model", name="X"), W, name="hidden")
        ops.sum(ops.softmax(ops.gelu(hidden, name="bent"), name="shares"), axis=-2, name="columns")
        ops.mean(ops.mul(hidden, hidden, name="squares"), name="loss")
    return trace.backward("loss")


def test_the_mistakes_of_a_tape_are_those_of_its_trace():
    tape, trace = taped("tape"), taped("trace")
    assert ids(tape) == ids(trace) != []
    assert ids(tape, "shares") == ids(trace, "shares") != []
    for one, other in zip(tape.mistakes(), trace.mistakes(), strict=True):
        assert told(one.make()) == told(other.make())
    assert tape.recording.level == "tape"


def convention_told(trace):
    return "Convention:" in str(trace.document())


def following(convention):
    """A few steps under a convention."""
    with w.Trace(convention=convention) as trace:
        X, gamma, beta = w.given([0.5, -1.2], name="X"), w.parameter([1.5, 0.6]), w.parameter([0.2, 0.3])
        bent = ops.gelu(ops.layer_norm(X, gamma, beta, name="normed"), name="bent")
        ops.softmax(bent, name="shares")
    return trace


def test_only_a_trace_with_other_values_still_follows_its_convention():
    trace = following("seed")
    assert convention_told(trace)
    for kept in (trace.replay(), trace.replay(values={"X": [0.1, 0.2]}), trace.in_precision("float32")):
        assert kept.convention == trace.convention
        assert convention_told(kept)
    changes = [
        {"settings": {"normed": {"epsilon": 0.1}}},
        {"ops": {"bent": "relu"}},
        {"ops": {"shares": "softmax.no_exponential"}},
        {"ops": {"normed": "layer_norm.left_out"}},
        {"wires": {"shares": {"x": "normed"}}},
    ]
    for change in changes:
        other = trace.replay(**change)
        for wrong in (other, other.replay(values={"X": [0.1, 0.2]}), w.Trace.from_json(other.to_json())):
            assert wrong.convention is None
            assert not convention_told(wrong)


def written(**changes):
    """A file in which the convention says something else, or (None) nothing."""
    data = following(replace(PROFILES["gpt2"], profile="mine")).to_data()
    choices = {**data["runs"][0]["convention"], **changes}
    data["runs"][0]["convention"] = {field: choice for field, choice in choices.items() if choice is not None}
    return json.dumps(data)


def test_a_convention_with_a_name_of_its_own_comes_back():
    mine = replace(PROFILES["gpt2"], profile="mine", norm_epsilon=0.25)
    trace = following(mine)
    rebuilt = w.Trace.from_json(trace.to_json())
    assert rebuilt.convention == mine
    assert rebuilt.to_json() == trace.to_json()
    assert w.Trace.from_json(written(profile="gpt2")).convention == PROFILES["gpt2"]


@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"norm_place": "above"}, ConventionError, "norm_place"),
        ({"norm_epsilon": "small"}, ConventionError, "norm_epsilon"),
        ({"tied_embeddings": 1}, ConventionError, "tied_embeddings"),
        ({"color": "red"}, ConventionError, "color"),
        ({"norm_place": None}, TraceFileError, "does not say norm_place"),
        ({"profile": None}, TraceFileError, "does not say profile"),
        ({"profile": 3}, TraceFileError, "does not say its name"),
    ],
)
def test_a_convention_in_a_file_is_read_strictly(changes, error, said):
    with pytest.raises(error, match=said):
        w.Trace.from_json(written(**changes))


# -- chains ----------------------------------------------------------------------------------------

CHAINS = {"block": lambda: small("block"), "two updates": twice, "training": lambda: trained("adam")}


@lru_cache
def fits_of(name):
    return CHAINS[name]().mistakes()


def whole(trace):
    """Whether each value follows from its op and its inputs; and every path is there once."""
    assert len({step.path for step in trace}) == len(trace)
    return told(w.Trace(recording=again(trace.recording, Changes(), everything=True))) == told(trace)


def values(trace):
    return {step.path: bits(step.value) for step in trace}


def stored(trace):
    """The trace as it comes back from a file; without its story, which takes long to write."""
    rows = json.loads(json.dumps(steps_data(trace.recording)))
    return w.Trace(recording=from_steps_data(rows, numpy, trace.precision))


@pytest.mark.parametrize("name", slow_if(["block"], CHAINS))
def test_every_mistake_leaves_a_trace_in_which_another_one_can_be_made(name):
    fits = fits_of(name)
    on_steps = [fit for fit in fits if fit.kind != "run" and not fit.id.startswith("convention.")]
    numbers, made = random.Random(4), 0
    for fit in fits:
        wrong, second = fit.make(), numbers.choice(on_steps)
        try:
            both = wrong.replay(ops={second.step: second.id})
        except WorkingsError:  # it does not fit any more
            continue
        assert whole(both), (fit, second)
        if fit in on_steps and fit.step != second.step:
            at_once = CHAINS[name]().replay(ops={fit.step: fit.id, second.step: second.id})
            assert values(at_once) == values(both), (fit, second)
        if numbers.random() < 0.2:
            assert told(stored(both)) == told(both), (fit, second)
        made += 1
    assert made > 0.8 * len(fits)


@pytest.mark.parametrize("name", CHAINS)
def test_the_mistakes_of_a_wrong_trace_can_be_listed_made_stored_and_calculated(name):
    numbers = random.Random(5)
    for fit in numbers.sample(fits_of(name), 2):
        seconds = fit.make().mistakes()
        assert len(seconds) > 20, fit
        for second in numbers.sample(seconds, 2):
            both = second.make()
            assert told(stored(both)) == told(both), (fit, second)
            calculated = both.in_precision("calculator 6 significant")
            assert whole(calculated), (fit, second)
            assert [step.path for step in calculated] == [step.path for step in both]
