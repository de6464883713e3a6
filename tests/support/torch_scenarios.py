"""The models of the scenarios in plain PyTorch, written from what the sources say. Weights come by their paths."""

from __future__ import annotations

from dataclasses import dataclass

import numpy
import torch
from torch.nn import functional

import workings as w

Weights = dict[str, torch.Tensor]


@dataclass(frozen=True)
class Design:
    """What the model of a run is made of."""

    layers: int = 1
    heads: int = 1
    norm: str = ""  # pre, post, or none at all
    residual: tuple[str, ...] = ()
    feed_forward: bool = False
    causal: bool = False
    separate: bool = False  # each head with matrices of its own
    waves: bool = False


def features(design: Design, weights: Weights, tokens: list[int]) -> torch.Tensor:
    """One row for each token, after all blocks."""
    x = weights["embedding.E"][tokens]
    if design.waves:
        x = x + waves(*x.shape)
    for number in range(1, design.layers + 1):
        for part, compute in (("attention", attention), ("feed_forward", feed_forward)):
            if part == "attention" or design.feed_forward:
                path = f"block{number}.{part}"
                made = compute(design, weights, path, norm(weights, path, x) if design.norm == "pre" else x)
                x = x + made if part in design.residual else made
                x = norm(weights, path, x) if design.norm == "post" else x
    return x


def waves(count: int, width: int) -> torch.Tensor:
    table = torch.zeros(count, width, dtype=torch.float64)
    for place in range(count):
        for column in range(0, width, 2):
            angle = torch.tensor(place / 10000.0 ** (column / width), dtype=torch.float64)
            table[place, column], table[place, column + 1] = angle.sin(), angle.cos()
    return table


def norm(weights: Weights, path: str, x: torch.Tensor) -> torch.Tensor:
    gamma, beta = weights[f"{path}.norm.gamma"], weights[f"{path}.norm.beta"]
    return functional.layer_norm(x, x.shape[-1:], gamma, beta, 1e-6)


def attention(design: Design, weights: Weights, path: str, x: torch.Tensor) -> torch.Tensor:
    found = []
    for head in range(design.heads):
        if design.separate:
            Q, K, V = (x @ weights[f"{path}.head{head + 1}.W_{letter}"] for letter in "QKV")
        else:
            Q, K, V = ((x @ weights[f"{path}.W_{letter}"]).chunk(design.heads, dim=-1)[head] for letter in "QKV")
        scores = Q @ K.T / Q.shape[-1] ** 0.5
        if design.causal:
            scores = scores.masked_fill(torch.ones_like(scores, dtype=torch.bool).triu(1), -torch.inf)
        found.append(scores.softmax(dim=-1) @ V)
    joined = torch.cat(found, dim=-1)
    return joined @ weights[f"{path}.W_O"] if design.heads > 1 else joined


def feed_forward(design: Design, weights: Weights, path: str, x: torch.Tensor) -> torch.Tensor:
    hidden = functional.relu(x @ weights[f"{path}.W_1"] + weights[f"{path}.b_1"])
    return hidden @ weights[f"{path}.W_2"] + weights[f"{path}.b_2"]


def last_token_loss(design: Design, weights: Weights, tokens: list[int], target: int) -> torch.Tensor:
    logits = features(design, weights, tokens)[-1] @ weights["W_vocab"]
    return functional.cross_entropy(logits[None], torch.tensor([target]))


# -- what a trace has, and what the judge has --------------------------------------------------


def weights_of(trace: w.Trace) -> Weights:
    """The weights that a trace starts from."""
    steps = [step for step in trace if step.step.leaf == "parameter" and not step.path.startswith("step")]
    return {step.path: torch.tensor(step.value).requires_grad_() for step in steps}


def gradient_path(path: str) -> str:
    parent, dot, name = path.rpartition(".")
    return f"{parent}{dot}d{name}"


def check_gradients(trace: w.Trace, weights: Weights, close: float = 1e-12) -> None:
    """Each weight has the gradient in the trace that PyTorch gave it; there is one for each."""
    assert weights
    for path, weight in weights.items():
        assert weight.grad is not None, path
        found, expected = trace[gradient_path(path)].value, weight.grad.numpy()
        numpy.testing.assert_allclose(found, expected, rtol=close, atol=close, err_msg=path)
