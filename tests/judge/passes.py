"""Figures of a whole pass: the forward pass with its matrices, and the backward pass as its mirror image."""

from __future__ import annotations

from collections.abc import Sequence

from .matrices import (
    Block,
    Faults,
    Part,
    matrix_faults,
    operation_faults,
    operation_told,
    part_of,
    passing_moves,
    sizes_of,
    source_faults,
)
from .products import shape_told
from .rows import value_of, words_and_values
from .runs import NotThereError, Run, Runs
from .told import Told


def parts_of(matrices: Sequence[Block], runs: Runs) -> list[Part]:
    """All of one run, and no step twice."""
    parts = [part_of(matrix, runs) for matrix in matrices]
    if any(part.run is not parts[0].run for part in parts) or len({part.id for part in parts}) < len(parts):
        raise NotThereError("these steps are not those of one run, each of them once")
    return parts


def corner_faults(matrix: Block, part: Part) -> Faults:
    """The first rows and columns of a step, with the shape of all of it."""
    yield from matrix_faults(matrix, part, is_corner=True)
    shape = sizes_of(part.step, part.run.judged[part.id].shape)
    if matrix["shape"] != shape:
        yield matrix["name"], f"its shape is {shape}"


# -- numbers -----------------------------------------------------------------------------------------


def numbers_faults(data: Block, runs: Runs) -> Faults:
    """Every matrix with the steps that it is computed from, and the operation in between."""
    parts = parts_of([one["matrix"] for one in data["steps"]], runs)
    ids = [part.id for part in parts]
    for one, part in zip(data["steps"], parts, strict=True):
        yield from corner_faults(one["matrix"], part)
        yield from source_faults(part.id, one["inputs"], part.run, ids)
        if part.step["kind"] == "leaf":
            yield from ((one["operation"], "nothing is computed here") for _ in one["operation"][:1])
        else:
            yield from operation_faults(one["operation"], part.run, part.id, ids)


def of_numbers(data: Block, runs: Runs) -> Told:
    """Each step with its shape, what it is computed from, and how; at the end, a row of the last one."""
    ids = [runs.step(one["matrix"]["step"])[1] for one in data["steps"]]
    for one, id in zip(data["steps"], ids, strict=True):
        if one["inputs"]:
            run, _ = runs.step(one["matrix"]["step"])
            yield one["matrix"]["name"]
            yield from shape_told(run.steps[id]["axes"], run.judged[id].shape)
            yield from (data["steps"][place]["matrix"]["name"] for place in one["inputs"])
            yield from operation_told(run, passing_moves(run, id, ids))
    last = data["steps"][-1]["matrix"]
    part = part_of(last, runs)
    row = 0 if last["more"][0] else -1  # of some of the rows, the first one
    yield last["name"] + "".join(f"[{place}]" for place in part.lead)
    yield from words_and_values(last["column_labels"] or [""] * len(part.columns), last["rows"][row])


# -- mirror ------------------------------------------------------------------------------------------


def mirror_faults(data: Block, runs: Runs) -> Faults:
    """Every step with its own gradient, of which the same entries are shown."""
    parts = parts_of([one["forward"] for one in data["steps"]], runs)
    ids = [part.id for part in parts]
    known = gradients_in(parts[0].run)
    for one, part in zip(data["steps"], parts, strict=True):
        yield from corner_faults(one["forward"], part)
        yield from source_faults(part.id, one["inputs"], part.run, ids)
        sizes = " × ".join(str(size) for size in part.run.judged[part.id].shape)
        if one["sizes"] != sizes:
            yield one["forward"]["name"], f"its shape is {sizes}"
        if one["gradient"] is None:
            if part.id in known:
                yield one["forward"]["name"], f"its gradient is {part.run.steps[known[part.id]]['path']}"
            continue
        back = part_of(one["gradient"], runs)
        yield from corner_faults(one["gradient"], back)
        if (back.run, back.id) != (part.run, known.get(part.id)):
            yield one["gradient"]["name"], f"this is not the gradient of {part.step['path']}"
        if (back.lead, back.rows, back.columns) != (part.lead, part.rows, part.columns):
            yield one["gradient"]["name"], f"these are other entries than of {part.step['path']}"


def gradients_in(run: Run) -> dict[str, str]:
    """For each step its whole gradient in the first backward pass that reaches it."""
    found: dict[str, str] = {}
    for id, step in run.steps.items():
        twin = run.steps.get(step["twin"] or "")
        if twin and (step["pass"], step["name"]) == ("backward", f"d{twin['name']}"):
            found.setdefault(twin["id"], id)
    return found


def of_mirror(data: Block, runs: Runs) -> Told:
    """What leads to what; the single numbers; the gradients in the reversed order."""
    steps = data["steps"]
    for one in steps:
        if one["inputs"]:
            yield from (steps[place]["forward"]["name"] for place in one["inputs"])
            yield one["forward"]["name"]
    for one in steps:
        if not one["sizes"]:
            yield from (one["forward"]["name"], value_of(one["forward"]["rows"][0][0]))
    yield from (one["gradient"]["name"] for one in reversed(steps) if one["gradient"])
