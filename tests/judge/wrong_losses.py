"""More mistakes in PyTorch: those of losses, and of activation functions."""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor
from torch.nn import functional

from .operations import OPERATIONS, reduced

Wrong = Callable[..., Tensor]


def part(reduction: str, count: int) -> float:
    """How much one row counts in the loss."""
    return 1 / count if reduction == "mean" else 1.0


def answered(P: Tensor, target: Tensor) -> Tensor:
    """The probability of each right answer."""
    return P.gather(-1, target.unsqueeze(-1)).squeeze(-1)


def labels(P: Tensor, target: Tensor) -> Tensor:
    return functional.one_hot(target, P.shape[-1]).double()


def of_classes(name: str, probabilities: Callable[[Tensor], Tensor]) -> dict[str, Wrong]:
    """What goes wrong between a row of probabilities and the loss of its right answer."""
    loss = OPERATIONS[name]

    def per_row(row: Callable[[Tensor, Tensor], Tensor]) -> Wrong:
        return lambda x, target, *, reduction: reduced(row(probabilities(x), target), reduction)

    return {
        f"{name}.all_classes": per_row(lambda P, target: -P.log().sum(dim=-1)),
        f"{name}.binary": per_row(
            lambda P, target: functional.binary_cross_entropy(P, labels(P, target), reduction="none").sum(dim=-1)
        ),
        f"{name}.likeliest": per_row(lambda P, target: -P.amax(dim=-1).log()),
        f"{name}.log_of_rest": per_row(lambda P, target: -torch.log1p(-answered(P, target))),
        f"{name}.entropy": per_row(lambda P, target: torch.special.entr(P).sum(dim=-1)),
        f"{name}.squared_error": per_row(lambda P, target: (P - labels(P, target)).square().sum(dim=-1)),
        f"{name}.squared_error_averaged": per_row(lambda P, target: (P - labels(P, target)).square().mean(dim=-1)),
        f"{name}.log_of_mean": lambda x, target, *, reduction: -answered(probabilities(x), target).mean().log(),
        f"{name}.perplexity": lambda x, target, **settings: loss(x, target, **settings).exp(),
        f"{name}.only_last_position": lambda x, target, **settings: loss(x[..., -1:, :], target[..., -1:], **settings),
        f"{name}.targets_rolled": lambda x, target, **settings: loss(x, target.roll(-1, dims=-1), **settings),
    }


def of_yes_and_no(name: str, probabilities: Callable[[Tensor], Tensor]) -> dict[str, Wrong]:
    """What goes wrong in the loss of yes-or-no answers."""

    def per_answer(answer: Callable[[Tensor, Tensor], Tensor]) -> Wrong:
        return lambda x, y, *, reduction: reduced(answer(probabilities(x), y), reduction)

    return {
        f"{name}.no_logarithm": per_answer(lambda p, y: torch.where(y == 1, 1 - p, p)),
        f"{name}.squared_error": per_answer(lambda p, y: (p - y) ** 2),
        f"{name}.same_for_no": per_answer(lambda p, y: -p.log()),
        f"{name}.no_forgotten": per_answer(lambda p, y: -y * p.log()),
        f"{name}.no_subtracted": per_answer(lambda p, y: torch.where(y == 1, -p.log(), (1 - p).log())),
    }


def other_activation(name: str) -> dict[str, Wrong]:
    return {
        f"{name}.as_sigmoid": torch.sigmoid,
        f"{name}.as_tanh": torch.tanh,
        f"{name}.as_silu": functional.silu,
    }


LOSSES: dict[str, Wrong] = {
    **of_classes("cross_entropy", lambda logits: torch.softmax(logits, dim=-1)),
    **of_classes("negative_log_likelihood", lambda P: P),
    "cross_entropy.shift_forgotten": lambda logits, target, *, reduction: reduced(
        logits.logsumexp(dim=-1) - logits.amax(dim=-1) - answered(logits, target), reduction
    ),
    "cross_entropy.log_of_sum_forgotten": lambda logits, target, *, reduction: reduced(
        (logits - logits.amax(dim=-1, keepdim=True)).exp().sum(dim=-1)
        - (answered(logits, target) - logits.amax(dim=-1)),
        reduction,
    ),
    **of_yes_and_no("binary_cross_entropy", lambda p: p),
    **of_yes_and_no("binary_cross_entropy_from_logits", torch.sigmoid),
    "binary_cross_entropy_from_logits.sigmoid_twice": lambda z, y, *, reduction: (
        functional.binary_cross_entropy_with_logits(z.sigmoid(), y, reduction=reduction)
    ),
    "binary_cross_entropy_from_logits.absolute_forgotten": lambda z, y, *, reduction: reduced(
        z.clamp(min=0.0) - z * y + functional.softplus(-z), reduction
    ),
    "mean_squared_error.halved": lambda y, target, *, reduction: reduced((y - target) ** 2 / 2, reduction),
    "mean_squared_error.absolute": lambda y, target, *, reduction: reduced((y - target).abs(), reduction),
    "mean_squared_error.root_taken": lambda y, target, *, reduction: reduced((y - target) ** 2, reduction).sqrt(),
    **other_activation("relu"),
    **other_activation("gelu"),
    **other_activation("gelu_tanh"),
    "relu.negative_kept": lambda x: x.clamp(max=0.0),
    "relu.leaky": lambda x: functional.leaky_relu(x, 0.01),
    "relu.leaky_tenth": lambda x: functional.leaky_relu(x, 0.1),
    "relu.leaky_fifth": lambda x: functional.leaky_relu(x, 0.2),
    "relu.as_step": lambda x: (x > 0).double(),
    "gelu.forgotten": lambda x: x,
    "gelu_tanh.forgotten": lambda x: x,
    "gelu_tanh.not_multiplied": lambda x: functional.gelu(x, approximate="tanh") / x,
    "sigmoid.forgotten": lambda x: x,
    "sigmoid.not_inverted": lambda x: 1 / torch.sigmoid(x),
    "sigmoid.as_tanh": torch.tanh,
    "sigmoid.input_above": functional.silu,
    "tanh.forgotten": lambda x: x,
    "tanh.two_forgotten": lambda x: torch.tanh(x / 2),
}


def error_of(logits: Tensor, target: Tensor, reduction: str) -> Tensor:
    """The gradient of the logits, from autograd."""
    free = logits.clone().requires_grad_()
    return torch.autograd.grad(OPERATIONS["cross_entropy"](free, target, reduction=reduction), free)[0]


def through_softmax(g: Tensor, logits: Tensor) -> Tensor:
    free = logits.clone().requires_grad_()
    return torch.autograd.grad(free.softmax(dim=-1), free, g)[0]


def slope(function: Callable[[Tensor], Tensor]) -> Wrong:
    """The rule of another function."""

    def rule(g: Tensor, x: Tensor) -> Tensor:
        free = x.clone().requires_grad_()
        return torch.autograd.grad(function(free), free, g)[0]

    return rule


def tanh_form(x: Tensor, three: float) -> Tensor:
    """The slope of GELU with a tanh, whose cube has this slope."""
    root = math.sqrt(2 / math.pi)
    t = torch.tanh(root * (x + 0.044715 * x**3))
    return (1 + t) / 2 + x * (1 - t**2) * root * (1 + three * 0.044715 * x**2) / 2


LOSS_RULES: dict[str, Wrong] = {
    "cross_entropy.gradient_divided": lambda g, logits, target, *, reduction: g * error_of(logits, target, "mean"),
    "cross_entropy.gradient_divided_twice": lambda g, logits, target, *, reduction: (
        g * error_of(logits, target, "mean") / target.numel()
    ),
    "cross_entropy.only_answer": lambda g, logits, target, *, reduction: (
        g * torch.where(labels(logits, target) == 1, error_of(logits, target, reduction), 0.0)
    ),
    "cross_entropy.gradient_of_probabilities": lambda g, logits, target, *, reduction: (
        -g * labels(logits, target) / logits.softmax(-1) * part(reduction, target.numel())
    ),
    "cross_entropy.one_from_all": lambda g, logits, target, *, reduction: (
        g * (logits.softmax(-1) - 1) * part(reduction, target.numel())
    ),
    "cross_entropy.label_added": lambda g, logits, target, *, reduction: (
        g * (logits.softmax(-1) + labels(logits, target)) * part(reduction, target.numel())
    ),
    "cross_entropy.softmax_forgotten": lambda g, logits, target, *, reduction: (
        g * (logits - labels(logits, target)) * part(reduction, target.numel())
    ),
    "cross_entropy.softmax_rule_again": lambda g, logits, target, *, reduction: through_softmax(
        g * error_of(logits, target, reduction), logits
    ),
    "cross_entropy.answer_of_row_before": lambda g, logits, target, *, reduction: (
        g * error_of(logits, target.roll(1, dims=-1), reduction)
    ),
    "cross_entropy.answer_of_next_row": lambda g, logits, target, *, reduction: (
        g * error_of(logits, target.roll(-1, dims=-1), reduction)
    ),
    "cross_entropy.times_loss": lambda g, logits, target, *, reduction: (
        g * error_of(logits, target, reduction) * OPERATIONS["cross_entropy"](logits, target, reduction=reduction)
    ),
    "negative_log_likelihood.gradient_divided": lambda g, P, target, *, reduction: (
        -g * labels(P, target) / P / target.numel()
    ),
    "negative_log_likelihood.slope_of_logits": lambda g, P, target, *, reduction: (
        g * (P - labels(P, target)) * part(reduction, target.numel())
    ),
    "negative_log_likelihood.slope_forgotten": lambda g, P, target, *, reduction: (
        -g * labels(P, target) * part(reduction, target.numel())
    ),
    "negative_log_likelihood.slope_multiplied": lambda g, P, target, *, reduction: (
        -g * labels(P, target) * P * part(reduction, target.numel())
    ),
    "binary_cross_entropy.slope_multiplied": lambda g, p, y, *, reduction: (
        g * (p - y) * (p - p**2) * part(reduction, p.numel())
    ),
    "binary_cross_entropy.only_yes": lambda g, p, y, *, reduction: -g * y / p * part(reduction, p.numel()),
    "binary_cross_entropy.gradient_divided": lambda g, p, y, *, reduction: g * (p - y) / (p - p**2) / p.numel(),
    "binary_cross_entropy_from_logits.gradient_divided": lambda g, z, y, *, reduction: (
        g * (z.sigmoid() - y) / z.numel()
    ),
    "binary_cross_entropy_from_logits.label_forgotten": lambda g, z, y, *, reduction: (
        g * z.sigmoid() * part(reduction, z.numel())
    ),
    "binary_cross_entropy_from_logits.slope_of_probability": lambda g, z, y, *, reduction: (
        g * (z.sigmoid() - y) / (z.sigmoid() * (-z).sigmoid()) * part(reduction, z.numel())
    ),
    "mean_squared_error.square_kept": lambda g, y, target, *, reduction: (
        2 * g * (y - target) ** 2 * part(reduction, y.numel())
    ),
    "mean_squared_error.gradient_divided": lambda g, y, target, *, reduction: 2 * g * (y - target) / y.numel(),
    "relu.mask_reversed": lambda g, x: g.masked_fill(x > 0, 0.0),
    "relu.times_activation": lambda g, x: g * x.clamp(min=0.0),
    "relu.slope_of_sigmoid": slope(torch.sigmoid),
    "relu.gradient_forgotten": lambda g, x: (x > 0).double(),
    "gelu.slope_of_relu": lambda g, x: g.masked_fill(x <= 0, 0.0),
    "gelu_tanh.slope_of_relu": lambda g, x: g.masked_fill(x <= 0, 0.0),
    "gelu.slope_of_silu": slope(functional.silu),
    "gelu_tanh.slope_of_silu": slope(functional.silu),
    "gelu.slope_forgotten": lambda g, x: g,
    "gelu_tanh.slope_forgotten": lambda g, x: g,
    "gelu.share_forgotten": lambda g, x: g * x * torch.exp(-(x**2) / 2) / math.sqrt(2 * math.pi),
    "gelu.bell_not_divided": lambda g, x: g * (torch.special.ndtr(x) + x * torch.exp(-(x**2) / 2)),
    "gelu_tanh.three_forgotten": lambda g, x: g * tanh_form(x, 1.0),
    "sigmoid.slope_forgotten": lambda g, x: g,
    "sigmoid.result_forgotten": lambda g, x: g * (-x).sigmoid(),
    "sigmoid.slope_of_tanh": lambda g, x: g * (1 - x.sigmoid() ** 2),
    "tanh.slope_forgotten": lambda g, x: g,
    "sigmoid.gradient_forgotten": lambda g, x: x.sigmoid() * (-x).sigmoid(),
    "tanh.gradient_forgotten": lambda g, x: 1 - x.tanh() ** 2,
    "tanh.one_forgotten": lambda g, x: g * x.tanh() ** 2,
    "tanh.square_added": lambda g, x: g * (1 + x.tanh() ** 2),
}
