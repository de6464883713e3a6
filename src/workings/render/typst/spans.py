"""Pieces of a line, and the places that they link to."""

from __future__ import annotations

from collections.abc import Iterable

from ...document import blocks as d
from ...formula.typst import string
from ..navigation import address_of
from .code import call, joined, name, number, words


class Places:
    """What links can lead to: headings, and the values of steps. In a book each chapter has its own steps."""

    def __init__(self, document: d.Document, chapter_level: int) -> None:
        self.is_book = document.form == "book"
        self.chapter = ""
        self._labels: set[str] = set()
        self._used: set[str] = set()
        chapter = ""
        for block in d.all_blocks(document.blocks, on_paper=True):
            if isinstance(block, d.Heading):
                chapter = self._after(block, chapter, chapter_level)
                if block.anchor:
                    self._labels.add(block.anchor)
            elif isinstance(block, d.Matrix):
                self._labels.add(self._step(block.step, chapter))
        self._chapter_level = chapter_level

    def enter(self, block: d.Heading) -> None:
        """Continue after a heading."""
        self.chapter = self._after(block, self.chapter, self._chapter_level)

    def _after(self, block: d.Heading, chapter: str, chapter_level: int) -> str:
        return block.anchor if self.is_book and block.level <= chapter_level else chapter

    def label(self, wanted: str) -> str:
        """The label of something here, or nothing if it is taken already."""
        if not wanted or wanted in self._used:
            return ""
        self._used.add(wanted)
        return wanted

    def of_step(self, step: str) -> str:
        return self._step(step, self.chapter)

    def step(self, step: str) -> str:
        """The label of the value of a step, if it is on the page."""
        label = self._step(step, self.chapter)
        return label if label in self._labels else ""

    @staticmethod
    def _step(step: str, chapter: str) -> str:
        return f"step {chapter} {step}"

    def reference(self, span: d.Reference) -> str:
        """The heading that a reference leads to, if it is on this page or in this book."""
        lesson = span.lesson or self.chapter
        tried = [span.anchor, f"{lesson}.{span.anchor}", span.lesson] if span.anchor else [span.lesson]
        return next((label for label in tried if label and label in self._labels), "")


def spans(parts: Iterable[d.Span], places: Places) -> str:
    return joined(_span(part, places) for part in parts)


def _span(span: d.Span, places: Places) -> str:
    if isinstance(span, d.Number):
        return number(span.text)
    if isinstance(span, d.Math):
        return math(span)
    if isinstance(span, d.Link):
        return step_link(span.text, span.step, places)
    if isinstance(span, d.Reference):
        return _reference(span, places)
    if span.look == "code":
        return name(span.text)
    looks = {"strong": "strong", "emphasis": "emph"}
    text = words(span.text)
    return call(looks[span.look], text) if span.look in looks else inside(text)


def inside(content: str) -> str:
    """The pieces of a content, to be joined with others."""
    return content.removeprefix("{ ").removesuffix(" }") if content != "none" else ""


def math(span: d.Math) -> str:
    """A formula within a line, with the words that a screen reader says."""
    return call("m", string(span.speech), f"${span.typst}$") if span.typst else string(span.text)


def step_link(text: str, step: str, places: Places) -> str:
    """The name of a step, linked to its value if that is here."""
    there = places.step(step)
    return call("to", label_of(there), name(text)) if there else name(text)


def _reference(span: d.Reference, places: Places) -> str:
    there = places.reference(span)
    if there:
        shown = call("to", label_of(there), words(span.text))
        if not places.is_book:
            return shown
        return "; ".join([shown, call("at-page", label_of(there), string(" (page "), string(")"))])
    address = address_of(span) if span.address else ""
    return call("to", string(address), words(span.text)) if address else inside(words(span.text))


def label_of(name: str) -> str:
    return call("label", string(name))
