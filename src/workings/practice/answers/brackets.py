"""Numbers in brackets: nested lists, the output of NumPy and PyTorch, MATLAB."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import TypeAlias

from .layout import (
    CellLayout,
    MatrixError,
    Shape,
    Ways,
    check_rows,
    nothing_in,
    rows_of,
    split_at_commas,
    split_at_spaces,
    table,
    words_in,
)
from .spelling import shown

Split: TypeAlias = Callable[[str], list[str]]

MAX_DEPTH = 12  # of nested brackets
CLOSERS = {"[": "]", "(": ")", "{": "}"}
SEPARATORS = " \t\n,;"
SPLITS: tuple[Split, ...] = (split_at_commas, split_at_spaces)

_BRACKET = re.compile(r"[\[\](){}]")
# array(..., dtype=float32), tensor(..., grad_fn=<AddBackward0>)
_KEYWORD = re.compile(
    r",\s{0,40}[A-Za-z_]{1,30}=(?:<[^<>]{0,200}>|\([^()]{0,60}\)|[\w.:]{1,60}(?:\([^()]{0,60}\))?)(?=\s{0,40}[,)])"
)
_ONE_IN_CALL = re.compile(r"(?<![\w.])[A-Za-z_][\w.]{0,40}\(\s{0,9}([^\s()\[\]{},;]{1,400})\s{0,9}\)")  # float64(0.5)
_MIXED = re.compile(r"[0-9],[0-9]{1,400}[ \t]{1,99}[-+]?[0-9]")  # commas without a space, and spaces without a comma
_NAME_AT_END = re.compile(r"[A-Za-z_][\w.]{0,60}\s{0,3}\Z")


@dataclass
class _Bracket:
    """What is between two brackets: texts, and nested brackets. Those of a call are not an axis."""

    closer: str
    call: bool = False
    texts: list[str] = field(default_factory=list)
    inside: list[_Bracket] = field(default_factory=list)


def without_keywords(text: str) -> str:
    """The output of a program without the types of its numbers, and without calls around single numbers.

    >>> without_keywords("tensor([1., 2.], dtype=torch.float64)"), without_keywords("[np.float64(0.5)]")
    ('tensor([1., 2.])', '[0.5]')
    """
    return _ONE_IN_CALL.sub(r"\1", _KEYWORD.sub("", text))


def nested(text: str, _: Shape | None) -> Ways | None:
    """The ways to read numbers in brackets. In a list a comma separates; where spaces or semicolons separate too, as in
    `[1,5 2,5]` and `[1,5; 2,5]`, it may also be a decimal sign.

    >>> nested("array([[1., 2.], [3., 4.]])", None)[0][0]().shape
    (2, 2)
    """
    if not _BRACKET.search(text):
        return None
    if "..." in text:
        raise MatrixError(
            f"'{shown(text)}' is not complete: dots replace some of its numbers.",
            hint="Print all of them: numpy.set_printoptions(threshold=10**9), or "
            "torch.set_printoptions(profile='full').",
        )
    root = _opened(text)
    flat = _flat(root)
    is_either = bool(_MIXED.search(text)) or (flat is not None and ";" in flat)
    if flat is None:
        by_commas, by_spaces = ([partial(_layout, root, text, split)] for split in SPLITS)
    else:
        # NumPy breaks a long vector into lines; people write each row on a line.
        broken = "\n" in flat.strip() and ";" not in flat
        texts = [flat, " ".join(flat.split())] if broken else [flat]
        by_commas, by_spaces = ([partial(_leaf, leaf, text, split) for leaf in texts] for split in SPLITS)
    if "," not in text:
        return [by_commas]
    return [[*by_commas, *by_spaces]] if is_either else [by_commas, by_spaces]


def _opened(text: str) -> _Bracket:
    """The tree of brackets; its root is the whole text."""
    open_brackets = [_Bracket("")]
    start = 0
    for found in _BRACKET.finditer(text):
        before, sign = text[start : found.start()], found[0]
        start = found.end()
        if sign in CLOSERS:
            if len(open_brackets) > MAX_DEPTH:
                raise MatrixError(
                    f"'{shown(text)}' is not a matrix of numbers: its brackets are nested too deeply.",
                    hint=f"Nest at most {MAX_DEPTH} brackets.",
                )
            name = _NAME_AT_END.search(before[-70:]) if sign == "(" else None
            bracket = _Bracket(CLOSERS[sign], call=name is not None)
            open_brackets[-1].texts.append(before.rstrip()[: -len(name[0].rstrip())] if name else before)
            open_brackets[-1].inside.append(bracket)
            open_brackets.append(bracket)
            continue
        closed = open_brackets.pop()
        closed.texts.append(before)
        if closed.closer != sign:
            raise _mismatched(text)
    if len(open_brackets) > 1:
        raise _mismatched(text)
    open_brackets[0].texts.append(text[start:])
    return open_brackets[0]


def _flat(root: _Bracket) -> str | None:
    """The text in the only pair of brackets, if there is only one."""
    bracket = root
    while len(bracket.inside) == 1 and (bracket is root or bracket.call) and not _words(bracket):
        bracket = bracket.inside[0]
    return bracket.texts[0] if not bracket.inside else None


def _words(bracket: _Bracket) -> str:
    """What is between the brackets inside this one, other than separators."""
    return "".join(bracket.texts).strip(SEPARATORS)


def _mismatched(text: str) -> MatrixError:
    return MatrixError(
        f"'{shown(text)}' is not a matrix of numbers: its brackets do not match.",
        hint="Close each bracket once, and put the same number of them around each row: [[2, 1.5], [1, 0]].",
    )


def _layout(bracket: _Bracket, text: str, split: Split) -> CellLayout:
    if not bracket.inside:
        return _leaf(" ".join(bracket.texts[0].split()), text, split)
    if words := _words(bracket):
        raise words_in(text, words)
    parts = [_layout(part, text, split) for part in bracket.inside]
    if len(parts) == 1 and (bracket.call or not bracket.closer):
        return parts[0]
    check_rows([len(part.cells) for part in parts])
    if len({part.shape for part in parts}) > 1:
        raise _mismatched(text)
    return CellLayout((len(parts), *parts[0].shape), tuple(cell for part in parts for cell in part.cells))


def _leaf(leaf: str, text: str, split: Split) -> CellLayout:
    rows = rows_of(leaf.strip().removesuffix(","))
    if not rows:
        raise nothing_in(text)
    return table([split(row) for row in rows], in_brackets=True)
