"""Pieces of a page that come up in several kinds of block, or that have attributes of their own."""

from __future__ import annotations

from ...explain.document import AnswerField, Index, Math, Number
from .sentences import say
from .tags import Markup, element, markup, tag


def number(span: Number, name: str = "span") -> Markup:
    """A number that says of which entry of which step it is.

    >>> number(Number("0.5", 0.5, "3", (1, 0)))
    '<span class="number" data-step="3" data-index="1,0" data-role="entry">0.5</span>'
    """
    where = {"data_step": span.step, "data_index": index_text(span.index), "data_role": span.role}
    return element(name, span.text, class_="number", **where, data_mistake=span.mistake or None)


def index_text(index: Index) -> str:
    return ",".join(str(place) for place in index)


def math(span: Math) -> Markup:
    """The text form, which the script replaces by what KaTeX makes of the LaTeX."""
    return tag.span(span.text, class_="math", role="math", aria_label=span.speech, data_latex=span.latex)


def scrolling(*parts: str) -> Markup:
    """A box of its own, so that something wide does not make the page wide."""
    return tag.div(*parts, class_="scrolls")


def monospaced(rows: list[str]) -> Markup:
    """A picture in letters, which nobody wants to hear; words beside it say what it shows."""
    return tag.pre("\n".join(rows), aria_hidden="true")


def address_sign(anchor: str) -> Markup:
    """Beside a heading, for those who want to send its address to somebody."""
    return tag.a("#", href=f"#{anchor}", aria_hidden="true", tabindex=-1)


def contents_list(entries: list[Markup]) -> Markup:
    """What stands on the page; closed until somebody opens it, or until there is room beside the text."""
    return tag.details(tag.summary(say("page.contents")), tag.ol(*entries))


def how_to_open() -> Markup:
    """For those who read on a screen: which numbers show how they come about."""
    return tag.p(say("page.press"), class_="press")


def hidden_answer(label: Markup, *parts: str) -> Markup:
    return tag.details(tag.summary(label or say("page.answer")), *parts)


def blank(field: AnswerField) -> Markup:
    """A field to write a number into."""
    box = tag.input(
        type="text",
        inputmode="decimal",
        autocomplete="off",
        size=field.digits + 6,
        aria_label=f"{say('page.blank')}: {field.label}",
        data_step=field.step,
        data_index=index_text(field.index),
        data_digits=field.digits,
    )
    return markup(tag.span(field.label), " = ", box)
