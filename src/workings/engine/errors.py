"""Errors that teach: what happened, where, what was given, what to try."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from itertools import islice
from typing import TypeAlias

Keys: TypeAlias = tuple[str | int, ...]


class WorkingsError(Exception):
    """The base of all errors that a user may see.

    The place that notices the fault states the fact; a caller that knows more (the recording, the
    command line) adds where it happened and what was given before passing it on.

    >>> print(ShapeError("The product needs 3 rows.", hint="Transpose one of the two.", where="attention.scores"))
    The product needs 3 rows.
      where: attention.scores
      try:   Transpose one of the two.
    """

    keys: Keys = ()  # in a scenario file: the path of keys to the value that the error is about

    def __init__(self, what: str, *, hint: str = "", where: str = "", given: str = "", key: str = "") -> None:
        super().__init__(what)
        self.what = what
        self.hint = hint
        self.where = where
        self.given = given
        self.key = key  # only where a program decides by it

    def __str__(self) -> str:
        facts = (("where:", self.where), ("given:", self.given), ("try:  ", self.hint))
        return "\n".join([self.what, *(f"  {label} {text}" for label, text in facts if text)])


class ShapeError(WorkingsError):
    """Sizes that do not fit."""


class AxisError(WorkingsError):
    """Axis words that clash, or that are not there."""


class NumberError(WorkingsError):
    """A value that the computation cannot go on with."""


class CallError(WorkingsError):
    """An op called with the wrong number of inputs or an unknown setting."""


class HeadCountError(ShapeError):
    """A width that its number of heads does not divide."""


class OptionError(CallError):
    """An option that is unknown, or whose value does not fit."""

    def __init__(self, what: str, *, option: str, hint: str = "", where: str = "", given: str = "") -> None:
        super().__init__(what, hint=hint, where=where, given=given)
        self.option = option


class StepError(WorkingsError):
    """A step that cannot be found or used."""


class UnknownStepError(StepError):
    """A name that no step has."""


class AmbiguousStepError(StepError):
    """A name that several steps have."""


class UnreachedError(StepError):
    """A target of backward that depends on none of the values whose gradients are wanted."""


class EntryError(WorkingsError):
    """An entry outside the array."""


class ReplayError(WorkingsError):
    """A change that this trace cannot take."""


class TraceFileError(WorkingsError):
    """A trace in JSON that is damaged or does not fit."""


class PageError(WorkingsError):
    """An op page that lacks a part."""


class PrecisionError(WorkingsError):
    """A precision that cannot be read."""


class ConventionError(WorkingsError):
    """An unknown convention, or a choice that it does not have."""


class FormulaError(WorkingsError):
    """A formula outside the closed LaTeX subset."""


class InputError(WorkingsError):
    """Text from a user that cannot be read as numbers."""


class VocabularyError(WorkingsError):
    """A token that is not in the vocabulary, or a vocabulary that cannot be used."""


class ScenarioError(WorkingsError):
    """A scenario file, or a line of one, that cannot be read or carried out."""

    def __init__(self, what: str, *, hint: str = "", where: str = "", given: str = "", keys: Keys = ()) -> None:
        super().__init__(what, hint=hint, where=where, given=given)
        self.keys = keys


class DataError(WorkingsError):
    """Data that cannot be found, read, or made."""


class CheckpointError(WorkingsError):
    """A checkpoint that cannot be written, found or used."""


class TrainingError(WorkingsError):
    """Training that cannot go on."""


class LessonError(WorkingsError):
    """A lesson that cannot be found or read, or that asks for something that is not there."""


MAX_COMPARED_CHARS = 60  # of a name
MAX_COMPARED_NAMES = 1000


def nearest(name: str, names: Iterable[str], most: int = 3) -> str:
    """The names that look most like this one, for an error message; nothing where none does. A name that differs only
    in upper and lower case comes alone.

    >>> nearest("hedas", ["width", "heads", "layers"]), nearest("q", ["K", "Q"]), nearest("zzz", ["width"])
    ('heads', 'Q', '')
    """
    return ", ".join(_similar(name, list(islice(names, MAX_COMPARED_NAMES)), most))


def did_you_mean(name: str, names: Iterable[str], most: int = 1) -> str:
    """The beginning of a hint that names what is most similar; empty where nothing is.

    >>> did_you_mean("hedas", ["width", "heads"]) + "Options: width, heads."
    'Did you mean heads? Options: width, heads.'
    >>> did_you_mean("x", ["width", "heads"])
    ''
    """
    similar = nearest(name, names, most)
    return f"Did you mean {similar}? " if similar else ""


def _similar(name: str, names: list[str], most: int) -> list[str]:
    same = [other for other in names if other.casefold() == name.casefold()]
    close = (
        difflib.get_close_matches(name[:MAX_COMPARED_CHARS], names, n=most, cutoff=likeness) for likeness in (0.7, 0.4)
    )
    return same or next(filter(None, close), [])
