"""A hint from what stands on somebody's own sheet: their number where they wrote one down, and a gap where another
blank is still open. So no hint gives away another blank, and it leads to the number by which an answer is judged.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeAlias

from ..engine.arrays import Index
from ..engine.errors import WorkingsError
from ..engine.sentences import add_sentences, say
from ..explain.document import Derivation, DerivedLine, Document, Number, Text, Words
from ..explain.view import Trace
from ..teach.grading.judge import Judge
from ..teach.grading.reading import read_all
from ..teach.practice.asked import Field
from ..teach.practice.sheet import Sheet
from ..teach.quiz.ladder import BLANK, Rung, hint
from ..teach.rewriting import rewritten

Entries: TypeAlias = dict[tuple[str, Index], str]  # the labels of blanks, by the id of their step and their place

add_sentences(
    "lab",
    {"hint.open": "Asked for elsewhere on this sheet: {labels}. Work it out there first."},
)


def own_hint(sheet: Sheet, field: Field, rung: Rung, answers: Mapping[str, str]) -> Document:
    """One rung of the ladder to an entry, as it looks to whoever wrote these answers.

    >>> from .practice import Sheets
    >>> sheet = Sheets().of("example-3", "", 1, "few")
    >>> shares = sheet.asked["weights[0][0]"]
    >>> [own_hint(sheet, shares, "operands", own).blocks[1].spans[1].text for own in ({"scaled[0][0]": "2"}, {})]
    ['2.0', '____']
    """
    written = read_all(sheet, {label: text for label, text in answers.items() if label != field.label}).fields
    judge = Judge(sheet, written)
    tuple(judge.marks())  # going through the sheet puts their numbers in the place of ours
    others = [other for other in sheet.fields if other.kind == "number" and other.label != field.label]
    stated = {
        other.label
        for other in others
        if (given := written[other.label].given) is not None and _value(judge, other) == given.value
    }
    try:
        made = hint(_with_own_numbers(sheet, judge), field, rung)
    except WorkingsError:  # a wrong number may make the rest impossible: then nothing of theirs is shown
        made, stated = hint(sheet, field, rung), set()
    return _covered(made, {_entry(sheet, other): other.label for other in others if other.label not in stated})


def _value(judge: Judge, field: Field) -> float:
    step, index = _entry(judge.sheet, field)
    return float(judge.world.recording.value(step)[index])


def _entry(sheet: Sheet, field: Field) -> tuple[str, Index]:
    return sheet.trace.find_step(field.step).id, field.index


def _with_own_numbers(sheet: Sheet, judge: Judge) -> Sheet:
    truth = sheet.trace
    own = Trace(style=truth.style, aliases=truth.aliases, recording=judge.world.recording)
    own.labels = truth.labels
    return replace(sheet, trace=own)


# -- what is still open ------------------------------------------------------------------------------


def _covered(made: Document, still_open: Entries) -> Document:
    """The hint with a gap for each number that is asked for elsewhere; and a sentence that says where."""
    found: dict[str, None] = {}

    def cover(part: Any) -> Any:
        if isinstance(part, Number) and part.role == "entry" and (part.step, part.index) in still_open:
            found[still_open[part.step, part.index]] = None
            return Number(BLANK, BLANK, part.step, part.index, "blank")
        return part

    blocks = tuple(rewritten(block, cover) for block in made.blocks)
    if not found:
        return made
    blocks = tuple(_in_letters(block) if isinstance(block, Derivation) else block for block in blocks)
    told = Text((Words(say("lab.hint.open", labels=", ".join(found))),))
    return replace(made, blocks=(*blocks, told))


def _in_letters(derivation: Derivation) -> Derivation:
    """A calculation without its numbers, for each line would lead back to the one that is open. Of the answer itself,
    nothing but the answer.
    """
    last = derivation.lines[-1]
    if last.value.role != "blank":
        return replace(derivation, lines=(replace(last, forms=()),))
    return replace(derivation, lines=tuple(map(_without_numbers, derivation.lines)))


def _without_numbers(line: DerivedLine) -> DerivedLine:
    gap = Number(BLANK, BLANK, line.value.step, line.value.index, "blank")
    return replace(line, forms=line.forms[:1], value=gap)
