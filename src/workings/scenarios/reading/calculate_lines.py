"""A `calculate:` line as a tree of calls. It is parsed here, and never evaluated by Python.

line        NAME = expression
expression  values with + - * / @ between them, a minus before them, .T after them, brackets around them
value       NAME, a plain number, or OP(expression, ..., SETTING=setting, ...)
setting     a number, a word, "text", true, false, or several of those in brackets
NAME        words of letters, digits and _ with points between them: block1.attention.scores

Signs become ops: `2 * x` is scale(x, factor=2), `x.T` is transpose(x).
"""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Any, NoReturn

from ...engine.errors import CallError, ScenarioError, WorkingsError
from ...engine.op import find_op

MAX_LINE_CHARS = 5_000
MAX_SHOWN_CHARS = 120  # of a line in an error
MAX_DEPTH = 50  # of calls and signs inside each other; a sum of 50 terms is as deep

TOKEN = re.compile(
    r"""\s*(?:
    (?P<number>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)
    |(?P<name>[^\s!-/:-@\[-^`{-~]+)
    |(?P<text>"[^"]*"|'[^']*')
    |(?P<sign>[()\[\],=+\-*/@.])
    |(?P<end>\#.*|$)
    )""",
    re.VERBOSE,
)
PRECEDENCE = {"+": 1, "-": 1, "*": 2, "/": 2, "@": 2}
OP_OF_SIGN = {"+": "add", "-": "sub", "*": "mul", "/": "div", "@": "matmul"}
TRUTH = {"true": True, "True": True, "false": False, "False": False}


@dataclass(frozen=True)
class Value:
    """A value by its name."""

    name: str
    depth = 0


@dataclass(frozen=True)
class NumberLiteral:
    """A plain number, such as the 1 in 1 - p."""

    value: float
    depth = 0


@dataclass(frozen=True)
class Call:
    """An op with its inputs and settings."""

    op: str
    inputs: tuple[Expression, ...]
    settings: tuple[tuple[str, Any], ...] = ()
    depth: int = 1


Expression = Value | NumberLiteral | Call


@dataclass(frozen=True)
class CalculateLine:
    """One line: the name of its result, what is computed, its text, and the number of the line in the file."""

    name: str
    expression: Call
    text: str
    line: int


def parse_line(text: str, line: int = 1) -> CalculateLine:
    """Parse one line; an error has the number of the line, its text and, for an unknown op, the nearest name.

    >>> parse_line("weights = softmax(scaled, axis=key)").expression
    Call(op='softmax', inputs=(Value(name='scaled'),), settings=(('axis', 'key'),), depth=1)
    >>> parse_line("scores = Q @ K.T / 2").expression.op
    'divide_by'
    """
    if len(text) > MAX_LINE_CHARS:
        raise ScenarioError(
            f"This line is longer than {MAX_LINE_CHARS} characters.",
            hint="Name its parts on lines above it.",
            where=f"line {line}",
            given=f"{text.strip()[:MAX_SHOWN_CHARS]}...",
        )
    try:
        return _LineParser(text).line(line)
    except WorkingsError as error:
        error.where, error.given = f"line {line}", text.strip()[:MAX_SHOWN_CHARS]
        raise


class _LineParser:
    """Reads the tokens of a line from left to right, each of them once."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = _tokens(text)
        self.at = 0
        self.open = 0  # brackets that are open

    def line(self, number: int) -> CalculateLine:
        name = self.name()
        if name.endswith(".T"):
            self.refuse()
        self.expect("=")
        expression = self.expression()
        if self.kind != "end":
            self.refuse()
        if not isinstance(expression, Call):
            raise ScenarioError(
                f"This line computes nothing for {name}.",
                hint="Use an op on the right of =. To give a step another name, use aliases:.",
            )
        return CalculateLine(name, expression, self.text.strip(), number)

    # -- expressions -----------------------------------------------------------------------

    def expression(self, level: int = 1) -> Expression:
        """Values with signs between them that bind at least as strongly as `level`."""
        left = self.operand()
        while self.word in PRECEDENCE and self.kind == "sign" and PRECEDENCE[self.word] >= level:
            sign = self.word
            self.at += 1
            left = self.signed(sign, left, self.expression(PRECEDENCE[sign] + 1))
        return left

    def operand(self) -> Expression:
        minuses = 0
        while self.is_sign("-") or self.is_sign("+"):
            minuses += self.word == "-"
            self.at += 1
        found = self.transposed(self.atom())
        if minuses % 2 == 0:
            return found
        return NumberLiteral(-found.value) if isinstance(found, NumberLiteral) else self.call("neg", (found,))

    def atom(self) -> Expression:
        if self.kind == "number":
            return NumberLiteral(self.number())
        if self.is_sign("("):
            self.enter("(")
            found = self.expression()
            self.leave(")")
            return found
        name = self.name()
        if self.is_sign("("):
            return self.op_call(name)
        transposes = len(name) - len(base := re.sub(r"(?:\.T)+$", "", name))
        found = Value(base)
        for _ in range(transposes // 2):
            found = self.call("transpose", (found,))
        return found

    def transposed(self, found: Expression) -> Expression:
        while self.is_sign("."):
            self.at += 1
            if self.kind != "name" or self.word != "T":
                self.refuse()
            self.at += 1
            found = self.call("transpose", (found,))
        return found

    def signed(self, sign: str, left: Expression, right: Expression) -> Expression:
        """The op of a sign between two values. A plain number becomes a setting where the op has one."""
        if isinstance(left, NumberLiteral) and isinstance(right, NumberLiteral):
            return NumberLiteral(_computed(sign, left.value, right.value))
        if sign == "*" and isinstance(left, NumberLiteral):
            left, right = right, left
        if sign in ("*", "/") and isinstance(right, NumberLiteral):
            op, setting = ("scale", "factor") if sign == "*" else ("divide_by", "divisor")
            return self.call(op, (left,), ((setting, right.value),))
        return self.call(OP_OF_SIGN[sign], (left, right))

    def op_call(self, op: str) -> Call:
        page = find_op(op).page
        inputs: list[Expression] = []
        settings: dict[str, Any] = {}
        self.enter("(")
        while not self.is_sign(")"):
            if self.kind == "name" and self.tokens[self.at + 1] == ("sign", "="):
                setting = self.name()
                self.expect("=")
                if setting in settings:
                    raise ScenarioError(
                        f"The setting {setting} of {op} is given twice.", hint="Leave one of the two out."
                    )
                if setting in page.inputs:
                    raise ScenarioError(
                        f"{setting} is an input of {op}, and inputs have no names here.",
                        hint="Give the inputs first, in the order of the op's page, and then the settings.",
                    )
                settings[setting] = self.setting()
            elif settings:
                raise ScenarioError(
                    f"An input of {op} comes after a setting.",
                    hint="Give the inputs first, and then the settings with their names.",
                )
            else:
                inputs.append(self.expression())
            if not self.is_sign(")"):
                self.expect(",")
        self.leave(")")
        if len(inputs) < len(page.inputs) or (len(inputs) > len(page.inputs) and not page.variadic):
            raise CallError(
                f"{op} takes {', '.join(page.inputs)}: inputs needed {len(page.inputs)}, given {len(inputs)}.",
                hint="Give the inputs without names, and the settings with their names.",
            )
        find_op(op).complete(settings)  # refuses settings that are unknown, missing or of the wrong type
        return self.call(op, tuple(inputs), tuple(settings.items()))

    def call(self, op: str, inputs: tuple[Expression, ...], settings: tuple[tuple[str, Any], ...] = ()) -> Call:
        depth = 1 + max((part.depth for part in inputs), default=0)
        if depth > MAX_DEPTH:
            raise _too_deep()
        return Call(op, inputs, settings, depth)

    # -- settings --------------------------------------------------------------------------

    def setting(self) -> Any:
        if self.is_sign("[") or self.is_sign("("):
            return self.several()
        if self.kind == "text":
            self.at += 1
            return self.tokens[self.at - 1][1][1:-1]
        if self.kind == "name":
            word = self.name()
            return TRUTH.get(word, word)
        negative = self.is_sign("-")
        self.at += negative or self.is_sign("+")
        found = self.number()
        if self.is_sign("/"):
            self.at += 1
            found = _computed("/", found, self.number())
        return -found if negative else found

    def several(self) -> Any:
        closing = {"[": "]", "(": ")"}[opening := self.word]
        found: list[Any] = []
        commas = 0
        self.enter(opening)
        while not self.is_sign(closing):
            found.append(self.setting())
            if not self.is_sign(closing):
                self.expect(",")
                commas += 1
        self.leave(closing)
        # Brackets around one number change nothing: (2) is 2, and (2,) is a list of one.
        return found[0] if closing == ")" and found and not commas else tuple(found)

    # -- tokens ----------------------------------------------------------------------------

    @property
    def kind(self) -> str:
        return self.tokens[self.at][0]

    @property
    def word(self) -> str:
        return self.tokens[self.at][1]

    def is_sign(self, sign: str) -> bool:
        return self.tokens[self.at] == ("sign", sign)

    def expect(self, sign: str) -> None:
        if not self.is_sign(sign):
            self.refuse()
        self.at += 1

    def enter(self, sign: str) -> None:
        self.expect(sign)
        self.open += 1
        if self.open > MAX_DEPTH:
            raise _too_deep()

    def leave(self, sign: str) -> None:
        self.expect(sign)
        self.open -= 1

    def name(self) -> str:
        """A name with all its points."""
        parts = []
        while True:
            if self.kind != "name":
                self.refuse()
            parts.append(self.word)
            self.at += 1
            if not self.is_sign("."):
                return ".".join(parts)
            self.at += 1

    def number(self) -> float:
        if self.kind != "number":
            self.refuse()
        self.at += 1
        return number_of(self.tokens[self.at - 1][1])

    def refuse(self) -> NoReturn:
        rest = " ".join(word for _, word in self.tokens[self.at :]).strip()
        if rest:
            raise _unreadable(rest)
        raise ScenarioError(
            "This line stops too early.", hint="Write name = op(value, ..., setting=...), and close every bracket."
        )


def _tokens(text: str) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    place = 0
    while not found or found[-1][0] != "end":
        token = TOKEN.match(text, place)
        kind = token.lastgroup if token is not None else None
        if token is None or kind is None or (kind == "name" and not _is_whole_name(token, found)):
            raise _unreadable(text[place:].strip())
        found.append((kind, "" if kind == "end" else token[kind]))
        place = token.end()
    return found


def _is_whole_name(token: re.Match[str], before: list[tuple[str, str]]) -> bool:
    """Whether a name is one, and does not follow a number without a space: 2x is neither."""
    sticks = bool(before) and before[-1][0] == "number" and token.start("name") == token.start()
    return is_name(token["name"]) and not sticks


def is_name(word: str) -> bool:
    """Whether a word can be a part of a name: letters of any alphabet, their marks, digits and _.

    >>> is_name("W_Q"), is_name("α₁"), is_name("2x"), is_name("a-b")
    (True, True, False, False)
    """
    fits = all(c == "_" or c.isalnum() or unicodedata.category(c).startswith("M") for c in word)
    return bool(word) and fits and not word[0].isdigit() and not unicodedata.category(word[0]).startswith("M")


def number_of(text: str) -> float:
    """A plain number; one without a point stays whole, and one that is too large is refused.

    >>> number_of("2"), number_of(".5"), number_of("1e-5")
    (2, 0.5, 1e-05)
    """
    value = float(text)
    if not math.isfinite(value):
        raise _not_finite(text[:20])
    return int(text) if text.isdigit() and value < 2**53 else value


def _computed(sign: str, left: float, right: float) -> float:
    """Two plain numbers with a sign between them: 1/3."""
    if sign == "@":
        raise _unreadable(f"@ {right:g}")
    if sign == "/" and right == 0:
        raise _not_finite(f"{left:g}/0")
    one, other = float(left), float(right)  # whole numbers could grow without end
    value = {"+": one + other, "-": one - other, "*": one * other, "/": one / (other or 1.0)}[sign]
    if not math.isfinite(value):
        raise _not_finite(f"{left:g} {sign} {right:g}")
    return value


def _unreadable(rest: str) -> ScenarioError:
    return ScenarioError(
        f"This line cannot be read from '{rest[:40]}' on.",
        hint="Write name = op(value, ..., setting=...), with + - * / @ between values and .T for a transpose.",
    )


def _too_deep() -> ScenarioError:
    return ScenarioError(
        f"More than {MAX_DEPTH} calls, signs or brackets are nested here.", hint="Name the parts on lines above it."
    )


def _not_finite(number: str) -> ScenarioError:
    return ScenarioError(
        f"{number} is not a finite number.", hint="Use a number that is not too large, and do not divide by 0."
    )
