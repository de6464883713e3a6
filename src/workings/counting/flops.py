"""The floating-point operations (FLOPs) of one closed step.

A matrix product takes 2 · rows · columns · terms: one multiplication and one addition for each term of each entry.
Everything else goes entry by entry. A composite is opened, and each primitive inside takes one operation for every
entry of its result; a sum or a maximum takes one for every entry that it reads; a sum of products, two. Moving entries
takes none.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from ..engine.arithmetic import Operation
from ..engine.context import Context, within
from ..engine.form import Form
from ..engine.op import Op
from ..engine.settings import Settings
from ..engine.tensor import Tensor
from .hollow import Forms

READS = ("sum", "row_max", "sum_to")
MOVES = ("lookup", "concat", "one_hot", "place_row", "pick", "mask")


class ProductSize(NamedTuple):
    """One matrix product: the shape of its result, and the number of terms in each entry."""

    result: tuple[int, ...]
    terms: int

    @property
    def flops(self) -> int:
        return 2 * self.terms * math.prod(self.result)


class Work(NamedTuple):
    """The matrix products of one step, and its operations entry by entry."""

    products: tuple[ProductSize, ...] = ()
    entrywise: int = 0


class ClosedStep(NamedTuple):
    """The form of the result of a closed step, and the work in it."""

    form: Form
    work: Work


_KNOWN: dict[tuple[object, ...], ClosedStep] = {}
MAX_KNOWN = 4096  # closed steps that are remembered: all blocks of a model have the same


def closed(op: Op, tensors: tuple[Tensor, ...], settings: Settings) -> ClosedStep:
    """The form of the result of an op on inputs of these forms, and the work in it.

    >>> from workings import ops
    >>> from workings.engine.form import form_of
    >>> from workings.counting.hollow import Hollow
    >>> x = Tensor(Hollow((3, 2)), form_of(("token", "model"), (3, 2)))
    >>> closed(ops.softmax, (x,), ops.softmax.complete({})).work  # largest, minus, power, sum, divided
    Work(products=(), entrywise=30)
    """
    key = (op.name, tuple(x.form for x in tensors), settings.key)
    known = _KNOWN.get(key)
    if known is None:
        if len(_KNOWN) >= MAX_KNOWN:
            _KNOWN.clear()
        known = _KNOWN[key] = _closed(op, tensors, settings)
    return known


def _closed(op: Op, tensors: tuple[Tensor, ...], settings: Settings) -> ClosedStep:
    forms = Forms()
    with within(Context(forms)):
        output = forms.run(op, tensors, settings)
    if op.name == "add_rows":
        # Its page is a product with a table of 0 and 1, but it is computed by adding each entry once.
        return ClosedStep(output.form, Work((), _entries(tensors[0].form)))
    products = tuple(_product(*done) for done in forms.done if done[0].name in ("matmul", "outer"))
    return ClosedStep(output.form, Work(products, sum(_entrywise(*done) for done in forms.done)))


def _product(op: Operation, inputs: tuple[Form, ...], form: Form) -> ProductSize:
    return ProductSize(form.shape, 1 if op.name == "outer" else inputs[0].shape[-1])


def _entrywise(op: Operation, inputs: tuple[Form, ...], form: Form) -> int:
    if op.name in ("matmul", "outer", *MOVES) or getattr(op, "view", False):
        return 0
    if op.name in READS:
        return _entries(inputs[0])
    if op.name == "dot":
        return 2 * _entries(inputs[0])
    if op.name == "collect":  # three parts take two additions
        return (len(inputs) - 1) * _entries(form)
    return _entries(form)


def _entries(form: Form) -> int:
    return math.prod(form.shape)
