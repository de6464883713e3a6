"""Why somebody's numbers are what they are, in words for whoever wrote them: what gives these numbers, what would tell
several reasons apart, or what comes nearest. The ids of mistakes are for programs, and are not said.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..engine.sentences import add_sentences, say
from ..explain.document import Block, Note, Text, Words
from ..explain.numbers import PLAIN, apart, write
from ..teach.checking.candidates import Apart, Candidate
from ..teach.checking.why import Why

add_sentences(
    "lab",
    {
        "why.convention": "Another convention gives just these numbers.",
        "why.relation": "No known mistake gives these numbers, but there is something to see in them.",
        "why.several": "Each of these gives just these numbers.",
        "why.none": "No known mistake gives these numbers: work the step out again.",
        "why.nearest": "What comes nearest, off by {gap}: {hint}",
        "why.also": "Or, which is the same here: {hint}",
        "why.apart": "The entry {entry} would tell them apart.",
        "why.apart.value": "It is {value} here: {hint}",
    },
)


def why_in_words(found: Why) -> Iterator[Block]:
    """
    >>> import workings as w
    >>> from .judging import judge
    >>> trace = w.scenario("token-i").trace("twin")
    >>> (step,) = judge(trace, {"scaled": str(trace["scores"].value.tolist())})
    >>> [block.spans[0].text for block in why_in_words(step.why)]
    ['You did not divide: the scores must be scaled by the root of d.']
    """
    if found.verdict in ("convention", "relation", "several", "none"):
        yield _text(say(f"lab.why.{found.verdict}"))
    elif found.verdict == "another shape":
        yours, ours = (" × ".join(map(str, shape)) or "1" for shape in found.shapes)
        yield _text(say("checking.another_shape", step=found.step, yours=yours, ours=ours))
    elif found.verdict == "not a number":
        yield _text(say("checking.not_a_number", step=found.step, entry=_entry(found)))
    for candidate in found.candidates:
        yield from _reason(candidate)
    yield from _reservations(found)


def _reason(candidate: Candidate) -> Iterator[Block]:
    if candidate.kind not in ("mistake", "convention"):
        yield _text(candidate.hint)
        return
    yield Note("mistake", (Words(candidate.hint),), candidate.id)
    for id, hint in zip(candidate.also, candidate.also_hints, strict=True):
        if hint != candidate.hint:
            yield Note("mistake", (Words(say("lab.why.also", hint=hint)),), id)


def _reservations(found: Why) -> Iterator[Block]:
    """How sure it is, and what would tell more."""
    by_lines = any(candidate.by_lines for candidate in found.candidates)
    if found.digits and found.verdict in ("mistake", "convention", "several") and (by_lines or found.is_weak):
        yield _text(say(f"checking.digits.{'lines' if by_lines else 'weak'}", digits=found.digits))
    if found.blanks:
        yield _text(say("checking.blanks", count=found.blanks))
    if found.verdict == "several":
        yield from [_text(say("checking.apart.none"))] if found.apart is None else _telling(found, found.apart)
    if found.verdict == "none" and found.nearest is not None:
        yield _text(_nearest(found, found.nearest))
        if found.earlier:
            yield _text(say("checking.none.earlier", earlier=found.earlier))


def _telling(found: Why, entry: Apart) -> Iterator[Block]:
    hints = {candidate.id: candidate.hint for candidate in found.candidates}
    numbers = sorted({value for _, value in entry.values})
    style = apart(numbers[0], numbers[1], PLAIN) if len(numbers) > 1 else PLAIN
    yield _text(say("lab.why.apart", entry=entry.entry))
    for id, value in entry.values:
        yield _text(say("lab.why.apart.value", value=write(value, style), hint=hints.get(id, id)))


def _nearest(found: Why, nearest: Candidate) -> str:
    if nearest.id == "truth":
        return say("checking.nearest.truth", gap=write(nearest.gap), entry=_entry(found))
    return say("lab.why.nearest", hint=nearest.hint, gap=write(nearest.gap))


def _entry(found: Why) -> str:
    return found.step + "".join(f"[{place}]" for place in found.index)


def _text(sentence: str) -> Text:
    return Text((Words(sentence),))
