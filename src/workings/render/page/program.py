"""The source of a program, its words marked by what they are."""

from __future__ import annotations

from pygments import highlight
from pygments.formatters import HtmlFormatter
from pygments.lexers import get_lexer_by_name
from pygments.util import ClassNotFound

from .tags import Markup, markup


def marked(source: str, language: str) -> Markup:
    """
    >>> marked("x = 1 < 2", "python")
    '<span class="n">x</span> <span class="o">=</span> <span class="mi">1</span> <span class="o">&lt;</span> <span class="mi">2</span>'
    >>> marked("x < 1", "a language of its own")
    'x &lt; 1'
    """  # noqa: E501
    try:
        lexer = get_lexer_by_name(language, stripnl=False)
    except ClassNotFound:
        return markup(source)
    return Markup(highlight(source, lexer, HtmlFormatter(nowrap=True)).rstrip("\n"))
