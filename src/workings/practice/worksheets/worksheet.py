"""A sheet as a page to work on: what is given, then every step with its formula, and blanks to fill in."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace

import numpy

from ...document.blocks import (
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
from ...document.spans import fill_spans
from ...engine.arrays import Index
from ...engine.steps import Step
from ...explain.step_blocks import MAX_WHOLE_SIZE, matrix_of, title_of
from ...explain.step_formula import formula_of
from ...explain.story import is_shown
from ..blanks import Blank, step_label
from ..sheet import Sheet, points_text
from ..sheet_code import grade_command, needs_saving, save_command
from ..tolerance import DUST, TOLERANCE_RULE
from .step_titles import LEVEL_OF_PARTS, StepTitles

NAME_CHARS, DATE_CHARS = 30, 12  # of the lines for them
EXTRA_CHARS = 5  # of a blank, besides its digits: a sign, a point, and room to write


def worksheet(sheet: Sheet, formulas: bool = True, titles: StepTitles | None = None) -> Document:
    """The page that a learner fills in. Without formulas, each step has nothing but its name: how it is computed is for
    the learner to know. The headings are those of the trace, unless somebody has better `titles`.

    >>> from workings.practice.sheet import make_sheet
    >>> page = worksheet(make_sheet("example-1", seed=7))
    >>> page.sheet
    'example-1.twin-7-2s4-a0f2'
    """
    recording = sheet.trace.recording
    to_fill = {blank.step for blank in sheet.fields}  # also unnamed steps, which are not drawn
    shown = [step for step in recording.steps.values() if is_shown(recording, step) or step.path in to_fill]
    blocks: list[Block] = [Text((Words(f"sheet {sheet.code}", "code"),))]
    blocks += [Text((Words(f"name {'_' * NAME_CHARS} date {'_' * DATE_CHARS}"),)), _how_to_work(sheet)]
    blocks.append(Heading(2, "Given"))
    blocks += [value_of(sheet, step) for step in shown if step.op is None]
    computed = [step for step in shown if step.op is not None]
    for above, step in (titles or StepTitles(sheet.trace)).above(computed):
        kept = [block for block in above if formulas or _is_part(block)]
        blocks += [*kept, *_step(sheet, step, formulas)]
    return Document(f"{sheet.title}: worksheet", tuple(blocks), sheet=sheet.code)


def _is_part(block: Block) -> bool:
    """Whether a block is the heading of a part: the title of a step would say how it is computed."""
    return isinstance(block, Heading) and block.level == LEVEL_OF_PARTS


def rules(sheet: Sheet) -> tuple[str, ...]:
    """How to fill in a sheet, on paper and on a screen."""
    points = points_text(sheet)
    return (
        f"Fill in every blank. Write {sheet.digits} significant digits; you may leave out trailing zeros.",
        "Calculate with the numbers on this sheet: the printed ones, and your own where you have filled in a blank.",
        TOLERANCE_RULE,
        f"Rows, columns and positions count from {sheet.trace.style.notation.place(0)}.",
        *((points,) if points else ()),
    )


def _how_to_work(sheet: Sheet) -> Items:
    infinity = ["You can write -inf for −∞."] if _has_masks(sheet) else []
    lines: list[Spans] = [(Words(rule),) for rule in (*rules(sheet), *infinity)]
    if needs_saving(sheet):
        lines.append(
            fill_spans(
                "This sheet is made from a file of your own. Save all of it with {command}.",
                command=Words(save_command(sheet), "code"),
            )
        )
    lines.append(
        fill_spans(
            "Then {command} grades your answers. FILE is this sheet filled in, or a table with the columns entry and "
            "answer.",
            command=Words(grade_command(sheet, "FILE"), "code"),
        )
    )
    return Items(tuple((Text(spans),) for spans in lines))


def _has_masks(sheet: Sheet) -> bool:
    return any(numpy.isneginf(sheet.trace[path].value).any() for path in sheet.steps.values())


def _step(sheet: Sheet, step: Step, formulas: bool) -> Iterator[Block]:
    """A step: how it is computed, its value with blanks in it, and the fields for them."""
    recording, style = sheet.trace.recording, sheet.trace.style
    blanks = [blank for blank in sheet.fields if blank.step == step.path]
    drawn: set[Index] = set()
    if is_shown(recording, step):
        if formulas:
            yield Text(title_of(recording, step, style))
            formula = formula_of(recording, step, notation=style.notation)
            yield from () if formula is None else (formula,)
        numbers = {blank.index for blank in blanks if blank.kind == "number"}
        value = with_blanks(value_of(sheet, step), numbers, sheet.digits)
        drawn = blanks_of(value)
        yield value
    if blanks:
        headings = ("entry", "question", "answer")
        yield Answers(tuple(_answer(sheet, step, blank, drawn, formulas) for blank in blanks), headings)


def value_of(sheet: Sheet, step: Step) -> Matrix:
    """The whole value of a step, under its name on the sheet."""
    trace = sheet.trace
    style = replace(trace.style, digits=sheet.digits, unit="significant", dust=DUST)
    matrix = matrix_of(trace.recording, step, style, trace.labels(trace[step.path]), MAX_WHOLE_SIZE)
    return replace(matrix, title=step_label(trace, step))


def _answer(sheet: Sheet, step: Step, blank: Blank, drawn: Collection[Index], formulas: bool) -> AnswerField:
    is_drawn = blank.kind == "number" and blank.index in drawn
    question = blank.question if formulas or blank.kind != "line" else ""
    return AnswerField(step.id, blank.index, blank.label, sheet.digits, question, blank.choices, is_drawn)


# -- blanks in a matrix --------------------------------------------------------------------------------


def with_blanks(matrix: Matrix, blanks: Collection[Index], digits: int) -> Matrix:
    """The matrix with a line to write on in the place of some entries."""
    line = "_" * (digits + EXTRA_CHARS)

    def shown(entry: Number) -> Number:
        return Number(line, "", entry.step, entry.index, "blank") if entry.index in blanks else entry

    def cut(part: MatrixSlice) -> MatrixSlice:
        return replace(part, rows=tuple(tuple(map(shown, row)) for row in part.rows))

    return replace(matrix, slices=tuple(map(cut, matrix.slices)))


def blanks_of(matrix: Matrix) -> set[Index]:
    """The entries of a matrix that are drawn as blanks; those outside its window are not among them."""
    return {entry.index for part in matrix.slices for row in part.rows for entry in row if entry.is_blank}
