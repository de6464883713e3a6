r"""A formula for column vectors: where a page writes C = A B for rows, it is C = B A when everything is transposed.

Each letter now means the transposed matrix. So the last two indices of an entry change places, and a product of
matrices is written in reverse order, because (A B)^\top = B^\top A^\top. What works entry by entry stays as it is.
"""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from typing import Any

from .tree import (
    EXCHANGED,
    THIN,
    FormulaTree,
    Item,
    Name,
    Numeral,
    Script,
    Space,
    Symbol,
    in_parts,
    is_call,
    is_factor,
    kind,
)

COMMA, TOP, SUM = Symbol(","), Symbol(r"\top"), Symbol(r"\sum")
Indices = list[tuple[Item, ...]]


def in_columns(item: Any, counted: frozenset[str] = frozenset()) -> Any:
    r"""A formula, or a part of one, for column vectors. The letters i and j change places as well, so that i is still
    a row of what is shown. `counted` are letters whose first index chooses one of several parts.

    >>> from workings.formula.parse import parse, to_unicode
    >>> print(to_unicode(in_columns(parse(r"C_{ij} = \sum_k a_{ik} \, b_{kj}"))))
    Cᵢⱼ = Σₖ bᵢₖ aₖⱼ
    >>> print(to_unicode(in_columns(parse(r"db = a^\top \, dC"))))
    db = dC aᵀ
    """
    if isinstance(item, Name):
        return Name(EXCHANGED.get(item.letters, item.letters))
    now = in_parts(item, lambda part: in_columns(part, counted))
    if isinstance(now, Script) and now.sub and kind(now.base) not in ("big", "function"):
        is_counted = isinstance(now.base, Name) and now.base.letters in counted
        return replace(now, sub=_transposed(now.sub, is_counted))
    return FormulaTree(_reversed(_contracted(now.items))) if isinstance(now, FormulaTree) else now


def _transposed(sub: FormulaTree, is_counted: bool) -> FormulaTree:
    """A subscript whose last two indices have changed places."""
    found = _indices(sub)
    first = 1 if is_counted else 0
    if len(found) - first < 2:
        return sub
    found = [*found[:-2], found[-1], found[-2]]
    if COMMA not in sub.items:
        return FormulaTree(tuple(item for index in found for item in index))
    items: list[Item] = []
    for n, index in enumerate(found):
        close = n > first and _is_letter(index) and _is_letter(found[n - 1])  # parts_{n,ij}
        items += [*([COMMA] if n and not (close and _has_rows(sub)) else []), *index]
    return FormulaTree(tuple(items))


def _indices(sub: FormulaTree) -> Indices:
    """The indices in a subscript: i and j in x_{ij}, index and j in x_{index,j}, n and i and j in parts_{n,ij}."""
    if COMMA not in sub.items:
        whole = all(isinstance(item, Name | Numeral) for item in sub.items)
        return [(item,) for item in sub.items] if whole else [sub.items]
    groups: Indices = [()]
    for item in sub.items:
        if item == COMMA:
            groups.append(())
        else:
            groups[-1] += (item,)
    return [index for group in groups for index in (_one_by_one(group) if _is_row(group) else [group])]


def _one_by_one(group: tuple[Item, ...]) -> Indices:
    return [(item,) for item in group]


def _is_row(group: tuple[Item, ...]) -> bool:
    return len(group) > 1 and all(isinstance(item, Name) for item in group)


def _has_rows(sub: FormulaTree) -> bool:
    """Whether indices of this subscript follow each other without a comma."""
    return any(isinstance(a, Name) and isinstance(b, Name) for a, b in zip(sub.items, sub.items[1:], strict=False))


def _is_letter(index: tuple[Item, ...]) -> bool:
    return len(index) == 1 and isinstance(index[0], Name)


def _contracted(items: tuple[Item, ...]) -> tuple[Item, ...]:
    """A sum of products over an index that two letters share, in the order in which these are multiplied."""
    row = list(items)
    for n, item in enumerate(row):
        if not (isinstance(item, Script) and item.base == SUM and item.sub):
            continue
        factors = [m for m in range(n + 1, len(row)) if not isinstance(row[m], Space)][:2]
        if len(factors) == 2 and _are_exchanged(row[factors[0]], row[factors[1]], item.sub.items):
            row[factors[0]], row[factors[1]] = row[factors[1]], row[factors[0]]
    return tuple(row)


def _are_exchanged(left: Item, right: Item, over: tuple[Item, ...]) -> bool:
    """Whether the index of a sum comes first in the left factor and last in the right one."""
    if not (isinstance(left, Script) and isinstance(right, Script) and left.sub and right.sub):
        return False
    one, other = _indices(left.sub), _indices(right.sub)
    return one[0] == over == other[-1] and len(one) + len(other) > 2 and not one[-1] == over == other[0]


def _reversed(items: tuple[Item, ...]) -> tuple[Item, ...]:
    r"""A row in which products of matrices are in reverse order. On a page a product without indices is one of matrices
    if it contains a \top; any other is of numbers.
    """
    done: list[Item] = []
    product: list[list[Item]] = []  # factors; a function and its argument are one
    for n, item in enumerate(items):
        if isinstance(item, Space) and item.command in THIN and product:
            continue
        if not is_factor(item) or kind(item) in ("big", "prefix"):
            done += [*_joined(product), item]
            product = []
        elif product and is_call(items, n):
            product[-1].append(item)
        else:
            product.append([item])
    return (*done, *_joined(product)) if any(_has_top(item) for item in items) else items


def _joined(product: list[list[Item]]) -> list[Item]:
    of_matrices = any(_has_top(item) for factor in product for item in factor)
    items: list[Item] = []
    for factor in reversed(product) if of_matrices else product:
        items += [*([Space(r"\,")] if items else []), *factor]
    return items


def _has_top(item: Any) -> bool:
    if isinstance(item, tuple):
        return any(_has_top(part) for part in item)
    if is_dataclass(item) and not isinstance(item, type):
        return item == TOP or any(_has_top(getattr(item, field.name)) for field in fields(item))
    return False
