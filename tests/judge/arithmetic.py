"""What a written form amounts to: a line of a hand calculation, worked out from the full values of its numbers.

A form is a list of spans. Its numbers count with their values, not with the digits that are shown; the words between
them are operators, functions, and the names of earlier lines.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import mpmath
from mpmath import mpf

Token = str | mpf
Spans = list[Mapping[str, Any]]
FUNCTIONS = {"e^": "exp", "ln": "log", "√": "sqrt"} | {name: name for name in ("tanh", "erf", "sin", "cos")}
WORD = re.compile(
    r"\s*(first position of|more|in\b|e\^|max|min|ln|tanh|erf|sin|cos|√|\d+|[^\W\d][\w./]*|[-+−×·/^()\[\]=>,:])"
)
INFINITE = {"inf": mpf("inf"), "-inf": mpf("-inf"), "nan": mpf("nan")}


class NotArithmetic(Exception):
    """The words of a form cannot be read as a calculation."""


def exact(value: Any) -> mpf:
    """The value of a number in JSON, as its shortest decimal says it."""
    return INFINITE[value] if isinstance(value, str) else mpf(repr(value))


def calculate(form: Spans, names: Mapping[str, mpf] | None = None) -> mpf:
    """The value of a form.

    >>> number = {"kind": "number", "value": 0.25}
    >>> words = lambda text: {"kind": "words", "text": text}
    >>> print(calculate([words("√("), number, words(") × 3 − total")], {"total": mpf(1)}))
    0.5
    """
    with mpmath.workdps(40):
        reader = _Reader(tokens(form), names or {})
        value = reader.sum()
        reader.take("")
        return value


def tokens(form: Spans) -> list[Token]:
    found: list[Token] = []
    for span in form:
        if span["kind"] == "number":
            found.append(exact(span["value"]))
            continue
        text, at = span["text"], 0
        while text[at:].strip():
            match = WORD.match(text, at)
            if not match:
                raise NotArithmetic(f"cannot read {text[at:]!r}")
            found.append(match[1])
            at = match.end()
    return [*found, ""]


class _Reader:
    def __init__(self, words: list[Token], names: Mapping[str, mpf]) -> None:
        self.words = words
        self.names = names
        self.at = 0

    def next_is(self, *expected: str, ahead: int = 0) -> bool:
        place = self.at + ahead
        return place < len(self.words) and any(
            self.words[place] is word or self.words[place] == word for word in expected
        )

    def take(self, *expected: str) -> Token:
        if expected and not self.next_is(*expected):
            raise NotArithmetic(f"{self.words[self.at]!r} stands where one of {expected} should be")
        self.at += 1
        return self.words[self.at - 1]

    def sum(self) -> mpf:
        value = self.product()
        while self.next_is("+", "−", "-"):
            value = value + self.product() if self.take() == "+" else value - self.product()
        return value

    def product(self) -> mpf:
        value = self.power()
        while self.next_is("×", "·", "/"):
            value = value / self.power() if self.take() == "/" else value * self.power()
        return value

    def power(self) -> mpf:
        value = self.factor()
        if not self.next_is("^"):
            return value
        self.take("^")
        return value ** self.factor()

    def factor(self) -> mpf:
        word = self.take()
        if isinstance(word, mpf):
            return word
        if word in ("−", "-"):
            return -self.power()
        if word == "(":
            return self.bracket()
        if word == "[":  # 1 where it is true
            left, sign, right = self.sum(), self.take("=", ">"), self.sum()
            self.take("]")
            return mpf(int(left == right if sign == "=" else left > right))
        if word in ("max", "min"):
            return (max if word == "max" else min)(self.arguments())
        if word == "first position of":
            return self.position()
        if word in FUNCTIONS:
            (value,) = self.arguments()
            return getattr(mpmath, FUNCTIONS[word])(value)
        if word in self.names:
            return self.names[word]
        if word.isdigit():
            return mpf(word)
        raise NotArithmetic(f"{word!r} is no number")

    def others(self) -> bool:
        """Whether `506 more` or `506 smaller` comes next; it is passed over."""
        if not self.next_is("more", ahead=1) and not self.next_is("smaller", ahead=1):
            return False
        self.at += 2
        return True

    def bracket(self) -> mpf:
        if self.others():  # (506 smaller: -1.2)
            self.take(":")
        value = self.sum()
        self.take(")")
        return value

    def arguments(self) -> list[mpf]:
        self.take("(")
        values = [self.sum()]
        while self.take(",", ")") == ",":
            if not self.others():
                values.append(self.sum())
        return values

    def position(self) -> mpf:
        """first position of 2.0 in 0: 1.5, 1: 2.0, 6 more"""
        value, places = self.sum(), list[mpf]()
        sign = self.take("in")
        while sign:
            if not self.others():
                place, _, entry = self.sum(), self.take(":"), self.sum()
                places += [place] if entry == value else []
            sign = self.take(",", "")
        self.at -= 1
        if not places:
            raise NotArithmetic("the value stands at none of the positions")
        return places[0]
