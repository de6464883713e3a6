"""Parts of matrices in figures that show several of them: their places, labels, shapes and names, and what is computed
from what, in which way.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from torch import Tensor

from .borrowed import kept
from .runs import NotThereError, Run, Runs
from .told import Told, first_fault

Block = Mapping[str, Any]
Faults = Iterator[tuple[str, str]]
ROLES = {"Q": "query", "K": "key", "V": "value"}
MASKS = ("causal_mask", "padding_mask", "mask")
ONLY_MOVES = ("split_heads", "merge_heads", "reshape", "permute", "transpose")  # numbers that stay what they are


# -- places ------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Part:
    """The rows and columns of a step that a figure shows, in the matrix at `lead`. A vector is one row."""

    run: Run
    id: str
    lead: tuple[int, ...]
    rows: tuple[int, ...]
    columns: tuple[int, ...]

    @property
    def step(self) -> Block:
        return self.run.steps[self.id]

    @property
    def sizes(self) -> tuple[int, int]:
        """How many rows and columns there are in all."""
        rows, columns = (1, 1, *self.run.judged[self.id].shape)[-2:]
        return rows, columns

    @property
    def rank(self) -> int:
        return self.run.judged[self.id].ndim

    def index(self, row: int, column: int) -> list[int]:
        return [*self.lead, *(row, column)[2 - min(self.rank, 2) :]]


def part_of(matrix: Block, runs: Runs) -> Part:
    """Where its numbers lie: all in one step, in rows and columns that are in order."""
    run, id = runs.step(matrix["step"])
    numbers = [number for row in matrix["rows"] for number in row]
    for number in numbers:
        check_entry(number, matrix["step"], run, id)
    index = numbers[0]["index"]
    rank = len(index)
    full = [[(0, 0, *number["index"])[-2:] for number in row] for row in matrix["rows"]]
    rows, columns = tuple(row[0][0] for row in full), tuple(place[1] for place in full[0])
    part = Part(run, id, tuple(index[: max(rank - 2, 0)]), rows, columns)
    if [[number["index"] for number in row] for row in matrix["rows"]] != [
        [part.index(row, column) for column in columns] for row in rows
    ]:
        raise NotThereError(f"the numbers of {part.step['path']} are no rows and columns of one matrix")
    for places in (rows, columns):
        if list(places) != sorted(set(places)):
            raise NotThereError(f"the places {places} of {part.step['path']} are not in order")
    return part


def check_entry(number: Block, step: str, run: Run, id: str) -> None:
    """Refuse a number that is no entry of this step."""
    if (number["step"], number["role"]) != (step, "entry"):
        raise NotThereError(f"{number['text']} is no entry of {run.steps[id]['path']}")
    run.check_index(id, number["index"])


def values_of(run: Run, id: str) -> Tensor:
    """The judge's values; with a calculator, what was written down."""
    return kept(run, run.steps[id]) if run.precision.startswith("calculator") else run.judged[id]


# -- what a matrix says about itself -----------------------------------------------------------------


def matrix_faults(matrix: Block, part: Part, is_corner: bool = False, role: str = "") -> Faults:
    """Its name, its hue, its labels, and whether there is more of it."""
    yield from name_faults(matrix["name"], part.step)
    if matrix["role"] != (role or role_of(part.step)):
        yield matrix["name"], f"{part.step['path']} is no {matrix['role']}"
    places = part.rows, part.columns
    more = [len(one) < size for one, size in zip(places, part.sizes, strict=True)]
    if matrix["more"] != more:
        yield matrix["name"], f"there is {'' if any(more) else 'no '}more of {part.step['path']}: {part.sizes}"
    for labels, known in zip((matrix["row_labels"], matrix["column_labels"]), places, strict=True):
        yield from label_faults(labels, known)
    if is_corner and any(list(one) != list(range(len(one))) for one in (*places, part.lead)):
        yield matrix["name"], f"this is not the corner of {part.step['path']}"


def name_faults(name: str, step: Block) -> Faults:
    """A step may have the end of its path before its name, to tell it from another one."""
    if not f".{step['path']}".endswith(f".{name}") or not name.endswith(step["name"]):
        yield name, f"this is {step['path']}"


def role_of(step: Block) -> str:
    if step["pass"] == "backward" and step["name"].startswith("d"):
        return "gradient"
    if step["op"] == "parameter":
        return "parameter"
    return ROLES.get(step["name"].split("_")[0], "activation")


def label_faults(labels: Sequence[str], places: Sequence[int]) -> Faults:
    """Words, one for each place, or just the numbers of the places."""
    if any(labels) and len(labels) != len(places):
        yield str(labels), f"these are the labels of {len(places)} places"
    if labels and all(label.isdecimal() for label in labels) and [int(label) for label in labels] != list(places):
        yield str(labels), f"the places are {list(places)}"


def sizes_of(step: Block, shape: Sequence[int]) -> str:
    """A shape in words: token 3 × model 2."""
    axes = step["axes"][len(step["axes"]) - len(shape) :]
    return " × ".join(f"{axis} {size}".strip() for axis, size in zip(axes, shape, strict=True))


# -- what is computed from what ----------------------------------------------------------------------


def sources_of(run: Run, id: str, among: Collection[str]) -> list[str]:
    """The steps among these that another one is computed from, without passing a third, in the order of its inputs."""
    found: dict[str, None] = {}
    step = run.steps[id]
    for source in step["inputs"] if step["kind"] != "leaf" else ():
        found |= dict.fromkeys([source] if source in among else sources_of(run, source, among))
    return list(found)


def source_faults(node: str, inputs: list[int], run: Run, ids: list[str]) -> Faults:
    """`inputs` are places in `ids`, of which the last step is the node."""
    told = [ids[place] for place in inputs if place < len(ids)]
    true = sources_of(run, node, set(ids))
    if told != true or len(told) != len(inputs):
        names = [run.steps[id]["path"] for id in true]
        yield run.steps[node]["path"], f"it is computed from {', '.join(names) or 'none of the steps'}"


def operation_faults(words: str, run: Run, id: str, drawn: Collection[str] = ()) -> Faults:
    """The operation at an arrow, in a few signs: it names what else is read, and tells the settings."""
    fault = first_fault(words, list(operation_told(run, passing_moves(run, id, drawn))))
    if fault or not words:
        yield words, fault or f"it does not say how {run.steps[id]['path']} is computed"


def passing_moves(run: Run, id: str, drawn: Collection[str]) -> str:
    """The step itself, or the one whose numbers it only moves, if that is not drawn."""
    while run.steps[id]["op"] in ONLY_MOVES:
        source = run.steps[id]["inputs"][0]
        if source in drawn or run.steps[source]["kind"] == "leaf":
            break
        id = source
    return id


def operation_told(run: Run, id: str) -> Told:
    step = run.steps[id]
    inputs = [run.steps[source] for source in step["inputs"]]
    names = [short(source) for source in inputs]
    match step["op"]:
        case "matmul" if inputs[1]["op"] == "transpose" and inputs[1]["kind"] != "leaf":
            before = run.steps[inputs[1]["inputs"][0]]
            yield from (names[0], short(before)) if before["kind"] != "leaf" else (names[1],)
        case "matmul" | "linear":
            yield from names[1:]
        case "lookup":
            yield names[0]
        case "add":
            yield from names
        case "divide_by_root":
            yield float(step["settings"]["d"])
        case "scale":
            yield float(step["settings"]["factor"])
        case "take_row":
            place = step["settings"]["index"]
            yield "last" if place == -1 else float(place)


def short(step: Block) -> str:
    return str(step["name"]).removesuffix("_heads")


def leads(run: Run, start: str, end: str) -> bool:
    """Whether a step is among what another was made from."""
    results = {id for id in (start, run.steps[start].get("result")) if id}
    seen, waiting = set[str](), [end]
    while waiting:
        step = run.steps[waiting.pop()]
        for id in (*step["inputs"], *([step["result"]] if step.get("result") else [])):
            if id in results:
                return True
            if id not in seen:
                seen.add(id)
                waiting.append(id)
    return False
