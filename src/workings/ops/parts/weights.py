"""Mistakes about the weight that something is multiplied by: what matmul and linear have in common."""

from __future__ import annotations

from ...engine.changes import Changes
from ...engine.site import Site

# Of each op that multiplies by a weight: its inputs for the rows that come in and for the weight.
INPUTS = {"matmul": ("a", "b"), "linear": ("x", "W")}


def weight_left_out(here: Site) -> Changes | None:
    """The readers of the step read its input rows instead."""
    rows, weight = INPUTS[here.step.op_name]
    return here.left_out_for(here.input(rows)) if here.input(weight).is_weight() else None


def other_weight_read(here: Site) -> Changes | None:
    """The step reads the nearest other weight of the same shape."""
    slot = _weight_slot(here)
    weight = here.input(slot)
    matrices = (site.input(_weight_slot(site)) for site in here.others() if site.is_a(*INPUTS))
    other = next((site for site in matrices if site.is_other_weight(weight)), None)
    return here.reading(**{slot: other}) if other is not None else None


def _weight_slot(site: Site) -> str:
    return INPUTS[site.step.op_name][1]
