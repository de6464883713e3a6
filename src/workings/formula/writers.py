"""Writers that put a formula on one line: LaTeX, Unicode text, ASCII text.

A new target is one class below `FormulaWriter`: it says how each part is written, the spacing is inherited.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from typing import Literal, TypeAlias, final

from .tree import (
    INDEX_LETTERS,
    SIGNS,
    THIN,
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
    is_call,
    is_factor,
    is_unary,
    kind,
    neighbor,
)

# Spaces around operators; none (in an exponent); none, and letters close together as well (in a subscript).
Spacing: TypeAlias = Literal["wide", "tight", "index"]
Items: TypeAlias = tuple[Item, ...]


class FormulaWriter(ABC):
    """Writes a row item by item, and decides what goes between two of them."""

    def row(self, formula: FormulaTree, spacing: Spacing = "wide") -> str:
        line = before = ""
        for n in range(len(formula.items)):
            text = self.item(formula.items, n, spacing)
            line += (self.gap(formula.items, n, before, text, spacing) if n else "") + text
            before = text or before
        return line.strip()

    def item(self, items: Items, n: int, spacing: Spacing) -> str:
        match items[n]:
            case Numeral(digits):
                return digits
            case Name(letters):
                return letters
            case Symbol() as symbol:
                return self.symbol(symbol)
            case TextCommand() as command:
                return self.text_command(command)
            case Space() as space:
                return self.space(space)
            case Accent() as accent:
                return self.accent(accent)
            case Script() as script:
                return self.script(script, spacing)
            case Fraction() as fraction:
                return self.fraction(fraction, items, n, spacing)
            case Root(body):
                return self.root(body)
            case Fence() as fence:
                return self.fence(fence, spacing)
            case Environment() as environment:
                return self.environment(environment)

    def gap(self, items: Items, n: int, before: str, text: str, spacing: Spacing) -> str:
        """The space between the item at `n` and the one before it, whose texts are `text` and `before`."""
        one, other = kind(items[n - 1]), kind(items[n])
        space = " " if spacing == "wide" else ""
        if "space" in (one, other) or other == "comma" or is_unary(items, n - 1):
            return ""
        if one == "comma":
            return space
        for operator, sign in ((one, before), (other, text)):
            if operator in ("binary", "relation"):
                return " " if _is_word(sign) else space
        if one == "prefix":
            return " " if _is_word(before) or other == "function" else ""
        if spacing == "index" and all(re.fullmatch(r"\d+|.", part) for part in (before, text)):
            return ""
        multiple = isinstance(items[n - 1], Numeral) and _ONE_LETTER.match(text)
        return "" if multiple or is_call(items, n) else " "

    @abstractmethod
    def symbol(self, symbol: Symbol) -> str: ...

    @abstractmethod
    def text_command(self, command: TextCommand) -> str: ...

    @abstractmethod
    def space(self, space: Space) -> str: ...

    @abstractmethod
    def accent(self, accent: Accent) -> str: ...

    @abstractmethod
    def script(self, script: Script, spacing: Spacing) -> str: ...

    @abstractmethod
    def fraction(self, fraction: Fraction, items: Items, n: int, spacing: Spacing) -> str: ...

    @abstractmethod
    def root(self, body: FormulaTree) -> str: ...

    @abstractmethod
    def fence(self, fence: Fence, spacing: Spacing) -> str: ...

    @abstractmethod
    def environment(self, environment: Environment) -> str: ...


@final
class Latex(FormulaWriter):
    """LaTeX that KaTeX sets in the same way as the one that was read."""

    def gap(self, items: Items, n: int, before: str, text: str, spacing: Spacing) -> str:
        space = super().gap(items, n, before, text, spacing)
        command = re.search(r"\\[A-Za-z]+$", before) and text[:1].isalpha()
        digits = before[-1:].isdecimal() and text[:1].isdecimal()
        run = (before + text).isalpha() and not INDEX_LETTERS.issuperset(before + text)
        if command or digits or run or "space" in (kind(items[n - 1]), kind(items[n])):
            return " "
        return space

    def symbol(self, symbol: Symbol) -> str:
        return symbol.command

    def text_command(self, command: TextCommand) -> str:
        name = command.text.removesuffix("ᵀ")
        text = "".join(_ESCAPED.get(sign, sign) for sign in name)
        top = r"^\top" if name != command.text else ""
        if _PLAIN_NAME.fullmatch(name):
            return f"{command.command}{{{text}{top}}}"
        # Accents and signs in a name can only be set as text.
        return rf"{{\text{{{text}}}{top}}}"

    def space(self, space: Space) -> str:
        return space.command

    def accent(self, accent: Accent) -> str:
        return f"{accent.command}{{{self.row(FormulaTree((accent.body,)))}}}"

    def script(self, script: Script, spacing: Spacing) -> str:
        text = self.item((script.base,), 0, spacing)
        if script.sub:
            text += "_" + self.argument(script.sub, "index")
        text += "'" * script.primes
        if script.sup:
            text += "^" + self.argument(script.sup, spacing)
        return text

    def argument(self, formula: FormulaTree, spacing: Spacing) -> str:
        text = self.row(formula, spacing)
        symbol = isinstance(formula.items[0], Symbol) and kind(formula.items[0]) == "letter"
        bare = len(formula.items) == 1 and (symbol or re.fullmatch("[A-Za-z0-9]", text))
        return text if bare else f"{{{text}}}"

    def fraction(self, fraction: Fraction, items: Items, n: int, spacing: Spacing) -> str:
        return rf"\frac{{{self.row(fraction.top, spacing)}}}{{{self.row(fraction.bottom, spacing)}}}"

    def root(self, body: FormulaTree) -> str:
        return rf"\sqrt{{{self.row(body)}}}"

    def fence(self, fence: Fence, spacing: Spacing) -> str:
        body = self.row(fence.body, spacing)
        if fence.grows:
            return rf"\left{fence.left} {body} \right{fence.right}"
        apart = " " if fence.left.startswith("\\") else ""
        return f"{fence.left}{apart}{body}{apart}{fence.right}"

    def environment(self, environment: Environment) -> str:
        rows = r" \\ ".join(" & ".join(self.row(cell) for cell in row) for row in environment.rows)
        return rf"\begin{{{environment.kind}}} {rows} \end{{{environment.kind}}}"


class PlainWriter(FormulaWriter):
    """Text without commands: what LaTeX shows by position is said with / ^ _ and parentheses."""

    def text_command(self, command: TextCommand) -> str:
        return command.text.strip()

    def space(self, space: Space) -> str:
        return " " if space.command in THIN else "  "

    def script(self, script: Script, spacing: Spacing) -> str:
        text = self.item((script.base,), 0, spacing)
        if " " in text if isinstance(script.base, TextCommand) else text.startswith("√"):
            text = f"({text})"
        if script.sub:
            text += self.below(script.sub)
        text += self.prime * script.primes
        if script.sup:
            text += self.above(script.sup)
        return text

    prime = "'"

    def below(self, sub: FormulaTree) -> str:
        text = self.row(sub, "index")
        together = all(isinstance(item, Name | Numeral | Symbol | TextCommand) for item in sub.items)
        return f"_{text}" if together and re.fullmatch(r"\w+", text) else f"_({text})"

    def above(self, sup: FormulaTree) -> str:
        text = self.row(sup, "tight")
        match sup.items:
            case (Name() | Numeral(),):
                return f"^{text}"
            case (Symbol() | TextCommand() as one,) if kind(one) in ("letter", "name") or re.fullmatch(r"\w+", text):
                return f"^{text}"
            case (Fence(left="(", right=")"),):
                return f"^{text}"
        return f"^({text})"

    def fraction(self, fraction: Fraction, items: Items, n: int, spacing: Spacing) -> str:
        before = neighbor(items, n, -1)
        signed = is_factor(before) or (before is not None and kind(before) == "binary")
        top, bottom = self.row(fraction.top, spacing), self.row(fraction.bottom, spacing)
        if not _is_product(fraction.top.items, signed):
            top = f"({top})"
        if not _is_single(fraction.bottom.items):
            bottom = f"({bottom})"
        text = f"{top} / {bottom}" if spacing == "wide" else f"{top}/{bottom}"
        return text if _ends_term(items, n) else f"({text})"

    def fence(self, fence: Fence, spacing: Spacing) -> str:
        left, right = self.delimiter(fence.left), self.delimiter(fence.right)
        return f"{left}{self.row(fence.body, spacing)}{right}"

    def delimiter(self, command: str) -> str:
        return "||" if command == r"\|" else command.removeprefix("\\")

    def environment(self, environment: Environment) -> str:
        left, right = "{}" if environment.kind == "cases" else "[]"
        return left + "; ".join(self.cells(row) for row in environment.rows) + right

    def cells(self, row: tuple[FormulaTree, ...]) -> str:
        text = ""
        for cell in row:
            apart = " " if kind(cell.items[0]) == "words" else ", "
            text += (apart if text else "") + self.row(cell)
        return text


@final
class Ascii(PlainWriter):
    """Nothing but ASCII."""

    def text_command(self, command: TextCommand) -> str:
        return in_ascii(super().text_command(command).replace("ᵀ", "^T"))

    def symbol(self, symbol: Symbol) -> str:
        return SIGNS[symbol.command].ascii

    def accent(self, accent: Accent) -> str:
        return f"{accent.command[1:]}({self.row(FormulaTree((accent.body,)))})"

    def root(self, body: FormulaTree) -> str:
        return f"sqrt({self.row(body)})"


@final
class Unicode(PlainWriter):
    """With small letters below and above the line, as far as Unicode has them."""

    prime = "′"

    def symbol(self, symbol: Symbol) -> str:
        return SIGNS[symbol.command].unicode

    def accent(self, accent: Accent) -> str:
        letter = self.row(FormulaTree((accent.body,)))
        if len(letter) == 1:
            return unicodedata.normalize("NFC", letter + _COMBINING[accent.command])
        return f"{accent.command[1:]}({letter})"

    def root(self, body: FormulaTree) -> str:
        text = self.row(body)
        return f"√{text}" if len(body.items) == 1 and _UNDER_ROOT.fullmatch(text) else f"√({text})"

    def below(self, sub: FormulaTree) -> str:
        return _small(self.row(sub, "index"), sub, _LOWERED) or super().below(sub)

    def above(self, sup: FormulaTree) -> str:
        return _small(self.row(sup, "tight"), sup, _RAISED) or super().above(sup)

    def delimiter(self, command: str) -> str:
        return "‖" if command == r"\|" else super().delimiter(command)


_ESCAPED = {sign: f"\\{sign}" for sign in "_{}$%#&"} | {
    "\\": r"\textbackslash{}",
    "^": r"\textasciicircum{}",
    "~": r"\textasciitilde{}",
}
_SPELLED = {sign.unicode: sign.ascii for sign in SIGNS.values() if sign.kind == "letter"}
_PLAIN_NAME = re.compile(rf"[A-Za-z0-9_ .,;:!?'()/+=*{''.join(_SPELLED)}-]*")


def in_ascii(text: str) -> str:
    """The text in ASCII: α is spelled out, é loses its accent, and what has no such form becomes a question mark.

    >>> in_ascii("dα über 日")
    'dalpha uber ?'
    """
    spelled = unicodedata.normalize("NFKD", "".join(_SPELLED.get(sign, sign) for sign in text))
    return "".join(sign for sign in spelled if not unicodedata.combining(sign)).encode("ascii", "replace").decode()


_TIMES = (Symbol(r"\cdot"), Symbol(r"\times"))
_ONE_LETTER = re.compile(r"\(|[^\W\d](?![^\W\d_])")
_APART = (Symbol("/"), Symbol(r"\odot"))
_COMBINING = {r"\hat": "\u0302", r"\bar": "\u0304", r"\tilde": "\u0303"}
_LOWERED = dict(zip("0123456789+−=()aehijklmnoprstuvxβγρφχ", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵧᵨᵩᵪ", strict=True))
_RAISED = dict(zip("0123456789+−=()niT⊤", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿⁱᵀᵀ", strict=True))
_UNDER_ROOT = re.compile(rf"[0-9.]+|\w[{''.join(_COMBINING.values())}]?[{''.join(_LOWERED.values())}]*")


def _small(text: str, formula: FormulaTree, letters: dict[str, str]) -> str:
    """The text in small letters, or nothing where one of them does not exist or it is a word."""
    has_words = any(
        isinstance(item, TextCommand) or (isinstance(item, Name) and len(item.letters) > 1) for item in formula.items
    )
    if has_words or not all(letter in letters for letter in text):
        return ""
    return "".join(letters[letter] for letter in text)


def _is_word(text: str) -> bool:
    return text[:1].isascii() and text[:1].isalpha()


def _is_product(items: Items, signed: bool) -> bool:
    """Whether a / may follow without parentheses; `signed` where an operator comes before."""
    if len(items) == 1:
        return not isinstance(items[0], Fraction)
    for n, item in enumerate(items):
        sort = kind(item)
        if isinstance(item, Fraction) or sort in ("relation", "comma", "dots", "big", "words"):
            return False
        if sort == "binary" and item not in _TIMES and (n > 0 or signed):
            return False
        if sort == "space" and item in (Space(r"\quad"), Space(r"\qquad")):
            return False
        if sort == "function" and not (n + 1 < len(items) and is_call(items, n + 1)):
            return False
    return True


def _ends_term(items: Items, n: int) -> bool:
    """Whether the fraction at `n` is the last factor of its term, and no operator before it could end too early."""
    before, after = neighbor(items, n, -1), neighbor(items, n, +1)
    if is_factor(after) or after in (*_TIMES, *_APART) or before in _APART:
        return False
    fraction = items[n]
    if is_factor(before) and isinstance(fraction, Fraction) and kind(fraction.top.items[0]) == "prefix":
        return False
    while n > 0 and (is_factor(items[n - 1]) or items[n - 1] in _TIMES or kind(items[n - 1]) == "space"):
        n -= 1
        closed = is_call(items, n + 1) or kind(items[n]) not in ("big", "function")
        if not closed or isinstance(items[n], Fraction) or (kind(items[n]) == "prefix" and items[n + 1] is fraction):
            return False
    return True


def _is_single(items: Items) -> bool:
    """Whether items may follow a / without parentheses: one factor, or operators applied to one."""
    rest = [item for item in items if not (isinstance(item, Space) and item.command in THIN)]
    while len(rest) > 1 and kind(rest[0]) in ("prefix", "function", "big"):
        del rest[0]
    return len(rest) == 1 and not isinstance(rest[0], Fraction)
