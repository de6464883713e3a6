"""Mistakes in the wiring of attention: what its pages have in common. Heads or no heads make no difference here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import reduce

from ...engine.changes import Changes
from ...engine.site import Site

MASKS = ("mask", "causal_mask", "padding_mask")
SCALES = ("divide_by_root", "divide_by", "scale")
BETWEEN = (*SCALES, *MASKS, "softmax", "dropout")  # the scores and the context
MOVES = ("add", "split_heads", "transpose")  # a projection and the products of attention
PROJECTIONS = {"matmul": ("a", "b"), "linear": ("x", "W")}  # their inputs for the rows that come in and for the weight


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


def before_scale(here: Site) -> Mapping[str, Site] | None:
    """The scores that softmax reads, and what they were before and after they were scaled."""
    scaled = masked = here.input("x")
    while scaled.is_a(*MASKS):
        scaled = scaled.input("x")
    return {"x": masked, "scores": scaled.input("x"), "scaled": scaled} if scaled.is_a(*SCALES) else None


def values_for_keys(here: Site) -> Changes | None:
    """The scores come from the values, which are averaged as well."""
    keys, context = _keys(here), _context(here)
    values = context.input("b") if context is not None else None
    if keys is None or values is None or values.form.shape != keys.form.shape:
        return None
    return here.reading(a=here.input("a")).and_also(here.input("b").reading(x=values))


def queries_for_keys(here: Site) -> Changes | None:
    """Each query with every query."""
    queries, keys = here.input("a"), _keys(here)
    if keys is None or keys.is_same(queries) or keys.form.shape != queries.form.shape:
        return None
    return here.reading(a=queries).and_also(here.input("b").reading(x=queries))


def projections_forgotten(here: Site) -> Changes | None:
    """The scores of the tokens themselves, if queries and keys are projections of them."""
    queries, keys = _projected(here.input("a")), _keys(here)
    rows = _projected(keys) if keys is not None else None
    if queries is None or rows is None or queries.form.shape[-1] != rows.form.shape[-1]:
        return None
    return here.reading(a=queries).and_also(here.input("b").reading(x=rows))


def keys_for_values(here: Site) -> Changes | None:
    """The keys are averaged by the attention weights."""
    scores = _scores(here)
    keys = _keys(scores) if scores is not None else None
    if keys is None or keys.form.shape != here.input("b").form.shape or keys.is_same(here.input("b")):
        return None
    return here.reading(b=keys)


def averages_values(here: Site) -> dict[str, Site] | None:
    """Nothing more than the step reads, if it averages values by attention weights."""
    weights = here.input("a")
    while weights.is_a("dropout"):
        weights = weights.input("x")
    return {} if weights.is_a("softmax") and here.input("b").is_data() else None


def first_of_other_head(here: Site) -> dict[str, Site] | None:
    return _of_other_head(here, "a")


def second_of_other_head(here: Site) -> dict[str, Site] | None:
    return _of_other_head(here, "b")


def is_of_scores(here: Site) -> dict[str, Site] | None:
    """Nothing more than the step reads, if it multiplies queries by keys."""
    return {} if _keys(here) is not None else None


def heads_ignored(here: Site) -> Changes | None:
    """Where queries are split: queries, keys and values keep their full width, and the scores are scaled by it."""
    heads, scores = here.step.settings["heads"], _read_by(here, "a")
    context = _context(scores) if scores is not None else None
    if scores is None or context is None or not _keys(scores):
        return None
    splits = [here, scores.input("b").input("x"), context.input("b")]
    if heads == 1 or not all(site.is_a("split_heads") for site in splits):
        return None
    size = here.form.shape[-1]
    scaled = [site for site in scores.readers() if site.is_a("divide_by_root") and site.step.settings["d"] == size]
    changes = [site.with_settings(heads=1) for site in splits]
    return reduce(Changes.and_also, [*changes, *(site.with_settings(d=heads * size) for site in scaled)])


def rows_of_queries(here: Site) -> Site | None:
    """Of a projection to keys or values: the rows that the queries are made from."""
    reader = _read_by(here, "b")
    return _source(reader.input("a")) if reader is not None else None


def rows_of_keys(here: Site) -> Site | None:
    """Of a projection to queries: the rows that the keys are made from."""
    reader = _read_by(here, "a")
    return _source(reader.input("b")) if reader is not None and _keys(reader) is not None else None


def _read_by(here: Site, slot: str) -> Site | None:
    """The product of attention that reads a projection, cut into heads or not, at this input."""
    waiting = here.readers()
    while waiting:
        site = waiting.pop(0)
        if site.is_a("matmul"):
            if any(name == slot and (_leads_to(here, before)) for name, before in site.inputs()):
                return site if all(not before.is_weight() for _, before in site.inputs()) else None
        elif site.is_a(*MOVES):
            waiting += site.readers()
    return None


def _leads_to(here: Site, site: Site) -> bool:
    while not site.is_same(here) and site.is_a(*MOVES):
        site = site.inputs()[0][1]
    return site.is_same(here)


def _source(site: Site) -> Site | None:
    """The rows that queries or keys are projected from; from attention weights, those of the queries."""
    while not _projected(site):
        if not site.is_a("matmul", *BETWEEN, *MOVES):
            return None
        site = site.inputs()[0][1]
    return _projected(site)


def _projected(site: Site) -> Site | None:
    """The rows that a step multiplies by a weight."""
    if not site.is_a(*PROJECTIONS):
        return None
    rows, weight = PROJECTIONS[site.step.op_name]
    return site.input(rows) if site.input(weight).is_weight() else None


def _of_other_head(here: Site, slot: str) -> dict[str, Site] | None:
    """What another head reads at this input, of heads that are steps of their own; of packed heads nothing more."""
    if any(site.is_weight() for _, site in here.inputs()):
        return None
    if here.form.axes[-3:-2] == ("head",):
        return {} if here.form.shape[-3] > 1 else None
    parent, _, name = here.step.path.rpartition(".")
    heads, _, own = parent.rpartition(".")
    for site in here.others():
        other, _, other_name = site.step.path.rpartition(".")
        is_head = own.startswith("head") and other != parent and other.rpartition(".")[0] == heads
        if is_head and name == other_name and site.is_a("matmul") and int(site.step.id) < int(here.step.id):
            return {slot: site.input(slot)}
    return None


def _scores(context: Site) -> Site | None:
    """The step that gives the scores of the attention weights that this one averages by."""
    site = context.input("a")
    while site.is_a(*BETWEEN):
        site = site.input("x")
    return site if site.is_a("matmul") else None


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
