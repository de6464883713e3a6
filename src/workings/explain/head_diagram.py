"""Several heads of attention as a diagram: what goes in, each head with its weights, and what is made of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ..engine.errors import CallError, StepError
from ..engine.form import shape_text
from ..engine.names import ends_in
from ..engine.recording import Recording
from ..engine.steps import Step
from .document import Axis, Figure, FlowNode, HeadBox, Heads, Number
from .grid import grid_of, scale_of
from .heads import AXIS, HeadView, Part
from .largest import largest_of
from .sentences import say
from .step_view import StepView
from .view import Trace
from .window import Labels, Window, window_of

MOST_HEADS = 16
MOST_WORDS = 12  # rows and columns of the weights of a head
PACKED, SEPARATE = "merge_heads", "concat"  # how heads are joined


def heads_of(trace: Trace, under: str = "", labels: Labels | None = None) -> Figure:
    """The heads of the module that is named, or of the first one that has several: packed in one array with an axis
    `head`, or computed one by one and joined.

    >>> import workings as w
    >>> print(heads_of(w.scenario("hello-world").trace(), labels={"query": ("a", "b"), "key": ("a", "b")}).alternative)
    X goes into 2 heads. head1: query 2 × head_size 2, its largest weight is 0.5789, from a to a. head2: query 2 × \
head_size 2, its largest weight is 0.6475, from a to b. They are joined to joined: token 2 × head_size 4. With W_O: \
joined 4 × model 4, attended is made of it: token 2 × model 4.
    """
    joined, more = _chosen(trace, under)
    heads = list(_heads(trace, joined))
    drawn = heads[:MOST_HEADS]
    windows = [window_of(trace, one.weights, labels, most=(MOST_WORDS,) * 2, turn=False) for one in drawn]
    scale = max((scale_of(window) for window in windows), key=_reach)
    boxes = tuple(
        HeadBox(one.name, one.context.id, one.axes, one.shape, grid_of(window, scale))
        for one, window in zip(drawn, windows, strict=True)
    )
    weight, result = _mixed(trace.recording, joined)
    inputs = tuple(_node(step, 0, place) for place, step in enumerate(_inputs(trace.recording, joined)))
    data = Heads(
        inputs,
        boxes,
        _node(joined, 2),
        None if weight is None else _node(weight, 3, beside=True),
        None if result is None else _node(result, 3),
    )
    module = _module(joined)
    title = say("explain.figure.heads.under", module=module) if module else say("explain.figure.heads")
    cut = say("explain.figure.first", shown=MOST_HEADS, count=len(heads)) if len(heads) > MOST_HEADS else ""
    notes = (windows[0].note, more, cut)
    return Figure("heads", title, data, _in_words(data, windows), " ".join(note for note in notes if note))


@dataclass(frozen=True)
class _Head:
    """What one head found, and the weights with which it did."""

    name: str
    context: Step
    weights: StepView
    axes: tuple[str, ...]
    shape: tuple[int, ...]


def _chosen(trace: Trace, under: str) -> tuple[Step, str]:
    """The step that joins the heads, and a word about the other ones."""
    found = [step for step in trace.recording.steps.values() if any(_heads(trace, step))]
    modules = list(dict.fromkeys(_module(step) for step in found))
    if not found:
        raise CallError("figure.heads")
    chosen = [step for step in found if not under or _module(step) == under or ends_in(_module(step), under)]
    if not chosen:
        raise StepError("figure.heads.under", under=under, modules=", ".join(modules))
    others = [module for module in modules if module != _module(chosen[0])]
    more = say("explain.figure.heads.more", modules=", ".join(others[:3])) if others and not under else ""
    return chosen[0], more


def _heads(trace: Trace, joined: Step) -> Iterator[_Head]:
    """The heads that a step joins; none where it joins something else."""
    if joined.stage != "forward" or joined.op_name not in (PACKED, SEPARATE):
        return
    recording = trace.recording
    contexts = [recording.step(id) for id in joined.inputs]
    weights = [_weights(recording, context) for context in contexts]
    if joined.op_name == PACKED and weights[0] is not None and AXIS in weights[0].form.axes:
        form = contexts[0].form
        place = form.axes.index(AXIS)
        kept = form.taking(n for n in range(len(form.shape)) if n != place)
        for number in range(1, form.shape[place] + 1):
            view = HeadView(trace, Part.of(recording, recording, weights[0], number))
            yield _Head(f"{AXIS}{number}", contexts[0], view, kept.axes, kept.shape)
    elif joined.op_name == SEPARATE and len(contexts) > 1 and all(weights):
        for number, (context, step) in enumerate(zip(contexts, weights, strict=True), start=1):
            assert step is not None
            name = _module(context).rpartition(".")[2] if _module(context) != _module(joined) else ""
            yield _Head(
                name or f"{AXIS}{number}", context, StepView(trace, step), context.form.axes, context.form.shape
            )


def _weights(recording: Recording, context: Step) -> Step | None:
    """The weights with which values were mixed: the result of a softmax, perhaps with dropout."""
    if context.op_name != "matmul":
        return None
    weights = source = recording.step(context.inputs[0])
    while source.op_name == "dropout":
        source = recording.step(source.inputs[0])
    return weights if source.op_name == "softmax" else None


def _module(step: Step) -> str:
    return step.path[: len(step.path) - len(step.name)].rstrip(".")


def _mixed(recording: Recording, joined: Step) -> tuple[Step | None, Step | None]:
    """The weight by which what was joined is mixed, and what comes of it."""
    for step in recording.steps.values():
        if step.stage == "forward" and joined.id in step.inputs and step.op_name in ("matmul", "linear"):
            return recording.step(step.inputs[1]), step
    return None, None


def _inputs(recording: Recording, joined: Step) -> list[Step]:
    """What the heads read: the steps before those of their module, and no weights."""
    module, seen, found = _module(joined), {joined.id}, []
    waiting = [joined]
    while waiting:
        for id in waiting.pop().inputs:
            step = recording.step(id)
            if id in seen:
                continue
            seen.add(id)
            if step.leaf is None and _is_inside(step, module):
                waiting.append(step)
            elif step.leaf in (None, "given"):
                found.append(step)
    return sorted(found, key=lambda step: list(recording.steps).index(step.id))


def _is_inside(step: Step, module: str) -> bool:
    """Whether a step belongs to the heads: to their module itself, or to a head that is one. A norm before them does
    not.
    """
    below = _module(step).removeprefix(module).strip(".")
    return _module(step).startswith(module) and (not below or below.startswith(AXIS))


def _node(step: Step, row: int, place: int = 0, beside: bool = False) -> FlowNode:
    form, leaf = step.form, step.leaf is not None
    return FlowNode(step.id, step.name, step.op_name, form.axes, form.shape, row, float(place), leaf, beside)


def _reach(scale: Axis) -> float:
    return scale.high


def _in_words(data: Heads, windows: list[Window]) -> str:
    names = ", ".join(node.name for node in data.inputs)
    told = [say("explain.figure.heads.inputs", names=names, count=len(data.heads))]
    for box, window in zip(data.heads, windows, strict=True):
        row, column, number = _largest(window)
        sizes = shape_text(box.axes, box.shape)
        told.append(
            say("explain.figure.heads.head", name=box.name, sizes=sizes, number=number.text, row=row, column=column)
        )
    joined = data.joined
    told.append(say("explain.figure.heads.joined", name=joined.name, sizes=shape_text(joined.axes, joined.shape)))
    if data.weight is not None and data.result is not None:
        weight, result = ((node.name, shape_text(node.axes, node.shape)) for node in (data.weight, data.result))
        both = {"weight": weight[0], "weight_sizes": weight[1], "result": result[0], "sizes": result[1]}
        told.append(say("explain.figure.heads.mixed", **both))
    return " ".join(told)


def _largest(window: Window) -> tuple[str, str, Number]:
    row, column = divmod(largest_of(window.numbers) or 0, len(window.column_names))
    return window.row_names[row], window.column_names[column], window.rows[row][column]
