"""More mistakes in PyTorch: those of ops that work entry by entry or along a row, of losses and of updates."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from .operations import OPERATIONS, adam, reduced, rms_norm

Wrong = Callable[..., Tensor]
LN10, LN2 = math.log(10), math.log(2)


def other(reduction: str) -> str:
    return "sum" if reduction == "mean" else "mean"


def share(reduction: str, count: int) -> float:
    return 1 / count if reduction == "mean" else 1.0


def of_loss(name: str) -> dict[str, Wrong]:
    """What goes wrong with every loss."""
    loss = OPERATIONS[name]
    return {
        f"{name}.wrong_reduction": lambda p, y, *, reduction: loss(p, y, reduction=other(reduction)),
        f"{name}.sign_forgotten": lambda p, y, **settings: -loss(p, y, **settings),
        f"{name}.base_ten": lambda p, y, **settings: loss(p, y, **settings) / LN10,
        f"{name}.base_two": lambda p, y, **settings: loss(p, y, **settings) / LN2,
        f"{name}.labels_exchanged": lambda p, y, **settings: loss(p, 1 - y, **settings),
    }


def rows(x: Tensor, gamma: Tensor, divide: Callable[[Tensor], Tensor], dim: int = -1) -> Tensor:
    return x / divide(x.square().mean(dim=dim, keepdim=True)) * gamma


def rms_rule(g: Tensor, x: Tensor, epsilon: float) -> Tensor:
    free = x.clone().requires_grad_()
    return torch.autograd.grad(rms_norm(free, torch.ones(()).double(), epsilon=epsilon), free, g)[0]


def moved(
    W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *, rate: float, epsilon: float, beta1: float, beta2: float
) -> Tensor:
    """Adam without its bias correction."""
    m, v = beta1 * m + (1 - beta1) * dW, beta2 * v + (1 - beta2) * dW**2
    return W - rate * m / (v.sqrt() + epsilon)


def decay_in_gradient(W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *, decay: float, **settings: Any) -> Tensor:
    return adam(W, dW + decay * W, m, v, **settings)


def gelu_tanh_inner(x: Tensor, root: float = math.sqrt(2 / math.pi), cube: float = 0.044715) -> Tensor:
    return root * (x + cube * x**3)


def bell(x: Tensor) -> Tensor:
    """The height of the bell curve."""
    return torch.exp(-x * x / 2) / math.sqrt(2 * math.pi)


def chosen(x: Tensor, target: Tensor) -> Tensor:
    return functional.one_hot(target, x.shape[-1]).double()


ENTRIES: dict[str, Wrong] = {
    **of_loss("negative_log_likelihood"),
    **of_loss("binary_cross_entropy"),
    **of_loss("binary_cross_entropy_from_logits"),
    "negative_log_likelihood.no_logarithm": lambda P, target, *, reduction: reduced(
        1 - (P * chosen(P, target)).sum(dim=-1), reduction
    ),
    "negative_log_likelihood.log_forgotten": lambda P, target, *, reduction: reduced(
        -(P * chosen(P, target)).sum(dim=-1), reduction
    ),
    "negative_log_likelihood.mean_over_classes": lambda P, target, *, reduction: -(chosen(P, target) * P.log()).mean(),
    "negative_log_likelihood.targets_shifted_twice": lambda P, target, **settings: OPERATIONS[
        "negative_log_likelihood"
    ](P[..., :-1, :], target[..., 1:], **settings),
    "mean_squared_error.wrong_reduction": lambda y, target, *, reduction: reduced((y - target) ** 2, other(reduction)),
    "mean_squared_error.mean_twice": lambda y, target, *, reduction: ((y - target) ** 2).mean() / y.numel(),
    "negative_log_likelihood.mean_twice": lambda P, target, *, reduction: (
        OPERATIONS["negative_log_likelihood"](P, target, reduction="mean") / target.numel()
    ),
    "binary_cross_entropy_from_logits.mean_twice": lambda z, y, *, reduction: (
        OPERATIONS["binary_cross_entropy_from_logits"](z, y, reduction="mean") / z.numel()
    ),
    "mean_squared_error.not_squared": lambda y, target, *, reduction: reduced(y - target, reduction),
    "mean_squared_error.squares_subtracted": lambda y, target, *, reduction: reduced(y**2 - target**2, reduction),
    "mean_squared_error.sum_squared": lambda y, target, *, reduction: reduced(y - target, reduction) ** 2,
    "adam.correction_forgotten": lambda *inputs, t, **settings: moved(*inputs, **settings),
    "adamw.decay_forgotten": lambda *inputs, decay, **settings: adam(*inputs, **settings),
    "adamw.decay_in_gradient": decay_in_gradient,
    "adamw.correction_forgotten": lambda W, *inputs, t, decay, rate, **settings: moved(
        W - rate * decay * W, *inputs, rate=rate, **settings
    ),
    "adam_direction.root_forgotten": lambda m, v, *, epsilon: m / (v + epsilon),
    "adam_direction.epsilon_inside": lambda m, v, *, epsilon: m / (v + epsilon).sqrt(),
    "adam_direction.not_divided": lambda m, v, *, epsilon: m,
    "momentum.velocity_forgotten": lambda W, dW, velocity, *, rate, beta: W - rate * dW,
    "momentum.nothing_fades": lambda W, dW, velocity, *, rate, beta: W - rate * (velocity + dW),
    "momentum.averaged": lambda W, dW, velocity, *, rate, beta: W - rate * (beta * velocity + (1 - beta) * dW),
    "weight_decay.rate_forgotten": lambda W, *, rate, decay: W - decay * W,
    "weight_decay.added": lambda W, *, rate, decay: W + rate * decay * W,
    "weight_decay.only_the_pull": lambda W, *, rate, decay: rate * decay * W,
    "bias_correction.forgotten": lambda x, *, beta, t: x,
    "bias_correction.counted_from_zero": lambda x, *, beta, t: x / (1 - beta ** (t - 1)),
    "bias_correction.power_forgotten": lambda x, *, beta, t: x / (1 - beta),
    "bias_correction.multiplied": lambda x, *, beta, t: x * (1 - beta**t),
    "running_mean.rest_forgotten": lambda mean, x, *, beta: beta * mean + x,
    "running_mean.parts_exchanged": lambda mean, x, *, beta: (1 - beta) * mean + beta * x,
    "running_mean.past_forgotten": lambda mean, x, *, beta: (1 - beta) * x,
    "clip_by_norm.always_scaled": lambda x, norm, *, limit, epsilon: x * limit / (norm + epsilon),
    "clip_by_norm.entries_cut": lambda x, norm, *, limit, epsilon: x.clamp(-limit, limit),
    "clip_by_norm.limit_forgotten": lambda x, norm, *, limit, epsilon: x / (norm + epsilon),
    "dropout.not_divided": lambda x, kept, *, rate: x * kept,
    "dropout.multiplied": lambda x, kept, *, rate: x * kept * (1 - rate),
    "dropout.divided_by_rate": lambda x, kept, *, rate: x * kept / rate,
    "dropout.exchanged": lambda x, kept, *, rate: x * (1 - kept) / (1 - rate),
    "rms_norm.centred_first": lambda x, gamma, *, epsilon: rms_norm(
        x - x.mean(dim=-1, keepdim=True), gamma, epsilon=epsilon
    ),
    "rms_norm.epsilon_forgotten": lambda x, gamma, *, epsilon: rows(x, gamma, torch.sqrt),
    "rms_norm.not_averaged": lambda x, gamma, *, epsilon: (
        x / (x.square().sum(dim=-1, keepdim=True) + epsilon).sqrt() * gamma
    ),
    "rms_norm.root_forgotten": lambda x, gamma, *, epsilon: rows(x, gamma, lambda mean: mean + epsilon),
    "rms_norm.columns": lambda x, gamma, *, epsilon: rows(x, gamma, lambda mean: (mean + epsilon).sqrt(), -2),
    "rms_norm.gamma_forgotten": lambda x, gamma, *, epsilon: rows(x, gamma**0, lambda mean: (mean + epsilon).sqrt()),
    "at_most.forgotten": lambda x, *, limit: x,
    "at_most.at_least": lambda x, *, limit: x.clamp(min=limit),
    "at_most.turned_into_zero": lambda x, *, limit: x.masked_fill(x > limit, 0.0),
    "gelu.by_sigmoid": lambda x: x * torch.sigmoid(1.702 * x),
    "gelu.root_forgotten": lambda x: x * (1 + torch.erf(x)) / 2,
    "gelu.half_forgotten": lambda x: x * (1 + torch.erf(x / math.sqrt(2))),
    "gelu.not_multiplied": torch.special.ndtr,
    "gelu_tanh.by_sigmoid": lambda x: x * torch.sigmoid(1.702 * x),
    "gelu_tanh.root_forgotten": lambda x: x * (1 + torch.tanh(gelu_tanh_inner(x, 2 / math.pi))) / 2,
    "gelu_tanh.cube_forgotten": lambda x: x * (1 + torch.tanh(gelu_tanh_inner(x, cube=0.0))) / 2,
    "gelu_tanh.half_forgotten": lambda x: x * (1 + torch.tanh(gelu_tanh_inner(x))),
    "log.base_ten": torch.log10,
    "log.base_two": torch.log2,
    "log.exponential": torch.exp,
    "exp.times_e": lambda x: math.e * x,
    "exp.base_ten": lambda x: 10**x,
    "erf.as_tanh": torch.tanh,
    "erf.share_below": lambda x: (1 + torch.erf(x)) / 2,  # of the curve of erf, which is narrower than the normal one
    "erf.divided_by_root_two": lambda x: torch.erf(x / math.sqrt(2)),
    "cos.in_degrees": lambda x: torch.cos(torch.deg2rad(x)),
    "cos.as_sine": torch.sin,
    "sin.in_degrees": lambda x: torch.sin(torch.deg2rad(x)),
    "sin.as_cosine": torch.cos,
    "tanh.as_sigmoid": torch.sigmoid,
    "tanh.not_divided": torch.sinh,
    "tanh.sign_turned": lambda x: -torch.tanh(x),
    "sqrt.halved": lambda x: x / 2,
    "sqrt.squared": torch.square,
    "power.multiplied": lambda x, *, exponent: x * exponent,
    "power.exchanged": lambda x, *, exponent: exponent**x,
    "power.sign_turned": lambda x, *, exponent: x**-exponent,
    "mul.added": torch.add,
    "div.reversed": lambda a, b: b / a,
    "div.multiplied": torch.mul,
    "sub.reversed": lambda a, b: b - a,
    "neg.sign_kept": torch.clone,
    "pass.sign_turned": torch.neg,
    "scale.divided": lambda x, *, factor: x / factor,
    "scale.forgotten": lambda x, *, factor: x,
    "divide_by.multiplied": lambda x, *, divisor: x * divisor,
    "divide_by.not_divided": lambda x, *, divisor: x,
    "divide_by.divided_twice": lambda x, *, divisor: x / divisor**2,
    "dot.added": lambda a, b, *, axis: (a + b).sum(dim=axis, keepdim=True),
    "dot.product_of_sums": lambda a, b, *, axis: a.sum(dim=axis, keepdim=True) * b.sum(dim=axis, keepdim=True),
    "norm.root_forgotten": lambda *parts: sum(part.square().sum() for part in parts),
    "norm.lengths_added": lambda *parts: sum(part.norm() for part in parts),
    "norm.first_only": lambda *parts: parts[0].norm(),
    "norm.averaged": lambda *parts: OPERATIONS["norm"](*parts) / sum(part.numel() for part in parts),
    "log_softmax.wrong_axis": lambda x, *, axis: x.log_softmax(-2 if axis % x.ndim == x.ndim - 1 else -1),
    "log_softmax.logarithm_forgotten": lambda x, *, axis: x.softmax(axis),
    "log_softmax.sum_subtracted": lambda x, *, axis: x - x.exp().sum(dim=axis, keepdim=True),
    "log_softmax.base_ten": lambda x, *, axis: x.log_softmax(axis) / LN10,
    "log_sum_exp.maximum_forgotten": lambda x, *, axis, keep: (x - x.amax(dim=axis, keepdim=True)).logsumexp(
        dim=axis, keepdim=keep
    ),
    "log_sum_exp.scores_added": lambda x, *, axis, keep: x.sum(dim=axis, keepdim=keep),
    "log_sum_exp.base_ten": lambda x, *, axis, keep: x.logsumexp(dim=axis, keepdim=keep) / LN10,
    "mean.not_divided": lambda x, *, axis, keep: x.sum(dim=axis, keepdim=keep),
    "mean.divided_twice": lambda x, *, axis, keep: x.sum(dim=axis, keepdim=keep) / counted(x, axis) ** 2,
    "mean.one_less": lambda x, *, axis, keep: x.sum(dim=axis, keepdim=keep) / (counted(x, axis) - 1),
    "sum.averaged": lambda x, *, axis, keep: x.mean(dim=axis, keepdim=keep),
}


def counted(x: Tensor, axis: Any) -> int:
    return (
        x.numel()
        if axis is None
        else math.prod(x.shape[place] for place in ([axis] if isinstance(axis, int) else axis))
    )


def back_over(g: Tensor, x: Tensor, axis: Any, keep: bool) -> Tensor:
    """A gradient of a reduction, repeated to the shape of what was reduced."""
    if not keep:
        places = range(x.ndim) if axis is None else [axis] if isinstance(axis, int) else axis
        for place in sorted(place % x.ndim for place in places):
            g = g.unsqueeze(place)
    return g.expand(x.shape)


def error(name: str, slope: Callable[[Tensor, Tensor], Tensor]) -> dict[str, Wrong]:
    """The gradient of a loss with its sign turned, and without the mean."""
    return {
        f"{name}.error_turned": lambda g, p, y, *, reduction: -g * slope(p, y) * share(reduction, y.numel()),
        f"{name}.gradient_not_divided": lambda g, p, y, *, reduction: g * slope(p, y),
    }


ENTRY_RULES: dict[str, Wrong] = {
    **error("binary_cross_entropy_from_logits", lambda z, y: torch.sigmoid(z) - y),
    **error("mean_squared_error", lambda y, target: 2 * (y - target)),
    **error("negative_log_likelihood", lambda P, target: -chosen(P, target) / P),
    "binary_cross_entropy_from_logits.sigmoid_forgotten": lambda g, z, y, *, reduction: (
        g * (z - y) * share(reduction, y.numel())
    ),
    "binary_cross_entropy_from_logits.slope_again": lambda g, z, y, *, reduction: (
        g * (z.sigmoid() - y) * z.sigmoid() * (-z).sigmoid() * share(reduction, y.numel())
    ),
    "mean_squared_error.two_forgotten": lambda g, y, target, *, reduction: (
        g * (y - target) * share(reduction, y.numel())
    ),
    "mean_squared_error.sign_kept": lambda g, y, target, *, reduction: (
        2 * g * (y - target) * share(reduction, y.numel())
    ),
    "negative_log_likelihood.gradient_sign_forgotten": lambda g, P, target, *, reduction: (
        g * chosen(P, target) / P * share(reduction, target.numel())
    ),
    "negative_log_likelihood.to_all": lambda g, P, target, *, reduction: -g / P * share(reduction, target.numel()),
    "adam_direction.gradient_not_divided": lambda g, m, v, *, epsilon: g,
    "adam_direction.sign_forgotten": lambda g, m, v, *, epsilon: g * m / (v.sqrt() + epsilon) ** 2 / (2 * v.sqrt()),
    "weight_decay.gradient_in_full": lambda g, W, *, rate, decay: g,
    "bias_correction.gradient_not_divided": lambda g, x, *, beta, t: g,
    "running_mean.gradient_in_full": lambda g, mean, x, *, beta: g,
    "running_mean.part_instead_of_rest": lambda g, mean, x, *, beta: beta * g,
    "clip_by_norm.not_shrunk": lambda g, x, norm, *, limit, epsilon: g,
    "clip_by_norm.sign_forgotten": lambda g, x, norm, *, limit, epsilon: (g * x).sum() * limit / (norm + epsilon) ** 2,
    "dropout.marks_forgotten": lambda g, x, kept, *, rate: g / (1 - rate),
    "dropout.gradient_let_through": lambda g, x, kept, *, rate: g,
    "dropout.gradient_not_divided": lambda g, x, kept, *, rate: g * kept,
    "rms_norm.direct_way": lambda g, x, gamma, *, epsilon: rows(g, gamma, lambda _: root_mean(x, epsilon)),
    "rms_norm.gradient_without_gamma": lambda g, x, gamma, *, epsilon: rms_rule(g, x, epsilon),
    "rms_norm.not_normalised": lambda g, x, gamma, *, epsilon: (g * x).reshape(-1, x.shape[-1]).sum(dim=0),
    "at_most.mask_forgotten": lambda g, x, *, limit: g,
    "at_most.mask_turned": lambda g, x, *, limit: g * (x > limit),
    "gelu.share_only": lambda g, x: g * torch.special.ndtr(x),
    "gelu.factor_forgotten": lambda g, x: g * (torch.special.ndtr(x) + bell(x)),
    "gelu_tanh.share_only": lambda g, x: g * (1 + torch.tanh(gelu_tanh_inner(x))) / 2,
    "gelu_tanh.inner_forgotten": lambda g, x: (
        g * ((1 + torch.tanh(gelu_tanh_inner(x))) / 2 + x * (1 - torch.tanh(gelu_tanh_inner(x)) ** 2) / 2)
    ),
    "log.slope_of_result": lambda g, x: g / x.log(),
    "log.multiplied": lambda g, x: g * x,
    "exp.slope_is_input": lambda g, x: g * x,
    "erf.factor_forgotten": lambda g, x: g * torch.exp(-x * x),
    "erf.half_square": lambda g, x: g * 2 / math.sqrt(math.pi) * torch.exp(-x * x / 2),
    "cos.sign_forgotten": lambda g, x: g * x.sin(),
    "cos.slope_is_cosine": lambda g, x: -g * x.cos(),
    "sin.slope_is_sine": lambda g, x: g * x.sin(),
    "sin.sign_turned": lambda g, x: -g * x.cos(),
    "tanh.square_forgotten": lambda g, x: g * (1 - x.tanh()),
    "tanh.slope_of_sigmoid": lambda g, x: g * x.tanh() * (1 - x.tanh()),
    "tanh.slope_of_input": lambda g, x: g * (1 - x * x),
    "sqrt.factor_forgotten": lambda g, x: g / x.sqrt(),
    "sqrt.root_forgotten": lambda g, x: g / (2 * x),
    "power.not_lowered": lambda g, x, *, exponent: g * exponent * x**exponent,
    "power.factor_forgotten": lambda g, x, *, exponent: g * x ** (exponent - 1),
    "mul.own_value": lambda g, a, b: g * a,
    "mul.factor_forgotten": lambda g, a, b: g,
    "div.sign_kept": lambda g, a, b: g * a / b**2,
    "div.square_forgotten": lambda g, a, b: -g * a / b,
    "sub.sign_kept": lambda g, a, b: g,
    "neg.gradient_sign_kept": lambda g, x: g,
    "scale.factor_forgotten": lambda g, x, *, factor: g,
    "divide_by.gradient_not_divided": lambda g, x, *, divisor: g,
    "dot.own_value": lambda g, a, b, *, axis: g * a,
    "log_softmax.rule_of_softmax": lambda g, x, *, axis: (
        x.softmax(axis) * (g - (g * x.softmax(axis)).sum(dim=axis, keepdim=True))
    ),
    "log_softmax.others_forgotten": lambda g, x, *, axis: g - g * x.softmax(axis),
    "log_sum_exp.shares_forgotten": lambda g, x, *, axis, keep: back_over(g, x, axis, keep),
    "log_sum_exp.not_normalised": lambda g, x, *, axis, keep: back_over(g, x, axis, keep) * x.exp(),
    "mean.gradient_not_divided": lambda g, x, *, axis, keep: back_over(g, x, axis, keep),
    "sum.shared_out": lambda g, x, *, axis, keep: back_over(g, x, axis, keep) / counted(x, axis),
}


def root_mean(x: Tensor, epsilon: float) -> Tensor:
    return (x.square().mean(dim=-1, keepdim=True) + epsilon).sqrt()
