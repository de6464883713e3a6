"""What a notebook shows of an object. How it is drawn is said by whoever knows pages: workings/__init__.py."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .document import Document

Bundle = dict[str, str]  # by type, such as text/html


class Displayed:
    """Something that a notebook shows as a page, and a notebook without pages as plain text."""

    def _shown(self) -> Document:
        """As a document. A block is one by itself."""
        from .document import Document

        return Document("", (self,))  # type: ignore[arg-type]  # whatever is no block says what it is

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> Bundle:
        return _draw[-1](self._shown())

    def _repr_html_(self) -> str | None:
        """As HTML; nothing where it is shown otherwise, as a figure is."""
        return self._repr_mimebundle_().get("text/html")


def _nobody(document: Document) -> Bundle:
    raise NotImplementedError("import workings says how")


_draw: list[Callable[[Document], Bundle]] = [_nobody]


def draw_with(draw: Callable[[Document], Bundle]) -> None:
    """From now on documents in notebooks are drawn so."""
    _draw.append(draw)
