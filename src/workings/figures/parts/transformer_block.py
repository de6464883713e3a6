"""A transformer block in a trace: its sublayers, where they read from the residual stream, and how wide they are."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...document.notation import Notation, name_of
from ...document.spans import Number
from ...engine.errors import StepError, nearest
from ...engine.names import ends_in
from ...engine.recording import Recording
from ...engine.steps import Step
from .step_graph import forward_steps

SUBLAYER = re.compile(r"(?P<block>.*?)\.?(?P<part>(?:self_|cross_)?attention|feed_forward)\.")
NORMS = {"layer_norm": "LayerNorm", "rms_norm": "RMSNorm"}
FUNCTIONS = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU"}
MASKS = {"causal_mask": "causal mask", "padding_mask": "padding mask", "mask": "mask"}
LAYERS = ("matmul", "linear")  # ops with a weight
PROJECTIONS = {"Q": "query", "K": "key", "V": "value"}


@dataclass(frozen=True)
class BlockPart:
    """One operation of a sublayer. `role` is norm, query, key, value, attention, layer (with a weight) or function
    (entry by entry). `enters` and `leaves` are the sizes of a token's vector before it and after it; of attention,
    `heads` is how many there are and `head_size` how wide each of them is.
    """

    step: str
    role: str
    name: str
    detail: str
    enters: Number
    leaves: Number
    heads: Number | None = None
    head_size: Number | None = None


@dataclass(frozen=True)
class BlockSublayer:
    """Attention, or the feed-forward network. `normed` says where its norm is: before the parts, or after the result
    was added to the residual stream. Without `residual`, its result replaces what it has read. With `memory`, keys and
    values come from another text.
    """

    name: str
    path: str
    parts: tuple[BlockPart, ...]
    norm: BlockPart | None
    norm_after: bool
    residual: bool
    memory: bool


@dataclass(frozen=True)
class FoundBlock:
    """A block of a trace: `place` counts from 1 among `count` blocks that are alike."""

    path: str
    place: int
    count: int
    start: Step
    name: str  # of what enters it, where its step has none that says what it is
    sublayers: tuple[BlockSublayer, ...]
    end: Step


def block_in(recording: Recording, under: str, notation: Notation) -> FoundBlock:
    """The block of this name, or the first one."""
    modules = _modules(recording)
    if not modules:
        raise StepError(
            "This trace has no transformer block.",
            hint="Choose a model whose blocks have modules called attention and feed_forward.",
        )
    found = [path for path in modules if not under or path == under or ends_in(path, under)]
    if not found:
        known = nearest(under, modules) or ", ".join(list(modules)[:8])
        raise StepError(f"There is no block '{under}'.", hint=f"Name one of these, or none: {known}.")
    path = found[0]
    alike = [one for one in modules if one.rstrip("0123456789") == path.rstrip("0123456789")]
    groups = modules[path]
    sublayers = tuple(_sublayer(recording, name, steps, notation) for name, steps in groups.items())
    start = _entry(recording, next(iter(groups.values())))
    end = list(groups.values())[-1][-1]
    before = SUBLAYER.match(start.path)
    name = f"output of {before['block']}" if before is not None else "embeddings" if start.op_name in NORMS else ""
    return FoundBlock(path, alike.index(path) + 1, len(alike), start, name, sublayers, end)


def _modules(recording: Recording) -> dict[str, dict[str, list[Step]]]:
    """For each block its sublayers, each with the steps that it computes."""
    found: dict[str, dict[str, list[Step]]] = {}
    for step in forward_steps(recording):
        place = SUBLAYER.match(step.path) if step.leaf is None else None
        if place is not None:
            found.setdefault(place["block"], {}).setdefault(place["part"], []).append(step)
    return found


def _entry(recording: Recording, steps: Sequence[Step]) -> Step:
    """What a sublayer reads: the input of its first step."""
    return recording.step(steps[0].inputs[0])


def _sublayer(recording: Recording, name: str, steps: list[Step], notation: Notation) -> BlockSublayer:
    start = _entry(recording, steps)
    norm = next((step for step in steps if step.op_name in NORMS), None)
    residual = any(step.op_name == "add" and start.id in step.inputs for step in steps)
    inside = [step for step in steps if step is not norm and not (step.op_name == "add" and start.id in step.inputs)]
    is_attention = any(step.op_name == "softmax" for step in inside)
    parts = tuple(_attention(recording, inside, notation) if is_attention else _layers(recording, inside, notation))
    own = {step.id for step in steps}
    keys = [step for step in inside if step.name == "K"]
    memory = bool(keys) and keys[0].inputs[0] not in own | {start.id}
    words = {"cross_attention": "Cross-attention", "feed_forward": "Feed-forward network"}
    norm_part = None
    if norm is not None:
        norm_part = BlockPart(norm.id, "norm", NORMS[str(norm.op_name)], "", _size(norm), _size(norm))
    return BlockSublayer(
        words.get(name, "Self-attention"),
        steps[0].path[: steps[0].path.index(f"{name}.") + len(name)],
        parts,
        norm_part,
        norm is not None and norm.inputs[0] != start.id,
        residual,
        memory,
    )


def _size(step: Step, times: int = 1) -> Number:
    """How many numbers a token has after this step, or after so many that are alike."""
    size = step.form.shape[-1] * times
    return Number(str(size), size, step.id, (len(step.form.shape) - 1,), "size" if times == 1 else "count")


def _layers(recording: Recording, steps: Sequence[Step], notation: Notation) -> Iterator[BlockPart]:
    for step in steps:
        before = _size(recording.step(step.inputs[0]))
        if step.op_name in LAYERS:
            weight = name_of(recording, recording.step(step.inputs[1]), notation)
            yield BlockPart(step.id, "layer", weight, "", before, _size(step))
        else:
            name = FUNCTIONS.get(str(step.op_name), str(step.op_name).replace("_", " "))
            yield BlockPart(step.id, "function", name, "", before, _size(step))


def _attention(recording: Recording, steps: Sequence[Step], notation: Notation) -> Iterator[BlockPart]:
    weights = next(step for step in steps if step.op_name == "softmax")
    for letter, kind in PROJECTIONS.items():
        made = [step for step in steps if step.name == letter and step.op_name in LAYERS]
        if made:
            weight = name_of(recording, recording.step(made[0].inputs[1]), notation)
            before = _size(recording.step(made[0].inputs[0]))
            yield BlockPart(made[0].id, kind, letter, weight, before, _size(made[0], len(made)))
    found = list(steps)
    after = found[found.index(weights) + 1 :]
    separate = sum(step.op_name == "softmax" for step in steps)
    context = next((step for step in after if step.op_name == "matmul"), weights)
    joined = next((step for step in after if step.op_name in ("merge_heads", "concat")), context)
    yield _mixing(recording, steps, weights, context, joined, separate)
    yield from _layers(recording, found[found.index(joined) + 1 :], notation)


def _mixing(
    recording: Recording, steps: Sequence[Step], weights: Step, context: Step, joined: Step, separate: int
) -> BlockPart:
    """What the heads do, from the scores to their contexts side by side."""
    form = weights.form
    place = form.axes.index("head") if "head" in form.axes else None
    count = separate if place is None else form.shape[place]
    heads = Number(str(count), count, weights.id, (), "count")
    if place is not None:
        heads = replace(heads, index=(place,), role="size")
    scaled = next((step for step in steps if step.op_name == "divide_by_root"), None)
    root = f" / √{scaled.settings['d']:g}" if scaled is not None else ""
    masks = [words for op, words in MASKS.items() if any(step.op_name == op for step in steps)]
    detail = f"softmax(Q Kᵀ{root}{' + mask' if masks else ''}) V"
    return BlockPart(
        context.id, "attention", masks[0] if masks else "", detail, _size(joined), _size(joined), heads, _size(context)
    )
