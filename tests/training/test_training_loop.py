"""The training loop: torch.optim makes the same steps, and steps that are compiled are those that are recorded."""

from itertools import product
from types import SimpleNamespace

import numpy
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as some
from torch.nn import functional
from torch.optim import lr_scheduler

import workings as w
from workings.engine.errors import CallError, NumberError
from workings.scenarios.running.training import record_kept_steps
from workings.training.gradients import ForwardPass
from workings.training.rates import Rates
from workings.training.trainer import Trainer
from workings.training.update import Optimizer

STEPS = 20
RATE = 0.05
WARMUP = 4
FLOOR = 0.1

OPTIMIZERS = {
    "sgd": (Optimizer("sgd"), lambda weights: torch.optim.SGD(weights, lr=RATE)),
    "momentum": (
        Optimizer("momentum", {"beta": 0.8}),
        lambda weights: torch.optim.SGD(weights, lr=RATE, momentum=0.8),
    ),
    "adam": (
        Optimizer("adam", {"beta1": 0.8, "beta2": 0.98}),
        lambda weights: torch.optim.Adam(weights, lr=RATE, betas=(0.8, 0.98)),
    ),
    "adamw": (
        Optimizer("adamw", {"decay": 0.2}),
        lambda weights: torch.optim.AdamW(weights, lr=RATE, weight_decay=0.2),
    ),
}
SCHEDULES = {
    "steady": Rates(RATE),
    "warm-up": Rates(RATE, warmup_steps=WARMUP),
    "warm-up and cosine": Rates(RATE, warmup_steps=WARMUP, schedule="cosine", end_factor=FLOOR, steps=STEPS),
    "warm-up and line": Rates(RATE, warmup_steps=WARMUP, schedule="linear", end_factor=FLOOR, steps=STEPS),
}


# -- learning rates ---------------------------------------------------------------------------------


def scheduler(optimizer, rates):
    """The schedule of PyTorch that rises and falls in the same way."""
    parts, milestones = [], []
    if rates.warmup_steps > 1:
        # PyTorch counts from 0, so that the last step of the warm-up is the one before the milestone.
        warmup = lr_scheduler.LinearLR(optimizer, 1 / rates.warmup_steps, 1.0, total_iters=rates.warmup_steps - 1)
        parts, milestones = [warmup], [rates.warmup_steps - 1]
    way = rates.steps - rates.warmup_steps
    if rates.schedule == "cosine":
        parts.append(lr_scheduler.CosineAnnealingLR(optimizer, way, eta_min=rates.learning_rate * rates.end_factor))
    elif rates.schedule == "linear":
        parts.append(lr_scheduler.LinearLR(optimizer, 1.0, rates.end_factor, total_iters=way))
    else:
        parts.append(lr_scheduler.ConstantLR(optimizer, 1.0, total_iters=0))
    return lr_scheduler.SequentialLR(optimizer, parts, milestones)


def rates_in_torch(rates, steps):
    optimizer = torch.optim.SGD([torch.zeros(1)], lr=rates.learning_rate)
    schedule = scheduler(optimizer, rates)
    # Without a warm-up, the highest rate is that of a step 0 which nobody makes.
    early = 0 if rates.warmup_steps else 1
    found = []
    for _ in range(steps + early):
        found.append(optimizer.param_groups[0]["lr"])
        optimizer.step()
        schedule.step()
    return found[early:]


@settings(deadline=None)
@given(
    some.floats(1e-5, 10),
    some.integers(0, 30),
    some.sampled_from(["constant", "linear", "cosine"]),
    some.floats(0.001, 1),
    some.integers(1, 60),
)
def test_rates_are_those_of_torch(rate, warmup, schedule, end_factor, more):
    steps = warmup + more
    rates = Rates(rate, warmup, schedule, end_factor, steps)
    expected = rates_in_torch(rates, steps)
    numpy.testing.assert_allclose([rates.at(step) for step in range(1, steps + 1)], expected, rtol=1e-10)


@pytest.mark.parametrize("schedule", ["linear", "cosine"])
def test_a_rate_arrives_at_its_end_factor_and_stays_there(schedule):
    rates = Rates(0.8, warmup_steps=3, schedule=schedule, end_factor=0.25, steps=9)
    assert rates.at(3) == pytest.approx(0.8)
    assert rates.at(9) == pytest.approx(0.2)
    assert rates.at(12) == pytest.approx(0.2)


def test_an_end_factor_of_0_ends_at_0():
    assert Rates(0.8, schedule="linear", steps=5).at(5) == 0


# -- steps ------------------------------------------------------------------------------------------


def started():
    """A small network, and other data for each step."""
    draws = numpy.random.default_rng(5)
    weights = {"W": draws.normal(size=(3, 4)), "b": draws.normal(size=4), "V": draws.normal(size=(4, 3))}
    batches = [(3 * draws.normal(size=(6, 3)), draws.integers(0, 3, 6)) for _ in range(STEPS)]
    return weights, batches


def recorded_loss(weights, inputs):
    hidden = w.ops.tanh(inputs["x"] @ weights["W"] + weights["b"])
    return w.ops.cross_entropy(hidden @ weights["V"], inputs["labels"], reduction="mean", name="loss")


def torch_loss(weights, x, labels):
    hidden = torch.tanh(torch.tensor(x) @ weights["W"] + weights["b"])
    return functional.cross_entropy(hidden @ weights["V"], torch.tensor(labels))


def trainer_of(weights, passes, optimizer, rates, trained=None):
    """A trainer of any loss: its passes in each step."""
    computation = SimpleNamespace(weights=weights, draws=None, updates=lambda number: [passes(number)])
    return Trainer(computation, trained or list(weights), optimizer, rates)


def pass_of(x, labels):
    inputs = {"x": w.given(x, "token model", name="x"), "labels": w.ops.ids(labels, "token")}
    return ForwardPass(recorded_loss, inputs)


def trained_here(optimizer, rates):
    weights, batches = started()
    axes = {"W": "model hidden", "b": "hidden", "V": "hidden vocab"}
    tensors = {path: w.parameter(value, axes[path], name=path) for path, value in weights.items()}
    trainer = trainer_of(tensors, lambda number: [pass_of(*batches[number - 1])], optimizer, rates)
    losses = [trainer.advance() for _ in batches]
    return losses, {path: tensor.array for path, tensor in trainer.weights().items()}


def trained_in_torch(make, rates, clip):
    weights, batches = started()
    tensors = {path: torch.tensor(value, requires_grad=True) for path, value in weights.items()}
    optimizer = make(list(tensors.values()))
    schedule = scheduler(optimizer, rates)
    losses, clipped = [], 0
    for batch in batches:
        optimizer.zero_grad()
        loss = torch_loss(tensors, *batch)
        loss.backward()
        if clip is not None:
            clipped += int(torch.nn.utils.clip_grad_norm_(tensors.values(), clip) > clip)
        optimizer.step()
        schedule.step()
        losses.append(loss.item())
    if clip is not None:
        assert 0 < clipped < STEPS  # some gradients are shortened, others are not
    return losses, {path: tensor.detach().numpy() for path, tensor in tensors.items()}


@pytest.mark.parametrize(("name", "clip", "schedule"), list(product(OPTIMIZERS, (None, 1.0), SCHEDULES)))
def test_twenty_steps_are_those_of_torch_optim(name, clip, schedule):
    optimizer, make = OPTIMIZERS[name]
    rates = SCHEDULES[schedule]
    losses, weights = trained_here(Optimizer(optimizer.name, optimizer.settings, clip), rates)
    expected_losses, expected = trained_in_torch(make, rates, clip)
    numpy.testing.assert_allclose(losses, expected_losses, rtol=1e-10)
    for path, weight in weights.items():
        numpy.testing.assert_allclose(weight, expected[path], rtol=0, atol=1e-10, err_msg=path)
        assert numpy.abs(weight - started()[0][path]).max() > 1e-3, path


def test_weights_that_are_not_trained_stay():
    weights, batches = started()
    tensors = {path: w.parameter(value, name=path) for path, value in weights.items()}
    inputs = [{"x": w.given(x, name="x"), "labels": w.ops.ids(labels, "")} for x, labels in batches]
    passes = [[ForwardPass(recorded_loss, named)] for named in inputs]
    trainer = trainer_of(tensors, lambda number: passes[number - 1], Optimizer("adam"), Rates(RATE), ["V"])
    for _ in batches:
        trainer.advance()
    after = trainer.weights()
    assert after["W"] is tensors["W"]
    assert after["b"] is tensors["b"]
    assert numpy.abs(after["V"].array - weights["V"]).max() > 0.1


def test_a_loss_that_leaves_the_numbers_is_refused():
    tensors = {"W": w.parameter([3.0], "model", name="W")}

    def fourth_power(weights, inputs):
        square = weights["W"] * weights["W"]
        return w.ops.sum(square * square, name="loss")

    trainer = trainer_of(tensors, lambda number: [ForwardPass(fourth_power)], Optimizer("sgd"), Rates(10.0))
    for _ in range(4):
        trainer.advance()
    with pytest.raises(NumberError, match="At step 5 the loss became too large to be a number"):
        trainer.advance()


def test_wrong_schedules_are_refused():
    with pytest.raises(CallError, match="'steeply' is not one of the choices for schedule"):
        Rates(0.1, schedule="steeply")
    with pytest.raises(CallError, match="from 0 to 1"):
        Rates(0.1, end_factor=1.5)
    with pytest.raises(CallError, match="cannot take -1 steps"):
        Rates(0.1, warmup_steps=-1)


# -- compiled and recorded --------------------------------------------------------------------------

MODEL = "scenario: 1\nmodel: {{kind: decoder, width: 4, heads: 2, hidden: 5, head: all-tokens, dropout: {dropout}}}\n"
DATA = {
    "task": "data: {task: copy, longest: 4}\n",
    "examples": "vocabulary: A B C\ndata: [{input: A B, target: B C}, {input: C A, target: A B}]\n",
}
COMPILED_STEPS = 6


def scenario_of(tmp_path, dropout, data, train):
    file = tmp_path / "training.yaml"
    keep = list(range(1, COMPILED_STEPS + 1))
    text = MODEL.format(dropout=dropout) + DATA[data]
    file.write_text(f"{text}train: {{steps: {COMPILED_STEPS}, learning_rate: 0.1, keep: {keep}, {train}}}\n")
    return w.scenario(file)


@pytest.mark.parametrize("dropout", [0.0, 0.3])
@pytest.mark.parametrize(
    ("data", "train"),
    [
        (
            "task",
            "batch_size: 3, accumulation_steps: 2, optimizer: adamw, warmup_steps: 2, schedule: cosine, "
            "end_factor: 0.1, max_grad_norm: 1.0",
        ),
        ("task", "batch_size: 3, average: sequences, optimizer: momentum"),
        ("examples", "optimizer: adam, max_grad_norm: 0.5"),
        ("examples", "batch_size: 1, optimizer: adamw, warmup_steps: 3, schedule: linear"),
    ],
)
def test_compiled_steps_are_those_that_are_recorded(tmp_path, dropout, data, train):
    scenario = scenario_of(tmp_path, dropout, data, train)
    recorded, compiled = scenario.trainer(), scenario.trainer()
    trace = w.Trace(convention=scenario.convention())
    losses = record_kept_steps(recorded, scenario.plan().train, trace)
    assert len(trace) > 0
    assert [compiled.advance() for _ in range(COMPILED_STEPS)] == pytest.approx(losses, rel=1e-12)
    assert losses[0] != losses[-1]
    start, one, other = (trainer.weights() for trainer in (scenario.trainer(), compiled, recorded))
    for path in recorded.trained:
        numpy.testing.assert_allclose(one[path].array, other[path].array, rtol=0, atol=1e-12, err_msg=path)
    assert any(numpy.abs(one[path].array - start[path].array).max() > 1e-3 for path in start)
    memory = compiled.memory()
    assert memory.keys() == recorded.memory().keys()
    for name, parts in recorded.memory().items():
        for path, part in parts.items():
            numpy.testing.assert_allclose(memory[name][path], part, rtol=0, atol=1e-12, err_msg=path)


def test_dropout_leaves_out_something_else_in_every_step(tmp_path):
    trace = scenario_of(tmp_path, 0.3, "examples", "optimizer: sgd").trace()
    masks = [
        [step.value.tobytes() for step in trace if step.step.leaf == "random" and step.path.startswith(f"step{n}.")]
        for n in range(1, COMPILED_STEPS + 1)
    ]
    assert all(masks)
    assert len({b"".join(mask) for mask in masks}) == COMPILED_STEPS
