"""More examples of some pages, for the tests only: numbers and axes that a reader need not see, but that tell.

A page has few examples, chosen to be read. Here are those that show a mistake in the page itself: a 0 where a mistake
only seems to leave an input alone, an axis in the middle, sizes that are all different.
"""

from __future__ import annotations

from workings.engine.op import Op
from workings.engine.page import Example, values

MORE: dict[str, tuple[Example, ...]] = {
    "add": (
        Example(
            values([[0.5, 0.0], [-0.3, 0.7]], "token model"),
            values([0.0, -0.4], "model"),
            cotangent=[[0.3, -0.8], [0.6, 0.2]],
        ),
    ),
    "concat": (
        Example(
            values([[[0.2, -0.5], [0.7, 0.1]], [[0.4, 0.9], [1.1, -0.2]]], "head token head_size"),
            values([[[-0.8, 0.3]], [[0.6, -0.4]]], "head token head_size"),
            axis="token",
            cotangent=[[[0.3, -0.7], [0.5, 0.1], [0.8, 0.4]], [[0.2, 0.9], [-0.4, 0.8], [-0.6, 0.7]]],
        ),
    ),
    "add_rows": (
        Example(
            values([[[0.3, -0.8, 0.5], [0.6, 0.2, -0.4]], [[-0.7, 0.9, 0.1], [0.4, 1.2, -0.9]]], "batch token model"),
            values([[2, 1], [0, 2]], "batch token"),
            rows=4,
            cotangent=[[0.2, -0.5, 1.0], [0.7, 0.1, -0.3], [0.4, 0.9, -0.6], [-0.8, 0.3, 0.5]],
        ),
    ),
    "is_max": (
        Example(values([[[2.0, 1.5], [0.1, -0.4], [0.9, 1.7]], [[0.7, 0.2], [-1, 0.6], [0.4, -0.8]]], "a b c"), axis=0),
    ),
    "linear": (
        Example(
            values([[0.2], [-0.5]], "token model"),
            values([[0.4, -0.6]], "model hidden"),
            values([0.3, -0.1], "hidden"),
            cotangent=[[0.3, -0.8], [0.6, 0.2]],
        ),
    ),
    "merge_heads": (
        Example(
            values(
                [[[[0.2, -0.5], [0.7, 0.1], [0.4, 0.9]], [[0.3, 0.8], [-0.6, 0.5], [1.1, -0.2]]]],
                "batch head token head_size",
            ),
            cotangent=[[[0.3, -0.8, 0.5, 0.6], [-0.7, 0.9, 0.1, 0.4], [0.2, -0.4, 0.8, -0.1]]],
        ),
    ),
    "padding_mask": (
        Example(
            values(
                [[[[2.0, 1.5], [0.3, -0.9]], [[0.1, -0.4], [0.8, 0.5]], [[0.7, 0.2], [-0.5, 1.1]]]],
                "batch head query key",
            ),
            values([[1.0, 0.0]], "batch key"),
            cotangent=[[[[0.3, -0.7], [0.4, 0.5]], [[0.1, -0.6], [0.2, 0.9]], [[-0.3, -0.4], [0.8, 0.7]]]],
        ),
    ),
    "power": (
        Example(values([[0.0, -0.5]], "token model"), exponent=0, cotangent=[[0.3, 0.0]]),
        Example(values([[0.7, -0.5]], "token model"), exponent=1, cotangent=[[0.3, -0.8]]),
        Example(values([[0.7, -0.5]], "token model"), exponent=-1, cotangent=[[0.3, -0.8]]),
    ),
    "reshape": (Example(values([[0.7]], "token model"), shape=(), cotangent=0.4),),
    "rms_norm": (
        Example(
            values([[[0.5, -1.5, 0.4], [0.9, 0.4, 1.2]]], "batch token model"),
            values([0.6, 0.8, -0.3], "model"),
            cotangent=[[[0.3, -0.8, 0.1], [0.6, 0.2, -0.5]]],
        ),
        Example(
            values([[0.5, -1.5], [0.9, 0.4]], "token model"),
            values([0.0, 0.8], "model"),
            cotangent=[[0.3, -0.8], [0.6, 0.2]],
        ),
    ),
    "split_heads": (
        Example(
            values([[[0.2, -0.5, 1.0, 0.7], [0.7, 0.1, -0.4, 0.3], [0.4, 0.9, 0.6, -0.8]]], "batch token model"),
            heads=2,
            cotangent=[[[[0.3, -0.7], [0.5, 0.1], [0.8, 0.4]], [[0.2, 0.9], [-0.4, 0.8], [-0.6, 0.7]]]],
        ),
    ),
    "spread": (
        Example(
            values([0.2, -0.5], "token"),
            drop=(-3, -1),
            keep=(),
            axes=("batch", "token", "model"),
            shape=(3, 2, 2),
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]], [[0.6, -0.2], [-0.9, 0.7]]],
        ),
        Example(
            values([[0.2], [-0.5]], "token model"),
            drop=(0,),
            keep=(2,),
            axes=("batch", "token", "model"),
            shape=(3, 2, 2),
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]], [[0.6, -0.2], [-0.9, 0.7]]],
        ),
    ),
    "sum_to": (
        Example(
            values([[[0.3, -0.7, 0.6], [0.5, 0.1, 1.1]], [[0.2, 0.9, -0.2], [-0.4, 0.8, 0.7]]], "batch token model"),
            drop=(-2,),
            keep=(),
            cotangent=[[0.4, -0.3, 0.8], [-0.9, 0.2, 0.5]],
        ),
    ),
    "row_max": (
        Example(values([[0.0, 1.5], [0.9, 0.0]], "query key"), cotangent=[[0.7], [-0.4]]),
        Example(
            values([[[2.0, 1.5], [0.1, -0.4], [0.9, 1.7]], [[0.7, 0.2], [-1.0, 0.6], [0.4, -0.8]]], "head query key"),
            axis=0,
            cotangent=[[[0.3, -0.7], [0.5, 0.1], [0.2, 0.9]]],
        ),
    ),
}


def examples_of(op: Op) -> tuple[Example, ...]:
    """The examples of the page, and those for the tests."""
    return (*op.page.examples, *MORE.get(op.name, ()))
