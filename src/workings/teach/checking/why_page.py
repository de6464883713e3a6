"""Why, as a document: what gives these numbers, and what would tell several reasons apart."""

from __future__ import annotations

from collections.abc import Iterator

from ...engine.sentences import say
from ...explain.document import Block, Document, Note, Text, Words
from ...explain.numbers import PLAIN, apart, write
from .candidates import Apart, Candidate
from .why import Why


def why_document(found: Why) -> Document:
    """What was found out, for any renderer."""
    return Document("", tuple(why_blocks(found)), form="part")


def why_blocks(found: Why) -> Iterator[Block]:
    """The verdict, the candidates, and what would tell them apart."""
    yield _text(_headline(found))
    if found.verdict in ("rounded", "number type", "relation"):
        yield from (_text(candidate.hint) for candidate in found.candidates)
    elif found.candidates:
        for candidate in found.candidates:
            yield from _notes(candidate)
    if found.digits and found.verdict in ("mistake", "convention", "several"):
        yield _text(say(f"checking.digits{_weakness(found)}", digits=found.digits))
    if found.blanks:
        yield _text(say("checking.blanks", count=found.blanks))
    if found.verdict == "several":
        yield _text(say("checking.apart.none") if found.apart is None else _telling(found.apart))
    if found.verdict == "none" and found.nearest is not None:
        yield _text(_nearest(found, found.nearest))
        if found.earlier:
            yield _text(say("checking.none.earlier", earlier=found.earlier))
    elif found.verdict == "another shape" and not found.candidates:
        yield _text(say("checking.another_shape.none", tried=found.tried))
    elif found.tried:
        yield _text(say("checking.tried", tried=found.tried))


def _weakness(found: Why) -> str:
    by_lines = any(candidate.by_lines for candidate in found.candidates)
    return ".lines" if by_lines else ".weak" if found.is_weak else ""


def _headline(found: Why) -> str:
    if found.verdict == "exact" and found.gap:
        return say("checking.exact.gap", step=found.step, gap=write(found.gap))
    if found.verdict == "another shape":
        yours, ours = (" × ".join(map(str, shape)) or "1" for shape in found.shapes)
        return say("checking.another_shape", step=found.step, yours=yours, ours=ours)
    if found.verdict == "not a number":
        return say("checking.not_a_number", step=found.step, entry=_entry(found))
    if found.verdict == "none":
        return say("checking.none", step=found.step, tried=found.tried)
    if found.is_right:
        return say("checking.right", step=found.step)
    return say(f"checking.{found.verdict}", step=found.step)


def _notes(candidate: Candidate) -> Iterator[Note]:
    """A candidate with its hint, and what else comes to the same here."""
    told = say("checking.candidate.hint", candidate=_named(candidate), hint=candidate.hint)
    yield Note("mistake", (Words(told),), candidate.id)
    for id, hint in zip(candidate.also, candidate.also_hints, strict=True):
        yield Note("mistake", (Words(say("checking.also", id=id, hint=hint)),), id)


def _named(candidate: Candidate) -> str:
    return say("checking.candidate", id=candidate.id, place=candidate.step) if candidate.step else candidate.id


def _telling(entry: Apart) -> str:
    numbers = [value for _, value in entry.values]
    style = apart(min(numbers), min((n for n in numbers if n != min(numbers)), default=min(numbers)), PLAIN)
    values = (say("checking.apart.value", value=write(value, style), id=id) for id, value in entry.values)
    return say("checking.apart", entry=entry.entry, values=", ".join(values))


def _nearest(found: Why, nearest: Candidate) -> str:
    if nearest.id == "truth":
        return say("checking.nearest.truth", gap=write(nearest.gap), entry=_entry(found))
    return say("checking.nearest", candidate=_named(nearest), gap=write(nearest.gap))


def _entry(found: Why) -> str:
    return found.step + "".join(f"[{place}]" for place in found.index)


def _text(sentence: str) -> Text:
    return Text((Words(sentence),))
