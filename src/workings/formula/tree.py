"""The parts of a formula, and every sign that one may contain."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Literal, TypeAlias

Kind: TypeAlias = Literal[
    "number", "name", "letter", "atom", "fence", "function", "big", "prefix",
    "binary", "relation", "comma", "dots", "words", "space",
]  # fmt: skip


@dataclass(frozen=True)
class FormulaTree:
    """The items of one line, from left to right: a whole formula, or a part in braces."""

    items: tuple[Item, ...]


@dataclass(frozen=True)
class Numeral:
    digits: str


@dataclass(frozen=True)
class Name:
    """A run of letters: x, dP, factor. In a subscript a run of index letters is a row of names: P_{ij}."""

    letters: str


@dataclass(frozen=True)
class Symbol:
    r"""One of `SIGNS`, by its LaTeX: `+`, `\cdot`, `\alpha`, `\sum`, `\max`."""

    command: str


@dataclass(frozen=True)
class TextCommand:
    r"""`\text{if }`, `\mathrm{loss}` or `\operatorname{softmax}`."""

    command: str
    text: str


@dataclass(frozen=True)
class Space:
    command: str


@dataclass(frozen=True)
class Accent:
    command: str
    body: Name | Symbol


@dataclass(frozen=True)
class Script:
    """A base with its scripts: a subscript, primes, an exponent, the bounds of a sum."""

    base: Item
    sub: FormulaTree | None = None
    sup: FormulaTree | None = None
    primes: int = 0


@dataclass(frozen=True)
class Fraction:
    top: FormulaTree
    bottom: FormulaTree


@dataclass(frozen=True)
class Root:
    body: FormulaTree


@dataclass(frozen=True)
class Fence:
    r"""Something between two delimiters; `grows` where they were written with `\left` and `\right`.

    `call` where a parenthesis is close to a name: f(x), not y (1 - y).
    """

    left: str
    body: FormulaTree
    right: str
    grows: bool = False
    call: bool = False


@dataclass(frozen=True)
class Environment:
    """`cases` or `bmatrix`: rows of cells."""

    kind: str
    rows: tuple[tuple[FormulaTree, ...], ...]


Item: TypeAlias = (
    Numeral | Name | Symbol | TextCommand | Space | Accent | Script | Fraction | Root | Fence | Environment
)


@dataclass(frozen=True)
class Sign:
    """How a symbol behaves (`kind`), and how it is written. What it is called aloud: speech.py."""

    kind: Kind
    unicode: str
    ascii: str


_GREEK = """
    alpha α beta β gamma γ delta δ epsilon ε varepsilon ε zeta ζ eta η theta θ iota ι kappa κ lambda λ mu μ nu ν
    xi ξ pi π rho ρ sigma σ tau τ upsilon υ phi φ varphi φ chi χ psi ψ omega ω
    Gamma Γ Theta Θ Lambda Λ Xi Ξ Pi Π Sigma Σ Upsilon Υ Phi Φ Psi Ψ Omega Ω
"""

# kind, LaTeX, Unicode, ASCII
_SIGNS = r"""
    letter    \infty       ∞    infinity
    letter    \top         ⊤    T
    dots      \dots        …    ...
    dots      \ldots       …    ...
    dots      \cdots       …    ...
    prefix    \partial     ∂    partial
    prefix    \nabla       ∇    grad
    prefix    \Delta       Δ    Delta
    prefix    \neg         ¬    not
    big       \sum         Σ    sum
    big       \prod        ∏    prod
    function  \max         max  max
    function  \min         min  min
    function  \exp         exp  exp
    function  \ln          ln   ln
    function  \log         log  log
    function  \tanh        tanh tanh
    function  \sin         sin  sin
    function  \cos         cos  cos
    binary    +            +    +
    binary    -            −    -
    binary    \pm          ±    +/-
    binary    \cdot        ·    *
    binary    \times       ×    *
    binary    /            /    /
    binary    \odot        ⊙    .*
    relation  =            =    =
    relation  <            <    <
    relation  >            >    >
    relation  \le          ≤    <=
    relation  \ge          ≥    >=
    relation  \ne          ≠    !=
    relation  \approx      ≈    ~=
    relation  \sim         ~    ~
    relation  \in          ∈    in
    relation  \to          →    ->
    relation  \leftarrow   ←    <-
    relation  \Rightarrow  ⇒    =>
    relation  \mid         |    |
    relation  |            |    |
    relation  :            :    :
    comma     ,            ,    ,
    comma     ;            ;    ;
""".splitlines()

SIGNS: dict[str, Sign] = {
    f"\\{name}": Sign("letter", letter, name.removeprefix("var")) for name, letter in re.findall(r"(\w+) (\w)", _GREEK)
}
for _kind, _command, _unicode, _ascii in (line.split() for line in _SIGNS if line):
    SIGNS[_command] = Sign(_kind, _unicode, _ascii)  # type: ignore[arg-type]

GREEK = frozenset(_GREEK.split()[::2])
# The command of each Greek letter; of ε and φ, which have two, the first.
GREEK_COMMANDS: dict[str, str] = {}
for _command, _sign in SIGNS.items():
    if _command[1:] in GREEK:
        GREEK_COMMANDS.setdefault(_sign.unicode, _command)
EXCHANGED = {"i": "j", "j": "i"}
INDEX_LETTERS = frozenset("bchijklmnpqrstuvw")
THIN = (r"\,", r"\;")
WIDE = (r"\quad", r"\qquad")
ACCENTS = (r"\hat", r"\bar", r"\tilde")
TEXT_COMMANDS = (r"\text", r"\mathrm", r"\operatorname")
ENVIRONMENTS = ("cases", "bmatrix")
BARS = ("|", r"\|")
OPENING = ("(", "[", r"\{", *BARS)
CLOSING = (")", "]", r"\}", *BARS)


def kind(item: Item) -> Kind:
    """How an item behaves among others; a script behaves as its base does."""
    match item:
        case Script(base):
            return kind(base)
        case Symbol(command):
            return SIGNS[command].kind
        case TextCommand(command):
            return "words" if command == r"\text" else "function" if command == r"\operatorname" else "name"
        case Name():
            return "name"
        case Numeral():
            return "number"
        case Space():
            return "space"
        case Fence():
            return "fence"
    return "atom"


def is_factor(item: Item | None) -> bool:
    """Whether an item next to another one means a product, or an operator applied to it."""
    return item is not None and kind(item) not in ("binary", "relation", "comma", "dots", "words", "space")


def neighbor(items: tuple[Item, ...], n: int, step: int) -> Item | None:
    """The item before (step -1) or after (step +1) the one at `n`, past any thin space."""
    n += step
    while 0 <= n < len(items):
        item = items[n]
        if not (isinstance(item, Space) and item.command in THIN):
            return item
        n += step
    return None


def is_unary(items: tuple[Item, ...], n: int) -> bool:
    """Whether the item at `n` is a sign that belongs to what follows, as in -x."""
    if items[n] not in (Symbol("-"), Symbol("+"), Symbol(r"\pm")):
        return False
    before = neighbor(items, n, -1)
    if isinstance(before, TextCommand) and before.command == r"\text":
        return before.text.endswith(" ")
    return before is None or kind(before) in ("binary", "relation", "comma", "space", "prefix", "function", "big")


def may_call(item: Item) -> bool:
    """Whether a parenthesis close to this item is its argument: f(x) and f'(x), but not 2(x + 1) or P_j(1 - P_j)."""
    if isinstance(item, Script) and (item.sub or item.sup):
        return False
    return kind(item) in ("name", "letter") and not isinstance(item, TextCommand)


def is_call(items: tuple[Item, ...], n: int) -> bool:
    """Whether the item at `n` is the argument of the one before it, as in f(x) and max(0, x)."""
    item = items[n]
    fence = item.base if isinstance(item, Script) else item
    if n == 0 or not isinstance(fence, Fence):
        return False
    function = kind(items[n - 1]) == "function" or isinstance(items[n - 1], TextCommand)
    return fence.call or (function and fence.left == "(" and kind(items[n - 1]) != "words")


def for_ranks(item: Any, ranks: Mapping[str, int]) -> Any:
    """A formula written for matrices in which letters that have fewer axes lose their first indices: a row is x_j."""
    if isinstance(item, Script) and _letters(item.base) in ranks and item.sub:
        rank = ranks[_letters(item.base)]
        if rank < len(_indices(item.sub)):
            last = tuple(index for group in _indices(item.sub)[len(_indices(item.sub)) - rank :] for index in group)
            bare = replace(item, sub=FormulaTree(for_ranks(last, ranks)) if last else None)
            return bare if bare.sub or bare.sup or bare.primes else bare.base
    return in_parts(item, lambda part: for_ranks(part, ranks))


def _indices(sub: FormulaTree) -> list[tuple[Item, ...]]:
    """The indices in a subscript: i and j in x_{ij}, index and j in x_{index,j}."""
    comma = Symbol(",")
    if comma not in sub.items:
        return [(item,) for item in sub.items] if all(isinstance(item, Name) for item in sub.items) else []
    groups: list[tuple[Item, ...]] = [()]
    for item in sub.items:
        if item == comma:
            groups.append(())
        else:
            groups[-1] += (item,)
    return groups


def renamed(item: Any, names: Mapping[str, str]) -> Any:
    """A formula, or a part of one, in which letters of a page have become the names of steps or numbers."""
    if _letters(item) in names:
        name = names[_letters(item)]
        if name == _letters(item):
            return item
        if name.replace(".", "", 1).isdigit():
            return Numeral(name)
        return Name(name) if name.isascii() and name.isalpha() else TextCommand(r"\mathrm", name)
    if isinstance(item, Script) and item.sup == FormulaTree((Symbol(r"\top"),)):
        base = renamed(item.base, names)
        if isinstance(base, TextCommand) and base.text.endswith("ᵀ"):  # transposed twice is not transposed
            once = renamed(Name("x"), {"x": base.text.removesuffix("ᵀ")})
            return replace(item, base=once, sup=None) if item.sub else once
    now = in_parts(item, lambda part: renamed(part, names))
    if isinstance(item, FormulaTree):
        return FormulaTree(_without_zeros(item.items, now.items))
    bare = isinstance(item, Fence) and item.left == "(" and len(item.body.items) > len(now.body.items) == 1
    return now.body.items[0] if bare else now  # nothing is left to be held together


def _letters(item: Any) -> str:
    """The letters of a name, or the name of a Greek letter."""
    if isinstance(item, Name):
        return item.letters
    return item.command.removeprefix("\\") if isinstance(item, Symbol) else ""


def _without_zeros(before: tuple[Item, ...], after: tuple[Item, ...]) -> tuple[Item, ...]:
    """A formula that ends in a letter of the page which has become 0, as n - correction: nothing is taken off."""
    zero = len(after) > 2 and before[-1] != after[-1] == Numeral("0")
    return after[:-2] if zero and after[-2] in (Symbol("+"), Symbol("-")) else after


def in_greek(item: Any) -> Any:
    """A formula in which the name of a Greek letter has become that letter: an input gamma is γ."""
    if isinstance(item, Name) and item.letters in GREEK:
        return Symbol(f"\\{item.letters}")
    return in_parts(item, in_greek)


def with_greek_signs(item: Any) -> Any:
    r"""A formula in which a name that is one Greek letter has become this letter: \mathrm{α} is \alpha."""
    if isinstance(item, TextCommand) and item.text in GREEK_COMMANDS:
        return Symbol(GREEK_COMMANDS[item.text])
    return in_parts(item, with_greek_signs)


def along_columns(item: Any) -> Any:
    """A formula written along the rows of matrices, along their columns: x_{ik} becomes x_{kj}."""
    if isinstance(item, Name):
        return Name(EXCHANGED.get(item.letters, item.letters))
    now = in_parts(item, along_columns)
    if isinstance(item, Script) and item.sub and len(_indices(item.sub)) == 2:
        row, column = _indices(now.sub)
        comma = (Symbol(","),) if Symbol(",") in item.sub.items else ()
        return replace(now, sub=FormulaTree((*column, *comma, *row)))
    return now


def upright(item: Any) -> Any:
    """A formula as it is set in type: a name of several letters is upright, so that it is not read as a product."""
    if isinstance(item, Name) and len(item.letters.removeprefix("d")) > 1:
        return TextCommand(r"\mathrm", item.letters)
    return in_parts(item, upright)


def in_parts(item: Any, change: Callable[[Any], Any]) -> Any:
    """An item in which every part is changed."""
    if isinstance(item, tuple):
        return tuple(change(part) for part in item)
    if is_dataclass(item) and not isinstance(item, type):
        return replace(item, **{field.name: change(getattr(item, field.name)) for field in fields(item)})
    return item
