"""Long sums and rows: which terms are written out, and which are only counted."""

from __future__ import annotations

from ..engine.hand import Apply, Dot, Entry, Expression, Position, in_float

MAX_TERMS = 8  # a longer sum shows the largest so many, less two, and the rest as one number


def split_terms(expression: Expression) -> tuple[list[Expression], list[Expression]]:
    """The terms of a sum, a maximum or a minimum that are written out, and the others: a long one shows the terms that
    matter most.
    """
    if isinstance(expression, Dot):
        terms: list[Expression] = [Apply("*", pair) for pair in zip(expression.left, expression.right, strict=True)]
    elif isinstance(expression, Position):
        return [expression.value, *expression.crossed, *expression.row], []
    else:
        terms = list(expression.parts) if isinstance(expression, Apply) else [expression]
    if len(terms) <= MAX_TERMS:
        return terms, []
    values = [value_of_term(term) for term in terms]
    if isinstance(expression, Dot) or (isinstance(expression, Apply) and expression.kind == "+"):
        values = [abs(value) for value in values]
    elif isinstance(expression, Apply) and expression.kind == "min":
        values = [-value for value in values]
    shown = set(sorted(range(len(terms)), key=lambda n: -values[n])[: MAX_TERMS - 2])
    return [terms[n] for n in sorted(shown)], [term for n, term in enumerate(terms) if n not in shown]


def value_of_term(term: Expression) -> float | int:
    """The value of a term. The product of two entries is by far the most common, and a sum may have thousands."""
    if isinstance(term, Entry):
        return term.value
    if isinstance(term, Apply) and term.kind == "*":
        one, other = term.parts
        if isinstance(one, Entry) and isinstance(other, Entry):
            return one.value * other.value
    return in_float(term)


def shown_places(expression: Position) -> tuple[list[tuple[int, Expression]], int]:
    """The places of a row that are written out, and how many are not: of a long row, the largest entries are shown."""
    left = expression.left()
    if len(left) <= MAX_TERMS:
        return left, 0
    shown = sorted(left, key=lambda pair: -in_float(pair[1]))[: MAX_TERMS - 2]
    return sorted(shown, key=lambda pair: pair[0]), len(left) - len(shown)
