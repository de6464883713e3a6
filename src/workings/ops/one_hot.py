"""one_hot: a label as a row of zeros with a single 1."""

from __future__ import annotations

from typing import Any

from ..engine.arrays import Array, Index, namespace
from ..engine.form import Form, Layout, form_of
from ..engine.hand import Hand, Literal, Paper, is_equal
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, values
from ..engine.tensor import Tensor
from .parts.labels import refuse_labels
from .transpose import transpose


class OneHot(Primitive):
    """Turns each label into a row of zeros with a 1 at the index of the label.

    size: the number of classes
    """

    emit = "({0}[..., None] == arange({size})).astype({dtype!r})"
    choices = {"dtype": ("float64", "float32", "float16", "int64", "int32")}

    @formula(r"y_{tv} = [v = ids_t]")
    def forward(self, ids: Array, *, size: int, word: str = "vocab", dtype: str = "float64") -> Array:
        xp: Any = namespace(ids)
        return xp.astype(xp.expand_dims(ids, axis=-1) == xp.arange(size), getattr(xp, dtype))

    def layout(self, ids: Form, *, size: int, word: str, dtype: str) -> Layout:  # type: ignore[override]
        form = form_of((*ids.axes, word), (*ids.shape, size))
        return Layout(form, {"size": size, "word": word, "dtype": dtype})

    no_rule = {"ids": "Labels are integers: there is no small change of them, so they have no gradient."}

    def by_hand(self, at: Index, ids: Paper, *, size: int, word: str, dtype: str) -> Hand:
        return is_equal(Literal(at[-1]), ids[at[:-1]])

    @mistake("You counted from 1: the label 0 means the first column.")
    def counted_from_one(self, ids: Tensor, *, size: int, word: str, dtype: str) -> Tensor:
        return one_hot(ids - 1, size=size, word=word, dtype=dtype)

    @mistake("You inverted the row: the index of the label gets the 1, all others 0.")
    def others_marked(self, ids: Tensor, *, size: int, word: str, dtype: str) -> Tensor:
        return 1 - one_hot(ids, size=size, word=word, dtype=dtype)

    @mistake("You wrote each label into a column: each label has a row.")
    def transposed(self, ids: Tensor, *, size: int, word: str, dtype: str) -> Tensor:
        return transpose(one_hot(ids, size=size, word=word, dtype=dtype))

    def check(self, ids: Array, *, size: int, word: str, dtype: str) -> None:
        refuse_labels(ids, size, "ids")

    example = Example(values([2, 1, 2], "token"), size=4)
    more_examples = (
        Example(values(1), size=3, word="class"),
        Example(values([[2, 0, 3], [1, 2, 1]], "batch token"), size=4, dtype="float32"),
    )


one_hot = OneHot()
