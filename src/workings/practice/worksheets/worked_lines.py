"""The blanks for lines as a person reads them: those of a softmax numbered (the largest score, the differences from it,
the powers of e, their total; the fifth line divides, in the matrix), others under the entry that they lead to.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from ...document.blocks import AnswerField, Answers, Block, Spans, Text, Words
from ...engine.arrays import Index
from ...engine.steps import Step
from ...explain.trace import Trace
from ..blanks import Blank, step_label
from ..lines import softmax_axis
from ..sheet import Sheet

LINES = {"max": "1. Largest score", "s": "2. Differences", "e": "3. Powers of e", "total": "4. Total"}
DIVIDE = "The fifth divides each power by the total, in the blanks above."
SYMBOL = re.compile(r"([a-z]+)\d*")  # of a line: s0, s1


def with_worked_lines(sheet: Sheet, blocks: tuple[Block, ...]) -> Iterator[Block]:
    """The blocks of a sheet, in which the blanks for lines have a place of their own."""
    lines = {blank.label: blank for blank in sheet.fields if blank.kind == "line"}
    for block in blocks:
        pairs = []
        if isinstance(block, Answers):
            pairs = [(field, lines[field.label]) for field in block.fields if field.label in lines]
        if not isinstance(block, Answers) or not pairs:
            yield block
            continue
        step = sheet.trace.recording.step(pairs[0][0].step)
        for _, group in groupby(pairs, key=lambda pair: pair[1].index):
            worked = list(group)
            if step.op_name == "softmax":
                yield Text(_row(sheet.trace, step, worked[0][1].index))
                yield replace(block, fields=tuple(_numbered(worked)))
            else:
                yield Text((Words(worked[0][1].label.partition("/")[0], "code"), Words(", line by line:")))
                yield replace(block, fields=tuple(_field(field, blank) for field, blank in worked))
        others = tuple(field for field in block.fields if field.label not in lines)
        if others:
            yield replace(block, fields=others)


def _numbered(row: list[tuple[AnswerField, Blank]]) -> Iterator[AnswerField]:
    """The lines of a row of a softmax; the first of each kind has its number."""
    before = ""
    for field, blank in row:
        kind = _kind(blank.line)
        yield _field(field, blank, LINES[kind] if kind != before else "")
        before = kind


def _kind(line: str) -> str:
    found = SYMBOL.fullmatch(line)
    return found[1] if found else line


def _field(field: AnswerField, blank: Blank, title: str = "") -> AnswerField:
    """The blank of a line: `Total: total = e0 + e1`, without the name of the entry, which is above."""
    formula = field.question.removeprefix(f"{blank.label.partition('/')[0]}/")
    return replace(field, question=f"{title}: {formula}" if title else formula)


def _row(trace: Trace, step: Step, index: Index) -> Spans:
    """`weights[1]` (B) in five lines."""
    axis = softmax_axis(trace, step)
    places = tuple(None if position == axis else place for position, place in enumerate(index))
    name = trace.style.notation.entry(step_label(trace, step), places if len(index) > 1 else ())
    words = trace.labels(trace[step.path]).get(step.form.axes[-2], ()) if axis == len(index) - 1 > 0 else ()
    of = f" ({words[index[-2]]})" if words and len(words) == step.form.shape[-2] else ""
    return Words(name, "code"), Words(f"{of} in five lines. {DIVIDE}")
