"""Which mistakes can be made in a trace: those that are declared find a place, and what is listed can be made."""

from functools import lru_cache, partial

import numpy
import pytest
import wires_of_layers
from mistake_traces import trace_of
from traces import SMALL, small

import workings as w
from workings import ops
from workings.cli.main import main
from workings.conventions import CHOICES, choices, convention, words
from workings.engine.errors import ReplayError
from workings.engine.op import OPS
from workings.explain.mistakes import PossibleMistake
from workings.training.averaging import loss_of, shares_of

# The names of the block that more than one step has.
NORMED1, NORMED2 = "block1.attention.norm.normed", "block1.feed_forward.norm.normed"
RESIDUAL1, RESIDUAL2 = "block1.attention.residual", "block1.feed_forward.residual"

ACROSS = {m.id: m for op in OPS.values() for m in op.page.mistakes.values() if m.across}


def bits(array):
    array = numpy.asarray(array)
    return array.dtype.name, array.shape, array.tobytes()


def told(trace):
    return {step.id: (step.path, step.op, step.settings, bits(step.value)) for step in trace}


def changed(trace, wrong):
    """The paths of the steps whose numbers are others."""
    return {step.path for step in trace if bits(step.value) != bits(wrong[step.id].value)}


# -- traces with what the small ones lack ------------------------------------------------------


@lru_cache
def by_hand():
    """A norm, a row from the front, two weights of one shape, the softmax of the logits, and two updates."""
    numbers = numpy.random.default_rng(5)
    X = w.given(numbers.standard_normal((3, 2)).round(2), "token model", name="X")
    A, B = (w.parameter(numbers.standard_normal((2, 2)).round(2), "model vocab", name=name) for name in "AB")
    with w.Trace() as trace:
        normed = ops.rms_norm(X, w.parameter([0.7, 1.2], "model", name="gamma"), name="normed")
        first = ops.take_row(normed, index=0, name="first")
        one, other = ops.matmul(first, A, name="one"), ops.matmul(first, B, name="other")
        logits = ops.add(one, ops.mul(other, other, name="square"), name="logits")
        ops.softmax(logits, name="P")
        ops.cross_entropy(logits, w.ids(1, name="target"), name="loss")
    trace.backward("loss")
    with trace:
        for name in "AB":
            ops.sgd(trace[name].tensor, trace[f"d{name}"].tensor, rate=0.1)
    return trace


@lru_cache
def wide():
    """Scores of three keys, scaled by the root of a head of 2 in a model of 4, with a mask that hides some of them."""
    numbers = numpy.random.default_rng(6)
    X = w.given(numbers.standard_normal((3, 4)).round(2), "token model", name="X")
    Q, K = (w.parameter(numbers.standard_normal((4, 2)).round(2), "model head_size", name=name) for name in "QK")
    with w.Trace() as trace:
        queries = ops.matmul(X, Q, name="queries").rename(token="query")
        keys = ops.matmul(X, K, name="keys").rename(token="key")
        scaled = ops.divide_by_root(ops.matmul(queries, ops.transpose(keys), name="scores"), d=2, name="scaled")
        allow = w.constant([[1.0, 0.0, 1.0], [1.0, 1.0, 0.0], [0.0, 1.0, 1.0]], "query key", name="allow")
        weights = ops.softmax(ops.mask(scaled, allow, name="masked"), name="weights")
        ops.sum(ops.mul(weights, weights, name="squares"), name="loss")
    return trace.backward("loss")


@lru_cache
def layers():
    """Two layers with a bias and a plain product, all with weights of one shape; a bias of its own; a wider layer."""
    numbers = numpy.random.default_rng(8)
    X = w.given(numbers.standard_normal((3, 2)).round(2), "token model", name="X")
    A, B, C = (w.parameter(numbers.standard_normal((2, 2)).round(2), name=name) for name in "ABC")
    D = w.parameter(numbers.standard_normal((2, 3)).round(2), name="D")
    a, b, c = (w.parameter(numbers.standard_normal(2).round(2), name=name) for name in "abc")
    d = w.parameter(numbers.standard_normal(3).round(2), name="d")
    with w.Trace() as trace:
        first = ops.linear(X, A, a, name="first")
        second = ops.linear(first, B, b, name="second")
        third = ops.matmul(second, C, name="third")
        moved = ops.add(third, c, name="moved")
        ops.mean(ops.relu(ops.linear(moved, D, d, name="wider"), name="bent"), name="loss")
    return trace.backward("loss")


@lru_cache
def texts():
    """The loss of two texts, one of three tokens and one filled up, in which every token counts the same."""
    numbers = numpy.random.default_rng(9)
    logits = w.parameter(numbers.standard_normal((2, 3, 4)).round(2), "batch token vocab", name="logits")
    shares = shares_of([numpy.array([[1.0, 1.0, 1.0], [1.0, 0.0, 0.0]])])[0]
    with w.Trace() as trace:
        inputs = {"target": w.ids([[0, 2, 1], [3, 0, 0]], "batch token"), "shares": w.given(shares, "batch token")}
        loss_of(logits, inputs)
    return trace.backward("loss")


@lru_cache
def two_norms():
    """Tokens, two layers without biases between two norms, the loss of the next tokens, and two updates of a weight."""
    numbers = numpy.random.default_rng(10)
    table, vocab = (w.parameter(numbers.standard_normal((3, 2)).round(2), "vocab model", name=name) for name in "EU")
    A, B = (w.parameter(numbers.standard_normal((2, 2)).round(2), name=name) for name in "AB")
    g1, g2 = w.parameter([0.7, 1.2], "model", name="g1"), w.parameter([1.5, -0.4], "model", name="g2")
    tokens, target = w.ids([2, 0, 1], "token", name="tokens"), w.ids([0, 1, 1], "token", name="target")
    with w.Trace() as trace:
        trace.start_from(table, vocab, A, B, g1, g2, tokens, target)
        normed = ops.rms_norm(ops.lookup(table, tokens, name="X"), g1, name="normed1")
        output = ops.matmul(ops.relu(ops.matmul(normed, A, name="hidden"), name="activated"), B, name="output")
        logits = ops.matmul(ops.rms_norm(output, g2, name="normed2"), ops.transpose(vocab, name="U_T"), name="logits")
        ops.negative_log_likelihood(ops.softmax(logits, name="P"), target, name="loss")
    trace.backward("loss")
    with trace:
        new = ops.sgd(trace["B"].tensor, trace["dB"].tensor, rate=0.1, name="B1")
        ops.mean(ops.matmul(trace["normed1"].tensor, new, name="again"), name="loss2")
    trace.backward("loss2")
    with trace:
        ops.sgd(new, trace["dB1"].tensor, rate=0.1, name="B2")
    return trace


@lru_cache
def three_heads():
    """The scores of three heads of size 2, one of whose keys is padding."""
    scores = w.parameter(numpy.random.default_rng(11).standard_normal((3, 2, 2)), "head query key", name="scores")
    with w.Trace() as trace:
        scaled = ops.divide_by_root(scores, d=2, name="scaled")
        padded = ops.padding_mask(scaled, w.constant([1.0, 0.0], "key", name="keep"), name="padded")
        weights = ops.softmax(padded, name="weights")
        ops.sum(ops.mul(weights, weights, name="squares"), name="loss")
    return trace.backward("loss")


@lru_cache
def placed():
    """Tokens with learned positions, of which there are more than tokens, and logits with a bias."""
    numbers = numpy.random.default_rng(12)
    E, positions = (w.parameter(numbers.standard_normal((4, 2)), name=name) for name in ("E", "positions"))
    U, b = w.parameter(numbers.standard_normal((2, 4)), name="U"), w.parameter(numbers.standard_normal(4), name="b")
    tokens, order = w.ids([0, 1, 2], "token", name="tokens"), w.ids([0, 1, 2], "token", name="order")
    with w.Trace() as trace:
        embedded, rows = ops.lookup(E, tokens, name="embedded"), ops.lookup(positions, order, name="rows")
        logits = ops.linear(ops.add(embedded, rows, name="X"), U, b, name="logits")
        ops.cross_entropy(logits, w.ids([1, 2, 3], "token", name="target"), name="loss")
    return trace.backward("loss")


def moments():
    """One update by Adam, with two betas."""
    with w.Trace() as trace:
        W, dW, m, v = (w.given([0.3, n / 2], name=name) for n, name in enumerate(("W", "dW", "m", "v"), start=1))
        ops.adam(W, dW, m, v, t=2, rate=0.1, beta2=0.8)
    return trace


@lru_cache
def cross():
    """The scores of cross-attention, once without biases and once with them."""
    numbers = numpy.random.default_rng(13)
    X, memory = (w.given(numbers.standard_normal((2, 2)), f"{axis} model", name=name) for axis, name in ASKING)
    A, B = (w.parameter(numbers.standard_normal((2, 2)), "model head_size", name=name) for name in "AB")
    a, b = (w.parameter(numbers.standard_normal(2), "head_size", name=name) for name in "ab")
    with w.Trace() as trace:
        queries, keys = ops.matmul(X, A, name="Q"), ops.matmul(memory, B, name="K")
        plain = ops.softmax(ops.matmul(queries, ops.transpose(keys), name="scores"), name="weights")
        queries, keys = ops.linear(X, A, a, name="biased_Q"), ops.linear(memory, B, b, name="biased_K")
        biased = ops.softmax(ops.matmul(queries, ops.transpose(keys), name="biased_scores"), name="biased_weights")
        ops.sum(ops.mul(plain, biased, name="products"), name="loss")
    return trace.backward("loss")


ASKING = (("query", "X"), ("key", "memory"))
OWN = {
    "moments": moments,
    "cross": cross,
    "placed": placed,
    "by hand": by_hand,
    "wide": wide,
    "layers": layers,
    "texts": texts,
    "two norms": two_norms,
    "three heads": three_heads,
    **{
        name: partial(trace_of, name)
        for name in ("two blocks", "no norms", "post norms", "rms post-norms", "cross block", "two heads")
    },
}
TRACES = [*SMALL, *OWN, "example-4"]


def trace_named(name):
    return OWN[name]() if name in OWN else small(name)


@lru_cache
def fits(name):
    return tuple(trace_named(name).mistakes())


# -- what is declared finds a place --------------------------------------------------------------


def test_there_are_mistakes_across_steps_of_both_kinds():
    assert {m.across for m in ACROSS.values()} == {"wire", "setting"}
    assert len(ACROSS) >= 11


@pytest.mark.parametrize("id", ACROSS)
def test_every_mistake_across_steps_fits_somewhere_and_differs_from_the_truth(id):
    found = [(name, fit) for name in TRACES for fit in fits(name) if fit.id == id]
    assert found
    for name, fit in found:
        assert fit.kind == ACROSS[id].across
        assert changed(trace_named(name), fit.make()), (name, fit)


@pytest.mark.parametrize(
    ("name", "id", "step"),
    [
        ("by hand", "take_row.other_end", "first"),
        ("by hand", "matmul.other_weight", "one"),
        ("by hand", "matmul.other_weight", "other"),
        ("layers", "linear.other_weight", "first"),
        ("by hand", "cross_entropy.softmax_twice", "loss"),
        ("by hand", "sgd.other_gradient", "A_new"),
        ("by hand", "sgd.other_gradient", "B_new"),
        ("wide", "divide_by_root.root_of_model", "scaled"),
        ("wide", "divide_by_root.root_of_keys", "scaled"),
        ("wide", "softmax.mask_forgotten", "weights"),
    ],
)
def test_a_mistake_across_steps_is_found_at_the_step_where_it_is_made(name, id, step):
    assert step in [fit.step for fit in fits(name) if fit.id == id]


# -- what is listed can be made ------------------------------------------------------------------


@pytest.mark.parametrize("name", TRACES)
def test_a_mistake_that_is_listed_can_be_made_and_changes_something(name):
    trace, truth = trace_named(name), told(trace_named(name))
    numbers = {path: value for path, _, _, value in truth.values()}
    for fit in fits(name):
        wrong = fit.make()
        assert {step.path: bits(step.value) for step in wrong} != numbers, fit
        assert fit.hint[0].isupper(), fit
        assert fit.hint.endswith("."), fit
        if fit.kind == "run":
            assert fit.step == ""
        else:
            assert trace[fit.step].path == fit.step
            assert all(wrong[id].path == path for id, (path, *_) in truth.items()), fit
    assert told(trace) == truth


@pytest.mark.parametrize("name", TRACES)
def test_no_mistake_is_listed_twice(name):
    keys = [(fit.id, fit.step, fit.kind) for fit in fits(name)]
    assert len(set(keys)) == len(keys)


def test_all_five_kinds_are_in_the_block():
    assert {fit.kind for fit in fits("block")} == {"op", "rule", "wire", "setting", "run"}


@pytest.mark.parametrize("name", TRACES)
def test_the_mistakes_of_one_step_are_a_part_of_all(name):
    trace = trace_named(name)
    shown = [(fit.id, fit.kind, fit.step, fit.hint) for fit in fits(name) if fit.kind != "run"]
    apart = [(fit.id, fit.kind, fit.step, fit.hint) for step in trace for fit in trace.mistakes(step.path)]
    assert apart == shown


def test_the_mistakes_at_the_weights_of_the_block():
    trace = small("block")
    ids = [fit.id for fit in trace.mistakes("weights")]
    assert ids == [fit.id for fit in fits("block") if fit.step == "block1.attention.weights"]
    assert "softmax.mask_forgotten" in ids
    assert "softmax.diagonal_only" not in ids  # that one is about its gradient
    assert "softmax.diagonal_only" in [fit.id for fit in trace.mistakes("dmasked")]


def test_gradients_that_are_added_up_can_be_added_up_wrongly():
    trace = small("block")
    two = ["collect.assigned", "collect.only_first_path", "collect.averaged", "collect.multiplied"]
    two += ["collect.subtracted", "collect.first_path_twice", "collect.last_path_twice"]
    through_residual = ["collect.residual_path_forgotten", "collect.only_residual_path"]
    assert [fit.id for fit in trace.mistakes("dX")] == [*two, *through_residual]
    by_queries_keys_and_values = [fit.id for fit in trace.mistakes("block1.attention.norm.dnormed")]
    assert by_queries_keys_and_values[: len(two)] == two
    assert by_queries_keys_and_values[len(two) :] == [
        "collect.only_second_path",
        "collect.first_path_forgotten",
        "collect.second_path_forgotten",
        "collect.last_path_forgotten",
    ]
    ids = [fit.id for fit in layers().mistakes("dc")]
    rows = [f"sum_to.{name}" for name in ("averaged", "first_only", "last_only", "one_sum_for_all")]
    rules = [f"add.{name}+rule" for name in ("subtracted", "forgotten", "multiplied", "averaged")]
    assert ids == [*rows, *rules]


def test_layout_is_a_mistake_of_the_gradient_of_a_weight_alone():
    """The transpose of the gradient of the keys is no layout of PyTorch."""
    trace = w.scenario("example-5").trace("twin")
    layout, exchanged = (
        {fit.step for fit in trace.mistakes(only=[id])} for id in ("matmul.pytorch_layout", "matmul.factors_exchanged")
    )
    assert "block1.attention.dW_Q" in layout & exchanged
    assert "block1.attention.dK_T" in exchanged - layout


def test_rows_of_tokens_are_no_positions_even_if_they_are_in_order():
    assert [fit.step for fit in placed().mistakes(only=["lookup.positions_from_one"])] == ["rows"]


def test_a_mistake_that_would_change_no_number_is_not_listed():
    """With a single target, the mean of the losses is their sum."""
    ids = {fit.id for fit in fits("attention-backward")}
    assert "cross_entropy.base_ten" in ids
    same = {"convention.loss_reduction.sum", "cross_entropy.wrong_reduction", "cross_entropy.gradient_not_divided"}
    assert not ids & same
    assert "convention.loss_reduction.sum" in {fit.id for fit in fits("block")}


def test_possible_mistake_has_a_short_repr():
    fit = next(fit for fit in fits("block") if fit.id == "softmax.mask_forgotten")
    assert repr(fit) == "<wire softmax.mask_forgotten at block1.attention.weights>"
    assert (
        repr(PossibleMistake("convention.activation.gelu", "run", "", "", layers)) == "<run convention.activation.gelu>"
    )


# -- wires and settings, put in by hand ----------------------------------------------------------

WIRES = [
    *wires_of_layers.WIRES,
    ("block", "masked", "causal_mask.forgotten", {"weights": {"x": "scaled"}}),
    ("three heads", "padded", "padding_mask.forgotten", {"weights": {"x": "scaled"}}),
    ("block", "weights", "softmax.mask_forgotten", {"weights": {"x": "scaled"}}),
    ("block", "X", "add.position_forgotten", {NORMED1: {"x": "embedded"}, RESIDUAL1: {"a": "embedded"}}),
    ("block", RESIDUAL1, "add.residual_of_normalised", {RESIDUAL1: {"a": NORMED1}}),
    ("block", RESIDUAL2, "add.residual_of_normalised", {RESIDUAL2: {"a": NORMED2}}),
    ("layers", "moved", "add.bias_forgotten", {"wider": {"x": "third"}}),
    ("block", "Q", "matmul.weight_forgotten", {"Q_heads": {"x": NORMED1}}),
    ("block", "attended", "matmul.weight_forgotten", {RESIDUAL1: {"b": "joined"}}),
    ("block", "Q", "matmul.other_weight", {"Q": {"b": "W_K"}}),
    ("block", "K", "matmul.other_weight", {"K": {"b": "W_Q"}}),
    ("block", NORMED1, "layer_norm.left_out", {"Q": {"a": "X"}, "K": {"a": "X"}, "V": {"a": "X"}}),
    ("by hand", "normed", "rms_norm.left_out", {"first": {"x": "X"}}),
    ("by hand", "one", "matmul.other_weight", {"one": {"b": "B"}}),
    ("layers", "first", "linear.weight_forgotten", {"second": {"x": "X"}}),
    ("layers", "second", "linear.weight_forgotten", {"third": {"a": "first"}}),
    ("layers", "first", "linear.other_weight", {"first": {"W": "B"}}),
    ("layers", "second", "linear.other_weight", {"second": {"W": "C"}}),
    ("layers", "third", "matmul.other_weight", {"third": {"b": "B"}}),
    ("block", RESIDUAL1, "add.output_twice", {RESIDUAL1: {"a": "attended"}}),
    ("block", RESIDUAL2, "add.residual_of_block_input", {RESIDUAL2: {"a": "X"}}),
    (
        "block",
        NORMED2,
        "layer_norm.weights_of_another_norm",
        {NORMED2: {"gamma": "block1.attention.norm.gamma", "beta": "block1.attention.norm.beta"}},
    ),
    ("two norms", "normed2", "rms_norm.weights_of_another_norm", {"normed2": {"gamma": "g1"}}),
    (
        "block",
        "loss",
        "cross_entropy.targets_not_shifted",
        {"loss": {"target": "tokens"}, "dlogits.y": {"ids": "tokens"}},
    ),
    (
        "two norms",
        "loss",
        "negative_log_likelihood.targets_not_shifted",
        {
            "loss": {"target": "tokens"},
            "dP.right": {"target": "tokens"},
            "dP.one_hot": {"ids": "tokens"},
            "backward2.dP.via_right.one_hot": {"ids": "tokens"},  # the update depends on the targets too
        },
    ),
    ("by hand", "A_new", "sgd.other_gradient", {"A_new": {"dW": "dB"}}),
    ("attention-training", "step1.W_Q_new", "sgd.other_gradient", {"step1.W_Q_new": {"dW": "dW_K"}}),
    (
        "attention-training",
        "step1.W_vocab_new",
        "sgd.forward_not_repeated",
        {
            "step2.X": {"E": "E"},
            "step2.Q": {"b": "W_Q"},
            "step2.K": {"b": "W_K"},
            "step2.V": {"b": "W_V"},
            "step2.logits": {"b": "W_vocab"},
        },
    ),
    (
        "block",
        "scores",
        "matmul.queries_and_keys_exchanged",
        {"scores": {"a": "K_heads"}, "K_heads_T": {"x": "Q_heads"}},
    ),
    (
        "block",
        "scores",
        "matmul.keys_and_values_exchanged",
        {"K_heads_T": {"x": "V_heads"}, "context": {"b": "K_heads"}},
    ),
    ("block", "scores", "matmul.values_for_keys", {"K_heads_T": {"x": "V_heads"}}),
    ("block", "scores", "matmul.queries_for_keys", {"K_heads_T": {"x": "Q_heads"}}),
    ("block", "context", "matmul.keys_for_values", {"context": {"b": "K_heads"}}),
    ("cross", "scores", "matmul.projections_forgotten", {"scores": {"a": "X"}, "K_T": {"x": "memory"}}),
    ("cross", "K", "matmul.memory_forgotten", {"K": {"a": "X"}}),
    ("cross", "Q", "matmul.queries_from_memory", {"Q": {"a": "memory"}}),
    ("cross", "biased_K", "linear.memory_forgotten", {"biased_K": {"x": "X"}}),
    ("cross", "biased_Q", "linear.queries_from_memory", {"biased_Q": {"x": "memory"}}),
    ("cross", "weights", "softmax.left_out", {"products": {"a": "scores"}}),
    (
        "block",
        "output",
        "linear.reads_hidden",
        {"output": {"x": "hidden"}, "block1.feed_forward.dW_2.activated_T": {"x": "hidden"}},
    ),
    (
        "two blocks",
        "block2.feed_forward.output",
        "matmul.reads_hidden",
        {
            "block2.feed_forward.output": {"a": "block2.feed_forward.hidden"},
            "block2.feed_forward.dW_2.activated_T": {"x": "block2.feed_forward.hidden"},
        },
    ),
]


@pytest.mark.parametrize(("name", "step", "mistake", "wires"), WIRES, ids=[f"{row[1]} {row[2]}" for row in WIRES])
def test_a_wire_mistake_is_the_replay_with_those_wires(name, step, mistake, wires):
    trace = trace_named(name)
    wrong = trace.replay(ops={step: mistake})
    assert told(wrong) == told(trace.replay(wires=wires))
    (fit,) = (fit for fit in fits(name) if (fit.id, fit.step) == (mistake, trace[step].path))
    assert told(fit.make()) == told(wrong)


def test_every_wire_mistake_is_put_in_by_hand_once():
    wires = {m.id for m in ACROSS.values() if m.across == "wire" and m.surroundings is None}
    assert {row[2] for row in WIRES} == wires


def left_over(t):
    """The shares of all scores, of which the hidden ones are then struck out."""
    powers = numpy.exp(t["scaled"])
    return powers / powers.sum(axis=-1, keepdims=True) * (t["weights"] > 0)


NORMED_GRADIENT = "block1.attention.norm.dnormed"


def parts_of(t, *names, gradient=NORMED_GRADIENT):
    """The sum of the gradients that reach a value through these steps."""
    return sum(t[f"{gradient}.via_{name}"] for name in names)


def unscaled(t):
    """The attention weights of scores that were not scaled, of which padding is masked."""
    powers = numpy.exp(t["scores"]) * (t["weights"] > 0)
    return powers / powers.sum(axis=-1, keepdims=True)


def relu_moved(t):
    """The second layer of the block on what the first one gives, and then the ReLU."""
    return numpy.maximum(t["block1.feed_forward.hidden"] @ t["W_2"] + t["b_2"], 0)


# What is worked out with more than the step reads, or only in some surroundings, in NumPy.
BESIDE = [
    *wires_of_layers.BESIDE,
    ("block", RESIDUAL1, "add.residual_twice", lambda t: 2 * t["X"] + t["attended"]),
    ("block", "dX", "collect.residual_path_forgotten", lambda t: t["embedding.dX.via_normed"]),
    ("block", "dX", "collect.only_residual_path", lambda t: t["embedding.dX.via_residual"]),
    ("block", NORMED_GRADIENT, "collect.only_second_path", lambda t: parts_of(t, "K")),
    ("block", NORMED_GRADIENT, "collect.first_path_forgotten", lambda t: parts_of(t, "K", "Q")),
    ("block", NORMED_GRADIENT, "collect.second_path_forgotten", lambda t: parts_of(t, "V", "Q")),
    ("block", NORMED_GRADIENT, "collect.last_path_forgotten", lambda t: parts_of(t, "V", "K")),
    ("block", "output", "linear.relu_after_second_layer", lambda t: numpy.maximum(t["output"], 0)),
    ("two norms", "output", "matmul.relu_after_second_layer", lambda t: numpy.maximum(t["output"], 0)),
    ("block", "output", "linear.relu_only_after_second_layer", lambda t: relu_moved(t)),
    (
        "two norms",
        "output",
        "matmul.relu_only_after_second_layer",
        lambda t: numpy.maximum(t["hidden"] @ t["B"], 0),
    ),
    ("placed", "rows", "lookup.positions_from_one", lambda t: t["positions"][1:4]),
    ("texts", "loss", "sum.padding_counted", lambda t: t["losses"].mean()),
    ("two norms", "B2", "sgd.zero_grad_forgotten", lambda t: t["B1"] - 0.1 * (t["dB"] + t["dB1"])),
    ("block", "X", "add.position_twice", lambda t: t["embedded"] + 2 * t["places"]),
    ("block", "weights", "softmax.masked_afterwards", left_over),
    ("block", "weights", "softmax.scaled_afterwards", lambda t: unscaled(t) / numpy.sqrt(t["Q_heads"].shape[-1])),
    (
        "block",
        "context",
        "matmul.plain_average",
        lambda t: t["V_heads"].mean(axis=-2, keepdims=True) + 0 * t["context"],
    ),
    (
        "block",
        "context",
        "matmul.only_largest",
        lambda t: numpy.eye(t["weights"].shape[-1])[t["weights"].argmax(axis=-1)] @ t["V_heads"],
    ),
    ("block", "scores", "matmul.other_head", lambda t: t["Q_heads"] @ t["K_heads_T"][::-1]),
    ("block", "scores", "matmul.other_head_first", lambda t: t["Q_heads"][::-1] @ t["K_heads_T"]),
    (
        "example-4",
        "loss",
        "divide_by.mean_of_means",
        lambda t: ((t["example1.loss"] + t["example2.loss"]) / 2 + t["example3.loss"]) / 2,
    ),
    ("example-4", "loss", "divide_by.last_left_out", lambda t: (t["example1.loss"] + t["example2.loss"]) / 2),
    (
        "texts",
        "loss",
        "sum.mean_of_means",
        lambda t: (t["losses"][0].mean() + t["losses"][1, :1].mean()) / 2,
    ),
]


class ByName:
    """The numbers of a trace by the names of its steps."""

    def __init__(self, trace):
        self.trace = trace

    def __getitem__(self, name):
        return numpy.asarray(self.trace[name].value)


@pytest.mark.parametrize(("name", "step", "mistake", "expected"), BESIDE, ids=[row[2] for row in BESIDE])
def test_a_mistake_with_more_than_the_step_reads(name, step, mistake, expected):
    trace = trace_named(name)
    wrong = trace.replay(ops={step: mistake})
    numpy.testing.assert_allclose(wrong[step].value, expected(ByName(trace)), rtol=1e-12)
    assert trace[step].path in [fit.step for fit in trace.mistakes(only=[mistake])]
    read = w.Trace.from_json(wrong.to_json())
    leaf = next(step.path for step in trace if step.step.leaf == "parameter")
    other = {leaf: numpy.asarray(trace[leaf].value) * 0.9}
    assert bits(read.replay(values=other)["loss"].value) == bits(wrong.replay(values=other)["loss"].value)
    assert bits(wrong.compile([leaf], ["loss"])(other[leaf])[0]) == bits(wrong.replay(values=other)["loss"].value)


def test_every_mistake_with_more_than_the_step_reads_is_worked_out_once():
    assert {row[2] for row in BESIDE} == {m.id for m in ACROSS.values() if m.surroundings is not None}


def test_positions_are_waves_or_rows_in_order_next_to_those_of_tokens():
    table, tokens = w.parameter(numpy.eye(3), "vocab model", name="E"), w.ids([0, 1, 2], name="tokens")
    order = w.ids([0, 1, 2], name="order")
    with w.Trace() as trace:
        embedded = ops.lookup(table, tokens, name="embedded")
        placed = ops.add(embedded, ops.lookup(w.parameter(numpy.ones((3, 3)), name="P"), order, name="rows"), name="X")
        ops.exp(ops.add(embedded, ops.exp(placed, name="made"), name="residual"), name="Y")
    assert [fit.step for fit in trace.mistakes(only=["add.position_twice", "add.position_forgotten"])] == ["X", "X"]
    twice = trace.replay(ops={"X": "add.position_twice"})
    assert (twice["X"].value == numpy.eye(3) + 2).all()


SETTINGS = [
    ("block", "scaled", "divide_by_root.root_of_model", {"d": 4}),
    ("block", "scaled", "divide_by_root.root_of_keys", {"d": 3}),
    ("wide", "scaled", "divide_by_root.root_of_model", {"d": 4}),
    ("three heads", "scaled", "divide_by_root.root_of_heads", {"d": 3}),
    ("by hand", "first", "take_row.other_end", {"index": -1}),
    ("attention-backward", "last", "take_row.other_end", {"index": 0}),
]


@pytest.mark.parametrize(("name", "step", "mistake", "settings"), SETTINGS)
def test_a_setting_mistake_is_the_replay_with_that_setting(name, step, mistake, settings):
    trace = trace_named(name)
    assert told(trace.replay(ops={step: mistake})) == told(trace.replay(settings={step: settings}))


def test_attention_without_heads_has_one_head_of_the_full_width():
    trace = trace_named("two heads")
    X = trace["X"].value
    powers = numpy.exp(X @ X.T / numpy.sqrt(X.shape[-1]))
    wrong = trace.replay(ops={"Q_heads": "split_heads.heads_ignored"})
    numpy.testing.assert_allclose(wrong["joined"].value, powers / powers.sum(axis=-1, keepdims=True) @ X)
    assert all(wrong[name].shape == (1, 3, 4) for name in ("Q_heads", "K_heads", "V_heads", "context"))


def conventions_at_steps():
    return [fit for fit in fits("block") if fit.id.startswith("convention.") and fit.kind != "run"]


def choice_of(fit):
    """The field and the value in convention.field.value."""
    _, field, choice = fit.id.split(".", 2)
    return field, next(value for value in choices(field) if str(value) == choice)


def test_another_convention_at_one_step_is_the_replay_with_that_choice():
    trace = small("block")
    for fit in conventions_at_steps():
        field, value = choice_of(fit)
        followed = OPS[trace[fit.step].op].page.conventions[field]
        if fit.kind == "setting":
            expected = trace.replay(settings={fit.step: {followed: value}})
            assert expected[fit.step].settings[followed] == value
        else:
            assert (field, followed) == ("activation", "relu")
            expected = trace.replay(ops={fit.step: value})
        assert told(fit.make()) == told(expected), fit
        assert words(field, value) in fit.hint


def test_the_conventions_of_the_block_are_settings_of_its_steps_and_one_other_page():
    assert {choice_of(fit)[0] for fit in conventions_at_steps()} == {
        "norm_correction", "norm_epsilon", "norm_epsilon_place", "activation", "position", "loss_reduction",
    }  # fmt: skip
    assert {fit.kind for fit in conventions_at_steps()} == {"setting", "op"}


# -- runs ----------------------------------------------------------------------------------------


def runs():
    return [fit for fit in fits("block") if fit.kind == "run"]


def test_a_run_is_the_block_under_that_convention():
    for fit in runs():
        field, value = choice_of(fit)
        other = convention("seed", **{field: value})
        wrong = fit.make()
        assert wrong.convention == other
        assert told(wrong) == told(w.scenario("block").trace(convention=other)), fit
        assert words(field, value) in fit.hint


def test_the_runs_of_the_block_are_all_other_choices():
    seed = convention("seed")
    expected = [f"convention.{f}.{c}" for f in CHOICES for c in choices(f) if c != getattr(seed, f)]
    assert [fit.id for fit in runs()] == expected


def test_a_run_in_float32_stays_in_float32():
    runs = (fit for fit in small("block", "float32").mistakes() if fit.kind == "run")
    fit = next(fit for fit in runs if fit.id == "convention.activation.gelu")
    assert fit.make().precision == "float32"


# -- into the backward pass ----------------------------------------------------------------------


def test_a_mistake_across_steps_flows_into_the_backward_pass():
    trace = small("block")
    gradients = {step.path for step in trace if step.name in ("dE", "dW_Q", "dW_O", "dgamma", "dW_1", "dW_vocab")}
    assert len(gradients) == 7
    forward = {step.path for step in trace if step.step.stage == "forward"}
    across = [fit for fit in fits("block") if fit.id in ACROSS and fit.step in forward]
    assert len(across) > 10
    for fit in across:
        found = changed(trace, fit.make())
        assert "loss" in found
        assert len(found & gradients) > 3, fit


def test_a_mistake_across_steps_flows_into_the_update():
    trace = small("attention-training")
    found = changed(trace, trace.replay(ops={"step1.last": "take_row.other_end"}))
    assert {"step1.loss", "dW_V", "step1.W_V_new", "step2.loss"} <= found


# -- what does not fit ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "step", "mistake", "fitting", "unfit"),
    [
        (
            "by hand",
            "P",
            "softmax.mask_forgotten",
            ["softmax.wrong_axis", "softmax.not_normalised"],
            ["mask_forgotten"],
        ),
        ("by hand", "logits", "add.position_forgotten", ["add.subtracted"], ["position_", "residual_", "bias_"]),
        (
            "layers",
            "moved",
            "add.residual_forgotten",
            ["add.subtracted", "add.bias_forgotten"],
            ["residual_", "position_"],
        ),
        ("block", "scores", "matmul.other_weight", ["matmul.entry_by_entry"], ["other_weight", "weight_forgotten"]),
        ("layers", "wider", "linear.other_weight", ["linear.bias_forgotten"], ["other_weight", "weight_forgotten"]),
        (
            "attention-training",
            "step1.loss",
            "cross_entropy.targets_not_shifted",  # there is one target, and two tokens
            ["cross_entropy.base_ten"],
            ["targets_not_shifted"],
        ),
        ("block", "weights", "add.bias_forgotten", ["softmax.wrong_axis", "softmax.mask_forgotten"], ["add."]),
        ("block", "W_Q", "matmul.other_weight", ["none"], ["matmul."]),
    ],
)
def test_a_mistake_that_does_not_fit_is_refused_with_those_that_do(name, step, mistake, fitting, unfit):
    with pytest.raises(ReplayError) as raised:
        trace_named(name).replay(ops={step: mistake})
    assert raised.value.where == trace_named(name)[step].path
    assert mistake in raised.value.what
    assert all(other in raised.value.hint for other in fitting)
    assert not any(other in raised.value.hint for other in unfit)


def test_unread_step_is_left_out_at_its_place():
    """The last step of a trace: without its weight it is a copy of its input."""
    numbers = numpy.random.default_rng(2)
    X, W, b = w.given(numbers.standard_normal((3, 2)), name="X"), w.parameter(numpy.eye(2) + 1, name="W"), [0.5, -0.25]
    with w.Trace() as trace:
        ops.linear(X, W, w.parameter(b, name="b"), name="Y")
    (fit,) = trace.mistakes("Y", only=["linear.weight_forgotten"])
    wrong = fit.make()
    assert bits(wrong["Y"].value) == bits(trace["X"].value)
    read = w.Trace.from_json(wrong.to_json()).replay(values={"X": trace["X"].value + 1})
    assert bits(read["Y"].value) == bits(trace["X"].value + 1)
    trace.backward("Y", numbers.standard_normal((3, 2)))
    assert trace.mistakes("Y", only=["linear.weight_forgotten"]) == []


def test_an_update_after_which_nothing_comes_is_not_forgotten():
    trace = small("attention-training")
    assert [fit.step for fit in trace.mistakes(only=["sgd.forward_not_repeated"])] == ["step1.W_vocab_new"]
    assert by_hand().mistakes(only=["sgd.forward_not_repeated"]) == []


def test_a_row_in_the_middle_has_no_other_end():
    with w.Trace() as trace:
        ops.take_row(w.given([[1.0], [2.0], [3.0]], "token model"), index=1, name="middle")
    assert "take_row.other_end" not in [fit.id for fit in trace.mistakes()]
    with pytest.raises(ReplayError, match=r"take_row\.other_end does not fit the step middle"):
        trace.replay(ops={"middle": "take_row.other_end"})


# -- on the pages --------------------------------------------------------------------------------


@pytest.mark.parametrize("page", sorted({m.page for m in ACROSS.values()}))
def test_a_page_with_mistakes_across_steps_is_shown(page, capsys):
    assert main(["op", page]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    plain = [m for m in OPS[page].page.mistakes.values() if not m.across and not m.of]
    assert any(m.name.replace("_", " ") in printed.out for m in plain)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("take_row", "--index", "0"), "other end: You took the row at the other end."),
        (("divide_by_root", "--d", "2"), "root of keys: You used the number of keys:"),
    ],
)
def test_mistake_across_steps_without_neighbors_is_on_the_op_page(words, told, capsys):
    assert main(["op", *words]) == 0
    assert told in " ".join(capsys.readouterr().out.split())


def test_a_bias_is_a_row_of_weights():
    weights = {"table": w.parameter([[0.1, 0.2], [0.3, 0.4]], "token model", name="table")}
    weights |= {"row": w.parameter([0.1, 0.2], "model", name="row"), "number": w.parameter(0.5, name="number")}
    with w.Trace() as trace:
        for name, weight in weights.items():
            ops.exp(ops.add(w.given([[1.0, 2.0], [3.0, 4.0]], "token model"), weight, name=f"with_{name}"))
    assert [fit.step for fit in trace.mistakes() if fit.id == "add.bias_forgotten"] == ["with_row"]


def test_a_residual_is_data_of_the_whole_shape():
    row2, row3 = w.given([1.0, 2.0], "model", name="row2"), w.given([1.0, 2.0, 3.0], "model", name="row3")
    table = w.parameter([[0.1, 0.2], [0.3, 0.4]], "token model", name="table")
    with w.Trace() as trace:
        for name, first, other in (
            ("short", row2, w.given([[1.0, 0.5], [0.2, 0.7]], "token model")),
            ("long", row3, w.given([[1.0, 0.5, 0.3], [0.2, 0.7, 0.9]], "token model")),
            ("weight", table, w.given([[1.0, 0.5], [0.2, 0.7]], "token model")),
            ("data", w.given([[0.1, 0.2], [0.3, 0.4]], "token model"), table),
        ):
            ops.exp(ops.add(first, ops.mul(first, other), name=name))
    found = {name: {fit.id for fit in trace.mistakes(name)} for name in ("short", "long", "weight", "data")}
    assert [name for name in found if "add.residual_forgotten" in found[name]] == ["data"]


def roots(trace, name):
    """What is put under the root by the mistakes at one step."""
    kinds = ("divide_by_root.root_of_model", "divide_by_root.root_of_keys")
    return {fit.id.split(".")[1]: fit.make()[name].settings["d"] for fit in trace.mistakes(name) if fit.id in kinds}


def test_the_width_of_the_model_and_the_number_of_keys_are_mixed_up_with_the_head():
    numbers = numpy.random.default_rng(7)
    X = w.given(numbers.standard_normal((1, 3, 4)), "batch token model", name="X")
    W = w.parameter(numbers.standard_normal((4, 6)), "model vocab", name="W")
    scores = w.given(numbers.standard_normal((2, 3, 4)), "head query key", name="scores")
    with w.Trace() as trace:
        ops.exp(ops.divide_by_root(ops.matmul(ops.exp(X), W), d=5, name="narrow"))
        ops.exp(ops.divide_by_root(scores, d=5, name="few"))
        ops.exp(ops.divide_by_root(scores.rename(key="hidden"), d=5, name="hidden"))
        ops.exp(ops.divide_by_root(scores.rename(key="vocab"), d=5, name="vocab"))
    assert roots(trace, "narrow") == {"root_of_model": 4}
    assert roots(trace, "few") == {"root_of_keys": 4}
    assert roots(trace, "hidden") == roots(trace, "vocab") == {}
