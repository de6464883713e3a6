"""`source-notes`: what a source printed, what is true, and why they differ.

The claims stand in `source.yaml` beside the lesson: every number that the source prints and that can be computed, where
it stands there, and of which entry it is. A reason stands exactly where a printed number is not the true one, rounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from ...engine.arrays import Index, indices
from ...engine.errors import LessonError, WorkingsError
from ...engine.sentences import say
from ...explain.document import Block, Number, Spans, Table, Text, Words
from ...explain.numbers import Style
from ...models.reading.yaml_reading import data_of, place, read_yaml
from ..located import located
from ..reading.entry import DEFAULT, EntryName
from ..reading.myst import Directive
from ..runs import Asked
from .files import beside
from .kind import Kind

if TYPE_CHECKING:
    from ..page import Page

FILE = "source.yaml"
EXACT = "exact."  # before the runs with which a source is compared, where the lesson has others
MORE_DIGITS = 2  # that the truth has beyond the printed number


@dataclass(frozen=True)
class Claim:
    """One printed number: where it stands in the source, of which entry it is, and why it differs, if it does."""

    at: str
    name: EntryName
    printed: str
    true: float
    why: str

    @property
    def holds(self) -> bool:
        """Whether the true number rounds to the printed one; either way of rounding a half will do."""
        printed = Decimal(self.printed)
        half = Decimal(1).scaleb(int(printed.as_tuple().exponent)) / 2
        return abs(Decimal(repr(self.true)) - printed) <= half * (1 + Decimal("1e-9"))


def claims_of(page: Page) -> tuple[str, list[Claim]]:
    """The name of the source, and its claims."""
    text = beside(FILE, page)
    tree = read_yaml(text, FILE)
    data = data_of(tree)
    reasons, rows = data.get("reasons") or {}, data.get("claims") or ()
    if not isinstance(reasons, dict) or not isinstance(rows, tuple):
        raise LessonError("lesson.claim.form", where=FILE)
    claims: list[Claim] = []
    for number, row in enumerate(rows):
        where = place(FILE, getattr(tree.entries["claims"].items[number], "line", 0))  # type: ignore[union-attr]
        try:
            claims += _claims(row, reasons, where, page)
        except WorkingsError as error:
            error.where = where
            raise
    return str(data.get("source", "")), claims


def _claims(row: Mapping[str, Any], reasons: Mapping[str, str], where: str, page: Page) -> Iterator[Claim]:
    if not isinstance(row, dict) or not {"at", "of", "printed"} <= row.keys() <= {"at", "of", "printed", "why"}:
        raise LessonError("lesson.claim.form", where=where)
    name = page.entry(str(row["of"]))
    view = page.view(name)
    if len(name.index) > len(view.shape):
        page.value(name)  # refuses it
    why = row.get("why", "")
    if why and why not in reasons:
        raise LessonError("lesson.claim.reason", reason=why, where=where)
    places: list[Index] = [(*name.index, *rest) for rest in indices(view.shape[len(name.index) :])]
    printed = str(row["printed"]).replace("−", "-").split()
    if len(printed) != len(places):
        raise LessonError("lesson.claim.count", name=str(name), count=len(places), printed=len(printed), where=where)
    for text, index in zip(printed, places, strict=True):
        try:
            is_number = Decimal(text).is_finite()
        except InvalidOperation:
            is_number = False
        if not is_number:
            raise LessonError("lesson.claim.number", text=text[:40], where=where)
        entry = replace(name, index=index)
        claim = Claim(str(row["at"]), entry, text, page.value(entry), str(reasons.get(why, "")))
        yield claim


def _source_notes(directive: Directive, page: Page) -> Iterator[Block]:
    # A source is judged by what is true, not by what a calculator, another convention or a changed number gives.
    if page.runs.asked == Asked(page.runs.asked.digits):
        yield from _notes(page, "")
    else:
        exact = page.as_written()
        yield from _notes(exact, EXACT)
        for run, trace in exact.runs.traces.items():
            page.runs.add(f"{EXACT}{run}", trace)
        for (run, composite), inside in exact.runs.opened.items():
            page.runs.opened[f"{EXACT}{run}", composite] = inside


def _notes(page: Page, prefix: str) -> Iterator[Block]:
    """`prefix` stands before the names of runs that are others than those of the lesson."""
    source, claims = claims_of(page)
    if not claims:
        yield Text((Words(say("lesson.claims.none", source=source)),))
        return
    wrong = [claim for claim in claims if not claim.holds]
    key = "lesson.claims" if wrong else "lesson.claims.right"
    count = say(key, source=source, count=len(claims), wrong=len(wrong), right=len(claims) - len(wrong))
    yield Text((Words(count),))
    if any(not claim.why for claim in wrong):
        raise LessonError(
            "lesson.claim.why", name=next(str(claim.name) for claim in wrong if not claim.why), where=FILE
        )
    headings = tuple(say(f"lesson.claims.{key}") for key in ("at", "entry", "printed", "true"))
    for why in dict.fromkeys(claim.why for claim in wrong):
        rows = tuple(_row(claim, page, prefix) for claim in wrong if claim.why == why)
        yield Table(headings, rows, why)


def _row(claim: Claim, page: Page, prefix: str) -> tuple[Spans, ...]:
    view = page.view(claim.name)
    digits = len(Decimal(claim.printed).as_tuple().digits) + MORE_DIGITS
    true = page.number(claim.name, Style(max(digits, page.style.digits), notation=view.trace.style.notation))
    value = float(claim.printed)
    printed = Number(claim.printed, value, view.id, claim.name.index, "printed")
    true, printed = (
        replace(number, step=f"{prefix}{number.step}") for number in (true, located(printed, page.run_of(claim.name)))
    )
    entry = view.trace.style.notation.entry(view.name, claim.name.index)
    run = "" if claim.name.run == DEFAULT else f" ({claim.name.run})"
    return (Words(claim.at),), (Words(entry, "code"), Words(run)), (printed,), (true,)


SOURCE_NOTES = {"source-notes": Kind(_source_notes, "none", "none")}
