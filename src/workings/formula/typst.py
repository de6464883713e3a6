r"""The writer of formulas for Typst, which sets the PDF.

Whatever could be read as a command of Typst is a string, an escaped sign or a letter of its own, so that a formula
means here what it means in LaTeX.
"""

from __future__ import annotations

import re
from typing import final

from .tree import (
    SIGNS,
    Accent,
    Environment,
    Fence,
    FormulaTree,
    Fraction,
    Name,
    Numeral,
    Script,
    Space,
    Symbol,
    TextCommand,
    kind,
)
from .writers import FormulaWriter, Items, Spacing

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
_BOUNDED = (r"\max", r"\min")  # their range is set below them
_SPACES = {r"\,": "thin", r"\;": "thick", r"\quad": "quad", r"\qquad": "wide"}
_ACCENTS = {r"\hat": "hat", r"\bar": "macron", r"\tilde": "tilde"}
_INDEXED = re.compile(r"(d?[A-Za-z])_([A-Za-z0-9]+(?:_[A-Za-z0-9]+)*)")
_BARS = {"|": "|", r"\|": "‖"}
_CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")


def to_typst(formula: FormulaTree) -> str:
    r"""The inside of an equation of Typst.

    >>> from workings.formula.parse import parse
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


def _name(command: TextCommand) -> tuple[str, str, str]:
    r"""A word, its index and its superscript: W_Q is a W with an index, as on a blackboard, and Kᵀ a transpose.

    >>> _name(TextCommand(r"\mathrm", "W_Qᵀ"))
    ('W', '"Q"', '⊤')
    """
    name = command.text.removesuffix("ᵀ")
    top = "⊤" if name != command.text else ""
    if command.command == r"\operatorname":
        return f"op({string(name)})", "", top
    found = _INDEXED.fullmatch(name) if command.command == r"\mathrm" else None
    if found:
        return " ".join(found[1]), r" \, ".join(string(part) for part in found[2].split("_")), top
    return string(name), "", top


@final
class Typst(FormulaWriter):
    """Typst that sets a formula as KaTeX does."""

    def item(self, items: Items, n: int, spacing: Spacing) -> str:
        match items[n]:
            case Name(letters):
                return " ".join(letters)  # side by side they would be the name of a command
            case Numeral(digits):
                return digits
        return super().item(items, n, spacing)

    def gap(self, items: Items, n: int, before: str, text: str, spacing: Spacing) -> str:
        """Typst sets the spaces itself; this one only keeps words apart."""
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

    def text_command(self, command: TextCommand) -> str:
        base, sub, top = _name(command)
        return base + (f"_({sub})" if sub else "") + (f"^({top})" if top else "")

    def space(self, space: Space) -> str:
        return _SPACES[space.command]

    def accent(self, accent: Accent) -> str:
        return f"{_ACCENTS[accent.command]}({self.row(FormulaTree((accent.body,)))})"

    def script(self, script: Script, spacing: Spacing) -> str:
        base = script.base
        text, sub, top = _name(base) if isinstance(base, TextCommand) else (self.item((base,), 0, spacing), "", "")
        below = [sub, self.row(script.sub, "index") if script.sub else ""]
        above = [top, self.row(script.sup, spacing) if script.sup else ""]
        text += "'" * script.primes
        for sign, parts, between in (("_", below, r" \, "), ("^", above, " ")):
            inside = between.join(part for part in parts if part)
            text += f"{sign}({inside})" if inside else ""
        return text

    def fraction(self, fraction: Fraction, items: Items, n: int, spacing: Spacing) -> str:
        return f"frac({self.row(fraction.top, spacing)}, {self.row(fraction.bottom, spacing)})"

    def root(self, body: FormulaTree) -> str:
        return f"sqrt({self.row(body)})"

    def fence(self, fence: Fence, spacing: Spacing) -> str:
        body = self.row(fence.body, spacing)
        if fence.left in _BARS:
            bar = _BARS[fence.left]
            return f"lr({bar} {body} {bar})"
        left, right = fence.left.removeprefix("\\"), fence.right.removeprefix("\\")
        return f"{left}{body}{right}"

    def environment(self, environment: Environment) -> str:
        rows = [[self.row(cell) for cell in row] for row in environment.rows]
        if environment.kind == "cases":
            return f"cases({', '.join(' & quad '.join(row) for row in rows)})"
        return f'mat(delim: "[", {"; ".join(", ".join(row) for row in rows)})'
