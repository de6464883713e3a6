"""What a mistake gives, once more in PyTorch, from the sentence that says what somebody did wrong.

A mistake is made at one step with the inputs that the step has: a wrong forward gets them and the settings, a wrong
rule gets the gradient that came in before them. A mistake across steps gets the place in its run.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor
from torch.nn import functional

from . import wrong_attention, wrong_wires
from .operations import OPERATIONS, layer_norm, positional_encoding, reduced
from .wrong_entries import ENTRIES, ENTRY_RULES, other, share
from .wrong_layers import LAYER_RULES, LAYER_WIRES, LAYERS
from .wrong_losses import LOSS_RULES, LOSSES
from .wrong_places import PART_RULES, PLACE_RULES, PLACES
from .wrong_updates import UPDATE_RULES, UPDATE_WIRES, UPDATES
from .wrong_wires import WIRES, Place, UnknownMistakeError

if TYPE_CHECKING:
    from .runs import Run

Wrong = Callable[..., Tensor]


# -- forward ---------------------------------------------------------------------------------------


def along_the_other(function: Callable[[Tensor, int], Tensor]) -> Wrong:
    """The last two axes exchanged."""
    return lambda x, *, axis=-1: function(x, -2 if axis % x.ndim == x.ndim - 1 else -1)


def attended(Q: Tensor, K: Tensor, V: Tensor, divisor: float, dim: int = -1) -> Tensor:
    return torch.softmax(Q @ K.mT / divisor, dim=dim) @ V


def width(Q: Tensor, d: float | None) -> float:
    return Q.shape[-1] if d is None else d


def later(x: Tensor, past: int) -> Tensor:
    return torch.ones(x.shape[-2:], dtype=torch.bool).triu(diagonal=past + 1)


def normalised(x: Tensor, divide: Callable[[Tensor], Tensor], dim: int, correction: int = 0) -> Tensor:
    return (x - x.mean(dim=dim, keepdim=True)) / divide(x.var(dim=dim, correction=correction, keepdim=True))


def divisor(epsilon: float, place: str) -> Callable[[Tensor], Tensor]:
    return lambda variance: variance.sqrt() + epsilon if place == "outside" else (variance + epsilon).sqrt()


def waves(positions: Tensor, turn: Callable[[float], float], exponent: int = 2, **settings: Any) -> Tensor:
    """Positional encoding with another angle: sine and cosine take turns, or stand apart."""
    size, base = settings["size"], settings["base"]
    pairs = torch.arange((size + 1) // 2).double()
    angles = positions.double().unsqueeze(-1) / base ** (exponent * pairs / size)
    angles = angles * turn(1.0)
    joined = [angles.sin(), angles.cos()]
    return (torch.cat(joined, -1) if settings["layout"] == "concatenated" else torch.stack(joined, -1).flatten(-2))[
        ..., :size
    ]


def column_waves(
    positions: Tensor, numerator: Callable[[int, int, int], int], *, size: int, base: float, layout: str, dtype: str
) -> Tensor:
    """Positional encoding in which each column has an exponent of its own, from its number, its pair and its wave."""
    columns = []
    for n in range(size):
        pair, wave = (n % (size // 2), n // (size // 2)) if layout == "concatenated" else divmod(n, 2)
        angles = positions.double() / base ** (numerator(n, pair, wave) / size)
        columns.append(angles.cos() if wave else angles.sin())
    return torch.stack(columns, dim=-1)


def sine_after_cosine(positions: Tensor, *, layout: str, size: int, **others: Any) -> Tensor:
    right = positional_encoding(positions, layout=layout, size=size + size % 2, **others)
    halves = (
        right.unflatten(-1, (2, -1)).flip(-2) if layout == "concatenated" else right.unflatten(-1, (-1, 2)).flip(-1)
    )
    return halves.flatten(-2)[..., :size]


FORWARD: dict[str, Wrong] = (
    {
        "softmax.wrong_axis": along_the_other(lambda x, axis: torch.softmax(x, dim=axis)),
        "softmax.not_normalised": lambda x, *, axis: x.exp(),
        "softmax.no_exponential": lambda x, *, axis: x / x.sum(dim=axis, keepdim=True),
        "matmul.entry_by_entry": lambda a, b: a * b,
        "matmul.second_transposed": lambda a, b: a @ b.mT,
        "matmul.row_of_another": lambda a, b: a.roll(-1, dims=-2) @ b,
        "softmax.naive": lambda x, *, axis: x.exp() / x.exp().sum(dim=axis, keepdim=True),
        "softmax.over_all_rows": lambda x, *, axis: x.exp() / x.exp().sum(),
        "matmul.first_transposed": lambda a, b: a.mT @ b,
        "linear.bias_forgotten": lambda x, W, b: x @ W,
        "linear.bias_subtracted": lambda x, W, b: x @ W - b,
        "linear.bias_on_one_row": lambda x, W, b: x @ W + b * (torch.arange(x.shape[-2]) == 0).unsqueeze(-1),
        "linear.weight_transposed": lambda x, W, b: x @ W.T + b,
        "divide_by_root.not_divided": lambda x, *, d: x,
        "divide_by_root.root_forgotten": lambda x, *, d: x / d,
        "divide_by_root.multiplied": lambda x, *, d: x * math.sqrt(d),
        "attention.unscaled": lambda Q, K, V, *, d: attended(Q, K, V, 1.0),
        "attention.root_forgotten": lambda Q, K, V, *, d: attended(Q, K, V, width(Q, d)),
        "attention.queries_and_keys_exchanged": lambda Q, K, V, *, d: attended(K, Q, V, math.sqrt(width(Q, d))),
        "attention.keys_and_values_exchanged": lambda Q, K, V, *, d: attended(Q, V, K, math.sqrt(width(Q, d))),
        "attention.wrong_axis": lambda Q, K, V, *, d: attended(Q, K, V, math.sqrt(width(Q, d)), dim=-2),
        "layer_norm.wrong_n": lambda x, gamma, beta, *, correction, epsilon, place: layer_norm(
            x, gamma, beta, correction=1 - correction, epsilon=epsilon, place=place
        ),
        "layer_norm.epsilon_forgotten": lambda x, gamma, beta, *, correction, epsilon, place: (
            normalised(x, torch.sqrt, -1, correction) * gamma + beta
        ),
        "layer_norm.columns": lambda x, gamma, beta, *, correction, epsilon, place: (
            normalised(x, divisor(epsilon, place), -2, correction) * gamma + beta
        ),
        "layer_norm.root_forgotten": lambda x, gamma, beta, *, correction, epsilon, place: (
            normalised(x, lambda variance: variance + epsilon, -1, correction) * gamma + beta
        ),
        "layer_norm.shifted": lambda x, gamma, beta, *, correction, epsilon, place: (
            x / divisor(epsilon, place)(x.var(dim=-1, correction=correction, keepdim=True)) * gamma + beta
        ),
        "layer_norm.swapped": lambda x, gamma, beta, **settings: layer_norm(x, beta, gamma, **settings),
        "layer_norm.std_plus_epsilon": lambda x, gamma, beta, *, correction, epsilon, place: (
            (x - x.mean(dim=-1, keepdim=True)) / (x.std(dim=-1, keepdim=True) + epsilon) * gamma + beta
        ),
        "layer_norm.as_annotated": lambda x, gamma, beta, **settings: (
            (x - x.mean(dim=-1, keepdim=True)) / (x.std(dim=-1, keepdim=True) + 1e-6) * gamma + beta
        ),
        "layer_norm.gamma_forgotten": lambda x, gamma, beta, *, correction, epsilon, place: (
            normalised(x, divisor(epsilon, place), -1, correction) + beta
        ),
        "layer_norm.beta_forgotten": lambda x, gamma, beta, *, correction, epsilon, place: (
            normalised(x, divisor(epsilon, place), -1, correction) * gamma
        ),
        "layer_norm.gamma_and_beta_forgotten": lambda x, gamma, beta, *, correction, epsilon, place: normalised(
            x, divisor(epsilon, place), -1, correction
        ),
        "relu.forgotten": lambda x: x,
        "relu.absolute": torch.abs,
        "mask.turned_into_zero": lambda x, allow: x.masked_fill(allow == 0, 0.0),
        "mask.exchanged": lambda x, allow: x.masked_fill(allow != 0, -torch.inf),
        "mask.forgotten": lambda x, allow: x,
        "mask.not_infinite": lambda x, allow: x - (allow == 0).double(),
        "causal_mask.itself_hidden": lambda x, *, past: x.masked_fill(later(x, past - 1), -torch.inf),
        "causal_mask.one_ahead": lambda x, *, past: x.masked_fill(later(x, past + 1), -torch.inf),
        "causal_mask.upper_triangle": lambda x, *, past: x.masked_fill(
            torch.ones(x.shape[-2:], dtype=torch.bool).tril(diagonal=past - 1), -torch.inf
        ),
        "causal_mask.past_forgotten": lambda x, *, past: x.masked_fill(later(x, 0), -torch.inf),
        "causal_mask.turned_into_zero": lambda x, *, past: x.masked_fill(later(x, past), 0.0),
        "sgd.added": lambda W, dW, *, rate: W + rate * dW,
        "sgd.rate_forgotten": lambda W, dW, *, rate: W - dW,
        "sgd.rate_twice": lambda W, dW, *, rate: W - rate * rate * dW,
        "lookup.counted_from_one": lambda E, ids: E[ids - 1],
        "lookup.columns_taken": lambda E, ids: E.T[ids],
        "add.subtracted": lambda a, b: a - b,
        "add.forgotten": lambda a, b: a.clone(),
        "transpose.forgotten": lambda x: x,
        "transpose.flipped": lambda x: x.flip(-2),
        "sigmoid.sign_forgotten": lambda x: 1 / (1 + x.exp()),
        "sigmoid.one_forgotten": lambda x: x.exp(),
        "positional_encoding.exponent_halved": lambda positions, **settings: waves(
            positions, lambda one: one, 1, **settings
        ),
        "positional_encoding.exponent_doubled": lambda positions, **settings: column_waves(
            positions, lambda column, pair, wave: 2 * column, **settings
        ),
        "positional_encoding.cosine_exponent": lambda positions, **settings: column_waves(
            positions, lambda column, pair, wave: 2 * pair + wave, **settings
        ),
        "positional_encoding.counted_from_zero": lambda positions, **settings: positional_encoding(
            positions - positions[..., :1], **settings
        ),
        "positional_encoding.exchanged": sine_after_cosine,
        "positional_encoding.counted_from_one": lambda positions, **settings: positional_encoding(
            positions + 1, **settings
        ),
        "positional_encoding.other_layout": lambda positions, *, layout, **others: positional_encoding(
            positions, layout="interleaved" if layout == "concatenated" else "concatenated", **others
        ),
        "positional_encoding.in_degrees": lambda positions, **settings: waves(positions, math.radians, **settings),
        "cross_entropy.wrong_reduction": lambda logits, target, *, reduction: OPERATIONS["cross_entropy"](
            logits, target, reduction=other(reduction)
        ),
        "cross_entropy.sign_forgotten": lambda *inputs, **settings: -OPERATIONS["cross_entropy"](*inputs, **settings),
        "cross_entropy.no_softmax": lambda logits, target, *, reduction: functional.nll_loss(
            logits.reshape(-1, logits.shape[-1]), target.reshape(-1), reduction=reduction
        ),
        "cross_entropy.softmax_twice": lambda logits, target, **settings: OPERATIONS["cross_entropy"](
            torch.softmax(logits, dim=-1), target, **settings
        ),
        "cross_entropy.no_logarithm": lambda logits, target, *, reduction: reduced(
            (torch.softmax(logits, -1) * (1 - answers(logits, target))).sum(dim=-1), reduction
        ),
        "cross_entropy.log_forgotten": lambda logits, target, *, reduction: reduced(
            (torch.softmax(logits, -1) * -answers(logits, target)).sum(dim=-1), reduction
        ),
        "cross_entropy.mean_over_classes": lambda logits, target, *, reduction: (
            -(answers(logits, target) * torch.log_softmax(logits, -1)).mean()
        ),
        "cross_entropy.targets_shifted_twice": lambda logits, target, **settings: OPERATIONS["cross_entropy"](
            logits[..., :-1, :], target[..., 1:], **settings
        ),
        "cross_entropy.base_ten": lambda *inputs, **settings: (
            OPERATIONS["cross_entropy"](*inputs, **settings) / math.log(10)
        ),
        "cross_entropy.base_two": lambda *inputs, **settings: (
            OPERATIONS["cross_entropy"](*inputs, **settings) / math.log(2)
        ),
        "cross_entropy.mean_twice": lambda logits, target, **settings: (
            OPERATIONS["cross_entropy"](logits, target, reduction="mean") / target.numel()
        ),
        "binary_cross_entropy.mean_twice": lambda p, y, **settings: (
            OPERATIONS["binary_cross_entropy"](p, y, reduction="mean") / p.numel()
        ),
    }
    | ENTRIES
    | LOSSES
    | PLACES
    | UPDATES
    | LAYERS
    | wrong_attention.FORWARD
)

# -- rules: the gradient that came in, then the inputs of the forward step -------------------------


def answers(logits: Tensor, target: Tensor) -> Tensor:
    return functional.one_hot(target, logits.shape[-1]).double()


def norm_rule(g: Tensor, x: Tensor, scale: Tensor | float, *, correction: int, epsilon: float, place: str) -> Tensor:
    """The true gradient of the row, where gamma is `scale`."""
    free = x.clone().requires_grad_()
    made = normalised(free, divisor(epsilon, place), -1, correction)
    return torch.autograd.grad(made, free, g * scale)[0]


def held_rule(h: Tensor, x: Tensor, held: str, *, correction: int, epsilon: float, place: str) -> Tensor:
    """The gradient of the row if its mean, or what it is divided by, were a number that x does not move."""
    free = x.clone().requires_grad_()
    mean = free.mean(dim=-1, keepdim=True)
    size = divisor(epsilon, place)(free.var(dim=-1, correction=correction, keepdim=True))
    made = (free - (mean.detach() if held == "mean" else mean)) / (size.detach() if held == "divisor" else size)
    return torch.autograd.grad(made, free, h)[0]


def of_weight(g: Tensor, rows: Tensor, weight: Tensor) -> Tensor:
    """The true gradient of a weight that rows are multiplied by."""
    free = weight.clone().requires_grad_()
    return torch.autograd.grad(rows @ free, free, g)[0]


def last_kept(g: Tensor, E: Tensor, ids: Tensor) -> Tensor:
    table = torch.zeros_like(E)
    for row, id in zip(g.reshape(-1, g.shape[-1]), ids.flatten().tolist(), strict=True):
        table[id] = row
    return table


BACKWARD: dict[str, Wrong] = (
    {
        "softmax.diagonal_only": lambda g, x, *, axis: g * torch.softmax(x, axis) * (1 - torch.softmax(x, axis)),
        "softmax.factor_forgotten": lambda g, x, *, axis: g - (g * torch.softmax(x, axis)).sum(dim=axis, keepdim=True),
        "softmax.average_forgotten": lambda g, x, *, axis: g * torch.softmax(x, dim=axis),
        "matmul.not_transposed": lambda g, a, b: g @ b,
        "matmul.pytorch_layout": lambda g, a, b: of_weight(g, a, b).mT,
        "matmul.factors_exchanged": lambda g, a, b: g.mT @ a,
        "matmul.first_not_transposed": lambda g, a, b: a @ g,
        "linear.first_not_transposed": lambda g, x, W, b: x @ g,
        "linear.not_transposed": lambda g, x, W, b: g @ W,
        "linear.pytorch_layout": lambda g, x, W, b: of_weight(g, x, W).mT,
        "linear.factors_exchanged": lambda g, x, W, b: g.mT @ x,
        "linear.weight_averaged": lambda g, x, W, b: x.mT @ g / x.shape[-2],
        "linear.not_summed": lambda g, x, W, b: g.reshape(-1, g.shape[-1])[0],
        "linear.bias_averaged": lambda g, x, W, b: g.reshape(-1, g.shape[-1]).mean(dim=0),
        "divide_by_root.gradient_not_divided": lambda g, x, *, d: g,
        "divide_by_root.gradient_multiplied": lambda g, x, *, d: g * math.sqrt(d),
        "layer_norm.direct_way": lambda g, x, gamma, beta, *, correction, epsilon, place: (
            g * gamma / divisor(epsilon, place)(x.var(dim=-1, correction=correction, keepdim=True))
        ),
        "layer_norm.mean_term_forgotten": lambda g, x, gamma, beta, **settings: held_rule(
            g * gamma, x, "mean", **settings
        ),
        "layer_norm.variance_term_forgotten": lambda g, x, gamma, beta, **settings: held_rule(
            g * gamma, x, "divisor", **settings
        ),
        "layer_norm.gradient_without_gamma": lambda g, x, gamma, beta, **settings: norm_rule(g, x, 1.0, **settings),
        "layer_norm.not_normalised": lambda g, x, gamma, beta, **settings: (g * x).reshape(-1, x.shape[-1]).sum(dim=0),
        "relu.mask_forgotten": lambda g, x: g,
        "relu.mask_from_gradient": lambda g, x: g * (g > 0),
        "mask.gradient_let_through": lambda g, x, allow: g,
        "mask.gradient_exchanged": lambda g, x, allow: g * (allow == 0),
        "causal_mask.gradient_let_through": lambda g, x, *, past: g,
        "sgd.weight_scaled": lambda g, W, dW, *, rate: rate * g,
        "sgd.sign_forgotten": lambda g, W, dW, *, rate: rate * g,
        "lookup.to_all_rows": lambda g, E, ids: g.reshape(-1, g.shape[-1]).sum(dim=0).expand(E.shape),
        "lookup.last_kept": last_kept,
        "add.halved": lambda g, a, b: g / 2,
        "transpose.not_transposed_back": lambda g, x: g,
        "sigmoid.slope_of_input": lambda g, x: g * x * (1 - x),
        "sigmoid.rest_forgotten": lambda g, x: g * torch.sigmoid(x),
        "cross_entropy.error_turned": lambda g, logits, target, *, reduction: (
            g * (answers(logits, target) - torch.softmax(logits, -1)) * share(reduction, target.numel())
        ),
        "cross_entropy.gradient_not_divided": lambda g, logits, target, *, reduction: (
            g * (torch.softmax(logits, -1) - answers(logits, target))
        ),
        "cross_entropy.gradient_over_classes": lambda g, logits, target, *, reduction: (
            g * (torch.softmax(logits, -1) - answers(logits, target)) / logits.numel()
        ),
        "cross_entropy.slope_again": lambda g, logits, target, *, reduction: (
            g
            * (torch.softmax(logits, -1) - answers(logits, target))
            * share(reduction, target.numel())
            * (torch.softmax(logits, -1) - torch.softmax(logits, -1).square())
        ),
        "cross_entropy.answer_forgotten": lambda g, logits, target, *, reduction: (
            g * torch.softmax(logits, -1) * share(reduction, target.numel())
        ),
        "binary_cross_entropy.slope_of_score": lambda g, p, y, *, reduction: g * (p - y) * share(reduction, p.numel()),
        "binary_cross_entropy.error_turned": lambda g, p, y, *, reduction: (
            g * (y - p) / (p * (1 - p)) * share(reduction, p.numel())
        ),
        "binary_cross_entropy.gradient_not_divided": lambda g, p, y, *, reduction: g * (p - y) / (p * (1 - p)),
    }
    | ENTRY_RULES
    | LOSS_RULES
    | PLACE_RULES
    | UPDATE_RULES
    | LAYER_RULES
    | wrong_attention.RULES
)

# -- across steps ----------------------------------------------------------------------------------

ACROSS = WIRES | LAYER_WIRES | UPDATE_WIRES | wrong_attention.WIRES
LEFT_OUT = wrong_wires.LEFT_OUT | wrong_attention.LEFT_OUT


def after(id: str, run: Run, step: str) -> Tensor:
    """The value of a step if the mistake is made at the nearest place before it; what lies between is made again."""
    op = id.partition(".")[0]
    for place in Place(run, step).before():
        if place.op == op and run.steps[place.id]["kind"] != "group":
            try:
                wrong = ACROSS[id](place)
            except (StopIteration, ValueError, UnknownMistakeError):
                continue  # it cannot be made there
            return run.with_value(place.id, wrong)[step]
    raise UnknownMistakeError(f"{id!r} is a mistake of {op}, and there is none before this")


MISTAKES = FORWARD  # a step of a trace in which a mistake was made has its id as its op


def forward_not_repeated(run: Run, step: str) -> Tensor:
    """The value of a step if the weights before it were not updated the last time."""
    before = [row for row in run.steps.values() if row["op"] == "sgd" and int(row["id"]) < int(step)]
    go = before[-1]["path"].partition(".")[0]
    last = [row for row in before if row["path"].partition(".")[0] == go] if go.startswith("step") else before
    return run.with_leaves({row["id"]: Place(run, row["inputs"][0]).value for row in last})[step]


def keys_and_values_exchanged(run: Run, step: str) -> Tensor:
    """The scores with the values for keys, and what comes of them up to a step."""
    place = Place(run, step)
    scores = next(p for p in (place, *place.before()) if p.op == "matmul" and p.inputs[1].op == "transpose")
    products = [
        Place(run, row["id"]) for row in run.steps.values() if row["op"] == "matmul" and row["pass"] == "forward"
    ]
    context = next(product for product in products if scores.id in {p.id for p in product.before()})
    values, keys = context.inputs[1], scores.inputs[1].inputs[0]
    made = run.with_leaves({scores.id: scores.inputs[0].value @ values.value.mT})
    if int(step) < int(context.id):
        return made[step]
    return made[context.inputs[0].id] @ keys.value if step == context.id else made[step]


def sublayers_parallel(run: Run, step: str) -> Tensor:
    """The value of a step if the sublayer before it read what came into the one before that."""
    for place in Place(run, step).before():
        if place.op != "add" or run.steps[place.id]["kind"] == "group":
            continue
        with suppress(UnknownMistakeError):
            came_in, _ = wrong_wires.residual_slots(place)
            readers = [row for row in run.steps.values() if place.id in row["inputs"] and row["pass"] == "forward"]
            is_normed = [row["op"] for row in readers] in (["layer_norm"], ["rms_norm"])
            return run.with_value(readers[0]["id"] if is_normed else place.id, came_in.value)[step]
    raise UnknownMistakeError("no residual is added before this")


WHOLE = {  # mistakes that are made in several steps at once
    "sgd.forward_not_repeated": forward_not_repeated,
    "add.sublayers_parallel": sublayers_parallel,
    "matmul.keys_and_values_exchanged": keys_and_values_exchanged,
}


def mistaken(id: str, run: Run, step: str) -> Tensor:
    """The value of a step if the mistake is made there."""
    if id in WHOLE:
        return WHOLE[id](run, step)
    op = id.partition(".")[0]
    near = [Place(run, row["id"]) for row in run.around(run.steps[step])]
    if id in BACKWARD or id in PART_RULES:
        rule = next((place for place in near if run.steps[place.id].get("rule") and place.op == op), None)
        if rule is None:
            raise UnknownMistakeError(f"{id!r} is a mistake in a rule of {op}, and this is none")
        forward = Place(run, run.steps[rule.id]["rule"]["of"])
        inputs = [place.value for place in forward.inputs]
        if id in PART_RULES:
            return PART_RULES[id](run.steps[rule.id]["rule"]["slot"], rule.inputs[0].value, *inputs, **forward.settings)
        return BACKWARD[id](rule.inputs[0].value, *inputs, **forward.settings)
    here = next((place for place in near if place.op == op), None)
    if id in LEFT_OUT or (here is None and id in ACROSS):
        return after(id, run, step)
    if here is None:
        raise UnknownMistakeError(f"{id!r} is a mistake of {op}, and this is none")
    if id in ACROSS:
        return ACROSS[id](here)
    if id not in FORWARD:
        raise UnknownMistakeError(f"the judge does not know the mistake {id!r}")
    return FORWARD[id](*(place.value for place in here.inputs), **here.settings)
