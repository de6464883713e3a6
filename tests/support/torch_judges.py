"""The independent judges: every op once more, in plain PyTorch, so that autograd can judge the rules.

Nothing here imports an op or a rule. A judge gets torch tensors and the op's settings, with the
words of axes turned into positions. An op of `workings.ops` without a judge fails its tests.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

Judge = Callable[..., Tensor]


def spread(x: Tensor, *, drop: tuple[int, ...], keep: tuple[int, ...], axes: Any, shape: tuple[int, ...]) -> Tensor:
    index = tuple(None if place in drop else slice(None) for place in range(-len(shape), 0))
    return x[index].expand(shape)


def sum_to(x: Tensor, *, drop: tuple[int, ...], keep: tuple[int, ...]) -> Tensor:
    kept = x.sum(dim=keep, keepdim=True) if keep else x
    return kept.sum(dim=drop) if drop else kept


def is_max(x: Tensor, *, axis: int) -> Tensor:
    mark = (x == x.amax(dim=axis, keepdim=True)).to(x.dtype)
    return mark / mark.sum(dim=axis, keepdim=True)


def add_rows(x: Tensor, ids: Tensor, *, rows: int, word: str) -> Tensor:
    return torch.zeros(rows, x.shape[-1], dtype=x.dtype).index_add(0, ids.flatten(), x.reshape(-1, x.shape[-1]))


def cross_entropy(logits: Tensor, target: Tensor, *, reduction: str) -> Tensor:
    return functional.cross_entropy(logits.reshape(-1, logits.shape[-1]), target.reshape(-1), reduction=reduction)


def negative_log_likelihood(P: Tensor, target: Tensor, *, reduction: str) -> Tensor:
    logs = torch.log(P).reshape(-1, P.shape[-1])
    return functional.nll_loss(logs, target.reshape(-1), reduction=reduction)


def binary_cross_entropy_from_logits(z: Tensor, y: Tensor, *, reduction: str) -> Tensor:
    return functional.binary_cross_entropy_with_logits(z, y, reduction=reduction)


def one_hot(ids: Tensor, *, size: int, word: str, dtype: str) -> Tensor:
    return functional.one_hot(ids, size).to(getattr(torch, dtype))


def layer_norm(x: Tensor, gamma: Tensor, beta: Tensor, *, correction: int, epsilon: float, place: str) -> Tensor:
    if correction == 0 and place == "inside":
        return functional.layer_norm(x, x.shape[-1:], gamma, beta, epsilon)
    variance = x.var(dim=-1, correction=correction, keepdim=True)
    divisor = variance.sqrt() + epsilon if place == "outside" else (variance + epsilon).sqrt()
    return gamma * (x - x.mean(dim=-1, keepdim=True)) / divisor + beta


def positional_encoding(positions: Tensor, *, size: int, base: float, layout: str, dtype: str) -> Tensor:
    turns = torch.polar(torch.tensor(1.0).double(), torch.ones(1).double())  # e^i, for one radian
    steps = torch.arange(0, size, 2).double() / size
    waves = turns ** (positions.unsqueeze(-1) * base**-steps)  # e^(i angle): the cosine, and the sine as i's part
    pairs = [waves.imag, waves.real]
    joined = torch.cat(pairs, dim=-1) if layout == "concatenated" else torch.stack(pairs, dim=-1).flatten(-2)
    return joined[..., :size].to(getattr(torch, dtype))


def place_row(x: Tensor, *, index: int, axis: int, size: int, word: str) -> Tensor:
    rows = [x if row == index % size else torch.zeros_like(x) for row in range(size)]
    return torch.stack(rows, dim=axis)


def adam_direction(m: Tensor, v: Tensor, *, epsilon: float) -> Tensor:
    return m / v.pow(0.5).add(epsilon)


def adam(
    W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *, t: int, rate: float, beta1: float, beta2: float, epsilon: float
) -> Tensor:
    m, v = torch.lerp(dW, m, beta1), torch.lerp(dW.square(), v, beta2)
    return W - rate * (m / (1 - beta1**t)) / ((v / (1 - beta2**t)).sqrt() + epsilon)


def adamw(W: Tensor, dW: Tensor, m: Tensor, v: Tensor, *, rate: float, decay: float, **others: Any) -> Tensor:
    return adam(W * (1 - rate * decay), dW, m, v, rate=rate, **others)


def momentum(W: Tensor, dW: Tensor, velocity: Tensor, *, rate: float, beta: float) -> Tensor:
    return W - rate * torch.add(dW, velocity, alpha=beta)


def attention(Q: Tensor, K: Tensor, V: Tensor, *, d: float | None) -> Tensor:
    return functional.scaled_dot_product_attention(Q, K, V, scale=None if d is None else d**-0.5)


def causal_mask(x: Tensor, *, past: int) -> Tensor:
    later = torch.ones(x.shape[-2:], dtype=torch.bool).triu(diagonal=past + 1)
    return x.masked_fill(later, -torch.inf)


def padding_mask(x: Tensor, keep: Tensor) -> Tensor:
    while keep.ndim < x.ndim:
        keep = keep.unsqueeze(-2)
    return x.masked_fill(keep == 0, -torch.inf)


def clip_by_norm(x: Tensor, norm: Tensor, *, limit: float, epsilon: float) -> Tensor:
    return x * torch.clamp(limit / (norm + epsilon), max=1.0)


def keep_top_k(x: Tensor, *, k: int) -> Tensor:
    places = x.sort(dim=-1, descending=True, stable=True).indices[..., :k]
    return torch.zeros_like(x).scatter(-1, places, 1.0)


def keep_top_p(shares: Tensor, *, p: float) -> Tensor:
    ranked, places = shares.sort(dim=-1, descending=True, stable=True)
    count = (ranked.cumsum(dim=-1) < p).sum(dim=-1, keepdim=True) + 1  # and the one that reaches p
    kept = torch.arange(shares.shape[-1]).expand_as(shares) < count
    return torch.zeros_like(shares).scatter(-1, places, kept.to(shares.dtype))


def draw_by_share(shares: Tensor, drawn: Tensor) -> Tensor:
    last = torch.where(shares > 0, torch.arange(shares.shape[-1]), 0).amax(dim=-1)
    return torch.searchsorted(shares.cumsum(dim=-1), drawn.unsqueeze(-1), right=True).squeeze(-1).minimum(last)


def first_above(x: Tensor, bound: Tensor) -> Tensor:
    above = x > bound.unsqueeze(-1)
    return torch.where(above.any(dim=-1), above.int().argmax(dim=-1), x.argmax(dim=-1))


JUDGES: dict[str, Judge] = {
    "adam": adam,
    "adam_direction": adam_direction,
    "adamw": adamw,
    "add": lambda a, b: a + b,
    "add_rows": add_rows,
    "argmax": lambda x, *, axis: x.argmax(dim=axis),
    "at_most": lambda x, *, limit: torch.clamp(x, max=limit),
    "attention": attention,
    "bias_correction": lambda x, *, beta, t: x / (1 - beta**t),
    "binary_cross_entropy": lambda p, y, *, reduction: functional.binary_cross_entropy(p, y, reduction=reduction),
    "binary_cross_entropy_from_logits": binary_cross_entropy_from_logits,
    "causal_mask": causal_mask,
    "clip_by_norm": clip_by_norm,
    "collect": lambda *parts: torch.stack(parts).sum(dim=0),
    "concat": lambda *parts, axis: torch.cat(parts, dim=axis),
    "cos": torch.cos,
    "cross_entropy": cross_entropy,
    "cumulative_sum": lambda x, *, axis, reverse: x.flip(axis).cumsum(axis).flip(axis) if reverse else x.cumsum(axis),
    "div": lambda a, b: a / b,
    "divide_by": lambda x, *, divisor: x / divisor,
    "divide_by_root": lambda x, *, d: x * d**-0.5,
    "dot": lambda a, b, *, axis: (a * b).sum(dim=axis, keepdim=True),
    "draw_by_share": draw_by_share,
    "dropout": lambda x, kept, *, rate: x * kept / (1 - rate),
    "erf": torch.erf,
    "exp": torch.exp,
    "first_above": first_above,
    "gelu": functional.gelu,
    "gelu_tanh": lambda x: functional.gelu(x, approximate="tanh"),
    "is_max": is_max,
    "keep_top_k": keep_top_k,
    "keep_top_p": keep_top_p,
    "layer_norm": layer_norm,
    "linear": lambda x, W, b: functional.linear(x, W.T, b),
    "log": torch.log,
    "log_softmax": lambda x, *, axis: functional.log_softmax(x, dim=axis),
    "log_sum_exp": lambda x, *, axis, keep: torch.logsumexp(x, dim=axis, keepdim=keep),
    "lookup": lambda E, ids: functional.embedding(ids, E),
    "mask": lambda x, allow: x.masked_fill(allow == 0, -torch.inf),
    "matmul": torch.matmul,
    "mean": lambda x, *, axis, keep: x.mean(dim=axis, keepdim=keep),
    "mean_squared_error": lambda y, target, *, reduction: functional.mse_loss(y, target, reduction=reduction),
    "merge_heads": lambda x: x.swapaxes(-3, -2).flatten(-2),
    "momentum": momentum,
    "mul": lambda a, b: a * b,
    "neg": lambda x: -x,
    "negative_log_likelihood": negative_log_likelihood,
    "norm": lambda *parts: torch.linalg.vector_norm(torch.cat([part.flatten() for part in parts])),
    "one_hot": one_hot,
    "outer": torch.outer,
    "padding_mask": padding_mask,
    "pass": lambda x: x.clone(),
    "permute": lambda x, *, order: x.permute(order),
    "pick": lambda x, target: x.gather(-1, target.unsqueeze(-1)).squeeze(-1),
    "place_row": place_row,
    "positional_encoding": positional_encoding,
    "positive": lambda x: (x > 0).to(x.dtype),
    "power": lambda x, *, exponent: torch.pow(x, exponent),
    "relu": torch.relu,
    "reshape": lambda x, *, shape, axes: x.reshape(shape),
    "rms_norm": lambda x, gamma, *, epsilon: functional.rms_norm(x, x.shape[-1:], gamma, epsilon),
    "row_max": lambda x, *, axis: x.amax(dim=axis, keepdim=True),
    "running_mean": lambda mean, x, *, beta: torch.lerp(x, mean, beta),
    "scale": lambda x, *, factor: x * factor,
    "sgd": lambda W, dW, *, rate: torch.sub(W, dW, alpha=rate),
    "sigmoid": torch.sigmoid,
    "sin": torch.sin,
    "softmax": lambda x, *, axis: torch.softmax(x, dim=axis),
    "split": lambda x, *, sizes, part, axis: x.split(sizes, dim=axis)[part],
    "split_heads": lambda x, *, heads: torch.stack(x.chunk(heads, dim=-1), dim=-3),
    "spread": spread,
    "sqrt": torch.sqrt,
    "sub": lambda a, b: a - b,
    "sum": lambda x, *, axis, keep: x.sum(dim=axis, keepdim=keep),
    "sum_to": sum_to,
    "take_row": lambda x, *, index, axis: x.select(axis, index),
    "tanh": torch.tanh,
    "top_k": lambda x, *, k, word: x.sort(dim=-1, descending=True, stable=True).indices[..., :k],
    "transpose": lambda x: x.swapaxes(-1, -2),
    "weight_decay": lambda W, *, rate, decay: W * (1 - rate * decay),
}
