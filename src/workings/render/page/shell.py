"""The page around a document: one file that needs no other, and no network."""

from __future__ import annotations

from functools import cache
from importlib import resources
from string import Template

from .sentences import say
from .tags import Markup, markup

HERE = resources.files(__package__)
WORDS = ("language", "contents", "theme", "copy", "copied", "by_hand", "close")
KATEX = ("katex.js", "katex.css")  # what web/build.py puts here


def is_built() -> bool:
    """Whether KaTeX is there, without which there are no HTML pages."""
    return all((HERE / name).is_file() for name in KATEX)


def whole_page(title: str, contents: Markup, main: Markup) -> str:
    return Template(_file("page.html")).substitute(
        title=markup(title),
        contents=contents,
        main=main,
        style=_file("page.css"),
        theme=_file("theme.js"),
        script=_file("page.js"),
        katex_style=_file("katex.css"),
        katex_script=_file("katex.js"),
        **{f"word_{name}": markup(say(f"page.{name}")) for name in WORDS},
    )


@cache
def _file(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
