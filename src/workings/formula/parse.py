r"""Formulas in a closed subset of LaTeX: read into a tree, and written for every target.

    names       x, dP, factor: a run of letters is one name; in a subscript a run of index letters (b c h, i to n,
                p to w) is a row of names (P_{ij}: i, j), any other run is one name (x_{index,j}: index, j)
    calls       f(x): a parenthesis close to a name is its argument; with a space, y (1 - y), it is a factor;
                after \max, \ln, \operatorname{} ... it is always the argument, after a script always a factor
    numbers     2, 0.5
    scripts     _{} ^{} and ', without braces for one letter, digit or sign (b^\top)
    fractions   \frac{}{}   roots \sqrt{}   accents \hat{} \bar{} \tilde{} over one name
    big         \sum \prod with bounds; \max \min \exp \ln \log \tanh \sin \cos; \operatorname{softmax}
    signs       + - / \cdot \times \odot \pm = < > \le \ge \ne \approx \sim \in \to \leftarrow \Rightarrow \mid | : , ;
    letters     the Greek ones, \infty \top \partial \nabla \neg \dots \ldots \cdots
    fences      ( ) [ ] \{ \} | | \| \|, also with \left and \right
    words       \text{...} \mathrm{...}
    spaces      \, \; \quad \qquad
    tables      \begin{cases} \begin{bmatrix}

Anything else is refused, and the error quotes it, so that no writer can drop a symbol silently.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ..engine.errors import FormulaError
from .speech import speak
from .tree import (
    ACCENTS,
    BARS,
    CLOSING,
    ENVIRONMENTS,
    INDEX_LETTERS,
    OPENING,
    SIGNS,
    TEXT_COMMANDS,
    THIN,
    WIDE,
    Accent,
    Environment,
    Fence,
    FormulaTree,
    Fraction,
    Item,
    Name,
    Numeral,
    Root,
    Script,
    Space,
    Symbol,
    TextCommand,
    kind,
    may_call,
)
from .writers import Ascii, Latex, Unicode

__all__ = ["FormulaTree", "parse", "to_ascii", "to_latex", "to_speech", "to_unicode"]


def parse(latex: str) -> FormulaTree:
    r"""The tree of a formula.

    >>> parse("x_i").items[0].base
    Name(letters='x')
    >>> parse(r"y = \foo{x}")
    Traceback (most recent call last):
        ...
    workings.engine.errors.FormulaError: The formula y = \foo{x} cannot be read from '\foo{x}' on.
      try:   Use the LaTeX commands that formula/parse.py lists: every target can write those.
    """
    return _Parser(latex).whole()


def to_latex(formula: FormulaTree) -> str:
    r"""LaTeX again, with even spacing.

    >>> to_latex(parse(r"dx_{ij}=P_{i j}\left(dP_{ij}-1\right)"))
    'dx_{ij} = P_{ij} \\left( dP_{ij} - 1 \\right)'
    """
    return Latex().row(formula)


def to_unicode(formula: FormulaTree) -> str:
    r"""One line for a terminal.

    >>> print(to_unicode(parse(r"P_{ij} = \frac{e^{x_{ij}}}{\sum_k e^{x_{ik}}}")))
    Pᵢⱼ = e^(xᵢⱼ) / Σₖ e^(xᵢₖ)
    >>> print(to_unicode(parse(r"S = \frac{Q \, K^\top}{\sqrt{d_k}}")))
    S = Q Kᵀ / √dₖ
    """
    return Unicode().row(formula)


def to_ascii(formula: FormulaTree) -> str:
    r"""One line for a console that can print nothing else.

    >>> to_ascii(parse(r"S = \frac{Q \, K^\top}{\sqrt{d_k}}"))
    'S = Q K^T / sqrt(d_k)'
    """
    return Ascii().row(formula)


def to_speech(formula: FormulaTree) -> str:
    r"""The words that a screen reader says.

    >>> to_speech(parse(r"dx_i = \frac{e^{x_i}}{2}"))
    'd x sub i equals the fraction e to the power x sub i over 2, end fraction'
    """
    return speak(formula)


_TOKEN = re.compile(r"\\[A-Za-z]+|\\[,;{}|\\]|\d+(?:\.\d+)?|[A-Za-z]+|[^\s\\]")
_GAP = re.compile(r"\s*")
_ONE = re.compile(r"\\[A-Za-z]+|[A-Za-z0-9+-]")
_PRIMES = re.compile(r"'+")
_TEXT = re.compile(r"\{((?=[^}]*[A-Za-z0-9])(?:[A-Za-z0-9 .,;:!?'()/+=*-]|\\_)+)\}")
_LETTERS = re.compile(r"\{([A-Za-z0-9]+)\}")
_ENVIRONMENT = re.compile(rf"\{{({'|'.join(ENVIRONMENTS)})\}}")
_NESTED = re.compile(r"\\(left|right)\s*(?:\\.|.)|\\(begin|end)|\\[A-Za-z]+|\\.|.", re.DOTALL)
_MAX_DEPTH = 40


class _Parser:
    """Reads one formula from left to right; `at` is the place that it has reached."""

    def __init__(self, latex: str) -> None:
        self.latex = latex
        self.at = 0
        self.depth = 0
        self.bars: set[int] = set()

    def whole(self) -> FormulaTree:
        formula = self.row(index=False)
        if self.at < len(self.latex):
            raise self.error(self.at)
        return formula

    def error(self, at: int) -> FormulaError:
        return FormulaError(
            f"The formula {self.latex} cannot be read from '{self.latex[at:]}' on.",
            hint="Use the LaTeX commands that formula/parse.py lists: every target can write those.",
        )

    def peek(self) -> str:
        """The next token, past any space, or nothing at the end."""
        self.read(_GAP)
        found = _TOKEN.match(self.latex, self.at)
        return found[0] if found else ""

    def read(self, pattern: re.Pattern[str]) -> str:
        """What the pattern finds here: its group, or all of it; nothing if it does not fit."""
        found = pattern.match(self.latex, self.at)
        if not found:
            return ""
        self.at = found.end()
        return found[found.lastindex or 0]

    def expect(self, token: str, start: int) -> None:
        """Go past this token; at the end of the text, `start` is what was left open."""
        found = self.peek()
        if found != token:
            raise self.error(self.at if self.at < len(self.latex) else start)
        self.at += len(found)

    def row(self, *, index: bool) -> FormulaTree:
        """Items up to the end of the text, or up to whatever closes this part."""
        start, items = self.at, list[Item]()
        self.depth += 1
        if self.depth > _MAX_DEPTH:
            raise self.error(start)
        while self.peek() not in ("", "}", ")", "]", "&", r"\\", r"\}", r"\right", r"\end"):
            if self.at in self.bars:
                break
            space = self.latex[self.at - 1 : self.at].isspace()
            item = self.item(index)
            if isinstance(item, Fence) and item.left == "(" and items and not space and may_call(items[-1]):
                item = replace(item, call=True)
            items.append(self.scripts(item, index))
        self.depth -= 1
        if all(isinstance(item, Space) for item in items):
            raise self.error(self.at if self.at < len(self.latex) else start)
        return FormulaTree(tuple(items))

    def group(self, start: int, *, index: bool) -> FormulaTree:
        """A part in braces; `start` is the place of the command that needs it."""
        if self.peek() != "{":
            raise self.error(start)
        opened = self.at
        self.at += 1
        body = self.row(index=index)
        self.expect("}", opened)
        return body

    def item(self, index: bool) -> Item:
        start, token = self.at, self.peek()
        self.at += len(token)
        if token.isascii() and token.isalpha():
            if index and INDEX_LETTERS.issuperset(token):
                self.at = start + 1
            return Name(self.latex[start : self.at])
        if token[:1].isdecimal() and token.isascii():
            return Numeral(token)
        if token in BARS:
            return self.bar(start, token, index)
        if token in OPENING:
            return self.fence(start, token, index, grows=False)
        if token in SIGNS:
            return Symbol(token)
        return self.command(start, token, index)

    def command(self, start: int, token: str, index: bool) -> Item:
        if token in THIN or token in WIDE:
            return Space(token)
        if token == r"\frac":
            top = self.group(start, index=index)
            return Fraction(top, self.group(start, index=index))
        if token == r"\sqrt":
            return Root(self.group(start, index=index))
        if token in ACCENTS:
            return self.accent(start, token)
        if token in TEXT_COMMANDS:
            text = self.read(_TEXT if token == r"\text" else _LETTERS)
            if text:
                return TextCommand(token, text.replace(r"\_", "_"))
        if token == r"\left" and self.peek() in OPENING:
            left = self.peek()
            self.at += len(left)
            return self.fence(start, left, index, grows=True)
        if token == r"\begin":
            name = self.read(_ENVIRONMENT)
            if name:
                return self.environment(start, name, index)
        raise self.error(start)

    def accent(self, start: int, token: str) -> Accent:
        body = self.group(start, index=False)
        match body.items:
            case (Name() | Symbol() as one,) if kind(one) in ("name", "letter"):
                return Accent(token, one)
        raise self.error(start)

    def fence(self, start: int, left: str, index: bool, *, grows: bool) -> Fence:
        body = self.row(index=index)
        if grows:
            self.expect(r"\right", start)
        right = self.peek()
        pair = (left, right)
        if pair not in (("(", "]"), ("[", ")")) and pair not in zip(OPENING, CLOSING, strict=True):
            raise self.error(self.at if right else start)
        self.at += len(right)
        return Fence(left, body, right, grows)

    def bar(self, start: int, token: str, index: bool) -> Item:
        """|x| when a second bar follows on the same level, else the bar of P(a | b)."""
        closing = self.closing(token)
        if closing is None:
            if token == "|":
                return Symbol(token)
            raise self.error(start)
        self.bars.add(closing)
        body = self.row(index=index)
        if self.at != closing:
            raise self.error(self.at)
        self.at += len(token)
        return Fence(token, body, token)

    def closing(self, token: str) -> int | None:
        """The place of the next bar that no bracket hides."""
        depth = 0
        for found in _NESTED.finditer(self.latex, self.at):
            text, side, environment = found[0], found[1], found[2]
            if depth == 0 and (found.start() in self.bars or text in ("&", r"\\")):
                return None
            if text == token and depth == 0:
                return found.start()
            if text in ("(", "[", "{", r"\{") or side == "left" or environment == "begin":
                depth += 1
            elif text in (")", "]", "}", r"\}") or side == "right" or environment == "end":
                depth -= 1
            if depth < 0:
                return None
        return None

    def environment(self, start: int, name: str, index: bool) -> Environment:
        rows: list[list[FormulaTree]] = [[]]
        while True:
            rows[-1].append(self.row(index=index))
            token, place = self.peek(), self.at
            self.at += len(token)
            if token == r"\\":
                rows.append([])
            elif token == r"\end" and self.read(_ENVIRONMENT) == name:
                return Environment(name, tuple(tuple(row) for row in rows))
            elif token != "&":
                raise self.error(place if token else start)

    def scripts(self, base: Item, index: bool) -> Item:
        """The base with the scripts that follow it, in either order."""
        sub: FormulaTree | None = None
        sup: FormulaTree | None = None
        primes = ""
        while (token := self.peek()) in ("_", "^", "'"):
            start = self.at
            if not _takes_scripts(base) or (sub if token == "_" else sup or primes):
                raise self.error(start)
            if token == "_":
                sub = self.argument(start, index=True)
                continue
            primes = self.read(_PRIMES)
            if self.peek() == "^":
                sup = self.argument(self.at, index=index)
        return Script(base, sub, sup, len(primes)) if sub or sup or primes else base

    def argument(self, start: int, *, index: bool) -> FormulaTree:
        """The body of a script: a part in braces, or a single letter, digit or sign."""
        self.at += 1
        if self.peek() == "{":
            return self.group(start, index=index)
        token = self.read(_ONE)
        if token.isalpha():
            return FormulaTree((Name(token),))
        if token.isdecimal():
            return FormulaTree((Numeral(token),))
        if token in ("+", "-") or (token in SIGNS and SIGNS[token].kind == "letter"):
            return FormulaTree((Symbol(token),))
        raise self.error(start)


def _takes_scripts(base: Item) -> bool:
    if (
        isinstance(base, Fraction)
        or base == Symbol(r"\neg")
        or (isinstance(base, Environment) and base.kind == "cases")
    ):
        return False
    return kind(base) not in ("binary", "relation", "comma", "dots", "space")
