"""Settings: the keyword arguments of one call, completed and checked before anything is computed.

A page states the type of each setting in the signature of `layout` or `forward`; a value of another
type is refused here, with a sentence, and not somewhere inside an array library.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from .errors import CallError, did_you_mean
from .page import OpPage

MAX_WHOLE = 2**53  # whole numbers up to here have a floating-point number of their own

BELOW_ONE = "a number from 0 up to, but not including, 1"


class Settings(dict[str, Any]):
    """The settings of one call, with a key to look them up by. Nobody changes them."""

    __slots__ = ("key",)

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__(settings)
        self.key = key_of(settings)


def key_of(settings: Mapping[str, Any]) -> tuple[tuple[str, Any, str], ...]:
    """A key that tells 2 from 2.0, 0.0 from -0.0 and True from 1, which Python takes for the same."""
    return tuple([(k, v, repr(v)) for k, v in settings.items()])


def completed(page: OpPage, given: Mapping[str, Any]) -> Settings:
    """All settings of a page, defaults filled in; one that is unknown, missing or of the wrong type is refused."""
    for setting in given:
        if setting not in page.settings:
            raise CallError(
                f"{page.name} has no setting '{setting}'.",
                hint=f"{did_you_mean(setting, page.settings)}Settings of {page.name}: "
                f"{', '.join(page.settings) or 'none'}.",
            )
    full = {**page.defaults, **{key: as_plain(value) for key, value in given.items()}}
    for setting in page.settings:
        if setting not in full:
            raise CallError(
                f"{page.name} needs the setting '{setting}'.", hint=f"Call it as {page.name}(..., {setting}=...)."
            )
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


def _refuse_unfit(page: OpPage, setting: str, value: Any) -> None:
    choices = page.choices.get(setting)
    if choices:
        if not any(type(value) is type(choice) and value == choice for choice in choices):
            raise bad_setting(page.name, setting, value, ", ".join(str(choice) for choice in choices))
        return
    kinds = page.types.get(setting, "").split(" | ")
    if not any(_FITS.get(kind, _anything)(value) for kind in kinds):
        raise bad_setting(page.name, setting, repr(value)[:60], ", ".join(_WORDS[kind] for kind in kinds))


def bad_setting(owner: str, setting: str, value: object, allowed: str) -> CallError:
    """A setting of an op, or of anything else with settings, that has a value it cannot have."""
    return CallError(f"The setting {setting} of {owner} cannot be {value}.", hint=f"Allowed: {allowed}.")


def _anything(value: Any) -> bool:
    return True


def _is_number(value: Any) -> bool:
    return _is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and abs(value) < MAX_WHOLE


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

_WORDS = {
    "float": "a finite number",
    "int": "a whole number",
    "bool": "True or False",
    "str": "a word",
    "Axis": "the word or the position of an axis",
    "None": "None",
    "tuple[int, ...]": "several whole numbers",
    "tuple[str, ...]": "several words",
}
