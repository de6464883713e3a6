"""Treemaps: each area is as large as its number, nothing overlaps, and weights are counted again."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from typing import Any

from .runs import Runs

Block = Mapping[str, Any]
CLOSE = 1e-9
TRAINED = re.compile(r"(?:step|update)\d+\.")


def area_faults(treemap: Block, runs: Runs) -> Iterator[tuple[str, str]]:
    leaves = [area for area in treemap["areas"] if not area["is_group"]]
    whole = math.fsum(area["number"]["value"] for area in leaves)
    for area in treemap["areas"]:
        number = area["number"]
        share = area["width"] * area["height"]
        if not math.isclose(share, number["value"] / whole, rel_tol=1e-6):
            yield number["text"], f"its area is {share} of the whole"
        if min(area["left"], area["top"]) < -CLOSE or max(right(area), below(area)) > 1 + CLOSE:
            yield area["label"], "it does not lie in the whole"
        if number["role"] == "count":
            run, _ = runs.step(number["step"])
            true = sum(math.prod(step["shape"]) for step in run.steps.values() if is_in(step, area["path"]))
            if number["value"] != true:
                yield number["text"], f"there are {true} weights in {area['path']}"
    for n, one in enumerate(leaves):
        for other in leaves[:n]:
            across = min(right(one), right(other)) - max(one["left"], other["left"])
            if across > CLOSE and min(below(one), below(other)) - max(one["top"], other["top"]) > CLOSE:
                yield one["label"], f"it overlaps {other['label']}"


def is_in(step: Block, path: str) -> bool:
    """Whether a step is a weight of the module with this path, or that weight itself."""
    own = TRAINED.sub("", step["path"])
    return step["op"] == "parameter" and (not path or own == path or own.startswith(f"{path}."))


def right(area: Block) -> float:
    return area["left"] + area["width"]


def below(area: Block) -> float:
    return area["top"] + area["height"]
