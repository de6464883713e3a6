"""Documents as LaTeX that any TeX sets: amsmath for formulas, booktabs for tables, hyperref for links.

Figures are pictures beside the file, which graphicx includes; without such a folder they are drawn in letters. A
document that is a part, such as one step, has no preamble: an author puts it into a text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from urllib.parse import quote

from ...document import blocks as d
from ...document.monospace import answer_prompt, shape_text
from ...figures import figure_rows, remarks
from ..by_kind import ByKind
from ..extra_files import CHAPTER, ExtraFiles, chapters_of
from ..navigation import address_of, anchors_within, top_level
from .calculation import blank, derivation, in_letters, matrix
from .calculation import number as number_in_formula
from .tables import apart, columns_for
from .tables import table as table_of
from .words import code, escaped, formula, in_latin, in_plain_signs, verbatim, words

PACKAGES = r"\usepackage{amsmath, booktabs, graphicx}"
PREAMBLE = rf"""\documentclass[11pt]{{article}}
\usepackage[T1]{{fontenc}}
\usepackage[utf8]{{inputenc}}
{PACKAGES}
\usepackage[hidelinks]{{hyperref}}
\setlength{{\oddsidemargin}}{{0pt}}
\setlength{{\textwidth}}{{468pt}}
\setlength{{\topmargin}}{{-36pt}}
\setlength{{\textheight}}{{648pt}}
\setlength{{\parindent}}{{0pt}}
\setlength{{\parskip}}{{6pt}}
\setlength{{\emergencystretch}}{{3em}}
\allowdisplaybreaks"""
LINE_WIDTH = 468.0  # points
SECTIONS = ("section*", "subsection*", "subsubsection*", "paragraph*")
LOOKS = {"strong": "textbf", "emphasis": "emph"}
FIGURE_COLUMNS = 80  # of a figure in letters
# How many monospaced signs fit on a line, by the size of the letters.
SIZES = {98: r"\footnotesize", 109: r"\scriptsize", 125: r"\fontsize{7}{8.4}\selectfont"}
MAX_FORMULA_SIGNS = 76  # a longer formula may be wider than the page
SMALLEST = r"\tiny"
MATRIX = re.compile(r"d?[A-Z](?:_\w+)?(?:\[-?\d+\])*")  # a name that is a formula: W_Q, dW_V[0][1]


@dataclass(frozen=True)
class Typeset:
    """The text of a .tex file, and the signs that it replaces by a question mark."""

    text: str
    lacking: tuple[str, ...] = ()

    @property
    def remark(self) -> str:
        """What a user should know about it, if anything."""
        signs = " ".join(self.lacking)
        return f"The LaTeX has a question mark for signs that pdflatex lacks: {signs}." if signs else ""


def typeset(document: d.Document, extra: ExtraFiles | None = None) -> Typeset:
    """The whole document, and the signs that LaTeX lacks for it. Pictures and chapters of a book go into `extra` files.

    >>> typeset(d.Document("日", (), form="part")).lacking, typeset(d.Document("日", ())).lacking
    ((), ('日',))
    """
    text, lacking = in_latin(_whole(document, extra))
    files = {} if extra is None else extra.files
    for name, content in files.items():
        if name.endswith(".tex"):
            chapter, also = in_latin(content.decode())
            files[name] = chapter.encode()
            lacking = tuple(dict.fromkeys((*lacking, *also)))
    return Typeset(text, lacking)


def to_tex(document: d.Document) -> str:
    r"""The whole document as the text of a .tex file.

    >>> print(to_tex(d.Document("x", (d.Text((d.Words("50 %"),)),), form="part")), end="")
    % \usepackage{amsmath, booktabs, graphicx}
    <BLANKLINE>
    50 \%
    """
    return typeset(document).text


def _whole(document: d.Document, extra: ExtraFiles | None) -> str:
    page = TexPage(1 - top_level(document), anchors_within(document), extra)
    if extra is not None and document.form == "book":
        body = list(_chapters(document, page, extra))
    else:
        body = [page.block(block) for block in document.blocks]
    if document.form == "part":
        return "\n\n".join([f"% {PACKAGES}", *filter(None, body)]) + "\n"
    title = [rf"\title{{{words(document.title)}}}", rf"\author{{{words(document.author)}}}", r"\date{}"]
    begin = [PREAMBLE, *title, r"\begin{document}", r"\maketitle"]
    return (
        "\n\n".join(["\n".join(begin), words(document.subtitle), words(document.rights), *body, r"\end{document}"])
        + "\n"
    )


def _chapters(document: d.Document, page: TexPage, extra: ExtraFiles) -> Iterator[str]:
    r"""Each chapter becomes a file, which \input puts in its place; parts stay between them."""
    chapters = chapters_of(document)
    names = {blocks[0]: name for name, blocks in chapters.items()}
    inside = False
    for block in document.blocks:
        if isinstance(block, d.Heading) and block.level <= CHAPTER:
            inside = block.level == CHAPTER
            if inside:
                name = names[block]
                text = "\n\n".join(map(page.block, chapters[name]))
                extra.files[f"{name}.tex"] = f"{text}\n".encode()
                yield rf"\clearpage\input{{{extra.folder}/{name}.tex}}"
        if not inside:
            yield page.block(block)


class TexPage(ByKind):
    """The page of one document, block by block. Pictures go into `extra` files."""

    def __init__(self, lower: int, anchors: frozenset[str], extra: ExtraFiles | None = None) -> None:
        self.lower = lower
        self.anchors = anchors
        self.extra = extra

    def blocks(self, blocks: tuple[d.Block, ...]) -> str:
        return "\n\n".join(self.block(block) for block in blocks)

    def spans(self, spans: d.Spans) -> str:
        return "".join(self._span(span) for span in spans)

    def _span(self, span: d.Span) -> str:
        if isinstance(span, d.Math):
            return f"${formula(span.latex)}$"
        if isinstance(span, d.Number):
            return f"${number_in_formula(span.text)}$"
        if isinstance(span, d.Reference):
            return self._reference(span)
        if isinstance(span, d.Link) and MATRIX.fullmatch(span.text):
            return f"${in_letters(span.text)}$"
        if isinstance(span, d.Link) or span.look == "code":
            return code(span.text)
        return rf"\{LOOKS[span.look]}{{{escaped(span.text)}}}" if span.look in LOOKS else words(span.text)

    def _reference(self, span: d.Reference) -> str:
        text = words(span.text)
        if span.anchor in self.anchors and span.anchor and not span.lesson:
            return rf"\hyperlink{{{_target(span.anchor)}}}{{{text}}}"
        address = address_of(d.Reference("", address=span.address)) if span.address else ""
        return rf"\href{{{_address(address)}}}{{{text}}}" if address else text

    # -- one kind after the other -----------------------------------------------------------------

    def heading(self, block: d.Heading) -> str:
        section = SECTIONS[min(block.level + self.lower, len(SECTIONS)) - 1]
        target = rf"\hypertarget{{{_target(block.anchor)}}}{{}}" if block.anchor in self.anchors else ""
        return rf"\{section}{{{words(block.text)}}}{target}"

    def text(self, block: d.Text) -> str:
        return self.spans(block.spans)

    def matrix(self, block: d.Matrix) -> str:
        return _with_note(matrix(block), block.note)

    def derivation(self, block: d.Derivation) -> str:
        return _with_note(derivation(block), block.note)

    def answers(self, block: d.Answers) -> str:
        return "\n\n".join(rf"{words(answer_prompt(field))} {blank('3cm')}" for field in block.unplaced)

    def note(self, block: d.Note) -> str:
        return _environment("quote", self.spans(block.spans))

    def formula(self, block: d.Formula) -> str:
        parts = _parts(block.math.latex) if len(block.math.text) > MAX_FORMULA_SIGNS else [block.math.latex]
        number = rf" \tag{{{block.number}}}" if block.number else ""
        lines = f"\\[\n{formula(parts[0])}{number}\n\\]"
        if len(parts) > 1:
            lines = _environment("gather*", ", \\\\\n".join(map(formula, parts)) + number)
        return f"{lines}\n{{\\small {words(block.reason)}}}" if block.reason else lines

    def figure(self, block: d.Figure) -> str:
        title = [rf"\textbf{{{words(block.title)}}}"] if block.title else []
        caption = [rf"\emph{{{self.spans(block.caption)}}}"] if block.caption else []
        picture = self.extra.figure(block) if self.extra is not None else None
        if picture is not None:
            width = r"[width=\linewidth]" if picture.width > LINE_WIDTH else ""
            drawn = _with_note(rf"\includegraphics{width}{{{picture.path}}}", block.note)
        else:
            rows = figure_rows(block, FIGURE_COLUMNS, False, in_plain_signs)
            letters = f"{{\\footnotesize\n{verbatim(chr(10).join(rows))}\n}}"
            drawn = _with_note(letters, " ".join(remarks(block)))
        return "\n\n".join([*title, drawn, *caption])

    def image(self, block: d.Image) -> str:
        if self.extra is None:
            shown = rf"\emph{{[picture: {words(block.alternative)}]}}"
        else:
            picture = self.extra.image(block)
            shown = rf"\includegraphics[width=0.8\linewidth]{{{picture.path}}}"
        return f"{shown}\n\n\\emph{{{self.spans(block.caption)}}}" if block.caption else shown

    def ledger(self, block: d.Ledger) -> str:
        rows = []
        for row in block.rows:
            shape = words(shape_text(row.axes, row.shape) or "1")
            rows.append([code(row.name), words(row.op), f"{shape} ({words(row.note)})" if row.note else shape])
        plain = [[row.name, row.op, f"{shape_text(row.axes, row.shape)} ({row.note})"] for row in block.rows]
        lines = table_of([words(text) for text in block.headings], rows, columns_for([block.headings, *plain], set()))
        return f"{words(block.title)}\n\n{lines}" if block.title else lines

    def table(self, block: d.Table) -> str:
        rows = [[self.spans(cell) for cell in row] for row in block.rows]
        plain = [list(block.headings), *([d.plain_text(cell) for cell in row] for row in block.rows)]
        columns = zip(*block.rows, strict=True)
        numeric = {
            n for n, column in enumerate(columns) if all(isinstance(span, d.Number) for cell in column for span in cell)
        }
        lines = table_of([words(text) for text in block.headings], rows, columns_for(plain, numeric))
        return f"{words(block.title)}\n\n{lines}" if block.title else lines

    def items(self, block: d.Items) -> str:
        entries = "\n".join(rf"\item {apart(self.blocks(entry))}" for entry in block.entries)
        return _environment("enumerate" if block.counted else "itemize", entries) if entries else ""

    def fold(self, block: d.Fold) -> str:
        if block.summary:
            return rf"\emph{{{words(block.summary)}}}"
        return f"\\textbf{{{words(block.title)}}}\n\n{self.blocks(block.blocks)}"

    def question(self, block: d.Question) -> str:
        title = [rf"\textbf{{{words(block.title)}}}"] if block.title else []
        label = [rf"\emph{{{words(block.label)}}}"] if block.label else []
        return "\n\n".join([*title, self.spans(block.spans), *label, self.blocks(block.answer)])

    def program(self, block: d.Program) -> str:
        title = [rf"\textbf{{{words(block.title)}}}"] if block.title else []
        source = block.source.rstrip("\n").expandtabs(4)
        longest = max(map(len, source.split("\n")))
        size = next((size for signs, size in SIZES.items() if longest <= signs), SMALLEST)
        return "\n\n".join([*title, f"{{{size}\n{verbatim(source)}\n}}"])

    def terms(self, block: d.Terms) -> str:
        entries = [
            rf"\item {apart(words(term.name))}: {', '.join(map(self._span, term.places))}" for term in block.entries
        ]
        return _environment("itemize", "\n".join(entries)) if entries else ""


def _parts(latex: str) -> list[str]:
    """The parts of a formula that are separated by a comma and a wide space, unless the comma is inside braces."""
    parts = latex.split(r", \quad ")
    return [latex] if any(part.count("{") != part.count("}") for part in parts) else parts


def _with_note(lines: str, note: str) -> str:
    return f"{lines}\n\n{{\\small {words(note)}}}" if note else lines


def _environment(name: str, inside: str) -> str:
    return f"\\begin{{{name}}}\n{inside}\n\\end{{{name}}}"


def _target(anchor: str) -> str:
    return re.sub(r"[^\w.-]", "-", anchor).replace("_", "-")


def _address(address: str) -> str:
    r"""An address as hyperref takes it: % and # need a backslash."""
    return re.sub(r"([%#])", r"\\\1", quote(address, safe="/:?#=&%+,;@!*'()-._"))
