"""A document as one source of Typst: a call of template.typ for each block."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from importlib import resources
from itertools import pairwise
from typing import cast

from ...document import blocks as d
from ...document.monospace import answer_prompt
from ...formula.typst import string
from ..by_kind import ByKind
from . import derived, matrices, tables
from .code import NONE, array, call, joined, optional_words, words
from .pictures import figure
from .spans import Places, inside, label_of, spans

MAX_HEADING_LEVEL = 6
MAX_FORMULA_SIGNS = 55  # a longer formula may be wider than the page
MAX_SHORT_FORMULA_SIGNS = 32  # such formulas may share a line
MAX_PROMPT_SIGNS = 60  # before a blank that may share a line with others
PROGRAM_COLUMNS = 104
WRAP_INDENT = 4  # spaces before the rest of a wrapped line
_NUMBERED = re.compile(r"\d+\. ")
_LANGUAGE = re.compile(r"[\w+#.-]+")


def to_typst(document: d.Document) -> str:
    """The whole document, with the template that it calls.

    >>> source = to_typst(d.Document("softmax", (d.Text((d.Words("2 < 3"),)),)))
    >>> source.splitlines()[-2]
    'p({ "2 < 3" })'
    """
    template = (resources.files(__package__) / "template.typ").read_text(encoding="utf-8")
    page = TypstPage(document)
    start = call(
        "whole",
        string(document.title),
        optional_words(document.subtitle),
        string("en"),
        string("Contents"),
        "true" if document.form == "book" else "false",
        author=string(document.author) if document.author else NONE,
        rights=optional_words(document.rights),
    )
    return "\n".join([template, f"#{start.removesuffix(')')}, {{", *page.lines(document.blocks), "})"])


class TypstPage(ByKind):
    """The page of one document, block by block."""

    def __init__(self, document: d.Document) -> None:
        levels = [block.level for block in d.all_blocks(document.blocks) if isinstance(block, d.Heading)]
        self.top = min(levels, default=1)
        self.level = 0  # of the last heading: the next one may be at most one deeper
        self.places = Places(document, self.top + 1)
        self.is_sheet = bool(document.sheet)

    derivation = staticmethod(derived.derivation)

    def lines(self, blocks: tuple[d.Block, ...]) -> Iterator[str]:
        """A line of Typst for each block, or for a row of small matrices or of short formulas."""
        row: list[d.Block] = []
        for block, following in pairwise((*blocks, None)):
            assert block is not None
            row.append(block)
            if _share_a_line(block, following):
                continue
            yield self.row(row, following)
            row = []

    def blocks(self, blocks: tuple[d.Block, ...]) -> str:
        return joined(self.lines(blocks))

    # -- one kind after the other -----------------------------------------------------------------

    def heading(self, block: d.Heading) -> str:
        if not block.text.strip():  # a PDF may not have an empty one
            return NONE
        self.places.enter(block)
        self.level = min(block.level - self.top + 1, self.level + 1, MAX_HEADING_LEVEL)
        heading = call("heading", words(block.text), level=str(self.level))
        label = self.places.label(block.anchor)
        return call("anchored", string(label), heading) if label else heading

    def text(self, block: d.Text, sticky: str = NONE) -> str:
        of_part = self.places.is_book and self.level == 1
        return call("about-part" if of_part else "p", spans(block.spans, self.places), sticky=sticky)

    def row(self, blocks: list[d.Block], following: d.Block | None) -> str:
        """Blocks that share a line, or one alone; some stay on the same page as what follows."""
        first = blocks[0]
        sticky = "true" if isinstance(following, d.Matrix) else NONE  # a formula and its result
        if isinstance(first, d.Text):  # a step to compute, and its formula
            is_step = (self.is_sheet and isinstance(following, d.Formula | d.Matrix)) or has_blanks(following)
            return self.text(first, "true" if is_step else NONE)
        if isinstance(first, d.Table):
            return tables.table(first, self.places, is_before_text=isinstance(following, d.Text))
        if isinstance(first, d.Matrix) and matrices.is_small(first):
            return call("matrices", *(drawn for block in blocks for drawn in self._anchored(cast(d.Matrix, block))))
        if len(blocks) > 1:
            maths = [cast(d.Formula, block).math for block in blocks]
            return call("formulas", *(f"({string(math.speech)}, $ {math.typst} $)" for math in maths), sticky=sticky)
        return self.formula(first, sticky) if isinstance(first, d.Formula) else self.block(first)

    def formula(self, block: d.Formula, sticky: str = NONE) -> str:
        math = block.math
        if not math.typst:
            return call("p", string(math.text))
        is_long = "true" if len(math.text) > MAX_FORMULA_SIGNS else NONE
        reason = optional_words(block.reason)
        number = string(f"({block.number})") if block.number else NONE
        drawn = f"$ {math.typst} $"
        return call("formula", string(math.speech), drawn, reason=reason, long=is_long, sticky=sticky, number=number)

    def matrix(self, block: d.Matrix) -> str:
        notes = [block.note] if block.note else []
        notes += [matrices.SPLIT_NOTES[direction] for direction in matrices.split_along(block)]
        wide = NONE if matrices.fit_side_by_side(block) else "true"
        return call("matrices", *self._anchored(block), wide=wide, note=optional_words(" ".join(notes)))

    def _anchored(self, block: d.Matrix) -> list[str]:
        """The matrix, with an anchor that links to it can find."""
        first, *more = matrices.matrix(block, inside(derived.title(block.title)))
        label = self.places.label(self.places.of_step(block.step))
        return [call("anchored", string(label), first) if label else first, *more]

    def figure(self, block: d.Figure) -> str:
        return figure(block, spans(block.caption, self.places) if block.caption else NONE)

    def image(self, block: d.Image) -> str:
        caption = spans(block.caption, self.places) if block.caption else NONE
        content, ending = array(map(str, block.content)), string(block.ending.replace("jpeg", "jpg"))
        return call("photo", content, ending, string(block.alternative), caption=caption)

    def ledger(self, block: d.Ledger) -> str:
        return tables.ledger(block, self.places)

    def table(self, block: d.Table) -> str:
        return tables.table(block, self.places)

    def items(self, block: d.Items) -> str:
        return call("bullets", "true" if block.counted else "false", *(self.blocks(entry) for entry in block.entries))

    def fold(self, block: d.Fold) -> str:
        if block.summary:
            return call("left-out", words(block.summary))
        return call("fold", words(block.title), self.blocks(block.blocks))

    def question(self, block: d.Question) -> str:
        question = spans(block.spans, self.places)
        return call(
            "question", optional_words(block.title), question, optional_words(block.label), self.blocks(block.answer)
        )

    def answers(self, block: d.Answers) -> str:
        """The blanks outside of matrices, short ones on a line together. What is numbered begins a line."""
        prompts = [answer_prompt(field) for field in block.unplaced]
        if any(len(prompt) > MAX_PROMPT_SIGNS for prompt in prompts):
            return joined(call("blank", words(prompt)) for prompt in prompts)
        rows: list[list[str]] = []
        for prompt in prompts:
            if not rows or _NUMBERED.match(prompt):
                rows.append([])
            rows[-1].append(words(prompt))
        return call("blanks", *map(array, rows)) if rows else NONE

    def note(self, block: d.Note) -> str:
        return call("note", string(block.tone), spans(block.spans, self.places))

    def program(self, block: d.Program) -> str:
        language = _LANGUAGE.match(block.language)
        source = "\n".join(_wrapped(line) for line in block.source.rstrip("\n").splitlines())
        shown = string(language[0]) if language else NONE
        return call("program", shown, string(source), title=optional_words(block.title))

    def terms(self, block: d.Terms) -> str:
        """The index: words, and the labels of the places that explain them."""
        entries = []
        for term in block.entries:
            labels = [self.places.reference(place) for place in term.places]
            found = array(label_of(label) for label in labels if label)
            entries.append(f"({words(term.name)}, {found})")
        return call("terms-list", *entries)


def has_blanks(block: d.Block | None) -> bool:
    """Whether there is something to fill in: blanks in a matrix, or outside of one."""
    if not isinstance(block, d.Matrix):
        return isinstance(block, d.Answers) and bool(block.unplaced)
    return any(entry.is_blank for part in block.slices for row in part.rows for entry in row)


def _share_a_line(block: d.Block, following: d.Block | None) -> bool:
    """Whether both are small matrices, or short formulas without a reason."""
    if isinstance(block, d.Matrix) and isinstance(following, d.Matrix):
        return matrices.is_small(block) and matrices.is_small(following)
    return _is_short(block) and _is_short(following)


def _is_short(block: d.Block | None) -> bool:
    return (
        isinstance(block, d.Formula)
        and not block.reason + block.number
        and 0 < len(block.math.text) <= MAX_SHORT_FORMULA_SIGNS
    )


def _wrapped(line: str) -> str:
    """A line of a program, wrapped to the width of the page and indented where it continues."""
    if len(line) <= PROGRAM_COLUMNS:
        return line
    margin = line[: len(line) - len(line.lstrip())] + " " * WRAP_INDENT
    indent = margin[: PROGRAM_COLUMNS // 2]
    lines = textwrap.wrap(
        line, PROGRAM_COLUMNS, subsequent_indent=indent, break_on_hyphens=False, replace_whitespace=False
    )
    return "\n".join(lines)
