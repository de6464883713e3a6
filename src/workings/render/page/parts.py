"""Pieces of a page that come up in several kinds of block, or that have attributes of their own."""

from __future__ import annotations

from ...explain.document import AnswerField, Index, Math, Number
from ..lines import asked
from .sentences import say
from .tags import Markup, element, tag


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


def hidden_answer(label: Markup, *parts: str) -> Markup:
    return tag.details(tag.summary(label or say("page.answer")), *parts)


def labelled_field(field: AnswerField) -> Markup:
    """What is asked, and a field to answer it."""
    return tag.label(asked(field), " ", choice(field) if field.choices else blank_field(field))


def blank_field(field: AnswerField) -> Markup:
    """A field to write an answer into."""
    return tag.input(
        type="text",
        autocomplete="off",
        autocapitalize="off",
        spellcheck="false",
        size=field.digits + 4,
        aria_label=f"{say('page.blank')}: {field.question or field.label}",
        title=field.label,
        **_answers(field),
    )


def choice(field: AnswerField) -> Markup:
    """A list to choose from, in which nothing is chosen yet."""
    options = [tag.option(word, value=word) for word in ("", *field.choices)]
    return tag.select(*options, aria_label=f"{say('page.blank')}: {field.question}", **_answers(field))


def _answers(field: AnswerField) -> dict[str, str | int]:
    """What the script reads of a field."""
    where = {"data_step": field.step, "data_index": index_text(field.index), "data_digits": field.digits}
    return {"data_label": field.label, **where}


def answer_bar(sheet: str) -> Markup:
    """What keeps the answers to a sheet: two buttons, and a line for what has been done. The script shows it."""
    save = tag.button(say("page.save"), type="button", class_="save")
    load = tag.button(say("page.load"), type="button", class_="load")
    file = tag.input(type="file", accept=".json,application/json", aria_label=say("page.load"), hidden=True)
    words = {f"data_{key}": say(f"page.{key}") for key in ("saved", "loaded", "other_sheet", "no_answers")}
    said = tag.output("")
    return tag.section(save, load, file, said, class_="sheet", data_sheet=sheet, hidden=True, **words)
