"""The roles of a lesson: what `{value}`P[2]`` and its like become within a line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from ..engine.errors import LessonError
from ..explain.curve import LOSS
from ..explain.document import Link, Number, Reference, Spans
from ..explain.numbers import Style, write
from ..explain.step_formula import math_of
from ..models.reading.likely import likely
from .located import located
from .naming import called
from .shelf import names

if TYPE_CHECKING:
    from .page import Page


def _value(text: str, page: Page) -> Spans:
    """One entry of a step, as a number."""
    return (page.number(page.entry(text)),)


def _shape(text: str, page: Page) -> Spans:
    """The sizes of a step: 2 × 4."""
    return page.sizes(page.entry(text))


def _size(text: str, page: Page) -> Spans:
    """The length of one axis: `X[1]` is how many columns X has."""
    name = page.entry(text)
    view = page.view(name)
    if len(name.index) != 1 or not 0 <= name.index[0] < len(view.shape):
        raise LessonError("lesson.size", name=str(name), step=name.step, count=len(view.shape))
    size = view.shape[name.index[0]]
    return (located(Number(str(size), size, view.id, name.index, "size"), page.run_of(name)),)


def _history(text: str, page: Page) -> Spans:
    """A number of a history: `many-epochs:loss[99]` is the loss of the hundredth step."""
    name = page.entry(text)
    values = page.trace(name.run).history.get(name.step, [])
    if len(name.index) != 1 or not -len(values) <= name.index[0] < len(values):
        raise LessonError("lesson.history", name=str(name), count=len(values))
    at = name.index[0] % len(values)
    style = page.style if name.digits is None else replace(page.style, digits=name.digits)
    return (Number(write(values[at], style), values[at], f"{name.run}:{name.step}", (at,), "history"),)


def _steps(text: str, page: Page) -> Spans:
    """How many steps a run trains."""
    run = text.strip()
    count = len(page.trace(run).history.get(LOSS, []))
    return (Number(str(count), count, f"{run}:{LOSS}", (0,), "size"),)


def _setting(text: str, page: Page) -> Spans:
    """A setting of a step: `after:W_vocab_new rate`."""
    where, _, setting = text.strip().rpartition(" ")
    name = page.entry(where)
    view = page.view(name)
    value = view.settings.get(setting)
    if not isinstance(value, int | float):
        raise LessonError("lesson.setting", name=str(name), setting=setting, settings=", ".join(view.settings) or "-")
    written = write(value, Style(whole=True, exact=True))
    return (located(Number(written, value, view.id, (), "setting"), page.run_of(name)),)


def _step(text: str, page: Page) -> Spans:
    """The name of a step, or of an entry, leading to it."""
    name = page.entry(text)
    view = page.view(name)
    return located((Link(view.trace.style.notation.entry(called(view), name.index), view.id),), page.run_of(name))


def _lesson(text: str, page: Page) -> Spans:
    """Another lesson: one of the package, or a file beside this one."""
    name = text.strip()
    beside = page.file.folder is not None and name.endswith(".md") and (page.file.folder / name).is_file()
    if name not in names() and not (beside and "/" not in name):
        near = likely(name, names())
        raise LessonError("lesson.unknown" if near else "lesson.unknown.none", name=name[:80], nearest=near)
    return (Reference(name, lesson=name.removesuffix(".md")),)


def _math(text: str, page: Page) -> Spans:
    return (math_of(text),)


ROLES: dict[str, Callable[[str, Page], Spans]] = {
    "value": _value,
    "shape": _shape,
    "size": _size,
    "setting": _setting,
    "history": _history,
    "steps": _steps,
    "step": _step,
    "lesson": _lesson,
    "math": _math,
}
