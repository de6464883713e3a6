"""Flow charts: what each node is, how many steps a module has, who leads to whom, and the gradients on the way back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from .matrices import leads
from .runs import Run, Runs

Block = Mapping[str, Any]
Faults = Iterator[tuple[str, str]]


def flow_faults(flow: Block, runs: Runs) -> Faults:
    for node in flow["nodes"]:
        run, id = runs.step(node["step"])
        step = run.steps[id]
        told = (list(node["axes"]), list(node["shape"]), node["op"], node["leaf"])
        true = (list(step["axes"]), list(run.judged[id].shape), step["op"], step["kind"] == "leaf")
        if node["module"]:  # a module as one node: it says how many steps it has
            members = steps_in(run, node["module"])
            made = [one for one in members if run.steps[one]["kind"] != "leaf"]
            true = (*(true[:2] if made else ([], [])), f"{len(members)} {'steps' if made else 'weights'}", not made)
            if id != (made or members)[-1]:
                yield node["name"], f"its result is {run.steps[(made or members)[-1]]['path']}"
        if told != true:
            yield node["name"], f"{told} should be {true}"


def steps_in(run: Run, module: str) -> list[str]:
    """The steps of a module in the forward pass that have a name, and its leaves that one of them reads."""
    inner = {id for step in run.steps.values() if step["kind"] == "composite" for id in step["inside"]}
    forward = {id: step for id, step in run.steps.items() if step["pass"] == "forward" and step["kind"] != "group"}
    read = {id for step in forward.values() for id in step["inputs"]}
    return [
        id
        for id, step in forward.items()
        if step["path"].startswith(f"{module}.")
        and id not in inner
        and step.get("named", True)
        and (step["kind"] != "leaf" or id in read)
    ]


def count_in(flow: Block, runs: Runs) -> int:
    """How many steps the nodes stand for, each counted once."""
    found: set[str] = set()
    for node in flow["nodes"]:
        run, id = runs.step(node["step"])
        found.update(steps_in(run, node["module"]) if node["module"] else [id])
    return len(found)


def edge_faults(flow: Block, runs: Runs) -> Faults:
    nodes = flow["nodes"]
    for edge in flow["edges"]:
        run, start = runs.step(nodes[edge["start"]]["step"])
        end = runs.step(nodes[edge["end"]]["step"])[1]
        if not leads(run, start, end):
            yield nodes[edge["start"]]["name"], f"it does not lead to {nodes[edge['end']]['name']}"


def graph_faults(flow: Block, runs: Runs) -> Faults:
    """The circle of an op reads the boxes of its inputs, in their order; the box of its result follows it."""
    nodes = flow["nodes"]
    for place, node in enumerate(nodes):
        run, id = runs.step(node["step"])
        step = run.steps[id]
        sources = [nodes[edge["start"]] for edge in flow["edges"] if edge["end"] == place]
        read = [runs.step(source["step"])[1] for source in sources]
        if node["sign"]:
            if read != step["inputs"] or any(source["sign"] for source in sources):
                yield node["sign"], f"it reads {read}, not {step['inputs']}"
            continue
        # A value that nothing leads to is a leaf, or the drawing ends there.
        if sources and (len(sources) > 1 or read[0] not in (id, *step["inside"][-1:]) or not sources[0]["sign"]):
            yield node["name"], f"it is made by {read}"
        yield from single_faults(node, runs)


def single_faults(node: Block, runs: Runs) -> Faults:
    """A single number stands with its value, and with its own gradient."""
    run, id = runs.step(node["step"])
    if (node["value"] is not None) != (math.prod(run.steps[id]["shape"]) == 1):
        yield node["name"], f"its shape is {run.steps[id]['shape']}"
    if node["value"] is not None and node["value"]["step"] != node["step"]:
        yield node["value"]["text"], f"it is an entry of {node['value']['step']}"
    if node["gradient"]:
        yield from gradient_faults(node, runs)


def backward_faults(flow: Block, runs: Runs) -> Faults:
    """Each gradient is that of its node, and its entry the largest; and from each the gradients that are next on the
    way back are reached by an edge, and no others.
    """
    nodes = flow["nodes"]
    drawn = [runs.step(node["gradient"]["step"]) for node in nodes if node["gradient"]]
    for node in nodes:
        if node["gradient"]:
            yield from gradient_faults(node, runs)
    run, ids = drawn[0][0], {id for _, id in drawn}
    told = {
        tuple(runs.step(nodes[edge[end]]["gradient"]["step"])[1] for end in ("start", "end")) for edge in flow["edges"]
    }
    true = {(start, id) for id in ids for start in nearest(run, id, ids)}
    for start, end in told ^ true:
        names = run.steps[start]["path"], run.steps[end]["path"]
        yield " -> ".join(names), "there is no such way" if (start, end) in told else "no edge leads this way"


def gradient_faults(node: Block, runs: Runs) -> Faults:
    gradient, (run, id) = node["gradient"], runs.step(node["step"])
    back = run.steps[runs.step(gradient["step"])[1]]
    if (back["pass"], back["twin"]) != ("backward", id) or back["name"] != f"d{run.steps[id]['name']}":
        yield gradient["name"], f"{back['path']} is not the gradient of {run.steps[id]['path']}"
    largest, truth = gradient["largest"], run.judged[back["id"]].abs()
    if largest["step"] != gradient["step"] or not math.isclose(
        truth[tuple(largest["index"])], truth.max(), rel_tol=1e-9
    ):
        yield largest["text"], f"the largest entry of {back['path']} is {truth.max()}"
    if gradient["place"] != "".join(f"[{at}]" for at in largest["index"]):
        yield gradient["place"], f"the entry is {largest['index']}"
    updated = {step["twin"] for step in run.steps.values() if step["pass"] == "update"} - {None}
    if gradient["learns"] and (run.steps[id]["op"] != "parameter" if not updated else id not in updated):
        yield node["name"], "nothing changes it"


def nearest(run: Run, end: str, among: set[str]) -> Iterator[str]:
    """The gradients among these that another one comes from, without passing a third."""
    waiting, seen = list(run.steps[end]["inputs"]), set[str]()
    while waiting:
        id = waiting.pop()
        if id in among:
            yield id
        elif id not in seen and run.steps[id]["pass"] == "backward":
            seen.add(id)
            waiting += run.steps[id]["inputs"]


EDGES = {"flow": edge_faults, "backward": backward_faults, "graph": graph_faults}
