"""A formula in plain words, for a screen reader. Every phrase has a key, so that it can be translated."""

from __future__ import annotations

from ..engine.sentences import add_sentences, say
from .formula_tree import (
    SIGNS,
    Accent,
    Fence,
    Formula,
    Fraction,
    Grid,
    Item,
    Name,
    Number,
    Root,
    Script,
    Space,
    Symbol,
    Words,
    beside,
    is_call,
    is_factor,
    is_unary,
    kind,
)

add_sentences(
    "speech",
    {
        "gradient": "d {name}",
        "product": "times",
        "fraction": "the fraction {top} over {bottom}, end fraction",
        "root": "the square root of {body}",
        "root.long": "the square root of {body}, end root",
        "sub": "{base} sub {sub}",
        "sub.long": "{base} sub {sub}, end sub",
        "prime": "{base} prime",
        "square": "{base} squared",
        "cube": "{base} cubed",
        "transpose": "{base} transposed",
        "superscript": "{base} superscript {power}",
        "power": "{base} to the power {power}",
        "power.long": "{base} to the power {power}, end power",
        "over": "{base} over {sub}",
        "from": "{base} from {sub} to {power}",
        "base": "{base} to the base {sub}",
        "of": "{function} of",
        "accent.hat": "{body} hat",
        "accent.bar": "{body} bar",
        "accent.tilde": "{body} tilde",
        "fence.(": "open parenthesis",
        "fence.)": "close parenthesis",
        "fence.[": "open bracket",
        "fence.]": "close bracket",
        "fence.{": "open brace",
        "fence.}": "close brace",
        "fence": "{left} {body}, {right}",
        "absolute": "the absolute value of {body}, end absolute value",
        "norm": "the norm of {body}, end norm",
        "cases": "by cases: {rows}; end cases",
        "matrix": "the matrix {rows}; end matrix",
        "matrix.row": "row {number}: {cells}",
        "subscript.comma": "comma",
    },
)

add_sentences(
    "speech.sign",
    {sign.name: sign.name for sign in SIGNS.values() if sign.kind == "letter" and sign.name.islower()}
    | {sign.name: f"capital {sign.name}" for sign in SIGNS.values() if not sign.name.islower()}
    | {
        "infinity": "infinity",
        "top": "top",
        "dots": "and so on",
        "partial": "partial",
        "nabla": "the gradient",
        "not": "not",
        "sum": "the sum",
        "product": "the product",
        "max": "the maximum",
        "min": "the minimum",
        "exp": "the exponential",
        "ln": "the natural logarithm",
        "log": "the logarithm",
        "tanh": "the hyperbolic tangent",
        "sin": "the sine",
        "cos": "the cosine",
        "plus": "plus",
        "minus": "minus",
        "plus_minus": "plus or minus",
        "times": "times",
        "divided_by": "divided by",
        "entrywise": "times, entry by entry,",
        "equals": "equals",
        "less": "is less than",
        "greater": "is greater than",
        "at_most": "is at most",
        "at_least": "is at least",
        "differs": "is not equal to",
        "about": "is about",
        "distributed": "is distributed as",
        "in": "in",
        "to": "goes to",
        "becomes": "becomes",
        "implies": "implies",
        "given": "given",
        "colon": "colon",
        "comma": ",",
        "semicolon": ";",
    },
)

# Names that begin with d and are not the gradient of something. A test compares them with the pages.
WORDS_IN_D = frozenset({"decay", "delta", "depth", "dim", "distance", "divisor", "dot", "drop", "dropout"})


def speak(formula: Formula) -> str:
    return _row(formula)


def _row(formula: Formula, index: bool = False) -> str:
    """The items one after the other; products and applied operators get their word in between."""
    items, words = formula.items, []
    for n, item in enumerate(items):
        if isinstance(item, Space):
            continue
        if not index and _is_times(items, n):
            words.append(say("speech.product"))
        text = _item(item, index)
        follower = beside(items, n, +1)
        applied = kind(item) in ("function", "big") and (is_factor(follower) or _is_sign(items, n + 1))
        if applied or (n + 1 < len(items) and is_call(items, n + 1)):
            text = say("speech.of", function=text)
        words.append(text)
    return " ".join(words).replace(" ,", ",").replace(" ;", ";").replace(",,", ",")


def _is_times(items: tuple[Item, ...], n: int) -> bool:
    before = beside(items, n, -1)
    if before is None or not is_factor(before) or not is_factor(items[n]) or is_call(items, n):
        return False
    if isinstance(before, Fraction):
        return kind(before.top.items[-1]) != "prefix"
    return kind(before) not in ("prefix", "function", "big")


def _is_sign(items: tuple[Item, ...], n: int) -> bool:
    return n < len(items) and is_unary(items, n)


def _item(item: Item, index: bool) -> str:
    match item:
        case Number(digits):
            return digits
        case Name(letters):
            is_gradient = len(letters) > 1 and letters[0] == "d" and letters not in WORDS_IN_D
            return say("speech.gradient", name=letters[1:]) if is_gradient else letters
        case Symbol(","):
            return say("speech.subscript.comma" if index else "speech.sign.comma")
        case Symbol(command):
            return say(f"speech.sign.{SIGNS[command].name}")
        case Words(_, text):
            return text.strip().replace("_", " ")
        case Accent(command, body):
            return say(f"speech.accent.{command[1:]}", body=_item(body, index))
        case Script():
            return _script(item, index)
        case Fraction(top, bottom):
            return say("speech.fraction", top=_row(top, index), bottom=_row(bottom, index))
        case Root(body):
            return say("speech.root" if _is_short(body) else "speech.root.long", body=_row(body, index))
        case Fence():
            return _fence(item, index)
        case Grid():
            return _grid(item, index)
        case Space():
            return ""


def _script(script: Script, index: bool) -> str:
    base = text = _item(script.base, index)
    if isinstance(script.base, Root):
        base = text = say("speech.root.long", body=_row(script.base.body, index))
    sub = _row(script.sub, index=True) if script.sub else ""
    power = _row(script.sup, index) if script.sup else ""
    command = script.base.command if isinstance(script.base, Symbol) else ""
    if sub and power and kind(script.base) == "big":
        return say("speech.from", base=base, sub=sub, power=power)
    if script.sub:
        is_bound = kind(script.base) == "big" or command in (r"\max", r"\min")
        key = "over" if is_bound else "base" if command == r"\log" else "sub" if _is_plain(script.sub) else "sub.long"
        text = say(f"speech.{key}", base=base, sub=sub)
    for _ in range(script.primes):
        text = say("speech.prime", base=text)
    return say(f"speech.{_power(script.sup)}", base=text, power=power) if script.sup else text


def _power(sup: Formula) -> str:
    """The key of the phrase for an exponent."""
    match sup.items:
        case (Symbol(r"\top"),):
            return "transpose"
        case (Number("2"),):
            return "square"
        case (Number("3"),):
            return "cube"
        case (Fence(),):
            return "superscript"
    return "power" if _is_short(sup) else "power.long"


def _is_plain(formula: Formula) -> bool:
    """Whether a subscript is a list of letters and numbers, or one word, which needs no word at its end."""
    if len(formula.items) == 1 and isinstance(formula.items[0], Words):
        return True
    plain = ("name", "letter", "number", "comma")
    return all(kind(item) in plain and not isinstance(item, Script) for item in formula.items)


def _is_short(formula: Formula) -> bool:
    """Whether one can hear where a part ends: one letter or number, with its subscript and sign."""
    items = formula.items[1:] if _is_sign(formula.items, 0) else formula.items
    if len(items) != 1 or kind(items[0]) not in ("name", "letter", "number"):
        return False
    return not isinstance(items[0], Script) or items[0].sup is None


def _fence(fence: Fence, index: bool) -> str:
    body = _row(fence.body, index)
    if fence.left == fence.right:
        return say("speech.absolute" if fence.left == "|" else "speech.norm", body=body)
    left, right = (say(f"speech.fence.{side.removeprefix(chr(92))}") for side in (fence.left, fence.right))
    return say("speech.fence", left=left, body=body, right=right)


def _grid(grid: Grid, index: bool) -> str:
    rows = [", ".join(_row(cell, index) for cell in row) for row in grid.rows]
    if grid.kind == "cases":
        return say("speech.cases", rows="; ".join(rows))
    numbered = (say("speech.matrix.row", number=n, cells=cells) for n, cells in enumerate(rows, 1))
    return say("speech.matrix", rows="; ".join(numbered))
