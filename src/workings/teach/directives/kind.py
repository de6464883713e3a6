"""What a kind of directive takes, and what it writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ...engine.errors import LessonError
from ...explain.document import Block
from ...models.reading.likely import likely
from ..reading.myst import Directive

if TYPE_CHECKING:
    from ..page import Page

Need = Literal["needed", "optional", "none"]


@dataclass(frozen=True)
class Kind:
    """How it writes its blocks, whether it has something behind its name and lines below it, and its options."""

    write: Callable[[Directive, Page], Iterator[Block]]
    argument: Need
    body: Need
    options: tuple[str, ...] = ()


def is_yes(directive: Directive, option: str) -> bool:
    answer = directive.options.get(option, "no")
    if answer not in ("yes", "no"):
        raise LessonError("lesson.yes", option=option, answer=answer[:20])
    return answer == "yes"


def allowed(directive: Directive, kind: Kind) -> None:
    """Refuse a directive that lacks something, or has something that would do nothing."""
    for option in directive.options:
        if option not in kind.options:
            near = likely(option, kind.options)
            key = "lesson.option" if near else "lesson.option.none"
            options = ", ".join(kind.options) or "-"
            raise LessonError(key, option=option, name=directive.name, nearest=near, options=options)
    argument, body = bool(directive.argument), bool(directive.body.strip())
    if kind.argument == "needed" and not argument:
        raise LessonError("lesson.argument.needed", name=directive.name)
    if kind.argument == "none" and argument:
        raise LessonError("lesson.argument.none", name=directive.name)
    if kind.body == "needed" and not body:
        raise LessonError("lesson.body.needed", name=directive.name)
    if kind.body == "none" and body:
        raise LessonError("lesson.body.none", name=directive.name)
