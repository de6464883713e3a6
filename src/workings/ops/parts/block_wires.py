"""Where the parts of a block are: its residual connections, and what came into it."""

from __future__ import annotations

from ...engine.site import Site
from .surroundings import NORMS, residual_added, residual_slots


def inputs_of_sublayers(here: Site) -> list[Site]:
    """What came into the sublayers before this one in the same block, the nearest first; each adds a residual."""
    found: list[Site] = []
    earlier = _sum_before(here)
    while earlier is not None:
        found += (residual_added(earlier) or {}).values()
        earlier = _sum_before(earlier)
    return found


def values_of_attention(here: Site) -> Site | None:
    """The values that a sublayer averages by its attention weights, if they have the shape of its input."""
    slots = residual_slots(here)
    if slots is None:
        return None
    came_in, made = (here.input(slot) for slot in slots)
    inside = (site for site in (made, *made.before()) if site.is_made_from(came_in) and site.is_a("matmul"))
    averages = (site for site in inside if site.input("a").is_a("softmax", "dropout"))
    values = next((site.input("b") for site in averages), None)
    fits = values is not None and values.form.shape == came_in.form.shape and not values.is_same(came_in)
    return values if fits else None


def _sum_before(here: Site) -> Site | None:
    """Where the residual of the sublayer before this one in the same block is added."""
    before = next(iter((residual_added(here) or {}).values()), None)
    while before is not None and before.is_a(*NORMS):
        before = before.input("x")
    if before is None or residual_added(before) is None or _block(before) != _block(here):
        return None
    return before


def _block(site: Site) -> str:
    """The path of the block that a sublayer belongs to; without modules there is none."""
    return site.step.path.rpartition(".")[0].rpartition(".")[0]
