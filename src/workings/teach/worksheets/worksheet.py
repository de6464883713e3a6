"""A sheet as a page to work on: what is given, then every step with its formula, and blanks where it is asked for."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy

from ...engine.arrays import Index
from ...engine.steps import Step
from ...explain.document import (
    AnswerField,
    Answers,
    Block,
    Document,
    Heading,
    Items,
    Matrix,
    MatrixSlice,
    Number,
    Spans,
    Text,
    Words,
)
from ...explain.sentences import say_spans
from ...explain.step import WHOLE, matrix_of, title_of
from ...explain.step_formula import formula_of
from ...explain.story import is_told, under_headings
from ..practice.asked import Field, label_of
from ..practice.sheet import Sheet
from ..practice.tolerance import DUST
from .commands import grading, keeping, needs_keeping
from .sentences import say

NAME, DATE = 30, 12  # signs of the lines for them
LONGER = 5  # signs that a blank has more than digits: a sign, a point, and room to write


def worksheet(sheet: Sheet) -> Document:
    """The page that somebody fills in.

    >>> from workings.teach.practice.sheet import make_sheet
    >>> page = worksheet(make_sheet("example-1", seed=7))
    >>> page.sheet
    'example-1.twin-7-1s4-a0f2'
    """
    recording = sheet.trace.recording
    asked = {field.step for field in sheet.fields}  # also of steps that have no name, and are not drawn
    shown = [step for step in recording.steps.values() if is_told(recording, step) or step.path in asked]
    blocks: list[Block] = [Text((Words(say("worksheet.code", code=sheet.code), "code"),))]
    blocks += [Text((Words(say("worksheet.name", line="_" * NAME, short="_" * DATE)),)), _how_to_work(sheet)]
    blocks.append(Heading(2, say("worksheet.given")))
    blocks += [_value(sheet, step) for step in shown if step.op is None]
    worked_out = [step for step in shown if step.op is not None]
    for headings, step in under_headings(recording, worked_out, sheet.trace.style.notation):
        blocks += [*headings, *_step(sheet, step)]
    return Document(say("worksheet.title", title=sheet.title), tuple(blocks), sheet=sheet.code)


def _how_to_work(sheet: Sheet) -> Items:
    command = Words(grading(sheet, "FILE"), "code")
    first = sheet.trace.style.notation.place(0)
    said = [
        say("worksheet.digits", digits=sheet.digits),
        say("worksheet.go_on"),
        say("worksheet.tolerance"),
        say("worksheet.counting", first=first),
        *([say("worksheet.infinite")] if _has_masks(sheet) else []),
    ]
    lines: list[Spans] = [(Words(text),) for text in said]
    if needs_keeping(sheet):
        lines.append(say_spans("worksheet.keep", command=Words(keeping(sheet), "code")))
    lines.append(say_spans("worksheet.grade", command=command))
    return Items(tuple((Text(spans),) for spans in lines))


def _has_masks(sheet: Sheet) -> bool:
    return any(numpy.isneginf(sheet.trace[path].value).any() for path in sheet.steps.values())


def _step(sheet: Sheet, step: Step) -> Iterator[Block]:
    """What a step is, its formula, its value with the blanks in it, and the fields for them."""
    recording, style = sheet.trace.recording, sheet.trace.style
    fields = [field for field in sheet.fields if field.step == step.path]
    places: set[Index] = set()
    if is_told(recording, step):
        yield Text(title_of(recording, step, style))
        formula = formula_of(recording, step, notation=style.notation)
        if formula is not None:
            yield formula
        numbers = {field.index for field in fields if field.kind == "number"}
        value = with_blanks(_value(sheet, step), numbers, sheet.digits)
        places = blanks_of(value)
        yield value
    if fields:
        headings = (say("worksheet.entry"), say("worksheet.question"), say("worksheet.answer"))
        yield Answers(tuple(_answer(sheet, step, field, places) for field in fields), headings)


def _value(sheet: Sheet, step: Step) -> Matrix:
    """The value of a step, whole, under the name that it has on the sheet."""
    trace = sheet.trace
    style = replace(trace.style, digits=sheet.digits, unit="significant", dust=DUST)
    matrix = matrix_of(trace.recording, step, style, trace.labels(trace[step.path]), WHOLE)
    return replace(matrix, title=label_of(trace, step))


def _answer(sheet: Sheet, step: Step, field: Field, places: Collection[Index]) -> AnswerField:
    placed = field.kind == "number" and field.index in places
    return AnswerField(step.id, field.index, field.label, sheet.digits, field.question, field.choices, placed)


# -- blanks ------------------------------------------------------------------------------------------


def with_blanks(matrix: Matrix, places: Collection[Index], digits: int) -> Matrix:
    """The matrix with a line to write on in some of its places."""
    line = "_" * (digits + LONGER)

    def shown(entry: Number) -> Number:
        return Number(line, "", entry.step, entry.index, "blank") if entry.index in places else entry

    def cut(part: MatrixSlice) -> MatrixSlice:
        return replace(part, rows=tuple(tuple(map(shown, row)) for row in part.rows))

    return replace(matrix, slices=tuple(map(cut, matrix.slices)))


def blanks_of(matrix: Matrix) -> set[Index]:
    """The places of a matrix that are blank: one that lies outside of what is shown of it is not among them."""
    return {entry.index for part in matrix.slices for row in part.rows for entry in row if entry.is_blank}
