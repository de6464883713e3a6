r"""The writer of formulas for Typst, which sets the PDF.

Whatever could be read as a command of Typst is a string, an escaped sign or a letter of its own, so that a formula
means here what it means in LaTeX.
"""

from __future__ import annotations

import re
from typing import final

from .formula_text import Items, Line, Spacing
from .formula_tree import SIGNS, Accent, Formula, Fraction, Grid, Name, Number, Script, Space, Symbol, Words, kind
from .formula_tree import Fence as Fenced

# Signs that are written otherwise than in Unicode text.
_SIGNS = {
    r"\cdots": "⋯",
    r"\sum": "∑",
    r"\cdot": "⋅",
    "/": r"\/",
    "<": r"\<",
    ">": r"\>",
    r"\sim": "∼",
    r"\mid": "∣",
    "|": "∣",
    ":": r"\:",
    ",": r"\,",
    ";": r"\;",
}
_BOUNDED = (r"\max", r"\min")  # what they range over stands below them
_SPACES = {r"\,": "thin", r"\;": "thick", r"\quad": "quad", r"\qquad": "wide"}
_ACCENTS = {r"\hat": "hat", r"\bar": "macron", r"\tilde": "tilde"}
_INDEXED = re.compile(r"(d?[A-Za-z])_([A-Za-z0-9]+(?:_[A-Za-z0-9]+)*)")
_BARS = {"|": "|", r"\|": "‖"}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def to_typst(formula: Formula) -> str:
    r"""The inside of an equation of Typst.

    >>> from workings.explain.formula import parse
    >>> print(to_typst(parse(r"S_{ij} = \frac{Q_i \cdot K_j}{\sqrt{d_k}}")))
    S_(i j) = frac(Q_(i) ⋅ K_(j), sqrt(d_(k)))
    """
    return Typst().row(formula)


def string(text: str) -> str:
    r"""A text as a string of Typst, in which nothing is a command. Signs that only control a machine cannot be set.

    >>> print(string('a "b" \\ #c'))
    "a \"b\" \\ #c"
    """
    escaped = (
        _CONTROL.sub("�", text).replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    )
    return f'"{escaped}"'


def _name(words: Words) -> tuple[str, str, str]:
    r"""A word, what stands below it and what above: W_Q is a W with an index, as on a blackboard, and Kᵀ a transpose.

    >>> _name(Words(r"\mathrm", "W_Qᵀ"))
    ('W', '"Q"', '⊤')
    """
    name = words.text.removesuffix("ᵀ")
    top = "⊤" if name != words.text else ""
    if words.command == r"\operatorname":
        return f"op({string(name)})", "", top
    found = _INDEXED.fullmatch(name) if words.command == r"\mathrm" else None
    if found:
        return " ".join(found[1]), r" \, ".join(string(part) for part in found[2].split("_")), top
    return string(name), "", top


@final
class Typst(Line):
    """Typst that sets a formula as KaTeX does."""

    def item(self, items: Items, n: int, spacing: Spacing) -> str:
        match items[n]:
            case Name(letters):
                return " ".join(letters)  # side by side they would be the name of a command
            case Number(digits):
                return digits
        return super().item(items, n, spacing)

    def gap(self, items: Items, n: int, before: str, text: str, spacing: Spacing) -> str:
        """Typst makes the spaces itself; what stands here only keeps words apart."""
        if not before or not text or before.endswith(' "') or text.startswith('" '):
            return ""  # a text that has its own space
        space = super().gap(items, n, before, text, "wide")
        apart = (before[-1].isalnum() and text[0].isalnum()) or (before[-1] == ")" and text[0] in "([")
        one, other = kind(items[n - 1]), kind(items[n])
        return (
            " " if apart or "space" in (one, other) or "relation" in (one, other) or "binary" in (one, other) else space
        )

    def symbol(self, symbol: Symbol) -> str:
        sign = SIGNS[symbol.command]
        if sign.kind == "function":
            limits = ", limits: #true" if symbol.command in _BOUNDED else ""
            return f"op({string(sign.unicode)}{limits})"
        return _SIGNS.get(symbol.command, sign.unicode)

    def words(self, words: Words) -> str:
        base, sub, top = _name(words)
        return base + (f"_({sub})" if sub else "") + (f"^({top})" if top else "")

    def space(self, space: Space) -> str:
        return _SPACES[space.command]

    def accent(self, accent: Accent) -> str:
        return f"{_ACCENTS[accent.command]}({self.row(Formula((accent.body,)))})"

    def script(self, script: Script, spacing: Spacing) -> str:
        base = script.base
        text, sub, top = _name(base) if isinstance(base, Words) else (self.item((base,), 0, spacing), "", "")
        below = [sub, self.row(script.sub, "index") if script.sub else ""]
        above = [top, self.row(script.sup, spacing) if script.sup else ""]
        text += "'" * script.primes
        for sign, parts, between in (("_", below, r" \, "), ("^", above, " ")):
            inside = between.join(part for part in parts if part)
            text += f"{sign}({inside})" if inside else ""
        return text

    def fraction(self, fraction: Fraction, items: Items, n: int, spacing: Spacing) -> str:
        return f"frac({self.row(fraction.top, spacing)}, {self.row(fraction.bottom, spacing)})"

    def root(self, body: Formula) -> str:
        return f"sqrt({self.row(body)})"

    def fence(self, fence: Fenced, spacing: Spacing) -> str:
        body = self.row(fence.body, spacing)
        if fence.left in _BARS:
            bar = _BARS[fence.left]
            return f"lr({bar} {body} {bar})"
        left, right = fence.left.removeprefix("\\"), fence.right.removeprefix("\\")
        return f"{left}{body}{right}"

    def grid(self, grid: Grid) -> str:
        rows = [[self.row(cell) for cell in row] for row in grid.rows]
        if grid.kind == "cases":
            return f"cases({', '.join(' & quad '.join(row) for row in rows)})"
        return f'mat(delim: "[", {"; ".join(", ".join(row) for row in rows)})'
