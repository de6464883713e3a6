"""The roles of a lesson: what `{value}`P[2]`` and its like become within a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from os.path import isfile
from typing import TYPE_CHECKING

from ..document.blocks import Link, Number, Reference, Spans
from ..document.numbers import Style, write
from ..engine.errors import LessonError
from ..explain.step_formula import math_of
from ..figures.loss import LOSS
from .contents import names, short_title, unknown_lesson
from .naming import step_label
from .rewriting import located

if TYPE_CHECKING:
    from .page import PageBuilder


def _value(text: str, page: PageBuilder) -> Spans:
    """One entry of a step, as a number."""
    return (page.number(page.entry(text)),)


def _shape(text: str, page: PageBuilder) -> Spans:
    """The sizes of a step: 2 × 4."""
    return page.sizes(page.entry(text))


def _size(text: str, page: PageBuilder) -> Spans:
    """The length of one axis: `X[1]` is how many columns X has."""
    name = page.entry(text)
    view = page.view(name)
    if len(name.index) != 1 or not 0 <= name.index[0] < len(view.shape):
        raise LessonError(
            f"{name!s} is not an axis: {name.step} has {len(view.shape)} of them.",
            hint=f"Write one of them in brackets, counted from 0: {name.step}[0].",
        )
    return (located(view.axis_size(name.index[0]), page.run_of(name)),)


def _history(text: str, page: PageBuilder) -> Spans:
    """A number of a history: `many-epochs:loss[99]` is the loss of the hundredth step."""
    name = page.entry(text)
    values = page.trace(name.run).history.get(name.step, [])
    if len(name.index) != 1 or not -len(values) <= name.index[0] < len(values):
        raise LessonError(
            f"{name!s} is not a number of a history: it has {len(values)} of them.",
            hint="Write the run, the name and the number of the step less one: many-epochs:loss[99].",
        )
    at = name.index[0] % len(values)
    style = page.style if name.digits is None else replace(page.style, digits=name.digits)
    return (Number(write(values[at], style), values[at], f"{name.run}:{name.step}", (at,), "history"),)


def _steps(text: str, page: PageBuilder) -> Spans:
    """How many steps a run trains."""
    run = text.strip()
    count = len(page.trace(run).history.get(LOSS, []))
    return (Number(str(count), count, f"{run}:{LOSS}", (0,), "size"),)


def _setting(text: str, page: PageBuilder) -> Spans:
    """A setting of a step: `after:W_vocab_new rate`."""
    where, _, setting = text.strip().rpartition(" ")
    name = page.entry(where)
    view = page.view(name)
    value = view.settings.get(setting)
    if not isinstance(value, int | float):
        raise LessonError(
            f"{name!s} has no number as a setting '{setting}'.",
            hint=f"Its settings are {', '.join(view.settings) or '-'}. Write the step, a space and the setting.",
        )
    text = write(value, Style(whole=True, exact=True))
    return (located(Number(text, value, view.id, (), "setting"), page.run_of(name)),)


def _step(text: str, page: PageBuilder) -> Spans:
    """The name of a step, or of an entry, leading to it."""
    name = page.entry(text)
    view = page.view(name)
    return located((Link(view.trace.style.notation.entry(step_label(view), name.index), view.id),), page.run_of(name))


def _lesson(text: str, page: PageBuilder) -> Spans:
    """Another lesson: one of the package, or a file in the same folder."""
    name = text.strip()
    is_near = page.file.folder is not None and name.endswith(".md") and isfile(page.file.folder / name)
    if name not in names() and not (is_near and "/" not in name):
        raise unknown_lesson(name)
    return (Reference(short_title(name), lesson=name.removesuffix(".md")),)


def _cite(text: str, page: PageBuilder) -> Spans:
    """A work of the bibliography: Vaswani et al., 2017."""
    return page.cite(text.strip()).citation()


def _math(text: str, page: PageBuilder) -> Spans:
    return (math_of(text),)


ROLES: dict[str, Callable[[str, PageBuilder], Spans]] = {
    "value": _value,
    "shape": _shape,
    "size": _size,
    "setting": _setting,
    "history": _history,
    "steps": _steps,
    "step": _step,
    "lesson": _lesson,
    "cite": _cite,
    "math": _math,
}
