"""Replay with other ops: mistakes in a step, in a rule, in a group; other settings; another op altogether."""

import numpy
import pytest
from graphs import bits, depending_on, same_steps
from loops import for_each
from small_traces import Weights, attention_backward, attention_training

import workings as w
from workings import ops
from workings.engine.changes import Changes
from workings.engine.compile import compile_recording
from workings.engine.errors import CallError, ReplayError, WorkingsError
from workings.engine.file import from_steps_data, steps_data
from workings.engine.replay import replay
from workings.engine.site import spelled_out

TRACE = attention_training()
TOLD = TRACE.recording
OTHER_QUERIES = numpy.array([[0.2, 0.7], [-0.4, 0.5]])


def fitting_mistakes():
    """Every mistake that is about some step, rule or group of the training trace: (the step, the mistake)."""
    rules = {group.result: group for group in TOLD.groups.values() if group.rule_of}
    for step in TOLD.steps.values():
        group = rules.get(step.id)
        if group is not None:
            of = group.op.input_name(group.slot)
            yield from ((step.id, m) for m in group.op.page.mistakes.values() if m.of == of)
        elif step.op is not None:
            yield from ((step.id, m) for m in step.op.page.mistakes.values() if not m.of)
    for group in TOLD.groups.values():
        if not group.rule_of:
            yield from ((group.result, m) for m in group.op.page.mistakes.values())


MISTAKES = {f"{TOLD.steps[id].path} {mistake.id}": (id, mistake) for id, mistake in fitting_mistakes()}


def replayed(id, mistake, **values):
    """The trace with this mistake; none if it does not apply, which the error must explain."""
    try:
        return replay(TOLD, Changes(ops={id: mistake}, values={TRACE[name].id: v for name, v in values.items()}))
    except WorkingsError as error:
        if not (error.where and error.hint):
            raise
        return None


@for_each("title", MISTAKES)
def test_what_comes_back_is_a_recording_like_any_other(title):
    wrong = replayed(*MISTAKES[title])
    if wrong is None:
        return
    same_steps(replay(wrong, Changes(), everything=True), wrong)
    rebuilt = from_steps_data(steps_data(wrong), numpy)
    same_steps(rebuilt, wrong)
    same_steps(replay(rebuilt, Changes(), everything=True), wrong)
    leaves = [step for step in wrong.leaves() if step.stage == "forward"]
    outputs = [step for step in wrong.steps.values() if step.op is not None]
    program = compile_recording(wrong, leaves, outputs)
    for step, array in zip(outputs, program(*(leaf.tensor.array for leaf in leaves)), strict=True):
        assert bits(array) == bits(step.tensor.array), step.path


@for_each("title", MISTAKES)
def test_a_mistake_stays_when_something_else_changes_afterwards(title):
    wrong, at_once = replayed(*MISTAKES[title]), replayed(*MISTAKES[title], W_Q=OTHER_QUERIES)
    if wrong is None or at_once is None:
        return
    same_steps(replay(wrong, Changes(values={TRACE["W_Q"].id: OTHER_QUERIES})), at_once)


@for_each("title", MISTAKES)
def test_a_mistake_changes_only_what_follows_from_it(title):
    id, mistake = MISTAKES[title]
    wrong = replayed(id, mistake)
    if wrong is None:
        return
    group = next((g for g in TOLD.groups.values() if g.result == id and mistake.page == g.op.name), None)
    members = {id} if group is None or group.rule_of else {step.id for step in TOLD.members(group)}
    if mistake.across:  # other steps may read something else
        spelled = spelled_out(TOLD, Changes(ops={id: mistake}))
        members |= {step.id for step in TOLD.steps.values() if spelled.touch(step.id)}
    changed = depending_on(wrong, members | (set(wrong.steps) - set(TOLD.steps)))
    for step in TOLD.steps.values():
        assert wrong.steps[step.id].path == step.path
        assert step.id in changed or wrong.value(step.id) is step.tensor.array, step.path


def test_most_mistakes_apply():
    at_one_step = {title: found for title, found in MISTAKES.items() if not found[1].across}
    applied = [title for title, found in at_one_step.items() if replayed(*found) is not None]
    assert len(at_one_step) > 120
    assert len(applied) > 0.8 * len(at_one_step)


# -- compared with a fresh run of the mistaken computation -----------------------------------


def forward(attention):
    """The small model with another attention; `attention` gets Q, K and V and names its steps as the page does."""
    first, tokens = Weights.first(), w.ids([0, 1], name="tokens")
    with w.Trace() as trace:
        X = ops.lookup(first.E, tokens, name="X")
        Q, K, V = (ops.matmul(X, getattr(first, f"W_{n}"), name=n) for n in "QKV")
        with trace.scope("attention"):
            context = attention(Q, K, V)
        logits = ops.matmul(ops.take_row(context, index=-1, name="last"), first.W_vocab, name="logits")
        ops.softmax(logits, name="P")
        ops.cross_entropy(logits, w.ids(2, name="target"), name="loss")
    return trace


def same_by_path(one, other, *names):
    for name in names:
        assert bits(one[name].value) == bits(other[name].value), name


PARTS = ("scores", "scaled", "weights", "context")


@pytest.mark.parametrize("name", list(ops.attention.page.mistakes))
def test_a_mistake_in_a_group_gives_what_the_mistaken_computation_gives(name):
    mistake = ops.attention.page.mistakes[name]
    wrong = attention_backward().replay(ops={"attention": mistake.id})
    fresh = forward(lambda Q, K, V: mistake.run((Q, K, V), {"d": None}))
    same_by_path(wrong, fresh, "Q", *PARTS, "last", "logits", "P", "loss")


def test_the_way_back_after_a_mistake_in_a_group_works_with_the_wrong_numbers():
    wrong = attention_backward().replay(ops={"attention": "attention.unscaled"})
    assert wrong["attention.scaled"].op == "scale"
    dscaled, weights, dweights = (wrong[f"attention.{n}"].value for n in ("dscaled", "weights", "dweights"))
    assert bits(dscaled) == bits(weights * (dweights - (dweights * weights).sum(axis=-1, keepdims=True)))
    assert bits(wrong["attention.dscores"].value) == bits(dscaled / numpy.sqrt(2.0))
    assert bits(wrong["dV"].value) == bits(weights.T @ wrong["attention.dcontext"].value)


def test_a_mistake_in_a_step_gives_what_the_mistaken_computation_gives():
    def attention(Q, K, V):
        scores = ops.matmul(Q.rename(token="query"), ops.transpose(K.rename(token="key")), name="scores")
        scaled = ops.divide_by_root(scores, d=2, name="scaled")
        weights = ops.softmax(scaled, axis="query", name="weights")
        return ops.matmul(weights, V.rename(token="key"), name="context").rename(query="token")

    wrong = attention_backward().replay(ops={"weights": "softmax.wrong_axis"})
    same_by_path(wrong, forward(attention), *PARTS, "P", "loss")
    assert wrong["weights"].op == "softmax.wrong_axis"


def test_a_mistake_in_a_rule_leaves_the_way_forward_alone():
    trace = attention_backward()
    wrong = trace.replay(ops={"dscaled": "softmax.diagonal_only"})
    P, g = wrong["weights"].value, wrong["dweights"].value
    assert bits(wrong["dscaled"].value) == bits(g * P * (1 - P))
    assert all(wrong[step.id].value is step.value for step in trace if step.step.stage == "forward")
    assert bits(wrong["dscores"].value) == bits(wrong["dscaled"].value / numpy.sqrt(2.0))


def biased():
    x, b = w.given([[1.0, 2.0], [-0.5, 0.4]], "token model", name="X"), w.parameter([0.1, 0.2], "model", name="b")
    with w.Trace() as trace:
        ops.sum(ops.exp(ops.sub(x, b, name="Y")), name="loss")
    return trace.backward("loss")


def test_a_mistake_in_a_rule_is_found_where_broadcasting_is_undone_after_it():
    trace = biased()
    mistake = next(m for m in ops.sub.page.mistakes.values() if m.of == "b")
    wrong = trace.replay(ops={"db": mistake})
    assert bits(wrong["db"].value) == bits(wrong["db.unsummed"].value.sum(axis=0))
    assert bits(wrong["db.unsummed"].value) != bits(trace["db.unsummed"].value)


@pytest.mark.parametrize(
    ("step", "mistake"),
    [
        ("Q", "softmax.wrong_axis"),
        ("W_Q", "softmax.wrong_axis"),
        ("attention.scores", "attention.unscaled"),
        ("attention.weights", "softmax.diagonal_only"),
        ("attention.dscaled", "softmax.wrong_axis"),
        ("attention.dscaled", "matmul.not_transposed"),
    ],
)
def test_a_mistake_that_is_about_something_else_is_refused(step, mistake):
    with pytest.raises(ReplayError):
        attention_backward().replay(ops={step: mistake})


def test_one_mistake_takes_the_place_of_another_and_the_op_that_of_a_mistake():
    trace = attention_backward()
    first = trace.replay(ops={"weights": "softmax.wrong_axis"})
    second = first.replay(ops={"weights": "softmax.not_normalised"})
    same_steps(second.recording, trace.replay(ops={"weights": "softmax.not_normalised"}).recording)
    same_steps(second.replay(ops={"weights": "softmax"}).recording, trace.recording)


# -- settings and other ops: another computation, with its own gradients ---------------------


def test_another_setting_gives_what_a_fresh_run_gives_also_on_the_way_back():
    other = attention_backward().replay(settings={"scaled": {"d": 4}})
    fresh = forward(lambda Q, K, V: ops.attention(Q, K, V, d=4, name="inner")).backward("loss")
    for name in (*PARTS, "loss", "dscaled", "dscores", "dQ", "dX", "dE", "dW_Q", "dW_K", "dW_V", "dW_vocab"):
        assert bits(other[name].value) == bits(fresh[name].value), name


def losses(reduction):
    x = w.given([[0.3, -0.2, 0.5], [1.0, 0.1, 0.2]], "token vocab", name="logits")
    with w.Trace() as trace:
        ops.cross_entropy(x, w.ids([2, 0], name="target"), reduction=reduction, name="loss")
    return trace.backward("loss")


def test_a_setting_that_changes_which_steps_a_rule_takes():
    for one, other in (("mean", "sum"), ("sum", "mean")):
        changed, fresh = losses(one).replay(settings={"loss": {"reduction": other}}), losses(other)
        same_by_path(changed, fresh, "loss", "dlogits")
        assert bits(changed.replay(values={"logits": changed["logits"].value * 2})["dlogits"].value) == bits(
            fresh.replay(values={"logits": fresh["logits"].value * 2})["dlogits"].value
        )


def twice_differentiated(factor):
    with w.Trace() as trace:
        y = ops.scale(w.given([0.5, -0.2], "token", name="x"), factor=factor, name="y")
        ops.sum(ops.mul(y, ops.mul(y, y)), name="loss")
    trace.backward("loss")
    with trace:
        ops.sum(trace["dx"].tensor, name="total")
    return trace.backward("total", wrt=["x"])


def test_another_setting_reaches_the_second_derivative():
    changed, fresh = twice_differentiated(2.0).replay(settings={"y": {"factor": 3.0}}), twice_differentiated(3.0)
    same_steps(changed.recording, fresh.recording)


def squashed(op):
    x = w.given([[0.3, -0.2], [1.0, 0.1]], "token model", name="x")
    with w.Trace() as trace:
        ops.sum(ops.mul(op(x, name="y"), x), name="loss")
    return trace.backward("loss")


def test_another_op_brings_its_own_rule():
    changed, fresh = squashed(ops.softmax).replay(ops={"y": "sigmoid"}), squashed(ops.sigmoid)
    same_by_path(changed, fresh, "y", "loss", "dx", "dx.via_y")
    assert changed["y"].settings == {}
    rebuilt = from_steps_data(steps_data(changed.recording), numpy)
    same_steps(replay(rebuilt, Changes(), everything=True), changed.recording)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"ops": {"P": "matmul"}}, CallError),
        ({"ops": {"P": "attention"}}, ReplayError),
        ({"ops": {"P": "sofmax"}}, CallError),
        ({"ops": {"P": "softmax.sideways"}}, CallError),
        ({"ops": {"W_Q": "exp"}}, ReplayError),
        ({"settings": {"P": {"axes": 0}}}, CallError),
        ({"settings": {"P": {"axis": "token"}}}, WorkingsError),
        ({"settings": {"P": {"axis": 1.5}}}, CallError),
        ({"settings": {"scaled": {"d": -4}}}, CallError),
        ({"settings": {"W_Q": {"d": 4}}}, ReplayError),
    ],
)
def test_a_change_that_does_not_fit_is_refused_with_what_to_try(changes, error):
    with pytest.raises(error) as raised:
        attention_backward().replay(**changes)
    assert raised.value.hint
    (named,) = next(iter(changes.values()))
    if raised.value.where:
        assert raised.value.where.endswith(named)


def test_a_mask_mistake_that_empties_a_row_is_not_applicable():
    mask = w.constant([[0.0, -numpy.inf], [0.0, 0.0]], "query key", name="mask")
    scores = w.given([[1.0, 2.0], [0.5, 0.1]], "query key", name="scores")
    with w.Trace() as trace:
        ops.softmax(ops.add(scores, mask, name="masked"), name="weights")
    with pytest.raises(WorkingsError, match=r"Row \[0\] is masked everywhere") as raised:
        trace.replay(values={"mask": [[-numpy.inf, -numpy.inf], [0.0, 0.0]]})
    assert raised.value.where == "weights"


def test_a_mistake_in_a_group_that_does_not_apply_says_where():
    Q, K = (w.given([[0.5, 0.2], [0.1, 0.4]], "token head_size", name=name) for name in "QK")
    V = w.given([[0.5, 0.2, 0.3], [0.1, 0.4, 0.6]], "token model", name="V")
    with w.Trace() as trace:
        ops.attention(Q, K, V)
    with pytest.raises(WorkingsError) as raised:
        trace.replay(ops={"attention": "attention.keys_and_values_exchanged"})
    assert raised.value.where == "attention.scores"
    assert "head_size 2" in raised.value.given


def test_a_gradient_that_is_now_handed_on_unchanged_is_so():
    with w.Trace() as trace:
        x = w.given([[1.0, -2.0], [3.0, 4.0]], name="x")
        ops.sum(ops.mul(ops.exp(x, name="e"), x, name="y"), name="loss")
    trace.backward("loss")
    other = trace.replay(ops={"y": "add"})
    assert (other["de"].value == other["dy"].value).all()
    assert (other["dx.via_y"].value == other["dy"].value).all()
