"""The page around a document: one file that needs no other, and no network."""

from __future__ import annotations

from functools import cache
from importlib import resources
from string import Template

from .tags import Markup, markup

HERE = resources.files(__package__)
STYLES = ("tokens.css", "blocks.css", "page.css", "paper.css")  # the lab uses all but page.css too
KATEX = ("katex.js", "katex.css")  # from web/build.py


def is_built() -> bool:
    """Whether KaTeX is there: HTML pages need it."""
    return all((HERE / name).is_file() for name in KATEX)


def whole_page(title: str, contents: Markup, main: Markup, has_answers: bool = False) -> str:
    scripts = ("page.js", "answers.js") if has_answers else ("page.js",)
    return Template(_file("page.html")).substitute(
        title=markup(title),
        contents=contents,
        main=main,
        style="\n".join(map(_file, STYLES)),
        theme=_file("theme.js"),
        script="\n".join(map(_file, scripts)),
        katex_style=_file("katex.css"),
        katex_script=_file("katex.js"),
    )


@cache
def _file(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
