"""A trace at a glance: its steps and modules, what the edits changed, the few numbers that a reader watches, and the
flow from step to step.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...conventions import PROFILES
from ...document.blocks import Document, Number
from ...document.numbers import apart
from ...engine.arrays import Index, is_float
from ...engine.errors import WorkingsError
from ...explain.step_view import StepView
from ...figures.flow import flow_of
from ..answers.trace import EditRow, ModuleEntry, Overview, Page, ScenarioKey, StepRow, Watched
from ..traces.cost import multiplications
from ..traces.earlier import before, is_changed
from ..traces.edits import read_edits, setting_now, settings_of
from ..traces.store import Opened
from .steps import step_rows

MOST_NODES = 14  # of a flow: more than these, and modules are drawn as one
LOSS, SHARES, TARGET = "loss", "P", "target"
MOST_WATCHED = 6
EXAMPLES = "example"  # the passes of several examples lie under example1, example2, ...


SETTING_LABELS = {
    "input": "Input text",
    "target": "Target word",
    "model.mask": "Mask",
    "model.norm": "Norm",
    "model.residual": "Residual connections",
    "model.position": "Positions",
    "model.heads": "Heads",
    "model.layers": "Blocks",
    "train.learning_rate": "Learning rate",
    "train.steps": "Training steps",
}


def overview(opened: Opened) -> Overview:
    """
    >>> from workings.lab.traces.store import Lab
    >>> from workings.lab.traces.wanted import Wanted
    >>> found = overview(Lab().open(Wanted("example-3", edits=("W_V[0][0]=0.3",))))
    >>> [step.name for step in found.steps if step.id in found.changed][:4]
    ['W_V', 'V', 'context', 'last']
    >>> [(watched.title, watched.before.text, watched.number.text) for watched in found.headline][0]
    ('loss', '1.3838', '1.3863')
    """
    wanted, trace, source = opened.wanted, opened.trace, opened.source
    rows = step_rows(trace)
    return Overview(
        key=opened.key,
        base=opened.base.key if opened.base is not None else "",
        title=source.title,
        source=wanted.source,
        run=wanted.run,
        runs=source.scenario.runs if source.scenario is not None else (wanted.run,),
        precision=trace.precision,
        convention=trace.convention.profile if trace.convention is not None else "",
        conventions=tuple(PROFILES),
        digits=trace.style.digits,
        count_from=trace.style.notation.count_from,
        steps=rows,
        modules=tuple(_modules(opened, rows)),
        changed=tuple(_changed(opened)),
        headline=tuple(_headline(opened)),
        edits=tuple(_edit_rows(opened)),
        keys=tuple(_keys(opened)),
        multiply_adds=multiplications(trace.recording),
    )


def flow(opened: Opened, under: str = "") -> Page:
    """The flow of the whole forward pass, or of one module, as a document with one figure.

    >>> from workings.lab.traces.store import Lab
    >>> from workings.lab.traces.wanted import Wanted
    >>> figure = flow(Lab().open(Wanted("example-6"))).document.blocks[0]
    >>> [node.module for node in figure.data.nodes if node.module]
    ['block1.attention', 'block1.feed_forward', 'block2.attention', 'block2.feed_forward']
    """
    figure = flow_of(opened.trace, under or _one_of_many(opened), most=MOST_NODES)
    return Page(Document(figure.title, (figure,), form="part"))


def _one_of_many(opened: Opened) -> str:
    """Where the same is computed for several examples, the flow of one of them says it all."""
    scopes = {step.path.partition(".")[0] for step in opened.trace.recording.steps.values()}
    return f"{EXAMPLES}1" if {f"{EXAMPLES}1", f"{EXAMPLES}2"} <= scopes else ""


def _modules(opened: Opened, rows: tuple[StepRow, ...]) -> Iterator[ModuleEntry]:
    """Every path that something lies under, outermost first."""
    trace = opened.trace
    groups = {group.path: group for group in trace.recording.groups.values() if not group.rule_of}
    paths: dict[str, None] = {}
    for row in rows:
        if row.told and row.module:
            parts = row.module.split(".")
            paths.update(dict.fromkeys(".".join(parts[:n]) for n in range(1, len(parts) + 1)))
    for path in paths:
        group = groups.get(path)
        summary = "" if group is None else group.op.page.summary
        title = trace.style.notation.path(path)
        yield ModuleEntry(path, title, path.rpartition(".")[0], "" if group is None else group.op.name, summary)


def _changed(opened: Opened) -> Iterator[str]:
    """The steps that have other numbers than before, and those that were not there."""
    if opened.base is None:
        return
    for view in opened.trace:
        if is_changed(view, before(opened, view)):
            yield view.id


def _headline(opened: Opened) -> Iterator[Watched]:
    """The losses, and how likely the model thinks what should come out."""
    trace = opened.trace
    losses = [view for view in trace.all(LOSS) if view.shape == () and view.step.stage == "forward"]
    shares = [view for view in trace.all(SHARES) if len(view.shape) == 1 and view.step.stage == "forward"]
    targets = [int(view.value) for view in trace.all(TARGET) if view.shape == ()]
    watched: list[tuple[StepView, Index]] = [(view, ()) for view in losses]
    watched += [(view, (target,)) for view, target in zip(shares, targets, strict=False)]
    for view, index in watched[:MOST_WATCHED]:
        if is_float(view.value):
            yield _watched(opened, view, index)


def _watched(opened: Opened, view: StepView, index: Index) -> Watched:
    style = opened.trace.style
    name = style.notation.path(view.path if len(opened.trace.all(view.name)) > 1 else view.name)
    words = opened.labels(view).get(view.axes[0], ()) if view.axes else ()
    label = words[index[0]] if index and index[0] < len(words) else "".join(map(str, index))
    title = f"{name} of {label}" if index else name
    earlier = before(opened, view)
    if earlier is None:
        return Watched(title, view.number(*index), None)
    style = apart(float(view.value[index]), float(earlier.value[index]), style)
    return Watched(title, view.number(*index, style=style), earlier.number(*index, style=style))


def _edit_rows(opened: Opened) -> Iterator[EditRow]:
    for edit in read_edits(opened.wanted.edits):
        assert opened.base is not None  # where there are edits, there is something before them
        if edit.is_number:
            earlier = _number_before(opened.base, edit.name, edit.index)
        else:
            earlier = _setting_before(opened.base, edit.name)
        yield EditRow(edit.text, edit.label, edit.value, earlier)


def _number_before(base: Opened, name: str, index: Index) -> str:
    """What stood in an entry; of a whole row or matrix nothing short can be said."""
    try:
        view = base.trace[name]
    except WorkingsError:  # an edit of a whole lesson may be one of another run
        return ""
    number: Number | None = view.number(*index) if len(index) == len(view.shape) else None
    return "" if number is None else number.text


def _setting_before(base: Opened, name: str) -> str:
    plan = base.source.plan
    return "" if plan is None else setting_now(plan, name)


def _keys(opened: Opened) -> Iterator[ScenarioKey]:
    plan = opened.source.plan
    if plan is not None:
        for key, choices in settings_of(plan).items():
            yield ScenarioKey(key, SETTING_LABELS[key], setting_now(plan, key), choices)
