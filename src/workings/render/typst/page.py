"""A document as one source of Typst: a call of template.typ for each block."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator
from importlib import resources
from itertools import pairwise
from typing import cast

from ...explain import document as d
from ..by_kind import ByKind
from ..lines import asked
from . import derived, matrices, tables
from .code import NONE, array, call, joined, optional_words, string, words
from .pictures import figure
from .sentences import say
from .spans import Places, inside, label_of, spans

DEEPEST = 6  # level of a heading
LONG = 55  # signs; a longer formula may be wider than the page
SHORT = 32  # signs; such formulas may stand beside each other
COLUMNS = 104  # of a program
BEHIND = 4  # spaces before what goes on from the line above
_LANGUAGE = re.compile(r"[\w+#.-]+")


def to_typst(document: d.Document) -> str:
    """The whole document, with the template that it calls.

    >>> source = to_typst(d.Document("softmax", (d.Text((d.Words("2 < 3"),)),)))
    >>> source.splitlines()[-2]
    'p({ "2 < 3" })'
    """
    template = (resources.files(__package__) / "template.typ").read_text(encoding="utf-8")
    page = _Page(document)
    start = call(
        "whole",
        string(document.title),
        optional_words(document.subtitle),
        string(say("page.language")),
        string(say("page.contents")),
        "true" if document.form == "book" else "false",
    )
    return "\n".join([template, f"#{start.removesuffix(')')}, {{", *page.lines(document.blocks), "})"])


class _Page(ByKind):
    """The page of one document, block by block."""

    def __init__(self, document: d.Document) -> None:
        levels = [block.level for block in d.all_blocks(document.blocks) if isinstance(block, d.Heading)]
        self.top = min(levels, default=1)
        self.level = 0  # of the last heading: the next one may be at most one deeper
        self.places = Places(document, self.top + 1)
        self.is_sheet = bool(document.sheet)

    derivation = staticmethod(derived.derivation)
    figure = staticmethod(figure)

    def lines(self, blocks: tuple[d.Block, ...]) -> Iterator[str]:
        """A line for each block, or for a row of small matrices or of short formulas."""
        row: list[d.Block] = []
        for block, following in pairwise((*blocks, None)):
            assert block is not None
            row.append(block)
            if _stand_beside(block, following):
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
        self.level = min(block.level - self.top + 1, self.level + 1, DEEPEST)
        heading = call("heading", words(block.text), level=str(self.level))
        label = self.places.label(block.anchor)
        return call("anchored", string(label), heading) if label else heading

    def text(self, block: d.Text, sticky: str = NONE) -> str:
        of_part = self.places.is_book and self.level == 1
        return call("about-part" if of_part else "p", spans(block.spans, self.places), sticky=sticky)

    def row(self, blocks: list[d.Block], following: d.Block | None) -> str:
        """Blocks that stand beside each other, or one alone; some stay on the page of what follows."""
        first = blocks[0]
        sticky = "true" if isinstance(following, d.Matrix) else NONE  # a formula, and what it gives
        if isinstance(first, d.Text):  # a step to be worked out, and its formula
            return self.text(first, "true" if self.is_sheet and isinstance(following, d.Formula | d.Matrix) else NONE)
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
        is_long = "true" if len(math.text) > LONG else NONE
        reason = optional_words(block.reason)
        return call("formula", string(math.speech), f"$ {math.typst} $", reason=reason, long=is_long, sticky=sticky)

    def matrix(self, block: d.Matrix) -> str:
        notes = [block.note] if block.note else []
        notes += [say(f"print.split.{way}") for way in matrices.split_along(block)]
        wide = NONE if matrices.fit_beside(block) else "true"
        return call("matrices", *self._anchored(block), wide=wide, note=optional_words(" ".join(notes)))

    def _anchored(self, block: d.Matrix) -> list[str]:
        """The matrix, with a place in it to which its name leads."""
        first, *more = matrices.matrix(block, inside(derived.title(block.title)))
        label = self.places.label(self.places.of_step(block.step))
        return [call("anchored", string(label), first) if label else first, *more]

    def ledger(self, block: d.Ledger) -> str:
        return tables.ledger(block, self.places)

    def table(self, block: d.Table) -> str:
        return tables.table(block, self.places)

    def items(self, block: d.Items) -> str:
        return call("bullets", "true" if block.counted else "false", *(self.blocks(entry) for entry in block.entries))

    def fold(self, block: d.Fold) -> str:
        return call("fold", words(block.title), self.blocks(block.blocks))

    def question(self, block: d.Question) -> str:
        question = spans(block.spans, self.places)
        return call(
            "question", optional_words(block.title), question, optional_words(block.label), self.blocks(block.answer)
        )

    def answers(self, block: d.Answers) -> str:
        return joined(call("blank", words(asked(field))) for field in block.unplaced)

    def note(self, block: d.Note) -> str:
        return call("note", string(block.tone), spans(block.spans, self.places))

    def program(self, block: d.Program) -> str:
        language = _LANGUAGE.match(block.language)
        source = "\n".join(_wrapped(line) for line in block.source.rstrip("\n").splitlines())
        shown = string(language[0]) if language else NONE
        return call("program", shown, string(source), title=optional_words(block.title))

    def terms(self, block: d.Terms) -> str:
        """The index: words, and the labels of the places where they are explained."""
        entries = []
        for term in block.entries:
            labels = [self.places.reference(place) for place in term.places]
            found = array(label_of(label) for label in labels if label)
            entries.append(f"({words(term.name)}, {found})")
        return call("terms-list", *entries)


def _stand_beside(block: d.Block, following: d.Block | None) -> bool:
    """Whether both are small matrices, or short formulas that need no reason."""
    if isinstance(block, d.Matrix) and isinstance(following, d.Matrix):
        return matrices.is_small(block) and matrices.is_small(following)
    return _is_short(block) and _is_short(following)


def _is_short(block: d.Block | None) -> bool:
    return isinstance(block, d.Formula) and not block.reason and 0 < len(block.math.text) <= SHORT


def _wrapped(line: str) -> str:
    """A line of a program that fits on the page; what does not fit goes on below, further in."""
    if len(line) <= COLUMNS:
        return line
    margin = line[: len(line) - len(line.lstrip())] + " " * BEHIND
    return "\n".join(
        textwrap.wrap(
            line, COLUMNS, subsequent_indent=margin[: COLUMNS // 2], break_on_hyphens=False, replace_whitespace=False,
            drop_whitespace=True,
        )
    )  # fmt: skip
