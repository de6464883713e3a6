"""More mistakes in PyTorch: those of updates, and of sums over paths and copies."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor

from .operations import OPERATIONS, adam
from .wrong_wires import Place

Wrong = Callable[..., Tensor]


def at_one_end(x: Tensor, drop: Sequence[int], keep: Sequence[int], end: int) -> Tensor:
    """The first or the last of all copies."""
    index = [slice(None)] * x.ndim
    for place in (*drop, *keep):
        index[place] = slice(-1, None) if end else slice(0, 1)
    return OPERATIONS["sum_to"](x[tuple(index)], drop=drop, keep=keep)


def by_adam(
    second: Callable[[Tensor, Tensor], Tensor],
    size: Callable[[Tensor, float], Tensor],
    W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *,
    t: int, rate: float, epsilon: float, beta1: float, beta2: float, decay: float = 0.0,
) -> Tensor:  # fmt: skip
    """Adam or AdamW, with another second moment, made from the gradient and the first one, or another size."""
    m = torch.lerp(m, dW, 1 - beta1)
    v = torch.lerp(v, second(dW, m), 1 - beta2)
    return W * (1 - rate * decay) - rate * m / (1 - beta1**t) / (size(v, 1 - beta2**t) + epsilon)


def root_of_corrected(v: Tensor, part: float) -> Tensor:
    return (v / part).sqrt()


def of_adam(name: str) -> dict[str, Wrong]:
    """What goes wrong in Adam, with a decay or without."""

    def exchanged(*inputs: Tensor, beta1: float, beta2: float, **settings: Any) -> Tensor:
        return by_adam(lambda dW, m: dW**2, root_of_corrected, *inputs, beta1=beta2, beta2=beta1, **settings)

    return {
        f"{name}.betas_exchanged": exchanged,
        f"{name}.square_forgotten": lambda *inputs, **settings: by_adam(
            lambda dW, m: dW, root_of_corrected, *inputs, **settings
        ),
        f"{name}.average_squared": lambda *inputs, **settings: by_adam(
            lambda dW, m: m**2, root_of_corrected, *inputs, **settings
        ),
        f"{name}.root_before_correction": lambda *inputs, **settings: by_adam(
            lambda dW, m: dW**2, lambda v, part: v.sqrt() / part, *inputs, **settings
        ),
    }


UPDATES: dict[str, Wrong] = {
    "sgd.all_scaled": lambda W, dW, *, rate: rate * W - rate * dW,
    "sgd.weight_forgotten": lambda W, dW, *, rate: -rate * dW,
    "sgd.only_the_step": lambda W, dW, *, rate: rate * dW,
    "sgd.sign_only": lambda W, dW, *, rate: W - rate * dW.sign(),
    "sgd.rate_divided": lambda W, dW, *, rate: W - dW / rate,
    **of_adam("adam"),
    **of_adam("adamw"),
    "adamw.decay_last": lambda *inputs, decay, rate, **settings: (
        adam(*inputs, rate=rate, **settings) * (1 - rate * decay)
    ),
    "adam_direction.epsilon_forgotten": lambda m, v, *, epsilon: m * v.rsqrt(),
    "adam_direction.multiplied": lambda m, v, *, epsilon: m * (v.sqrt() + epsilon),
    "momentum.old_velocity": lambda W, dW, velocity, *, rate, beta: W - rate * velocity,
    "momentum.rate_in_velocity": lambda W, dW, velocity, *, rate, beta: W - beta * velocity - rate * dW,
    "momentum.nesterov": lambda W, dW, velocity, *, rate, beta: W - rate * (dW + beta * (beta * velocity + dW)),
    "momentum.beta_on_gradient": lambda W, dW, velocity, *, rate, beta: W - rate * (velocity + beta * dW),
    "weight_decay.decay_forgotten": lambda W, *, rate, decay: W * (1 - rate),
    "weight_decay.weight_forgotten": lambda W, *, rate, decay: W - rate * decay,
    "weight_decay.doubled": lambda W, *, rate, decay: W * (1 - 2 * rate * decay),
    "bias_correction.one_step_ahead": lambda x, *, beta, t: x / (1 - beta ** (t + 1)),
    "bias_correction.beta_times_t": lambda x, *, beta, t: x / (1 - beta * t),
    "bias_correction.one_forgotten": lambda x, *, beta, t: x * beta**-t,
    "bias_correction.power_of_rest": lambda x, *, beta, t: x / (1 - beta) ** t,
    "running_mean.plain_sum": lambda mean, x, *, beta: mean + x,
    "running_mean.plain_average": lambda mean, x, *, beta: torch.stack([mean, x]).mean(dim=0),
    "running_mean.not_averaged": lambda mean, x, *, beta: x,
    "clip_by_norm.forgotten": lambda x, norm, *, limit, epsilon: x,
    "clip_by_norm.squared_norm": lambda x, norm, *, limit, epsilon: x * min(1.0, limit / (float(norm) ** 2 + epsilon)),
    "clip_by_norm.own_norm": lambda x, norm, *, limit, epsilon: x * min(1.0, limit / (float(x.norm()) + epsilon)),
    "clip_by_norm.ratio_reversed": lambda x, norm, *, limit, epsilon: x * (norm + epsilon) / limit,
    "collect.multiplied": lambda *parts: torch.stack(parts).prod(dim=0),
    "collect.subtracted": lambda first, *rest: first - torch.stack(rest).sum(dim=0),
    "collect.first_path_twice": lambda *parts: torch.stack([*parts, parts[0]]).sum(dim=0),
    "collect.last_path_twice": lambda *parts: torch.stack([*parts, parts[-1]]).sum(dim=0),
    "sum_to.first_only": lambda x, *, drop, keep: at_one_end(x, drop, keep, 0),
    "sum_to.last_only": lambda x, *, drop, keep: at_one_end(x, drop, keep, 1),
    "sum_to.one_sum_for_all": lambda x, *, drop, keep: x.sum().expand(at_one_end(x, drop, keep, 0).shape),
    "scale.twice": lambda x, *, factor: x * factor**2,
    "scale.added": lambda x, *, factor: x + factor,
}

UPDATE_RULES: dict[str, Wrong] = {
    "scale.gradient_divided": lambda g, x, *, factor: g / factor,
    "divide_by.gradient_multiplied": lambda g, x, *, divisor: g * divisor,
}


def averaged_over_tokens(here: Place) -> Tensor:
    """The gradient is divided by the length of the longest text before it."""
    steps = (here.run.steps[place.id] for place in here.inputs[1].before())
    tokens = max(step["shape"][step["axes"].index("token")] for step in steps if "token" in step["axes"])
    weight, gradient = (place.value for place in here.inputs)
    return weight - here.settings["rate"] * gradient / tokens


UPDATE_WIRES: dict[str, Callable[[Place], Tensor]] = {
    "sgd.averaged_over_tokens": averaged_over_tokens,
}
