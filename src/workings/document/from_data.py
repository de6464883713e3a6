"""Documents from their JSON data: the inverse of `to_data`."""

from __future__ import annotations

import dataclasses
import types
import typing
from functools import cache
from typing import Any

from . import blocks as document
from .figure_data import DATA_OF_FORM, FigureData


def document_of(data: dict[str, Any]) -> document.Document:
    """The document that this data came from.

    >>> spans = document.Words("2 and "), document.Number("3", 3, "1", (0,))
    >>> page = document.Document("Sum", (document.Text(spans),))
    >>> document_of(document.to_data(page)) == page
    True
    """
    found: document.Document = _read(document.Document, data)
    return found


def _read(kind: Any, data: Any) -> Any:
    if isinstance(kind, type) and dataclasses.is_dataclass(kind):
        kinds = _fields(kind)
        if kinds.get("data") is FigureData:  # which kind of data a figure has, its form says
            kinds = {**kinds, "data": _figure_data(data["form"])}
        return kind(**{name: _read(kinds[name], value) for name, value in data.items()})
    origin = typing.get_origin(kind)
    if origin is tuple:
        inner, *rest = typing.get_args(kind)
        if rest == [...]:
            return tuple([_read(inner, item) for item in data])
        return tuple(_read(one, item) for one, item in zip((inner, *rest), data, strict=True))
    if origin in (typing.Union, types.UnionType):
        return _read(_chosen(kind, data), data)
    return data


def _figure_data(form: str) -> type[FigureData]:
    if form not in DATA_OF_FORM:
        raise ValueError(f"no figure has the form {form!r}; `import workings.figures` adds those of the package")
    return DATA_OF_FORM[form]


_fields = cache(typing.get_type_hints)  # of a dataclass, by the name of the field


def _chosen(kind: Any, data: Any) -> Any:
    """Which of several kinds data is: blocks and spans have a `kind`."""
    if not isinstance(data, dict):
        return Any
    for one in typing.get_args(kind):
        fields = _defaults(one)
        if fields.get("kind", None) == data.get("kind") and fields.keys() == data.keys():
            return one
    raise ValueError(f"no kind of {kind} has the fields {', '.join(data)}")


@cache
def _defaults(kind: Any) -> dict[str, Any]:
    return {field.name: field.default for field in dataclasses.fields(kind)}
