"""A little evaluator for the arithmetic on a page: what a learner types into a calculator.

It knows nothing of the package: it reads text such as `0.31×0.38 + (506 smaller: -1.2)`, `e^(-0.5)` or `10000^0.5`, and
`first position of 2.0 in 0: 1.5, 1: 2.0`.
"""

from __future__ import annotations

import re
from decimal import Context, Decimal, localcontext
from functools import partial

import mpmath

WIDE = Context(prec=60)
TOKEN = re.compile(
    r"\s*(-?\d+(?:[.,]\d+)?(?:e[+-]\d+)?|-?∞|e\^|ln|√|tanh|erf|sin|cos|max|min|more|smaller|first position of|in"
    r"|[-+−×·/^()\[\]=>,:])"
)


def by_mpmath(name: str, value: Decimal) -> Decimal:
    with mpmath.workdps(70):
        return Decimal(mpmath.nstr(getattr(mpmath, name)(mpmath.mpf(str(value))), 65))


FUNCTIONS = {"e^": WIDE.exp, "ln": WIDE.ln, "√": WIDE.sqrt}
FUNCTIONS |= {name: partial(by_mpmath, name) for name in ("tanh", "erf", "sin", "cos")}


def calculate(text: str) -> Decimal:
    """The exact value of a printed expression."""
    with localcontext(WIDE):
        return _Reader(text).whole()


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[str] = []
        at = 0
        while text[at:].strip():
            found = TOKEN.match(text, at)
            if not found:
                raise ValueError(f"not arithmetic: {text[at:]!r} in {text!r}")
            self.tokens.append(found[1])
            at = found.end()
        self.tokens.append("")
        self.at = 0

    def take(self, *expected: str) -> str:
        token = self.tokens[self.at]
        if expected and token not in expected:
            raise ValueError(f"{token!r}, not {expected}, in {self.tokens}")
        self.at += 1
        return token

    def next_is(self, *tokens: str) -> bool:
        return self.tokens[self.at] in tokens

    def whole(self) -> Decimal:
        value = self.sum()
        self.take("")
        return value

    def sum(self) -> Decimal:
        value = self.product()
        while self.next_is("+", "−", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self) -> Decimal:
        value = self.power()
        while self.next_is("×", "·", "/"):
            value = value / self.power() if self.take() == "/" else value * self.power()
        return value

    def power(self) -> Decimal:
        value = self.factor()
        if self.next_is("^"):
            self.take()
            value = value ** self.factor()
        return value

    def factor(self) -> Decimal:
        token = self.take()
        if token in ("−", "-"):
            return -self.factor()
        if token == "(":
            if self.tokens[self.at + 1] == "smaller":  # (506 smaller: -1.2)
                self.at += 2
                self.take(":")
            value = self.sum()
            self.take(")")
            return value
        if token == "[":  # 1 where it is true
            left, sign, right = self.sum(), self.take("=", ">"), self.sum()
            self.take("]")
            return Decimal(int(left == right if sign == "=" else left > right))
        if token == "max":
            return max(self.arguments())
        if token == "min":
            return min(self.arguments())
        if token == "first position of":
            return self.position()
        if token in ("∞", "-∞"):
            return Decimal(token.replace("∞", "Infinity"))
        if token in FUNCTIONS:
            (value,) = self.arguments()
            return FUNCTIONS[token](value)
        if not token[-1:].isdigit():
            raise ValueError(f"{token!r} is not a number, in {self.tokens}")
        return Decimal(token.replace(",", "."))

    def position(self) -> Decimal:
        """The first place of a value: first position of 2.0 in 0: 1.5, 1: 2.0, 6 more."""
        value, sign, places = self.sum(), self.take("in"), list[Decimal]()
        while sign:
            if self.tokens[self.at + 1] == "more":
                self.at += 2
            else:
                place, _, entry = self.sum(), self.take(":"), self.sum()
                places += [place] if entry == value else []
            sign = self.take(",", "")
        self.at -= 1
        return places[0]

    def arguments(self) -> list[Decimal]:
        self.take("(")
        values = [self.sum()]
        while self.take(",", ")") == ",":
            if self.tokens[self.at + 1] == "more":  # none of the others decides
                self.at += 2
            else:
                values.append(self.sum())
        return values
