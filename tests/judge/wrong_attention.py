"""More mistakes in PyTorch: those of attention, from the scores to the heads side by side, and of choosing a word."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch
from torch import Tensor
from torch.nn import functional

from . import wrong_places
from .operations import OPERATIONS, first_above, ranks
from .wrong_places import crosswise, keys
from .wrong_wires import Place, UnknownMistakeError

Wrong = Callable[..., Tensor]
MASKS = ("mask", "causal_mask", "padding_mask")


def powers(x: Tensor, axis: int) -> Tensor:
    return (x - x.amax(dim=axis, keepdim=True)).exp()


def odds(x: Tensor, *, axis: int) -> Tensor:
    P = torch.softmax(x, dim=axis)
    return P / (1 - P)


def of_whole_matrices(x: Tensor, *, axis: int) -> Tensor:
    return torch.softmax(x.flatten(-2), dim=-1).reshape(x.shape)


def lower(x: Tensor, past: int) -> Tensor:
    return torch.ones(x.shape[-2:]).double().tril(diagonal=past)


def repeated(first: Tensor, count: int, dim: int) -> Tensor:
    return torch.cat([first] * count, dim=dim)


def at_least_the_last_kept(x: Tensor, *, k: int) -> Tensor:
    return (x >= x.sort(dim=-1, descending=True)[0][..., k - 1 : k]).double()


def smallest_first(shares: Tensor, *, p: float) -> Tensor:
    order = shares.shape[-1] - 1 - ranks(shares)
    return (wrong_places.kept_before(shares, order) < p).double()


def following(x: Tensor, *, sizes: Sequence[int], part: int, axis: int) -> Tensor:
    return x.split(list(sizes), dim=axis)[(part + 1) % len(sizes)]


FORWARD: dict[str, Wrong] = {
    "softmax.base_two": lambda x, *, axis: 2**x / (2**x).sum(dim=axis, keepdim=True),
    "softmax.base_ten": lambda x, *, axis: 10**x / (10**x).sum(dim=axis, keepdim=True),
    "softmax.applied_twice": lambda x, *, axis: torch.softmax(torch.softmax(x, axis), axis),
    "softmax.sign_turned": lambda x, *, axis: torch.softmax(-x, dim=axis),
    "softmax.as_sigmoid": lambda x, *, axis: torch.sigmoid(x),
    "softmax.logarithm_kept": lambda x, *, axis: torch.log_softmax(x, dim=axis),
    "softmax.maximum_only_above": lambda x, *, axis: powers(x, axis) / x.exp().sum(dim=axis, keepdim=True),
    "softmax.maximum_only_below": lambda x, *, axis: x.exp() / powers(x, axis).sum(dim=axis, keepdim=True),
    "softmax.not_divided": lambda x, *, axis: powers(x, axis),
    "softmax.own_left_out": odds,
    "softmax.over_each_matrix": of_whole_matrices,
    "softmax.total_of_matrix": lambda x, *, axis: powers(x, axis) / powers(x, axis).sum(dim=(-2, -1), keepdim=True),
    "softmax.over_heads": lambda x, *, axis: torch.softmax(x, dim=-3),
    "log_softmax.base_two": lambda x, *, axis: torch.softmax(x, dim=axis).log2(),
    "log_softmax.maximum_forgotten": lambda x, *, axis: x - powers(x, axis).sum(dim=axis, keepdim=True).log(),
    "log_softmax.sign_turned": lambda x, *, axis: -torch.softmax(x, dim=axis).log(),
    "causal_mask.not_infinite": lambda x, *, past: x - 1 + lower(x, past),
    "causal_mask.marks_added": lambda x, *, past: x + lower(x, past),
    "padding_mask.not_infinite": lambda x, keep: x - 1 + keys(x, keep),
    "padding_mask.marks_added": lambda x, keep: x + keys(x, keep),
    "mask.marks_added": lambda x, allow: x + allow,
    "matmul.reversed": lambda a, b: b @ a,
    "take_row.averaged": lambda x, *, index, axis: x.mean(dim=axis),
    "place_row.to_all_rows": lambda x, *, index, axis, size, word: torch.stack([x] * size, dim=axis),
    "place_row.other_end": lambda x, *, index, size, **settings: OPERATIONS["place_row"](
        x, index=size - 1 - index % size, size=size, **settings
    ),
    "split_heads.first_block_for_all": lambda x, *, heads: torch.stack([x[..., : x.shape[-1] // heads]] * heads, -3),
    "merge_heads.first_head_repeated": lambda x: repeated(x[..., 0, :, :], x.shape[-3], -1),
    "merge_heads.heads_averaged": lambda x: x.mean(dim=-3),
    "merge_heads.last_head_only": lambda x: x[..., -1, :, :],
    "concat.first_repeated": lambda *parts, axis: repeated(parts[0], len(parts), axis),
    "split.next_piece": following,
    "argmax.smallest_taken": lambda x, *, axis: x.argmin(dim=axis),
    "keep_top_k.ties_kept": at_least_the_last_kept,
    "keep_top_p.smallest_first": smallest_first,
    "keep_top_p.entries_kept": lambda shares, *, p: shares * OPERATIONS["keep_top_p"](shares, p=p),
    "draw_by_share.closest_taken": lambda shares, drawn: (shares - drawn.unsqueeze(-1)).abs().argmin(dim=-1),
    "first_above.one_too_early": lambda x, bound: (first_above(x, bound) - 1).clamp(min=0),
}


def softmax_rule(wrong: Callable[[Tensor, Tensor, int], Tensor]) -> Wrong:
    """A rule of softmax from the gradient, the probabilities and the axis."""
    return lambda g, x, *, axis: wrong(g, torch.softmax(x, dim=axis), axis)


def row_sum(x: Tensor, axis: int) -> Tensor:
    return x.sum(dim=axis, keepdim=True)


def jacobian_without_minus(g: Tensor, P: Tensor, axis: int) -> Tensor:
    P, g = P.movedim(axis, -1), g.movedim(axis, -1)
    slopes = P.unsqueeze(-1) * P.unsqueeze(-2)
    slopes = slopes - 2 * torch.diag_embed(P * P) + torch.diag_embed(P)
    return (slopes @ g.unsqueeze(-1)).squeeze(-1).movedim(-1, axis)


def put_row(g: Tensor, x: Tensor, index: int, axis: int) -> Tensor:
    whole = torch.zeros_like(x)
    whole.select(axis, index).copy_(g)
    return whole


RULES: dict[str, Wrong] = {
    "softmax.plain_mean": softmax_rule(lambda g, P, axis: P * (g - g.mean(dim=axis, keepdim=True))),
    "softmax.plain_sum": softmax_rule(lambda g, P, axis: P * (g - row_sum(g, axis))),
    "softmax.average_added": softmax_rule(lambda g, P, axis: P * (g + row_sum(g * P, axis))),
    "softmax.bracket_forgotten": softmax_rule(lambda g, P, axis: P * g - row_sum(g * P, axis)),
    "softmax.minus_forgotten": softmax_rule(jacobian_without_minus),
    "softmax.average_of_columns": softmax_rule(lambda g, P, axis: P * (g - row_sum(g * P, crosswise(axis, g)))),
    "softmax.average_of_all_rows": softmax_rule(lambda g, P, axis: P * (g - (g * P).sum())),
    "softmax.rule_of_log_softmax": softmax_rule(lambda g, P, axis: g - P * row_sum(g, axis)),
    "softmax.gradient_let_through": softmax_rule(lambda g, P, axis: g),
    "softmax.gradient_forgotten": softmax_rule(lambda g, P, axis: P - P * P),
    "softmax.scores_for_probabilities": lambda g, x, *, axis: x * (g - row_sum(g * x, axis)),
    "log_softmax.sum_forgotten": softmax_rule(lambda g, P, axis: g - P),
    "log_softmax.probability_forgotten": softmax_rule(lambda g, P, axis: g - row_sum(g, axis)),
    "log_softmax.gradient_let_through": softmax_rule(lambda g, P, axis: g),
    "causal_mask.gradient_upper_triangle": lambda g, x, *, past: g * (1 - lower(g, past - 1)),
    "causal_mask.gradient_infinite": lambda g, x, *, past: g.masked_fill(lower(g, past) == 0, -torch.inf),
    "padding_mask.gradient_exchanged": lambda g, x, keep: g * (keys(x, keep) == 0),
    "padding_mask.gradient_infinite": lambda g, x, keep: g.masked_fill(keys(x, keep) == 0, -torch.inf),
    "mask.gradient_infinite": lambda g, x, allow: g.masked_fill(allow == 0, -torch.inf),
    "divide_by_root.gradient_root_forgotten": lambda g, x, *, d: g / d,
    "scale.gradient_divided": lambda g, x, *, factor: g / factor,
    "divide_by.gradient_multiplied": lambda g, x, *, divisor: g * divisor,
    "divide_by.gradient_divided_twice": lambda g, x, *, divisor: g / divisor**2,
    "matmul.upstream_transposed": lambda g, a, b: g.mT @ b.mT,
    "matmul.second_factor_first": lambda g, a, b: b.mT @ g,
    "matmul.queries_by_queries": lambda g, a, b: g @ a,
    "matmul.gradient_transposed": lambda g, a, b: (g @ a).mT,
    "matmul.gradient_first": lambda g, a, b: g @ a.mT,
    "matmul.keys_by_keys": lambda g, a, b: b @ g,
    "matmul.weight_averaged": lambda g, a, b: a.mT @ g / a.shape[-2],
    "matmul.last_row_only": lambda g, a, b: torch.outer(a[-1], g[-1]),
    "take_row.shared_out": lambda g, x, *, index, axis: (g.unsqueeze(axis) / x.shape[axis]).expand(x.shape),
    "take_row.gradient_at_other_end": lambda g, x, *, index, axis: put_row(g, x, -1 - index % x.shape[axis], axis),
    "take_row.gradient_one_row_before": lambda g, x, *, index, axis: put_row(g, x, index - 1, axis),
}

# -- across steps ----------------------------------------------------------------------------------


def before_scale(here: Place) -> tuple[Tensor, float]:
    """What a softmax gives without the scale of its scores, and the factor of that scale."""
    masked = scaled = here.inputs[0]
    while scaled.op in MASKS:
        scaled = scaled.inputs[0]
    settings = scaled.settings
    if scaled.op == "divide_by_root":
        factor = 1 / math.sqrt(settings["d"])
    elif scaled.op in ("divide_by", "scale"):
        factor = settings["factor"] if scaled.op == "scale" else 1 / settings["divisor"]
    else:
        raise UnknownMistakeError("nothing is scaled before this softmax")
    scores = scaled.inputs[0].value.masked_fill(torch.isneginf(masked.value), -torch.inf)
    return OPERATIONS["softmax"](scores, **here.settings), factor


def products(here: Place) -> list[Place]:
    steps = here.run.steps
    return [Place(here.run, id) for id in steps if steps[id]["op"] == "matmul" and steps[id]["pass"] == "forward"]


def values_of(scores: Place) -> Tensor:
    """The values that are averaged by the weights that come of these scores."""
    context = next(p for p in products(scores) if scores.id in {q.id for q in p.inputs[0].before()})
    return context.inputs[1].value


def keys_of(context: Place) -> Tensor:
    scores = next(p for p in context.inputs[0].before() if p.op == "matmul")
    return scores.inputs[1].inputs[0].value


def unprojected(here: Place) -> Tensor:
    queries, transposed = here.inputs
    return queries.inputs[0].value @ transposed.inputs[0].inputs[0].value.mT


def hard(here: Place) -> Tensor:
    weights, values = (place.value for place in here.inputs)
    return functional.one_hot(weights.argmax(dim=-1), weights.shape[-1]).double() @ values


def of_other_head(slot: int) -> Callable[[Place], Tensor]:
    """One factor is that of the next head; of heads that are steps of their own, of the one before."""

    def made(here: Place) -> Tensor:
        factors = [place.value for place in here.inputs]
        if here.run.steps[here.id]["axes"][-3:-2] == ["head"]:
            factors[slot] = factors[slot].roll(-1, dims=-3)
        else:
            scope, name = here.path.rsplit(".", 1)
            number = int(scope[-1])
            path = f"{scope[:-1]}{number - 1}.{name}"
            factors[slot] = next(p for p in products(here) if p.path == path).inputs[slot].value
        return factors[0] @ factors[1]

    return made


def rows_of(name: str) -> Callable[[Place], Tensor]:
    """The projection of the rows that another one of the same attention reads."""

    def made(here: Place) -> Tensor:
        scope = here.path.rpartition(".")[0]
        path = f"{scope}.{name}" if scope else name
        steps = here.run.steps
        other = next(Place(here.run, id) for id in steps if steps[id]["path"] == path)
        _, weight, *bias = (place.value for place in here.inputs)
        return OPERATIONS[here.op](other.inputs[0].value, weight, *bias)

    return made


WIRES: dict[str, Callable[[Place], Tensor]] = {
    "softmax.left_out": lambda here: here.inputs[0].value,
    "split_heads.heads_ignored": lambda here: here.inputs[0].value.unsqueeze(-3),
    "softmax.scaled_afterwards": lambda here: math.prod(before_scale(here)),
    "matmul.values_for_keys": lambda here: here.inputs[0].value @ values_of(here).mT,
    "matmul.queries_for_keys": lambda here: here.inputs[0].value @ here.inputs[0].value.mT,
    "matmul.projections_forgotten": unprojected,
    "matmul.keys_for_values": lambda here: here.inputs[0].value @ keys_of(here),
    "matmul.plain_average": lambda here: here.inputs[1].value.mean(dim=-2, keepdim=True).expand(here.value.shape),
    "matmul.only_largest": hard,
    "matmul.other_head": of_other_head(1),
    "matmul.other_head_first": of_other_head(0),
    "matmul.memory_forgotten": rows_of("Q"),
    "linear.memory_forgotten": rows_of("Q"),
    "matmul.queries_from_memory": rows_of("K"),
    "linear.queries_from_memory": rows_of("K"),
}
LEFT_OUT = {"softmax.left_out"}
