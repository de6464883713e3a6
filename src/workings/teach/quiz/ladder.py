"""The ladder of hints to one entry, made from the page of its op: nothing is written for any one question.

First the formula with its letters; then the numbers that the entry reads; then its hand calculation without the last
number; at last the answer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal, TypeAlias

from ...engine.hand import Entry, in_float, reads, work_out
from ...engine.recording import Recording
from ...engine.steps import Step
from ...explain.cell import cell
from ...explain.document import Block, Derivation, Document, Heading, Matrix, Number, Span, Text, Words
from ...explain.line import number_at, style_for
from ...explain.numbers import Style, write
from ...explain.step import ledger_of, matrix_of
from ...explain.step_formula import formula_of
from ...explain.story import is_told
from ...explain.work import origin_of, rule_of, work_of
from ..grading.feedback import in_words
from ..practice.asked import Field, label_of
from ..practice.sheet import Sheet
from .sentences import say

Rung: TypeAlias = Literal["formula", "operands", "line", "answer"]
BLANK = "____"
MANY = 12  # entries of one operand that are listed; of more, the matrix is shown


def rungs_of(sheet: Sheet, field: Field) -> tuple[Rung, ...]:
    """The hints that there are to a field: what is no number is not calculated line by line."""
    recording, step = sheet.trace.recording, sheet.trace.find_step(field.step)
    rungs: list[Rung] = ["formula"] if formula_of(recording, step) is not None else []
    rungs += ["operands"] if made_from(recording, step) else []
    rungs += ["line"] if field.kind == "number" and any(line.forms for line in _worked(sheet, field).lines) else []
    return (*rungs, "answer")


def hint(sheet: Sheet, field: Field, rung: Rung) -> Document:
    """One rung of the ladder."""
    blocks = {"formula": _formula, "operands": _operands, "line": _line, "answer": _answer}[rung]
    return Document("", (Heading(3, say(f"quiz.rung.{rung}")), *blocks(sheet, field)), form="part")


def style_of(sheet: Sheet) -> Style:
    """How numbers are written: with the digits that are asked for."""
    return replace(sheet.trace.style, digits=sheet.digits)


def made_from(recording: Recording, step: Step) -> list[Step]:
    """The steps with a name that this one is made from."""
    found: dict[str, Step] = {}
    waiting = list(step.inputs)
    while waiting:
        before = recording.step(waiting.pop(0))
        if is_told(recording, before):
            found[before.id] = before
        elif before.op is not None:
            waiting += before.inputs
    return list(found.values())


def given_matrix(sheet: Sheet, step: Step) -> Matrix:
    """The value of a step, under the name that the sheet has for it."""
    labels = sheet.trace.labels(sheet.trace[step.path])
    matrix = matrix_of(sheet.trace.recording, step, style_of(sheet), labels)
    return replace(matrix, title=label_of(sheet.trace, step))


def _formula(sheet: Sheet, field: Field) -> Iterator[Block]:
    step = sheet.trace.find_step(field.step)
    formula = formula_of(sheet.trace.recording, step, numbers=False, notation=sheet.trace.style.notation)
    if formula is not None:
        yield formula


def _operands(sheet: Sheet, field: Field) -> Iterator[Block]:
    recording, step = sheet.trace.recording, sheet.trace.find_step(field.step)
    if field.kind == "shape":
        yield ledger_of(recording, made_from(recording, step), style_of(sheet))
        return
    read = _read(recording, step, field) if field.kind == "number" else {}
    for operand, places in read.items():
        source = recording.step(operand)
        yield _listed(sheet, source, places) if len(places) <= MANY else given_matrix(sheet, source)
    if not read:
        yield from (given_matrix(sheet, operand) for operand in made_from(recording, step))
    yield from _settings(sheet, step)


def _settings(sheet: Sheet, step: Step) -> Iterator[Block]:
    """The numbers that belong to the operation: the d under the root, a rate. `d = 2`"""
    group = rule_of(sheet.trace.recording, step)
    settings = step.settings if group is None else group.settings
    numbers = {name: value for name, value in settings.items() if type(value) in (int, float) and name != "axis"}
    if numbers:
        yield Text((Words(", ".join(f"{name} = {write(value)}" for name, value in numbers.items())),))


def _read(recording: Recording, step: Step, field: Field) -> dict[str, list[tuple[int, ...]]]:
    """The entries that the hand calculation of an entry reads, by the id of the step that they are in."""
    work = work_of(recording, step, field.index)
    if work is None:
        return {}
    hand, sources = work
    found: dict[str, dict[tuple[int, ...], None]] = {}
    for line in work_out(hand, in_float):
        for leaf in reads(line.expression):
            if isinstance(leaf, Entry):
                id, index = origin_of(recording, sources[leaf.source], leaf.index)
                found.setdefault(id, {})[index] = None
    return {id: list(places) for id, places in found.items()}


def _listed(sheet: Sheet, step: Step, places: list[tuple[int, ...]]) -> Text:
    """`Q[0][0] = 0.3, Q[0][1] = -0.2`"""
    recording, notation, label = sheet.trace.recording, sheet.trace.style.notation, label_of(sheet.trace, step)
    style = style_for(recording, step, style_of(sheet))
    spans: list[Span] = []
    for place in places:
        before = ", " if spans else ""
        spans.append(Words(f"{before}{notation.entry(label, place)} = "))
        spans.append(number_at(step, recording.value(step.id), place, style))
    return Text(tuple(spans))


def _worked(sheet: Sheet, field: Field) -> Derivation:
    return cell(sheet.trace.recording, sheet.trace.find_step(field.step), field.index, style_of(sheet))


def _line(sheet: Sheet, field: Field) -> Iterator[Block]:
    worked = _worked(sheet, field)
    *before, last = worked.lines
    blank = Number(BLANK, BLANK, last.value.step, last.value.index, "blank")
    yield replace(worked, lines=(*before, replace(last, value=blank)))


def _answer(sheet: Sheet, field: Field) -> Iterator[Block]:
    if field.kind == "number":
        yield _worked(sheet, field)
    else:
        yield Text((Words(f"{field.label}: {in_words(field)}"),))
