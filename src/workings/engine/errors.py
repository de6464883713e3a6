"""Errors that teach: what happened, where, what was given, what to try."""

from __future__ import annotations

from .sentences import say


class WorkingsError(Exception):
    """The base of all errors that a user may see.

    The place that notices the fault states the fact; whoever knows more (the recording, the
    command line) adds where it happened and what was given before passing it on.

    >>> print(ShapeError("shape.matmul", columns=3, rows=2, where="attention.scores"))
    The product needs as many columns on the left as rows on the right: 3 is not 2.
      where: attention.scores
      try:   Transpose one of the two, or check which one comes first.
    """

    def __init__(self, key: str, *, where: str = "", given: str = "", **values: object) -> None:
        super().__init__(key)
        self.key = key
        self.where = where
        self.given = given
        self.values = values

    @property
    def what(self) -> str:
        return say(f"error.{self.key}", **self.values)

    @property
    def hint(self) -> str:
        return say(f"error.{self.key}.try", **self.values)

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


class StepError(WorkingsError):
    """A step that is not there, or a name that means several."""


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
    """A convention that nobody knows, or a choice that it does not have."""


class FormulaError(WorkingsError):
    """A formula outside the closed LaTeX subset."""


class InputError(WorkingsError):
    """Text from a user that cannot be read as numbers."""


class VocabularyError(WorkingsError):
    """A token that is not in the vocabulary, or a vocabulary that cannot be used."""


class ScenarioError(WorkingsError):
    """A scenario file, or a line of one, that cannot be read or carried out."""


class DataError(WorkingsError):
    """Data that cannot be found, read, or made."""


class CheckpointError(WorkingsError):
    """A checkpoint that cannot be written, found or used."""


class TrainingError(WorkingsError):
    """Training that cannot go on."""


class LessonError(WorkingsError):
    """A lesson that cannot be found or read, or that asks for something that is not there."""
