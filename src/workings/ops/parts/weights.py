"""What goes wrong with the weight that rows are multiplied by: the mistakes that matmul and linear share."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.changes import Changes
from ...engine.op import Op
from ...engine.page import mistake
from ...engine.site import Site
from ...engine.tensor import Tensor
from ..relu import relu
from .attention_wires import PROJECTIONS as INPUTS
from .attention_wires import rows_of_keys, rows_of_queries

ACTIVATIONS = ("relu", "gelu", "gelu_tanh", "sigmoid", "tanh")
PYTORCH_LAYOUT = (
    "Your gradient is the transpose of ours: PyTorch stores a weight and its gradient as [out, in], here "
    "both are [in, out]."
)


def is_of_weight(here: Site) -> dict[str, Site] | None:
    """Nothing more than the step reads, if it multiplies by a weight."""
    return {} if here.input(_weight_slot(here)).is_weight() else None


def after_relu(here: Site) -> dict[str, Site] | None:
    """Nothing more than the step reads, if its rows come from a ReLU and it has a weight: it is the second layer."""
    rows, weight = INPUTS[here.step.op_name]
    return {} if here.input(rows).is_a("relu") and here.input(weight).is_weight() else None


def before_relu(here: Site) -> dict[str, Site] | None:
    """The rows before the ReLU that this second layer reads."""
    rows, _ = INPUTS[here.step.op_name]
    return {rows: here.input(rows).input("x")} if after_relu(here) is not None else None


class WeightMistakes(Op):
    """Mistakes that can be made wherever rows are multiplied by a weight."""

    @mistake("You left out this weight, so the next step reads the input of the product.", across="wire")
    def weight_forgotten(self, here: Site) -> Changes | None:
        rows, weight = INPUTS[here.step.op_name]
        return here.left_out_for(here.input(rows)) if here.input(weight).is_weight() else None

    @mistake("You multiplied by another matrix of the same shape.", across="wire")
    def other_weight(self, here: Site) -> Changes | None:
        slot = _weight_slot(here)
        other = next(_other_weights(here), None)
        return here.reading(**{slot: other}) if other is not None else None

    @mistake("You used the weight of another block: each block has its own.", across="wire")
    def weight_of_another_block(self, here: Site) -> Changes | None:
        slot = _weight_slot(here)
        own, tail = here.input(slot).step.path, _in_block(here.input(slot))
        others = (site for site in _other_weights(here) if tail and _in_block(site) == tail)
        other = next((site for site in others if site.step.path != own), None)
        return here.reading(**{slot: other}) if other is not None else None

    @mistake(
        "You projected the decoder's own tokens: in cross-attention, keys and values come from the memory, "
        "the encoder's output.",
        across="wire",
    )
    def memory_forgotten(self, here: Site) -> Changes | None:
        return _reading_rows(here, rows_of_queries(here))

    @mistake(
        "You projected the memory to queries: in cross-attention, queries come from the decoder's own tokens.",
        across="wire",
    )
    def queries_from_memory(self, here: Site) -> Changes | None:
        return _reading_rows(here, rows_of_keys(here))

    @mistake(
        "You used the values before the activation function: this layer, and the gradient of its weight, use "
        "those after it.",
        across="wire",
    )
    def reads_hidden(self, here: Site) -> Changes | None:
        slot, weight = INPUTS[here.step.op_name]
        activated = here.input(slot)
        is_second = activated.is_a(*ACTIVATIONS) and here.input(weight).is_weight()
        return here.reading_in_rules(slot, activated.input("x")) if is_second else None

    @mistake("You applied ReLU after the second layer too: it belongs only between the two.", surroundings=after_relu)
    def relu_after_second_layer(self, *inputs: Tensor) -> Tensor:
        return relu(self(*inputs))

    @mistake("You applied ReLU after the second layer: it belongs between the two.", surroundings=before_relu)
    def relu_only_after_second_layer(self, *inputs: Tensor) -> Tensor:
        return relu(self(*inputs))


def _weight_slot(site: Site) -> str:
    return INPUTS[site.step.op_name][1]


def _other_weights(here: Site) -> Iterator[Site]:
    """The other weights of the same shape that rows are multiplied by, the nearest first."""
    weight = here.input(_weight_slot(here))
    matrices = (site.input(_weight_slot(site)) for site in here.others() if site.is_a(*INPUTS))
    return (site for site in matrices if site.is_other_weight(weight))


def _in_block(site: Site) -> str:
    """Where a weight is in its block, without the number of the block: attention.W_Q; "" if it is in no block."""
    _, block, rest = site.step.path.partition("block")
    return rest.partition(".")[2] if block else ""


def _reading_rows(here: Site, rows: Site | None) -> Changes | None:
    """The projection of other rows, if there are others; a weight is no row."""
    slot = INPUTS[here.step.op_name][0]
    if rows is None or rows.is_same(here.input(slot)) or not here.input(_weight_slot(here)).is_weight():
        return None
    return here.reading(**{slot: rows})
