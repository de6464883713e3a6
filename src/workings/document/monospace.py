"""Monospaced text: the layout of matrices and hand calculations in a terminal, in Markdown and in code blocks.

`plain` turns a text into signs that the target has; where it has all of them, it is `str`.
"""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Iterator
from typing import TypeAlias

from rich.cells import cell_len

from ..formula.writers import in_ascii
from . import blocks as d
from .numbers import aligned

ASCII = {
    "×": "*", "÷": "/", "±": "+-", "·": ".", "−": "-", "√": "sqrt", "Σ": "sum", "ᵀ": "^T", "≤": "<=", "≥": ">=",
    "≠": "!=", "≈": "~", "→": "->", "…": "...", "—": "-", "–": "-", "’": "'", "“": '"', "”": '"', "²": "^2",
    "│": "|", "∞": "inf", "␣": "_", "⟨": "<", "⟩": ">",
}  # fmt: skip
FORMULA_SIGNS = "√ᵀΣᵢ−×═┄⣿"  # a target that lacks one of them gets ASCII

BLANK = "_" * 12  # a line to write on

Plain: TypeAlias = Callable[[str], str]

shape_text = d.shape_text


def has_signs(encoding: str, signs: str = FORMULA_SIGNS) -> bool:
    """Whether an encoding has all of these signs.

    >>> has_signs("utf-8"), has_signs("cp1252")
    (True, False)
    """
    try:
        signs.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def in_signs_of(encoding: str, text: str) -> str:
    """The text in signs that an encoding has, in ASCII where it must be.

    >>> in_signs_of("ascii", "Q × Kᵀ")
    'Q * K^T'
    """
    for sign, instead in ASCII.items():
        text = text.replace(sign, instead)
    return "".join(sign if has_signs(encoding, sign) else in_ascii(sign) for sign in text)


# -- matrices ---------------------------------------------------------------------------------------


def place_text(axes: tuple[str, ...], index: d.Index) -> str:
    """Which of several matrices: batch[0] head[1], or [0,1,:,:] where the axes have no words."""
    if all(axes[: len(index)]):
        return " ".join(f"{word}[{place}]" for word, place in zip(axes, index, strict=False))
    return f"[{','.join(str(place) for place in index)},:,:]"


def matrix_rows(block: d.Matrix, part: d.MatrixSlice, width: int, plain: Plain = str) -> Iterator[str]:
    """The rows of one matrix, number under number; of a wide one, some columns after the other."""
    columns = [_column([row[n] for row in part.rows], plain) for n in range(len(part.rows[0]))]
    heads = [plain(label) for label in part.column_labels]
    if heads:
        wide = [max(len(head), len(column[0])) for head, column in zip(heads, columns, strict=True)]
        columns = [[text.rjust(w) for text in column] for w, column in zip(wide, columns, strict=True)]
    labels = [f"{plain(label)} " for label in part.row_labels] or [""] * len(part.rows)
    margin = max(cell_len(label) for label in labels)
    for first, last in _chunks([len(column[0]) for column in columns], width - margin - 4):
        if (first, last) != (0, len(columns)):
            places = f"{first}..{last - 1}"
            yield f"{plain(block.axes[-1])} {places}" if block.axes[-1] else f"[:,{places}]"
        if heads:
            shown = "  ".join(head.rjust(len(columns[n + first][0])) for n, head in enumerate(heads[first:last]))
            yield f"{'':{margin}}  {shown}"
        for n, label in enumerate(labels):
            numbers = "  ".join(column[n] for column in columns[first:last])
            yield f"{label:{margin}}[ {numbers} ]" if block.shape else numbers


def _column(entries: list[d.Number], plain: Plain) -> list[str]:
    """Number under number; a blank is a line as long as the column is wide."""
    numbers = iter(aligned([plain(entry.text) for entry in entries if not entry.is_blank]))
    texts = [entry.text if entry.is_blank else next(numbers) for entry in entries]
    wide = max(map(len, texts))
    return [text[:1] * wide if entry.is_blank else text.rjust(wide) for text, entry in zip(texts, entries, strict=True)]


def _chunks(widths: list[int], room: int) -> Iterator[tuple[int, int]]:
    """Which columns fit on a line, as ranges."""
    first, used = 0, 0
    for n, width in enumerate(widths):
        if n > first and used + width > room:
            yield first, n
            first, used = n, 0
        used += width + 2
    yield first, len(widths)


def answer_prompt(field: d.AnswerField) -> str:
    """The text before a blank that is in no matrix: `y[0] =`, or a question with its choices."""
    if not field.question:
        return f"{field.label} ="
    return f"{field.question} ({', '.join(field.choices)}):" if field.choices else f"{field.question}:"


# -- hand calculations ------------------------------------------------------------------------------


def derived_rows(line: d.DerivedLine, width: int, text_of: Callable[[d.Spans], str] = d.plain_text) -> list[str]:
    """left = form = form = value; a line that is too long goes on below, under its equals sign."""
    left = text_of(line.left)
    forms, value = [text_of(form) for form in line.forms], text_of((line.value,))
    if forms and forms[-1] == value:
        forms.pop()
    whole = " = ".join([left, *forms, value])
    if cell_len(whole) <= width:
        return [whole]
    margin = cell_len(left) if cell_len(left) <= min(22, width // 2 - 5) else 2
    rows = [] if margin == cell_len(left) else [left]
    for n, form in enumerate(forms):
        first, *more = wrapped(form, width - margin - 3)
        rows.append(f"{left if n == 0 and not rows else ' ' * margin} = {first}")
        rows += [f"{' ' * margin}   {text}" for text in more]
    return [*rows, f"{' ' * margin} = {value}"]


def wrapped(text: str, room: int) -> list[str]:
    """The text in lines that fit, broken before a sign or after a comma where possible."""
    lines = [""]
    for piece in _pieces(text):
        if cell_len((lines[-1] + piece).rstrip()) > room >= cell_len(piece.strip()):
            lines.append("")
        lines[-1] += piece if lines[-1] else piece.lstrip()
    return [part for line in lines for part in textwrap.wrap(line, room, break_on_hyphens=False)] or [""]


def _pieces(text: str) -> Iterator[str]:
    """The text cut wherever a line may end: before a sign outside of brackets, and after a comma."""
    start, depth = 0, 0
    for n, sign in enumerate(text):
        depth += (sign in "([{") - (sign in ")]}")
        outside = depth == 0 and text[n : n + 3] in (" = ", " + ", " − ", " - ")
        if outside or text[n - 2 : n] == ", ":
            yield text[start:n]
            start = n
    yield text[start:]
