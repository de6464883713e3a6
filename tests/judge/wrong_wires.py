"""More mistakes in PyTorch: those across steps, where somebody reads another value, or more than the step reads.

Each gets the place in its run at which it is made.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import torch
from torch import Tensor

from .operations import OPERATIONS

if TYPE_CHECKING:
    from .runs import Run


class UnknownMistakeError(Exception):
    """The judge has no version of a mistake, or it cannot be made there."""


@dataclass(frozen=True)
class Place:
    """Where a mistake is made: a step of a run, or a group."""

    run: Run
    id: str

    @property
    def op(self) -> str:
        return str(self.run.steps[self.id]["op"])

    @property
    def path(self) -> str:
        return str(self.run.steps[self.id]["path"])

    @property
    def value(self) -> Tensor:
        return self.run.judged[self.id]

    @property
    def inputs(self) -> list[Place]:
        return [Place(self.run, id) for id in self.run.steps[self.id]["inputs"]]

    @property
    def settings(self) -> dict[str, Any]:
        return self.run.settings_of(self.id)

    def before(self) -> Iterator[Place]:
        """Everything that it is made from, the nearest first."""
        seen, waiting = {self.id}, self.inputs
        while waiting:
            place = waiting.pop(0)
            if place.id not in seen:
                seen.add(place.id)
                yield place
                waiting += place.inputs


def mask_forgotten(here: Place) -> Tensor:
    (masked,) = here.inputs
    if masked.op not in ("mask", "causal_mask", "padding_mask"):
        raise UnknownMistakeError("there is no mask before this softmax")
    return OPERATIONS["softmax"](masked.inputs[0].value, **here.settings)


def masked_afterwards(here: Place) -> Tensor:
    masked = scores = here.inputs[0]
    while scores.op in ("mask", "causal_mask", "padding_mask"):
        scores = scores.inputs[0]
    shares = OPERATIONS["softmax"](scores.value, **here.settings)
    return torch.where(torch.isneginf(masked.value), 0.0, shares)


def mean_of_an_average(here: Place) -> Tensor:
    before, last = (place.value for place in here.inputs[0].inputs)
    return (before / (here.settings["divisor"] - 1) + last) / 2


def mean_of_texts(here: Place) -> Tensor:
    counted = here.inputs[0].inputs[0]
    shares = next(place.value for place in counted.inputs if torch.isclose(place.value.sum(), torch.ones(()).double()))
    return (here.inputs[0].value / shares.sum(dim=-1)).mean()


def root_of_model(here: Place) -> Tensor:
    steps = (place.run.steps[place.id] for place in here.before())
    return here.inputs[0].value / math.sqrt(next(step["shape"][-1] for step in steps if step["axes"][-1:] == ["model"]))


def residual_forgotten(here: Place) -> Tensor:
    """Of the two that are added, the one that was made from the other."""
    one, other = here.inputs
    return (one if other.id in {place.id for place in one.before()} else other).value


def residual_of_normalised(here: Place) -> Tensor:
    """The row after its norm is added, in place of the row that went into the norm."""
    one, other = here.inputs
    came_in, made = (other, one) if other.id in {place.id for place in one.before()} else (one, other)
    norms = (place for place in made.before() if place.op in ("layer_norm", "rms_norm"))
    return next(norm.value for norm in norms if norm.inputs[0].id == came_in.id) + made.value


def residual_slots(here: Place) -> tuple[Place, Place]:
    """What came into the sublayer, and what the sublayer made from it."""
    one, other = here.inputs
    for came_in, made in ((one, other), (other, one)):
        if came_in.id in {place.id for place in made.before()}:
            return came_in, made
    raise UnknownMistakeError("no residual is added here")


def residual_of_block_input(here: Place) -> Tensor:
    """What came into the first sublayer of the block is added to the output of this one."""
    block = here.path.rsplit(".", 2)[0]
    sums = [
        Place(here.run, row["id"])
        for row in here.run.steps.values()
        if row["op"] == "add" and row["kind"] != "group" and row["path"].startswith(f"{block}.")
    ]
    inputs = []
    for place in sums:
        try:
            inputs.append(residual_slots(place)[0])
        except UnknownMistakeError:
            continue  # something else is added
    came_in, made = residual_slots(here)
    if inputs[0].id == came_in.id:
        raise UnknownMistakeError("this is the first sublayer of its block")
    return inputs[0].value + made.value


def position_forgotten(here: Place) -> Tensor:
    return next(place.value for place in here.inputs if place.op != "positional_encoding")


def position_twice(here: Place) -> Tensor:
    return here.value + here.value - position_forgotten(here)


WEIGHT = {"matmul": 1, "linear": 1}  # which input of an op is its weight


def first_weight(place: Place) -> Place | None:
    """The weight that it was before any update; None if it is no weight."""
    step = place.run.steps[place.id]
    while step["pass"] == "update" and step["twin"] is not None:
        step = place.run.steps[step["twin"]]
    return Place(place.run, step["id"]) if step["op"] == "parameter" else None


def nearest(here: Place, ops: set[str], weight_slot: Callable[[str], int]) -> Place:
    """The nearest step of these ops with another weight of the same shape."""
    steps = here.run.steps
    own = here.inputs[weight_slot(here.op)]
    found = [Place(here.run, id) for id in steps if steps[id]["op"] in ops and steps[id]["kind"] != "group"]
    same_pass = [place for place in found if steps[place.id]["pass"] == steps[here.id]["pass"]]
    for place in sorted(same_pass, key=lambda place: abs(int(place.id) - int(here.id))):
        other = place.inputs[weight_slot(place.op)]
        weight = first_weight(other)
        if weight is not None and weight != first_weight(own) and other.value.shape == own.value.shape:
            return place
    raise UnknownMistakeError("there is no other weight of this shape")


def other_weight(here: Place) -> Tensor:
    weight = nearest(here, set(WEIGHT), WEIGHT.__getitem__).inputs[1]
    rows, _, *bias = (place.value for place in here.inputs)
    return OPERATIONS[here.op](rows, weight.value, *bias)


def other_gradient(here: Place) -> Tensor:
    gradient = nearest(here, {"sgd"}, lambda op: 0).inputs[1]
    return OPERATIONS["sgd"](here.inputs[0].value, gradient.value, **here.settings)


def weights_of_another_norm(here: Place) -> Tensor:
    another = nearest(here, {here.op}, lambda op: 1)
    weights = (place.value for place in another.inputs[1:])
    return OPERATIONS[here.op](here.inputs[0].value, *weights, **here.settings)


def in_second_layer(here: Place) -> tuple[Tensor, Tensor]:
    """What a layer gives that reads a ReLU, and what it gives if it reads what went into the ReLU."""
    rows, *weights = here.inputs
    if rows.op != "relu":
        raise UnknownMistakeError("there is no ReLU before this layer")
    without = OPERATIONS[here.op](rows.inputs[0].value, *(place.value for place in weights))
    return here.value, without


def reads_hidden(here: Place) -> Tensor:
    rows, *weights = here.inputs
    if rows.op not in ("relu", "gelu", "gelu_tanh", "sigmoid", "tanh"):
        raise UnknownMistakeError("there is no activation function before this layer")
    return OPERATIONS[here.op](rows.inputs[0].value, *(place.value for place in weights))


def relu_after_second_layer(here: Place) -> Tensor:
    return in_second_layer(here)[0].clamp(min=0.0)


def relu_only_after_second_layer(here: Place) -> Tensor:
    return in_second_layer(here)[1].clamp(min=0.0)


def last_left_out(here: Place) -> Tensor:
    before = here.inputs[0].inputs[0]
    return before.value / (here.settings["divisor"] - 1)


def embedding_scaled(here: Place) -> Tensor:
    embedded = next(place.value for place in here.inputs if place.op == "lookup")
    return here.value - embedded + math.sqrt(embedded.shape[-1]) * embedded


def root_of_heads(here: Place) -> Tensor:
    step = here.run.steps[here.id]
    return here.inputs[0].value / math.sqrt(step["shape"][step["axes"].index("head")])


def padding_counted(here: Place) -> Tensor:
    """The mean over all places of a table of losses. Its other factor is the share of each token."""
    one, other = (place.value for place in here.inputs[0].inputs[0].inputs)
    return (other if torch.isclose(one.sum(), torch.ones(()).double()) else one).mean()


def gradient_not_reset(here: Place) -> Tensor:
    """All gradients up to here are added, those of the updates before too."""
    weight, gradient = here.inputs
    if weight.op != "sgd":
        raise UnknownMistakeError("this is the first update")
    total = gradient.value
    while weight.op == "sgd":
        weight, earlier = weight.inputs
        total = total + earlier.value
    return here.inputs[0].value - here.settings["rate"] * total


def targets_not_shifted(here: Place) -> Tensor:
    """The loss with the ids that were looked up in the table of the vocabulary as answers."""
    predicted, target = here.inputs
    ids = (
        place.inputs[1].value
        for place in here.before()
        if place.op == "lookup" and place.inputs[0].value.shape[0] == predicted.value.shape[-1]
    )
    taken = next(tokens for tokens in ids if tokens.shape == target.value.shape)
    return OPERATIONS[here.op](predicted.value, taken, **here.settings)


def residual_parts(here: Place) -> tuple[list[Tensor], list[Tensor]]:
    """The gradients that meet, those through a residual connection apart from those of a sublayer."""
    steps = here.run.steps
    residual, rest = [], []
    for part in here.inputs:
        group = steps[part.id]["group"]
        rule = (steps[part.id] if group is None else steps[group]).get("rule")
        forward = Place(here.run, rule["of"]) if rule else None
        is_residual = (
            forward is not None
            and forward.op == "add"
            and forward.inputs[rule["slot"]].id == steps[here.id]["twin"]
            and residual_slots(forward)[0].id == steps[here.id]["twin"]
        )
        (residual if is_residual else rest).append(part.value)
    if not residual:
        raise UnknownMistakeError("no gradient flows through a residual connection here")
    return residual, rest


WIRES: dict[str, Callable[[Place], Tensor]] = {
    "softmax.mask_forgotten": mask_forgotten,
    "divide_by_root.root_of_model": root_of_model,
    "divide_by_root.root_of_keys": lambda here: here.inputs[0].value / math.sqrt(here.value.shape[-1]),
    # What is left out has, for those who read it, the value of what went into it.
    "layer_norm.left_out": lambda here: here.inputs[0].value,
    "rms_norm.left_out": lambda here: here.inputs[0].value,
    "linear.weight_forgotten": lambda here: here.inputs[0].value,
    "matmul.weight_forgotten": lambda here: here.inputs[0].value,
    "add.bias_forgotten": lambda here: here.inputs[0].value,
    "causal_mask.forgotten": lambda here: here.inputs[0].value,
    "padding_mask.forgotten": lambda here: here.inputs[0].value,
    "add.residual_forgotten": residual_forgotten,
    "add.residual_of_normalised": residual_of_normalised,
    "add.position_forgotten": position_forgotten,
    "add.position_twice": position_twice,
    "add.embedding_scaled": embedding_scaled,
    "add.residual_twice": lambda here: here.value + residual_slots(here)[0].value,
    "add.output_twice": lambda here: 2 * residual_slots(here)[1].value,
    "add.residual_of_block_input": residual_of_block_input,
    "lookup.positions_from_one": lambda here: here.inputs[0].value[here.inputs[1].value + 1],
    "layer_norm.weights_of_another_norm": weights_of_another_norm,
    "rms_norm.weights_of_another_norm": weights_of_another_norm,
    "matmul.relu_after_second_layer": relu_after_second_layer,
    "linear.relu_after_second_layer": relu_after_second_layer,
    "matmul.relu_only_after_second_layer": relu_only_after_second_layer,
    "linear.relu_only_after_second_layer": relu_only_after_second_layer,
    "matmul.reads_hidden": reads_hidden,
    "linear.reads_hidden": reads_hidden,
    "divide_by_root.root_of_heads": root_of_heads,
    "cross_entropy.targets_not_shifted": targets_not_shifted,
    "negative_log_likelihood.targets_not_shifted": targets_not_shifted,
    "sum.padding_counted": padding_counted,
    "sgd.zero_grad_forgotten": gradient_not_reset,
    "collect.residual_path_forgotten": lambda here: torch.stack(residual_parts(here)[1]).sum(dim=0),
    "collect.only_residual_path": lambda here: torch.stack(residual_parts(here)[0]).sum(dim=0),
    "take_row.other_end": lambda here: here.inputs[0].value.select(here.settings["axis"], -1 - here.settings["index"]),
    "matmul.other_weight": other_weight,
    "linear.other_weight": other_weight,
    "sgd.other_gradient": other_gradient,
    "matmul.queries_and_keys_exchanged": lambda here: here.value.mT,
    "softmax.masked_afterwards": masked_afterwards,
    "divide_by.mean_of_means": mean_of_an_average,
    "divide_by.last_left_out": last_left_out,
    "sum.mean_of_means": mean_of_texts,
}

# What is left out keeps its value: only whoever reads it has another one.
LEFT_OUT = {
    "layer_norm.left_out", "rms_norm.left_out", "linear.weight_forgotten", "matmul.weight_forgotten",
    "add.bias_forgotten", "causal_mask.forgotten", "padding_mask.forgotten",
}  # fmt: skip
