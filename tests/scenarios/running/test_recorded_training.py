"""Training in scenarios: steps that are left out give the bits of those that are kept, and both those of PyTorch."""

import numpy
import pytest
import torch
from torch_scenarios import Design, last_token_loss, weights_of

import workings as w

STEPS = 7
ROWS = [("A B", "C"), ("A A", "D"), ("B A", "C")]
IDS = [([0, 1], 2), ([0, 0], 3), ([1, 0], 2)]
OPTIMIZERS = {
    "sgd": "sgd",
    "momentum": "{name: momentum, beta: 0.8}",
    "adam": "adam",
    "adamw": "{name: adamw, decay: 0.05}",
}
BATCHES = ("null", "1", "2")
MODEL = """
scenario: 1
vocabulary: A B C D
model: {kind: decoder, width: 4, heads: 2, hidden: 3, norm: none, residual: none, mask: none, head: last-token}
parameters: {seed: 5}
"""
LINES = """
scenario: 1
given: {x: [1.5, -0.5], goal: [0.25, 1.0]}
parameters: {W: [[0.3, -0.2], [0.5, 0.1]], b: [0.1, 0.2]}
calculate:
  - y = x @ W
  - z = tanh(y + b)
  - loss = mean_squared_error(z, goal)
"""


def trained(tmp_path, keep, optimizer="sgd", batch="null", before=MODEL, rows=ROWS, rate=0.05):
    data = "".join(f"  - {{input: {text}, target: {target}}}\n" for text, target in rows)
    path = tmp_path / "training.yaml"
    path.write_text(
        before
        + (f"data:\n{data}" if before is MODEL else "")
        + f"train: {{optimizer: {OPTIMIZERS[optimizer]}, learning_rate: {rate}, steps: {STEPS}, "
        f"keep: {keep}, batch_size: {batch}}}\n"
    )
    return w.scenario(path).trace()


def last_weights(trace):
    """What the last step of training gave, by the path of the weight."""
    found = {}
    for step in trace:
        if step.step.stage == "update" and step.path.startswith(f"step{STEPS}.") and step.name.endswith("_new"):
            path = step.path.removeprefix(f"step{STEPS}.").removesuffix("_new")
            found[path.partition(".")[2] if path.startswith("update") else path] = step.value  # the last update wins
    assert found
    return found


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_steps_that_are_left_out_give_the_same_bits(tmp_path, optimizer, batch):
    every = trained(tmp_path, list(range(1, STEPS + 1)), optimizer, batch)
    some = trained(tmp_path, [1, STEPS], optimizer, batch)
    assert len(some) < len(every) / 2
    assert some.history == every.history
    one, other = last_weights(some), last_weights(every)
    assert one.keys() == other.keys() == weights_of(every).keys()
    for path, value in one.items():
        assert value.tobytes() == other[path].tobytes(), path


@pytest.mark.parametrize("keep", [[7], [1, 2, 7], [3, 4, 7], [1, 4, 7], [6, 7]])
@pytest.mark.parametrize("optimizer", ["momentum", "adam"])
def test_whichever_steps_are_kept_the_losses_are_the_same(tmp_path, optimizer, keep):
    every = trained(tmp_path, list(range(1, STEPS + 1)), optimizer)
    assert trained(tmp_path, keep, optimizer).history == every.history
    assert tuple(every[f"step{n}.loss"].value for n in range(1, STEPS + 1)) == every.history["loss"]


def test_lines_are_trained_in_the_same_way(tmp_path):
    every = trained(tmp_path, list(range(1, STEPS + 1)), "momentum", before=LINES)
    some = trained(tmp_path, [1, STEPS], "momentum", before=LINES)
    assert some.history == every.history
    W, b = (torch.tensor(every[name].value, requires_grad=True) for name in ("W", "b"))
    optimizer = torch.optim.SGD([W, b], lr=0.05, momentum=0.8)
    for expected in every.history["loss"]:
        optimizer.zero_grad()
        z = torch.tanh(torch.tensor([1.5, -0.5], dtype=torch.float64) @ W + b)
        loss = ((z - torch.tensor([0.25, 1.0], dtype=torch.float64)) ** 2).mean()
        assert loss.item() == pytest.approx(expected, rel=1e-12)
        loss.backward()
        optimizer.step()
    for name, weight in (("W", W), ("b", b)):
        numpy.testing.assert_allclose(last_weights(some)[name], weight.detach().numpy(), rtol=1e-12)


def in_torch(optimizer, weights):
    kinds = {
        "sgd": lambda: torch.optim.SGD(weights, lr=0.05),
        "momentum": lambda: torch.optim.SGD(weights, lr=0.05, momentum=0.8),
        "adam": lambda: torch.optim.Adam(weights, lr=0.05),
        "adamw": lambda: torch.optim.AdamW(weights, lr=0.05, weight_decay=0.05),
    }
    return kinds[optimizer]()


@pytest.mark.parametrize("batch", BATCHES)
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
def test_seven_steps_are_those_of_torch_optim(tmp_path, optimizer, batch):
    trace = trained(tmp_path, [1, STEPS], optimizer, batch)
    weights = weights_of(trace)
    design = Design(heads=2, feed_forward=True)
    judge = in_torch(optimizer, list(weights.values()))
    size = len(IDS) if batch == "null" else int(batch)
    batches = [IDS[n : n + size] for n in range(0, len(IDS), size)]
    for step in range(STEPS):
        losses = []
        for rows in batches:
            judge.zero_grad()
            loss = torch.stack([last_token_loss(design, weights, tokens, target) for tokens, target in rows]).mean()
            loss.backward()
            judge.step()
            losses.append(loss.item())
        assert trace.history["loss"][step] == pytest.approx(numpy.mean(losses), rel=1e-9), step
    for path, value in last_weights(trace).items():
        numpy.testing.assert_allclose(value, weights[path].detach().numpy(), rtol=1e-8, atol=1e-10, err_msg=path)


def test_a_calculator_trains_as_well_and_rounds_every_step(tmp_path):
    path = tmp_path / "training.yaml"
    path.write_text(
        LINES
        + f"precision: calculator 3 decimals\ntrain: {{learning_rate: 0.05, steps: {STEPS}, keep: [1, {STEPS}]}}\n"
    )
    trace = w.scenario(path).trace()
    assert all(round(loss, 3) == loss for loss in trace.history["loss"])
    every = tmp_path / "every.yaml"
    every.write_text(path.read_text().replace(f"[1, {STEPS}]", str(list(range(1, STEPS + 1)))))
    assert w.scenario(every).trace().history == trace.history


UNREAD = """
scenario: 1
parameters: {W: [[2.0]], unused: [[5.0, 6.0]]}
calculate: ["y = mul(W, W)", "loss = sum(y)"]
train: {optimizer: {name: adamw, decay: 0.5}, learning_rate: 0.1, steps: 3, keep: KEEP}
"""


@pytest.mark.parametrize("keep", ["[1, 2, 3]", "[3]"])
def test_a_weight_that_the_loss_does_not_read_stays_whatever_is_kept(keep, tmp_path):
    file = tmp_path / "unread.yaml"
    file.write_text(UNREAD.replace("KEEP", keep))
    trace = w.scenario(file).trace()
    assert trace.all("unused")[-1].value.tolist() == [[5.0, 6.0]]
    assert len(trace.all("W_new")) == keep.count(",") + 1


def test_a_warm_up_counts_steps_also_where_each_example_has_an_update(tmp_path):
    found = w.scenario("example-4").changed("train: {batch_size: 1, warmup_steps: 10, steps: 20}")
    rates = found.trainer().rates
    assert rates.at(30) == 0.1
    assert rates.at(15) == pytest.approx(0.05)
