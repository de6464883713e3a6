"""What a kind of directive takes, and what it writes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ...document.blocks import Block
from ...engine.errors import LessonError, did_you_mean
from ..reading.myst import Directive

if TYPE_CHECKING:
    from ..page import PageBuilder

Need = Literal["needed", "optional", "none"]


@dataclass(frozen=True)
class Kind:
    """How it writes its blocks, whether it has something behind its name and lines below it, and its options."""

    write: Callable[[Directive, PageBuilder], Iterator[Block]]
    argument: Need
    body: Need
    options: tuple[str, ...] = ()


def is_yes(directive: Directive, option: str) -> bool:
    answer = directive.options.get(option, "no")
    if answer not in ("yes", "no"):
        raise LessonError(
            f"The option {option} is yes or no, and not '{answer[:20]}'.",
            hint=f"Write :{option}: yes, or leave it out.",
        )
    return answer == "yes"


def allowed(directive: Directive, kind: Kind) -> None:
    """Refuse a directive that lacks something, or has something that would do nothing."""
    for option in directive.options:
        if option not in kind.options:
            raise LessonError(
                f"The directive {directive.name} has no option '{option}'.",
                hint=f"{did_you_mean(option, kind.options)}Its options are {', '.join(kind.options) or '-'}.",
            )
    argument, body = bool(directive.argument), bool(directive.body.strip())
    if kind.argument == "needed" and not argument:
        raise LessonError(
            f"The directive {directive.name} does not say what it is about.",
            hint="Write it behind the name, on the same line.",
        )
    if kind.argument == "none" and argument:
        raise LessonError(
            f"The directive {directive.name} takes nothing behind its name.",
            hint="Remove it, or write it on the lines below.",
        )
    if kind.body == "needed" and not body:
        raise LessonError(
            f"The directive {directive.name} is empty.", hint="Write its text on the lines below its first one."
        )
    if kind.body == "none" and body:
        raise LessonError(
            f"The directive {directive.name} takes no text below its first line.",
            hint="Remove it, or close the directive with ::: before it.",
        )
