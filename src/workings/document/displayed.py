"""What a notebook shows of an object. `workings/__init__.py`, which knows the renderers, says how to draw it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .blocks import Document

Bundle = dict[str, str]  # by type, such as text/html


class Displayed:
    """Something that a notebook shows as HTML, and a plain console as text."""

    def _shown(self) -> Document:
        """The document to show; that of a block has just this block."""
        from .blocks import Document

        return Document("", (self,))  # type: ignore[arg-type]  # what is not a block overrides this

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        return _draw[-1](self._shown())

    def _repr_html_(self) -> str | None:
        """As HTML; nothing where it is shown otherwise, as a figure is."""
        return self._repr_mimebundle_().get("text/html")


def _no_renderer(document: Document) -> Bundle:
    raise NotImplementedError("import workings registers one")


_draw: list[Callable[[Document], Bundle]] = [_no_renderer]


def draw_with(draw: Callable[[Document], Bundle]) -> None:
    """Register the function that draws documents in notebooks."""
    _draw.append(draw)
