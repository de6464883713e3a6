"""A formula in plain words, for a screen reader."""

from __future__ import annotations

from .tree import (
    GREEK,
    GREEK_COMMANDS,
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

# What is said for each sign: a Greek letter by its name, every other as listed.
SPOKEN = {f"\\{name}": name.removeprefix("var") if name.islower() else f"capital {name}" for name in GREEK} | {
    r"\infty": "infinity",
    r"\top": "top",
    r"\dots": "and so on",
    r"\ldots": "and so on",
    r"\cdots": "and so on",
    r"\partial": "partial",
    r"\nabla": "the gradient",
    r"\Delta": "capital Delta",
    r"\neg": "not",
    r"\sum": "the sum",
    r"\prod": "the product",
    r"\max": "the maximum",
    r"\min": "the minimum",
    r"\exp": "the exponential",
    r"\ln": "the natural logarithm",
    r"\log": "the logarithm",
    r"\tanh": "the hyperbolic tangent",
    r"\sin": "the sine",
    r"\cos": "the cosine",
    "+": "plus",
    "-": "minus",
    r"\pm": "plus or minus",
    r"\cdot": "times",
    r"\times": "times",
    "/": "divided by",
    r"\odot": "times, entry by entry,",
    "=": "equals",
    "<": "is less than",
    ">": "is greater than",
    r"\le": "is at most",
    r"\ge": "is at least",
    r"\ne": "is not equal to",
    r"\approx": "is about",
    r"\sim": "is distributed as",
    r"\in": "in",
    r"\to": "goes to",
    r"\leftarrow": "becomes",
    r"\Rightarrow": "implies",
    r"\mid": "given",
    "|": "given",
    ":": "colon",
    ",": ",",
    ";": ";",
}
DELIMITERS = {
    "(": "open parenthesis",
    ")": "close parenthesis",
    "[": "open bracket",
    "]": "close bracket",
    r"\{": "open brace",
    r"\}": "close brace",
}

# Names that begin with d and are not the gradient of something. A test compares them with the pages.
WORDS_IN_D = frozenset({"decay", "delta", "depth", "dim", "distance", "divisor", "dot", "drop", "dropout"})


def speak(formula: FormulaTree) -> str:
    return _row(formula)


def _row(formula: FormulaTree, index: bool = False) -> str:
    """The items one after the other; products and applied operators get their word in between."""
    items, words = formula.items, []
    for n, item in enumerate(items):
        if isinstance(item, Space):
            continue
        if not index and _is_times(items, n):
            words.append("times")
        text = _item(item, index)
        follower = neighbor(items, n, +1)
        applied = kind(item) in ("function", "big") and (is_factor(follower) or _is_sign(items, n + 1))
        if applied or (n + 1 < len(items) and is_call(items, n + 1)):
            text = f"{text} of"
        words.append(text)
    return " ".join(words).replace(" ,", ",").replace(" ;", ";").replace(",,", ",")


def _is_times(items: tuple[Item, ...], n: int) -> bool:
    before = neighbor(items, n, -1)
    if before is None or not is_factor(before) or not is_factor(items[n]) or is_call(items, n):
        return False
    if isinstance(before, Fraction):
        return kind(before.top.items[-1]) != "prefix"
    return kind(before) not in ("prefix", "function", "big")


def _is_sign(items: tuple[Item, ...], n: int) -> bool:
    return n < len(items) and is_unary(items, n)


def _item(item: Item, index: bool) -> str:
    match item:
        case Numeral(digits):
            return digits
        case Name(letters):
            is_gradient = len(letters) > 1 and letters[0] == "d" and letters not in WORDS_IN_D
            return f"d {letters[1:]}" if is_gradient else letters
        case Symbol(","):
            return "comma" if index else SPOKEN[","]
        case Symbol(command):
            return SPOKEN[command]
        case TextCommand(_, text):
            return _words(text)
        case Accent(command, body):
            return f"{_item(body, index)} {command[1:]}"
        case Script():
            return _script(item, index)
        case Fraction(top, bottom):
            return f"the fraction {_row(top, index)} over {_row(bottom, index)}, end fraction"
        case Root(body):
            return _root(body, index, has_end=not _is_short(body))
        case Fence():
            return _fence(item, index)
        case Environment():
            return _environment(item, index)
        case Space():
            return ""


def _words(text: str) -> str:
    """A name or a text, in which a Greek letter is said by its name.

    >>> _words("dα_1")
    'd alpha 1'
    """
    spelled = (f" {SPOKEN[GREEK_COMMANDS[sign]]} " if sign in GREEK_COMMANDS else sign for sign in text)
    return " ".join("".join(spelled).replace("_", " ").split())


def _root(body: FormulaTree, index: bool, has_end: bool) -> str:
    return f"the square root of {_row(body, index)}{', end root' if has_end else ''}"


def _script(script: Script, index: bool) -> str:
    base = script.base
    text = _root(base.body, index, has_end=True) if isinstance(base, Root) else _item(base, index)
    if script.sub and script.sup and kind(base) == "big":
        return f"{text} from {_row(script.sub, index=True)} to {_row(script.sup, index)}"
    if script.sub:
        text += _subscript(base, script.sub)
    text += " prime" * script.primes
    return text + _superscript(script.sup, index) if script.sup else text


def _subscript(base: Item, sub: FormulaTree) -> str:
    command = base.command if isinstance(base, Symbol) else ""
    text = _row(sub, index=True)
    if kind(base) == "big" or command in (r"\max", r"\min"):
        return f" over {text}"
    if command == r"\log":
        return f" to the base {text}"
    return f" sub {text}" if _is_plain(sub) else f" sub {text}, end sub"


def _superscript(sup: FormulaTree, index: bool) -> str:
    power = _row(sup, index)
    match sup.items:
        case (Symbol(r"\top"),):
            return " transposed"
        case (Numeral("2"),):
            return " squared"
        case (Numeral("3"),):
            return " cubed"
        case (Fence(),):
            return f" superscript {power}"
    return f" to the power {power}" if _is_short(sup) else f" to the power {power}, end power"


def _is_plain(formula: FormulaTree) -> bool:
    """Whether a subscript is a list of letters and numbers, or one word, which needs no word at its end."""
    if len(formula.items) == 1 and isinstance(formula.items[0], TextCommand):
        return True
    plain = ("name", "letter", "number", "comma")
    return all(kind(item) in plain and not isinstance(item, Script) for item in formula.items)


def _is_short(formula: FormulaTree) -> bool:
    """Whether one can hear where a part ends: one letter or number, with its subscript and sign."""
    items = formula.items[1:] if _is_sign(formula.items, 0) else formula.items
    if len(items) != 1 or kind(items[0]) not in ("name", "letter", "number"):
        return False
    return not isinstance(items[0], Script) or items[0].sup is None


def _fence(fence: Fence, index: bool) -> str:
    body = _row(fence.body, index)
    if fence.left == "|" == fence.right:
        return f"the absolute value of {body}, end absolute value"
    if fence.left == r"\|" == fence.right:
        return f"the norm of {body}, end norm"
    return f"{DELIMITERS[fence.left]} {body}, {DELIMITERS[fence.right]}"


def _environment(environment: Environment, index: bool) -> str:
    rows = [", ".join(_row(cell, index) for cell in row) for row in environment.rows]
    if environment.kind == "cases":
        return f"by cases: {'; '.join(rows)}; end cases"
    numbered = (f"row {n}: {cells}" for n, cells in enumerate(rows, 1))
    return f"the matrix {'; '.join(numbered)}; end matrix"
