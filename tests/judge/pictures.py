"""What figures show beside their numbers: points of lines, the reach of grids, ticks, sizes, and who leads to whom."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from .areas import area_faults
from .composed import FAULTS, IN_NOTE, IN_TITLE, IN_WORDS
from .flows import EDGES, count_in, flow_faults
from .matrices import leads
from .runs import NotThereError, Runs
from .told import NUMBER, TOLD, counted, first_fault

Block = Mapping[str, Any]
Faults = Iterator[tuple[str, str]]

NEAR = 0.05  # of the axes: points that may have one label


def picture_faults(figure: Block, runs: Runs) -> Faults:
    form = figure["form"]
    yield from FAULTS[form](figure["data"], runs) if form in FAULTS else chart_faults(figure, runs)
    yield from words_faults(figure, runs)


def words_faults(figure: Block, runs: Runs) -> Faults:
    """Whatever is wrong with the words that stand for a picture, with its title and with its note."""
    form, data, note, title = (figure[key] for key in ("form", "data", "note", "title"))
    told = (IN_WORDS.get(form) or TOLD[form])(data, runs)
    fault = first_fault(figure["alternative"], list(told))
    if fault:
        yield figure["alternative"], fault
    if form in FAULTS:
        fault = first_fault(note, list(IN_NOTE[form](data, runs, note)) if form in IN_NOTE else [])
        if fault:
            yield note, fault
    else:
        counts = {str(count) for count in counted(figure, runs)}
        counts |= {str(count_in(data, runs))} if "nodes" in data else set()
        for found in NUMBER.findall(note):
            if found not in counts:
                yield note, f"{found} is no count of what the figure shows: {', '.join(sorted(counts))}"
    if NUMBER.search(title):
        fault = first_fault(title, list(IN_TITLE[form](data)) if form in IN_TITLE else [])
        if fault:
            yield title, f"a number in the title: {fault}"


def chart_faults(figure: Block, runs: Runs) -> Faults:
    data = figure["data"]
    for name in ("across", "up", "axis"):
        if name in data:
            yield from axis_faults(data[name])
    if "lines" in data:
        for line in data["lines"]:
            yield from line_faults(line, runs)
    if "rows" in data:
        yield from grid_faults(data, runs)
    if "following" in data:
        yield from following_faults(data, runs)
    if "areas" in data:
        yield from area_faults(data, runs)
    if "nodes" in data:
        yield from flow_faults(data, runs)
        yield from EDGES[figure["form"]](data, runs)
    if "heads" in data:
        yield from heads_faults(data, runs)
    if "states" in data:
        yield from chain_faults(data, runs)
    if figure["form"] == "plane":
        yield from label_faults(data)
    if figure["form"] == "vectors":
        yield from same_scale_faults(data)
    for trail in data.get("trails", []):
        for group, point in (trail["start"], trail["end"]):
            if not (group < len(data["groups"]) and point < len(data["groups"][group]["points"])):
                yield "trail", f"there is no point {point} in group {group}"
                return


def axis_faults(axis: Block) -> Faults:
    if not axis["low"] < axis["high"]:
        yield axis["title"], f"it reaches from {axis['low']} to {axis['high']}"
    for tick in axis["ticks"]:
        written = float(tick["text"].replace("−", "-").replace(",", "."))
        if not math.isclose(written, tick["value"], rel_tol=1e-9, abs_tol=1e-12):
            yield tick["text"], f"the tick stands at {tick['value']}"


def heads_faults(heads: Block, runs: Runs) -> Faults:
    """What goes in leads to each head, and each head to what is joined; its weights mix what it found."""
    nodes = [node for node in (*heads["inputs"], heads["joined"], heads["weight"], heads["result"]) if node]
    yield from flow_faults({"nodes": nodes, "edges": []}, runs)
    last = heads["result"] or heads["joined"]
    for place, box in enumerate(heads["heads"]):
        yield from grid_faults(box["weights"], runs)
        run, id = runs.step(box["step"])
        step = run.steps[id]
        whole = list(zip(step["axes"], run.judged[id].shape, strict=True))
        told = list(zip(box["axes"], box["shape"], strict=True))
        if told != [axis for axis in whole if axis[0] != "head"]:
            yield box["name"], f"{told} should be {whole}"
        weights = runs.step(box["weights"]["step"])[1]
        if step["inputs"][0] != weights:
            yield box["name"], "it was not found with these weights"
        for number in (number for row in box["weights"]["rows"] for number in row):
            axes = run.steps[weights]["axes"]
            if "head" in axes and number["index"][axes.index("head")] != place:
                yield number["text"], f"it is no weight of {box['name']}"
        for node in (heads["joined"], last):
            if not leads(run, id, runs.step(node["step"])[1]):
                yield box["name"], f"it does not lead to {node['name']}"
        for node in heads["inputs"]:
            if not leads(run, runs.step(node["step"])[1], id):
                yield node["name"], f"it does not lead to {box['name']}"
    if (
        heads["weight"]
        and heads["weight"]["step"].split(":")[-1] not in run.steps[runs.step(last["step"])[1]]["inputs"]
    ):
        yield heads["weight"]["name"], f"{last['name']} does not read it"


def chain_faults(chain: Block, runs: Runs) -> Faults:
    """A state has an entry of a vector, or the largest of a row, or of a step of its own."""
    yield from axis_faults(chain["scale"])
    numbers = [state["number"] for state in chain["states"]]
    steps = [number["step"] for number in numbers]
    for place, number in enumerate(numbers):
        run, id = runs.step(number["step"])
        values = run.judged[id].double()
        alone = len(set(steps)) == len(steps)
        if not alone and number["index"][0] != place:
            yield number["text"], f"it stands at {place}"
        among = (values if alone else values[place]).abs().flatten()
        among = among[among.isfinite()]
        if not isinstance(number["value"], str) and among.max().item() > abs(number["value"]) * (1 + 1e-9) + 1e-12:
            yield number["text"], f"{among.max().item()} is larger by size"
        if not isinstance(number["value"], str) and abs(number["value"]) > chain["scale"]["high"]:
            yield number["text"], f"it lies beyond {chain['scale']['high']}"


def label_faults(plane: Block) -> Faults:
    """Each point has its label, and each word of a label belongs to a point that lies there."""
    axes = plane["across"], plane["up"]
    points = [(group, at) for group, part in enumerate(plane["groups"]) for at in range(len(part["points"]))]

    def seen(place: tuple[int, int]) -> tuple[str, list[float]]:
        point = plane["groups"][place[0]]["points"][place[1]]
        values = point["across"]["value"], point["up"]["value"]
        shares = [
            (value - axis["low"]) / (axis["high"] - axis["low"]) for value, axis in zip(values, axes, strict=True)
        ]
        return point["label"], shares

    named = set()
    for label in plane["labels"]:
        here = seen(tuple(label["point"]))[1]
        near = [(one, seen(one)[0]) for one in points if math.dist(here, seen(one)[1]) < NEAR]
        named |= {one for one, name in near if name in label["text"]}
        if _rest(label["text"], [name for _, name in near]):
            yield label["text"], f"only {near} lie there"
    for place in points:
        if place not in named:
            yield seen(place)[0], "the point has no label"


def _rest(text: str, names: list[str]) -> str:
    """What is left of a text when these names, with commas between them, are taken from it in their order."""
    for name in dict.fromkeys(names):
        if f"{text}, ".startswith(f"{name}, "):
            text = text[len(name) + 2 :]
    return text


def same_scale_faults(plane: Block) -> Faults:
    """The numbers of both axes are equally far apart, 0 lies on both, and so does every point."""
    gaps = [axis["ticks"][1]["value"] - axis["ticks"][0]["value"] for axis in (plane["across"], plane["up"])]
    if not math.isclose(*gaps, rel_tol=1e-9):
        yield plane["across"]["title"], f"the axes have different scales: {gaps}"
    points = [point for group in plane["groups"] for point in group["points"]]
    for name in ("across", "up"):
        values = [0.0, *(point[name]["value"] for point in points)]
        if not plane[name]["low"] <= min(values) <= max(values) <= plane[name]["high"]:
            yield plane[name]["title"], f"{min(values)} to {max(values)} do not lie on it"


def line_faults(line: Block, runs: Runs) -> Faults:
    """Each point says the mean, the lowest and the highest of a stretch of its history."""
    run, name = runs.named(line["history"])
    if name not in run.histories:
        raise NotThereError(f"there is no history {name!r}")
    for point in line["points"]:
        stretch = run.histories[name][point["first"] : point["last"] + 1]
        finite = [(at, value) for at, value in enumerate(stretch, point["first"]) if not isinstance(value, str)]
        if not finite:
            yield name, f"there are no numbers from {point['first']} to {point['last']}"
            continue
        values = [value for _, value in finite]
        truth = {"value": math.fsum(values) / len(values), "low": min(values), "high": max(values)}
        truth["across"] = math.fsum(at + 1 for at, _ in finite) / len(finite)  # steps count from 1
        for key, true in truth.items():
            if not math.isclose(point[key], true, rel_tol=1e-9, abs_tol=1e-12):
                yield name, f"the point of {point['first']} to {point['last']} has {key} {point[key]}, not {true}"


def place_faults(grid: Block) -> Faults:
    """Its entries are the first rows and columns of one matrix."""
    lead = grid["rows"][0][0]["index"][:-2]
    for row, numbers in enumerate(grid["rows"]):
        for column, number in enumerate(numbers):
            index = number["index"]
            if index != [*lead, *(row, column)[2 - min(len(index), 2) :]]:
                yield number["text"], f"row {row} and column {column} show the entry at {index}"


def grid_faults(grid: Block, runs: Runs) -> Faults:
    yield from axis_faults(grid["scale"])
    yield from place_faults(grid)
    low, high = grid["scale"]["low"], grid["scale"]["high"]
    run, id = runs.step(grid["step"])
    for number in (number for row in grid["rows"] for number in row):
        if number["step"] != grid["step"]:
            yield number["text"], f"it is an entry of {number['step']}, not of {grid['step']}"
        is_drawn = not grid.get("seen") and not isinstance(number["value"], str)  # a mask shows only where one may look
        if is_drawn and not low <= number["value"] <= high:
            yield number["text"], f"it does not lie between {low} and {high}"
    for words in (grid["rows_are"], grid["columns_are"]):
        if words not in (*run.steps[id]["axes"], ""):
            yield words, f"the axes are {run.steps[id]['axes']}"
    for labels, length in ((grid["row_labels"], len(grid["rows"])), (grid["column_labels"], len(grid["rows"][0]))):
        if labels and len(labels) != length:
            yield str(labels), f"these labels stand at {length} rows or columns"
    for ticks, labels, length in (
        (grid["row_ticks"], grid["row_labels"], len(grid["rows"])),
        (grid["column_ticks"], grid["column_labels"], len(grid["rows"][0])),
    ):
        for tick in ticks:
            place = int(tick["value"])
            if not 0 <= place < length or tick["text"] != (labels[place] if labels else str(place)):
                yield tick["text"], f"the tick stands at place {tick['value']} of {length}"
    yield from mask_faults(grid)


def following_faults(windows: Block, runs: Runs) -> Faults:
    """A prediction is the largest probability of its row, and the answer its target; else the next token of the text
    comes next.
    """
    places = [number["index"][-2] for number in (row[0] for row in windows["rows"])]
    for place, one in zip(places, windows["following"], strict=True):
        number = one["probability"]
        if number is None:
            after = windows["column_labels"][place + 1 : place + 2]
            if one["is_known"] and one["word"] not in (*after, *(() if after else ("", "…"))):
                yield one["word"], f"after place {place} comes {after}"
            continue
        run, id = runs.step(number["step"])
        values, (*lead, best) = run.judged[id], number["index"]
        is_softmax = run.steps[id]["op"] == "softmax" and one["is_known"]
        if not is_softmax or (lead[-1] if lead else len(places) - 1) != place:
            yield number["text"], f"it is no prediction at place {place}"
        elif values[tuple(number["index"])] < values[tuple(lead)].max() * (1 - 1e-9):
            yield number["text"], f"the largest probability is {values[tuple(lead)].max()}"
        targets = [other for other, step in run.steps.items() if step["path"] == "target"]
        if one["answer"]:
            target = run.judged[targets[0]]
            token = target[tuple(lead[-target.ndim :]) if target.ndim else ()].item()
            if (token == best) != (one["answer"] == one["word"]):
                yield one["answer"], f"the target is {token}, and {best} is predicted"


def mask_faults(grid: Block) -> Faults:
    """A query may look where the score is a number and not -∞, or where a mask of 0 and 1 says 1."""
    entries = [number for row in grid["rows"] for number in row]
    is_mark = all(number["value"] in (0, 1) for number in entries)
    for number, seen in zip(entries, (seen for row in grid.get("seen", []) for seen in row), strict=False):
        if seen != (number["value"] == 1 if is_mark else number["value"] != "-inf"):
            yield number["text"], f"it says that a query {'may' if seen else 'may not'} look here"
