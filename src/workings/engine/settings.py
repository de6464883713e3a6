"""Settings: the keyword arguments of one call, completed and checked before anything is computed.

A page states the type of each setting in the signature of `layout` or `forward`; a value of another
type is refused here, with a sentence, and not somewhere inside an array library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from .errors import CallError
from .page import Page
from .sentences import add_sentences, say

MOST = 2**53  # whole numbers up to here have a floating-point number of their own


class Settings(dict[str, Any]):
    """The settings of one call, with a key to look them up by. Nobody changes them."""

    __slots__ = ("key",)

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self.key = key_of(settings)


def key_of(settings: Mapping[str, Any]) -> tuple[tuple[str, Any, str], ...]:
    """A key that tells 2 from 2.0, 0.0 from -0.0 and True from 1, which Python takes for the same."""
    return tuple([(k, v, repr(v)) for k, v in settings.items()])


def completed(page: Page, given: Mapping[str, Any]) -> Settings:
    """All settings of a page, defaults filled in; one that is unknown, missing or of the wrong type is refused."""
    for setting in given:
        if setting not in page.settings:
            known = ", ".join(page.settings) or "none"
            raise CallError("setting.unknown", op=page.name, setting=setting, settings=known)
    full = {**page.defaults, **{key: as_plain(value) for key, value in given.items()}}
    for setting in page.settings:
        if setting not in full:
            raise CallError("setting.missing", op=page.name, setting=setting)
        _refuse_unfit(page, setting, full[setting])
    return Settings(full)


def as_plain(value: Any) -> Any:
    """A setting as a Python value: a number of an array library becomes a plain one, a list a tuple.

    >>> as_plain([1, [2, 3]])
    (1, (2, 3))
    """
    if isinstance(value, list | tuple):
        return tuple(as_plain(item) for item in value)
    if hasattr(value, "item") and not getattr(value, "shape", None):
        return value.item()
    return value


def _refuse_unfit(page: Page, setting: str, value: Any) -> None:
    kinds = page.types.get(setting, "").split(" | ")
    if not any(_FITS.get(kind, _anything)(value) for kind in kinds):
        choices = ", ".join(say(f"setting.{kind}") for kind in kinds)
        raise CallError("setting.choice", op=page.name, setting=setting, value=repr(value)[:60], choices=choices)


def _anything(value: Any) -> bool:
    return True


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < MOST


def _are(fits: Callable[[Any], bool]) -> Callable[[Any], bool]:
    return lambda values: isinstance(values, tuple) and all(fits(value) for value in values)


def _is_word(value: Any) -> bool:
    return isinstance(value, str)


# By the type as a page writes it.
_FITS: dict[str, Callable[[Any], bool]] = {
    "float": _is_number,
    "int": _is_whole,
    "bool": lambda value: isinstance(value, bool),
    "str": _is_word,
    "Axis": lambda value: _is_word(value) or _is_whole(value),
    "None": lambda value: value is None,
    "tuple[int, ...]": _are(_is_whole),
    "tuple[str, ...]": _are(_is_word),
}

add_sentences(
    "setting",
    {
        "float": "a finite number",
        "int": "a whole number",
        "bool": "True or False",
        "str": "a word",
        "Axis": "the word or the position of an axis",
        "None": "None",
        "tuple[int, ...]": "several whole numbers",
        "tuple[str, ...]": "several words",
        "positive": "a number above 0",
        "not_negative": "0 or a number above 0",
        "share": "a number from 0 up to, but not including, 1",
        "up_to": "a whole number from 1 to {most}",
        "even": "an even number, for as many sines as cosines",
    },
)
