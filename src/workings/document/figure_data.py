"""What a figure shows, as data: a renderer places it, and computes no number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Union


@dataclass(frozen=True)
class FigureData:
    """The base of what figures show. Each page in `figures` has its kind of data, or shares one with another page."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        """In a schema of documents, the base is any of its kinds."""
        kinds = tuple(dict.fromkeys(DATA_OF_FORM.values()))
        return handler.generate_schema(Union[kinds]) if cls is FigureData else handler(source)  # noqa: UP007


DATA_OF_FORM: dict[str, type[FigureData]] = {}  # filled while `workings.figures` is imported, and only read afterwards
