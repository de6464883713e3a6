"""What stands above and below the text of a lesson, and in the list of lessons."""

from __future__ import annotations

from collections.abc import Iterator

from ..document.blocks import Block, Reference, Span, Spans, Text, Words
from ..document.spans import fill_spans
from ..explain.step_blocks import precision_text
from ..scenarios.scenario import names as scenario_names
from .page import PageBuilder
from .reading.entry import DEFAULT
from .reading.lesson_file import LessonFile
from .runs import DEEP, LONG, WIDE

TYPED = ("workings ", "--")  # how what is typed begins


def head(file: LessonFile, source: str, page: PageBuilder) -> Iterator[Block]:
    """How long it takes, what it needs, how its numbers are written; `source` is how the lesson is asked for."""
    spans: list[Span] = [Words(f"About {file.minutes} minutes.")] if file.minutes else []
    if file.needs:
        spans += [Words(" ")] if spans else []
        spans += fill_spans("Before this: {needs}.", needs=references(file.needs))
    if spans:
        yield Text(tuple(spans))
    precision = page.runs.options.precision or ""
    yield precision_text(page.trace(DEFAULT).recording, page.style)
    commands: list[Spans] = []  # what to type, below all the rest
    if precision.startswith("calculator"):
        limits = f"more than {LONG} steps, and models wider than {WIDE} or with more than {DEEP} blocks,"
        yield Text((Words(f"Training of {limits} are computed in float64."),))
    elif file.calculator:
        yield Text((Words(f"With a calculator: {file.calculator} digits are enough for every check of this lesson."),))
        command = f'workings lesson {source} --precision "calculator {file.calculator}"'
        commands.append(
            fill_spans("{command} shows exactly the digits that you will get.", command=Words(command, "code"))
        )
    else:
        yield Text(
            (
                Words(
                    (
                        "Each line is rounded only where it is shown, so the last digit may differ from what the "
                        "digits above it give."
                    )
                ),
            )
        )
        commands.append(
            fill_spans("With {command}, every line starts from the digits shown.", command=Words("--precision", "code"))
        )
    if file.scenario in scenario_names():
        way = f' --precision "{precision}"' if precision else f" --digits {page.runs.digits}"
        command = f"workings trace {file.scenario} --step scores --cell 0,1{way}"
        commands.append(fill_spans("Any other entry by hand: {command}.", command=Words(command, "code")))
    for command_spans in commands:
        yield Text(command_spans)


def is_command(block: Block) -> bool:
    """Whether a block above a lesson says what to type: a page on which that can be pressed does not need it.

    >>> is_command(Text(fill_spans("By hand: {command}.", command=Words("workings trace example-1", "code"))))
    True
    """
    spans = block.spans if isinstance(block, Text) else ()
    return any(isinstance(span, Words) and span.look == "code" and span.text.startswith(TYPED) for span in spans)


def foot(file: LessonFile) -> Iterator[Block]:
    if file.next:
        yield _leading_to(file.next)


def _leading_to(next: str) -> Text:
    return Text(fill_spans("Next: {next}.", next=references((next,))))


def is_foot(block: Block) -> bool:
    """Whether a block is the line below a lesson that names the next one."""
    spans = block.spans if isinstance(block, Text) else ()
    return any(block == _leading_to(span.lesson) for span in spans if isinstance(span, Reference))


def list_entry(file: LessonFile, name: str) -> Spans:
    """A lesson in the list: its name and time, what comes before it, and what it is about."""
    spans: list[Span] = [Reference(name, lesson=name), Words(f", {file.minutes} minutes")]
    if file.needs:
        spans += fill_spans(", after {needs}", needs=references(file.needs))
    return (*spans, Words(f". {file.about}."))


def references(names: tuple[str, ...]) -> Spans:
    """Lessons one after the other, each leading to itself."""
    return tuple(part for name in names for part in (Words(", "), Reference(name, lesson=name)))[1:]


__all__ = ["foot", "head", "list_entry", "references"]
