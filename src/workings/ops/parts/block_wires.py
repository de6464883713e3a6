"""Where the parts of a block are: its residual connections, and what came into it."""

from __future__ import annotations

from ...engine.changes import Changes
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


def sublayers_parallel(here: Site) -> Changes | None:
    """Where a residual is added: the next sublayer of the block reads what came into this one, except its residual."""
    slots, after = residual_slots(here), here
    if [site.step.op_name for site in here.readers()] in ([norm] for norm in NORMS):
        after = here.readers()[0]
    readers = after.readers()
    sums = [site for site in readers if _block(site) == _block(here) and _is_residual_of(site, after)]
    if slots is None or not sums:
        return None
    came_in = here.input(slots[0]).step.id
    others = [site for site in readers if not any(site.is_same(total) for total in sums)]
    return Changes(
        wires={site.step.id: {slot: came_in for slot, read in site.inputs() if read.is_same(after)} for site in others}
    )


def _is_residual_of(total: Site, site: Site) -> bool:
    slots = residual_slots(total)
    return slots is not None and total.input(slots[0]).is_same(site)


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
