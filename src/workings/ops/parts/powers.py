"""Powers of e and their total: what softmax and its relatives have in common."""

from __future__ import annotations

import math
from collections.abc import Generator, Sequence
from typing import Any, NamedTuple

from ...engine import hand
from ...engine.arrays import namespace
from ...engine.errors import NumberError
from ...engine.form import Axis, position
from ...engine.hand import Expression, Named
from ...engine.tensor import Tensor


class Powers(NamedTuple):
    """A row of scores less its largest, the powers of e of these, and their total."""

    top: Named
    shifted: list[Named]
    powers: list[Named]
    total: Named


def powers_of(row: Sequence[Expression], tag: str = "") -> Generator[tuple[str, Expression], Named, Powers]:
    """The lines for one row; `tag` tells the lines of several rows apart."""
    top = yield f"max{tag}", hand.largest(row)
    shifted: list[Named] = []
    for k, score in enumerate(row):
        shifted.append((yield f"s{k}{tag}", score - top))
    powers: list[Named] = []
    for k, power in enumerate(shifted):
        powers.append((yield f"e{k}{tag}", hand.exp(power)))
    return Powers(top, shifted, powers, (yield f"total{tag}", hand.add(powers)))


def refuse_harmless(x: Tensor, axis: Axis) -> None:
    """Raise where the largest score may stay: a power of normal size has all its digits."""
    xp: Any = namespace(x.array)
    least = math.log(xp.finfo(x.array.dtype).smallest_normal)
    if not bool(xp.any(xp.max(x.array, axis=position(x.form, axis)) < least)):
        raise NumberError(
            "These scores give the same probabilities, whether or not you subtract the largest first.",
            hint=f"It makes a difference where all scores of a row are below {least:.0f}.",
        )
