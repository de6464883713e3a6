"""Which step leads to which: a flow chart of the steps that have a name of their own."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..engine.errors import StepError
from ..engine.names import ends_in
from ..engine.recording import Recording
from ..engine.registry import nearest
from ..engine.steps import Step
from .document import Figure, Flow, FlowEdge, FlowNode
from .flow_layout import laid_out
from .notation import Notation, name_beside
from .sentences import say
from .story import is_told
from .view import Trace

MOST_NODES = 40
WEIGHTS = ("parameter", "constant")  # leaves that always stand beside what reads them
REPEATED = re.compile(r"(?:step|update)\d+")


def flow_of(trace: Trace, under: str = "", steps: Sequence[str] | None = None, most: int = MOST_NODES) -> Figure:
    """How the steps of the forward pass lead to each other: all of them, those of the module `under` which they lie, or
    just the named ones. Where there are more than `most`, each module is drawn as one.

    >>> import workings as w
    >>> figure = flow_of(w.scenario("cat-sat").trace())
    >>> [(node.name, node.row) for node in figure.data.nodes]
    [('scores', 0), ('scaled', 1), ('weights', 2), ('V', 3), ('context', 3)]
    >>> print(figure.alternative)
    Given: scores, V. scaled comes from scores by divide_by_root. weights comes from scaled by softmax. context comes \
from weights, V by matmul.
    """
    chart = chart_of(trace, under, steps, most)
    title = say("explain.figure.flow.under", under=chart.under) if chart.under else say("explain.figure.flow")
    return Figure("flow", title, chart.flow, _in_words(chart.flow), chart.note)


@dataclass(frozen=True)
class Chart:
    """A flow chart before it gets its words: the `parts` are the steps of each node."""

    flow: Flow
    parts: tuple[Part, ...]
    under: str
    note: str


def chart_of(trace: Trace, under: str = "", steps: Sequence[str] | None = None, most: int = MOST_NODES) -> Chart:
    """The nodes and edges of a flow chart, and what a reader must know about them."""
    recording, notes = trace.recording, []
    if steps is not None:
        chosen = [trace.find_step(name) for name in steps]
    else:
        told = [step for step in _forward(recording) if is_told(recording, step)]
        scopes = list(dict.fromkeys(scope for step in told if REPEATED.fullmatch(scope := step.path.split(".")[0])))
        if not under and len(scopes) > 1:
            under = scopes[0]
            notes.append(say("explain.figure.flow.one_step", scope=under, count=len(scopes)))
        under = _module(told, under)
        chosen = [step for step in told if not under or step.path.startswith(f"{under}.")]
    graph = _Graph.of(recording, chosen, only=steps is not None)
    count = len(graph.parts)
    if not count:
        raise StepError("figure.flow.empty", under=under or "-")
    graph = _folded(graph, under, most)
    if len(graph.parts) < count:
        notes.append(say("explain.figure.flow.modules", count=count))
    if len(graph.parts) > MOST_NODES:
        notes.append(say("explain.figure.flow.cut", shown=MOST_NODES, count=len(graph.parts)))
        graph = graph.first(MOST_NODES)
    graph, hosts = _beside_readers(graph)
    data = _drawn(recording, graph, hosts, under, trace.style.notation)
    return Chart(data, tuple(graph.parts), under, " ".join(notes))


def _forward(recording: Recording) -> Iterator[Step]:
    """The steps of the forward pass, without what is worked out from gradients, such as how large they are."""
    late: set[str] = set()
    for step in recording.steps.values():
        if step.stage == "forward":
            if any(id in late or recording.step(id).stage == "backward" for id in step.inputs):
                late.add(step.id)
            else:
                yield step


def _module(told: Iterable[Step], under: str) -> str:
    """The path of the module that is meant: a whole path, or the end of one."""
    paths = list(dict.fromkeys(path for step in told for path in _modules(step)))
    if not under or under in paths:
        return under
    found = [path for path in paths if ends_in(path, under)]
    if not found:
        raise StepError("figure.flow", under=under, nearest=nearest(under, paths) or ", ".join(paths[:8]))
    return found[0]


def _modules(step: Step) -> Iterator[str]:
    """The modules that a step lies in, from the outermost inwards."""
    parts = _parts(step)
    return (".".join(parts[:n]) for n in range(1, len(parts)))


def _parts(step: Step) -> list[str]:
    """The path of a step, of which the name is the last part, even if there are dots in it."""
    return [part for part in step.path[: len(step.path) - len(step.name)].split(".") if part] + [step.name]


@dataclass(frozen=True)
class Part:
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
class _Graph:
    """Nodes in the order of their results, and for each one the nodes that it reads, in the order of its inputs."""

    parts: list[Part]
    inputs: list[list[int]]

    @classmethod
    def of(cls, recording: Recording, chosen: list[Step], only: bool) -> _Graph:
        """Each step as a node, and what they read from outside. Steps without a name of their own are passed over, and
        so are all others where `only` these are wanted.
        """
        wanted = {step.id for step in chosen}
        reads = {step.id: _read_by(recording, step, wanted, only) for step in chosen}
        read = {id for found in reads.values() for id in found}
        # A leaf that nobody reads here says nothing.
        ids = {step.id for step in chosen if only or step.leaf is None} | read
        kept = [step for step in recording.steps.values() if step.id in ids]
        places = {step.id: place for place, step in enumerate(kept)}
        return cls([Part((step,)) for step in kept], [[places[id] for id in reads.get(s.id, [])] for s in kept])

    def grouped(self, keys: list[str]) -> _Graph:
        """The same with all nodes of one key as one node."""
        members: dict[str, list[int]] = {}
        for node, key in enumerate(keys):
            members.setdefault(key, []).append(node)
        # A module stands where its result is made.
        order = sorted(members.items(), key=lambda item: self._last(item[1]))
        places = {node: place for place, (_, nodes) in enumerate(order) for node in nodes}
        parts, inputs = [], []
        for place, (key, nodes) in enumerate(order):
            steps = tuple(step for node in nodes for step in self.parts[node].steps)
            parts.append(Part(steps, key if len(steps) > 1 else ""))
            read = dict.fromkeys(places[one] for node in nodes for one in self.inputs[node])
            inputs.append([one for one in read if one != place])
        return _Graph(parts, inputs)

    def _last(self, nodes: list[int]) -> int:
        return max([node for node in nodes if not self.parts[node].leaf] or nodes)

    def first(self, count: int) -> _Graph:
        return _Graph(self.parts[:count], [[one for one in read if one < count] for read in self.inputs[:count]])


def _read_by(recording: Recording, step: Step, wanted: set[str], only: bool) -> list[str]:
    """The nodes that lead to a step, in the order of its inputs."""
    found: dict[str, None] = {}
    waiting = [] if step.leaf else list(reversed(step.inputs))
    passed: set[str] = set()
    while waiting:
        id = waiting.pop()
        other = recording.step(id)
        if id in wanted or (not only and is_told(recording, other)):
            found[id] = None
        elif id not in passed and other.leaf is None:
            passed.add(id)
            waiting += reversed(other.inputs)
    return list(found)


def _folded(graph: _Graph, under: str, most: int) -> _Graph:
    """The graph with as few modules folded as it takes; what lies deepest comes first."""
    paths = [_parts(part.steps[0]) for part in graph.parts]
    outside = len(under.split(".")) if under else 0
    depth = max(map(len, paths), default=0)
    while len(graph.parts) > most and depth > outside + 1:
        depth -= 1
        graph = graph.grouped([".".join(path[:depth]) for path in paths])
        paths = [_parts(part.steps[0])[:depth] for part in graph.parts]
    return graph


def _drawn(recording: Recording, graph: _Graph, hosts: dict[int, int], under: str, notation: Notation) -> Flow:
    layout = laid_out(graph.inputs, hosts)
    singles = [part.result for place, part in enumerate(graph.parts) if not part.module and place not in hosts]
    nodes = []
    for place, part in enumerate(graph.parts):
        step, form = part.result, notation.form(part.result.form)
        name, op = part.module.removeprefix(f"{under}."), step.op_name
        if name:
            key = "weights" if part.is_weight else "folded"
            op = say(f"explain.figure.flow.{key}", count=len(part.steps))
        else:  # what stands beside its reader needs no path to be told apart
            name = name_beside(recording, step, [] if place in hosts else singles, notation)
        axes, shape = ((), ()) if part.module and part.leaf else (form.axes, form.shape)
        where = layout.rows[place], layout.columns[place]
        nodes.append(FlowNode(step.id, name, op, axes, shape, *where, part.leaf, place in hosts, module=part.module))
    edges = [
        FlowEdge(start, end, layout.rows[end] > layout.rows[start] + 1, layout.through.get((start, end), ()))
        for end, read in enumerate(graph.inputs)
        for start in read
    ]
    return Flow(tuple(nodes), tuple(edges))


def _beside_readers(graph: _Graph) -> tuple[_Graph, dict[int, int]]:
    """The graph with each weight beside every node that reads it, however many they are, and who stands beside whom.
    What is given stands there too, where something else comes from above; but something must stand above.
    """
    standing: set[int] = set()
    for read in graph.inputs:
        if all(graph.parts[one].leaf for one in read):
            standing.update([one for one in read if not graph.parts[one].is_weight] or read[:1])
    read_at_all = {one for read in graph.inputs for one in read}
    places: dict[int, int] = {}
    parts: list[Part] = []
    inputs: list[list[int]] = []
    hosts: dict[int, int] = {}
    for node, (part, read) in enumerate(zip(graph.parts, graph.inputs, strict=True)):
        if part.leaf and node in read_at_all - standing:
            continue  # it comes with its readers
        beside = [one for one in read if graph.parts[one].leaf and one not in standing]
        own = {one: len(parts) + n for n, one in enumerate(beside)}
        places[node] = len(parts) + len(beside)
        hosts |= dict.fromkeys(own.values(), places[node])
        parts += [*(graph.parts[one] for one in beside), part]
        inputs += [
            *([] for _ in beside),
            [own[one] if one in own else places[one] for one in read if one in own or one in places],
        ]
    return _Graph(parts, inputs), hosts


def _in_words(data: Flow) -> str:
    given = dict.fromkeys(node.name for node in data.nodes if node.leaf)
    told = [say("explain.figure.flow.leaf", names=", ".join(given))] if given else []
    for place, node in enumerate(data.nodes):
        inputs = [data.nodes[edge.start].name for edge in data.edges if edge.end == place]
        if inputs:
            told.append(say("explain.figure.flow.node", name=node.name, inputs=", ".join(inputs), op=node.op))
    return " ".join(told)
