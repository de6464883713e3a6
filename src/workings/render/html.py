"""Documents as one HTML file that works offline, on a screen of any width and on paper.

The class of an element is the kind of block or span that it comes from. Everything else that makes the page, such as
its style, is in `page/`. Every text of a document is escaped: see page/tags.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from rich.cells import cell_len

from ..document import blocks as d
from ..document.monospace import place_text, shape_text
from ..document.numbers import aligned
from ..figures import figure_rows
from .by_kind import ByKind
from .navigation import address_of, anchors_within, contents_headings, top_level
from .page.inlined import drawn
from .page.parts import (
    address_sign,
    answer_bar,
    blank_field,
    contents_list,
    hidden_answer,
    highlighted,
    index_text,
    labeled_field,
    math,
    monospaced,
    number,
    scrolling,
)
from .page.shell import whole_page
from .page.tags import Markup, element, markup, tag

PLOT_COLUMNS = 80  # of a plot in monospaced text
LETTER_WIDTH = 0.7  # of a letter above a column, if a digit in it is 1 wide
MAX_HEADING_LEVEL = 6
TOP = 2  # the level of headings in the contents; the title is 1


def to_html(document: d.Document) -> str:
    """The whole document as one file.

    >>> page = to_html(d.Document("softmax", (d.Text((d.Words("2 < 3"),)),)))
    >>> "<h1>softmax</h1>" in page, '<p class="text">2 &lt; 3</p>' in page
    (True, True)
    """
    return whole_page(document.title, *contents_and_main(document), has_answers=bool(document.sheet))


def contents_and_main(document: d.Document, drawings: Sequence[str] | None = None) -> tuple[Markup, Markup]:
    """The two parts of a page: the list of its headings, and its content. `drawings` are its figures where they are
    already drawn: one SVG for each, in order.
    """
    blocks = list(d.all_blocks(document.blocks))
    steps = {block.step for block in blocks if isinstance(block, d.Matrix)}
    fields = [field for block in blocks if isinstance(block, d.Answers) for field in block.fields]
    page = HtmlPage(TOP - top_level(document), steps, anchors_within(document), fields, drawings)
    below = (("subtitle", document.subtitle), ("author", document.author), ("rights", document.rights))
    main = markup(
        tag.h1(document.title),
        "\n",
        *(tag.p(text, class_=name) for name, text in below if text),
        tag.div(page.blocks(document.blocks), class_=document.form),
        answer_bar(document.sheet) if document.sheet else "",
    )
    return page.contents(contents_headings(document)), main


def blocks_html(blocks: tuple[d.Block, ...]) -> Markup:
    """Some blocks for a page that is not ours.

    >>> blocks_html((d.Text((d.Words("2 < 3"),)),))
    '<p class="text">2 &lt; 3</p>'
    """
    return HtmlPage(0, set(), frozenset()).blocks(blocks)


class HtmlPage(ByKind):
    """The page of one document, block by block.

    `lower` is by how many levels headings move down, so that the highest of them come right below the title. `steps`
    are those whose value is on the page, so that their names can link to it; `anchors` are the headings that can be
    linked to. `fields` are the blanks to fill in.
    """

    def __init__(
        self,
        lower: int,
        steps: set[str],
        anchors: frozenset[str],
        fields: Iterable[d.AnswerField] = (),
        drawings: Sequence[str] | None = None,
    ) -> None:
        self.lower = lower
        self.steps = steps
        self.anchors = anchors
        self.fields = {(field.step, field.index): field for field in fields if field.placed}
        self.ids: set[str] = set()
        self.pictures = 0
        self.drawings = drawings
        self.top: list[tuple[str, str]] = []  # the headings in the contents: id, text

    def blocks(self, blocks: tuple[d.Block, ...]) -> Markup:
        return Markup("\n".join(self.block(block) for block in blocks))

    def contents(self, of_book: list[d.Heading]) -> Markup:
        """The highest headings of the page; of a book, the parts and chapters."""
        headings: list[tuple[str, str, int | None]] = [(one.anchor, one.text, one.level) for one in of_book]
        headings = headings or [(anchor, text, None) for anchor, text in self.top]
        entries = [tag.li(tag.a(text, href=f"#{anchor}"), data_level=level) for anchor, text, level in headings]
        return contents_list(entries) if len(entries) > 1 else Markup()

    # -- spans ------------------------------------------------------------------------------------

    def spans(self, spans: d.Spans) -> Markup:
        return markup(*(self._span(span) for span in spans))

    def _span(self, span: d.Span) -> Markup:
        if isinstance(span, d.Number):
            return number(span)
        if isinstance(span, d.Math):
            return math(span)
        if isinstance(span, d.Link):
            return self._step(span.text, span.step)
        if isinstance(span, d.Reference):
            address = address_of(span, self.anchors)
            return tag.a(span.text, class_=span.kind, href=address) if address else markup(span.text)
        looks = {"strong": tag.strong, "emphasis": tag.em, "code": tag.code}
        return looks[span.look](span.text) if span.look in looks else words(span.text)

    def _step(self, name: str, step: str) -> Markup:
        """The name of a step, linked to its value if that is on the page."""
        there = f"#{_step_id(step)}" if step in self.steps else None
        code = tag.code(name, class_=d.Link.kind, data_step=step)
        return tag.a(code, href=there) if there else code

    def _new_id(self, wanted: str) -> str:
        """An id that is not there yet."""
        base = re.sub(r"[^\w.-]+", "-", wanted).strip("-") or "_"
        free, n = base, 1
        while free in self.ids:
            n += 1
            free = f"{base}-{n}"
        self.ids.add(free)
        return free

    # -- one kind after the other -----------------------------------------------------------------

    def heading(self, block: d.Heading) -> Markup:
        level = min(block.level + self.lower, MAX_HEADING_LEVEL)
        anchor = self._new_id(block.anchor or block.text.lower())
        if level == TOP:
            self.top.append((anchor, block.text))
        return element(f"h{level}", words(block.text), " ", address_sign(anchor), id=anchor)

    def text(self, block: d.Text) -> Markup:
        return tag.p(self.spans(block.spans), class_=block.kind)

    def formula(self, block: d.Formula) -> Markup:
        reason = tag.figcaption(words(block.reason)) if block.reason else ""
        number = tag.span(f"({block.number})", class_="equation-number") if block.number else ""
        return tag.figure(scrolling(math(block.math)), number, reason, class_=block.kind)

    def matrix(self, block: d.Matrix) -> Markup:
        shape = shape_text(block.axes, block.shape)
        name = markup(tag.b(block.title), " ") if block.title else ""
        caption = tag.figcaption(name, tag.small(shape)) if name or shape else ""
        slices = [self._slice(block, part) for part in block.slices]
        anchor = _step_id(block.step)
        first = anchor not in self.ids
        self.ids.add(anchor)
        return tag.figure(caption, *slices, _remark(block.note), class_=block.kind, id=anchor if first else None)

    def _slice(self, block: d.Matrix, part: d.MatrixSlice) -> Markup:
        place = tag.p(place_text(block.axes, part.index)) if part.index else ""
        texts = [["" if entry.is_blank else entry.text for entry in row] for row in part.rows]
        columns = [aligned([row[n] for row in texts]) for n in range(len(part.rows[0]))]
        above = part.column_labels or ("",) * len(columns)
        corner = [tag.td()] if part.row_labels else []
        heads = [tag.th(label) for label in part.column_labels]
        head = tag.thead(tag.tr(*corner, *heads)) if heads else ""
        rows = []
        for n, row in enumerate(part.rows):
            label = [tag.th(part.row_labels[n], scope="row")] if part.row_labels else []
            cells = [
                tag.td(self._blank(entry)) if entry.is_blank else _cell(entry, column[n], word)
                for entry, column, word in zip(row, columns, above, strict=True)
            ]
            rows.append(tag.tr(*label, *cells))
        table = tag.table(head, tag.tbody(*rows), data_single=not block.shape)
        return tag.div(place, scrolling(table), class_=part.kind)

    def _blank(self, entry: d.Number) -> Markup:
        """The field of an entry, in its place in the matrix; a line if there is no field for it."""
        field = self.fields.get((entry.step, entry.index))
        return number(entry) if field is None else blank_field(field)

    def derivation(self, block: d.Derivation) -> Markup:
        lines = [self._line(line) for line in block.lines]
        inside = markup(tag.div(*lines), _remark(block.note))
        return tag.figure(inside, class_=block.kind, data_step=block.step, data_index=index_text(block.index))

    def _line(self, line: d.DerivedLine) -> Markup:
        forms = list(line.forms)
        if forms and d.plain_text(forms[-1]) == line.value.text:
            forms.pop()
        steps = [tag.span("= ", self.spans(form)) for form in forms]
        result = tag.span("= ", number(line.value, "b"))
        right = [markup(step, " ") for step in steps]
        return tag.div(tag.span(self.spans(line.left)), " ", tag.span(*right, result), class_=line.kind)

    def figure(self, block: d.Figure) -> Markup:
        self.pictures += 1
        svg = self._drawn(block)
        title = tag.p(tag.b(block.title), class_="title") if block.title else ""
        said = [_remark(block.note), tag.figcaption(self.spans(block.caption)) if block.caption else ""]
        if svg:
            return tag.figure(title, scrolling(svg), *said, class_=block.kind)
        plot = scrolling(monospaced(figure_rows(block, PLOT_COLUMNS)))
        return tag.figure(title, plot, tag.p(words(block.alternative)), *said, class_=block.kind)

    def _drawn(self, block: d.Figure) -> Markup | None:
        if self.drawings is not None:
            return Markup(self.drawings[self.pictures - 1])
        return drawn(block, f"f{self.pictures}-")

    def image(self, block: d.Image) -> Markup:
        caption = tag.figcaption(self.spans(block.caption)) if block.caption else ""
        return tag.figure(tag.img(src=block.source, alt=block.alternative), caption, class_=block.kind)

    def ledger(self, block: d.Ledger) -> Markup:
        rows = []
        for row in block.rows:
            shape = markup(
                shape_text(row.axes, row.shape) or "1", *((" ", tag.small(words(row.note))) if row.note else ())
            )
            rows.append(tag.tr(tag.td(self._step(row.name, row.step)), tag.td(row.op), tag.td(shape)))
        head = tag.thead(tag.tr(*(tag.th(words(heading)) for heading in block.headings)))
        caption = tag.caption(words(block.title)) if block.title else ""
        return tag.div(scrolling(tag.table(caption, head, tag.tbody(*rows))), class_=block.kind)

    def table(self, block: d.Table) -> Markup:
        columns = list(zip(*block.rows, strict=True)) or [()] * len(block.headings)
        numeric = [all(isinstance(span, d.Number) for cell in column for span in cell) for column in columns]
        cells = [
            [tag.td(self.spans(cell), data_number=right) for cell, right in zip(row, numeric, strict=True)]
            for row in block.rows
        ]
        heads = [tag.th(words(text), data_number=right) for text, right in zip(block.headings, numeric, strict=True)]
        caption = tag.caption(words(block.title)) if block.title else ""
        whole = tag.table(caption, tag.thead(tag.tr(*heads)), tag.tbody(*(tag.tr(*row) for row in cells)))
        return tag.div(scrolling(whole), class_=block.kind)

    def items(self, block: d.Items) -> Markup:
        entries = [tag.li(self.blocks(entry)) for entry in block.entries]
        return (tag.ol if block.counted else tag.ul)(*entries, class_=block.kind)

    def fold(self, block: d.Fold) -> Markup:
        return tag.details(
            tag.summary(words(block.title)), self.blocks(block.blocks), class_=block.kind, open=block.is_open
        )

    def question(self, block: d.Question) -> Markup:
        title = tag.p(tag.strong(words(block.title))) if block.title else ""
        answer = hidden_answer(words(block.label), self.blocks(block.answer)) if block.answer else ""
        return tag.section(title, tag.p(self.spans(block.spans)), answer, class_=block.kind)

    def answers(self, block: d.Answers) -> Markup:
        """The blanks outside of matrices; those inside have their field there."""
        fields = [tag.p(labeled_field(field), class_=field.kind) for field in block.unplaced]
        return tag.div(*fields, class_=block.kind)

    def note(self, block: d.Note) -> Markup:
        kind = f"{block.kind} {block.tone}"
        return tag.aside(tag.p(self.spans(block.spans)), class_=kind, data_mistake=block.mistake or None)

    def program(self, block: d.Program) -> Markup:
        title = tag.figcaption(words(block.title)) if block.title else ""
        code = scrolling(tag.pre(tag.code(highlighted(block.source.rstrip("\n"), block.language))))
        return tag.figure(title, code, class_=block.kind)

    def terms(self, block: d.Terms) -> Markup:
        entries = [tag.li(markup(term.name), " ", self._places(term)) for term in block.entries]
        return tag.ul(*entries, class_=block.kind)

    def _places(self, term: d.Term) -> Markup:
        return Markup(", ".join(self._span(place) for place in term.places))


_NAMED = re.compile(r"`([^`]+)`")


def words(text: str) -> Markup:
    """A text, in which a name or a command between two ticks is marked as such.

    >>> words("`keep` leaves it, a ` alone is a sign")
    '<code>keep</code> leaves it, a ` alone is a sign'
    """
    return markup(*(tag.code(piece) if n % 2 else piece for n, piece in enumerate(_NAMED.split(text))))


def _remark(note: str) -> Markup | str:
    return tag.footer(words(note)) if note else ""


def _step_id(step: str) -> str:
    return re.sub(r"[^\w.-]+", "-", f"s-{step}")


def _cell(entry: d.Number, in_column: str, above: str) -> Markup:
    """An entry of a matrix, moved to the left by as many digits as others in its column have behind the point, and with
    all of them to the middle below a word that is wider.
    """
    missing = len(in_column) - len(in_column.rstrip())
    wider = max(cell_len(above) * LETTER_WIDTH - len(in_column), 0)
    pad = missing + wider / 2
    return tag.td(number(entry), style=f"--pad:{pad:.3g}" if pad else None)
