"""Every op once more in PyTorch, as its formula in docs/ops says it. A judge gets tensors, and settings whose words of
axes are positions already. Where an input is repeated, it may come in repeated already.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

Operation = Callable[..., Tensor]


def reduced(losses: Tensor, reduction: str) -> Tensor:
    return losses.mean() if reduction == "mean" else losses.sum() if reduction == "sum" else losses


# -- moving entries --------------------------------------------------------------------------------


def add_rows(x: Tensor, ids: Tensor, *, rows: int, word: str) -> Tensor:
    return functional.one_hot(ids.flatten(), rows).to(x.dtype).T @ x.reshape(-1, x.shape[-1])


def place_row(x: Tensor, *, index: int, axis: int, size: int, word: str) -> Tensor:
    table = torch.zeros([*x.shape[: x.ndim + 1 + axis], size, *x.shape[x.ndim + 1 + axis :]], dtype=x.dtype)
    return table.select_scatter(x, axis, index)


def split(x: Tensor, *, sizes: Sequence[int], part: int, axis: int) -> Tensor:
    return x.narrow(axis, sum(sizes[:part]), sizes[part])


def split_heads(x: Tensor, *, heads: int) -> Tensor:
    return x.unflatten(-1, (heads, -1)).movedim(-2, -3)


def merge_heads(x: Tensor) -> Tensor:
    return x.movedim(-3, -2).flatten(-2)


def spread(x: Tensor, *, drop: Sequence[int], keep: Sequence[int], axes: Any, shape: Sequence[int]) -> Tensor:
    for place in sorted(place % len(shape) for place in drop):
        x = x.unsqueeze(place)
    return x.expand(tuple(shape))


def sum_to(x: Tensor, *, drop: Sequence[int], keep: Sequence[int]) -> Tensor:
    places = [*drop, *keep]
    total = x.sum(dim=places, keepdim=True) if places else x
    for place in sorted((place % x.ndim for place in drop), reverse=True):
        total = total.squeeze(place)
    return total


def total(x: Tensor, *, axis: Any, keep: bool) -> Tensor:
    return torch.sum(x, dim=axis, keepdim=keep)


# -- losses ----------------------------------------------------------------------------------------


def cross_entropy(logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
    logs = functional.log_softmax(logits, dim=-1)
    return reduced(-torch.take_along_dim(logs, target.unsqueeze(-1), -1).squeeze(-1), reduction)


def negative_log_likelihood(P: Tensor, target: Tensor, *, reduction: str) -> Tensor:
    return reduced(-torch.take_along_dim(P, target.unsqueeze(-1), -1).squeeze(-1).log(), reduction)


def binary_cross_entropy(p: Tensor, y: Tensor, *, reduction: str) -> Tensor:
    return functional.binary_cross_entropy(p, y.to(p.dtype), reduction=reduction)


def binary_cross_entropy_from_logits(z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
    return functional.binary_cross_entropy_with_logits(z, y.to(z.dtype), reduction=reduction)


# -- norms, masks, places --------------------------------------------------------------------------


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, *, correction: int, epsilon: float, place: str) -> Tensor:
    variance, mean = torch.var_mean(x, dim=-1, correction=correction, keepdim=True)
    divisor = variance.sqrt() + epsilon if place == "outside" else (variance + epsilon).sqrt()
    return (x - mean) / divisor * gamma + beta


def rms_norm(x: Tensor, gamma: Tensor, *, epsilon: float) -> Tensor:
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + epsilon) * gamma


def causal_mask(x: Tensor, *, past: int) -> Tensor:
    queries, keys = x.shape[-2:]
    return x.masked_fill(torch.arange(keys) > torch.arange(queries).unsqueeze(-1) + past, -torch.inf)


def padding_mask(x: Tensor, keep: Tensor) -> Tensor:
    between = [1] * (x.ndim - keep.ndim)
    return x.masked_fill(keep.reshape(*keep.shape[:-1], *between, keep.shape[-1]) == 0, -torch.inf)


def positional_encoding(positions: Tensor, *, size: int, base: float, layout: str, dtype: str) -> Tensor:
    rows = []
    for position in positions.flatten().tolist():
        angles = [position / base ** (2 * i / size) for i in range((size + 1) // 2)]
        sines, cosines = [math.sin(angle) for angle in angles], [math.cos(angle) for angle in angles]
        pairs = [wave for pair in zip(sines, cosines, strict=True) for wave in pair]
        rows.append((sines + cosines if layout == "concatenated" else pairs)[:size])
    return torch.tensor(rows, dtype=torch.float64).reshape(*positions.shape, size)


# -- choosing --------------------------------------------------------------------------------------


def ranks(x: Tensor) -> Tensor:
    """How many entries of the row come before each: the larger ones, and of equal ones those further left."""
    larger = (x.unsqueeze(-2) > x.unsqueeze(-1)).sum(dim=-1)
    equal = (x.unsqueeze(-2) == x.unsqueeze(-1)).tril(diagonal=-1).sum(dim=-1)
    return larger + equal


def top_k(x: Tensor, *, k: int, word: str) -> Tensor:
    return ranks(x).argsort(dim=-1)[..., :k]


def keep_top_p(shares: Tensor, *, p: float) -> Tensor:
    order = ranks(shares)
    before = (shares.unsqueeze(-2) * (order.unsqueeze(-2) < order.unsqueeze(-1))).sum(dim=-1)
    return (before < p).to(shares.dtype)


def is_max(x: Tensor, *, axis: int) -> Tensor:
    marks = (x == x.amax(dim=axis, keepdim=True)).to(x.dtype)
    return marks / marks.sum(dim=axis, keepdim=True)


def first_above(x: Tensor, bound: Tensor) -> Tensor:
    """The first entry above the bound; where rounding left none, the first of the largest."""
    above = x > bound.unsqueeze(-1)
    return torch.where(above.any(dim=-1), above.int().argmax(dim=-1), x.argmax(dim=-1))


def draw_by_share(shares: Tensor, drawn: Tensor) -> Tensor:
    return first_above(shares.cumsum(dim=-1), drawn)


# -- updates ---------------------------------------------------------------------------------------


def adam(
    W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *, t: int, rate: float, beta1: float, beta2: float, epsilon: float
) -> Tensor:
    m_hat = (beta1 * m + (1 - beta1) * dW) / (1 - beta1**t)
    v_hat = (beta2 * v + (1 - beta2) * dW * dW) / (1 - beta2**t)
    return W - rate * m_hat / (v_hat.sqrt() + epsilon)


def adamw(W: Tensor, *moving: Tensor, rate: float, decay: float, **others: Any) -> Tensor:
    return adam(W - rate * decay * W, *moving, rate=rate, **others)


OPERATIONS: dict[str, Operation] = {
    "adam": adam,
    "adam_direction": lambda m, v, *, epsilon: m / (v.sqrt() + epsilon),
    "adamw": adamw,
    "add": torch.add,
    "add_rows": add_rows,
    "argmax": lambda x, *, axis: x.argmax(dim=axis),
    "at_most": lambda x, *, limit: x.clamp(max=limit),
    "attention": lambda Q, K, V, *, d: functional.scaled_dot_product_attention(Q, K, V, scale=d and d**-0.5),
    "bias_correction": lambda x, *, beta, t: x / (1 - beta**t),
    "binary_cross_entropy": binary_cross_entropy,
    "binary_cross_entropy_from_logits": binary_cross_entropy_from_logits,
    "causal_mask": causal_mask,
    "clip_by_norm": lambda x, norm, *, limit, epsilon: x * (limit / (norm + epsilon)).clamp(max=1.0),
    "collect": lambda *parts: torch.stack(parts).sum(dim=0),
    "concat": lambda *parts, axis: torch.cat(parts, dim=axis),
    "cos": torch.cos,
    "cross_entropy": cross_entropy,
    "cumulative_sum": lambda x, *, axis, reverse: x.flip(axis).cumsum(axis).flip(axis) if reverse else x.cumsum(axis),
    "div": torch.div,
    "divide_by": lambda x, *, divisor: x / divisor,
    "divide_by_root": lambda x, *, d: x / math.sqrt(d),
    "dot": lambda a, b, *, axis: (a * b).sum(dim=axis, keepdim=True),
    "draw_by_share": draw_by_share,
    "dropout": lambda x, kept, *, rate: x * kept / (1 - rate),
    "erf": torch.special.erf,
    "exp": torch.exp,
    "first_above": first_above,
    "gelu": lambda x: x * torch.special.ndtr(x),
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "is_max": is_max,
    "keep_top_k": lambda x, *, k: (ranks(x) < k).to(x.dtype),
    "keep_top_p": keep_top_p,
    "layer_norm": layer_norm,
    "linear": lambda x, W, b: x @ W + b,
    "log": torch.log,
    "log_softmax": lambda x, *, axis: functional.log_softmax(x, dim=axis),
    "log_sum_exp": lambda x, *, axis, keep: torch.logsumexp(x, dim=axis, keepdim=keep),
    "lookup": lambda E, ids: functional.embedding(ids, E),
    "mask": lambda x, allow: x.masked_fill(allow == 0, -torch.inf),
    "matmul": torch.matmul,
    "mean": lambda x, *, axis, keep: torch.mean(x, dim=axis, keepdim=keep),
    "mean_squared_error": lambda y, target, *, reduction: reduced((y - target).square(), reduction),
    "merge_heads": merge_heads,
    "momentum": lambda W, dW, velocity, *, rate, beta: W - rate * (beta * velocity + dW),
    "mul": torch.mul,
    "neg": torch.neg,
    "negative_log_likelihood": negative_log_likelihood,
    "norm": lambda *parts: torch.cat([part.flatten() for part in parts]).square().sum().sqrt(),
    "one_hot": lambda ids, *, size, word, dtype: functional.one_hot(ids, size).double(),
    "outer": lambda a, b: a.unsqueeze(-1) * b,
    "padding_mask": padding_mask,
    "pass": torch.clone,
    "permute": lambda x, *, order: x.permute(order),
    "pick": lambda x, target: torch.take_along_dim(x, target.unsqueeze(-1), -1).squeeze(-1),
    "place_row": place_row,
    "positional_encoding": positional_encoding,
    "positive": lambda x: torch.heaviside(x.detach(), torch.zeros((), dtype=x.dtype)),
    "power": lambda x, *, exponent: x**exponent,
    "relu": functional.relu,
    "reshape": lambda x, *, shape, axes: x.reshape(tuple(shape)),
    "rms_norm": rms_norm,
    "row_max": lambda x, *, axis: x.amax(dim=axis, keepdim=True),
    "running_mean": lambda mean, x, *, beta: beta * mean + (1 - beta) * x,
    "scale": lambda x, *, factor: x * factor,
    "sgd": lambda W, dW, *, rate: W - rate * dW,
    "sigmoid": torch.special.expit,
    "sin": torch.sin,
    "softmax": lambda x, *, axis: torch.softmax(x, dim=axis),
    "split": split,
    "split_heads": split_heads,
    "spread": spread,
    "sqrt": torch.sqrt,
    "sub": torch.sub,
    "sum": total,
    "sum_to": sum_to,
    "take_row": lambda x, *, index, axis: x.select(axis, index),
    "tanh": torch.tanh,
    "top_k": top_k,
    "transpose": lambda x: x.transpose(-2, -1),
    "weight_decay": lambda W, *, rate, decay: W - rate * decay * W,
}
