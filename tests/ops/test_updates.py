"""Updates of weights: ten steps of each against torch.optim, the names of their parts, and their replays."""

from collections import Counter

import numpy
import pytest
import torch
from loops import for_each
from small_traces import Weights, predict

import workings as w
from workings import ops
from workings.engine.errors import CallError, ShapeError

STEPS = 10
CLOSE = 1e-12
RATE = 0.05

# How PyTorch makes the same update: ours, its settings, and the optimizer that is to agree.
ADAM = [{}, {"beta1": 0.8, "beta2": 0.95}, {"epsilon": 1e-3}, {"beta1": 0.0, "beta2": 0.5, "epsilon": 1e-2}]
TRIALS = [
    *(("adam", settings) for settings in ADAM),
    *(("adamw", {"decay": decay, **settings}) for settings in ADAM for decay in (0.0, 0.01, 0.3)),
    ("adamw", {}),
    *(("momentum", settings) for settings in ({}, {"beta": 0.5}, {"beta": 0.0})),
    ("sgd", {}),
]


def optimizer(op, weights, settings):
    betas = {"betas": (settings.get("beta1", 0.9), settings.get("beta2", 0.999)), "eps": settings.get("epsilon", 1e-8)}
    make = {
        "adam": lambda: torch.optim.Adam(weights, lr=RATE, **betas),
        "adamw": lambda: torch.optim.AdamW(weights, lr=RATE, weight_decay=settings.get("decay", 0.01), **betas),
        "momentum": lambda: torch.optim.SGD(weights, lr=RATE, momentum=settings.get("beta", 0.9)),
        "sgd": lambda: torch.optim.SGD(weights, lr=RATE),
    }
    return make[op]()


def zeros(value):
    return numpy.zeros_like(value)


def updated(op, weight, gradient, memory, t, settings, name=""):
    """One update of ours: the new weight, and what the next one starts from."""
    if op == "sgd":
        return ops.sgd(weight, gradient, rate=RATE, name=name), ()
    if op == "momentum":
        new, *memory = ops.momentum(weight, gradient, *memory[:1], rate=RATE, **settings, name=name)
    else:
        new, *memory = getattr(ops, op)(weight, gradient, *memory, t=t, rate=RATE, **settings, name=name)
    return new, tuple(memory)


def compared(op, settings, first, gradients_at):
    """Ten steps of ours and of PyTorch's, with the gradients of our backward pass; how far the weights moved."""
    ours = dict(first)
    theirs = {name: torch.tensor(value, requires_grad=True) for name, value in first.items()}
    judge = optimizer(op, list(theirs.values()), settings)
    memory = {name: (zeros(value), zeros(value)) for name, value in first.items()}
    for t in range(1, STEPS + 1):
        gradients = gradients_at(ours)
        for name, weight in theirs.items():
            weight.grad = torch.tensor(gradients[name])
        judge.step()
        for name, value in ours.items():
            new, kept = updated(op, value, gradients[name], memory[name], t, settings)
            ours[name], memory[name] = new.array, tuple(tensor.array for tensor in kept)
            expected = theirs[name].detach().numpy()
            numpy.testing.assert_allclose(new.array, expected, rtol=CLOSE, atol=CLOSE, err_msg=f"{name}, step {t}")
    return max(float(abs(ours[name] - first[name]).max()) for name in first)


@pytest.mark.parametrize("seed", [1, 2, 3])
@for_each(("op", "settings"), TRIALS)
def test_ten_steps_down_a_bowl_are_those_of_torch_optim(op, settings, seed):
    numbers = numpy.random.default_rng(seed)
    A, target = numbers.standard_normal((5, 3)), numbers.standard_normal((5, 2))

    def gradients_at(weights):
        with w.Trace() as trace:
            reached = ops.matmul(w.given(A), w.parameter(weights["W"], name="W"), name="reached")
            ops.mean_squared_error(reached, w.given(target), name="loss")
        return {"W": trace.backward("loss")["dW"].value}

    assert compared(op, settings, {"W": numbers.standard_normal((3, 2))}, gradients_at) > 0.01


@pytest.mark.parametrize("op", ["adam", "adamw", "momentum", "sgd"])
def test_ten_steps_of_attention_are_those_of_torch_optim(op):
    model = Weights.first()
    axes = {name: " ".join(getattr(model, name).axes) for name in model.names()}

    def gradients_at(weights):
        own = Weights(**{name: w.parameter(value, axes[name], name=name) for name, value in weights.items()})
        with w.Trace() as trace:
            ops.cross_entropy(predict(own, w.ids([0, 1])), w.ids(2), name="loss")
        trace.backward("loss")
        return {name: trace[f"d{name}"].value for name in weights}

    first = {name: getattr(model, name).array for name in model.names()}
    assert compared(op, {}, first, gradients_at) > 0.01


def test_a_step_that_is_not_counted_is_noticed(monkeypatch):
    """The comparison can fail: with t = 1 at every step the correction is another one."""

    def stuck(op, weight, gradient, memory, t, settings, name=""):
        return right(op, weight, gradient, memory, 1, settings, name)

    right = updated
    monkeypatch.setitem(globals(), "updated", stuck)
    with pytest.raises(AssertionError, match="W, step 2"):
        compared("adam", {}, {"W": numpy.ones((2, 2))}, lambda weights: {"W": 0.5 * weights["W"]})


# -- what is refused -----------------------------------------------------------------------------

FOUR = (numpy.ones((2, 2)),) * 4


@pytest.mark.parametrize("op", ["adam", "adamw"])
@pytest.mark.parametrize(
    ("setting", "value"),
    [("t", 0), ("t", -3), ("beta1", 1.0), ("beta1", -0.1), ("beta2", 1.0), ("beta2", 1.5), ("epsilon", 0.0)],
)
def test_a_bad_setting_is_refused_under_its_own_name(op, setting, value):
    with pytest.raises(CallError, match=rf"The setting {setting} of {op} cannot be {value}"):
        getattr(ops, op)(*FOUR, **{"t": 1, "rate": RATE, setting: value})
    getattr(ops, op)(*FOUR, t=1, rate=RATE, beta1=0.0, beta2=0.0)


def test_what_is_no_part_of_the_whole_is_refused():
    for beta in (1.0, -0.1):
        with pytest.raises(CallError, match=f"The setting beta of momentum cannot be {beta}"):
            ops.momentum(*FOUR[:3], rate=RATE, beta=beta)
    with pytest.raises(CallError, match=r"The setting decay of adamw cannot be -0\.1"):
        ops.adamw(*FOUR, t=1, rate=RATE, decay=-0.1)


@pytest.mark.parametrize(("op", "count"), [("momentum", 3), ("adam", 4), ("adamw", 4)])
def test_what_has_another_shape_than_the_weight_is_refused(op, count):
    settings = {"rate": RATE} if op == "momentum" else {"rate": RATE, "t": 1}
    for place in range(1, count):
        inputs = [*FOUR[:count]]
        inputs[place] = numpy.ones(2)
        with pytest.raises(ShapeError, match=r"but have \(2, 2\) and \(2,\)") as caught:
            getattr(ops, op)(*inputs, **settings)
        assert caught.value.where == op


# -- in a trace --------------------------------------------------------------------------------

PARTS = {
    "adam": ["squared", "m", "v", "m_hat", "v_hat", "direction", "new"],
    "adamw": ["squared", "m", "v", "m_hat", "v_hat", "decayed", "direction", "new"],
    "momentum": ["kept", "velocity", "new"],
}
START = numpy.array([[0.3, -0.2], [0.5, 0.1]])
SLOPES = [numpy.array([[0.4, 0.7], [0.1, 0.6]]), numpy.array([[0.3, 0.2], [0.9, 0.5]]), numpy.full((2, 2), 0.8)]
GROUPS = list(PARTS)
MEMORY = {"adam": ("m", "v"), "adamw": ("m", "v"), "momentum": ("velocity",)}


def settings_of(op, t, rate):
    return {"rate": rate} if op == "momentum" else {"rate": rate, "t": t}


def descent(op, scoped=True, count=2, rates=(0.1, 0.1, 0.1)):
    """Some updates of W_Q with given gradients."""
    trace = w.Trace()
    weight = w.parameter(START, "model head_size", name="W_Q")
    gradients = [w.given(slope, "model head_size", name=f"slope{t}") for t, slope in enumerate(SLOPES, 1)]
    memory = [w.constant(zeros(START), "model head_size", name=f"{part}0") for part in MEMORY[op]]
    with trace:
        trace.start_from(weight, *gradients, *memory)
        for t in range(1, count + 1):
            with trace.scope(f"step{t}") if scoped else trace:
                settings = settings_of(op, t, rates[t - 1])
                weight, *memory = getattr(ops, op)(weight, gradients[t - 1], *memory, **settings)
    return trace


def bits(array):
    array = numpy.asarray(array)
    return array.dtype.name, array.shape, array.tobytes()


def told(trace):
    return {step.id: (step.path, step.op, step.settings, bits(step.value)) for step in trace}


def update_paths(trace):
    return [step.path for step in trace if step.step.stage == "update" and step.step.op is not None]


@pytest.mark.parametrize("op", GROUPS)
def test_the_parts_of_an_update_stand_beside_their_weight(op):
    trace = descent(op)
    assert update_paths(trace) == [f"step{t}.W_Q_{part}" for t in (1, 2) for part in PARTS[op]]
    assert list(getattr(ops, op).parts) == PARTS[op]
    for path in update_paths(trace):
        assert trace[path].name == path.partition(".")[2]
        # The second step moves what the first one made.
        assert trace[path].twin.path == ("W_Q" if path.startswith("step1") else "step1.W_Q_new")
    with pytest.raises(w.WorkingsError, match=r"step1\.W_Q_new"):
        trace["W_Q_new"]


@pytest.mark.parametrize("op", GROUPS)
def test_without_a_scope_the_names_count_on(op):
    trace = descent(op, scoped=False, count=3)
    assert update_paths(trace) == [f"W_Q_{part}{number}" for number in ("", "2", "3") for part in PARTS[op]]
    assert all(step.name == step.path for step in trace)
    scoped = descent(op, count=3)
    for part in PARTS[op]:
        for t, number in enumerate(("", "2", "3"), 1):
            assert bits(trace[f"W_Q_{part}{number}"].value) == bits(scoped[f"step{t}.W_Q_{part}"].value)


def test_an_update_that_is_given_a_name_has_its_parts_under_that_name():
    weight, slope = w.parameter(START, name="W_Q"), w.given(SLOPES[0], name="slope")
    with w.Trace() as trace:
        ops.momentum(weight, slope, w.constant(zeros(START)), rate=0.1, name="better")
        ops.sgd(weight, slope, rate=0.1)
        ops.sgd(weight, slope, rate=0.1, name="plain")
    assert update_paths(trace) == ["better_kept", "better_velocity", "better_new", "W_Q_new", "plain"]


@pytest.mark.parametrize("op", GROUPS)
def test_without_a_recording_an_update_gives_the_weight_and_what_the_next_starts_from(op):
    starts = [zeros(START) for _ in MEMORY[op]]
    given = getattr(ops, op)(START, SLOPES[0], *starts, **settings_of(op, 1, 0.1))
    trace = descent(op, count=1)
    assert isinstance(given, tuple)
    expected = [trace[f"W_Q_{part}"].value for part in ("new", *MEMORY[op])]
    assert [bits(tensor.array) for tensor in given] == [bits(value) for value in expected]


# -- replay, file, compile ---------------------------------------------------------------------


@pytest.mark.parametrize("scoped", [True, False])
@pytest.mark.parametrize("op", GROUPS)
def test_another_rate_flows_into_every_later_update(op, scoped):
    trace, fresh = descent(op, scoped), descent(op, scoped, rates=(0.3, 0.1))
    first = "step1.W_Q_" if scoped else "W_Q_"
    changes = {f"{first}new": {"rate": 0.3}}
    if op == "adamw":
        changes[f"{first}decayed"] = {"rate": 0.3}
    replayed = trace.replay(settings=changes)
    assert told(replayed) == told(fresh)
    changed = {step.path for step in trace if bits(step.value) != bits(replayed[step.id].value)}
    assert changed >= {"step1.W_Q_new", "step2.W_Q_new"} if scoped else {"W_Q_new", "W_Q_new2"}
    assert not any(path.endswith(("_m", "_v", "velocity")) for path in changed)


def test_another_beta_flows_through_the_memory():
    trace = descent("adam")
    settings = {f"step1.W_Q_{part}": {"beta": 0.5} for part in ("m", "m_hat")}
    replayed = trace.replay(settings=settings)
    new, m, v = ops.adam(START, SLOPES[0], zeros(START), zeros(START), t=1, rate=0.1, beta1=0.5)
    second = ops.adam(new, SLOPES[1], m, v, t=2, rate=0.1)
    for t, results in ((1, (new, m, v)), (2, second)):
        for part, tensor in zip(("new", "m", "v"), results, strict=True):
            assert bits(replayed[f"step{t}.W_Q_{part}"].value) == bits(tensor.array)


@pytest.mark.parametrize("scoped", [True, False])
@pytest.mark.parametrize("op", GROUPS)
def test_an_update_opens_from_a_file(op, scoped):
    trace = descent(op, scoped)
    text = trace.to_json()
    rebuilt = w.Trace.from_json(text)
    assert told(rebuilt) == told(trace)
    assert rebuilt.to_json() == text
    groups = [
        [(g.id, g.path, g.prefix, g.op.name, g.inputs, dict(g.settings), g.result, g.stage) for g in groups.values()]
        for groups in (trace.recording.groups, rebuilt.recording.groups)
    ]
    assert groups[0] == groups[1]
    assert len(groups[0]) == 2
    members = [rebuilt.recording.members(group) for group in rebuilt.recording.groups.values()]
    assert [[step.path for step in found] for found in members] == [
        [step.path for step in trace.recording.members(group)] for group in trace.recording.groups.values()
    ]
    assert [len(found) for found in members] == [len(PARTS[op])] * 2
    assert told(rebuilt.replay(values={"W_Q": START + 1})) == told(trace.replay(values={"W_Q": START + 1}))


@pytest.mark.parametrize("op", GROUPS)
def test_a_compiled_update_is_the_recorded_one_bit_for_bit(op):
    trace = descent(op)
    inputs = ["W_Q", "slope1", "slope2", *(f"{part}0" for part in MEMORY[op])]
    outputs = [f"step2.W_Q_{part}" for part in ("new", *MEMORY[op])]
    program = trace.compile(inputs, outputs)
    for factor in (0.5, 1.0):
        values = {name: factor * trace[name].value for name in inputs}
        expected = trace.replay(values=values)
        for name, array in zip(outputs, program(*values.values()), strict=True):
            assert bits(array) == bits(expected[name].value), name


# -- mistakes ----------------------------------------------------------------------------------

MISTAKES = [(op, name) for op in GROUPS for name in getattr(ops, op).page.mistakes]


def descended(op, mistake, number):
    """Three updates without any recording, one of them with a mistake: each weight, and what was kept for the next."""
    weight, memory = w.parameter(START), [w.constant(zeros(START)) for _ in MEMORY[op]]
    for t, slope in enumerate(SLOPES, 1):
        settings = settings_of(op, t, 0.1)
        if t == number:
            full = getattr(ops, op).complete(settings)
            weight, *memory = mistake.run((weight, w.given(slope), *memory), full)
        else:
            weight, *memory = getattr(ops, op)(weight, w.given(slope), *memory, **settings)
        yield from (tensor.array for tensor in (weight, *memory))


@pytest.mark.parametrize("number", [1, 2, 3])
@pytest.mark.parametrize("scoped", [True, False])
@for_each(("op", "name"), MISTAKES)
def test_a_mistake_in_an_update_is_the_same_replayed_and_run_plainly(op, name, scoped, number):
    mistake = getattr(ops, op).page.mistakes[name]
    trace = descent(op, scoped, count=3)
    before = told(trace)
    ends = [end(t, part, scoped) for t in (1, 2, 3) for part in ("new", *MEMORY[op])]
    wrong = trace.replay(ops={end(number, "new", scoped): mistake.id})
    assert told(trace) == before
    for path, value in zip(ends, descended(op, mistake, number), strict=True):
        assert bits(wrong[path].value) == bits(value), path
    for rebuilt in (w.Trace.from_json(wrong.to_json()), wrong.replay()):
        assert told(rebuilt) == told(wrong)
    assert not [path for path, times in Counter(step.path for step in wrong).items() if times > 1]


def end(t, part, scoped):
    """The path of a part of the update of this number."""
    return f"step{t}.W_Q_{part}" if scoped else f"W_Q_{part}{t if t > 1 else ''}"


@pytest.mark.parametrize("order", [(1, 2), (2, 1)])
@pytest.mark.parametrize("scoped", [True, False])
def test_the_same_mistake_can_be_made_in_two_updates(scoped, order):
    trace = wrong = descent("adamw", scoped, count=3)
    for number in order:
        wrong = wrong.replay(ops={end(number, "new", scoped): "adamw.decay_in_gradient"})
    new, *memory = START, zeros(START), zeros(START)
    mistake = ops.adamw.page.mistakes["decay_in_gradient"]
    for t in (1, 2):
        tensors = tuple(w.given(value) for value in (new, SLOPES[t - 1], *memory))
        new, *memory = (tensor.array for tensor in mistake.run(tensors, ops.adamw.complete({"t": t, "rate": 0.1})))
        assert bits(wrong[end(t, "new", scoped)].value) == bits(new)
    assert len(wrong) == len(trace) + 4
    assert not [path for path, times in Counter(step.path for step in wrong).items() if times > 1]
    assert told(w.Trace.from_json(wrong.to_json())) == told(wrong)


def test_the_steps_of_a_mistake_in_an_update_are_named_like_its_own():
    wrong = descent("adamw").replay(ops={"step1.W_Q_new": "adamw.decay_in_gradient"})
    assert wrong["step1.W_Q_pulled"].name == "W_Q_pulled"
    assert wrong["step1.W_Q_pull"].twin.path == "W_Q"
