"""The rule that follows a mistake: judged by autograd of the mistaken function, by differences, and by recordings."""

import numpy
import pytest
import torch
from example_runs import DIFFERENCES, STEP, arrays_of, projected, random_array, slots_with_gradient, tensors_of
from loops import for_each
from torch.nn import functional

import workings as w
from workings import ops
from workings.engine.arrays import is_float
from workings.engine.errors import CallError, ReplayError, WorkingsError
from workings.engine.in_rule import find_mistake, has_rule, in_rule
from workings.engine.op import OPS, first_of

# Powers of e that small come in steps: where that mistake shows, it has no slope. The others have a kink in an example:
# an entry at the limit, two largest probabilities.
WITHOUT_SLOPE = ("softmax.naive", "clip_by_norm.entries_cut", "negative_log_likelihood.likeliest")
FOLLOWED = [
    (op, mistake)
    for op in OPS.values()
    for mistake in op.page.mistakes.values()
    if op.page.rules and has_rule(op, mistake) and mistake.id not in WITHOUT_SLOPE
]


def gradient(op, mistake, tensors, settings, slot, g):
    """What the rule that follows a mistake gives for one input."""
    following = in_rule(mistake)
    return following.run((w.given(g), *tensors), {**settings, "which": slot}).array


def mistaken(op, mistake, example, arrays):
    tensors = tuple(tensors_of(op, example, arrays))
    return first_of(mistake.run(tensors, op.complete(example.settings)))


# -- by differences, on all pages ----------------------------------------------------------------


@for_each(("op", "mistake"), FOLLOWED)
def test_the_rule_is_the_slope_of_what_was_done(op, mistake):
    judged = 0
    for example in op.page.examples:
        arrays = arrays_of(example)
        try:
            wrong = mistaken(op, mistake, example, arrays)
        except WorkingsError:
            continue
        weights = numpy.where(numpy.isinf(wrong.array), 0.0, random_array(wrong.shape))
        for slot in slots_with_gradient(op, arrays):
            settings = op.complete(example.settings)
            got = gradient(op, mistake, tuple(tensors_of(op, example, arrays)), settings, slot, weights)
            direction = random_array(arrays[slot].shape, seed=11)
            ends = []
            for sign in (1, -1):
                moved = [x + sign * STEP * direction if n == slot else x for n, x in enumerate(arrays)]
                ends.append(projected(mistaken(op, mistake, example, moved).array, weights))
            assert got.shape == arrays[slot].shape
            slope = (ends[0] - ends[1]) / (2 * STEP)
            assert float(numpy.sum(got * direction)) == pytest.approx(slope, rel=DIFFERENCES, abs=DIFFERENCES)
            judged += 1
    assert judged, f"{mistake.id} cannot be made on any example"


# -- by autograd, for mistakes of a dozen ops ----------------------------------------------------

rows = lambda x: x - x.mean(dim=-1, keepdim=True)  # noqa: E731
MISTAKEN = {
    "softmax.wrong_axis": lambda x: torch.softmax(x, dim=0),
    "softmax.not_normalised": torch.exp,
    "softmax.no_exponential": lambda x: x / x.sum(dim=-1, keepdim=True),
    "relu.forgotten": lambda x: x,
    "relu.absolute": torch.abs,
    "divide_by_root.root_forgotten": lambda x: x / 3,
    "divide_by_root.multiplied": lambda x: x * 3**0.5,
    "layer_norm.wrong_n": lambda x, gamma, beta: (
        gamma * rows(x) / (x.var(dim=-1, correction=1, keepdim=True) + 1e-5).sqrt() + beta
    ),
    "layer_norm.columns": lambda x, gamma, beta: functional.layer_norm(x.T, (2,)).T * gamma + beta,
    "layer_norm.shifted": lambda x, gamma, beta: (
        gamma * x / (x.var(dim=-1, correction=0, keepdim=True) + 1e-5).sqrt() + beta
    ),
    "rms_norm.columns": lambda x, gamma: x / (x.square().mean(dim=0, keepdim=True) + 0.1).sqrt() * gamma,
    "matmul.second_transposed": lambda a, b: a @ b.T,
    "matmul.entry_by_entry": lambda a, b: a * b,
    "linear.bias_forgotten": lambda x, W, b: x @ W + 0 * b,
    "linear.weight_transposed": lambda x, W, b: x @ W.T + b,
    "gelu.by_sigmoid": lambda x: x * torch.sigmoid(1.702 * x),
    "gelu.half_forgotten": lambda x: x * (1 + torch.erf(x / 2**0.5)),
    "log_softmax.wrong_axis": lambda x: torch.log_softmax(x, dim=0),
    "log.base_ten": torch.log10,
    "exp.base_ten": lambda x: 10**x,
    "add.subtracted": lambda a, b: a - b,
    "mul.added": lambda a, b: a + b,
    "mean_squared_error.squares_subtracted": lambda y, target: (y**2 - target**2).mean(),
    "sigmoid.sign_forgotten": lambda x: torch.sigmoid(-x),
    "tanh.as_sigmoid": torch.sigmoid,
    "sgd.rate_twice": lambda W, dW: W - 0.01 * dW,
}


@for_each("id", MISTAKEN)
def test_the_rule_is_what_autograd_gives(id):
    page, name = id.split(".")
    op = OPS[page]
    mistake, example = op.page.mistakes[name], op.page.example
    arrays = arrays_of(example)
    wrong = mistaken(op, mistake, example, arrays)
    leaves = [torch.tensor(x, requires_grad=is_float(x)) for x in arrays]
    out = MISTAKEN[id](*leaves)
    numpy.testing.assert_allclose(wrong.array, out.detach().numpy(), rtol=1e-12)
    g = random_array(wrong.shape)
    out.backward(torch.tensor(g))
    for slot in slots_with_gradient(op, arrays):
        tensors = tuple(tensors_of(op, example, arrays))
        got = gradient(op, mistake, tensors, op.complete(example.settings), slot, g)
        numpy.testing.assert_allclose(got, leaves[slot].grad.numpy(), rtol=1e-10, atol=1e-14)


def test_a_dozen_ops_are_judged():
    assert len({id.split(".")[0] for id in MISTAKEN}) >= 12


# -- in a trace ----------------------------------------------------------------------------------


def scored(axis="key", bent=ops.relu, precision="float64"):
    """Scores, shares and a loss; a bias that is repeated, and a value that is used twice."""
    numbers = numpy.random.default_rng(5)
    with w.Trace(precision=precision) as trace:
        X = w.given(numbers.standard_normal((3, 2)).round(2), "query model", name="X")
        W = w.parameter(numbers.standard_normal((2, 3)).round(2), "model key", name="W")
        b = w.parameter(numbers.standard_normal(3).round(2), "key", name="b")
        scores = ops.add(ops.matmul(X, W, name="product"), b, name="scores")
        weights = ops.softmax(scores, axis=axis, name="weights")
        mixed = ops.mul(weights, scores, name="mixed")
        ops.sum(bent(mixed, name="bent"), name="loss")
    return trace.backward("loss")


GRADIENTS = ("dmixed", "dweights", "dscores", "dproduct", "dX", "dW", "db")


def test_made_in_forward_and_in_the_rule_it_is_another_computation():
    wrong = scored().replay(ops={"weights": "softmax.wrong_axis+rule"})
    for name in ("weights", "loss", *GRADIENTS):
        numpy.testing.assert_allclose(wrong[name].value, scored(axis="query")[name].value, rtol=1e-12, err_msg=name)


def test_without_the_rule_it_is_not():
    wrong = scored().replay(ops={"weights": "softmax.wrong_axis"})
    numpy.testing.assert_allclose(wrong["loss"].value, scored(axis="query")["loss"].value, rtol=1e-12)
    assert not numpy.allclose(wrong["dW"].value, scored(axis="query")["dW"].value)


def test_at_a_gradient_only_its_rule_follows_the_mistake():
    trace = scored()
    wrong = trace.replay(ops={"dmixed": "relu.absolute+rule"})
    assert wrong["loss"].value == trace["loss"].value
    expected = trace["dbent"].value * numpy.sign(trace["mixed"].value)
    numpy.testing.assert_allclose(wrong["dmixed"].value, expected)
    assert not numpy.allclose(wrong["dW"].value, trace["dW"].value)


def test_a_repeated_input_gets_the_sum():
    trace = scored()
    wrong = trace.replay(ops={"scores": "add.subtracted+rule"})
    numpy.testing.assert_allclose(wrong["db"].value, -wrong["dscores"].value.sum(axis=0), rtol=1e-12)
    numpy.testing.assert_allclose(wrong["dproduct"].value, wrong["dscores"].value, rtol=1e-12)
    alone = trace.replay(ops={"db": "add.subtracted+rule"})
    numpy.testing.assert_allclose(alone["db"].value, -trace["db"].value, rtol=1e-12)
    same = trace.replay(ops={"db.unsummed": "add.subtracted+rule"})
    assert (same["db"].value == alone["db"].value).all()


def test_an_input_that_was_left_out_gets_nothing():
    numbers = numpy.random.default_rng(4)
    with w.Trace() as trace:
        W, b = w.parameter(numbers.standard_normal((2, 2)), name="W"), w.parameter([0.3, -0.2], name="b")
        y = ops.linear(w.given(numbers.standard_normal((3, 2)), name="X"), W, b, name="y")
        ops.mean(y, name="loss")
    trace.backward("loss")
    wrong = trace.replay(ops={"y": "linear.bias_forgotten+rule"})
    assert (wrong["db"].value == 0).all()
    numpy.testing.assert_allclose(wrong["dW"].value, trace["dW"].value)


def test_one_of_several_parts_follows_the_mistake():
    with w.Trace() as trace:
        parts = [w.parameter([n + 0.5, n - 0.25], "model", name=f"part{n}") for n in range(3)]
        ops.sum(ops.power(ops.concat(*parts, axis=-1, name="joined"), exponent=2, name="squares"), name="loss")
    trace.backward("loss")
    wrong = trace.replay(ops={"joined": "concat.reversed_order+rule"})
    for n in range(3):
        numpy.testing.assert_allclose(wrong[f"dpart{n}"].value, trace[f"dpart{n}"].value, rtol=1e-12)
    alone = trace.replay(ops={"dpart0": "concat.reversed_order+rule"})
    numpy.testing.assert_allclose(alone["dpart0"].value, trace["dpart2"].value, rtol=1e-12)


def test_it_can_be_stored_replayed_and_compiled():
    wrong = scored().replay(ops={"weights": "softmax.wrong_axis+rule", "bent": "relu.forgotten+rule"})
    read = w.Trace.from_json(wrong.to_json())
    other = numpy.asarray(wrong["W"].value) * 1.5 - 0.1
    again, once_more = wrong.replay(values={"W": other}), read.replay(values={"W": other})
    expected = scored(axis="query", bent=lambda x, name: ops.scale(x, factor=1.0, name=name))
    expected = expected.replay(values={"W": other})
    program = wrong.compile(["W"], ["db", "dX"])
    for name, compiled in zip(("db", "dX"), program(other), strict=True):
        numpy.testing.assert_allclose(again[name].value, expected[name].value, rtol=1e-12)
        assert (again[name].value == once_more[name].value).all()
        assert (again[name].value == compiled).all()


def test_a_calculator_rounds_on_the_way_back_too():
    precision = "calculator 3 significant"
    wrong = scored(precision=precision).replay(ops={"weights": "softmax.wrong_axis+rule"})
    assert [float(f"{x:.3g}") for x in wrong["dscores.via_weights"].value.flat] == wrong[
        "dscores.via_weights"
    ].value.ravel().tolist()


# -- what is offered -----------------------------------------------------------------------------


def test_it_is_offered_at_the_step_and_at_its_gradients():
    found = {(fit.id, fit.kind, fit.step) for fit in scored().mistakes()}
    assert ("softmax.wrong_axis+rule", "op", "weights") in found
    assert ("softmax.wrong_axis+rule", "rule", "dscores.via_weights") in found
    assert ("add.subtracted+rule", "rule", "db") in found
    assert ("add.subtracted+rule", "rule", "dproduct") not in found  # the rule of the first input stays the same


def test_it_says_so():
    fit = next(fit for fit in scored().mistakes("weights") if fit.id == "softmax.wrong_axis+rule")
    plain = next(fit for fit in scored().mistakes("weights") if fit.id == "softmax.wrong_axis")
    assert fit.hint == f"{plain.hint} You did the same in the backward pass."
    assert (fit.is_in_rule, plain.is_in_rule) == (True, False)


def test_without_a_way_back_there_is_none():
    with w.Trace() as trace:
        ops.relu(w.given([1.0, -2.0]), name="y")
    assert [fit.id for fit in trace.mistakes("y") if fit.is_in_rule] == []


def test_one_that_changes_no_rule_is_not_offered():
    """A mask at which the gradient is 0 anyway; the bias that is not there gets another gradient."""
    with w.Trace() as trace:
        y = ops.scale(w.given([1.0, -2.0], name="x"), factor=1.5, name="y")
        ops.sum(ops.add(y, w.given([0.5, 0.25], name="b"), name="z"), name="loss")
    trace.backward("loss", wrt=["x"])
    ids = [fit.id for fit in trace.mistakes("z")]
    assert "add.forgotten" in ids
    assert "add.forgotten+rule" not in ids


def test_wires_settings_rules_and_groups_have_none():
    for page, name in (
        ("add", "residual_forgotten"),
        ("take_row", "other_end"),
        ("softmax", "diagonal_only"),
        ("attention", "unscaled"),
    ):
        assert find_mistake(OPS[page], name).id == f"{page}.{name}"
        assert find_mistake(OPS[page], f"{name}+rule") is None
        with pytest.raises(CallError):
            scored().replay(ops={"weights": f"{page}.{name}+rule"})


def test_one_that_does_not_fit_is_refused():
    with pytest.raises(ReplayError, match="relu"):
        scored().replay(ops={"weights": "relu.absolute+rule"})
    with pytest.raises(ReplayError, match="relu"):
        scored().replay(ops={"dscores.via_weights": "relu.absolute+rule"})
