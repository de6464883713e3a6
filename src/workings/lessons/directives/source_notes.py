"""`source-notes`: what a source printed, what is true, and why they differ.

The claims stand in `source.yaml` beside the lesson: every number that the source prints and that can be computed, where
it stands there, and of which entry it is. A reason stands exactly where a printed number is not the true one, rounded;
`is` names the entry that was printed in its place, where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, Any

from ...document.blocks import Block, Number, Spans, Table, Text, Words
from ...document.numbers import Style
from ...engine.arrays import Index, indices
from ...engine.errors import LessonError, WorkingsError
from ...scenarios.reading.location import place
from ...scenarios.reading.yaml_tree import data_of, read_yaml
from ..reading.entry import DEFAULT, EntryName
from ..reading.myst import Directive
from ..rewriting import located
from ..runs import LessonOptions
from .files import text_in_folder
from .kind import Kind

if TYPE_CHECKING:
    from ..page import PageBuilder

FILE = "source.yaml"
EXACT = "exact."  # before the runs with which a source is compared, where the lesson has others
ENTRY = re.compile(r"(\[\d+\])+$")  # of which a place may speak: WO_new[0][3]
KEYS = {"at", "of", "printed"}
MORE_DIGITS = 2  # that the truth has beyond the printed number


@dataclass(frozen=True)
class Claim:
    """One printed number: where it stands in the source, of which entry it is, and why it differs, if it does."""

    at: str
    name: EntryName
    printed: str
    true: float
    why: str
    decimals: int = 0  # that the numbers of its row show: they count where it is 0
    really: EntryName | None = None  # the entry that was printed in its place, where that is known

    @property
    def holds(self) -> bool:
        """Whether the true number rounds to the printed one; either way of rounding a half will do. A zero says nothing
        about its digits: 0.0 among numbers with three decimals stands for 0.000.

        >>> row = [Claim("", EntryName("default", "P"), printed, 0.004, "", 3) for printed in ("0.0", "0.004", "0.00")]
        >>> [claim.holds for claim in row]
        [False, True, False]
        """
        return self.is_rounded(self.true)

    def is_rounded(self, value: float) -> bool:
        """Whether a number, rounded, is the printed one."""
        printed = Decimal(self.printed)
        decimals = max(decimals_of(self.printed), self.decimals if not printed else 0)
        half = Decimal(1).scaleb(-decimals) / 2
        return abs(Decimal(repr(value)) - printed) <= half * (1 + Decimal("1e-9"))


def decimals_of(printed: str) -> int:
    return -int(Decimal(printed).as_tuple().exponent)


def claims_of(page: PageBuilder) -> tuple[str, list[Claim]]:
    """The name of the source, and its claims."""
    text = text_in_folder(FILE, page)
    tree = read_yaml(text, FILE)
    data = data_of(tree)
    reasons, rows = data.get("reasons") or {}, data.get("claims") or ()
    if not isinstance(reasons, dict) or not isinstance(rows, tuple):
        raise _malformed(FILE)
    claims: list[Claim] = []
    for number, row in enumerate(rows):
        where = place(FILE, getattr(tree.entries["claims"].items[number], "line", 0))  # type: ignore[union-attr]
        try:
            claims += _claims(row, reasons, where, page)
        except WorkingsError as error:
            error.where = where
            raise
    return str(data.get("source", "")), _with_decimals(claims)


def _with_decimals(claims: list[Claim]) -> list[Claim]:
    """Each claim with the decimals of its row: of the numbers at the same place that belong to one row of one step."""
    rows: dict[tuple[object, ...], int] = {}
    keys = [(ENTRY.sub("", claim.at), claim.name.run, claim.name.step, claim.name.index[:-1]) for claim in claims]
    for key, claim in zip(keys, claims, strict=True):
        rows[key] = max(rows.get(key, 0), decimals_of(claim.printed))
    return [replace(claim, decimals=rows[key]) for key, claim in zip(keys, claims, strict=True)]


def _claims(row: Mapping[str, Any], reasons: Mapping[str, str], where: str, page: PageBuilder) -> Iterator[Claim]:
    if not isinstance(row, dict) or not KEYS <= row.keys() <= {*KEYS, "why", "is"}:
        raise _malformed(where)
    name = page.entry(str(row["of"]))
    view = page.view(name)
    if len(name.index) > len(view.shape):
        page.value(name)  # refuses it
    why = row.get("why", "")
    if why and why not in reasons:
        raise LessonError(
            f"No reason is called '{why}'.", hint="Write it under reasons, at the top of the file.", where=where
        )
    places: list[Index] = [(*name.index, *rest) for rest in indices(view.shape[len(name.index) :])]
    printed = str(row["printed"]).replace("−", "-").split()
    if len(printed) != len(places):
        raise LessonError(
            f"{name!s} has {len(places)} entries, and {len(printed)} numbers are printed.",
            hint="Write as many numbers as there are entries, row by row.",
            where=where,
        )
    for text, index in zip(printed, places, strict=True):
        try:
            is_number = Decimal(text).is_finite()
        except InvalidOperation:
            is_number = False
        if not is_number:
            raise LessonError(
                f"'{text[:40]}' is not a number.",
                hint="Write only the digits that the source printed, with spaces between numbers.",
                where=where,
            )
        entry = replace(name, index=index)
        claim = Claim(str(row["at"]), entry, text, page.value(entry), str(reasons.get(why, "")))
        yield claim if "is" not in row else replace(claim, really=_really(claim, str(row["is"]), where, page))


def _really(claim: Claim, text: str, where: str, page: PageBuilder) -> EntryName:
    """The entry that a source printed instead; refused if it is not the printed number either."""
    name = page.entry(text)
    if not claim.is_rounded(page.value(name)):
        raise LessonError(
            f"{claim.printed} is not {name!s} either, which is {page.value(name):.6g}.",
            hint="Name the entry that the source printed, or leave out is.",
            where=where,
        )
    return name


def _source_notes(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    # A source is judged by what is true, not by what a calculator, another convention or a changed number gives.
    if page.runs.options == LessonOptions(page.runs.options.digits):
        yield from _notes(page, "")
    else:
        exact = page.unchanged()
        yield from _notes(exact, EXACT)
        for run, trace in exact.runs.traces.items():
            page.runs.add(f"{EXACT}{run}", trace)
        for (run, composite), inside in exact.runs.opened.items():
            page.runs.opened[f"{EXACT}{run}", composite] = inside


def _malformed(where: str) -> LessonError:
    return LessonError(
        "A source has reasons, by name, and a list of claims with at, of and printed.",
        hint="Write each claim as {at: where, of: P[0], printed: 0.25}; where it is wrong, add why, and is if you know "
        "which entry was printed.",
        where=where,
    )


def _notes(page: PageBuilder, prefix: str) -> Iterator[Block]:
    """`prefix` stands before the names of runs that are others than those of the lesson."""
    source, claims = claims_of(page)
    if not claims:
        yield Text((Words(f"{source} prints no number that could be computed here."),))
        return
    wrong = [claim for claim in claims if not claim.holds]
    count = f"{source} prints {len(claims)} numbers that can be computed here. Right: {len(claims) - len(wrong)}. "
    yield Text((Words(count + f"Wrong: {len(wrong)}{', listed by reason:' if wrong else '.'}"),))
    if any(not claim.why for claim in wrong):
        name = next(str(claim.name) for claim in wrong if not claim.why)
        raise LessonError(
            f"What the source printed of {name} is not so, and no reason is given.",
            hint="Write a sentence under reasons, and its name as the why of this claim.",
            where=FILE,
        )
    for why in dict.fromkeys(claim.why for claim in wrong):
        same = [claim for claim in wrong if claim.why == why]
        rows = tuple(_row(claim, page, prefix) for claim in same)
        if any(claim.really for claim in same):
            rows = tuple((*row, _instead(claim, page, prefix)) for row, claim in zip(rows, same, strict=True))
        yield Table(("where", "entry", "printed", "true", "printed instead")[: len(rows[0])], rows, why)


def _row(claim: Claim, page: PageBuilder, prefix: str) -> tuple[Spans, ...]:
    view = page.view(claim.name)
    value = float(claim.printed)
    printed = located(Number(claim.printed, value, view.id, claim.name.index, "printed"), page.run_of(claim.name))
    printed = replace(printed, step=f"{prefix}{printed.step}")
    return (Words(claim.at),), _entry(claim.name, page), (printed,), (_number(claim, claim.name, page, prefix),)


def _instead(claim: Claim, page: PageBuilder, prefix: str) -> Spans:
    """What the source printed in the place of the true entry, where that is known."""
    if claim.really is None:
        return ()
    return *_entry(claim.really, page), Words(" = "), _number(claim, claim.really, page, prefix)


def _entry(name: EntryName, page: PageBuilder) -> Spans:
    view = page.view(name)
    run = "" if name.run == DEFAULT else f" ({name.run})"
    return Words(view.trace.style.notation.entry(view.name, name.index), "code"), Words(run)


def _number(claim: Claim, name: EntryName, page: PageBuilder, prefix: str) -> Number:
    """An entry with more digits than the source printed."""
    digits = len(Decimal(claim.printed).as_tuple().digits) + MORE_DIGITS
    style = Style(max(digits, page.style.digits), notation=page.view(name).trace.style.notation)
    number = page.number(name, style)
    return replace(number, step=f"{prefix}{number.step}")


SOURCE_NOTES = {"source-notes": Kind(_source_notes, "none", "none")}
