"""What is said about a graded sheet."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress

from ...engine.errors import WorkingsError
from ...engine.in_rule import find_mistake
from ...engine.registry import OPS
from ...explain.document import Block, Document, Fold, Heading, Link, Note, Number, Span, Spans, Table, Text, Words
from ...explain.fitting import hint_of
from ...explain.numbers import Style, apart, write
from ...explain.sentences import say_spans
from ...models.reading.scenario_reading import DEFAULT
from ..answers.number import read_number
from ..practice.asked import Field, label_of
from ..practice.sheet import Sheet
from ..runs import TWIN
from .sentences import say
from .verdicts import Mark, Verdict, most_points

MANY = 3  # answers that nobody asked for: more of them may belong to another sheet
GOOD: tuple[Verdict, ...] = ("right", "right to the digits given")
KINDS = ("right", "follows", "wrong", "blank")  # what is counted, in this order


def feedback(sheet: Sheet, marks: tuple[Mark, ...], unasked: tuple[str, ...] = ()) -> Document:
    """How it went: in all, the first wrong step with its calculation, the other mistakes that have a name, what else is
    wrong, and every step in a table.
    """
    steps: dict[str, list[Mark]] = {}
    for mark in marks:
        steps.setdefault(mark.field.step, []).append(mark)
    blocks: list[Block] = [Text(spans) for spans in _in_all(sheet, marks)]
    if unasked:
        other = f" {say('grade.unasked.many')}" if len(unasked) > MANY else ""
        blocks.append(Note("warning", (Words(say("grade.unasked", labels=", ".join(unasked)) + other),)))
    blocks += _what_went_wrong(sheet, steps)
    blocks += [Heading(2, say("grade.steps")), _table(sheet, steps)]
    blocks += [Text((Words(say(f"grade.{key}")),)) for key in ("tolerance", "rule")]
    blocks.append(Text((Words(say("grade.code", code=sheet.code)),)))
    return Document(say("grade.title", title=sheet.title), tuple(blocks))


def _in_all(sheet: Sheet, marks: tuple[Mark, ...]) -> Iterator[Spans]:
    counts = Counter(_kind(mark) for mark in marks)
    if counts["blank"] == len(marks):
        yield (Words(say("grade.nothing")),)
        return
    parts = [say(f"grade.count.{kind}", count=counts[kind]) for kind in KINDS if counts[kind]]
    points, most = write(sum(mark.points for mark in marks), Style(whole=True)), most_points(marks, not sheet.seed)
    yield (Words(say("grade.points", points=points, most=most, counts=", ".join(parts))),)
    first = next((mark for mark in marks if mark.is_wrong), None)
    if first is None:
        yield (Words(say("grade.all_right")),)
        return
    step = sheet.trace.find_step(first.field.step)
    yield say_spans("grade.first", step=Link(label_of(sheet.trace, step), step.id))


def _kind(mark: Mark) -> str:
    """What is counted as what."""
    if mark.is_wrong:
        return "wrong"
    return "right" if mark.verdict in GOOD else mark.verdict


def _name(sheet: Sheet, path: str) -> str:
    return label_of(sheet.trace, sheet.trace.find_step(path))


# -- what went wrong ----------------------------------------------------------------------------------


def _what_went_wrong(sheet: Sheet, steps: Mapping[str, list[Mark]]) -> Iterator[Block]:
    """The first wrong step and every mistake that has a name by itself, and the rest in one table."""
    wrong = {path: [mark for mark in own if mark.is_wrong] for path, own in steps.items()}
    wrong = {path: own for path, own in wrong.items() if own}
    if not wrong:
        return
    yield Heading(2, say("grade.wrong"))
    first = next(iter(wrong))
    others: list[Mark] = []
    for path, own in wrong.items():
        if path == first or any(mark.mistake for mark in own):
            yield from _wrong_step(sheet, path, own, is_first=path == first)
        else:
            others += own
    if others:
        yield Heading(3, say("grade.others"))
        yield Text((Words(say("grade.others.about")),))
        yield _beside(sheet, others)
        yield from _notes(others)


def _wrong_step(sheet: Sheet, path: str, wrong: list[Mark], is_first: bool) -> Iterator[Block]:
    """What went wrong at a step: the mistake, if it is known, and the answers beside what is right."""
    yield Heading(3, _name(sheet, path))
    named = next((mark for mark in wrong if mark.mistake), None)
    if named is not None:
        yield Note("mistake", (Words(told(named)),), named.mistake)
    elif not any(mark.note for mark in wrong):
        yield Note("hint", (Words(say("grade.unknown")),))
    yield from _notes(wrong)
    yield _beside(sheet, wrong)
    if is_first:
        yield from _by_hand(sheet, path, wrong)
    if named is not None:
        yield Text(say_spans("grade.drill", command=Words(_drill(sheet, named.mistake), "code")))


def _notes(wrong: list[Mark]) -> Iterator[Note]:
    """Why some answers are judged as they are, each reason once."""
    reasons: dict[str, list[str]] = {}
    for mark in wrong:
        if mark.note:
            reasons.setdefault(mark.note, []).append(_with_place(mark))
    for note, labels in reasons.items():
        yield Note("hint", (Words(say("grade.note", labels=", ".join(labels), note=note)),))


def _with_place(mark: Mark) -> str:
    """What an answer is called, and where it stands in the file if it could not be read there."""
    if mark.verdict != "unreadable" or not mark.place:
        return mark.field.label
    return say("grade.placed", label=mark.field.label, place=mark.place)


def _drill(sheet: Sheet, mistake: str) -> str:
    """The command that practises a mistake."""
    run = () if sheet.run in (TWIN, DEFAULT) else ("--run", sheet.run)
    return shlex.join(("workings", "quiz", sheet.name, *run, "--mistake", mistake))


def told(mark: Mark) -> str:
    """The mistake that a mark names, with its hint."""
    name = mark.mistake.partition(".")[2].replace("_", " ").replace("+rule", "")
    return say("grade.mistake", name=name, hint=reasons(mark))


def reasons(mark: Mark) -> str:
    """What went wrong, and what else would give the same number."""
    others = dict.fromkeys(hint for id in mark.also if (hint := _hint(id)) and hint != mark.hint)
    return " ".join([mark.hint, *(say("grade.also.hint", hint=hint) for hint in others)])


def _hint(id: str) -> str:
    """What another mistake that gives the same numbers would be."""
    page, _, name = id.partition(".")
    mistake = find_mistake(OPS[page], name) if page in OPS else None
    return hint_of(mistake) if mistake is not None else ""


def _beside(sheet: Sheet, wrong: list[Mark]) -> Table:
    has_own = any(mark.expected is not None for mark in wrong)
    keys = ("entry", "yours", "true", *(("expected",) if has_own else ()))
    headings = tuple(say(f"grade.{key}") for key in keys)
    return Table(headings, tuple(_beside_row(sheet, mark, has_own) for mark in wrong))


def _beside_row(sheet: Sheet, mark: Mark, has_own: bool) -> tuple[Spans, ...]:
    step = sheet.trace.find_step(mark.field.step)
    cells: list[Span] = [Link(mark.field.label, step.id), Words(mark.given)]
    if mark.verdict == "unreadable":
        cells.append(Words(""))
    else:
        is_number = mark.field.kind == "number"
        cells.append(_number(sheet, mark, mark.field.true) if is_number else Words(in_words(mark.field)))
    if has_own:
        cells.append(Words("") if mark.expected is None else Words(write(mark.expected, Style(sheet.digits))))
    return tuple((cell,) for cell in cells)


def _number(sheet: Sheet, mark: Mark, value: object) -> Number:
    step = sheet.trace.find_step(mark.field.step)
    true = float(str(value)) if not isinstance(value, float) else value
    style = Style(sheet.digits)
    with suppress(WorkingsError):  # what cannot be read is shown as it stands
        given = read_number(mark.given)
        style = style if given is None else apart(true, given.value, style)
    return Number(write(true, style), true, step.id, mark.field.index)


def in_words(field: Field) -> str:
    """The right answer where it is no number: a shape, positions, a choice."""
    true = field.true
    if not isinstance(true, tuple):
        return str(true)
    return " × ".join(map(str, true)) if field.kind == "shape" else "{" + ", ".join(map(str, true)) + "}"


def _by_hand(sheet: Sheet, path: str, wrong: list[Mark]) -> Iterator[Block]:
    """The calculation of the first wrong entry, from the true numbers."""
    numbers = [mark for mark in wrong if mark.field.kind == "number"]
    if not numbers:
        return
    try:
        derivation = sheet.trace[path].cell(*numbers[0].field.index, digits=sheet.digits)
    except WorkingsError:
        return
    yield Fold(say("grade.by_hand"), (derivation,), is_open=True)


def _table(sheet: Sheet, steps: dict[str, list[Mark]]) -> Table:
    headings = tuple(say(f"grade.{key}") for key in ("step", "answers", "points.heading", "verdict"))
    return Table(headings, tuple(_row(sheet, path, marks) for path, marks in steps.items()))


def _row(sheet: Sheet, path: str, marks: list[Mark]) -> tuple[Spans, ...]:
    answered = sum(mark.verdict != "blank" for mark in marks)
    counts = Counter(say(f"grade.verdict.{mark.verdict}") for mark in marks)
    several = [say("grade.verdict.count", count=count, verdict=verdict) for verdict, count in counts.items()]
    verdicts = ", ".join(several if len(counts) > 1 else counts)
    points = write(sum(mark.points for mark in marks), Style(whole=True))
    step = sheet.trace.find_step(path)
    cells: list[Span] = [Link(_name(sheet, path), step.id), Words(f"{answered}/{len(marks)}"), Words(points)]
    return tuple((cell,) for cell in (*cells, Words(verdicts)))
