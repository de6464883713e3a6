"""Figures that show the arithmetic of one entry: a matrix product, and the update of a weight. Their letters and their
numbers must speak of the same entries.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import zip_longest
from typing import Any

from .matrices import (
    Block,
    Faults,
    Part,
    label_faults,
    leads,
    matrix_faults,
    part_of,
    sizes_of,
    values_of,
)
from .rows import CLOSE, last, matrix_noted, value_of
from .runs import Run, Runs
from .told import NUMBER, Told

REFERENCE = re.compile(r"(?P<name>[^\W\d][\w.]*)(?P<index>(?:\[[\d:,]+\])+)")
WORD = re.compile(r"[^\W\d][\w.]*")
BRACKETS = re.compile(r"\[[^\]]*\]")


# -- arithmetic --------------------------------------------------------------------------------------


def calculations(figure: Block) -> Iterator[Block]:
    """The hand calculations in a figure, each as a block of its own."""
    data = figure["data"]
    match figure["form"]:
        case "attention":
            yield calculation(data["context"][0], [data["line"]])
        case "product" | "update":
            matrix = data["result" if figure["form"] == "product" else "new"]
            yield calculation(matrix["rows"][data["row"]][data["column"]], data["lines"])


def calculation(entry: Block, lines: list[Block]) -> Block:
    return {"step": entry["step"], "index": entry["index"], "lines": lines}


def letter_faults(block: Block, runs: Runs) -> Faults:
    """In each line the letters name the entries whose numbers follow, in the order of the sum; other numbers belong to
    this calculation.
    """
    run, id = runs.step(block["step"])
    left = text_of(block["lines"][-1]["left"])
    place = "".join(f"[{at}]" for at in block["index"])
    if left != run.steps[id]["name"] + place:
        yield left, f"the entry is {run.steps[id]['name']}{place}"
    results: list[Block] = []
    for line in block["lines"]:
        *in_letters, in_numbers = line["forms"] or [[]]
        numbers = [span for span in in_numbers if span["kind"] == "number"]
        for number in (*numbers, line["value"]):
            if number["role"] != "entry" and (number["step"], number["index"]) != (block["step"], block["index"]):
                yield number["text"], f"it belongs to {number['step']} {number['index']}"
        for number in numbers:
            if number["role"] == "line" and number not in results:
                yield number["text"], "no line before has this result"
        for form in in_letters:
            yield from form_faults(text_of(form), numbers, runs)
        results.append(line["value"])


def form_faults(text: str, numbers: list[Block], runs: Runs) -> Faults:
    """A form in letters, and the numbers of the same line."""
    entries = [(name_of(one, runs), one) for one in numbers if one["role"] == "entry"]
    names = set(WORD.findall(BRACKETS.sub("", text)))
    for name, one in entries:
        if name not in names:
            yield one["text"], f"{name} is not in {text}"
    along: list[list[list[int]]] = []
    for found in REFERENCE.finditer(text):
        named = [one["index"] for name, one in entries if name == found["name"]]
        if not named or not all(fits(found["index"], index) for index in named):
            yield found[0], f"the entries that follow are {named}"
        free = [left_open(found["index"], index) for index in named]
        if any(free):
            along.append(free)
    if any(free != along[0] or free != sorted(free) for free in along):
        yield text, f"these terms do not belong together: {along}"
    for number in NUMBER.findall(BRACKETS.sub("", text)):
        if number not in {one["text"] for one in numbers}:
            yield text, f"{number} is not among the numbers"


def fits(written: str, index: list[int]) -> bool:
    """Whether an entry is one of those that letters mean: W[:,2] is column 2.

    >>> fits("[1]", [1, 0]), fits("[1][2]", [1, 0]), fits("[:,2]", [7, 2]), fits("[3,:,0]", [3, 5, 1])
    (True, False, True, False)
    """
    places = re.findall(r"[\d:]+", written)
    return len(places) <= len(index) and all(
        place in (":", str(at)) for place, at in zip(places, index[: len(places)], strict=True)
    )


def left_open(written: str, index: list[int]) -> list[int]:
    """The places that the letters do not say.

    >>> left_open("[1]", [1, 0]), left_open("[1][2]", [1, 2]), left_open("[:,2]", [7, 2])
    ([0], [], [7])
    """
    places = re.findall(r"[\d:]+", written)
    return [at for place, at in zip_longest(places, index, fillvalue=":") if place == ":"]


def name_of(number: Block, runs: Runs) -> str:
    run, id = runs.step(number["step"])
    return str(run.steps[id]["name"])


def text_of(spans: list[Block]) -> str:
    return "".join(span["text"] for span in spans)


def line_text(line: Block) -> str:
    """A line as it is written: left = form = form = value."""
    parts = [text_of(line["left"]), *map(text_of, line["forms"])]
    return " = ".join([*parts, *([line["value"]["text"]] if parts[-1] != line["value"]["text"] else [])])


# -- product -----------------------------------------------------------------------------------------


def product_faults(data: Block, runs: Runs) -> Faults:
    """Row times column: the factors are those of the step, and the rows, columns and terms of all three belong
    together.
    """
    left, right, result = (part_of(data[name], runs) for name in ("left", "right", "result"))
    step = result.step
    if step["op"] not in ("matmul", "linear") or [left.id, right.id] != step["inputs"][:2]:
        yield data["result"]["name"], f"it is not {data['left']['name']} · {data['right']['name']}"
    for matrix, part in ((data["left"], left), (data["right"], right), (data["result"], result)):
        yield from matrix_faults(matrix, part)
        shape = list(part.run.judged[part.id].shape)[-2:]
        axes = ["", *part.step["axes"]][-2:]
        if (matrix["shape"], matrix["axes"]) != (shape, axes):
            yield matrix["name"], f"its shape is {sizes_of(part.step, shape)}"
        if part.run is not result.run or list(part.lead) != last(result.lead, len(part.lead)):
            yield matrix["name"], f"it lies at {part.lead}, and the result at {result.lead}"
    if (left.rows, left.columns, right.columns) != (result.rows, right.rows, result.columns):
        yield data["result"]["name"], "its rows and columns are not those of its factors"
    if data["inner"] != left.sizes[1]:
        yield data["left"]["name"], f"the sum has {left.sizes[1]} terms"
    yield from term_faults(data, left, right)


def term_faults(data: Block, left: Part, right: Part) -> Faults:
    """Of a long sum, the largest terms are shown."""
    row, column = data["left"]["rows"][data["row"]][0]["index"], data["right"]["rows"][0][data["column"]]["index"]
    one = values_of(left.run, left.id)[tuple(row[:-1])]
    other = values_of(right.run, right.id)[(*column[:-2], slice(None), column[-1])]
    terms = (one * other).abs()
    shown = list(left.columns)
    left_out = [terms[place].item() for place in range(len(terms)) if place not in shown]
    if left_out and max(left_out) > min(terms[place].item() for place in shown) * (1 + CLOSE):
        yield data["result"]["name"], f"a term of {max(left_out)} is left out"


def of_product(data: Block, runs: Runs) -> Told:
    """Names and shapes; which row and which column; the last line of the arithmetic."""
    left, right, result = data["left"], data["right"], data["result"]
    yield from (result["name"], left["name"], right["name"])
    for matrix in (left, right, result):
        run, id = runs.step(matrix["step"])
        yield from shape_told(run.steps[id]["axes"][-2:], run.judged[id].shape[-2:])
    yield from (left["row_labels"][data["row"]], left["name"], right["column_labels"][data["column"]], right["name"])
    yield line_text(data["lines"][-1])


def shape_told(axes: Any, shape: Any) -> Told:
    for axis, size in zip(axes, shape, strict=True):
        yield from (axis, float(size))


def product_titled(data: Block) -> Told:
    yield from (data["result"]["name"], data["left"]["name"], data["right"]["name"])


def product_noted(data: Block, runs: Runs, note: str) -> Told:
    """Which matrix it is; how many rows, columns and terms are shown of how many; the bias."""
    left, result = part_of(data["left"], runs), part_of(data["result"], runs)
    yield from matrix_noted(result.run, result.id, result.lead, note)
    for places, size in ((result.rows, result.sizes[0]), (result.columns, result.sizes[1])):
        if len(places) < size:
            yield from (float(len(places)), float(size))
    if len(left.columns) < left.sizes[1]:
        yield from (float(left.sizes[1]), float(len(left.columns)))
    if result.step["op"] == "linear":
        yield from (result.run.steps[id]["name"] for id in result.step["inputs"][2:])


# -- update ------------------------------------------------------------------------------------------


def update_faults(data: Block, runs: Runs) -> Faults:
    """The matrices are those of the update, the marked entry changes most, and the losses are the nearest ones."""
    weight, gradient, new = (part_of(data[name], runs) for name in ("weight", "gradient", "new"))
    step = new.step
    if step["op"] != "sgd" or [weight.id, gradient.id] != step["inputs"][:2]:
        yield data["new"]["name"], f"{step['path']} is no update of {data['weight']['name']}"
        return
    for matrix, part in ((data["weight"], weight), (data["gradient"], gradient), (data["new"], new)):
        yield from matrix_faults(matrix, part, role="parameter" if part is new else "")
        shape = sizes_of(part.step, part.run.judged[part.id].shape)
        if matrix["shape"] != shape:
            yield matrix["name"], f"its shape is {shape}"
        if (part.run, part.lead, part.rows, part.columns) != (new.run, new.lead, new.rows, new.columns):
            yield matrix["name"], f"these are other entries of it than of {data['new']['name']}"
    rate = data["rate"]
    marked = data["gradient"]["rows"][data["row"]][data["column"]]["index"]
    place = runs.step(rate["step"])[1], rate["index"], rate["role"], rate["value"]
    if place != (new.id, marked, "setting", step["settings"]["rate"]):
        yield rate["text"], f"the learning rate is {step['settings']['rate']}"
    sizes = values_of(gradient.run, gradient.id).abs()
    if sizes[tuple(marked)].item() < sizes.max().item() * (1 - CLOSE):
        yield data["gradient"]["name"], f"its largest entry is {sizes.max().item()}"
    yield from results_faults(data, weight, new, runs)


def results_faults(data: Block, weight: Part, new: Part, runs: Runs) -> Faults:
    """Before: the last loss that depends on the old weight. After: the first loss that depends on the new one."""
    order = list(new.run.steps)
    losses = [id for id, step in new.run.steps.items() if (step["name"], step["pass"]) == ("loss", "forward")]
    losses = [id for id in losses if not new.run.steps[id]["shape"]]
    earlier = [id for id in losses if order.index(id) < order.index(new.id)]
    later = [id for id in losses if order.index(id) > order.index(new.id)]
    for name, known, source in (("before", earlier[-1:], weight), ("after", later[:1], new)):
        if (data[name] is None) != (not known):
            yield name, f"the losses are {known}"
        elif known:
            if not leads(new.run, source.id, known[0]):
                yield name, f"{source.step['path']} does not lead to {new.run.steps[known[0]]['path']}"
            yield from result_faults(data[name], new.run, known[0], runs)


def result_faults(result: Block, run: Run, loss: str, runs: Runs) -> Faults:
    """A loss, and the probability that its target has in the softmax of the same logits."""
    found, number = runs.step(result["loss"]["step"]), result["probability"]
    if found != (run, loss):
        yield result["loss"]["text"], f"the loss is {run.steps[loss]['path']}"
    logits, *others = run.steps[loss]["inputs"]
    targets = [run.judged[id] for id in others if not run.steps[id]["shape"]]
    softmaxes = [
        id
        for id, step in run.steps.items()
        if (step["op"], step["pass"], step["inputs"][:1]) == ("softmax", "forward", [logits])
        and len(step["shape"]) == 1
    ]
    if not targets or not softmaxes:
        if number is not None or result["target"]:
            yield result["loss"]["text"], "there is no single target with a probability"
        return
    token = int(targets[0].item())
    if number is None or (runs.step(number["step"])[1], number["index"]) != (softmaxes[0], [token]):
        yield result["target"], f"the target is {token} in {run.steps[softmaxes[0]]['path']}"
    yield from label_faults([result["target"]], [token])


def of_update(data: Block, runs: Runs) -> Told:
    """What the new weight is, the entry that changes most, and what the model predicts before and after it."""
    old, slope, new = (
        value_of(data[name]["rows"][data["row"]][data["column"]]) for name in ("weight", "gradient", "new")
    )
    yield from update_titled(data)
    yield from (old, new, slope)
    for result in (data["before"], data["after"]):
        if result:
            yield value_of(result["loss"])
            if result["probability"]:
                yield from (result["target"], value_of(result["probability"]))


def update_noted(data: Block, runs: Runs, note: str) -> Told:
    if any(data["new"]["more"]):
        yield data["new"]["name"]


def update_titled(data: Block) -> Told:
    yield from (data["new"]["name"], data["weight"]["name"], value_of(data["rate"]), data["gradient"]["name"])
