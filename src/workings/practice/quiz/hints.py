"""The hints to one blank, made from the page of its op: none is written for a single question.

First the formula in symbols; then the numbers that the entry reads; then its hand calculation without the last number;
at last the answer. `hint` starts from the true numbers, `own_hint` from the learner's own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Literal, TypeAlias

from ...document.blocks import Block, Derivation, DerivedLine, Document, Heading, Matrix, Number, Span, Text, Words
from ...document.numbers import Style, write
from ...engine.arrays import Index
from ...engine.errors import WorkingsError
from ...engine.hand import Entry, in_float, reads, work_out
from ...engine.recording import Recording
from ...engine.steps import Step
from ...explain.cell import cell
from ...explain.hand_calculation import hand_calculation_of, origin_of, rule_of
from ...explain.line import number_at, style_for
from ...explain.step_blocks import ledger_of, matrix_of
from ...explain.step_formula import formula_of
from ...explain.story import is_shown
from ...explain.trace import Trace
from ...lessons.rewriting import rewritten
from ..blanks import Blank, step_label
from ..grading.filled_sheet import read_filled
from ..grading.grader import Grader
from ..sheet import Sheet

Rung: TypeAlias = Literal["formula", "operands", "line", "answer"]
RUNG_TITLES: dict[Rung, str] = {
    "formula": "Hint: the formula",
    "operands": "Hint: the numbers that it reads",
    "line": "Hint: the calculation without its last number",
    "answer": "The answer",
}
GAP = "____"
MAX_LISTED = 12  # entries of one operand; of more, the matrix is shown


def rungs_of(sheet: Sheet, blank: Blank) -> tuple[Rung, ...]:
    """The hints to a blank, in order: only a number has a hand calculation."""
    recording, step = sheet.trace.recording, sheet.trace.find_step(blank.step)
    rungs: list[Rung] = ["formula"] if formula_of(recording, step) is not None else []
    rungs += ["operands"] if made_from(recording, step) else []
    rungs += ["line"] if blank.kind == "number" and any(line.forms for line in _by_hand(sheet, blank).lines) else []
    return (*rungs, "answer")


def hint(sheet: Sheet, blank: Blank, rung: Rung) -> Document:
    """One hint, from the true numbers."""
    blocks = {"formula": _formula, "operands": _operands, "line": _line, "answer": _answer}[rung]
    return Document("", (Heading(3, RUNG_TITLES[rung]), *blocks(sheet, blank)), form="part")


def style_of(sheet: Sheet) -> Style:
    """How numbers are written: with the digits of the sheet."""
    return replace(sheet.trace.style, digits=sheet.digits)


def made_from(recording: Recording, step: Step) -> list[Step]:
    """The named steps that this one is computed from."""
    found: dict[str, Step] = {}
    waiting = list(step.inputs)
    while waiting:
        before = recording.step(waiting.pop(0))
        if is_shown(recording, before):
            found[before.id] = before
        elif before.op is not None:
            waiting += before.inputs
    return list(found.values())


def given_matrix(sheet: Sheet, step: Step) -> Matrix:
    """The value of a step, under its name on the sheet."""
    labels = sheet.trace.labels(sheet.trace[step.path])
    matrix = matrix_of(sheet.trace.recording, step, style_of(sheet), labels)
    return replace(matrix, title=step_label(sheet.trace, step))


def _formula(sheet: Sheet, blank: Blank) -> Iterator[Block]:
    step = sheet.trace.find_step(blank.step)
    formula = formula_of(sheet.trace.recording, step, numbers=False, notation=sheet.trace.style.notation)
    if formula is not None:
        yield formula


def _operands(sheet: Sheet, blank: Blank) -> Iterator[Block]:
    recording, step = sheet.trace.recording, sheet.trace.find_step(blank.step)
    if blank.kind == "shape":
        yield ledger_of(recording, made_from(recording, step), style_of(sheet))
        return
    entries = _entries_read(recording, step, blank) if blank.kind == "number" else {}
    for operand, places in entries.items():
        source = recording.step(operand)
        yield _listed(sheet, source, places) if len(places) <= MAX_LISTED else given_matrix(sheet, source)
    if not entries:
        yield from (given_matrix(sheet, operand) for operand in made_from(recording, step))
    yield from _settings(sheet, step)


def _settings(sheet: Sheet, step: Step) -> Iterator[Block]:
    """The numbers that belong to the operation: the d under the root, a rate. `d = 2`"""
    group = rule_of(sheet.trace.recording, step)
    settings = step.settings if group is None else group.settings
    numbers = {name: value for name, value in settings.items() if type(value) in (int, float) and name != "axis"}
    if numbers:
        yield Text((Words(", ".join(f"{name} = {write(value)}" for name, value in numbers.items())),))


def _entries_read(recording: Recording, step: Step, blank: Blank) -> dict[str, list[Index]]:
    """The entries that the hand calculation of an entry reads, by the id of their step."""
    work = hand_calculation_of(recording, step, blank.index)
    if work is None:
        return {}
    hand, sources = work
    found: dict[str, dict[Index, None]] = {}
    for line in work_out(hand, in_float):
        for leaf in reads(line.expression):
            if isinstance(leaf, Entry):
                id, index = origin_of(recording, sources[leaf.source], leaf.index)
                found.setdefault(id, {})[index] = None
    return {id: list(places) for id, places in found.items()}


def _listed(sheet: Sheet, step: Step, places: list[Index]) -> Text:
    """`Q[0][0] = 0.3, Q[0][1] = -0.2`"""
    recording, notation, label = sheet.trace.recording, sheet.trace.style.notation, step_label(sheet.trace, step)
    style = style_for(recording, step, style_of(sheet))
    spans: list[Span] = []
    for index in places:
        comma = ", " if spans else ""
        spans.append(Words(f"{comma}{notation.entry(label, index)} = "))
        spans.append(number_at(step, recording.value(step.id), index, style))
    return Text(tuple(spans))


def _by_hand(sheet: Sheet, blank: Blank) -> Derivation:
    return cell(sheet.trace.recording, sheet.trace.find_step(blank.step), blank.index, style_of(sheet))


def _line(sheet: Sheet, blank: Blank) -> Iterator[Block]:
    calculation = _by_hand(sheet, blank)
    *before, last = calculation.lines
    yield replace(calculation, lines=(*before, replace(last, value=_gap(last.value))))


def _gap(number: Number) -> Number:
    return Number(GAP, GAP, number.step, number.index, "blank")


def _answer(sheet: Sheet, blank: Blank) -> Iterator[Block]:
    if blank.kind == "number":
        yield _by_hand(sheet, blank)
    else:
        yield Text((Words(f"{blank.label}: {blank.true_text}"),))


# -- from the learner's own numbers ------------------------------------------------------------------


def own_hint(sheet: Sheet, blank: Blank, rung: Rung, answers: Mapping[str, str]) -> Document:
    """One hint from the learner's own sheet: with their number where they have answered, and a gap for every other
    open blank. So no hint gives away another blank, and it leads to the number that the answer is compared with.

    >>> from workings.practice.sheet import make_sheet
    >>> sheet = make_sheet("example-3", seed=1, blanks="few")
    >>> blank = sheet.by_label["weights[0][0]"]
    >>> [own_hint(sheet, blank, "operands", own).blocks[1].spans[1].text for own in ({"scaled[0][0]": "2"}, {})]
    ['2.0', '____']
    """
    filled = read_filled(sheet, {label: text for label, text in answers.items() if label != blank.label}).blanks
    grader = Grader(sheet, filled)
    tuple(grader.marks())  # going through the sheet carries their numbers forward
    own = grader.carried.recording
    others = [other for other in sheet.fields if other.kind == "number" and other.label != blank.label]
    places = {other.label: (sheet.trace.find_step(other.step).id, other.index) for other in others}
    stated = {
        label
        for label, (step, index) in places.items()
        if (number := filled[label].number) is not None and float(own.value(step)[index]) == number.value
    }
    try:
        made = hint(replace(sheet, trace=Trace(run=sheet.trace.run, recording=own)), blank, rung)
    except WorkingsError:  # a wrong number may make the rest impossible: then we show nothing of theirs
        made, stated = hint(sheet, blank, rung), set()
    return _covered(made, {place: label for label, place in places.items() if label not in stated})


def _covered(made: Document, still_open: Mapping[tuple[str, Index], str]) -> Document:
    """The hint with a gap for each number of another open blank, and a sentence that names those blanks."""
    found: dict[str, None] = {}

    def cover(part: Any) -> Any:
        if isinstance(part, Number) and part.role == "entry" and (part.step, part.index) in still_open:
            found[still_open[part.step, part.index]] = None
            return _gap(part)
        return part

    blocks = tuple(rewritten(block, cover) for block in made.blocks)
    if not found:
        return made
    blocks = tuple(_in_symbols(block) if isinstance(block, Derivation) else block for block in blocks)
    note = Text((Words(f"Other blanks of this sheet: {', '.join(found)}. Fill those in first."),))
    return replace(made, blocks=(*blocks, note))


def _in_symbols(derivation: Derivation) -> Derivation:
    """A calculation without its numbers, because each line would lead back to the open blank. Of the answer, only the
    answer itself.
    """
    last = derivation.lines[-1]
    if last.value.role != "blank":
        return replace(derivation, lines=(replace(last, forms=()),))
    return replace(derivation, lines=tuple(map(_without_numbers, derivation.lines)))


def _without_numbers(line: DerivedLine) -> DerivedLine:
    return replace(line, forms=line.forms[:1], value=_gap(line.value))
