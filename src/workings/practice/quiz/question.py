"""One step of a quiz: the blanks to fill in, and the numbers that it is computed from."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...document.blocks import Block, Document, Formula, Heading, Number, Span, Spans, Text, Words, to_data
from ...document.displayed import Displayed
from ...document.numbers import write
from ...engine.op import Op
from ...engine.recording import Recording
from ...engine.steps import Step
from ...explain.hand_calculation import rule_of
from ...explain.step_blocks import ledger_of
from ...explain.story import is_shown
from ..blanks import Blank, step_label
from ..sheet import Sheet
from .hints import given_matrix, made_from, style_of

SIZE = "d"  # of √d: the question shows the shapes from which it follows
IMPLIED = ("axis", "correction", "past", "rows", "size", SIZE)  # settings that follow from shapes or conventions
POSITIONS = ("index", "part")  # settings that count as positions do


@dataclass(frozen=True, eq=False)
class QuizQuestion(Displayed):
    """One step of a quiz. Its formula is the first hint, so the page of the question does not show it."""

    heading: str
    number: int  # from 1
    count: int
    step: str  # the path
    name: str  # on the sheet, and of an answer with the whole matrix
    title: Spans
    fields: tuple[Blank, ...]  # that are still open
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
        numbers = [blank.label for blank in self.fields if blank.kind == "number"]
        if numbers:
            yield Text((Words(f"Find {', '.join(numbers)} to {self.digits} significant digits."),))

    def _shown(self) -> Document:
        return self.document()

    def to_data(self) -> dict[str, Any]:
        """The question as JSON data, without the right answers."""
        return {
            "number": self.number,
            "count": self.count,
            "step": self.step,
            "name": self.name,
            "digits": self.digits,
            "fields": [
                {
                    "label": blank.label,
                    "kind": blank.kind,
                    "index": list(blank.index),
                    "question": blank.question,
                    "choices": list(blank.choices),
                }
                for blank in self.fields
            ],
            "document": to_data(self.document()),
        }


def question_about(sheet: Sheet, path: str, blanks: tuple[Blank, ...], number: int, count: int) -> QuizQuestion:
    """The question about one step of a sheet."""
    view = sheet.trace[path]
    step = sheet.trace.find_step(path)
    name = step_label(sheet.trace, step)
    return QuizQuestion(
        heading=f"{number} of {count}: {name}",
        number=number,
        count=count,
        step=path,
        name=name,
        title=view.title(),
        fields=blanks,
        formula=view.formula_block(),
        given=tuple(_given(sheet, step)),
        digits=sheet.digits,
    )


def _given(sheet: Sheet, step: Step) -> Iterator[Block]:
    """What a step is computed from: other steps, and settings that nothing else implies."""
    recording = sheet.trace.recording
    group = rule_of(recording, step)
    forward = step if group is None else recording.step(group.rule_of or "")
    settings = step.settings if group is None else group.settings
    yield from (given_matrix(sheet, operand) for operand in made_from(recording, step))
    count = _count_positions(recording, forward, settings)
    spans = [span for name, value in settings.items() for span in _setting(sheet, step, name, value, count)]
    if spans:
        yield Text(tuple(spans[1:]))
    if SIZE in settings:
        compared = [before for operand in made_from(recording, forward) for before in made_from(recording, operand)]
        if compared:
            yield ledger_of(recording, compared, style_of(sheet))


def _count_positions(recording: Recording, forward: Step, settings: Mapping[str, Any]) -> int:
    """How many positions there are to choose from, where a setting says which one."""
    if "index" not in settings or not isinstance(forward.op, Op):
        return 0
    if "size" in settings:
        return int(settings["size"])
    forms = tuple(tensor.form for tensor in recording.input_tensors(forward))
    axis: int = forward.op.positional(forms, settings)["axis"]
    return forms[0].shape[axis]


def _setting(sheet: Sheet, step: Step, name: str, value: object, count: int) -> tuple[Span, ...]:
    """`, rate = 0.1`; a position counted from the end is written as one from the beginning."""
    if not isinstance(value, int | float) or isinstance(value, bool) or name in IMPLIED:
        return ()
    position = sheet.trace.style.notation.place
    shown = position(int(value) + (count if value < 0 else 0)) if name in POSITIONS else value
    text = write(shown, replace(style_of(sheet), whole=True, exact=True))
    return Words(", "), Words(f"{name} = "), Number(text, value, step.id, (), "setting")


def introduction(sheet: Sheet) -> Document:
    """What is given before the first question: the inputs and the weights."""
    recording = sheet.trace.recording
    steps = [step for step in recording.steps.values() if step.op is None and step.stage == "forward"]
    given = [leaf for leaf in steps if is_shown(recording, leaf)]
    blocks: list[Block] = [Heading(2, "Given")]
    blocks += [given_matrix(sheet, leaf) for leaf in given] or [Text((Words("Nothing is given."),))]
    return Document(sheet.title, tuple(blocks))
