"""What is above and below the text of a lesson, and in the list of lessons."""

from __future__ import annotations

from collections.abc import Iterator

from ..document.blocks import Block, Fold, Items, Reference, Span, Spans, Text, Words
from ..document.spans import fill_spans
from ..explain.step_blocks import precision_text
from ..scenarios.scenario import names as scenario_names
from .contents import title_of
from .page import PageBuilder
from .reading.entry import DEFAULT
from .reading.lesson_file import LessonFile
from .runs import DEEP, DISTINGUISHING, LONG, TWIN, WIDE

FOOTER = "About the numbers on this page"
REFERENCES = "References"  # the works that a lesson cites


def head(file: LessonFile) -> Iterator[Block]:
    """The answer to the question of the lesson in one sentence; how long it takes, and what comes before it."""
    if file.about:
        yield Text((Words(f"{file.about}."),))
    spans: list[Span] = [Words(f"{file.minutes} minutes")] if file.minutes else []
    if file.needs:
        before = ", after {needs}" if spans else "After {needs}"
        spans += fill_spans(before, needs=references(file.needs))
    if spans:
        yield Text((*spans, Words(".")))


def foot(file: LessonFile, source: str, page: PageBuilder) -> Iterator[Block]:
    """The next lesson, what it cites, and how the numbers were computed; `source` is how the lesson was opened."""
    if file.next:
        yield _leading_to(file.next)
    if page.works:
        yield Fold(REFERENCES, (Items(tuple(page.works[key].entry() for key in sorted(page.works))),))
    yield Fold(FOOTER, tuple(_about_numbers(file, source, page)))


def _about_numbers(file: LessonFile, source: str, page: PageBuilder) -> Iterator[Text]:
    precision = page.runs.options.precision or ""
    yield precision_text(page.trace(DEFAULT).recording, page.style)
    if precision.startswith("calculator"):
        limits = f"more than {LONG} steps, and models wider than {WIDE} or with more than {DEEP} blocks,"
        yield Text((Words(f"Training of {limits} are computed in float64."),))
    elif file.calculator:
        command = f'workings lesson {source} --precision "calculator {file.calculator}"'
        yield Text(
            fill_spans(
                "With a calculator, {digits} digits are enough for every check of this lesson; {command} shows exactly "
                "the digits that you will get.",
                digits=Words(file.calculator),
                command=Words(command, "code"),
            )
        )
    if page.runs.main is not None and TWIN in page.runs.main.runs:
        other = "document" if page.runs.options.numbers == DISTINGUISHING else DISTINGUISHING
        command = f"workings lesson {source} --numbers {other}"
        yield Text(fill_spans(f"{{command}} {SWITCH[other]}", command=Words(command, "code")))
    if file.scenario in scenario_names():
        way = f' --precision "{precision}"' if precision else f" --digits {page.runs.digits}"
        command = f"workings trace {file.scenario} --step scores --cell 0,1{way}"
        yield Text(fill_spans("Any other entry by hand: {command}.", command=Words(command, "code")))


SWITCH = {
    DISTINGUISHING: "shows the same lesson with numbers that are all different, so that every mistake shows.",
    "document": "shows this lesson with the numbers of the document that it follows.",
}


def _leading_to(next: str) -> Text:
    return Text(fill_spans("Next: {next}.", next=references((next,))))


def is_foot(block: Block) -> bool:
    """Whether a block belongs to the page of a lesson, not to its text: the next lesson, what it cites, how numbers are
    computed.
    """
    if isinstance(block, Fold):
        return block.title in (REFERENCES, FOOTER)
    spans = block.spans if isinstance(block, Text) else ()
    return any(block == _leading_to(span.lesson) for span in spans if isinstance(span, Reference))


def list_entry(file: LessonFile, name: str) -> Spans:
    """A lesson in the list: its name and time, and what it is about."""
    spans: list[Span] = [Reference(name, lesson=name), Words(f", {file.minutes} minutes")]
    return (*spans, Words(f". {file.about}."))


def references(names: tuple[str, ...]) -> Spans:
    """Lessons one after the other, each leading to itself."""
    return tuple(part for name in names for part in (Words(", "), reference(name)))[1:]


def reference(name: str) -> Reference:
    """The title of a lesson, leading to it."""
    return Reference(title_of(name), lesson=name)


__all__ = ["foot", "head", "list_entry", "reference", "references"]
