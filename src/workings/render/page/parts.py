"""Pieces of a page that several kinds of block use, or that have attributes of their own."""

from __future__ import annotations

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from ...document.blocks import AnswerField, Index, Math, Number
from ...document.monospace import answer_prompt
from .tags import Markup, element, markup, tag


def number(span: Number, name: str = "span") -> Markup:
    """A number with its step, its index and its role.

    >>> number(Number("0.5", 0.5, "3", (1, 0)))
    '<span class="number" data-step="3" data-index="1,0" data-role="entry">0.5</span>'
    """
    where = {"data_step": span.step, "data_index": index_text(span.index), "data_role": span.role}
    return element(name, span.text, class_="number", **where, data_mistake=span.mistake or None)


def index_text(index: Index) -> str:
    return ",".join(str(place) for place in index)


def math(span: Math) -> Markup:
    """The text form, which the script replaces by the LaTeX as KaTeX sets it."""
    return tag.span(span.text, class_="math", role="math", aria_label=span.speech, data_latex=span.latex)


def scrolling(*parts: str) -> Markup:
    """A box of its own, so that something wide does not make the page wide."""
    return tag.div(*parts, class_="scrolls")


def monospaced(rows: list[str]) -> Markup:
    """A picture in letters, hidden from screen readers; the words next to it say what it shows."""
    return tag.pre("\n".join(rows), aria_hidden="true")


def address_sign(anchor: str) -> Markup:
    """The sign next to a heading that links to it."""
    return tag.a("#", href=f"#{anchor}", aria_hidden="true", tabindex=-1)


def contents_list(entries: list[Markup]) -> Markup:
    """The contents; closed until the reader opens them, or until there is room next to the text."""
    return tag.details(tag.summary("Contents"), tag.ol(*entries))


def hidden_answer(label: Markup, *parts: str) -> Markup:
    return tag.details(tag.summary(label or "Show the answer"), *parts)


def labeled_field(field: AnswerField) -> Markup:
    """A question, and a field to answer it."""
    return tag.label(answer_prompt(field), " ", choice(field) if field.choices else blank_field(field))


def blank_field(field: AnswerField) -> Markup:
    """A field to write an answer into."""
    return tag.input(
        type="text",
        autocomplete="off",
        autocapitalize="off",
        spellcheck="false",
        size=field.digits + 4,
        aria_label=f"Your answer: {field.question or field.label}",
        title=field.label,
        **_answers(field),
    )


def choice(field: AnswerField) -> Markup:
    """A list to choose from, in which nothing is chosen yet."""
    options = [tag.option(word, value=word) for word in ("", *field.choices)]
    return tag.select(*options, aria_label=f"Your answer: {field.question}", **_answers(field))


def _answers(field: AnswerField) -> dict[str, str | int]:
    """What the script reads of a field."""
    return {
        "data_label": field.label,
        "data_step": field.step,
        "data_index": index_text(field.index),
        "data_digits": field.digits,
    }


def highlighted(source: str, language: str) -> Markup:
    """The source of a program with a class for each kind of word.

    >>> highlighted("x = 1", "python")
    '<span class="n">x</span> <span class="o">=</span> <span class="mi">1</span>'
    >>> highlighted("x < 1", "a language of its own")
    'x &lt; 1'
    """
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return markup(source)
    return Markup(highlight(source, lexer, HtmlFormatter(nowrap=True)).rstrip("\n"))


def answer_bar(sheet: str) -> Markup:
    """Saves and loads the answers to a sheet: two buttons, and a line that says what happened. The script shows it."""
    save = tag.button("Save my answers", type="button", class_="save")
    load = tag.button("Load answers", type="button", class_="load")
    file = tag.input(type="file", accept=".json,application/json", aria_label="Load answers", hidden=True)
    return tag.section(save, load, file, tag.output(""), class_="sheet", data_sheet=sheet, hidden=True)
