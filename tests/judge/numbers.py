"""Every number of a document, judged: the value by its role, and the text by the value.

A document is the JSON of schema/document.json. Nothing that it claims is believed: an entry is what the evaluator
computes, and each line of a hand calculation must follow from entries and from lines before it. Where a calculator
rounds each line, an entry is what was written down, and its hand calculation judges it.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from line_reader import ARITHMETIC, decimal, follows
from printed_arithmetic import calculate as calculate_printed

from .arithmetic import NotArithmetic, calculate, exact
from .digits import keyed_in, shows
from .mistakes import UnknownMistakeError, mistaken
from .pictures import picture_faults
from .products import calculations, letter_faults
from .runs import Elsewhere, NotThereError, Run, Runs
from .told import NUMBER

Block = Mapping[str, Any]
MORE = re.compile(r"\((\d+) smaller\b.*")  # at the end of a long sum
LEFT_OUT = re.compile(r",\s*(\d+) more\b")  # at the end of a long list
INDEX = re.compile(r"\[[^\]]*\]")
PLACE = re.compile(r"\b(\d+):")  # of a row in which something is looked for: 0: 0.3, 1: 1.5
NAMES = {"inf": math.inf, "-inf": -math.inf, "nan": math.nan}
# Numbers that the formulas themselves contain, such as the 1 in 1 − p, and those of the gelu.
METHOD = {-1.0, 0.0, 0.5, 1.0, 2.0, 3.0, 0.044715, 0.134145}


SMALLEST = 1e-300  # what is smaller is 0 on every calculator
UNITS = 20  # of the last digit: so far several rounded lines may lead


def written(value: Any) -> Decimal:
    return Decimal(value if isinstance(value, str) else repr(value))


def written_down(result: Any, precision: str) -> Decimal:
    """What a person writes down: an infinite result too, and 0 for what is too small."""
    if not math.isfinite(float(result)):
        return Decimal(float(result))
    return Decimal("0.0") if 0 < abs(result) < SMALLEST else keyed_in(result, precision)


def near(value: float, right: float, precision: str) -> bool:
    _, digits, unit = precision.split()
    size = max(abs(value), abs(right)) if unit == "significant" else 1.0
    return value == right or abs(value - right) <= UNITS * size * 10.0 ** (1 - int(digits))


@dataclass(frozen=True)
class Mismatch:
    """Something on a page that is not so."""

    where: str
    what: str
    reason: str


def judge_document(document: Block, runs: list[Mapping[str, Any]] | Runs) -> list[Mismatch]:
    """Everything in a document that the judge does not find to be so.

    >>> judge_document({"title": "Nothing", "blocks": []}, [])
    []
    """
    return _Judge(runs if isinstance(runs, Runs) else Runs(runs)).document(document)


def not_judged(document: Block, runs: list[Mapping[str, Any]] | Runs) -> list[str]:
    """The steps of the numbers that belong to small traces beside, which are not in the JSON."""
    judge = _Judge(runs if isinstance(runs, Runs) else Runs(runs))
    judge.document(document)
    return judge.elsewhere


def spans_of(node: Any) -> Iterator[Block]:
    """Every number in a piece of a document."""
    if isinstance(node, Mapping):
        if node.get("kind") == "number":
            yield node
        for item in node.values():
            yield from spans_of(item)
    elif isinstance(node, list):
        for item in node:
            yield from spans_of(item)


PENCIL = 1e-2  # relative: what rounding the lines before, to the few digits that are printed, may change


class _Judge:
    def __init__(self, runs: Runs) -> None:
        self.runs = runs
        self.elsewhere: list[str] = []
        self.mismatches: list[Mismatch] = []

    def document(self, document: Block) -> list[Mismatch]:
        self.visit(document["blocks"], "blocks", "")
        return self.mismatches

    def visit(self, node: Any, where: str, mistake: str) -> None:
        if isinstance(node, list):
            for place, item in enumerate(node):
                self.visit(item, f"{where}[{place}]", mistake)
            return
        if not isinstance(node, Mapping):
            return
        mistake = node.get("mistake") or mistake
        for what, reason in self.faults(node, mistake):
            self.mismatches.append(Mismatch(where, what, reason))
        for key, item in node.items():
            self.visit(item, f"{where}.{key}", mistake)

    def faults(self, node: Block, mistake: str) -> Iterator[tuple[str, str]]:
        """What is wrong with one piece, apart from the pieces in it."""
        try:
            match node.get("kind"):
                case "number":
                    yield from self.number(node, mistake)
                case "derivation":
                    yield from self.derivation(node)
                case "matrix":
                    yield from self.matrix(node)
                case "table":
                    yield from self.rests(node)
                case "row":
                    yield from self.shaped(node, node["name"])
                    yield from self.in_words(node["note"], *self.runs.step(node["step"]))
                case "answer":
                    run, id = self.runs.step(node["step"])
                    run.entry(id, node["index"])
                case "link" if node["step"]:
                    self.runs.step(node["step"])
                case "figure":
                    yield from self.figure(node)
        except NotThereError as error:
            yield node.get("text", node["kind"]), str(error)
        except Elsewhere:
            if node["kind"] == "number":
                self.elsewhere.append(node["step"])

    # -- one number --------------------------------------------------------------------------------

    def number(self, number: Block, mistake: str) -> Iterator[tuple[str, str]]:
        text, value = number["text"], number["value"]
        if number["role"] != "line" and not shows(text, value):  # what is printed of a line, its derivation judges
            yield text, f"the text does not show the value {value!r}"
        match number["role"]:
            case "entry":
                run, id = self.runs.step(number["step"])
                truth = run.written(id, number["index"]) if is_calculator(run) else run.entry(id, number["index"])
                yield from self.compared(number, truth, run)
            case "history":
                run, name = self.runs.named(number["step"])
                yield from self.compared(number, in_history(run, name, number["index"]), run)
            case "size":
                run, length = self.size(number)
                yield from self.compared(number, length, run)
            case "setting":
                run, id = self.runs.step(number["step"])
                if not self.is_setting(number, run, id):
                    yield text, "no setting, no size and no number of the method has this value"
            case "printed":
                run, id = self.runs.step(number["step"])
                run.entry(id, number["index"])
            case "mistake":
                yield from self.mistake(number, mistake)
            case "line" | "rest" | "count":
                pass  # its derivation judges it, or its figure

    def size(self, number: Block) -> tuple[Run, int]:
        """How long an axis of a step is, or a history."""
        (axis,) = number["index"]
        run, name = self.runs.named(number["step"])
        if name in run.histories and axis == 0:
            return run, len(run.histories[name])
        run, id = self.runs.step(number["step"])
        shape = run.judged[id].shape
        if not 0 <= axis < len(shape):
            raise NotThereError(f"{run.steps[id]['path']} has no axis {axis}")
        return run, shape[axis]

    def compared(self, number: Block, truth: float, run: Run) -> Iterator[tuple[str, str]]:
        if not same(plain(number["value"]), truth, run.precision):
            yield number["text"], f"the value {number['value']!r} should be {truth!r}"

    def is_setting(self, number: Block, run: Run, id: str) -> bool:
        value = float(plain(number["value"]))
        if value in run.settings(id):
            return True
        is_derived = len(number["index"]) == len(run.steps[id]["shape"])  # it stands in a hand calculation
        return is_derived and (
            value in METHOD | run.sizes(id) or value in number["index"] or self.is_place(value, run, id)
        )

    def is_place(self, value: float, run: Run, id: str) -> bool:
        """Whether it is a position on an axis, which is looked for: [2 = target]."""
        return value.is_integer() and 0 <= value < max(run.sizes(id))

    def mistake(self, number: Block, mistake: str) -> Iterator[tuple[str, str]]:
        run, id = self.runs.step(number["step"])
        try:
            wrong = mistaken(mistake, run, id)
        except UnknownMistakeError as error:
            yield number["text"], str(error)
            return
        right = wrong[tuple(number["index"])].item()
        if is_calculator(run):  # the mistake is worked out here in one go, and there line by line
            yield from (
                () if near(plain(number["value"]), right, run.precision) else [(number["text"], f"not {right!r}")]
            )
        else:
            yield from self.compared(number, right, run)

    def figure(self, figure: Block) -> Iterator[tuple[str, str]]:
        """What is wrong with a picture, with its words, and with the hand calculation in it."""
        try:
            yield from picture_faults(figure, self.runs)
            for block in calculations(figure):
                yield from self.derivation(block)
                yield from letter_faults(block, self.runs)
        except (LookupError, ValueError) as error:
            yield figure["form"], f"its parts do not belong together: {error!r}"

    # -- hand calculations -------------------------------------------------------------------------

    def derivation(self, block: Block) -> Iterator[tuple[str, str]]:
        run, id = self.runs.step(block["step"])
        run.check_index(id, block["index"])
        names: dict[str, Any] = {}
        for line in block["lines"]:
            left = "".join(span["text"] for span in line["left"])
            yield from ((left, fault) for fault in self.line(line, names, run))
            for form in line["forms"]:
                yield from self.in_words(
                    "".join(f"{span['text']} " for span in form if span["kind"] == "words"), run, id
                )
            names[left] = exact(line["value"]["value"])
        last = block["lines"][-1]["value"]
        if (last["role"], last["step"], last["index"]) != ("entry", block["step"], block["index"]):
            yield left, "the last line does not give the entry that the calculation is for"

    def line(self, line: Block, names: dict[str, Any], run: Run) -> Iterator[str]:
        form, value = line["forms"][-1] if line["forms"] else [], line["value"]
        for span in (span for spans in line["forms"] for span in spans_of(spans)):
            if span["role"] == "line" and span["value"] != math.pi and exact(span["value"]) not in names.values():
                yield f"{span['text']} is the value of no line before"
        if value["role"] == "entry" and not any(True for _ in spans_of(form)):
            return  # an entry that was only moved
        try:
            result = calculate(form, names)
        except (NotArithmetic, ValueError, ZeroDivisionError) as error:
            yield f"the form cannot be calculated: {error}"
            return
        scale = max([abs(exact(span["value"])) for span in spans_of(form) if not isinstance(span["value"], str)] or [0])
        yield from self.printed(form, value, float(scale))
        if is_calculator(run):
            if written_down(result, run.precision) != written(value["value"]):
                yield f"the form gives {result}, not {value['value']!r}"
        elif not same(plain(value["value"]), float(result), run.precision, float(scale)):
            yield f"the form gives {float(result)!r}, not {value['value']!r}"

    def printed(self, form: list[Block], value: Block, scale: float) -> Iterator[str]:
        """A line as a reader sees it: its result follows from the digits that are printed, and is near the true one."""
        text = "".join(span["text"] for span in form)
        if not ARITHMETIC.fullmatch(text):
            return  # in letters
        with_decimals = calculate_printed(text)
        if not follows(with_decimals, value["text"]):
            yield f"the printed form gives {with_decimals:.12g}, not {value['text']}"
        true = plain(value["value"])
        if math.isfinite(true) and abs(float(decimal(value["text"])) - true) > PENCIL * max(abs(true), scale):
            yield f"{value['text']} is not near {true!r}"

    def in_words(self, text: str, run: Run, id: str) -> Iterator[tuple[str, str]]:
        """Numbers that stand among the words: of the method, such as the 0.1 of dW × 0.1, or of terms left out."""
        more = MORE.search(text)
        if more is not None:
            text = text[: more.start()]
            if int(more[1]) + text.count("+") not in run.sizes(id):
                yield more[0], f"{text.count('+')} terms stand before it"
        listed = LEFT_OUT.search(text)
        if listed is not None:  # of a list that grows shorter, as many as are looked for may be crossed out before
            count = int(listed[1]) + text[: listed.start() + 1].count(",")
            text = text[: listed.start()] + text[listed.end() :]
            if not any(0 <= size - count < max([1, *run.steps[id]["shape"]]) for size in run.sizes(id)):
                yield listed[0], f"there would be {count} in all"
        counted = [int(place) for place in PLACE.findall(text)]
        if counted and (counted != sorted(set(counted)) or counted[-1] >= max(run.sizes(id))):
            yield text, "its places are not those of a row"
        for found in NUMBER.findall(PLACE.sub("", INDEX.sub("", text))):
            if abs(float(found.replace("−", "-").replace(",", "."))) not in METHOD | run.settings(id) | run.sizes(id):
                yield text, f"{found} is no setting, no size and no number of the method"

    def rests(self, table: Block) -> Iterator[tuple[str, str]]:
        """What is left of a column: all entries of its step, without those that stand above."""
        for number in (span for row in table["rows"] for span in spans_of(row) if span["role"] == "rest"):
            run, id = self.runs.step(number["step"])
            above = {
                tuple(span["index"])
                for span in spans_of(table["rows"])
                if (span["role"], span["step"]) == ("entry", number["step"])
            }
            left = run.judged[id].sum().item() - sum(run.entry(id, list(at)) for at in above)
            if not above or not same(plain(number["value"]), left, run.precision):
                yield number["text"], f"what is left is {left!r}"

    # -- whole values ------------------------------------------------------------------------------

    def matrix(self, block: Block) -> Iterator[tuple[str, str]]:
        yield from self.shaped(block, block["title"])
        for part in block["slices"]:
            for number in (number for row in part["rows"] for number in row):
                if number["step"] != block["step"] or number["index"][: len(part["index"])] != part["index"]:
                    yield (
                        number["text"],
                        f"it is an entry of {number['step']} {number['index']}, which is not shown here",
                    )
            places = [tuple(number["index"]) for row in part["rows"] for number in row]
            if places != sorted(set(places)):
                yield block["title"], "its entries are not in order"

    def shaped(self, block: Block, name: str) -> Iterator[tuple[str, str]]:
        run, id = self.runs.step(block["step"])
        step = run.steps[id]
        axes, shape = list(step["axes"]), list(run.judged[id].shape)
        if "head" in axes and "head" not in block["axes"]:  # one head of several that lie in one array
            del shape[axes.index("head")], axes[axes.index("head")]
        if list(block["shape"]) != shape:
            yield name, f"the shape {block['shape']} should be {shape}"
        if list(block["axes"]) != axes:
            yield name, f"the axes {block['axes']} should be {axes}"
        if block.get("op", step["op"]) != step["op"]:
            yield name, f"the op {block['op']} should be {step['op']}"


# -- comparing -------------------------------------------------------------------------------------


def plain(value: Any) -> float:
    return NAMES[value] if isinstance(value, str) else value


def same(value: float, truth: float, precision: str = "float64", scale: float = 1.0) -> bool:
    """Whether two numbers agree; `scale` is how large the numbers are that they are the difference of."""
    if math.isnan(value) or math.isnan(truth):
        return math.isnan(value) and math.isnan(truth)
    if math.isinf(value) or math.isinf(truth):
        return value == truth
    relative, absolute = (2e-4, 2e-6) if precision == "float32" else (1e-9, 1e-12)
    return abs(value - truth) <= relative * abs(truth) + absolute * scale


def is_calculator(run: Run) -> bool:
    return run.precision.startswith("calculator")


def in_history(run: Run, name: str, index: list[int]) -> float:
    """A number that training followed; where that step of training is in the trace, what the judge computed for it."""
    (at,) = index
    if name not in run.histories or not 0 <= at < len(run.histories[name]):
        raise NotThereError(f"there is no history {name!r} with a number {at}")
    kept = [step for step in run.steps.values() if re.fullmatch(rf"step{at + 1}\.{re.escape(name)}", step["path"])]
    return run.judged[kept[0]["id"]].item() if kept else plain(run.histories[name][at])
