"""HTML, tag by tag. Everything but Markup is escaped, so that no text of a document can become a tag."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from html import escape

VOID = {"input", "br"}  # tags that hold nothing


class Markup(str):
    """A text that is HTML already."""

    __slots__ = ()


def markup(*parts: str) -> Markup:
    """The parts one after the other.

    >>> markup(tag.b("x"), " < 3")
    '<b>x</b> &lt; 3'
    """
    return Markup("".join(part if isinstance(part, Markup) else escape(part) for part in parts))


def element(name: str, /, *parts: str, **attributes: str | int | bool | None) -> Markup:
    """A tag with what is in it. An attribute that is True has no value, one that is None or False is left out.

    >>> element("span", "a & b", class_="number", data_step="3", hidden=True, title=None)
    '<span class="number" data-step="3" hidden>a &amp; b</span>'
    """
    shown = "".join(_attribute(key, value) for key, value in attributes.items() if value not in (None, False))
    return Markup(f"<{name}{shown}>" if name in VOID else f"<{name}{shown}>{markup(*parts)}</{name}>")


def _attribute(key: str, value: str | int | bool | None) -> str:
    name = key.rstrip("_").replace("_", "-")
    return f" {name}" if value is True else f' {name}="{escape(str(value))}"'


class _Tags:
    """Tags by their names: tag.span("x")."""

    def __getattr__(self, name: str) -> Callable[..., Markup]:
        if name.startswith("_"):
            raise AttributeError(name)
        return partial(element, name)


tag = _Tags()
