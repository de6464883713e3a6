"""Hand calculations and matrices as LaTeX formulas. Numbers keep their printed digits."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ...document import blocks as d
from ...document.monospace import place_text, shape_text, wrapped
from .words import escaped, in_formula

LINE_SIGNS = 72  # signs that fit on a line
MATRIX_POINTS = 440.0  # of a line, for a matrix
SIGN_POINTS = 5.6  # of a sign in a formula
GAP_POINTS = 10.0  # between two columns
FUNCTIONS = {"max", "min", "exp", "ln", "log", "tanh", "sin", "cos"}
_TOKEN = re.compile(
    r"(?P<number>(?<![\w.])-?\d+(?:[.,]\d+)*(?:e[+-]?\d+)?(?![\w.]))|(?P<name>[^\W\d][\w.]*)|(?P<rest>.)", re.DOTALL
)
_LETTER = re.compile(r"(d?)([^\W\d_])(\d*)")
_INDEXED = re.compile(r"(d?[^\W\d_])_(\w+)")


def derivation(block: d.Derivation) -> str:
    r"""left &= form \\ &= value, for all lines of a calculation."""
    room = LINE_SIGNS - max((len(d.plain_text(line.left)) for line in block.lines), default=0)
    rows = [row for line in block.lines for row in _rows(line, room)]
    return "\\begin{align*}\n" + " \\\\\n".join(rows) + "\n\\end{align*}"


def _rows(line: d.DerivedLine, room: int) -> Iterator[str]:
    """The rows of one line; `room` is how many signs fit after the longest name."""
    left, *forms = [d.plain_text(part) for part in (line.left, *line.forms)]
    if forms and forms[-1] == line.value.text:
        forms.pop()
    forms.append(line.value.text)
    if sum(len(form) + 3 for form in forms) <= room:
        yield f"{in_letters(left)} &= " + " = ".join(map(in_letters, forms))
        return
    for n, form in enumerate(forms):
        first, *more = wrapped(form, max(room, LINE_SIGNS // 2))
        yield f"{in_letters(left) if n == 0 else ''} &= {in_letters(first)}"
        for text in more:
            yield rf" &\quad {in_letters(text)}"


def in_letters(text: str) -> str:
    r"""A line of a calculation as a formula.

    >>> print(in_letters("weights[1] · W_Q[:,0] = e^(-2) / √(2) × 1e-07"))
    \mathrm{weights}[1] \cdot W_{Q}[:,0] = e^{-2} / \sqrt{2} \times \text{1e-07}
    """
    return "".join(_pieces(text)).strip()


def _pieces(text: str) -> Iterator[str]:
    at = 0
    while at < len(text):
        raised = text[at] == "^" or text[at] == "√"
        if raised and text[at + 1 : at + 2] == "(" and (end := _closing(text, at + 1)):
            command = "^" if text[at] == "^" else r"\sqrt"
            yield f"{command}{{{in_letters(text[at + 2 : end])}}}"
            at = end + 1
            continue
        found = _TOKEN.match(text, at)
        assert found is not None  # the last part takes any sign
        if raised and (power := _TOKEN.match(text, at + 1)) and text[at] == "^" and not power["rest"]:
            yield f"^{{{_piece(power, text)}}}"
            found = power
        else:
            yield _piece(found, text)
        at = found.end()


def _closing(text: str, start: int) -> int:
    """Where the bracket that opens here is closed; 0 if it is not."""
    depth = 0
    for n in range(start, len(text)):
        depth += (text[n] == "(") - (text[n] == ")")
        if depth == 0:
            return n
    return 0


def _piece(found: re.Match[str], text: str) -> str:
    if found["number"]:
        return number(found["number"])
    if found["name"]:
        before = text[: found.start()]
        apart = r"\ " if re.search(r"\w $", before) else ""
        return apart + name(found["name"])
    sign = found["rest"]
    if sign in " ()[]:,;=+-/*.'<>!":
        return sign
    command = in_formula(sign)
    return f"{command} " if command and not found.string.startswith(" ", found.end()) else command or _text(sign)


def number(text: str) -> str:
    r"""A printed number.

    >>> number("-0.5"), number("1e-07"), number("∞")
    ('-0.5', '\\text{1e-07}', '\\infty')
    """
    if re.fullmatch(r"-?[0-9]+(?:\.[0-9]+)?", text):
        return text
    return text.replace("∞", r"\infty") if "∞" in text else _text(text)


def name(text: str) -> str:
    r"""The name of a step or of an entry.

    >>> [name(text) for text in ("X", "s0", "dW_Q", "scores", "max", "head2.dW_Q_new")]
    ['X', 's_{0}', 'dW_{Q}', '\\mathrm{scores}', '\\max', '\\text{head2.dW\\_Q\\_new}']
    """
    if text in FUNCTIONS:
        return f"\\{text}"
    if found := _LETTER.fullmatch(text):
        letter = in_formula(found[2]) or found[2]
        return f"{found[1]}{letter}" + (f"_{{{found[3]}}}" if found[3] else "")
    if (found := _INDEXED.fullmatch(text)) and "_" not in found[2] and found[0].isascii():
        return f"{found[1]}_{{{found[2] if len(found[2]) == 1 else _text(found[2])}}}"
    return rf"\mathrm{{{text}}}" if text.isascii() and text.isalnum() else _text(text)


def _text(text: str) -> str:
    return rf"\text{{{escaped(text)}}}"


# -- matrices -----------------------------------------------------------------------------------------


def matrix(block: d.Matrix) -> str:
    """Each matrix as a formula of its own, the first with its name; a wide one in groups of columns."""
    shape = escaped(shape_text(block.axes, block.shape))
    shown = []
    for n, part in enumerate(block.slices):
        place = rf"\text{{{escaped(place_text(block.axes, part.index))}}}\colon\; " if part.index else ""
        left = f"{in_letters(block.title)} = " if block.title and n == 0 else ""
        shown += [f"\\[\n{left}{place}{grid}\n\\]" for grid in _grids(block, part)]
    return "\n".join([*([rf"\noindent{{\small {shape}}}"] if shape else []), *shown])


def _grids(block: d.Matrix, part: d.MatrixSlice) -> Iterator[str]:
    columns = [[row[n].text for row in part.rows] for n in range(len(part.rows[0]))]
    if part.column_labels:
        columns = [[head, *column] for head, column in zip(part.column_labels, columns, strict=True)]
    widths = [SIGN_POINTS * max(map(len, column)) + GAP_POINTS for column in columns]
    place = place_text(block.axes, part.index) if part.index else ""
    room = MATRIX_POINTS - SIGN_POINTS * (len(block.title) + len(place) + max(map(len, part.row_labels), default=0))
    for_places = SIGN_POINTS * (len(block.axes[-1]) + 10) if sum(widths) > room and block.axes else 0.0
    chunks = list(_chunks(widths, room - for_places))
    for first, last in chunks:
        columns_shown = "" if len(chunks) == 1 else rf"\text{{{escaped(block.axes[-1])} {first}..{last - 1}}}\colon\; "
        yield columns_shown + _grid(block, part, first, last)


def _grid(block: d.Matrix, part: d.MatrixSlice, first: int, last: int) -> str:
    rows = [[_entry(entry) for entry in row[first:last]] for row in part.rows]
    if not block.shape:
        return rows[0][0]
    heads = [_text(label) for label in part.column_labels[first:last]]
    if not heads and not part.row_labels:
        return _environment("bmatrix", "", rows)
    if part.row_labels:
        rows = [[_text(label), *row] for label, row in zip(part.row_labels, rows, strict=True)]
        heads = ["", *heads] if heads else []
    columns = ("r|" if part.row_labels else "") + "r" * (last - first)
    inside = _environment("array", f"{{{columns}}}", rows)
    return inside.replace("}\n", f"}}\n{' & '.join(heads)} \\\\\n\\hline\n", 1) if heads else inside


def _entry(entry: d.Number) -> str:
    return blank(f"{SIGN_POINTS * len(entry.text):.0f}pt") if entry.is_blank else number(entry.text)


def blank(wide: str) -> str:
    r"""A line to write on, and room above it.

    >>> blank("2cm")
    '\\underline{\\hspace{2cm}\\rule{0pt}{14pt}}'
    """
    return rf"\underline{{\hspace{{{wide}}}\rule{{0pt}}{{14pt}}}}"


def _environment(kind: str, options: str, rows: list[list[str]]) -> str:
    inside = " \\\\\n".join(" & ".join(row) for row in rows)
    return f"\\begin{{{kind}}}{options}\n{inside}\n\\end{{{kind}}}"


def _chunks(widths: list[float], room: float) -> Iterator[tuple[int, int]]:
    first, used = 0, 0.0
    for n, width in enumerate(widths):
        if n > first and used + width > room:
            yield first, n
            first, used = n, 0.0
        used += width
    yield first, len(widths)
