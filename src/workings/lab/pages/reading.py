"""What can be read in the lab: the path of lessons, a lesson, the scenarios, the models that are known by name."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ...conventions import convention as convention_called
from ...counting.count import count, parameters
from ...counting.count_lines import total
from ...counting.count_page import count_document
from ...counting.presets import PRESETS
from ...document.blocks import Document
from ...engine.arithmetic import arithmetic
from ...lessons.contents import PART_TITLES, PARTS
from ...lessons.contents import names as lesson_names
from ...lessons.lesson import Lesson, lesson
from ...lessons.runs import TWIN, LessonOptions, Numbers
from ...scenarios.scenario import names as scenario_names
from ...scenarios.scenario import scenario
from ..answers.lesson import LessonPage
from ..answers.trace import (
    LessonEntry,
    LessonPart,
    LessonPath,
    ModelEntry,
    Models,
    Page,
    ScenarioEntry,
    Scenarios,
    ScenarioText,
)
from ..errors import Missing
from ..traces.edits import read_edits
from ..traces.wanted import check_digits
from .drawings import page_of
from .lesson_changes import changeable_runs, changed_page

MODEL_TITLES = {
    "gpt2": "GPT-2, the smallest of four",
    "gpt2-medium": "GPT-2, the second of four",
    "gpt2-large": "GPT-2, the third of four",
    "gpt2-xl": "GPT-2, the largest of four",
    "bert-base": "BERT, the smaller one",
    "bert-large": "BERT, the larger one",
    "bert-base-source": "BERT with the vocabulary that the source of the lessons counts",
    "paper-base": "The first transformer, from “Attention Is All You Need”",
    "paper-big": "The larger one of the same paper",
}


def no_lesson(name: str) -> Missing:
    return Missing(f"There is no lesson named {name[:60]}.", hint="Choose one of the list of lessons.")


@cache
def lesson_path() -> LessonPath:
    """All lessons, part by part, in the order in which they are taught.

    >>> [part.name for part in lesson_path().parts]
    ['theory', 'examples', 'longer', 'pieces', 'appendices']
    """
    there = set(lesson_names())
    return LessonPath(
        tuple(
            LessonPart(part, PART_TITLES[part], tuple(_entry(name, part) for name in lessons if name in there))
            for part, lessons in PARTS.items()
        )
    )


def _entry(name: str, part: str) -> LessonEntry:
    found = lesson(name)
    has_runs = found.scenario is not None
    file = found.file
    explored, switches = name if has_runs else "", TWIN in found.runs
    minutes = file.minutes or None
    return LessonEntry(
        name, file.title, file.about, part, minutes, file.needs, explored, has_runs, file.question, switches
    )


def lesson_page(
    name: str,
    digits: int | None = None,
    precision: str = "",
    convention: str = "",
    numbers: Numbers = "document",
    edits: Sequence[str] = (),
) -> LessonPage:
    """A lesson as a reader wants its numbers, and with those that they changed: `default:W_Q[0][1]=0.3`.

    >>> lesson_page("example-1").document.title
    'Example 1: a forward pass'
    """
    if name not in lesson_names():
        raise no_lesson(name)
    check_digits(digits)
    if precision:
        arithmetic(precision)  # refused before anything is computed
    chosen = convention_called(convention) if convention else None
    found = lesson(name, digits=digits, precision=precision or None, convention=chosen, numbers=numbers)
    return changed_page(found, read_edits(edits)) if edits else unchanged_page(found)


def unchanged_page(found: Lesson, document: Document | None = None) -> LessonPage:
    is_usual = found.options == LessonOptions()  # only this form is kept on the disk
    page = page_of(document or (found.document if is_usual else found.build().document))
    return LessonPage(page.document, page.drawings, changeable_runs(found, page.document))


@cache
def scenarios() -> Scenarios:
    """Every scenario of the package, with what it is about.

    >>> "cat-sat" in [entry.name for entry in scenarios().scenarios]
    True
    """
    found = [scenario(name) for name in scenario_names()]
    return Scenarios(tuple(ScenarioEntry(one.name, one.title, one.plan().about, one.runs) for one in found))


def scenario_text(name: str) -> ScenarioText:
    """The file of a scenario, to start from."""
    if name not in scenario_names():
        raise Missing(f"There is no scenario named {name[:60]}.", hint="Choose one of the list of scenarios.")
    return ScenarioText(name, str(scenario(name).text))


@cache
def models() -> Models:
    """The architectures that are known by name.

    >>> models().models[0]
    ModelEntry(name='gpt2', about='GPT-2, the smallest of four', parameters='124,439,808')
    """
    return Models(
        tuple(
            ModelEntry(name, MODEL_TITLES.get(name, name), f"{total(parameters(architecture)):,}")
            for name, architecture in PRESETS.items()
        )
    )


@cache
def model_page(name: str) -> Page:
    """The weights, operations and memory of a model, counted line by line."""
    if name not in PRESETS:
        raise Missing(f"There is no model called {name[:60]}.", hint=f"Choose one of these: {', '.join(PRESETS)}.")
    return page_of(count_document(count(PRESETS[name], name=name)))
