"""A transformer block: its sublayers, what they read from the residual stream, and how wide every part of them is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from .matrices import MASKS, Block, Faults
from .products import shape_told
from .rows import value_of
from .runs import Run, Runs
from .told import Told, first_fault

PARTS = ("attention", "self_attention", "cross_attention", "feed_forward")
NORMS = ("layer_norm", "rms_norm")
LAYERS = ("matmul", "linear")
PROJECTIONS = {"Q": "query", "K": "key", "V": "value"}
DIGITS = re.compile(r"\d+$")
Ids = Sequence[str]


def sublayers_in(run: Run) -> dict[str, dict[str, list[str]]]:
    """For each block its sublayers, each with the steps of the forward pass that it computes."""
    inner = {id for step in run.steps.values() if step["kind"] == "composite" for id in step["inside"]}
    found: dict[str, dict[str, list[str]]] = {}
    for id, step in run.steps.items():
        modules = step["path"].removesuffix(step["name"]).split(".")[:-1]
        part = next((one for one in modules if one in PARTS), None)
        if part and step["pass"] == "forward" and step["kind"] not in ("leaf", "group") and id not in inner:
            block = ".".join(modules[: modules.index(part)])
            found.setdefault(block, {}).setdefault(part, []).append(id)
    return found


def block_faults(data: Block, runs: Runs) -> Faults:
    run, start = runs.step(data["step"])
    blocks = sublayers_in(run)
    path = data["path"] if data["path"] in blocks else ""
    if path not in blocks:
        yield data["path"], f"the blocks are {', '.join(blocks)}"
        return
    alike = [other for other in blocks if DIGITS.sub("", other) == DIGITS.sub("", path)]
    if (data["place"], data["count"]) != (alike.index(path) + 1, len(alike)):
        yield data["path"], f"it is number {alike.index(path) + 1} of {len(alike)}"
    sublayers = blocks[path]
    first, last = next(iter(sublayers.values())), list(sublayers.values())[-1]
    entry, end = run.steps[first[0]]["inputs"][0], last[-1]
    if start != entry or runs.step(data["result"]) != (run, end):
        yield data["path"], f"it leads from {run.steps[entry]['path']} to {run.steps[end]['path']}"
    step = run.steps[entry]
    if (data["axes"], data["shape"]) != (step["axes"], list(run.judged[entry].shape)):
        yield data["name"], f"its shape is {step['shape']}"
    before = next((block for block, parts in blocks.items() if any(entry in ids for ids in parts.values())), "")
    names = [f"output of {before}"] if before else ["embeddings"] if step["op"] in NORMS else [step["name"]]
    if data["name"] not in names:
        yield data["name"], f"this is {names[0]}"
    if [one["path"] for one in data["sublayers"]] != [f"{path}.{part}".strip(".") for part in sublayers]:
        yield data["path"], f"its sublayers are {', '.join(sublayers)}"
        return
    for one, ids in zip(data["sublayers"], sublayers.values(), strict=True):
        yield from sublayer_faults(one, run, ids, runs)


def sublayer_faults(sublayer: Block, run: Run, ids: Ids, runs: Runs) -> Faults:
    """Where its norm is, whether there is a residual connection, whence keys and values come, and its parts."""
    start = run.steps[ids[0]]["inputs"][0]
    norms = [id for id in ids if run.steps[id]["op"] in NORMS]
    adds = [id for id in ids if run.steps[id]["op"] == "add" and start in run.steps[id]["inputs"]]
    inside = [id for id in ids if id not in (*norms[:1], *adds)]
    keys = [run.steps[id]["inputs"][0] for id in inside if run.steps[id]["name"] == "K"]
    true = {
        "residual": bool(adds),
        "norm_after": bool(norms) and run.steps[norms[0]]["inputs"][0] != start,
        "memory": bool(keys) and keys[0] not in (*ids, start),
    }
    for name, is_so in true.items():
        if sublayer[name] != is_so:
            yield sublayer["path"], f"{name} is {is_so}"
    expected = list(expected_parts(run, inside))
    drawn = list(sublayer["parts"])
    if (sublayer["norm"] is None) != (not norms):
        yield sublayer["path"], f"its norms are {norms}"
    elif norms:
        size = width_of(run, norms[0])
        expected.insert(0, ExpectedPart("norm", norms[0], None, "", size, size))
        drawn.insert(0, sublayer["norm"])
    if len(expected) != len(drawn):
        yield sublayer["path"], f"it has {len(expected)} parts"
        return
    for part, truth in zip(drawn, expected, strict=True):
        yield from part_faults(part, truth, run, runs)


@dataclass(frozen=True)
class ExpectedPart:
    """One part of a sublayer as the run has it. Without a `name` or a `detail`, the words may be any."""

    role: str
    id: str
    name: str | None
    detail: str | None
    enters: Size
    leaves: Size
    heads: Size | None = None
    head_size: Size | None = None


@dataclass(frozen=True)
class Size:
    """A size, the step that has it, and on which of its axes; what is counted lies on none."""

    value: int
    id: str
    index: tuple[int, ...]
    role: str = "size"


def width_of(run: Run, id: str, times: int = 1) -> Size:
    """How many numbers a token has in a step, or in so many that are alike."""
    shape = run.judged[id].shape
    return Size(shape[-1] * times, id, (len(shape) - 1,), "size" if times == 1 else "count")


def expected_parts(run: Run, ids: Ids) -> Iterator[ExpectedPart]:
    softmaxes = [place for place, id in enumerate(ids) if run.steps[id]["op"] == "softmax"]
    if not softmaxes:
        yield from expected_layers(run, ids)
        return
    for letter, role in PROJECTIONS.items():
        made = [id for id in ids if run.steps[id]["name"] == letter and run.steps[id]["op"] in LAYERS]
        if made:
            read, weight = run.steps[made[0]]["inputs"][:2]
            sizes = width_of(run, read), width_of(run, made[0], len(made))
            yield ExpectedPart(role, made[0], letter, run.steps[weight]["name"], *sizes)
    after = ids[softmaxes[0] + 1 :]
    context = next(id for id in after if run.steps[id]["op"] == "matmul")
    joined = next((id for id in after if run.steps[id]["op"] in ("merge_heads", "concat")), context)
    weights = run.steps[ids[softmaxes[0]]]
    heads = Size(len(softmaxes), weights["id"], (), "count")
    if "head" in weights["axes"]:
        axis = weights["axes"].index("head")
        heads = Size(run.judged[weights["id"]].shape[axis], weights["id"], (axis,))
    width = width_of(run, joined)
    yield ExpectedPart("attention", context, None, None, width, width, heads, width_of(run, context))
    yield from expected_layers(run, ids[ids.index(joined) + 1 :])


def expected_layers(run: Run, ids: Ids) -> Iterator[ExpectedPart]:
    for id in ids:
        read, *others = run.steps[id]["inputs"]
        is_layer = run.steps[id]["op"] in LAYERS
        name = run.steps[others[0]]["name"] if is_layer else None
        yield ExpectedPart("layer" if is_layer else "function", id, name, "", width_of(run, read), width_of(run, id))


def part_faults(part: Block, truth: ExpectedPart, run: Run, runs: Runs) -> Faults:
    step = run.steps[truth.id]
    if runs.step(part["step"]) != (run, truth.id) or part["role"] != truth.role:
        yield part["name"], f"this is {step['path']}, a {truth.role}"
    for field in ("enters", "leaves", "heads", "head_size"):
        yield from size_faults(part[field], getattr(truth, field), run, runs)
    if truth.role != "attention":
        fault = first_fault(part["name"], [])
        if fault or part["name"] != (truth.name or part["name"]) or part["detail"] != truth.detail:
            yield part["name"], fault or f"this is {truth.name} {truth.detail}"
        return
    inside = [run.steps[one] for one in run.steps if same_module(run.steps[one], step)]
    roots = [float(other["settings"]["d"]) for other in inside if other["op"] == "divide_by_root"]
    fault = first_fault(part["detail"], roots[:1]) or first_fault(part["name"], [])
    if fault:
        yield part["detail"], fault
    if any(other["op"] in MASKS for other in inside) != bool(part["name"]):
        yield part["name"], "there is a mask, or none"


def size_faults(number: Block | None, truth: Size | None, run: Run, runs: Runs) -> Faults:
    if number is None or truth is None:
        if number is not truth:
            yield str(number), f"it should be {truth}"
        return
    told = number["value"], number["text"], runs.step(number["step"]), tuple(number["index"]), number["role"]
    if told != (truth.value, str(truth.value), (run, truth.id), truth.index, truth.role):
        yield number["text"], f"it should be {truth}"


def same_module(step: Block, other: Block) -> bool:
    return step["pass"] == "forward" and step["path"].startswith(other["path"].removesuffix(other["name"]))


def of_block(data: Block, runs: Runs) -> Told:
    """What flows through it; then each sublayer with its norm, and the width of each part."""
    yield data["name"]
    yield from shape_told(data["axes"], data["shape"])
    yield data["path"]
    for sublayer in data["sublayers"]:
        yield sublayer["name"]
        norm = sublayer["norm"]
        yield from [norm["name"]] if norm and not sublayer["norm_after"] else []
        for part in sublayer["parts"]:
            if part["heads"]:
                yield from (value_of(part["heads"]), value_of(part["head_size"]), part["name"])
            else:
                yield from (part["name"], value_of(part["leaves"]))
        yield from [norm["name"]] if norm and sublayer["norm_after"] else []
