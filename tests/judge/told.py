"""What a figure says in words: each number and each name in it, in their order, must be those that the picture shows.

The wording is free. What must be told is a list of names and values, and between them there may be no other number.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .digits import shows
from .runs import Runs

Block = Mapping[str, Any]
Told = Iterator[str | float]  # names as they are, and values that a text must show
NUMBER = re.compile(r"(?<![\w.\[])[-−]?(?:\d+(?:[.,]\d+)*(?:e[+-]?\d+)?|∞)")  # not the 1 of head1, nor that of key[1]
MANY_BARS, MANY_POINTS, MANY_ROWS, MANY_LINES = 8, 12, 8, 6  # from here on only the ends are told, or the first


def first_fault(text: str, told: list[str | float]) -> str:
    """What a text does not tell, or tells besides; nothing where it tells just this.

    >>> first_fault("A 0.25 and head1 -1", ["A", 0.251, -1.0])
    ''
    >>> first_fault("A 0.25 and B 7", ["A", 0.251, "B"]), first_fault("A 0.25", ["A", 0.31])
    ('7 is told besides', '0.25 should be 0.31')
    """
    for item in (item for item in told if item != ""):  # what has no name
        number = NUMBER.search(text)
        if isinstance(item, str):
            before, name, text = text.partition(item)
            if not name:
                return f"{item!r} is not told"
            if NUMBER.search(before):
                return f"{NUMBER.findall(before)[0]} is told besides"
        elif number is None:
            return f"{item!r} is not told"
        elif not shows(number[0].replace("−", "-"), named(item)):
            return f"{number[0]} should be {item!r}"
        else:
            text = text[number.end() :]
    rest = NUMBER.search(text)
    return f"{rest[0]} is told besides" if rest else ""


def named(value: float | str) -> float | str:
    return str(value) if value in (float("inf"), -float("inf")) else value


def is_finite(value: Any) -> bool:
    return not isinstance(value, str)


# -- form by form ------------------------------------------------------------------------------------


def of_heatmap(grid: Block, runs: Runs) -> Told:
    """How large it is; then the lowest and the highest entry, and where they are."""
    entries = {
        (row, column): number["value"]
        for row, numbers in enumerate(grid["rows"])
        for column, number in enumerate(numbers)
        if is_finite(number["value"])
    }
    yield from (float(len(grid["rows"])), float(len(grid["rows"][0])))
    ends = min(entries, key=lambda at: entries[at]), max(entries, key=lambda at: entries[at])
    if entries[ends[0]] == entries[ends[1]]:
        yield entries[ends[0]]
        return
    rows, columns = row_names(grid, runs), column_names(grid, runs)
    for row, column in ends:
        yield entries[row, column]
        yield from (rows[row], columns[column])


def of_links(grid: Block, runs: Runs) -> Told:
    """Row by row each line that can be drawn; of many, the strongest."""
    columns = column_names(grid, runs)
    for name, row in zip(row_names(grid, runs), grid["rows"], strict=True):
        yield name
        lines = [(column, one["value"]) for column, one in zip(columns, row, strict=True) if is_finite(one["value"])]
        if len(row) > MANY_LINES and lines:
            lines = [max(lines, key=lambda line: abs(line[1]))]
        for column, value in lines:
            yield from (column, value)


def of_mask(grid: Block, runs: Runs) -> Told:
    """Row by row, who is seen: all of them, those that are named, or nothing."""
    seen = grid["seen"]
    if len(seen) > MANY_ROWS or len(seen[0]) > MANY_ROWS:
        yield from (float(sum(map(sum, seen))), float(len(seen) * len(seen[0])))
        return
    columns = column_names(grid, runs)
    for name, row in zip(row_names(grid, runs), seen, strict=True):
        yield name
        if all(row) and len(row) > 1:
            yield float(len(row))
        else:
            yield from (column for column, is_seen in zip(columns, row, strict=True) if is_seen)


def of_windows(windows: Block, runs: Runs) -> Told:
    """The same, and the token that comes next: the predicted one with its probability, and the answer."""
    yield from of_mask(windows, runs)
    for one in windows["following"]:
        if one["probability"]:
            yield from (one["word"], one["probability"]["value"], one["answer"])


def row_names(grid: Block, runs: Runs) -> list[str]:
    return grid["row_labels"] or places(grid, "rows_are", len(grid["rows"]), 2, runs)


def column_names(grid: Block, runs: Runs) -> list[str]:
    return grid["column_labels"] or places(grid, "columns_are", len(grid["rows"][0]), 1, runs)


def places(grid: Block, axis: str, count: int, from_the_end: int, runs: Runs) -> list[str]:
    """Places without labels: `key[0]`, or nothing at all where there is no such axis."""
    run, id = runs.step(grid["step"])
    return [f"{grid[axis]}[{at}]" if len(run.steps[id]["shape"]) >= from_the_end else "" for at in range(count)]


def of_bars(bars: Block, runs: Runs) -> Told:
    """Each bar; of many, how many there are, the lowest and the highest."""
    for group in bars["groups"]:
        yield group["title"]
        drawn = [bar for bar in group["bars"] if is_finite(bar["number"]["value"])]
        if len(group["bars"]) > MANY_BARS and drawn:
            yield float(len(group["bars"]))
            for choose in (min, max):
                end = choose(drawn, key=lambda bar: float(bar["number"]["value"]))
                yield from (end["number"]["value"], end["label"])
        else:
            for bar in group["bars"]:
                yield from (bar["label"], float(bar["number"]["value"]))


def of_plane(plane: Block, runs: Runs) -> Told:
    """Each point, or whence and whither each goes; of many, the first, and how many more there are."""
    points = [[(group, at)] for group, part in enumerate(plane["groups"]) for at in range(len(part["points"]))]
    ways = [[trail["start"], trail["end"]] for trail in plane["trails"]] or points
    for way in ways[:MANY_POINTS]:
        ends = [plane["groups"][group]["points"][at] for group, at in way]
        yield ends[0]["label"]
        for point in ends:
            yield from (point["across"]["value"], point["up"]["value"])
    if len(ways) > MANY_POINTS:
        yield float(len(ways) - MANY_POINTS)


def of_chain(chain: Block, runs: Runs) -> Told:
    """Each state: its name, its word, its number."""
    for state in chain["states"]:
        yield from (state["name"], state["word"], state["number"]["value"])


def of_heads(heads: Block, runs: Runs) -> Told:
    """What goes in; each head with its sizes and its largest weight of a query that has several keys to choose from;
    what is joined, and what is made of it.
    """
    yield from (node["name"] for node in heads["inputs"])
    yield float(len(heads["heads"]))
    for box in heads["heads"]:
        grid = box["weights"]
        entries = {
            (row, column): number["value"]
            for row, numbers in enumerate(grid["rows"])
            for column, number in enumerate(numbers)
            if is_finite(number["value"])
        }
        choosing = [
            row for row in range(len(grid["rows"])) if sum(bool(entries[at]) for at in entries if at[0] == row) > 1
        ]
        open_entries = [at for at in entries if at[0] in choosing] or list(entries)
        row, column = max(open_entries, key=lambda at: entries[at])
        yield from (box["name"], *sizes_of(box), entries[row, column])
        yield from (row_names(grid, runs)[row], column_names(grid, runs)[column])
    for node in (heads["joined"], heads["weight"], heads["result"]):
        if node:
            yield from (node["name"], *sizes_of(node))


def sizes_of(part: Block) -> Told:
    for axis, size in zip(part["axes"], part["shape"], strict=True):
        yield from (axis, float(size))


def of_lines(lines: Block, runs: Runs) -> Told:
    """Of each line the first value, the last and the lowest, each with its step."""
    for line in lines["lines"]:
        run, name = runs.named(line["history"])
        found = [(value, float(at)) for at, value in enumerate(run.histories[name], 1) if is_finite(value)]
        lowest, highest = min(found), max(found)
        yield line["name"]
        yield from found[0]
        if len(found) > 1:
            yield from (found[-1] if lowest[0] != highest[0] else found[-1][1:])
        if lowest[0] != highest[0]:
            yield from lowest


def of_flow(flow: Block, runs: Runs) -> Told:
    """What is given, and what each of the others comes from."""
    nodes = flow["nodes"]
    yield from dict.fromkeys(node["name"] for node in nodes if node["leaf"])
    for place, node in enumerate(nodes):
        inputs = [nodes[edge["start"]]["name"] for edge in flow["edges"] if edge["end"] == place]
        if inputs:
            yield from (node["name"], *inputs, node["op"])


def of_backward(flow: Block, runs: Runs) -> Told:
    """From the result upwards: where each gradient comes from, and its largest entry; what learns; what has none."""
    nodes = flow["nodes"]
    for place in sorted(range(len(nodes)), key=lambda place: -nodes[place]["row"]):
        gradient = nodes[place]["gradient"]
        if gradient:
            inputs = [nodes[edge["start"]]["gradient"]["name"] for edge in flow["edges"] if edge["end"] == place]
            largest = gradient["largest"]
            index = "".join(f"[{at}]" for at in largest["index"])
            yield from ((gradient["name"], *inputs) if inputs else ())
            yield from (gradient["name"] + index, largest["value"])
    yield from dict.fromkeys(node["name"] for node in nodes if node["gradient"] and node["gradient"]["learns"])
    yield from dict.fromkeys(node["name"] for node in nodes if not node["gradient"])


def of_graph(flow: Block, runs: Runs) -> Told:
    """Each value: what it is made from, then its number or its sizes, and its gradient."""
    nodes = flow["nodes"]
    for place, node in enumerate(nodes):
        if node["sign"]:
            continue
        yield node["name"]
        for circle in (edge["start"] for edge in flow["edges"] if edge["end"] == place):
            yield nodes[circle]["op"]
            yield from (nodes[edge["start"]]["name"] for edge in flow["edges"] if edge["end"] == circle)
        if node["value"]:
            yield node["value"]["value"]
        for axis, size in zip(node["axes"], node["shape"], strict=True) if not node["value"] else ():
            yield from (axis, float(size))
        if node["gradient"]:
            yield from (node["gradient"]["name"], node["gradient"]["largest"]["value"])


def of_treemap(treemap: Block, runs: Runs) -> Told:
    """The whole, if it is told, and each area from the largest on; of many, the first, and how many more there are."""
    leaves = [area for area in treemap["areas"] if not area["is_group"]]
    yield from (float(area["number"]["value"]) for area in treemap["areas"] if area["is_group"] and not area["path"])
    leaves.sort(key=lambda area: -area["number"]["value"])
    for area in leaves[:MANY_POINTS]:
        yield from (area["path"] or area["label"], float(area["number"]["value"]))
    if len(leaves) > MANY_POINTS:
        yield float(len(leaves) - MANY_POINTS)


TOLD = {
    "heatmap": of_heatmap,
    "mask": of_mask,
    "links": of_links,
    "windows": of_windows,
    "bars": of_bars,
    "plane": of_plane,
    "vectors": of_plane,
    "chain": of_chain,
    "heads": of_heads,
    "lines": of_lines,
    "flow": of_flow,
    "backward": of_backward,
    "graph": of_graph,
    "treemap": of_treemap,
}


# -- notes -------------------------------------------------------------------------------------------


def counted(figure: Block, runs: Runs) -> Iterator[int]:
    """What a note may count: how much is shown of how much, and how much is left out."""
    data = figure["data"]
    if figure["form"] == "lines":
        histories = [runs.named(line["history"]) for line in data["lines"]]
        yield max(point["last"] - point["first"] + 1 for line in data["lines"] for point in line["points"])
        yield sum(not is_finite(value) for run, name in histories for value in run.histories[name])
    if "nodes" in data:
        yield from of_flow_counted(data, runs)
    if "heads" in data:
        run, joined = runs.step(data["joined"]["step"])
        yield from (len(data["heads"]), len(run.steps[joined]["inputs"]))
    numbers = [number for number in shown(data) if number["step"]]
    if numbers:
        run, id = runs.step(numbers[0]["step"])
        yield from run.judged[id].shape
        yield sum(not is_finite(number["value"]) for number in numbers)
    for area in data.get("areas", [])[:1]:  # all weights
        run, _ = runs.step(area["number"]["step"])
        yield sum(step["op"] == "parameter" for step in run.steps.values())
    if "rows" in data:
        yield from (len(data["rows"]), len(data["rows"][0]))
    for group in data.get("groups", []):
        yield from (len(data["groups"]), len(group.get("points") or group["bars"]))


def shown(node: Any) -> Iterator[Block]:
    if isinstance(node, Mapping):
        if node.get("kind") == "number":
            yield node
        node = list(node.values())
    if isinstance(node, list):
        for item in node:
            yield from shown(item)


def of_flow_counted(flow: Block, runs: Runs) -> Iterator[int]:
    """How many nodes there are, and how many steps of training are like the one that is drawn."""
    run, _ = runs.step(flow["nodes"][0]["step"])
    scopes = {step["path"].split(".")[0] for step in run.steps.values()}
    yield len(flow["nodes"])
    yield sum(bool(re.fullmatch(r"(?:step|update)\d+", scope)) for scope in scopes)
