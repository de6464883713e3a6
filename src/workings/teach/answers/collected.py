"""Answers, gathered one by one from a file."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from ...engine.errors import InputError
from .number import is_blank
from .spelling import shown


@dataclass(frozen=True)
class Answers:
    """What somebody answered: by the label of the entry asked, as they wrote it."""

    sheet: str  # the code of the sheet that they say they answer; "" where none is said
    written: Mapping[str, str]  # a blank stays ""
    places: Mapping[str, str]  # where each stands, for errors: line 12, cell C4


@dataclass
class Collected:
    """The answers of a file as far as it is read. An entry may stand in it twice if it has one answer only."""

    sheet: str = ""
    written: dict[str, str] = field(default_factory=dict)
    places: dict[str, str] = field(default_factory=dict)

    def name_sheet(self, code: str, place: str) -> None:
        code = shown(code)
        if self.sheet and code and code != self.sheet:
            raise InputError("answers.file.sheets", one=self.sheet, other=code, where=place)
        self.sheet = code or self.sheet

    def add(self, label: str, text: str, place: str) -> None:
        """
        >>> answers = Collected()
        >>> answers.add("loss", "____", "line 3")
        >>> answers.add("loss", "0.25", "line 9")
        >>> answers.written, answers.places
        ({'loss': '0.25'}, {'loss': 'line 9'})
        """
        # A lone half of a sign, which JSON can spell, could not be printed.
        text = text.strip().encode("utf-8", "replace").decode("utf-8")
        text = "" if is_blank(text) else text
        before = self.written.get(label, "")
        if before and text and text != before:
            values = {"one": shown(before), "other": shown(text), "first": self.places[label]}
            raise InputError("answers.file.twice", label=shown(label), where=place, **values)
        if text or label not in self.written:
            self.written[label], self.places[label] = text, place

    def finished(self) -> Answers:
        """All of them; a file without any is refused."""
        if not self.written:
            raise InputError("answers.file.none")
        if not any(self.written.values()):
            raise InputError("answers.file.blank", count=len(self.written))
        return Answers(self.sheet, MappingProxyType(self.written), MappingProxyType(self.places))
