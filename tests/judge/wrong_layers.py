"""More mistakes in PyTorch: of norms, residuals, biases, embeddings and positions, and in the wiring of blocks."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import torch
from torch import Tensor

from .operations import OPERATIONS, layer_norm, positional_encoding, rms_norm
from .wrong_wires import WEIGHT, Place, UnknownMistakeError, first_weight, residual_slots

Wrong = Callable[..., Tensor]


# -- norms -----------------------------------------------------------------------------------------


def deviations(x: Tensor) -> Tensor:
    return x - x.mean(dim=-1, keepdim=True)


def size(x: Tensor, *, correction: int, epsilon: float, place: str) -> Tensor:
    """What layer norm divides each row by."""
    variance = x.var(dim=-1, correction=correction, keepdim=True)
    return variance.sqrt() + epsilon if place == "outside" else (variance + epsilon).sqrt()


def root_mean_square(x: Tensor, epsilon: float) -> Tensor:
    return (x.square().mean(dim=-1, keepdim=True) + epsilon).sqrt()


def total_size(x: Tensor, epsilon: float) -> Tensor:
    """The root of the sum of the squares of each row."""
    return (x.square().sum(dim=-1, keepdim=True) + epsilon).sqrt()


def of_next_row(divisors: Tensor) -> Tensor:
    return divisors.roll(-1, dims=-2)


def over_all(x: Tensor, gamma: Tensor, beta: Tensor, **settings: Any) -> Tensor:
    ones = torch.ones(x.numel(), dtype=x.dtype)
    return layer_norm(x.flatten(), ones, 0 * ones, **settings).reshape(x.shape) * gamma + beta


NORMS: dict[str, Wrong] = {
    "layer_norm.as_rms_norm": lambda x, gamma, beta, *, correction, epsilon, place: (
        rms_norm(x, gamma, epsilon=epsilon) + beta
    ),
    "layer_norm.not_divided": lambda x, gamma, beta, **settings: deviations(x) * gamma + beta,
    "layer_norm.variance_not_centred": lambda x, gamma, beta, *, correction, epsilon, place: (
        deviations(x) / root_mean_square(x, epsilon) * gamma + beta
    ),
    "layer_norm.not_averaged": lambda x, gamma, beta, *, correction, epsilon, place: (
        deviations(x) / total_size(deviations(x), epsilon) * gamma + beta
    ),
    "layer_norm.shifted_first": lambda x, gamma, beta, **settings: (deviations(x) / size(x, **settings) + beta) * gamma,
    "layer_norm.whole_table": over_all,
    "layer_norm.divisor_of_another_row": lambda x, gamma, beta, **settings: (
        deviations(x) / of_next_row(size(x, **settings)) * gamma + beta
    ),
    "layer_norm.first_row_for_all": lambda x, gamma, beta, **settings: (
        (x - x[..., :1, :].mean(dim=-1, keepdim=True)) / size(x[..., :1, :], **settings) * gamma + beta
    ),
    "layer_norm.root_before_mean": lambda x, gamma, beta, *, correction, epsilon, place: (
        deviations(x) / (total_size(deviations(x), epsilon) / (x.shape[-1] - correction)) * gamma + beta
    ),
    "layer_norm.absolute_values": lambda x, gamma, beta, **settings: (
        deviations(x) / deviations(x).abs().mean(dim=-1, keepdim=True) * gamma + beta
    ),
    "layer_norm.scaled_first": lambda x, gamma, beta, **settings: (
        deviations(x * gamma) / size(x * gamma, **settings) + beta
    ),
    "layer_norm.gamma_plus_one": lambda x, gamma, beta, **settings: layer_norm(x, 1 + gamma, beta, **settings),
    "rms_norm.not_divided": lambda x, gamma, *, epsilon: x * gamma,
    "rms_norm.divided_by_deviation": lambda x, gamma, *, epsilon: (
        x / size(x, correction=0, epsilon=epsilon, place="inside") * gamma
    ),
    "rms_norm.whole_table": lambda x, gamma, *, epsilon: x / (x.square().mean() + epsilon).sqrt() * gamma,
    "rms_norm.divisor_of_another_row": lambda x, gamma, *, epsilon: (
        x / of_next_row(root_mean_square(x, epsilon)) * gamma
    ),
    "rms_norm.first_row_for_all": lambda x, gamma, *, epsilon: x / root_mean_square(x[..., :1, :], epsilon) * gamma,
    "rms_norm.root_before_mean": lambda x, gamma, *, epsilon: x / (total_size(x, epsilon) / x.shape[-1]) * gamma,
    "rms_norm.absolute_values": lambda x, gamma, *, epsilon: x / x.abs().mean(dim=-1, keepdim=True) * gamma,
    "rms_norm.scaled_first": lambda x, gamma, *, epsilon: rms_norm(x * gamma, gamma**0, epsilon=epsilon),
    "rms_norm.gamma_plus_one": lambda x, gamma, *, epsilon: rms_norm(x, 1 + gamma, epsilon=epsilon),
}


def summed(g: Tensor) -> Tensor:
    """Over all rows, as a vector that every row reads gets its gradient."""
    return g.reshape(-1, g.shape[-1]).sum(dim=0)


def back(g: Tensor, made: Callable[[Tensor], Tensor], x: Tensor) -> Tensor:
    free = x.clone().requires_grad_()
    return torch.autograd.grad(made(free), free, g)[0]


def layer_norm_terms(g: Tensor, x: Tensor, gamma: Tensor, **settings: Any) -> tuple[Tensor, Tensor]:
    """What reaches x directly, and what reaches it in all."""
    whole = back(g, lambda free: deviations(free) / size(free, **settings) * gamma, x)
    return g * gamma / size(x, **settings), whole


def rms_norm_terms(g: Tensor, x: Tensor, gamma: Tensor, epsilon: float) -> tuple[Tensor, Tensor]:
    whole = back(g, lambda free: rms_norm(free, gamma, epsilon=epsilon), x)
    return g * gamma / root_mean_square(x, epsilon), whole


def not_averaged(direct: Tensor, whole: Tensor) -> Tensor:
    """The terms beside the direct one are sums over the row in place of means."""
    return direct + (whole - direct) * whole.shape[-1]


def signs_turned(direct: Tensor, whole: Tensor) -> Tensor:
    return direct - (whole - direct)


def down_columns(h: Tensor, z: Tensor) -> Tensor:
    return z * (h * z).mean(dim=-2, keepdim=True)


NORM_RULES: dict[str, Wrong] = {
    "layer_norm.gradient_not_divided": lambda g, x, gamma, beta, **settings: (
        layer_norm_terms(g, x, gamma, **settings)[1] * size(x, **settings)
    ),
    "layer_norm.only_gamma": lambda g, x, gamma, beta, **settings: g * gamma,
    "layer_norm.gradient_let_through": lambda g, x, gamma, beta, **settings: g,
    "layer_norm.terms_added": lambda g, x, gamma, beta, **settings: signs_turned(
        *layer_norm_terms(g, x, gamma, **settings)
    ),
    "layer_norm.terms_not_averaged": lambda g, x, gamma, beta, **settings: not_averaged(
        *layer_norm_terms(g, x, gamma, **settings)
    ),
    "layer_norm.means_over_columns": lambda g, x, gamma, beta, **settings: (
        (g * gamma - (g * gamma).mean(dim=-2) - down_columns(g * gamma, deviations(x) / size(x, **settings)))
        / size(x, **settings)
    ),
    "rms_norm.means_over_columns": lambda g, x, gamma, *, epsilon: (
        (g * gamma - down_columns(g * gamma, rms_norm(x, gamma**0, epsilon=epsilon))) / root_mean_square(x, epsilon)
    ),
    "layer_norm.times_output": lambda g, x, gamma, beta, **settings: summed(g * layer_norm(x, gamma, beta, **settings)),
    "layer_norm.entry_forgotten": lambda g, x, gamma, beta, **settings: summed(g),
    "layer_norm.times_normalised": lambda g, x, gamma, beta, **settings: summed(
        g * deviations(x) / size(x, **settings)
    ),
    "rms_norm.gradient_not_divided": lambda g, x, gamma, *, epsilon: (
        rms_norm_terms(g, x, gamma, epsilon)[1] * root_mean_square(x, epsilon)
    ),
    "rms_norm.only_gamma": lambda g, x, gamma, *, epsilon: g * gamma,
    "rms_norm.gradient_let_through": lambda g, x, gamma, *, epsilon: g,
    "rms_norm.terms_added": lambda g, x, gamma, *, epsilon: signs_turned(*rms_norm_terms(g, x, gamma, epsilon)),
    "rms_norm.terms_not_averaged": lambda g, x, gamma, *, epsilon: not_averaged(*rms_norm_terms(g, x, gamma, epsilon)),
    "rms_norm.times_output": lambda g, x, gamma, *, epsilon: summed(g * rms_norm(x, gamma, epsilon=epsilon)),
    "rms_norm.entry_forgotten": lambda g, x, gamma, *, epsilon: summed(g),
}


# -- embeddings and positions ----------------------------------------------------------------------


def wave_table(
    positions: Tensor, angle: Callable[[Tensor, int], Tensor], is_sine: Callable[[int, int], bool], **settings: Any
) -> Tensor:
    """Positional encoding, column by column; `angle` of the positions and the pair, `is_sine` of the two of a pair."""
    columns, width = [], settings["size"]
    for n in range(width):
        pair, wave = (n % (width // 2), n // (width // 2)) if settings["layout"] == "concatenated" else divmod(n, 2)
        turned = angle(positions.double(), pair)
        columns.append(turned.sin() if is_sine(pair, wave) else turned.cos())
    return torch.stack(columns, dim=-1)


def rows_alternate(positions: Tensor, **settings: Any) -> Tensor:
    sines, cosines = (
        wave_table(positions, divided(settings), lambda pair, wave, all_sines=all_sines: all_sines, **settings)
        for all_sines in (True, False)
    )
    return torch.where((positions % 2 == 0).unsqueeze(-1), sines, cosines)


def divided(settings: dict[str, Any], first: int = 0, times: int = 2) -> Callable[[Tensor, int], Tensor]:
    base, width = settings["base"], settings["size"]
    return lambda positions, pair: positions / base ** (times * (pair + first) / width)


def with_angle(make: Callable[[dict[str, Any]], Callable[[Tensor, int], Tensor]]) -> Wrong:
    return lambda positions, **settings: wave_table(positions, make(settings), lambda pair, wave: wave == 0, **settings)


def by_ten(settings: dict[str, Any]) -> Callable[[Tensor, int], Tensor]:
    log, width = math.log10(settings["base"]), settings["size"]
    return lambda positions, pair: positions * math.exp(-2 * pair / width * log)


def power(settings: dict[str, Any], pair: int) -> float:
    return float(settings["base"] ** (2 * pair / settings["size"]))


def averaged_by_id(g: Tensor, E: Tensor, ids: Tensor) -> Tensor:
    rows, found = g.reshape(-1, g.shape[-1]), torch.zeros_like(E)
    for id in set(ids.flatten().tolist()):
        found[id] = rows[ids.flatten() == id].mean(dim=0)
    return found


def in_order(g: Tensor, E: Tensor, ids: Tensor) -> Tensor:
    found = torch.zeros_like(E)
    found[: ids.numel()] = g.reshape(-1, g.shape[-1])
    return found


POSITIONS: dict[str, Wrong] = {
    "lookup.row_before": lambda E, ids: E[(ids - 1) % E.shape[0]],
    "lookup.row_after": lambda E, ids: E[(ids + 1) % E.shape[0]],
    "positional_encoding.not_divided": with_angle(lambda settings: lambda positions, pair: positions),
    "positional_encoding.multiplied": with_angle(
        lambda settings: lambda positions, pair: positions * power(settings, pair)
    ),
    "positional_encoding.pairs_doubled": with_angle(lambda settings: divided(settings, times=4)),
    "positional_encoding.pairs_from_one": with_angle(lambda settings: divided(settings, first=1)),
    "positional_encoding.base_ten": with_angle(by_ten),
    "positional_encoding.position_forgotten": with_angle(
        lambda settings: lambda positions, pair: positions**0 / power(settings, pair)
    ),
    "positional_encoding.all_sines": lambda positions, **settings: wave_table(
        positions, divided(settings), lambda pair, wave: True, **settings
    ),
    "positional_encoding.all_cosines": lambda positions, **settings: wave_table(
        positions, divided(settings), lambda pair, wave: False, **settings
    ),
    "positional_encoding.rows_alternate": rows_alternate,
    "positional_encoding.from_the_end": lambda positions, **settings: positional_encoding(
        positions.max() - (positions - positions.min()), **settings
    ),
}


# -- what one step gives, and its rules ------------------------------------------------------------

LAYERS: dict[str, Wrong] = {
    **NORMS,
    **POSITIONS,
    "add.multiplied": torch.mul,
    "add.averaged": lambda a, b: (a + b) / 2,
    "linear.bias_twice": lambda x, W, b: x @ W + 2 * b,
    "linear.bias_first": lambda x, W, b: (x + b) @ W,
    "linear.bias_multiplied": lambda x, W, b: x @ W * b,
    "linear.bias_along_rows": lambda x, W, b: x @ W + b.unsqueeze(-1),
    "dropout.forgotten": lambda x, kept, *, rate: x,
    "dropout.none_dropped": lambda x, kept, *, rate: x / (1 - rate),
    "sqrt.forgotten": torch.clone,
    "sum_to.first_only": lambda x, *, drop, keep: OPERATIONS["sum_to"](firsts(x, (*drop, *keep)), drop=drop, keep=keep),
}

LAYER_RULES: dict[str, Wrong] = {
    **NORM_RULES,
    "add.second_halved": lambda g, a, b: g / 2,
    "linear.gradient_let_through": lambda g, x, W, b: g,
    "linear.first_row_only": lambda g, x, W, b: torch.outer(
        x.reshape(-1, x.shape[-1])[0], g.reshape(-1, g.shape[-1])[0]
    ),
    "lookup.in_order_of_tokens": in_order,
    "lookup.gradients_averaged": averaged_by_id,
    "divide_by_root.gradient_root_forgotten": lambda g, x, *, d: g / d,
}


def firsts(x: Tensor, axes: tuple[int, ...]) -> Tensor:
    for axis in axes:
        x = x.narrow(axis, 0, 1)
    return x


# -- across steps ----------------------------------------------------------------------------------


def sums_of_block(here: Place) -> list[Place]:
    """Where the residuals of the block of this step are added, in order."""
    block = here.path[: here.path.index(".", here.path.index("block"))]
    found = []
    for row in here.run.steps.values():
        if row["op"] == "add" and row["kind"] != "group" and row["path"].startswith(f"{block}."):
            place = Place(here.run, row["id"])
            try:
                residual_slots(place)
            except UnknownMistakeError:
                continue  # something else is added
            found.append(place)
    return found


def residual_of_sublayer_before(here: Place) -> Tensor:
    sums = sums_of_block(here)
    before = sums[[place.id for place in sums].index(here.id) - 1]
    return residual_slots(before)[0].value + residual_slots(here)[1].value


def residual_before_norm(here: Place) -> Tensor:
    came_in, made = residual_slots(here)
    if came_in.op not in ("layer_norm", "rms_norm"):
        raise UnknownMistakeError("the residual is not normalized")
    return came_in.inputs[0].value + made.value


def residual_of_values(here: Place) -> Tensor:
    """What the first product with attention weights reads as its second factor is added."""
    _, made = residual_slots(here)
    context = next(
        place for place in (made, *made.before()) if place.op == "matmul" and place.inputs[0].op == "softmax"
    )
    return context.inputs[1].value + made.value


def again(here: Place, slot: int, other: Tensor) -> Tensor:
    """The step once more with another value for one of its inputs."""
    values = [place.value for place in here.inputs]
    values[slot] = other
    return OPERATIONS[here.op](*values, **here.settings)


def others_near(here: Place, ops: set[str]) -> Iterator[Place]:
    steps = here.run.steps
    found = [
        Place(here.run, id) for id in steps if steps[id]["op"] in ops and steps[id]["pass"] == steps[here.id]["pass"]
    ]
    yield from sorted(
        (place for place in found if steps[place.id]["kind"] != "group"),
        key=lambda place: abs(int(place.id) - int(here.id)),
    )


def other_bias(here: Place) -> Tensor:
    own, slot = here.inputs[-1], len(here.inputs) - 1
    for place in others_near(here, {"linear", "add"}):
        bias = place.inputs[-1]
        weight = first_weight(bias)
        if weight is not None and weight != first_weight(own) and bias.value.shape == own.value.shape:
            return again(here, slot, bias.value)
    raise UnknownMistakeError("there is no other bias of this size")


def weight_of_another_block(here: Place) -> Tensor:
    own = here.inputs[1]
    for place in others_near(here, set(WEIGHT)):
        other = place.inputs[1]
        tails = [path.partition("block")[2].partition(".")[2] for path in (own.path, other.path)]
        if tails[0] and tails[0] == tails[1] and own.path != other.path:
            return again(here, 1, other.value)
    raise UnknownMistakeError("no other block has this weight")


def beside(here: Place) -> Place:
    """The other lookup of the sum that reads this one."""
    for row in here.run.steps.values():
        if row["op"] == "add" and here.id in row["inputs"]:
            return next(Place(here.run, id) for id in row["inputs"] if id != here.id)
    raise UnknownMistakeError("it is not added to anything")


def residual_after_norm(here: Place) -> Tensor:
    came_in, made = residual_slots(here.inputs[0])
    return again(here, 0, made.value) + came_in.value


ACTIVATIONS, NORM_OPS = ("relu", "gelu", "gelu_tanh"), ("layer_norm", "rms_norm")
LAYER_WIRES: dict[str, Callable[[Place], Tensor]] = {
    "add.sublayer_forgotten": lambda here: residual_slots(here)[0].value,
    "add.residual_before_norm": residual_before_norm,
    "add.residual_of_sublayer_before": residual_of_sublayer_before,
    "add.residual_of_values": residual_of_values,
    "add.bias_twice": lambda here: here.value + here.inputs[1].value,
    "add.other_bias": other_bias,
    "linear.other_bias": other_bias,
    "layer_norm.residual_after_norm": residual_after_norm,
    "rms_norm.residual_after_norm": residual_after_norm,
    "linear.weight_of_another_block": weight_of_another_block,
    "matmul.weight_of_another_block": weight_of_another_block,
    "lookup.scaled_by_root": lambda here: here.value * math.sqrt(here.value.shape[-1]),
    "lookup.ids_for_positions": lambda here: again(here, 1, beside(here).inputs[1].value),
    "lookup.positions_for_ids": lambda here: again(here, 1, beside(here).inputs[1].value),
    "lookup.other_table": lambda here: again(here, 0, beside(here).inputs[0].value),
}
