"""Documents as Markdown that GitHub sets and that a person can read as it is.

Formulas are LaTeX between dollars; matrices and hand calculations are monospaced blocks, as in a terminal.
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Mapping
from html import escape
from urllib.parse import quote

from rich.cells import cell_len

from ..document import blocks as d
from ..document.monospace import (
    answer_prompt,
    derived_rows,
    has_signs,
    in_signs_of,
    matrix_rows,
    place_text,
    shape_text,
)
from ..figures import figure_rows, remarks
from .by_kind import ByKind
from .extra_files import CHAPTER, ExtraFiles, chapters_of
from .navigation import anchors_within, contents_headings, top_level

WIDTH = 88  # columns of a monospaced block
MAX_HEADING_LEVEL = 6
LOOKS = {"plain": "", "strong": "**", "emphasis": "*", "code": "`"}


def to_markdown(document: d.Document, encoding: str = "utf-8", extra: ExtraFiles | None = None) -> str:
    r"""The whole document, in signs that the encoding has. Figures and the chapters of a book go into `extra` files;
    without these all is in one text, and figures are drawn in letters.

    >>> print(to_markdown(d.Document("softmax", (d.Text((d.Words("2 * 3 < x_1"),)),))), end="")
    # softmax
    <BLANKLINE>
    2 \* 3 < x_1
    """
    signs = "" if has_signs(encoding) else encoding
    anchors, lower = anchors_within(document), 2 - top_level(document)
    if extra is None or document.form != "book":
        page = MarkdownPage(signs, lower, anchors, extra)
        return _joined([*_beginning(document, page), *(page.block(block) for block in document.blocks)])
    chapters = chapters_of(document)
    files = {
        block.anchor: f"{name}.md"
        for name, blocks in chapters.items()
        for block in d.all_blocks(blocks)
        if isinstance(block, d.Heading)
    }
    pictures = ExtraFiles(".", extra.kind, extra.files)
    chapter_page = MarkdownPage(signs, 1 - CHAPTER, anchors, pictures, files)
    for name, blocks in chapters.items():
        extra.files[f"{name}.md"] = _joined(list(map(chapter_page.block, blocks))).encode(encoding, "replace")
    there = {anchor: f"{extra.folder}/{file}" for anchor, file in files.items()}
    return _joined(_beginning(document, MarkdownPage(signs, lower, anchors, extra, there)))


def _beginning(document: d.Document, page: MarkdownPage) -> list[str]:
    """The title, what is said below it, and the contents."""
    below = (document.subtitle, document.author, document.rights)
    return [heading(1, page.words(document.title)), *map(page.words, below), page.contents(contents_headings(document))]


def _joined(parts: list[str]) -> str:
    return "\n\n".join(part for part in parts if part) + "\n"


class MarkdownPage(ByKind):
    """The page of one document, block by block.

    `encoding` is that of a target without the signs of formulas; else it is empty. `lower` is by how many levels
    headings move down, so that the highest of them come right below the title, and `anchors` are the headings that have
    links to them. Pictures go into `extra` files; `files` says in which other file a heading is.
    """

    SUFFIX = ".md"  # of the file of another lesson

    def __init__(
        self,
        encoding: str,
        lower: int,
        anchors: frozenset[str] = frozenset(),
        extra: ExtraFiles | None = None,
        files: Mapping[str, str] | None = None,
    ) -> None:
        self.encoding = encoding
        self.lower = lower
        self.anchors = anchors
        self.extra = extra
        self.files = files or {}

    def plain(self, text: str) -> str:
        return in_signs_of(self.encoding, text) if self.encoding else text

    def words(self, text: str) -> str:
        return escaped(self.plain(text))

    def spans(self, spans: d.Spans) -> str:
        return "".join(self._span(span) for span in spans)

    def _span(self, span: d.Span) -> str:
        if isinstance(span, d.Math):
            return f"${math(self.plain(span.latex))}$"
        if isinstance(span, d.Reference):
            return self._reference(span)
        if isinstance(span, d.Link) or (isinstance(span, d.Words) and span.look == "code"):
            return code(self.plain(span.text))
        text = self.words(span.text)
        mark = LOOKS[span.look] if isinstance(span, d.Words) and text.strip() else ""
        inside = text.strip() if mark else text
        return text.replace(inside, f"{mark}{inside}{mark}") if mark else text

    def _reference(self, span: d.Reference) -> str:
        there = f"{span.lesson}{self.SUFFIX}" if span.lesson else ""
        if span.anchor and (there or span.anchor in self.anchors):
            there += self._place(span.anchor)
        target = span.address or there
        return f"[{self.words(span.text)}]({_address(target)})" if target else self.words(span.text)

    def contents(self, headings: list[d.Heading]) -> str:
        """The parts and chapters of a book, as links."""
        return "\n".join(
            f"{'  ' * (one.level - 1)}- [{self.words(one.text)}]({_address(self._place(one.anchor))})"
            if not self.files or one.anchor in self.files
            else f"{'  ' * (one.level - 1)}- {self.words(one.text)}"
            for one in headings
        )

    def _place(self, anchor: str) -> str:
        return f"{self.files.get(anchor, '')}#{anchor}"

    # -- one kind after the other -----------------------------------------------------------------

    def heading(self, block: d.Heading) -> str:
        text = heading(min(block.level + self.lower, MAX_HEADING_LEVEL), self.words(block.text))
        has_anchor = block.anchor and block.anchor in self.anchors
        return f'<a id="{escape(block.anchor)}"></a>\n\n{text}' if has_anchor else text

    def text(self, block: d.Text) -> str:
        return paragraph(self.spans(block.spans))

    def formula(self, block: d.Formula) -> str:
        number = rf" \tag{{{block.number}}}" if block.number else ""
        lines = f"$$\n{math(self.plain(block.math.latex))}{number}\n$$"
        return f"{lines}\n\n*{self.words(block.reason)}*" if block.reason else lines

    def matrix(self, block: d.Matrix) -> str:
        shape = self.plain(shape_text(block.axes, block.shape))
        rows = ["  ".join(part for part in (self.plain(block.title), shape) if part)]
        for part in block.slices:
            if part.index:
                rows.append(self.plain(place_text(block.axes, part.index)))
            rows += matrix_rows(block, part, WIDTH, self.plain)
        return self._with_note(fenced("\n".join(row for row in rows if row)), block.note)

    def derivation(self, block: d.Derivation) -> str:
        rows = [row for line in block.lines for row in derived_rows(line, WIDTH, self._in_letters)]
        return self._with_note(fenced("\n".join(rows)), block.note)

    def _in_letters(self, spans: d.Spans) -> str:
        """Spans within a monospaced block, as plain text."""
        letters = (span.ascii if isinstance(span, d.Math) and self.encoding else span.text for span in spans)
        return self.plain("".join(letters))

    def _with_note(self, lines: str, note: str) -> str:
        return f"{lines}\n\n{paragraph(self.words(note))}" if note else lines

    def figure(self, block: d.Figure) -> str:
        picture = self.extra.figure(block) if self.extra is not None else None
        if picture is not None:
            title = f"**{self.words(block.title)}**\n\n" if block.title else ""
            drawn = self._with_note(f"{title}![{self.words(block.alternative)}]({picture.path})", block.note)
        else:
            rows = [self.plain(block.title)] if block.title else []
            rows += figure_rows(block, WIDTH, not self.encoding, self.plain)
            drawn = self._with_note(fenced("\n".join(rows)), " ".join(remarks(block)))
        return f"{drawn}\n\n{paragraph(self.spans(block.caption))}" if block.caption else drawn

    def image(self, block: d.Image) -> str:
        source = self.image_source(block)
        words = self.words(block.alternative)
        shown = f"![{words}]({source})" if source else f"*[picture: {words}]*"
        return f"{shown}\n\n{paragraph(self.spans(block.caption))}" if block.caption else shown

    def image_source(self, block: d.Image) -> str:
        """Where a picture is: a file beside the page, if there is such a folder."""
        return self.extra.image(block).path if self.extra is not None else ""

    def ledger(self, block: d.Ledger) -> str:
        rows = []
        for row in block.rows:
            shape = self.words(shape_text(row.axes, row.shape) or "1")
            rows.append([code(self.plain(row.name)), self.words(row.op), _with_remark(shape, self.words(row.note))])
        lines = table([self.words(heading) for heading in block.headings], rows)
        return f"{paragraph(self.words(block.title))}\n\n{lines}" if block.title else lines

    def table(self, block: d.Table) -> str:
        rows = [[self.spans(cell) for cell in row] for row in block.rows]
        columns = zip(*block.rows, strict=True)
        numeric = [all(all(isinstance(span, d.Number) for span in cell) for cell in column) for column in columns]
        lines = table([self.words(heading) for heading in block.headings], rows, numeric)
        return f"{paragraph(self.words(block.title))}\n\n{lines}" if block.title else lines

    def items(self, block: d.Items) -> str:
        entries = []
        for n, entry in enumerate(block.entries, 1):
            mark = f"{n}. " if block.counted else "- "
            inside = "\n\n".join(self.block(part) for part in entry)
            entries.append(mark + textwrap.indent(inside, " " * len(mark)).lstrip())
        return "\n".join(entries)

    def fold(self, block: d.Fold) -> str:
        if block.summary:
            return paragraph(self.words(block.summary))
        parts = [f"**{self.words(block.title)}**", *(self.block(part) for part in block.blocks)]
        return "\n\n".join(part for part in parts if part)

    def question(self, block: d.Question) -> str:
        title = [f"**{self.words(block.title)}**"] if block.title else []
        answer = (quoted(self.block(part)) for part in block.answer)
        label = [f"*{self.words(block.label)}*"] if block.label else []
        return "\n\n".join([*title, paragraph(self.spans(block.spans)), *label, *answer])

    def answers(self, block: d.Answers) -> str:
        """A table that can be filled in with any editor, and read again."""
        label, question, answer = map(self.words, block.headings)
        if not any(field.question for field in block.fields):
            return table([label, answer], [[code(self.plain(field.label)), ""] for field in block.fields])
        rows = [[code(self.plain(field.label)), self._prompt(field), ""] for field in block.fields]
        return table([label, question, answer], rows)

    def _prompt(self, field: d.AnswerField) -> str:
        return self.words(answer_prompt(field).rstrip(":")) if field.question else ""

    def note(self, block: d.Note) -> str:
        return quoted(paragraph(self.spans(block.spans)))

    def program(self, block: d.Program) -> str:
        lines = fenced(self.plain(block.source).rstrip("\n"), block.language)
        return f"**{self.words(block.title)}**\n\n{lines}" if block.title else lines

    def terms(self, block: d.Terms) -> str:
        return "\n".join(f"- {self.words(term.name)}: {self._places(term)}" for term in block.entries)

    def _places(self, term: d.Term) -> str:
        return ", ".join(self._reference(place) for place in term.places)


# -- the pieces of Markdown --------------------------------------------------------------------------

_SPECIAL = re.compile(
    r"[\\`*~$]"  # everywhere
    r"|(?<![^\W_])_"  # within a word, as in W_Q, or behind it, an underscore is only itself
    r"|<(?=[A-Za-z/!?])|&(?=#?\w+;)"  # tags and entities
    r"|(?<=\])\(|\[(?=\^)"  # links and footnotes
)
_STARTS = re.compile(r"^(#{1,6}(?!\S)|[-+](?!\S)|>|[=-]+\s*$|\[(?=[^]]*\]:))", re.MULTILINE)
_NAMED = re.compile(r"\\`(\w+)\\`")
_COUNTED = re.compile(r"^(\d{1,9})([.)])(?!\S)", re.MULTILINE)


def escaped(text: str) -> str:
    r"""A text in which Markdown finds nothing to set; where a sign does no harm it stays as it is.

    >>> print(escaped("a*b, W_Q, _x, P[0][1], <b>, 3 < 4"))
    a\*b, W_Q, \_x, P[0][1], \<b>, 3 < 4

    The name of an input or a setting in a sentence is marked as such:

    >>> print(escaped("`keep` leaves it, a ` alone is a sign"))
    `keep` leaves it, a \` alone is a sign
    """
    return _NAMED.sub(r"`\1`", _SPECIAL.sub(r"\\\g<0>", text))


def heading(level: int, text: str) -> str:
    r"""
    >>> print(heading(2, "C #"))
    ## C \#
    """
    line = " ".join(text.split())
    return f"{'#' * level} " + re.sub(r"#+$", r"\\\g<0>", line)


def paragraph(text: str) -> str:
    r"""A text whose lines do not begin like a heading, a list or a quotation.

    >>> print(paragraph("- 1\n1. x"))
    \- 1
    1\. x
    """
    lines = "\n".join(line.strip() for line in text.splitlines() if line.strip())
    return _COUNTED.sub(r"\1\\\2", _STARTS.sub(r"\\\g<0>", lines))


def _address(target: str) -> str:
    """An address within brackets, where a bracket of its own would end it."""
    return quote(target, safe="/:?#=&%+,;@!$*'~-._")


def code(text: str) -> str:
    """
    >>> print(code("a`b"))
    ``a`b``
    """
    ticks = "`" * (_longest_run(text) + 1 if "`" in text else 1)
    inside = f" {text} " if text.startswith("`") or text.endswith("`") else text
    return f"{ticks}{inside}{ticks}"


def fenced(text: str, language: str = "text") -> str:
    """A block of monospaced text. Of the language only the word itself: a tick behind it would undo the fence.

    >>> print(fenced("x = 1", "c++ `title`"))
    ```c++
    x = 1
    ```
    """
    fence = "`" * max(3, _longest_run(text) + 1)
    word = re.match(r"[\w+-]*", language)[0]  # type: ignore[index]  # it always matches
    return f"{fence}{word}\n{text}\n{fence}"


def _longest_run(text: str) -> int:
    return max((len(run) for run in re.findall("`+", text)), default=0)


def quoted(text: str) -> str:
    return "\n".join(f"> {line}".rstrip() for line in text.split("\n"))


def table(headings: list[str], rows: list[list[str]], numeric: list[bool] | None = None) -> str:
    """A table with bars between its columns, all but the last one filled up to the same width."""
    cells = [[_cell(text) for text in row] for row in [headings, *rows]]
    last = len(headings) - 1
    widths = [0 if n == last else max(cell_len(row[n]) for row in cells) for n in range(len(headings))]
    right = numeric if numeric and rows else [False] * len(headings)
    rule = ["-" * (max(width, 3) - colon) + ":" * colon for width, colon in zip(widths, right, strict=True)]
    return "\n".join(_row(row, widths) for row in [cells[0], rule, *cells[1:]])


def _row(cells: list[str], widths: list[int]) -> str:
    filled = (text + " " * (width - cell_len(text)) for text, width in zip(cells, widths, strict=True))
    return f"| {' | '.join(filled)} |"


def _cell(text: str) -> str:
    return " ".join(text.split("\n")).replace("|", r"\|")


def _with_remark(text: str, remark: str) -> str:
    return f"{text} ({remark})" if remark else text


# Markdown may take a backslash before a sign for its own and < for a tag, and GitHub does so within formulas
# too; commands of letters pass unharmed. So does an underscore after a letter; after a bracket it needs a space.
_SAFE = {
    r"\,": r"\thinspace",
    r"\;": r"\thickspace",
    r"\{": r"\lbrace",
    r"\}": r"\rbrace",
    r"\|": r"\Vert",
    r"\\": r"\cr",
    "|": r"\vert",
    "<": r"\lt",
    ">": r"\gt",
}
_UNSAFE = re.compile(r"(\\[,;{}|\\]|[|<>])\s*")
_NAME = re.compile(r"\\mathrm\{((?:[^{}\\]|\\_)*\\_(?:[^{}\\^]|\\_)*)((?:\^\\top)?)\}")


def math(latex: str) -> str:
    r"""LaTeX that Markdown leaves alone.

    >>> print(math(r"\mathrm{W\_Q}_i \, \hat{x}_i < |y|"))
    \text{W\_Q}_ i \thinspace \hat{x}_ i \lt \vert y\vert
    """
    # Within \text, an underscore is right with its backslash and without it.
    latex = _NAME.sub(lambda found: _name(found[1], found[2]), latex)
    latex = _UNSAFE.sub(lambda found: f"{_SAFE[found[1]]} ", latex).rstrip()
    return re.sub(r"(?<=[^A-Za-z0-9\\])_(?=\S)", "_ ", latex)


def _name(text: str, top: str) -> str:
    return rf"{{\text{{{text}}}{top}}}" if top else rf"\text{{{text}}}"
