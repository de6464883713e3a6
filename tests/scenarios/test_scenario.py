"""The scenarios of the package: every run runs, and its numbers are those of NumPy or PyTorch."""

import itertools
from functools import lru_cache

import numpy
import pytest
import torch
from scenario_names import EXAMPLES, TRAININGS, smaller
from torch.nn import functional
from torch_scenarios import Design, check_gradients, features, gradient_path, last_token_loss, weights_of

import workings as w
from workings.cli.main import main
from workings.scenarios.scenario import names

RUNS = [(name, run) for name in EXAMPLES for run in w.scenario(name).runs]
A, B, C, D = range(4)
LONG = [("cat-sat-encoder", "default"), ("cat-sat-encoder", "masked"), ("cat-sleeps", "residual")]
FORWARD_ONLY = [("example-1", "default"), ("example-1", "masked")]
CLOSE = 1e-12


@lru_cache
def run(name, which="default"):
    return w.scenario(name).trace(which)


def close(found, expected, tolerance=CLOSE):
    numpy.testing.assert_allclose(found, expected, rtol=tolerance, atol=tolerance)


# -- all of them ---------------------------------------------------------------------------------


def test_the_scenarios_of_the_package_are_all_here():
    examples = {f"example-{number}" for number in range(1, 7)}
    assert set(EXAMPLES) == examples | {
        "block", "cat-sat", "cat-sat-encoder", "cat-sleeps", "hello-world", "token-i",
    }  # fmt: skip
    assert all("twin" in w.scenario(name).runs for name in set(EXAMPLES) - {"block", "example-6"})
    assert set(TRAININGS) == {"characters", "copy", "reverse", "sort", "addition", "dates"}
    assert set(names()) == {*EXAMPLES, *TRAININGS}


@pytest.mark.parametrize("name", TRAININGS)
def test_the_first_step_of_every_training_is_a_trace(name):
    trace = smaller(name).trace()
    assert {step.step.stage for step in trace} == {"forward", "backward", "update"}
    assert trace["shares"].value.sum() == pytest.approx(1)
    assert trace.history["loss"] == (float(trace["loss"].value),)


@pytest.mark.parametrize(("name", "which"), RUNS)
def test_every_run_goes_forward_and_back(name, which):
    trace, plan = run(name, which), w.scenario(name).plan(which)
    stages = {step.step.stage for step in trace}
    assert ("backward" in stages) is ((name, which) not in FORWARD_ONLY)
    assert ("update" in stages) is (plan.train is not None)
    for step in trace:
        masked = "masked" in step.path or "causal" in step.path
        assert numpy.isfinite(step.value).all() or masked, step.path
    weights = [step for step in trace if step.step.leaf == "parameter"]
    for weight in weights if "backward" in stages else ():
        gradients = [step for step in trace if step.step.twin == weight.id]
        assert [gradient.shape for gradient in gradients if gradient.name == f"d{weight.name}"] == [weight.shape]
    if plan.train is not None:
        assert len(trace.history["loss"]) == plan.train.steps
        scopes = {step.path.split(".")[0] for step in trace if step.path.startswith("step")}
        assert scopes == {f"step{number}" for number in plan.train.keep or ()}


@pytest.mark.parametrize(("name", "which"), [pair for pair in RUNS if pair not in LONG])
def test_a_run_that_is_run_again_has_the_same_bits(name, which):
    first, again = run(name, which), w.scenario(name).trace(which)
    assert [(s.path, s.value.tobytes()) for s in first] == [(s.path, s.value.tobytes()) for s in again]


@pytest.mark.parametrize(("name", "which"), [("example-4", "one-by-one"), ("cat-sleeps", "twin"), ("token-i", "tamed")])
def test_the_command_shows_a_run(name, which, capsys):
    assert main(["trace", name, "--run", which]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert printed.out.startswith(f"{w.scenario(name).title} (run {which})\n")


# -- examples 1 to 5: one head, one block -----------------------------------------------------------

PLAIN = Design()
MASKED = Design(causal=True)
FED = Design(feed_forward=True, residual=("feed_forward",))
ONE_EXAMPLE = [
    ("example-1", "with-answer", PLAIN),
    ("example-1", "twin", PLAIN),
    ("example-2", "default", PLAIN),
    ("example-2", "twin", PLAIN),
    ("example-3", "default", PLAIN),
    ("example-3", "masked", MASKED),
    ("example-3", "embeddings-too", PLAIN),
    ("example-3", "twin", PLAIN),
    ("example-5", "default", FED),
    ("example-5", "without-residual", Design(feed_forward=True)),
    ("example-5", "twin", FED),
]


@pytest.mark.parametrize(("name", "which", "design"), ONE_EXAMPLE)
def test_the_loss_and_every_gradient_are_those_of_pytorch(name, which, design):
    trace = run(name, which)
    weights = weights_of(trace)
    loss = last_token_loss(design, weights, [A, B], C)
    loss.backward()
    close(trace["loss"].value, loss.item())
    check_gradients(trace, weights)


def test_example_1_by_numpy():
    X = numpy.array([[1.0, 0.0], [0.0, 1.0]])
    scores = (0.1 * X) @ (0.1 * X).T / numpy.sqrt(2)
    shares = numpy.exp(scores) / numpy.exp(scores).sum(axis=1, keepdims=True)
    context = shares @ (0.1 * X)
    logits = context[-1] @ [[0.1, 0, 0, 0], [0, 0, 0.1, 0]]
    P = numpy.exp(logits) / numpy.exp(logits).sum()
    trace = run("example-1")
    for step, expected in (("scaled", scores), ("weights", shares), ("context", context), ("logits", logits), ("P", P)):
        close(trace[step].value, expected)
    assert trace["W_O"].path == "W_vocab"


@pytest.mark.parametrize(
    ("name", "trained"),
    [
        ("example-2", ["W_vocab"]),
        ("example-3", ["block1.attention.W_Q", "block1.attention.W_K", "block1.attention.W_V", "W_vocab"]),
    ],
)
def test_training_changes_just_what_is_trained_by_a_tenth_of_its_gradient(name, trained):
    trace = run(name)
    new = [step.path for step in trace if step.path.endswith("_new")]
    assert new == [f"{path}_new" for path in trained]
    for path in trained:
        close(trace[f"{path}_new"].value, trace[path].value - 0.1 * trace[gradient_path(path)].value)
    after = run(name, "after")
    assert after["step1.loss"].value == trace["loss"].value > after["step2.loss"].value
    assert after.history["loss"] == (after["step1.loss"].value, after["step2.loss"].value)


def test_in_example_2_all_eight_entries_of_the_output_matrix_change():
    trace = run("example-2")
    assert (trace["W_O_new"].value != trace["W_O"].value).all()


def test_with_learned_embeddings_their_table_is_trained_too():
    assert "embedding.E_new" in [step.path for step in run("example-3", "embeddings-too")]
    assert "embedding.E_new" not in [step.path for step in run("example-3")]


@pytest.mark.parametrize("which", ["default", "twin"])
def test_the_gradient_of_example_4_is_the_average_of_three(which):
    trace = run("example-4", which)
    weights = weights_of(trace)
    rows = [([A, B], C), ([A, A], D), ([B, A], C)]
    singly = []
    for number, (tokens, target) in enumerate(rows, 1):
        loss = last_token_loss(PLAIN, weights, tokens, target)
        close(trace[f"example{number}.loss"].value, loss.item())
        singly.append(torch.autograd.grad(loss, list(weights.values())))
    for path, *gradients in zip(weights, *singly, strict=True):
        close(trace[gradient_path(path)].value, torch.stack(gradients).mean(dim=0).numpy())
    close(trace["W_vocab_new"].value, trace["W_vocab"].value - 0.1 * trace["dW_vocab"].value)


def test_one_by_one_each_example_starts_from_the_weights_of_the_one_before():
    trace = run("example-4", "one-by-one")
    weights = {path: weight.detach() for path, weight in weights_of(trace).items()}
    losses = []
    for number, (tokens, target) in enumerate([([A, B], C), ([A, A], D), ([B, A], C)], 1):
        output = weights["W_vocab"].clone().requires_grad_()
        loss = last_token_loss(PLAIN, {**weights, "W_vocab": output}, tokens, target)
        loss.backward()
        weights["W_vocab"] = (output - 0.1 * output.grad).detach()
        close(trace[f"update{number}.W_vocab_new"].value, weights["W_vocab"].numpy())
        losses.append(loss.item())
    close(trace.history["loss"], [numpy.mean(losses)])


# -- example 6: whole blocks ----------------------------------------------------------------------

BOTH = ("attention", "feed_forward")
WHOLE = {
    "default": Design(layers=2, norm="pre", residual=BOTH, feed_forward=True),
    "post-norm": Design(layers=2, norm="post", residual=BOTH, feed_forward=True),
    "width-4": Design(layers=2, heads=2, norm="pre", residual=BOTH, feed_forward=True),
    "width-4-post-norm": Design(layers=2, heads=2, norm="post", residual=BOTH, feed_forward=True),
}


@pytest.mark.parametrize("which", WHOLE)
def test_a_complete_transformer_with_every_gradient(which):
    trace = run("example-6", which)
    weights = weights_of(trace)
    loss = last_token_loss(WHOLE[which], weights, [A, B], C)
    loss.backward()
    close(trace["loss"].value, loss.item(), 1e-10)
    check_gradients(trace, weights, 1e-9)  # at width 2 a norm divides by what is almost 0


def sizes(which):
    """The largest entry of the gradient of each matrix of attention and feed-forward."""
    trace = run("example-6", which)
    found = [step for step in trace if step.name in ("dW_Q", "dW_K", "dW_V", "dW_1", "dW_2")]
    assert len(found) == 10
    return [float(abs(step.value).max()) for step in found]


def test_at_width_2_layer_norm_gives_only_1_and_minus_1():
    for which in ("default", "post-norm"):
        trace = run("example-6", which)
        for step in trace.all("normed"):
            close(abs(step.value), 1, 1e-4)


def test_at_width_2_post_norm_lets_no_gradient_through_and_at_width_4_it_does():
    assert max(sizes("post-norm")) < 1e-5
    assert min(sizes("width-4-post-norm")) > 1e-3
    assert min(sizes("width-4")) > 1e-3
    assert max(sizes("default")) > 1e-2  # before the part, the residual goes around the norm


# -- hello world ------------------------------------------------------------------------------------

HELLO = Design(heads=2, feed_forward=True, separate=True)
HELLO_RUNS = {
    "default": HELLO,
    "twin": HELLO,
    "masked": Design(heads=2, feed_forward=True, separate=True, causal=True),
    "packed": Design(heads=2, feed_forward=True),
}


@pytest.mark.parametrize("which", HELLO_RUNS)
def test_hello_world_with_every_gradient(which):
    trace = run("hello-world", which)
    weights = weights_of(trace)
    loss = last_token_loss(HELLO_RUNS[which], weights, [0, 1], 3)
    loss.backward()
    close(trace["loss"].value, loss.item())
    check_gradients(trace, weights)
    for path in weights:
        close(trace[f"{path}_new"].value, trace[path].value - 0.1 * trace[gradient_path(path)].value)


def test_hello_world_from_the_scores_of_the_source():
    trace = run("hello-world", "source-logits")
    logits = numpy.array([0.3, 1.2, 0.5, 0.7])
    P = numpy.exp(logits) / numpy.exp(logits).sum()
    close(trace["P"].value, P)
    close(trace["loss"].value, -numpy.log(P[3]))
    error = P - [0, 0, 0, 1]
    close(trace["dlogits"].value, error)
    close(trace["dW_out"].value, numpy.outer(trace["x_last"].value, error))
    close(trace["W_out_new"].value, trace["W_out"].value - 0.1 * trace["dW_out"].value)
    assert trace.history["loss"] == (trace["loss"].value,)


def test_textbook_names_mean_the_parts_of_a_head():
    trace = run("hello-world")
    assert trace["W_Q2"].path == "block1.attention.head2.W_Q"
    assert trace["dW_Q2"].path == "block1.attention.head2.dW_Q"
    assert trace["scores1"].path == "block1.attention.head1.scores"


# -- token i, the cat sat, the cat sleeps --------------------------------------------------------------


def test_token_i_in_whole_numbers():
    trace = run("token-i")
    X, W_Q, W_K, W_V = (trace[name].value.astype(int) for name in ("embedding", "W_Q", "W_K", "W_V"))
    Q, K, V = X @ W_Q, X @ W_K, X @ W_V
    for name, expected in (("Q", Q), ("K", K), ("V", V), ("scores", Q @ K.T)):
        assert (trace[name].value == expected).all(), name
    assert trace["scaled"].value[0].tolist() == [2505.5, 3574.0]
    assert trace["weights"].value.tolist() == [[0.0, 1.0], [0.0, 1.0]]
    assert (trace["residual"].value == X + V[1]).all()
    cotangent = numpy.array([[0.3, -0.7, 0.2, 0.5], [0.1, -0.6, 0.4, -0.2]])
    assert not trace["dQ"].value.any()  # a softmax of 0 and 1 lets nothing through
    assert not trace["dK"].value.any()
    close(trace["dV"].value, [[0, 0, 0, 0], cotangent.sum(axis=0)])
    close(trace["dembedding"].value, cotangent + numpy.array([[0, 0, 0, 0], cotangent.sum(axis=0) @ W_V.T]))


@pytest.mark.parametrize("which", ["tamed", "twin"])
def test_token_i_with_shares_has_every_gradient(which):
    trace = run("token-i", which)
    weights = weights_of(trace)
    found = features(Design(residual=("attention",)), weights, [0, 1])
    found.backward(torch.tensor([[0.3, -0.7, 0.2, 0.5], [0.1, -0.6, 0.4, -0.2]], dtype=torch.float64))
    close(trace["residual"].value, found.detach().numpy())
    assert ((trace["weights"].value > 0.01) & (trace["weights"].value < 0.99)).all()
    check_gradients(trace, weights)


CAT_SAT = {
    "default": ([[12.4, 8.7, 5.3], [9.1, 15.2, 7.8], [6.5, 8.9, 13.7]], 8.0),
    "masked": ([[12.4, 8.7, 5.3], [9.1, 15.2, 7.8], [6.5, 8.9, 13.7]], 8.0),
    "unscaled": ([[50.0, 48.0, 2.0]], 1.0),
    "scaled": ([[50.0, 48.0, 2.0]], 8.0),
    "twin": ([[-3.1, 10.4, 5.3], [14.2, 1.7, -7.8], [6.5, -9.2, 0.6]], 8.0),
}


@pytest.mark.parametrize("which", CAT_SAT)
def test_the_cat_sat_with_its_gradients(which):
    trace = run("cat-sat", which)
    written, root = CAT_SAT[which]
    scores = torch.tensor(written, dtype=torch.float64, requires_grad=True)
    V = torch.tensor([[0.67, 0.34, -0.45], [-0.12, 0.78, 0.56], [0.90, -0.34, 0.12]], dtype=torch.float64)
    V.requires_grad_()
    scaled = scores / root
    if which == "masked":
        scaled = scaled.masked_fill(torch.ones(3, 3, dtype=torch.bool).triu(1), -torch.inf)
    shares = scaled.softmax(dim=-1)
    close(trace["weights"].value, shares.detach().numpy())
    if which in ("unscaled", "scaled"):
        shares.backward(torch.tensor([[0.3, -0.7, 0.2]], dtype=torch.float64))
    else:
        close(trace["context"].value, (shares @ V).detach().numpy())
        cotangent = [[0.3, -0.7, 0.2], [0.5, 0.1, -0.6], [0.4, -0.2, 0.8]]
        (shares @ V).backward(torch.tensor(cotangent, dtype=torch.float64))
        close(trace["dV"].value, V.grad.numpy())
    close(trace["dscores"].value, scores.grad.numpy())


def test_without_scaling_almost_all_goes_to_the_larger_of_two_scores_that_are_alike():
    close(run("cat-sat", "unscaled")["weights"].value, [[0.8808, 0.1192, 0.0]], 1e-4)
    assert run("cat-sat", "scaled")["weights"].value[0, 1] > 0.4


def test_the_encoder_of_the_cat_in_small():
    trace = run("cat-sat-encoder", "twin")
    weights = weights_of(trace)
    design = Design(heads=2, norm="pre", residual=BOTH, feed_forward=True, waves=True)
    found = features(design, weights, [0, 1, 2])
    cotangent = [[0.3, -0.7, 0.2, 0.5], [0.1, -0.6, 0.4, -0.2], [0.8, 0.3, -0.5, 0.6]]
    found.backward(torch.tensor(cotangent, dtype=torch.float64))
    close(trace["block1.feed_forward.residual"].value, found.detach().numpy())
    check_gradients(trace, weights, 1e-10)


def cat_sleeps(weights, scale=3**0.5, reduction="sum", residual=False):
    """The source in PyTorch: attention, ReLU, yes or no."""
    X = weights["X"]
    Q, K, V = (X @ weights[f"W_{letter}"] for letter in "QKV")
    O = (Q @ K.T / scale).softmax(dim=-1) @ V  # noqa: E741 - its name in the source
    H = functional.relu(O @ weights["W_1"] + weights["b_1"])
    z = (O + H if residual else H) @ weights["W_2"] + weights["b_2"]
    labels = torch.tensor([[1.0], [0.0], [0.0]], dtype=torch.float64)
    return functional.binary_cross_entropy_with_logits(z, labels, reduction=reduction)


SLEEPING = {
    "default": {},
    "mean": {"reduction": "mean"},
    "unscaled": {"scale": 1.0},
    "twin": {},
}


@pytest.mark.parametrize("which", SLEEPING)
def test_the_cat_sleeps_with_every_gradient(which):
    trace = run("cat-sleeps", which)
    weights = weights_of(trace)
    assert len(weights) == 8
    loss = cat_sleeps(weights, **SLEEPING[which])
    loss.backward()
    close(trace["loss"].value, loss.item())
    check_gradients(trace, weights)


# -- learning -----------------------------------------------------------------------------------------


def test_with_all_weights_example_4_learns_its_three_patterns():
    trace = run("example-4", "all-weights")
    answers = [(1, C), (2, D), (3, C)]
    assert all(trace[f"step600.example{n}.P"].value[answer] > 0.95 for n, answer in answers)
    assert all(trace[f"step1.example{n}.P"].value[answer] < 0.26 for n, answer in answers)


def test_with_the_output_matrix_alone_it_stays_slow():
    losses = run("example-4", "many-epochs").history["loss"]
    assert all(later < earlier for earlier, later in itertools.pairwise(losses))
    assert losses[599] > 1.2
    assert losses[-1] > 0.75


def test_the_cat_as_printed_dies():
    trace = run("cat-sleeps", "dying")
    assert (trace["step1.H"].value > 0).all()
    assert (trace["step200.H"].value == 0).all()
    for name in ("dW_1", "db_1", "dW_2", "dW_Q", "dW_K", "dW_V", "dX"):
        assert not trace[f"backward5.step200.{name}"].value.any(), name
    y = trace["step200.y"].value
    assert (y == y[0]).all()
    close(y, 1 / 3, 1e-3)  # all that it can still say: one of three


def test_with_a_residual_the_cat_learns_its_labels():
    trace = run("cat-sleeps", "residual")
    assert trace["step8000.y"].value.round(3).tolist() == trace["labels"].value.tolist() == [[1.0], [0.0], [0.0]]
    weights = {name: torch.tensor(trace[name].value).requires_grad_() for name in weights_of(trace)}
    optimizer = torch.optim.SGD(weights.values(), lr=0.1)
    for expected in trace.history["loss"][:50]:
        optimizer.zero_grad()
        loss = cat_sleeps(weights, residual=True)
        close(loss.item(), expected, 1e-9)
        loss.backward()
        optimizer.step()


# -- why there are twins ------------------------------------------------------------------------------


def hidden_and_shown(name):
    return ({(fit.step, fit.id) for fit in run(name, which).mistakes()} for which in ("default", "twin"))


def test_the_numbers_of_the_source_hide_mistakes_that_the_twin_shows():
    source, twin = hidden_and_shown("example-3")
    hidden = twin - source
    assert ("block1.attention.weights", "softmax.wrong_axis") in hidden
    assert ("block1.attention.Q", "matmul.other_weight") in hidden
    assert len(hidden) > 10
    # The mean of the logits is negative in the twin, so it has no logarithm.
    assert source - twin <= {("dlogits", "cross_entropy.log_of_mean+rule")}


@pytest.mark.parametrize(
    ("name", "step", "mistake"),
    [
        ("example-3", "weights", "softmax.wrong_axis"),
        ("example-3", "Q", "matmul.other_weight"),
        ("example-3", "K", "matmul.second_transposed"),
        ("example-5", "activated", "relu.forgotten"),
    ],
)
def test_a_mistake_that_changes_no_digit_changes_many_in_the_twin(name, step, mistake):
    for which, is_hidden in (("default", True), ("twin", False)):
        trace = run(name, which)
        wrong = trace.replay(ops={step: mistake})
        same = [s.path for s in trace if (wrong[s.id].value == s.value).all()]
        assert (len(same) == len(trace)) is is_hidden
        assert (wrong["loss"].value == trace["loss"].value) is numpy.bool_(is_hidden)


@pytest.mark.parametrize("convention", ["paper", "pytorch", "gpt2", "bert", "annotated", "seed"])
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "cat-sat-encoder"])
def test_every_scenario_runs_under_every_convention(name, convention):
    found = w.scenario(name)
    trace = found.trace(convention=w.convention(convention))
    assert len(trace) > 1
    assert trace.convention == w.convention(convention)


def test_a_symbol_of_the_page_is_a_name():
    trace = w.scenario("cat-sleeps").trace()
    assert trace["α"].path == "weights"
    assert trace["dα"].path == "dweights"
