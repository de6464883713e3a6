"""Recording: every value is a step, nothing can be changed afterwards, and nobody disturbs anybody."""

import numpy
import pytest
from graphs import ONE, TWO, bits, random_plan, run
from small_traces import Weights, attention_backward, attention_training, predict

import workings as w
from workings import ops
from workings.engine.arithmetic import arithmetic
from workings.engine.compiled_recording import CompiledRecording
from workings.engine.context import CONTEXT, Context
from workings.engine.errors import StepError, WorkingsError
from workings.engine.form import form_of
from workings.engine.recording import Recording
from workings.engine.tensor import Tensor


def matrix(name="X", axes="token model"):
    return w.given([[1.0, 2.0], [-0.5, 0.4]], axes, name=name)


def paths(trace):
    return [step.path for step in trace]


# -- leaves ----------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["given", "parameter", "constant", "random"])
def test_a_leaf_is_a_step_without_inputs_or_op(kind):
    with w.Trace() as trace:
        ops.exp(getattr(ops, kind)([0.5], "token", name="x"))
    step = trace["x"].step
    assert (step.kind, step.leaf, step.op, step.op_name, step.inputs, step.id) == ("leaf", kind, None, kind, (), "1")


def test_a_leaf_that_is_used_twice_is_one_step():
    x = matrix()
    with w.Trace() as trace:
        ops.add(ops.exp(x), ops.neg(x))
    assert paths(trace) == ["X", "exp", "neg", "add"]


def test_a_leaf_without_a_name_is_called_by_its_kind():
    with w.Trace() as trace:
        ops.add(w.given([1.0]), w.parameter([2.0]))
        ops.neg(w.given([3.0]))
    assert paths(trace) == ["given", "parameter", "add", "given2", "neg"]


def test_a_bare_array_becomes_a_given_leaf():
    with w.Trace() as trace:
        ops.exp(numpy.zeros((2, 3)))
    assert (trace["given"].op, trace["given"].shape, trace["given"].axes) == ("given", (2, 3), ("", ""))


def test_a_result_of_one_recording_is_a_leaf_of_another():
    with w.Trace():
        y = ops.exp(matrix())
    with w.Trace() as trace:
        ops.neg(y, name="Z")
    assert [step.op for step in trace] == ["given", "neg"]
    numpy.testing.assert_array_equal(trace["Z"].value, -y.array)


# -- nothing can be changed ------------------------------------------------------------------


def test_no_recorded_array_can_be_written():
    for step in attention_training():
        with pytest.raises(ValueError, match="read-only"):
            step.value[...] = 0


def as_it_is(array):
    return array


def as_a_view(array):
    return array[:]


def as_a_locked_view(array):
    view = array[:]
    view.setflags(write=False)
    return view


def as_the_back_of_a_matrix(array):
    return array.T


@pytest.mark.parametrize("how", [as_it_is, as_a_view, as_a_locked_view, as_the_back_of_a_matrix])
@pytest.mark.parametrize("make", [Tensor, w.given, w.parameter, w.constant])
def test_the_users_own_array_stays_his_and_does_not_reach_the_trace(how, make):
    own = numpy.ones((2, 2))
    with w.Trace() as trace:
        ops.exp(make(how(own)), name="Y")
    own[...] = 5.0
    assert [step.value.tolist() for step in trace] == [[[1, 1], [1, 1]], [[numpy.e, numpy.e]] * 2]


def test_a_tensor_of_pytorch_is_copied_too():
    torch = pytest.importorskip("torch")
    own = torch.ones(2, dtype=torch.float64)
    with w.Trace() as trace:
        ops.exp(w.given(own, "token", name="x"))
    own += 4
    assert trace["x"].value.tolist() == [1, 1]


def test_a_cotangent_stays_the_users():
    own = numpy.ones((2, 2))
    with w.Trace() as trace:
        ops.exp(matrix(), name="Y")
    trace.backward("Y", cotangent=own)
    own[...] = 5.0
    assert trace["dY"].value.tolist() == [[1, 1], [1, 1]]


# -- names and paths -------------------------------------------------------------------------


def test_the_small_model_has_the_names_of_the_textbook():
    group = {f"attention.{name}" for name in ("scores", "scaled", "weights", "context")}
    assert {"X", "Q", "K", "V", "last", "logits", "P", "loss"} | group <= set(paths(attention_backward()))


def test_a_name_that_is_used_again_counts_on():
    x = matrix()
    with w.Trace() as trace:
        for name in ("Y", "Y", "Y3", "Y", "Y"):
            ops.exp(x, name=name)
    assert paths(trace) == ["X", "Y", "Y2", "Y3", "Y4", "Y5"]


def test_scopes_lie_in_one_another_and_can_be_entered_again():
    x = matrix()
    with w.Trace() as trace:
        trace.start_from(x)
        for _ in range(2):
            with trace.scope("block1"), trace.scope("head2"):
                ops.exp(x, name="Y")
        ops.neg(x, name="Y")
    assert paths(trace) == ["X", "block1.head2.Y", "block1.head2.Y2", "Y"]
    assert [step.name for step in trace] == ["X", "Y", "Y2", "Y"]


def test_a_group_is_a_path_of_its_own_and_counts_like_a_step():
    Q, K, V = (matrix(name, "token head_size") for name in "QKV")
    with w.Trace() as trace:
        ops.attention(Q, K, V)
        ops.attention(Q, K, V)
        ops.attention(Q, K, V, name="head3")
    groups = trace.recording.groups
    assert [group.path for group in groups.values()] == ["attention", "attention2", "head3"]
    for group in groups.values():
        assert [trace.recording.steps[id].name for id in group.inputs] == ["Q", "K", "V"]
        assert [step.name for step in trace.recording.members(group)][1:] == ["scores", "scaled", "weights", "context"]
        assert group.result == trace.recording.members(group)[-1].id


def test_a_group_that_fails_leaves_its_steps_but_no_group():
    Q, K, V = (matrix(name, "token head_size") for name in "QKV")
    with w.Trace() as trace:
        with pytest.raises(WorkingsError) as raised:
            ops.attention(Q, K, V, d=-1)
        ops.attention(Q, K, V)
    assert raised.value.where == "attention.scaled"
    assert [group.path for group in trace.recording.groups.values()] == ["attention2"]
    groups = {step.path: step.step.group for step in trace.all("scores")}
    assert groups == {"attention.scores": None, "attention2.scores": next(iter(trace.recording.groups))}
    w.Trace.from_json(trace.to_json())


# -- kinds, stages, twins, broadcasting, words -----------------------------------------------


def test_kinds_and_stages_of_a_training_step():
    trace = attention_training()
    kinds = {path: (trace[path].step.kind, trace[path].step.stage) for path in paths(trace)}
    assert kinds["E"] == ("leaf", "forward")
    assert kinds["step1.attention.scores"] == ("primitive", "forward")
    assert kinds["step1.attention.weights"] == ("composite", "forward")
    assert kinds["step1.dloss"] == ("leaf", "backward")
    assert kinds["dW_Q"] == ("primitive", "backward")
    assert kinds["step1.W_Q_new"] == ("composite", "update")
    assert kinds["step2.loss"] == ("composite", "forward")


def test_the_twin_of_a_gradient_and_of_a_new_weight():
    trace = attention_training()
    assert trace["dW_Q"].twin.path == "W_Q"
    assert trace["step1.attention.dscores"].twin.path == "step1.attention.scores"
    assert trace["step1.W_Q_new"].twin.path == "W_Q"
    assert trace["W_Q"].twin is None


def test_the_step_says_what_is_repeated():
    with w.Trace() as trace:
        x = matrix()
        ops.add(x, w.given([0.1, 0.2], "model"), name="biased")
        ops.sub(x, ops.row_max(x), name="shifted")
        ops.add(x, x, name="plain")
    notes = {name: [tuple(n) for n in trace.recording.broadcast(trace[name].step)] for name in paths(trace)}
    assert notes["biased"] == [(1, "token", -2, 2)]
    assert notes["shifted"] == [(1, "model", -1, 2)]
    assert notes["plain"] == []


def test_renaming_records_no_step_and_is_remembered_by_the_reader():
    x = matrix()
    with w.Trace() as trace:
        ops.matmul(x, ops.transpose(x.rename(token="key")), name="S")
    assert paths(trace) == ["X", "X_T", "S"]
    assert trace["X_T"].axes == ("model", "key")
    assert trace["X_T"].step.read_as == {0: form_of(("key", "model"), (2, 2))}
    assert trace["S"].axes == ("token", "key")


def test_a_second_pass_counts_passes_and_not_the_constants_of_rules():
    with w.Trace() as trace:
        ops.sigmoid(matrix(), name="Y")  # its rule contains the constant 1
    for _ in range(3):
        trace.backward("Y", cotangent=numpy.ones((2, 2)))
    assert {"dX", "backward2.dX", "backward3.dX"} == {step.path for step in trace.all("dX")}


def test_a_pass_that_fails_leaves_nothing_behind():
    with w.Trace() as trace:
        ops.sum(ops.sqrt(w.given([0.0, 1.0], "token", name="x"), name="y"), name="z")
    before = trace.to_json()
    with pytest.raises(WorkingsError, match="divided by 0"):
        trace.backward("z")
    assert trace.to_json() == before
    trace.backward("y", cotangent=[0.0, 1.0], wrt=["y"])
    assert "dy" in trace


# -- tape ------------------------------------------------------------------------------------


def record_tape(level):
    weights, tokens, target = Weights.first(), w.ids([0, 1], name="tokens"), w.ids(2, name="target")
    with w.Trace(level) as trace:
        ops.cross_entropy(predict(weights, tokens), target, name="loss")
    return trace


def test_a_tape_gives_the_loss_and_the_same_gradients():
    trace, tape = (record_tape(level).backward("loss") for level in ("trace", "tape"))
    for name in ("loss", "dE", "dW_Q", "dW_K", "dW_V", "dW_vocab"):
        assert bits(trace[name].value) == bits(tape[name].value)


def test_a_tape_keeps_leaves_single_numbers_and_what_rules_read_and_no_more():
    tape = record_tape("tape")
    kept = {step.path for step in tape if step.step.tensor.array is not None}
    assert kept == {"E", "tokens", "W_Q", "W_K", "W_V", "W_vocab", "target", "attention.weights", "loss"}


@pytest.mark.parametrize(
    "ask",
    [
        lambda tape: tape["scores"].value,
        lambda tape: tape["weights"].inside,
        lambda tape: tape["weights/exp"],
        lambda tape: tape.compile(["W_Q"], ["loss"]),
        lambda tape: tape.to_json(),
    ],
)
def test_a_tape_says_that_a_value_was_not_kept(ask):
    with pytest.raises(StepError, match="was not kept"):
        ask(record_tape("tape"))


def test_a_tape_that_is_replayed_computes_everything_again_and_becomes_a_trace():
    changed = {"W_Q": numpy.ones((2, 2))}
    trace, tape = (record_tape(level).backward("loss").replay(values=changed) for level in ("trace", "tape"))
    assert [(step.path, bits(step.value)) for step in tape] == [(step.path, bits(step.value)) for step in trace]


# -- context ---------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [KeyError, KeyboardInterrupt, GeneratorExit])
def test_the_context_is_restored_after_any_exception(error):
    outer = w.Trace()
    with outer, pytest.raises(error), w.Trace(), outer.scope("inside"):
        raise error
    assert CONTEXT.get() == Context()
    with outer:
        ops.exp(matrix(), name="Y")
    assert "Y" in paths(outer)


def test_the_context_is_restored_when_a_composite_fails_inside_a_recording():
    with w.Trace() as trace:
        with pytest.raises(WorkingsError):
            ops.cross_entropy(matrix(), w.ids([0, 9]))
        recorder = CONTEXT.get().recorder
    assert recorder is trace.recording


# -- composites ------------------------------------------------------------------------------


def test_a_composite_opens_on_demand_with_stable_ids():
    trace = attention_backward()
    before = len(trace)
    weights = trace["weights"]
    opened = [(step.id, step.path) for step in weights.inside]
    names = ["max", "sub", "exp", "total", "div"]
    assert opened == [(f"{weights.id}.{n}", f"attention.weights/{name}") for n, name in enumerate(names, 1)]
    assert opened == [(step.id, step.path) for step in weights.inside]
    assert len(trace) == before
    assert bits(trace["weights/div"].value) == bits(weights.value)
    assert trace["weights/sub"].inputs[0].path == "attention.scaled"


def test_composites_open_inside_composites():
    x = w.given([[2.0, 1.0], [0.3, 0.4]], "token vocab", name="logits")
    with w.Trace() as trace:
        ops.cross_entropy(x, w.ids([0, 1]), name="loss")
    assert trace["loss/mean/total"].id == f"{trace['loss/mean'].id}.1"


def test_a_calculator_may_record_inside_a_float_recording():
    x = w.given([[2.0, 1.0, 0.1]], "query key", name="x")
    with w.Trace() as exact:
        with w.Trace(precision="calculator 2 decimals") as rounded:
            ops.softmax(x, name="P")
        ops.softmax(x, name="P")
    assert rounded["P"].value.tolist() == [[0.66, 0.24, 0.1]]
    assert bits(exact["P"].value) == bits(ops.softmax(x).array)


# -- closed ----------------------------------------------------------------------------------


# Their settings or their words fit one shape only, or their rows are shares: page_checks compares these.
FIT_ONE_SHAPE_ONLY = {
    "spread", "reshape", "place_row", "one_hot", "permute", "merge_heads", "split", "split_heads", "top_k",
    "positional_encoding", "keep_top_k", "keep_top_p",
}  # fmt: skip
ANY_SHAPE = [n for n, op in sorted(ops.OPS.items()) if len(op.page.inputs) == 1 and n not in FIT_ONE_SHAPE_ONLY]


@pytest.mark.parametrize("name", ANY_SHAPE)
def test_closed_execution_gives_the_bits_of_the_page_for_any_shape_and_order(name):
    op, numbers = ops.OPS[name], numpy.random.default_rng(5)
    words = op.page.example.inputs[0].axes[-2:]
    settings = {**op.page.example.settings, **({"index": 0} if name == "take_row" else {})}
    for shape in [(1, 1), (1, 7), (9, 1), (5, 8), (17, 33)]:
        array = numpy.abs(numbers.standard_normal(shape)) + 0.1
        for plain in (array, array.astype("float32")):
            with CompiledRecording() as recording:
                in_rows = recording.known(Tensor(plain, form_of(words, shape)))
                in_columns = ops.transpose(Tensor(plain.T, form_of(words[::-1], shape[::-1])))
                closed = [op(x, **settings) for x in (in_rows, in_columns)]
            page = [op(Tensor(x.array, x.form), **settings) for x in (in_rows, in_columns)]
            assert [bits(x.array) for x in closed] == [bits(x.array) for x in page]


def test_closed_execution_gives_the_bits_of_the_page_for_random_graphs():
    for seed in range(25):
        plan = random_plan(seed)
        closed = run(plan, plan.values(seed)).recording
        page = Recording()
        with page:
            opened = run_in(page, plan, plan.values(seed))
        assert [bits(closed.value(id)) for id in opened] == [bits(page.value(id)) for id in opened]


def run_in(recording, plan, values):
    tensors = [Tensor(array, name=f"leaf{n}") for n, array in enumerate(values)]
    for tensor in tensors:
        recording.id_of(tensor)
    for what, reads in plan.lines:
        tensors.append({**ONE, **TWO}[what](*(tensors[n] for n in reads)))
    return [recording.id_of(tensor) for tensor in tensors]


def test_the_precision_of_a_recording_reaches_its_leaves():
    with CompiledRecording(arithmetic=arithmetic("float32")) as recording:
        output = ops.exp(w.given([0.1], "token"))
    assert output.array.dtype == recording.value("1").dtype == numpy.float32
