"""More mistakes in PyTorch: those of ops that move, mark or choose entries."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from .operations import OPERATIONS, first_above, ranks

Wrong = Callable[..., Tensor]


def crosswise(axis: int, x: Tensor) -> int:
    """The other one of the last two axes."""
    return -2 if axis % x.ndim == x.ndim - 1 else -1


def last_rows(x: Tensor, ids: Tensor, *, rows: int, word: str) -> Tensor:
    table = torch.zeros(rows, x.shape[-1], dtype=x.dtype)
    for row, id in zip(x.reshape(-1, x.shape[-1]), ids.flatten().tolist(), strict=True):
        table[id] = row
    return table


def whole_table(x: Tensor, *, k: int) -> Tensor:
    return (ranks(x.flatten()) < k).reshape(x.shape).double()


def kept_before(shares: Tensor, order: Tensor) -> Tensor:
    """What the shares that come before each one add up to."""
    return (shares.unsqueeze(-2) * (order.unsqueeze(-2) < order.unsqueeze(-1))).sum(dim=-1)


def left_to_right(shares: Tensor) -> Tensor:
    return torch.arange(shares.shape[-1]).expand(shares.shape)


def ordered_by_size(shares: Tensor, drawn: Tensor) -> Tensor:
    sorted_shares, places = shares.sort(dim=-1, descending=True, stable=True)
    found = first_above(sorted_shares.cumsum(dim=-1), drawn)
    return places.gather(-1, found.unsqueeze(-1)).squeeze(-1)


def first_that(is_it: Tensor) -> Tensor:
    return is_it.int().argmax(dim=-1)


def with_padding(x: Tensor, keep: Tensor, hidden: Callable[[Tensor], Tensor], instead: float) -> Tensor:
    return x.masked_fill(hidden(keep) == 0, instead)


def keys(x: Tensor, keep: Tensor) -> Tensor:
    return keep.reshape(*keep.shape[:-1], *[1] * (x.ndim - keep.ndim), keep.shape[-1])


def queries(x: Tensor, keep: Tensor) -> Tensor:
    return keys(x, keep).transpose(-1, -2)


def begun_too_late(x: Tensor, *, sizes: Sequence[int], part: int, axis: int) -> Tensor:
    return x.narrow(axis, part * sizes[part], sizes[part])


def read_in_columns(x: Tensor, shape: Sequence[int]) -> Tensor:
    """Read column by column, and written row by row."""
    return x.permute(*reversed(range(x.ndim))).reshape(tuple(shape))


def copies(settings: dict[str, Any]) -> int:
    shape = settings["shape"]
    count = 1
    for place in (*settings["drop"], *settings["keep"]):
        count *= shape[place]
    return count


def repetitions(x: Tensor, drop: Sequence[int], keep: Sequence[int]) -> int:
    return copies({"shape": x.shape, "drop": drop, "keep": keep})


PLACES: dict[str, Wrong] = {
    "add_rows.last_kept": last_rows,
    "argmax.counted_from_one": lambda x, *, axis: x.argmax(dim=axis) + 1,
    "argmax.entry_itself": lambda x, *, axis: x.amax(dim=axis),
    "argmax.wrong_axis": lambda x, *, axis: x.argmax(dim=crosswise(axis, x)),
    "argmax.sign_dropped": lambda x, *, axis: x.abs().argmax(dim=axis),
    "collect.assigned": lambda *parts: parts[-1],
    "collect.averaged": lambda *parts: torch.stack(parts).mean(dim=0),
    "collect.only_first_path": lambda first, *rest: first,
    "collect.only_second_path": lambda first, second, *rest: second,
    "collect.first_path_forgotten": lambda *parts: torch.stack(parts).sum(dim=0) - parts[0],
    "collect.second_path_forgotten": lambda *parts: torch.stack(parts).sum(dim=0) - parts[1],
    "collect.last_path_forgotten": lambda *parts: torch.stack(parts).sum(dim=0) - parts[-1],
    "concat.reversed_order": lambda *parts, axis: torch.cat(parts[::-1], dim=axis),
    "cumulative_sum.own_left_out": lambda x, *, axis, reverse: (
        OPERATIONS["cumulative_sum"](x, axis=axis, reverse=reverse) - x
    ),
    "cumulative_sum.other_end": lambda x, *, axis, reverse: OPERATIONS["cumulative_sum"](
        x, axis=axis, reverse=not reverse
    ),
    "cumulative_sum.wrong_axis": lambda x, *, axis, reverse: OPERATIONS["cumulative_sum"](
        x, axis=crosswise(axis, x), reverse=reverse
    ),
    "draw_by_share.one_too_early": lambda shares, drawn: (first_above(shares.cumsum(-1), drawn) - 1).clamp(min=0),
    "draw_by_share.own_left_out": lambda shares, drawn: first_above(shares.cumsum(-1) - shares, drawn),
    "draw_by_share.largest_taken": lambda shares, drawn: shares.argmax(dim=-1),
    "draw_by_share.not_added_up": first_above,
    "draw_by_share.ordered_by_size": ordered_by_size,
    "first_above.counted_from_one": lambda x, bound: first_above(x, bound) + 1,
    "first_above.largest_taken": lambda x, bound: x.argmax(dim=-1),
    "first_above.equal_taken": lambda x, bound: first_that(x >= bound.unsqueeze(-1)),
    "first_above.below_taken": lambda x, bound: first_that(x < bound.unsqueeze(-1)),
    "is_max.wrong_axis": lambda x, *, axis: OPERATIONS["is_max"](x, axis=crosswise(axis, x)),
    "keep_top_k.one_too_many": lambda x, *, k: (ranks(x) < k + 1).double(),
    "keep_top_k.one_too_few": lambda x, *, k: (ranks(x) < k - 1).double(),
    "keep_top_k.smallest_kept": lambda x, *, k: (ranks(-x) < k).double(),
    "keep_top_k.whole_table": whole_table,
    "keep_top_k.entries_kept": lambda x, *, k: x * (ranks(x) < k),
    "keep_top_p.stopped_before": lambda shares, *, p: (kept_before(shares, ranks(shares)) + shares < p).double(),
    "keep_top_p.not_sorted": lambda shares, *, p: (kept_before(shares, left_to_right(shares)) < p).double(),
    "keep_top_p.each_above": lambda shares, *, p: (shares > p).double(),
    "keep_top_p.rest_kept": lambda shares, *, p: (kept_before(shares, ranks(shares)) >= p).double(),
    "merge_heads.reshape_without_transpose": lambda x: x.reshape(*x.shape[:-3], x.shape[-2], -1),
    "merge_heads.interleaved": lambda x: x.movedim(-3, -1).flatten(-2),
    "merge_heads.heads_reversed": lambda x: x.flip(-3).movedim(-3, -2).flatten(-2),
    "split_heads.reshape_without_transpose": lambda x, *, heads: x.reshape(*x.shape[:-2], heads, x.shape[-2], -1),
    "split_heads.interleaved": lambda x, *, heads: x.unflatten(-1, (-1, heads)).movedim(-1, -3),
    "split_heads.heads_reversed": lambda x, *, heads: x.unflatten(-1, (heads, -1)).movedim(-2, -3).flip(-3),
    "one_hot.counted_from_one": lambda ids, *, size, **words: functional.one_hot((ids - 1) % size, size).double(),
    "one_hot.others_marked": lambda ids, *, size, **words: 1.0 - functional.one_hot(ids, size),
    "padding_mask.queries_hidden": lambda x, keep: with_padding(x, keep, lambda k: queries(x, k), -torch.inf),
    "padding_mask.exchanged": lambda x, keep: with_padding(x, keep, lambda k: keys(x, 1 - k), -torch.inf),
    "padding_mask.first_for_all": lambda x, keep: x.masked_fill(keep[0] == 0, -torch.inf),
    "padding_mask.turned_into_zero": lambda x, keep: with_padding(x, keep, lambda k: keys(x, k), 0.0),
    "permute.reshaped": lambda x, *, order: x.reshape([x.shape[place] for place in order]),
    "pick.counted_from_one": lambda x, target: OPERATIONS["pick"](x, target - 1 + (target == 0) * x.shape[-1]),
    "pick.largest_picked": lambda x, target: x.amax(dim=-1),
    "place_row.counted_from_one": lambda x, *, index, **settings: OPERATIONS["place_row"](
        x, index=index - 1, **settings
    ),
    "positive.zero_marked": lambda x: (x >= 0).double(),
    "positive.entry_kept": lambda x: x.clamp(min=0.0),
    "reshape.column_by_column": lambda x, *, shape, axes: read_in_columns(x, shape),
    "row_max.smallest": lambda x, *, axis: x.amin(dim=axis, keepdim=True),
    "split.begun_too_late": begun_too_late,
    "spread.shared_out": lambda x, **settings: OPERATIONS["spread"](x, **settings) / copies(settings),
    "sum_to.averaged": lambda x, *, drop, keep: (
        OPERATIONS["sum_to"](x, drop=drop, keep=keep) / repetitions(x, drop, keep)
    ),
    "take_row.counted_from_one": lambda x, *, index, axis: x.select(axis, index - 1),
    "take_row.wrong_axis": lambda x, *, index, axis: x.select(crosswise(axis, x), index),
    "top_k.smallest_first": lambda x, *, k, word: ranks(-x).argsort(dim=-1)[..., :k],
    "top_k.counted_from_one": lambda x, *, k, word: ranks(x).argsort(dim=-1)[..., :k] + 1,
    "top_k.ranks_for_positions": lambda x, *, k, word: ranks(x)[..., :k],
    "top_k.sign_dropped": lambda x, *, k, word: ranks(x.abs()).argsort(dim=-1)[..., :k],
}


def cut_out(g: Tensor, sizes: Sequence[int], slot: int, axis: int) -> Tensor:
    return g.narrow(axis, sum(sizes[:slot]), sizes[slot])


def put_at(g: Tensor, x: Tensor, start: int, axis: int) -> Tensor:
    whole = torch.zeros_like(x)
    whole.narrow(axis, start, g.shape[axis]).copy_(g)
    return whole


def lengths(parts: Sequence[Tensor], axis: int) -> list[int]:
    return [part.shape[axis] for part in parts]


PLACE_RULES: dict[str, Wrong] = {
    "add_rows.counted_from_one": lambda g, x, ids, *, rows, word: g[ids - 1],
    "cumulative_sum.gradient_from_wrong_side": lambda g, x, *, axis, reverse: OPERATIONS["cumulative_sum"](
        g, axis=axis, reverse=reverse
    ),
    "cumulative_sum.own_total_only": lambda g, x, *, axis, reverse: g,
    "merge_heads.back_without_transpose": lambda g, x: g.reshape(x.shape),
    "split_heads.back_without_transpose": lambda g, x, *, heads: g.reshape(x.shape),
    "padding_mask.gradient_let_through": lambda g, x, keep: g,
    "permute.back_by_reshape": lambda g, x, *, order: g.reshape(x.shape),
    "pick.to_all": lambda g, x, target: g.unsqueeze(-1).expand(x.shape),
    "place_row.row_before": lambda g, x, *, index, axis, **settings: g.select(axis, index - 1),
    "reshape.back_column_by_column": lambda g, x, *, shape, axes: read_in_columns(g, x.shape),
    "row_max.to_all": lambda g, x, *, axis: g.expand(x.shape),
    "split.at_the_beginning": lambda g, x, *, sizes, part, axis: put_at(g, x, 0, axis),
    "split.at_the_end": lambda g, x, *, sizes, part, axis: put_at(g, x, x.shape[axis] - g.shape[axis], axis),
    "spread.averaged": lambda g, x, *, drop, keep, **words: (
        OPERATIONS["sum_to"](g, drop=drop, keep=keep) / repetitions(g, drop, keep)
    ),
    "sum_to.shared_out": lambda g, x, *, drop, keep: (
        OPERATIONS["spread"](g, drop=drop, keep=keep, axes=(), shape=x.shape) / repetitions(x, drop, keep)
    ),
    "take_row.to_all_rows": lambda g, x, *, index, axis: g.unsqueeze(axis).expand(x.shape),
}

# Rules of ops with any number of inputs get the number of their input first.
PART_RULES: dict[str, Wrong] = {
    "concat.cut_from_the_end": lambda slot, g, *parts, axis: cut_out(
        g, lengths(parts[::-1], axis), len(parts) - 1 - slot, axis
    ),
    "concat.shared_out": lambda slot, g, *parts, axis: cut_out(g, lengths(parts, axis), slot, axis) / len(parts),
    "norm.gradient_not_divided": lambda slot, g, *parts: g * parts[slot],
    "norm.two_kept": lambda slot, g, *parts: 2 * g * parts[slot] / OPERATIONS["norm"](*parts),
}
