"""The result of `why` as a document: what gives these numbers, and what would distinguish several reasons."""

from __future__ import annotations

from collections.abc import Iterator

from ...document.blocks import Block, Document, Note, Text, Words
from ...document.numbers import PLAIN, apart, write
from .candidates import Candidate, DistinguishingEntry
from .why import Why, WhyVerdict

# For an engineer, with ids and counts; and for a learner, who reads hints only.
HEADLINES: dict[WhyVerdict, str] = {
    "convention": "another convention gives these numbers.",
    "mistake": "this gives these numbers.",
    "relation": "no known mistake gives these numbers, but they follow a pattern.",
    "several": "each of these gives these numbers.",
    "two mistakes": "these two together give these numbers.",
}
LEARNER_HEADLINES: dict[WhyVerdict, str] = {
    "convention": "Another convention gives exactly these numbers.",
    "relation": "No known mistake gives these numbers, but they follow a pattern.",
    "several": "Each of these gives exactly these numbers.",
    "two mistakes": "Two mistakes together give these numbers.",
    "none": "No known mistake gives these numbers: calculate the step again.",
}
ENOUGH_DIGITS = 3  # significant ones, that we ask for where there are too few
REASONED: tuple[WhyVerdict, ...] = ("mistake", "convention", "several", "two mistakes")


def why_document(found: Why) -> Document:
    """What was found out, for any renderer."""
    return Document("", tuple(why_blocks(found)), form="part")


def why_blocks(found: Why) -> Iterator[Block]:
    """The verdict, the candidates with their ids, and what would distinguish them."""
    yield _text(f"{found.step}: {_headline(found)}")
    for candidate in found.candidates:
        if found.verdict in ("rounded", "number type", "relation", "too few digits"):
            yield _text(_rounding_hint(found, candidate))
        else:
            yield Note("mistake", (Words(f"{_id(candidate)}: {candidate.hint}"),), candidate.id)
            for id, hint in zip(candidate.also, candidate.also_hints, strict=True):
                yield Note("mistake", (Words(f"{id}, which is the same here: {hint}"),), id)
    if found.digits and found.verdict in REASONED:
        yield _text(_digits(found))
    yield from _blanks(found)
    if found.verdict == "several":
        yield _text(NOT_DISTINGUISHED if found.apart is None else _distinguishing(found.apart))
    if found.verdict == "none" and found.nearest is not None:
        nearest = found.nearest
        is_truth = nearest.id == "truth"
        yield _text(_nearest_is_truth(found) if is_truth else f"Closest: {_id(nearest)}, off by {write(nearest.gap)}.")
        yield from _earlier(found)
    elif found.verdict == "another shape" and not found.candidates:
        yield _text(f"None of the {found.tried} things that we tried explains that.")
    elif found.tried:
        yield _text(f"Tried: {found.tried}.")


def why_for_learners(found: Why) -> Iterator[Block]:
    """The same in words for the learner who wrote the numbers: without ids, which are for programs.

    >>> import workings as w
    >>> trace = w.scenario("token-i").trace("twin")
    >>> [block.spans[0].text for block in why_for_learners(w.why(trace["scores"].value, trace["scaled"]))]
    ['You did not divide: attention scores are scaled by 1/√d.']
    """
    if found.verdict in LEARNER_HEADLINES:
        yield _text(LEARNER_HEADLINES[found.verdict])
    elif found.verdict in ("another shape", "not a number", "too few digits"):
        yield _text(f"{found.step}: {_headline(found)}")
    for candidate in found.candidates:
        if candidate.kind not in ("mistake", "convention"):
            yield _text(_rounding_hint(found, candidate))
            continue
        yield Note("mistake", (Words(candidate.hint),), candidate.id)
        for id, hint in zip(candidate.also, candidate.also_hints, strict=True):
            if hint != candidate.hint:
                yield Note("mistake", (Words(f"Or, which is the same here: {hint}"),), id)
    if found.digits and found.verdict in REASONED and (_by_lines(found) or found.is_weak):
        yield _text(_digits(found))
    yield from _blanks(found)
    if found.verdict == "several":
        yield from [_text(NOT_DISTINGUISHED)] if found.apart is None else _distinguishing_hints(found, found.apart)
    if found.verdict == "none" and found.nearest is not None:
        nearest = found.nearest
        closest = f"What comes closest, off by {write(nearest.gap)}: {nearest.hint}"
        yield _text(_nearest_is_truth(found) if nearest.id == "truth" else closest)
        yield from _earlier(found)


NOT_DISTINGUISHED = "No entry of this computation distinguishes them."


def _headline(found: Why) -> str:
    if found.verdict == "exact" and found.gap:
        return f"these numbers are right. The largest difference, {write(found.gap)}, is rounding error of float64."
    if found.verdict == "another shape":
        yours, ours = (" × ".join(map(str, shape)) or "1" for shape in found.shapes)
        return f"these numbers have the shape {yours}, and should have {ours}."
    if found.verdict == "not a number":
        return f"{_entry(found)} is not a number."
    if found.verdict == "too few digits":
        off = f"{_entry(found)} is off by {write(found.gap)}"
        return f"these numbers have too few digits to tell: {off}. Give at least {ENOUGH_DIGITS} digits."
    if found.verdict == "none":
        return f"none of the {found.tried} things that we tried gives these numbers."
    return "these numbers are right." if found.is_right else HEADLINES[found.verdict]


def _rounding_hint(found: Why, candidate: Candidate) -> str:
    others = " Many other numbers round to the same." if found.verdict == "too few digits" else ""
    return f"{candidate.hint}{others}"


def _id(candidate: Candidate) -> str:
    return f"{candidate.id} at {candidate.step}" if candidate.step else candidate.id


def _by_lines(found: Why) -> bool:
    return any(candidate.by_lines for candidate in found.candidates)


def _digits(found: Why) -> str:
    """To how many digits the numbers agree, and how sure that makes it."""
    lines = ", if every line was rounded to as many" if _by_lines(found) else ""
    compared = f"Compared to {found.digits} significant digits{lines}."
    if not found.is_weak:
        return compared
    return f"{compared} So few may also agree by chance: the numbers of an earlier step would tell more."


def _blanks(found: Why) -> Iterator[Text]:
    if found.blanks:
        yield _text(f"Blank entries, which are not checked: {found.blanks}.")


def _distinguishing(entry: DistinguishingEntry) -> str:
    numbers = [value for _, value in entry.values]
    style = apart(min(numbers), min((n for n in numbers if n != min(numbers)), default=min(numbers)), PLAIN)
    values = (f"{write(value, style)} for {id}" for id, value in entry.values)
    return f"{entry.entry} would distinguish them: {', '.join(values)}."


def _distinguishing_hints(found: Why, entry: DistinguishingEntry) -> Iterator[Text]:
    hints = {candidate.id: candidate.hint for candidate in found.candidates}
    numbers = sorted({value for _, value in entry.values})
    style = apart(numbers[0], numbers[1], PLAIN) if len(numbers) > 1 else PLAIN
    yield _text(f"The entry {entry.entry} would distinguish them.")
    for id, value in entry.values:
        yield _text(f"There it is {write(value, style)}: {hints.get(id, id)}")


def _nearest_is_truth(found: Why) -> str:
    return f"The true numbers come closest, off by {write(found.gap)} at {_entry(found)}."


def _earlier(found: Why) -> Iterator[Text]:
    if found.earlier:
        yield _text(
            f"Of several mistakes at once we try only the likeliest pairs: the numbers of an earlier step, such as "
            f"{found.earlier}, would show the first one."
        )


def _entry(found: Why) -> str:
    return found.step + "".join(f"[{number}]" for number in found.index)


def _text(sentence: str) -> Text:
    return Text((Words(sentence),))
