"""`checks`: what must hold, worked out and compared.

A line is `words | left sign right`. Each side is an entry, a plain number, or something to calculate: `sum(P) = 1`,
`after:step2.loss < after:step1.loss`, `shape weights = 2 2`.
"""

from __future__ import annotations

import math
import operator
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from ...document.blocks import Block, Span, Spans, Table, Words
from ...document.numbers import Style, apart, write
from ...engine.arrays import indices
from ...engine.errors import LessonError
from ..reading.entry import EntryName, is_entry
from ..reading.myst import Directive
from .kind import Kind

if TYPE_CHECKING:
    from ..page import PageBuilder

SIGNS: dict[str, tuple[str, Callable[[float, float], bool]]] = {
    "<=": ("≤", operator.le),
    ">=": ("≥", operator.ge),
    "!=": ("≠", operator.ne),
    "<": ("<", operator.lt),
    ">": (">", operator.gt),
    "=": ("=", operator.eq),
    "==": ("=", operator.eq),
}
_SIGN = re.compile(r"<=|>=|!=|<|>|==?(?![^(]*\))")  # not the = of a setting, as in sum(x, axis=key)
_SHAPE = re.compile(r"shape\s+(\S+)\s*=\s*([\d\s]+)")
CLOSE = {"float64": 1e-9, "float32": 1e-5}  # of their size: numbers that differ by less count as equal
MOST = 10_000  # entries of one side
DUST = 1e-14  # what rounding leaves of numbers that add up to 0
UNITS = 5  # of the last digit: so far sums of rounded numbers may be off


@dataclass(frozen=True)
class LessonCheck:
    """One check: its words, its two sides with the sign between them, and whether it holds."""

    words: Spans
    shown: Spans
    holds: bool
    line: int


def checks_of(directive: Directive, page: PageBuilder) -> Iterator[LessonCheck]:
    for number, row in enumerate(directive.body.splitlines(), directive.body_line):
        if not row.strip():
            continue
        with page.at(number):
            words, bar, condition = row.partition("|")
            if not bar:
                raise _no_check(row.strip())
            said = page.sentence(words.strip())
            shown, holds = _compared(condition.strip(), directive.options.get("run", ""), page)
        yield LessonCheck(said, shown, holds, number)


def _no_check(text: str) -> LessonError:
    return LessonError(
        "This is not a check.",
        hint="Write its words, a bar, and what must hold: The probabilities sum to one | sum(P) = 1.",
        given=text[:60],
    )


def _compared(condition: str, run: str, page: PageBuilder) -> tuple[Spans, bool]:
    shape = _SHAPE.fullmatch(condition)
    if shape is not None:
        return _shapes(page.entry(shape[1], run), [int(size) for size in shape[2].split()], page)
    found = _SIGN.search(condition)
    if found is None:
        raise _no_check(condition)
    texts = condition[: found.start()].strip(), condition[found.end() :].strip()
    pairs = _pairs(*(_entries(_side(text, run, page), page) for text in texts))
    sign, compare = SIGNS[found[0]]
    if found[0] in ("=", "==", "!="):
        pairs.sort(key=lambda pair: -_gap(*pair))
        verdicts = [_equal(one, other) == (found[0] != "!=") for one, other in pairs]
    else:
        pairs.sort(key=lambda pair: _gap(*pair))
        verdicts = [compare(one.value, other.value) for one, other in pairs]
    # The pair that fails, or else the one that comes nearest to it.
    worst = verdicts.index(False) if False in verdicts else 0
    return _as_spans(*pairs[worst], sign, verdicts[worst], page), all(verdicts)


@dataclass(frozen=True)
class _Side:
    """One number of a check: a plain one, or an entry."""

    value: float
    name: EntryName | None = None
    precision: str = ""


def _gap(one: _Side, other: _Side) -> float:
    return 0.0 if one.value == other.value else abs(one.value - other.value)  # two infinite ones may be the same


def _side(text: str, run: str, page: PageBuilder) -> EntryName | float:
    try:
        return float(text)
    except ValueError:
        return page.entry(text, run) if is_entry(text) else page.measured.line(text, run)


def _entries(side: EntryName | float, page: PageBuilder) -> list[_Side]:
    """Every number that is meant."""
    if isinstance(side, float):
        return [_Side(side)]
    view = page.view(side)
    if len(side.index) > len(view.shape):
        page.value(side)  # refuses it
    rest = view.shape[len(side.index) :]
    if math.prod(rest) > MOST:
        raise LessonError(
            f"{side!s} has {math.prod(rest)} entries, and a check compares at most {MOST}.",
            hint="Name one entry, or calculate one number, with sum or mean.",
        )
    places = ((*side.index, *at) for at in indices(rest))
    names = [EntryName(side.run, side.step, at) for at in places]
    return [_Side(page.value(name), name, view.trace.precision) for name in names]


def _pairs(left: list[_Side], right: list[_Side]) -> list[tuple[_Side, _Side]]:
    """Entry against entry, or every entry against the one number of the other side."""
    count = max(len(left), len(right))
    sides = [side * count if len(side) == 1 else side for side in (left, right)]
    if len(sides[0]) != len(sides[1]):
        raise LessonError(
            f"This check has {len(left)} numbers on its left and {len(right)} on its right.",
            hint="Compare as many, or one number with all of them.",
        )
    return list(zip(*sides, strict=True))


def _as_spans(one: _Side, other: _Side, sign: str, holds: bool, page: PageBuilder) -> Spans:
    style = replace(page.style, dust=DUST)
    if one.value != other.value and (sign != "=" or not holds):
        style = apart(one.value, other.value, page.style)
    shown = [_shown(side, style, page) for side in (one, other)]
    if sign == "=" and holds and shown[0].text != shown[1].text:
        sign = "≈"
    return (shown[0], Words(f" {sign} "), shown[1])


def _shown(side: _Side, style: Style, page: PageBuilder) -> Span:
    if side.name is None:
        return Words(write(side.value, Style(whole=True, exact=True)))
    return page.number(side.name, style)


def _equal(one: _Side, other: _Side) -> bool:
    """Numbers that were rounded on the way may be off: by a few units of the last digit with a calculator."""
    if one.value == other.value or not math.isfinite(one.value) or not math.isfinite(other.value):
        return one.value == other.value
    size, gap = max(abs(one.value), abs(other.value)), abs(one.value - other.value)
    if 0 in (one.value, other.value):
        size = 1.0  # next to 0, only the size of what was added up would tell
    return gap <= max(_tolerance(side.precision, size) for side in (one, other))


def _tolerance(precision: str, size: float) -> float:
    if not precision.startswith("calculator"):
        return CLOSE.get(precision, 0.0) * size
    _, digits, unit = precision.split()
    before = math.floor(math.log10(size)) + 1 if unit == "significant" else 0
    return UNITS * 10.0 ** (before - int(digits))


def _shapes(name: EntryName, sizes: list[int], page: PageBuilder) -> tuple[Spans, bool]:
    holds = list(page.whole(name).shape) == sizes
    expected = () if holds else (Words(f" = {' × '.join(map(str, sizes))}"),)
    return (*page.sizes(name), *expected), holds


def _checks(directive: Directive, page: PageBuilder) -> Iterator[Block]:
    rows = []
    for check in checks_of(directive, page):
        page.checked.append(check)
        verdict = "yes" if check.holds else "NO"
        rows.append(((Words(verdict),), check.shown, check.words))
    page.checklists += 1
    yield Table(("holds", "numbers", "check"), tuple(rows), code=f"lesson.checklist({page.checklists})")


CHECKS = {"checks": Kind(_checks, "none", "needed", ("run",))}
