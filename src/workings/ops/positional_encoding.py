"""positional_encoding: sinusoidal positional encoding."""

from __future__ import annotations

import math
from typing import Any

from ..engine import hand
from ..engine.arrays import Array, Index, dtype_name, is_integer, namespace
from ..engine.checks import not_whole_numbers
from ..engine.form import Form, Layout, form_of
from ..engine.hand import Lines, Literal, Paper
from ..engine.page import Example, formula, mistake, values
from ..engine.settings import bad_setting
from ..engine.tensor import Tensor
from .parts.waves import WaveMistakes, angles, column, plain_angles, right, waves
from .sin import cos, sin

LAYOUTS = ("interleaved", "concatenated")


class PositionalEncoding(WaveMistakes):
    """Encodes each position as a row of sines and cosines whose wavelengths increase along the row.

    Interleaved, the columns alternate: sine, cosine, sine, cosine; an odd size ends with a sine. Concatenated, all
    sines come first, then all cosines, so the size must be even. Both layouts hold the same numbers.

    size: how many columns there are
    base: sets the longest wavelength
    layout: whether sines and cosines alternate
    """

    choices = {"layout": LAYOUTS, "dtype": ("float64", "float32", "float16")}
    conventions = {"position": "layout"}

    @formula(r"y_{t,2i} = \sin(a), \quad y_{t,2i+1} = \cos(a), \quad a = \frac{positions_t}{base^{2i / size}}")
    @formula(
        r"y_{ti} = \sin(a), \quad y_{t,i+size/2} = \cos(a), \quad a = \frac{positions_t}{base^{2i / size}}",
        layout="concatenated",
    )
    def forward(
        self, positions: Array, *, size: int, base: float = 10000.0, layout: str = "interleaved", dtype: str = "float64"
    ) -> Array:
        xp: Any = namespace(positions)
        turns, is_sine = plain_angles(positions, right, size, base, layout)
        return xp.astype(xp.where(is_sine, xp.sin(turns), xp.cos(turns)), getattr(xp, dtype))

    def layout(  # type: ignore[override]
        self, positions: Form, *, size: int, base: float, layout: str, dtype: str
    ) -> Layout:
        self.positive("size", size)
        self.positive("base", base)
        if layout == "concatenated" and size % 2:
            raise bad_setting(self.name, "size", size, "an even number, for as many sines as cosines")
        form = form_of((*positions.axes, "model"), (*positions.shape, size))
        return Layout(form, {"size": size, "base": base, "layout": layout, "dtype": dtype})

    no_rule = {"positions": "Positions are integers: there is no small change of them, so they have no gradient."}

    def by_hand(self, at: Index, positions: Paper, *, size: int, base: float, layout: str, dtype: str) -> Lines:
        pair, is_sine = column(at[-1], size, layout)
        exponent = yield "exponent", Literal(2) * Literal(pair) / Literal(size)
        divisor = yield "divisor", hand.power(Literal(base), exponent)
        angle = yield "angle", positions[at[:-1]] / divisor
        return hand.sin(angle) if is_sine else hand.cos(angle)

    @mistake("You used i / size as the exponent: it is 2i / size, with the same i for a sine and its cosine.")
    def exponent_halved(self, positions: Tensor, *, size: int, base: float, layout: str, dtype: str) -> Tensor:
        return positional_encoding(positions, size=size, base=math.sqrt(base), layout=layout, dtype=dtype)

    @mistake("You doubled the index of each column: a sine and the cosine after it have the same exponent, 2i / size.")
    def exponent_doubled(self, positions: Tensor, *, size: int, base: float, layout: str, dtype: str) -> Tensor:
        return waves(*angles(positions, lambda n, pair, is_sine: 2 * n, size, base, layout, dtype))

    @mistake("You gave the cosine its own exponent: it has that of the sine before it.")
    def cosine_exponent(self, positions: Tensor, *, size: int, base: float, layout: str, dtype: str) -> Tensor:
        return waves(*angles(positions, lambda n, pair, is_sine: 2 * pair + (not is_sine), size, base, layout, dtype))

    @mistake("You swapped sine and cosine: the sine comes first.")
    def exchanged(self, positions: Tensor, *, size: int, base: float, layout: str, dtype: str) -> Tensor:
        turns, is_sine = angles(positions, right, size, base, layout, dtype)
        return is_sine * cos(turns) + (1 - is_sine) * sin(turns)

    @mistake("You counted the positions from 1: the first token is at position 0.")
    def counted_from_one(self, positions: Tensor, *, size: int, base: float, layout: str, dtype: str) -> Tensor:
        return positional_encoding(positions + 1, size=size, base=base, layout=layout, dtype=dtype)

    @mistake("You started at position 0: the first of these tokens has a later position.")
    def counted_from_zero(self, positions: Tensor, *, size: int, base: float, layout: str, dtype: str) -> Tensor:
        first = int(positions.array.min())
        return positional_encoding(positions - first, size=size, base=base, layout=layout, dtype=dtype)

    @mistake("You used the other layout: alternating sines and cosines, or all sines and then all cosines.")
    def other_layout(self, positions: Tensor, *, size: int, base: float, layout: str, dtype: str) -> Tensor:
        other = LAYOUTS[1 - LAYOUTS.index(layout)]
        return positional_encoding(positions, size=size, base=base, layout=other, dtype=dtype)

    @mistake("You used degrees: the angle is in radians. Set your calculator to RAD.")
    def in_degrees(self, positions: Tensor, *, size: int, base: float, layout: str, dtype: str) -> Tensor:
        turns, is_sine = angles(positions, right, size, base, layout, dtype)
        return waves(math.pi / 180 * turns, is_sine)

    def check(self, positions: Array, *, size: int, base: float, layout: str, dtype: str) -> None:
        if not is_integer(positions):
            raise not_whole_numbers("positions", dtype_name(positions))

    example = Example(values([1, 2, 3], "token"), size=4, base=100)
    more_examples = (
        Example(values([[2, 0, 7], [1, 5, 4]], "batch token"), size=6, layout="concatenated"),
        Example(values([0, 1, 12], "token"), size=5),
        Example(values(3), size=2),
    )


positional_encoding = PositionalEncoding()
