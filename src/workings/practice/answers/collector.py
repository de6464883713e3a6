"""Answers, gathered one by one from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ...engine.errors import InputError
from .number import is_blank
from .spelling import shown


@dataclass(frozen=True)
class FileAnswers:
    """What a learner answered, as written, by the label of the blank."""

    sheet: str  # the code of the sheet that the file names; "" if it names none
    texts: Mapping[str, str]  # a blank stays ""
    places: Mapping[str, str]  # where each answer is, for errors: line 12, cell C4


@dataclass
class AnswerCollector:
    """The answers of a file as far as it is read. An entry may occur twice if it has only one answer."""

    sheet: str = ""
    texts: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)

    def name_sheet(self, code: str, place: str) -> None:
        code = shown(code)
        if self.sheet and code and code != self.sheet:
            raise InputError(
                f"The file names two sheets: {self.sheet} and {code}.",
                hint="Keep the answers to each sheet in a file of their own.",
                where=place,
            )
        self.sheet = code or self.sheet

    def add(self, label: str, text: str, place: str) -> None:
        """
        >>> answers = AnswerCollector()
        >>> answers.add("loss", "____", "line 3")
        >>> answers.add("loss", "0.25", "line 9")
        >>> answers.texts, answers.places
        ({'loss': '0.25'}, {'loss': 'line 9'})
        """
        # JSON can spell half of a surrogate pair, which could not be printed.
        text = text.strip().encode("utf-8", "replace").decode("utf-8")
        text = "" if is_blank(text) else text
        before = self.texts.get(label, "")
        if before and text and text != before:
            raise InputError(
                f"There are two answers for {shown(label)}: {shown(before)} ({self.places[label]}) and {shown(text)}.",
                hint="Keep only the one that counts.",
                where=place,
            )
        if text or label not in self.texts:
            self.texts[label], self.places[label] = text, place

    def finished(self) -> FileAnswers:
        """All of them; a file without any is refused."""
        if not self.texts:
            raise InputError(
                "The file contains no answers, and no entries that they could belong to.",
                hint="Fill in the worksheet itself, or write a table with the columns entry and answer.",
            )
        if not any(self.texts.values()):
            raise InputError(
                f"Nothing is filled in: the file has only blank entries ({len(self.texts)}).",
                hint="Fill in at least one, and save the file.",
            )
        return FileAnswers(self.sheet, MappingProxyType(self.texts), MappingProxyType(self.places))
