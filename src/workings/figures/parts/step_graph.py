"""The steps of a forward pass as a graph, folded so that it has room on a page: what a flow chart is drawn from."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...document.notation import Notation, distinct_name
from ...engine.errors import StepError, nearest
from ...engine.names import ends_in
from ...engine.recording import Recording
from ...engine.steps import Step
from ...explain.story import is_shown
from ...explain.trace import Trace
from .flow_chart import Flow, FlowEdge, FlowNode
from .flow_layout import FlowLayout, laid_out
from .numbers import joined_notes

MAX_NODES = 40
WEIGHTS = ("parameter", "constant")  # leaves that are always at the side of what reads them
REPEATED = re.compile(r"(?:step|update)\d+")


@dataclass(frozen=True)
class FlowChart:
    """A flow chart without its words: the `parts` are the steps of each node."""

    flow: Flow
    parts: tuple[ChartPart, ...]
    under: str
    note: str


def chart_of(trace: Trace, under: str = "", steps: Sequence[str] | None = None, most: int = MAX_NODES) -> FlowChart:
    """The nodes and edges of a flow chart, and what a reader must know about them."""
    recording, notes = trace.recording, []
    if steps is not None:
        chosen = [trace.find_step(name) for name in steps]
    else:
        named = [step for step in forward_steps(recording) if is_shown(recording, step)]
        scopes = list(dict.fromkeys(scope for step in named if REPEATED.fullmatch(scope := step.path.split(".")[0])))
        if not under and len(scopes) > 1:
            under = scopes[0]
            notes.append(f"This is {under}, the first of {len(scopes)} that look the same.")
        under = _module(named, under)
        chosen = [step for step in named if not under or step.path.startswith(f"{under}.")]
    graph = StepGraph.of(recording, chosen, only=steps is not None)
    count = len(graph.parts)
    if not count:
        raise StepError(
            f"No step is computed in {under or 'this trace'}, so there is no flow to draw.",
            hint="Choose a module of the forward pass, or draw all of it.",
        )
    graph = _folded(graph, under, most)
    if len(graph.parts) < count:
        notes.append(f"There are {count} steps, so the steps of a module are drawn as one.")
    if len(graph.parts) > MAX_NODES:
        notes.append(f"Only the first {MAX_NODES} of {len(graph.parts)} are drawn.")
        graph = graph.first(MAX_NODES)
    graph, hosts = _at_readers(graph)
    data = _drawn(recording, graph, hosts, under, trace.style.notation)
    return FlowChart(data, tuple(graph.parts), under, joined_notes(*notes))


def forward_steps(recording: Recording) -> Iterator[Step]:
    """The steps of the forward pass, without what is computed from gradients, such as how large they are."""
    late: set[str] = set()
    for step in recording.steps.values():
        if step.stage == "forward":
            if any(id in late or recording.step(id).stage == "backward" for id in step.inputs):
                late.add(step.id)
            else:
                yield step


def _module(steps: Iterable[Step], under: str) -> str:
    """The path of a module from a whole path, or from the end of one."""
    paths = list(dict.fromkeys(path for step in steps for path in _modules(step)))
    if not under or under in paths:
        return under
    found = [path for path in paths if ends_in(path, under)]
    if not found:
        raise StepError(
            f"There is no module '{under}'.", hint=f"Modules: {nearest(under, paths) or ', '.join(paths[:8])}."
        )
    return found[0]


def _modules(step: Step) -> Iterator[str]:
    """The modules that a step lies in, from the outermost inwards."""
    parts = _parts(step)
    return (".".join(parts[:n]) for n in range(1, len(parts)))


def _parts(step: Step) -> list[str]:
    """The path of a step, of which the name is the last part, even if there are dots in it."""
    return [part for part in step.path[: len(step.path) - len(step.name)].split(".") if part] + [step.name]


@dataclass(frozen=True)
class ChartPart:
    """One node: a step, or the steps of a module."""

    steps: tuple[Step, ...]
    module: str = ""

    @property
    def result(self) -> Step:
        made = [step for step in self.steps if step.leaf is None]
        return (made or list(self.steps))[-1]

    @property
    def leaf(self) -> bool:
        """Whether it comes from outside: it is given, or a step before this one has made it."""
        return all(step.leaf is not None or step.stage == "update" for step in self.steps)

    @property
    def is_weight(self) -> bool:
        return all(step.leaf in WEIGHTS or step.stage == "update" for step in self.steps)


@dataclass(frozen=True)
class StepGraph:
    """Nodes in the order of their results, and for each one the nodes that it reads, in the order of its inputs."""

    parts: list[ChartPart]
    inputs: list[list[int]]

    @classmethod
    def of(cls, recording: Recording, chosen: list[Step], only: bool) -> StepGraph:
        """Each step as a node, and what they read from outside. Steps without a name of their own are passed over, and
        so are all others with `only`.
        """
        wanted = {step.id for step in chosen}
        reads = {step.id: _read_by(recording, step, wanted, only) for step in chosen}
        read = {id for found in reads.values() for id in found}
        # A leaf that no step reads here says nothing.
        ids = {step.id for step in chosen if only or step.leaf is None} | read
        kept = [step for step in recording.steps.values() if step.id in ids]
        places = {step.id: place for place, step in enumerate(kept)}
        return cls([ChartPart((step,)) for step in kept], [[places[id] for id in reads.get(s.id, [])] for s in kept])

    def grouped(self, keys: list[str]) -> StepGraph:
        """The same with all nodes of one key as one node."""
        members: dict[str, list[int]] = {}
        for node, key in enumerate(keys):
            members.setdefault(key, []).append(node)
        # A module is where its result is made.
        order = sorted(members.items(), key=lambda item: self._last(item[1]))
        places = {node: place for place, (_, nodes) in enumerate(order) for node in nodes}
        parts, inputs = [], []
        for place, (key, nodes) in enumerate(order):
            steps = tuple(step for node in nodes for step in self.parts[node].steps)
            parts.append(ChartPart(steps, key if len(steps) > 1 else ""))
            read = dict.fromkeys(places[one] for node in nodes for one in self.inputs[node])
            inputs.append([one for one in read if one != place])
        return StepGraph(parts, inputs)

    def _last(self, nodes: list[int]) -> int:
        return max([node for node in nodes if not self.parts[node].leaf] or nodes)

    def first(self, count: int) -> StepGraph:
        return StepGraph(self.parts[:count], [[one for one in read if one < count] for read in self.inputs[:count]])


def _read_by(recording: Recording, step: Step, wanted: set[str], only: bool) -> list[str]:
    """The nodes that lead to a step, in the order of its inputs."""
    found: dict[str, None] = {}
    waiting = [] if step.leaf else list(reversed(step.inputs))
    passed: set[str] = set()
    while waiting:
        id = waiting.pop()
        other = recording.step(id)
        if id in wanted or (not only and is_shown(recording, other)):
            found[id] = None
        elif id not in passed and other.leaf is None:
            passed.add(id)
            waiting += reversed(other.inputs)
    return list(found)


def _folded(graph: StepGraph, under: str, most: int) -> StepGraph:
    """The graph with as few modules folded as it takes; what lies deepest comes first."""
    paths = [_parts(part.steps[0]) for part in graph.parts]
    outside = len(under.split(".")) if under else 0
    depth = max(map(len, paths), default=0)
    while len(graph.parts) > most and depth > outside + 1:
        depth -= 1
        graph = graph.grouped([".".join(path[:depth]) for path in paths])
        paths = [_parts(part.steps[0])[:depth] for part in graph.parts]
    return graph


def _drawn(recording: Recording, graph: StepGraph, hosts: dict[int, int], under: str, notation: Notation) -> Flow:
    layout = laid_out(graph.inputs, hosts)
    singles = [part.result for place, part in enumerate(graph.parts) if not part.module and place not in hosts]
    nodes = []
    for place, part in enumerate(graph.parts):
        step, form = part.result, notation.form(part.result.form)
        name, op = part.module.removeprefix(f"{under}."), step.op_name
        if name:
            op = f"{len(part.steps)} {'weights' if part.is_weight else 'steps'}"
        else:  # what is at the side of its reader needs no path to be distinguished
            name = distinct_name(recording, step, [] if place in hosts else singles, notation)
        axes, shape = ((), ()) if part.module and part.leaf else (form.axes, form.shape)
        where = layout.rows[place], layout.columns[place]
        nodes.append(FlowNode(step.id, name, op, axes, shape, *where, part.leaf, place in hosts, module=part.module))
    return Flow(tuple(nodes), edges_of(graph.inputs, layout))


def edges_of(inputs: Sequence[Sequence[int]], layout: FlowLayout) -> tuple[FlowEdge, ...]:
    """An edge from each node to each one that reads it."""
    return tuple(
        FlowEdge(start, end, layout.rows[end] > layout.rows[start] + 1, layout.through.get((start, end), ()))
        for end, read in enumerate(inputs)
        for start in read
    )


def _at_readers(graph: StepGraph) -> tuple[StepGraph, dict[int, int]]:
    """The graph with each weight at the side of every node that reads it, however many they are, and the reader of
    each. What is given is there too, where something else comes from above; but something must come from above.
    """
    above: set[int] = set()
    for read in graph.inputs:
        if all(graph.parts[one].leaf for one in read):
            above.update([one for one in read if not graph.parts[one].is_weight] or read[:1])
    read_at_all = {one for read in graph.inputs for one in read}
    places: dict[int, int] = {}
    parts: list[ChartPart] = []
    inputs: list[list[int]] = []
    hosts: dict[int, int] = {}
    for node, (part, read) in enumerate(zip(graph.parts, graph.inputs, strict=True)):
        if part.leaf and node in read_at_all - above:
            continue  # it comes with its readers
        leaves = [one for one in read if graph.parts[one].leaf and one not in above]
        own = {one: len(parts) + n for n, one in enumerate(leaves)}
        places[node] = len(parts) + len(leaves)
        hosts |= dict.fromkeys(own.values(), places[node])
        parts += [*(graph.parts[one] for one in leaves), part]
        inputs += [
            *([] for _ in leaves),
            [own[one] if one in own else places[one] for one in read if one in own or one in places],
        ]
    return StepGraph(parts, inputs), hosts
