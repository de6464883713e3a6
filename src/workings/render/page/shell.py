"""The page around a document: one file that needs no other, and no network."""

from __future__ import annotations

from functools import cache
from importlib import resources
from string import Template

from .sentences import say
from .tags import Markup, markup

HERE = resources.files(__package__)
WORDS = ("language", "contents", "theme", "copy", "copied")
STYLES = ("tokens.css", "blocks.css", "page.css", "paper.css")  # all but that of the frame are those of the lab too
KATEX = ("katex.js", "katex.css")  # what web/build.py puts here


def is_built() -> bool:
    """Whether KaTeX is there, without which there are no HTML pages."""
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
        **{f"word_{name}": markup(say(f"page.{name}")) for name in WORDS},
    )


@cache
def _file(name: str) -> str:
    return (HERE / name).read_text(encoding="utf-8")
