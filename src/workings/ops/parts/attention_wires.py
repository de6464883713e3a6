"""Mistakes in the wiring of attention: what its pages have in common. Heads or no heads make no difference here."""

from __future__ import annotations

from collections.abc import Mapping

from ...engine.changes import Changes
from ...engine.site import Site

MASKS = ("mask", "causal_mask", "padding_mask")
BETWEEN = ("divide_by_root", "divide_by", "scale", *MASKS, "softmax", "dropout")  # the scores and the context


def queries_and_keys_exchanged(here: Site) -> Changes | None:
    """The scores of each key with every query."""
    queries, keys = here.input("a"), _keys(here)
    if keys is None or keys.form.shape != queries.form.shape:
        return None
    return here.reading(a=keys).and_also(here.input("b").reading(x=queries))


def keys_and_values_exchanged(here: Site) -> Changes | None:
    """The scores come from the values, and the keys are averaged."""
    keys, context = _keys(here), _context(here)
    values = context.input("b") if context is not None else None
    if context is None or keys is None or values is None or values.form.shape != keys.form.shape:
        return None
    return here.input("b").reading(x=values).and_also(context.reading(b=keys))


def before_masks(here: Site) -> Mapping[str, Site] | None:
    """The scores that softmax reads, and what they were before anything was hidden."""
    scores = masked = here.input("x")
    while scores.is_a(*MASKS):
        scores = scores.input("x")
    return {"x": scores, "masked": masked} if scores is not masked else None


def _keys(here: Site) -> Site | None:
    """The keys, if the step multiplies rows by the transpose of other rows, and neither of them is a weight."""
    transposed = here.input("b")
    if not transposed.is_a("transpose"):
        return None
    keys = transposed.input("x")
    return keys if keys.is_data() and here.input("a").is_data() else None


def _context(scores: Site) -> Site | None:
    """The step that averages the values by the attention weights of these scores."""
    waiting = scores.readers()
    while waiting:
        site = waiting.pop(0)
        if site.is_a("matmul"):
            return site
        if site.is_a(*BETWEEN):
            waiting += site.readers()
    return None
