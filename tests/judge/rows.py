"""Figures of one row: attention from the scores to the context vector, a softmax at several temperatures, and two ways
from word to word.
"""

from __future__ import annotations

from collections.abc import Sequence

from .matrices import (
    MASKS,
    Block,
    Faults,
    check_entry,
    label_faults,
    name_faults,
    operation_told,
    values_of,
)
from .runs import NotThereError, Run, Runs, numbers_in
from .told import Told, first_fault

Numbers = Sequence[Block]
CLOSE = 1e-9  # relative
SUM = 1e-6  # how far the sum of attention weights may be from 1
SCALINGS = {"divide_by": "T = ", "scale": "× ", "divide_by_root": "÷ √"}
BEFORE_SOFTMAX = ("divide_by_root", "scale", *MASKS)  # what becomes of attention scores


def row_of(numbers: Numbers, runs: Runs) -> tuple[Run, str, list[int], list[int]]:
    """Entries of one row of one step: its run, its id, the places of all axes but the last, and those on the last."""
    step = numbers[0]["step"]
    run, id = runs.step(step)
    for number in numbers:
        check_entry(number, step, run, id)
    lead = numbers[0]["index"][:-1]
    places = [number["index"][-1] for number in numbers]
    if any(number["index"][:-1] != lead for number in numbers) or places != sorted(set(places)):
        raise NotThereError(f"these are not entries of one row of {run.steps[id]['path']}, in their order")
    return run, id, lead, places


def largest_faults(numbers: Numbers, runs: Runs) -> Faults:
    """Of a long row, those that are left out are not larger."""
    run, id, lead, places = row_of(numbers, runs)
    row = values_of(run, id)[tuple(lead)].double()
    left_out = [row[place].item() for place in range(len(row)) if place not in places]
    least = min(row[place].item() for place in places)
    if left_out and max(left_out) > least + CLOSE * abs(least):
        yield numbers[0]["text"], f"{max(left_out)} of {run.steps[id]['path']} is larger than {least}"


def value_of(number: Block) -> float:
    return float(number["value"])  # also of inf and nan


def words_and_values(words: Sequence[str], numbers: Numbers) -> Told:
    for word, number in zip(words, numbers, strict=True):
        yield from (word, value_of(number))


def last(places: Sequence[int], count: int) -> list[int]:
    return list(places[len(places) - count :])


# -- attention ---------------------------------------------------------------------------------------


def attention_faults(data: Block, runs: Runs) -> Faults:
    """The attention weights are one row of a softmax; the scores, the values and the context vector belong to it."""
    keys = data["keys"]
    weights = [key["weight"] for key in keys]
    run, id, lead, places = row_of(weights, runs)
    step, query = run.steps[id], lead[-1]
    if step["op"] != "softmax":
        yield data["weights"], f"{step['path']} is no softmax"
    yield from name_faults(data["weights"], step)
    yield from largest_faults(weights, runs)
    yield from label_faults([key["word"] for key in keys], places)
    axis, _, place = data["query"].rpartition(" ")
    if axis == step["axes"][-2] and place.isdecimal():
        yield from label_faults([place], [query])
    largest = max(value_of(one) for one in weights)
    for key in keys:
        if key["is_strongest"] != (value_of(key["weight"]) == largest):
            yield key["word"], f"the largest attention weight is {largest}"
    yield from score_faults(data, run, id, runs)
    yield from context_faults(data, run, id, runs)


def score_faults(data: Block, run: Run, softmax: str, runs: Runs) -> Faults:
    """The first scores, and what the softmax reads: they are alike, or the one is the other, scaled and masked."""
    _, _, lead, places = row_of([key["weight"] for key in data["keys"]], runs)
    chain = [run.steps[softmax]["inputs"][0]]
    while run.steps[chain[0]]["op"] in BEFORE_SOFTMAX:
        source = run.steps[chain[0]]["inputs"][0]
        if run.steps[source]["shape"] != run.steps[softmax]["shape"]:
            break
        chain.insert(0, source)
    ids = [chain[0]] if len(chain) == 1 else [chain[0], chain[-1]]
    scores = [list(column) for column in zip(*(key["scores"] for key in data["keys"]), strict=True)]
    if len(scores) != len(data["columns"]) or len(scores) != len(ids):
        raise NotThereError(f"the scores before {run.steps[softmax]['path']} have {len(ids)} columns")
    for id, column, numbers in zip(ids, data["columns"], scores, strict=True):
        yield from name_faults(column["name"], run.steps[id])
        own_run, own, own_lead, own_places = row_of(numbers, runs)
        if (own_run, own, own_places) != (run, id, places) or own_lead != last(lead, len(own_lead)):
            yield column["name"], f"these are not the scores of {run.steps[id]['path']} for this query and these keys"
    first = operation_told(run, ids[0]) if run.steps[ids[0]]["op"] == "matmul" else ()
    hows = [list(first), [item for id in chain[1:] for item in operation_told(run, id)]]
    for column, expected in zip(data["columns"], hows, strict=False):
        fault = first_fault(column["how"], expected)
        if fault:
            yield column["how"], fault


def context_faults(data: Block, run: Run, softmax: str, runs: Runs) -> Faults:
    """The context vector is a product of these weights and these values; the first entries of each are shown."""
    _, _, lead, places = row_of([key["weight"] for key in data["keys"]], runs)
    own_run, id, own_lead, columns = row_of(data["context"], runs)
    step = run.steps[id]
    weights = step["inputs"][0]
    while run.steps[weights]["op"] == "dropout":
        weights = run.steps[weights]["inputs"][0]
    if (own_run, step["op"], weights) != (run, "matmul", softmax) or own_lead != last(lead, len(own_lead)):
        yield data["context_name"], f"{step['path']} is no context vector of this query"
    yield from name_faults(data["context_name"], step)
    yield from name_faults(data["values"], run.steps[step["inputs"][1]])
    if columns != list(range(len(columns))) or data["more"] != (len(columns) < step["shape"][-1]):
        yield data["context_name"], f"it has {step['shape'][-1]} entries, and those at {columns} are shown"
    for key, place in zip(data["keys"], places, strict=True):
        value_run, values, (*at, row), own_columns = row_of(key["value"], runs)
        expected = run, step["inputs"][1], place, columns
        if (value_run, values, row, own_columns) != expected or at != last(lead[:-1], len(at)):
            yield key["word"], f"this is not its row of {run.steps[step['inputs'][1]]['path']}"


def of_attention(data: Block, runs: Runs) -> Told:
    """Each key with its attention weight; then the context vector."""
    yield data["query"]
    yield from words_and_values([key["word"] for key in data["keys"]], [key["weight"] for key in data["keys"]])
    yield data["query"]
    yield from (value_of(one) for one in data["context"])


def attention_noted(data: Block, runs: Runs, note: str) -> Told:
    """Which matrix it is, if the name of the head does not say it, and how many keys are left out."""
    run, id, lead, places = row_of([key["weight"] for key in data["keys"]], runs)
    yield from matrix_noted(run, id, lead[:-1], note)
    if len(places) < run.steps[id]["shape"][-1]:
        yield from (float(run.steps[id]["shape"][-1]), float(len(places)))


def matrix_noted(run: Run, id: str, lead: Sequence[int], note: str) -> Told:
    for axis, place in zip(run.steps[id]["axes"], lead, strict=False) if "[" in note else ():
        yield f"{axis}[{place}]"


def attention_titled(data: Block) -> Told:
    yield data["query"]


# -- temperature -------------------------------------------------------------------------------------


def temperature_faults(data: Block, runs: Runs) -> Faults:
    """Each column is a softmax of the same logits, divided by what it says."""
    run, logits, lead, places = row_of(data["logits"], runs)
    yield from name_faults(data["logits_name"], run.steps[logits])
    yield from largest_faults(data["logits"], runs)
    yield from label_faults(data["words"], places)
    for column in data["columns"]:
        own_run, id, own_lead, own_places = row_of(column["probabilities"], runs)
        step = own_run.steps[id]
        yield from name_faults(column["name"], step)
        if (own_run, step["op"], own_lead, own_places) != (run, "softmax", lead, places):
            yield column["name"], f"{step['path']} is no softmax of these logits in the same run"
            continue
        values = [value_of(one) for one in column["probabilities"]]
        if not 0 <= column["top"] < len(values) or values[column["top"]] < max(values):
            yield column["name"], f"its largest probability is {max(values)}"
        source = run.steps[step["inputs"][0]]
        yield from divisor_faults(column, run, source, data["logits"][0])


def divisor_faults(column: Block, run: Run, source: Block, first: Block) -> Faults:
    """What it says is the setting of its step, and stands in the hand calculation of the first entry."""
    divisor, logits = column["divisor"], first["step"].rpartition(":")[2]
    if divisor is None:
        if source["id"] != logits or column["sign"] != SCALINGS["divide_by"]:
            yield column["name"], f"{source['path']} is not {run.steps[logits]['path']}"
        return
    if source["op"] not in SCALINGS or source["inputs"] != [logits] or column["sign"] != SCALINGS[source["op"]]:
        yield column["name"], f"{source['path']} does not divide {run.steps[logits]['path']} in this way"
        return
    setting = list(numbers_in(list(source["settings"].values())))
    own = divisor["step"].rpartition(":")[2], divisor["index"], divisor["role"], [divisor["value"]]
    if own != (source["id"], first["index"], "setting", setting):
        yield divisor["text"], f"{source['path']} has {setting}"


def of_temperature(data: Block, runs: Runs) -> Told:
    """The logits, and below each temperature the probabilities."""
    yield from words_and_values(data["words"], data["logits"])
    for column in data["columns"]:
        yield 1.0 if column["divisor"] is None else value_of(column["divisor"])
        yield from words_and_values(data["words"], column["probabilities"])


def temperature_noted(data: Block, runs: Runs, note: str) -> Told:
    run, id, _, places = row_of(data["logits"], runs)
    if len(places) < run.steps[id]["shape"][-1]:
        yield from (float(len(places)), float(run.steps[id]["shape"][-1]))


# -- path --------------------------------------------------------------------------------------------


def path_faults(data: Block, runs: Runs) -> Faults:
    """Each state is a single number; the attention weights are the last ones of the last row."""
    for one in data["states"]:
        run, id = runs.step(one["step"])
        check_entry(one, one["step"], run, id)
        if one["index"]:
            yield one["text"], f"{run.steps[id]['path']} is no single number"
    if len({one["step"] for one in data["states"]}) < len(data["words"]):
        yield str(data["words"]), "two of these words have the same state"
    run, id, lead, places = row_of(data["weights"], runs)
    *sizes, keys = run.steps[id]["shape"]
    if lead != [size - 1 for size in sizes] or places != list(range(keys - len(data["words"]), keys)):
        yield str(data["words"]), f"these are not the last {len(data['words'])} weights of {run.steps[id]['path']}"
    row = values_of(run, id)[tuple(lead)].double()
    if not run.precision.startswith("calculator") and (abs(row.sum().item() - 1) > SUM or row.min().item() < 0):
        yield run.steps[id]["path"], "these are no attention weights"


def of_path(data: Block, runs: Runs) -> Told:
    """How many arrows there are between which words; the states; the attention weights."""
    words = data["words"]
    yield from (float(len(words) - 1), words[0], words[-1])
    yield from words_and_values(words, data["states"])
    yield words[-1]
    yield from words_and_values(words, data["weights"])


def path_titled(data: Block) -> Told:
    yield from (data["words"][0], data["words"][-1])


def path_noted(data: Block, runs: Runs, note: str) -> Told:
    run, id, _, places = row_of(data["weights"], runs)
    if len(places) < run.steps[id]["shape"][-1]:
        yield from (float(len(places)), float(run.steps[id]["shape"][-1]))
