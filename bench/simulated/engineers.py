"""What `why` says about the numbers of engineers: is a bug named, and is a program that is right accused?"""

from __future__ import annotations

from typing import Any

import numpy as np

import workings as w
from workings.engine.errors import WorkingsError
from workings.engine.in_rule import ALSO
from workings.practice.checking.why import Why

from .tally import Row, Tally
from .why_cases import Program

ROWS = (
    Row("why named", "`why`: broken programs named", 0.95, True),
    Row("why accused", "`why`: right programs accused", 0.0, False),
    Row("why silent", "  `why`: broken programs taken for right", None, False),
)
ARRANGED = "shape."  # all of the true numbers, in another arrangement


def judge_broken(program: Any, seed: int, tally: Tally) -> None:
    found = _asked(program, seed)
    if isinstance(found, str):
        tally.count("why named", False, f"{program.name}: {found}")
        return
    named = [{name.removesuffix(ALSO) for name in (one.id, *one.also)} & program.ids for one in found.candidates]
    tally.count("why named", bool(named) and all(named), f"{program.name}: {said(found)}")
    tally.count("why silent", not found.is_right, f"{program.name}: {said(found)}")


def judge_right(program: Any, seed: int, tally: Tally) -> None:
    found = _asked(program, seed)
    if isinstance(found, str):
        tally.count("why accused", False, f"{program.name}: {found}")
        return
    reasons = [one for one in found.candidates if not one.id.startswith(ARRANGED)]
    is_right = found.is_right or (found.verdict == "another shape" and bool(found.candidates) and not reasons)
    tally.count("why accused", is_right, f"{program.name}: {said(found)}")


def _asked(program: Any, seed: int) -> Why | str:
    try:
        if not isinstance(program, Program):  # of the held-out set: it asks by itself
            return program.call()
        got, given = program.draw(np.random.default_rng(seed))
        return w.why(got, program.what, **given)
    except WorkingsError as error:
        return f"refused: {error.args[0]}"


def said(found: Why) -> str:
    ids = ", ".join("=".join((one.id, *one.also)) for one in found.candidates)
    return f"{found.verdict}: {ids or ('nearest ' + found.nearest.id if found.nearest else 'nothing')}"
