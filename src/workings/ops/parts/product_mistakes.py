"""What goes wrong in matrix products, also those of attention: the mistakes of matmul that are not about a weight."""

from __future__ import annotations

from ...engine.arrays import dtype_name
from ...engine.changes import Changes
from ...engine.form import wrong_rank
from ...engine.op import Primitive
from ...engine.page import mistake
from ...engine.site import Site
from ...engine.tensor import Tensor
from ..argmax import argmax
from ..concat import concat
from ..one_hot import one_hot
from ..outer import outer
from ..split import split
from ..take_row import take_row
from ..transpose import transpose
from . import attention_wires
from .weights import is_of_weight


class ProductMistakes(Primitive):
    """Mistakes with the order of the factors and with their transposes, and with what attention multiplies."""

    @mistake("You multiplied in the reverse order: the rows of the first matrix come first.")
    def reversed(self, a: Tensor, b: Tensor) -> Tensor:
        return self._unnamed(b, a, (*a.axes[-2:-1], b.axes[-1]))

    @mistake("You transposed the upstream gradient: the gradient of a is dC times bᵀ.", of="a")
    def upstream_transposed(self, g: Tensor, b: Tensor) -> Tensor:
        return self._unnamed(transpose(g), transpose(b), (*g.axes[-2:-1], b.axes[-2]))

    @mistake("You multiplied bᵀ by dC: the gradient of a is dC times bᵀ, in this order.", of="a")
    def second_factor_first(self, g: Tensor, b: Tensor) -> Tensor:
        return self._unnamed(transpose(b), g, (*g.axes[-2:-1], b.axes[-2]))

    @mistake(
        "You multiplied by the queries themselves: the gradient of the queries needs the keys.",
        of="a",
        surroundings=attention_wires.is_of_scores,
    )
    def queries_by_queries(self, g: Tensor, a: Tensor) -> Tensor:
        return self._unnamed(g, a, a.axes[-2:])

    @mistake("You transposed the upstream gradient: the gradient of b is aᵀ times dC.", of="b")
    def gradient_transposed(self, g: Tensor, a: Tensor) -> Tensor:
        return self._unnamed(transpose(a), transpose(g), (a.axes[-1], g.axes[-1]))

    @mistake("You multiplied dC by aᵀ: the gradient of b is aᵀ times dC, in this order.", of="b")
    def gradient_first(self, g: Tensor, a: Tensor) -> Tensor:
        return self._unnamed(g, transpose(a), (a.axes[-1], g.axes[-1]))

    @mistake(
        "You multiplied by the keys themselves: the gradient of the keys needs the queries.",
        of="b",
        surroundings=attention_wires.is_of_scores,
    )
    def keys_by_keys(self, g: Tensor, b: Tensor) -> Tensor:
        return self._unnamed(b, g, b.axes[-2:])

    @mistake(
        "You averaged over the rows: the gradient of a weight sums over all rows.", of="b", surroundings=is_of_weight
    )
    def weight_averaged(self, g: Tensor, a: Tensor) -> Tensor:
        return self._product(transpose(a), g) / a.size(-2)

    @mistake(
        "You kept only the contribution of the last row: the gradient of a weight sums over all rows.",
        of="b",
        surroundings=is_of_weight,
    )
    def last_row_only(self, g: Tensor, a: Tensor) -> Tensor:
        return outer(take_row(a, index=-1), take_row(g, index=-1))

    @mistake("You swapped queries and keys: each row of the scores belongs to a query.", across="wire")
    def queries_and_keys_exchanged(self, here: Site) -> Changes | None:
        return attention_wires.queries_and_keys_exchanged(here)

    @mistake(
        "You swapped keys and values: the scores compare queries with keys, and the weights average the values.",
        across="wire",
    )
    def keys_and_values_exchanged(self, here: Site) -> Changes | None:
        return attention_wires.keys_and_values_exchanged(here)

    @mistake("You used the values as keys: the scores compare queries with keys.", across="wire")
    def values_for_keys(self, here: Site) -> Changes | None:
        return attention_wires.values_for_keys(here)

    @mistake("You compared the queries with each other: the scores compare queries with keys.", across="wire")
    def queries_for_keys(self, here: Site) -> Changes | None:
        return attention_wires.queries_for_keys(here)

    @mistake("You compared the tokens themselves: first project them to queries and keys.", across="wire")
    def projections_forgotten(self, here: Site) -> Changes | None:
        return attention_wires.projections_forgotten(here)

    @mistake("You averaged the keys: the attention weights average the values.", across="wire")
    def keys_for_values(self, here: Site) -> Changes | None:
        return attention_wires.keys_for_values(here)

    @mistake(
        "You averaged all values equally: weight each value by its attention weight.",
        surroundings=attention_wires.averages_values,
    )
    def plain_average(self, a: Tensor, b: Tensor) -> Tensor:
        return self._product(0.0 * a + 1 / a.size(-1), b)

    @mistake(
        "You took only the value with the largest attention weight: average all values by their weights.",
        surroundings=attention_wires.averages_values,
    )
    def only_largest(self, a: Tensor, b: Tensor) -> Tensor:
        marks = one_hot(argmax(a), size=a.size(-1), word=a.axes[-1], dtype=dtype_name(a.array))
        return self._product(marks, b)

    @mistake(
        "You used the keys or values of another head: each head has its own.",
        surroundings=attention_wires.second_of_other_head,
    )
    def other_head(self, a: Tensor, b: Tensor) -> Tensor:
        return self._product(a, _of_next_head(b))

    @mistake(
        "You used the queries or attention weights of another head: each head has its own.",
        surroundings=attention_wires.first_of_other_head,
    )
    def other_head_first(self, a: Tensor, b: Tensor) -> Tensor:
        return self._product(_of_next_head(a), b)

    def _product(self, a: Tensor, b: Tensor) -> Tensor:
        product: Tensor = self(a, b)
        return product

    def _unnamed(self, a: Tensor, b: Tensor, axes: tuple[str, ...]) -> Tensor:
        """The product of two matrices whose rows and columns may have any words; it gets these two."""
        for x in (a, b):
            if x.ndim < 2:
                raise wrong_rank("matmul", "two matrices", x.ndim)
        one, other = (x.relabeled((*x.axes[:-2], "", "")) for x in (a, b))
        return self._product(one, other).relabeled((*a.axes[:-2], *axes))


def _of_next_head(x: Tensor) -> Tensor:
    """Each head with the rows of the next, where heads are an axis."""
    if x.axes[-3:-2] != ("head",):
        return x
    sizes = (1, x.size(-3) - 1)
    first, rest = (split(x, sizes=sizes, part=part, axis=-3) for part in (0, 1))
    return concat(rest, first, axis=-3)
