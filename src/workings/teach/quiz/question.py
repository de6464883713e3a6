"""What is asked now: a step, the entries of it, and the numbers that it is made from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...engine.op import Op
from ...engine.recording import Recording
from ...engine.steps import Step
from ...explain.displayed import Displayed
from ...explain.document import Block, Document, Formula, Heading, Number, Span, Spans, Text, Words, to_data
from ...explain.numbers import write
from ...explain.step import ledger_of
from ...explain.story import is_told
from ...explain.work import rule_of
from ..practice.asked import Field, label_of
from ..practice.sheet import Sheet
from .ladder import given_matrix, made_from, style_of
from .sentences import say

SIZE = "d"  # of √d: whoever is asked sees the shapes from which it follows
TO_BE_KNOWN = ("axis", "correction", "past", "rows", "size", SIZE)  # settings that follow from shapes or conventions
PLACES = ("index", "part")  # settings that are counted as positions are


@dataclass(frozen=True, eq=False)
class Question(Displayed):
    """One step of a quiz. Its formula is the first hint, so the page of the question does not show it."""

    heading: str
    number: int  # from 1
    count: int
    step: str  # the path
    name: str  # what the sheet calls it, and whoever answers with a whole matrix
    title: Spans
    fields: tuple[Field, ...]  # that are still open
    formula: Formula | None
    given: tuple[Block, ...]
    digits: int

    def document(self) -> Document:
        """The question, for any renderer."""
        return Document("", tuple(self._blocks()), form="part")

    def _blocks(self) -> Iterator[Block]:
        yield Heading(2, self.heading)
        yield Text(self.title)
        yield from self.given
        numbers = [field.label for field in self.fields if field.kind == "number"]
        if numbers:
            yield Text((Words(say("quiz.find", labels=", ".join(numbers), digits=self.digits)),))

    def _shown(self) -> Document:
        return self.document()

    def to_data(self) -> dict[str, Any]:
        """The question as JSON data. What is right does not stand in it."""
        return {
            "number": self.number,
            "count": self.count,
            "step": self.step,
            "name": self.name,
            "digits": self.digits,
            "fields": [
                {
                    "label": field.label,
                    "kind": field.kind,
                    "index": list(field.index),
                    "question": field.question,
                    "choices": list(field.choices),
                }
                for field in self.fields
            ],
            "document": to_data(self.document()),
        }


def question_about(sheet: Sheet, path: str, fields: tuple[Field, ...], number: int, count: int) -> Question:
    """The question about one step of a sheet."""
    view = sheet.trace[path]
    step = sheet.trace.find_step(path)
    name = label_of(sheet.trace, step)
    return Question(
        heading=say("quiz.step", number=number, count=count, name=name),
        number=number,
        count=count,
        step=path,
        name=name,
        title=view.title(),
        fields=fields,
        formula=view.formula_block(),
        given=tuple(_given(sheet, step)),
        digits=sheet.digits,
    )


def _given(sheet: Sheet, step: Step) -> Iterator[Block]:
    """What a step is made from: other steps, and the numbers of the method that can be known from nothing else."""
    recording = sheet.trace.recording
    group = rule_of(recording, step)
    forward = step if group is None else recording.step(group.rule_of or "")
    settings = step.settings if group is None else group.settings
    yield from (given_matrix(sheet, operand) for operand in made_from(recording, step))
    count = _places(recording, forward, settings)
    spans = [span for name, value in settings.items() for span in _setting(sheet, step, name, value, count)]
    if spans:
        yield Text(tuple(spans[1:]))
    if SIZE in settings:
        compared = [before for operand in made_from(recording, forward) for before in made_from(recording, operand)]
        if compared:
            yield ledger_of(recording, compared, style_of(sheet))


def _places(recording: Recording, forward: Step, settings: Mapping[str, Any]) -> int:
    """How many places there are to choose from, where a setting says which one."""
    if "index" not in settings or not isinstance(forward.op, Op):
        return 0
    if "size" in settings:
        return int(settings["size"])
    forms = tuple(tensor.form for tensor in recording.input_tensors(forward))
    axis: int = forward.op.positional(forms, settings)["axis"]
    return forms[0].shape[axis]


def _setting(sheet: Sheet, step: Step, name: str, value: object, count: int) -> tuple[Span, ...]:
    """`, rate = 0.1`; a place that is counted from the end of so many is written as one from the beginning."""
    if not isinstance(value, int | float) or isinstance(value, bool) or name in TO_BE_KNOWN:
        return ()
    shown = sheet.trace.style.notation.place(int(value) + (count if value < 0 else 0)) if name in PLACES else value
    text = write(shown, replace(style_of(sheet), whole=True, exact=True))
    return Words(", "), Words(f"{name} = "), Number(text, value, step.id, (), "setting")


def introduction(sheet: Sheet) -> Document:
    """What is given before the first question: the inputs and the weights."""
    recording = sheet.trace.recording
    steps = [step for step in recording.steps.values() if step.op is None and step.stage == "forward"]
    given = [leaf for leaf in steps if is_told(recording, leaf)]
    blocks: list[Block] = [Heading(2, say("quiz.given"))]
    blocks += [given_matrix(sheet, leaf) for leaf in given] or [Text((Words(say("quiz.given.nothing")),))]
    return Document(sheet.title, tuple(blocks))
