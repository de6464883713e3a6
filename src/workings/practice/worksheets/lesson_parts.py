"""What a sheet takes from its lesson: the checks that hold for its own numbers, what to remember, and the titles of its
sections.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ...document.blocks import Block, Heading, Items, Number, Spans, Text
from ...engine.errors import WorkingsError
from ...explain.trace import Trace
from ...lessons.directives.checks import checks_of
from ...lessons.lesson import Lesson
from ...lessons.page import PageBuilder
from ...lessons.reading.myst import Directive, directive_of, line_of, tree
from ...lessons.runs import LessonOptions, Runs
from ...scenarios.reading.scenario_file import DEFAULT
from ..sheet import Sheet
from ..training_step import AFTER, AFTER_RUN, FIRST, SECOND

CHECKS, INSIGHTS = "check-your-work", "what-to-remember"  # sections of a lesson
UNTITLED = ("Check your work", "What to remember", "Exercises")  # sections that explain no step
SHOWN = re.compile(r"^:+\{(?:step|matrix|cell)\}\s+(.+)$")  # a line that shows steps or entries
OWN_RUN = re.compile(r"[\w.]+(?=[\[\s]|$)")  # a name without a run before it


# -- checks --------------------------------------------------------------------------------------------


def own_checks(of: Lesson, sheet: Sheet) -> tuple[Spans, ...]:
    """The words of the checks of a lesson that hold for the numbers of a sheet, worked out on its own trace. What asks
    for another run, or for a step that is not on the sheet, is left out.

    >>> from workings.document.blocks import plain_text
    >>> from workings.lessons.lesson import lesson
    >>> from workings.practice.sheet import make_sheet
    >>> plain_text(own_checks(lesson("cat-sleeps"), make_sheet("cat-sleeps", seed=7))[0])
    'Each row of attention weights sums to 1'
    """
    page = PageBuilder(of.file, _runs(of, sheet))
    found: list[Spans] = []
    for directive in _directives(of.file.text):
        if directive.options.get("run", DEFAULT) != DEFAULT:
            continue
        for line in _lines(directive):
            try:
                if directive.name == "measure":
                    page.measured.line(line.body.strip())
                else:
                    found += [check.words for check in checks_of(line, page) if check.holds]
            except WorkingsError:
                continue
    return tuple(dict.fromkeys(found))


def _directives(text: str) -> Iterator[Directive]:
    for node in tree(text):
        directive = directive_of(node, 1 + line_of(node)) if node.type == "colon_fence" else None
        if directive is not None and directive.name in ("measure", "checks"):
            yield directive


def _lines(directive: Directive) -> Iterator[Directive]:
    """A directive of many lines as many of one line."""
    for number, line in enumerate(directive.body.splitlines(), directive.body_line):
        if line.strip():
            yield replace(directive, body=line, body_line=number)


def _runs(of: Lesson, sheet: Sheet) -> Runs:
    """The sheet as the only run of the lesson; of a training step, also as the run that it was made from."""
    runs = Runs(None, lambda name: None, LessonOptions(), of.file.digits)
    trace = sheet.trace
    if sheet.is_training_step:
        trace = trace.with_run(aliases={**trace.aliases, **_both_passes(trace)})
        runs.add(AFTER_RUN, trace)
    runs.add(DEFAULT, trace)
    return runs


def _both_passes(trace: Trace) -> dict[str, str]:
    """The paths of a training step by those of its run: of one step, and of two."""
    paths = {step.path for step in trace.recording.steps.values()}
    found: dict[str, str] = {}
    for path in paths:
        if not path.endswith(AFTER):
            plain = re.sub(r"^(example\d+\..*)_\d+$", r"\1", path)
            found |= {plain: path} if plain != path else {}
            found[FIRST + plain] = path
            found[SECOND + plain] = path + AFTER if path + AFTER in paths else path
    return found


# -- what to remember ----------------------------------------------------------------------------------


def insights(of: Lesson, sheet: Sheet) -> Iterator[Block]:
    """What the lesson wants to be remembered. Sentences with numbers are about the numbers of the lesson."""
    for block in _sections(of.document.blocks).get(INSIGHTS, ()):
        if isinstance(block, Items):
            kept = tuple(entry for entry in block.entries if not sheet.seed or not _has_numbers(entry))
            yield replace(block, entries=kept)


def _has_numbers(entry: tuple[Block, ...]) -> bool:
    return any(isinstance(span, Number) for block in entry if isinstance(block, Text) for span in block.spans)


def _sections(blocks: tuple[Block, ...]) -> dict[str, tuple[Block, ...]]:
    """The sections of a lesson by their anchors, without their headings."""
    sections: dict[str, list[Block]] = {}
    into: list[Block] = []
    for block in blocks:
        if isinstance(block, Heading):
            into = sections.setdefault(block.anchor, [])
        else:
            into.append(block)
    return {anchor: tuple(section) for anchor, section in sections.items()}


# -- titles --------------------------------------------------------------------------------------------


def headings_of(of: Lesson) -> list[str]:
    return [block.text for block in of.document.blocks if isinstance(block, Heading)]


def sections_of_steps(of: Lesson) -> dict[str, str]:
    """The title of the section that shows a step of the main run first, by the name of the step.

    >>> from workings.lessons.lesson import lesson
    >>> sections_of_steps(lesson("example-3"))["dscaled"]
    'Through the softmax'
    """
    found: dict[str, str] = {}
    title = ""
    for line in of.file.text.splitlines():
        if line.startswith("## "):
            title = line.removeprefix("## ").strip()
        shown = SHOWN.match(line)
        if shown is not None and title not in UNTITLED:
            for name in shown[1].split():
                own = OWN_RUN.match(name)
                if own is not None and ":" not in name:
                    found.setdefault(own[0].rpartition(".")[2], title)
    return found


def exercises_of(of: Lesson) -> Iterator[str]:
    """The titles of the exercises of a lesson."""
    for line in of.file.text.splitlines():
        found: Any = re.match(r"^:+\{exercise\}\s+(.+)$", line)
        if found is not None:
            yield found[1].strip()
