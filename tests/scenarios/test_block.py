"""The scenario `block` against a PyTorch version of it, under every profile and every single other choice.

The judge below is written from what the conventions say, in plain torch functions; it shares no op with the package.
Only the numbers of the weights come from the trace.
"""

import itertools

import numpy
import pytest
import torch
from torch.nn import functional

import workings as w
from workings.conventions import CHOICES, PROFILES, Convention, choices

CLOSE = 1e-10
HEADS, TOKENS, TARGETS = 2, [4, 0, 2], [0, 2, 1]  # the cat sat -> cat sat down
SCENARIO = w.scenario("block")
NORMS = {"attention": 1, "feed_forward": 2}


def block(choice: Convention) -> w.Trace:
    """The block under a convention; biases that would start at 0 are drawn, so that each of them counts."""
    trace, draws = SCENARIO.trace(convention=choice), w.Draws(11)
    weights = [step for step in trace if step.step.leaf == "parameter"]
    return trace.replay(
        values={s.path: (draws.whole(s.shape, below=19) - 9) / 10 for s in weights if not s.value.any()}
    )


def short(path: str) -> str:
    """The name of a weight that no other has: W_Q, gamma1."""
    *modules, name = path.split(".")
    return f"{name}{NORMS[modules[1]]}" if name in ("gamma", "beta") else name


def singly_changed():
    """Every profile, and every convention that differs from a profile in one choice."""
    for name, profile in PROFILES.items():
        yield pytest.param(profile, id=name)
        for field in CHOICES:
            for choice in choices(field):
                if choice != getattr(profile, field):
                    yield pytest.param(profile.but(**{field: choice}), id=f"{name}-{field}-{choice}")


# -- the judge ---------------------------------------------------------------------------------


class Judge:
    """A block in plain PyTorch that follows a convention, with weights by name."""

    def __init__(self, convention: Convention, weights: dict[str, torch.Tensor]) -> None:
        self.convention = convention
        self.weights = weights

    def logits(self) -> torch.Tensor:
        table = self.weights["E"]
        x = functional.embedding(torch.tensor(TOKENS), table) + self.positions(len(TOKENS), table.shape[1])
        for number, part in ((1, self.attention), (2, self.feed_forward)):
            if self.convention.norm_place == "pre":
                x = x + part(self.norm(x, number))
            else:
                x = self.norm(x + part(x), number)
        return x @ (table.T if self.convention.tied_embeddings else self.weights["W_vocab"])

    def loss(self, logits: torch.Tensor) -> torch.Tensor:
        return functional.cross_entropy(logits, torch.tensor(TARGETS), reduction=self.convention.loss_reduction)

    def positions(self, count: int, width: int) -> torch.Tensor:
        waves = torch.arange(count).double()[:, None] / 10000.0 ** (torch.arange(0, width, 2).double() / width)
        if self.convention.position == "learned":
            return self.weights["E_position"]
        if self.convention.position == "concatenated":
            return torch.cat([waves.sin(), waves.cos()], dim=1)
        table = torch.zeros(count, width, dtype=torch.float64)
        table[:, 0::2], table[:, 1::2] = waves.sin(), waves.cos()
        return table

    def norm(self, x: torch.Tensor, number: int) -> torch.Tensor:
        gamma, beta = self.weights[f"gamma{number}"], self.weights[f"beta{number}"]
        correction, epsilon = self.convention.norm_correction, self.convention.norm_epsilon
        inside = self.convention.norm_epsilon_place == "inside"
        if inside and correction == 0:
            return functional.layer_norm(x, x.shape[-1:], gamma, beta, epsilon)
        centred = x - x.mean(dim=-1, keepdim=True)
        variance = centred.square().sum(dim=-1, keepdim=True) / (x.shape[-1] - correction)
        return gamma * centred / (torch.sqrt(variance + epsilon) if inside else torch.sqrt(variance) + epsilon) + beta

    def attention(self, x: torch.Tensor) -> torch.Tensor:
        width, tokens = x.shape[-1], x.shape[0]
        Q, K, V = (self.linear(x, letter, self.convention.biases == "all") for letter in "QKV")
        size = width // HEADS
        scale = {"head": size, "model": width}[self.convention.attention_scale] ** 0.5
        later = torch.ones(tokens, tokens, dtype=torch.bool).triu(diagonal=1)
        heads = []
        for columns in (slice(head * size, (head + 1) * size) for head in range(HEADS)):
            scores = (Q[:, columns] @ K[:, columns].T / scale).masked_fill(later, -torch.inf)
            heads.append(scores.softmax(dim=-1) @ V[:, columns])
        return self.linear(torch.cat(heads, dim=-1), "O", self.convention.biases == "all")

    def feed_forward(self, x: torch.Tensor) -> torch.Tensor:
        has_bias = self.convention.biases != "none"
        bend = {
            "relu": functional.relu,
            "gelu": functional.gelu,
            "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
        }[self.convention.activation]
        return self.linear(bend(self.linear(x, "1", has_bias)), "2", has_bias)

    def linear(self, x: torch.Tensor, letter: str, has_bias: bool) -> torch.Tensor:
        return functional.linear(x, self.weights[f"W_{letter}"].T, self.weights[f"b_{letter}"] if has_bias else None)


def weight_names(convention: Convention) -> set[str]:
    """The weights that a block under this convention reads."""
    names = {"E", "W_Q", "W_K", "W_V", "W_O", "W_1", "W_2", "gamma1", "beta1", "gamma2", "beta2"}
    names |= {f"b_{letter}" for letter in "QKVO"} if convention.biases == "all" else set()
    names |= {"b_1", "b_2"} if convention.biases != "none" else set()
    names |= {"E_position"} if convention.position == "learned" else set()
    return names if convention.tied_embeddings else names | {"W_vocab"}


def numbers_of(trace: w.Trace) -> dict[str, numpy.ndarray]:
    """The logits, the loss and the gradient of every weight, as the trace has them."""
    paths = [step.path for step in trace if step.step.leaf == "parameter"]
    gradients = {f"d{short(path)}": trace[gradient_of(path)].value for path in paths}
    return {"logits": trace["logits"].value, "loss": trace["loss"].value, **gradients}


def gradient_of(path: str) -> str:
    parent, dot, name = path.rpartition(".")
    return f"{parent}{dot}d{name}"


def tensors(trace: w.Trace) -> dict[str, torch.Tensor]:
    return {short(step.path): torch.tensor(step.value) for step in trace if step.step.leaf == "parameter"}


def judged(trace: w.Trace, convention: Convention) -> dict[str, numpy.ndarray]:
    """The same numbers by PyTorch, from the weights of the trace."""
    leaves = {name: weight.requires_grad_() for name, weight in tensors(trace).items()}
    judge = Judge(convention, leaves)
    logits = judge.logits()
    loss = judge.loss(logits)
    loss.backward()
    results = {"logits": logits, "loss": loss, **{f"d{name}": weight.grad for name, weight in leaves.items()}}
    return {name: result.detach().numpy() for name, result in results.items()}


# -- the trial ---------------------------------------------------------------------------------


@pytest.mark.parametrize("convention", list(singly_changed()))
def test_the_block_is_the_one_that_pytorch_computes_with_every_gradient(convention):
    trace = block(convention)
    assert trace.convention == convention
    ours, theirs = numbers_of(trace), judged(trace, convention)
    assert ours.keys() == theirs.keys() == {"logits", "loss", *(f"d{name}" for name in weight_names(convention))}
    for name, value in ours.items():
        numpy.testing.assert_allclose(value, theirs[name], rtol=CLOSE, atol=CLOSE, err_msg=name)


@pytest.mark.parametrize("field", CHOICES)
def test_the_judge_would_notice_a_choice_that_is_not_followed(field):
    """A judge to whom all choices were the same could not tell whether the block follows them."""
    weights = {**tensors(block(PROFILES["seed"])), **tensors(block(PROFILES["gpt2"]))}  # those of all conventions
    losses = set()
    for choice in choices(field):
        judge = Judge(PROFILES["seed"].but(**{field: choice}), weights)
        losses.add(float(judge.loss(judge.logits())))
    ordered = sorted(losses)
    assert len(losses) == len(choices(field))
    assert all(above - below > 100 * CLOSE for below, above in itertools.pairwise(ordered))


@pytest.mark.parametrize("run", SCENARIO.runs)
def test_every_run_of_the_scenario_is_what_pytorch_computes(run):
    trace, convention = SCENARIO.trace(run), SCENARIO.convention(run)
    if run == "per-head":
        trace = packed(trace)
    assert (trace.convention == PROFILES["seed"]) == (run != "post-norm")
    for name, value in judged(trace, convention).items():
        numpy.testing.assert_allclose(numbers_of(trace)[name], value, rtol=CLOSE, atol=CLOSE, err_msg=name)


def packed(trace: w.Trace) -> w.Trace:
    """The default run with the matrices of both heads of this one side by side: it must give the same numbers."""
    names = [step.path for step in trace if step.step.leaf == "parameter" and "head" not in step.path]
    values = {path: trace[path].value for path in names}
    for letter in "QKV":
        heads = [trace[f"head{n}.W_{letter}"].value for n in (1, 2)]
        values[f"block1.attention.W_{letter}"] = numpy.concatenate(heads, axis=1)
    whole = SCENARIO.trace().replay(values=values)
    for name in ("logits", "loss", "embedding.dE", "block1.attention.dW_O", "block1.attention.norm.dgamma"):
        numpy.testing.assert_allclose(trace[name].value, whole[name].value, rtol=CLOSE, atol=CLOSE, err_msg=name)
    for letter in "QKV":
        heads = [trace[f"head{n}.dW_{letter}"].value for n in (1, 2)]
        found = whole[f"dW_{letter}"].value
        numpy.testing.assert_allclose(numpy.concatenate(heads, axis=1), found, rtol=CLOSE, atol=CLOSE)
    return whole
