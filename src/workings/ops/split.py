"""split: slices an axis into parts and returns one of them."""

from __future__ import annotations

from ..engine.arrays import Array, Index
from ..engine.errors import NumberError, ShapeError
from ..engine.form import Axis, Form, Layout, position
from ..engine.hand import Hand, Literal, Paper
from ..engine.op import Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor, constant_like
from .concat import concat, moved
from .spread import spread


class Split(Primitive):
    """Splits an axis into consecutive parts of the given sizes, and returns one of them.

    sizes: the size of each part
    part: the index of the part, counted from 0; -1 is the last one
    """

    view = True

    @formula(r"y_{ij} = x_{i,s+j}, \quad s = \sum_{k<part} sizes_k")
    def forward(self, x: Array, *, sizes: tuple[int, ...], part: int, axis: int) -> Array:
        start = sum(sizes[:part])
        return x[(..., slice(start, start + sizes[part]), *[slice(None)] * (-axis - 1))]

    def layout(self, x: Form, *, sizes: tuple[int, ...], part: int, axis: Axis) -> Layout:  # type: ignore[override]
        place = position(x, axis)
        size, word, count = x.shape[place], x.axes[place], len(sizes)
        if sum(sizes) != size or min(sizes) < 1:
            named = f"'{word}'" if word else f"axis {place}"
            raise ShapeError(
                f"Parts of {_listed(sizes)} entries make {sum(sizes)} together, but {named} has {size}.",
                hint=f"Give sizes above 0 that add up to {size}.",
            )
        if not -count <= part < count:
            raise NumberError(
                f"There is no part {part}: sizes {_listed(sizes)} make {count} parts.",
                hint="Parts count from 0; -1 is the last one.",
            )
        part %= count
        shape = list(x.shape)
        shape[place] = sizes[part]
        kept = tuple(kept and n != place for n, kept in zip(range(-len(shape), 0), x.kept, strict=True))
        return Layout(Form(x.axes, tuple(shape), kept), {"sizes": sizes, "part": part, "axis": place})

    def source(self, x: Form, *, sizes: tuple[int, ...], part: int, axis: int) -> str:  # type: ignore[override]
        return f"{{0}}[..., {sum(sizes[:part])}:{sum(sizes[: part + 1])}{', :' * (-axis - 1)}]"

    @rule("x", r"dx_{ij} = [s \le j < s + sizes_{part}] \, dy_{i,j-s}")
    def dx(self, g: Tensor, *, sizes: tuple[int, ...], part: int, axis: Axis) -> Tensor:
        part %= len(sizes)
        return _between_zeros(sum(sizes[:part]), g, sum(sizes[part + 1 :]), axis)

    derivation = (
        (r"y_{ij} = x_{i,s+j}", "the part is copied; s entries come before it"),
        (r"dx_{i,s+j} = dy_{ij}", "so its entries get the gradient of their copies"),
        (r"dx_{ij} = 0", "and all others get 0: they are in other parts"),
    )

    def by_hand(self, at: Index, x: Paper, *, sizes: tuple[int, ...], part: int, axis: int) -> Hand:
        return x[moved(at, axis, at[axis] + sum(sizes[:part]))]

    def by_hand_dx(self, at: Index, g: Paper, *, sizes: tuple[int, ...], part: int, axis: int) -> Hand:
        start = sum(sizes[:part])
        inside = start <= at[axis] < start + sizes[part]
        return g[moved(at, axis, at[axis] - start)] if inside else Literal(0.0)

    @mistake("You counted the parts from 1: the first one has the index 0.")
    def counted_from_one(self, x: Tensor, *, sizes: tuple[int, ...], part: int, axis: Axis) -> Tensor:
        return split(x, sizes=sizes, part=part - 1, axis=axis)

    @mistake("You took the part after this one.")
    def next_piece(self, x: Tensor, *, sizes: tuple[int, ...], part: int, axis: Axis) -> Tensor:
        return split(x, sizes=sizes, part=(part + 1) % len(sizes), axis=axis)

    @mistake("You assumed that all parts are as long as this one: it starts where the part before it ends.")
    def begun_too_late(self, x: Tensor, *, sizes: tuple[int, ...], part: int, axis: Axis) -> Tensor:
        own, size = sizes[part], x.size(axis)
        start = min(part % len(sizes) * own, size - own)
        cut = [piece for piece in (start, own, size - own - start) if piece]
        return split(x, sizes=tuple(cut), part=1 if start else 0, axis=axis)

    @mistake("You put the gradient at the start: it belongs where the part was taken from.", of="x")
    def at_the_beginning(self, g: Tensor, *, sizes: tuple[int, ...], part: int, axis: Axis) -> Tensor:
        return _between_zeros(0, g, sum(sizes) - sizes[part], axis)

    @mistake("You put the gradient at the end: it belongs where the part was taken from.", of="x")
    def at_the_end(self, g: Tensor, *, sizes: tuple[int, ...], part: int, axis: Axis) -> Tensor:
        return _between_zeros(sum(sizes) - sizes[part], g, 0, axis)

    example = Example(
        values([[0.2, -0.5, 1.0, 0.4, 0.9, -0.6], [0.7, 0.1, -0.3, -0.8, 0.3, 0.5]], "token model"),
        sizes=(1, 2, 3),
        part=1,
        axis="model",
        cotangent=[[0.3, -0.8], [0.6, 0.2]],
    )
    more_examples = (
        Example(
            values([[0.2, -0.5], [0.7, 0.1], [0.4, 0.9]], "token model"),
            sizes=(1, 2),
            part=-1,
            axis="token",
            cotangent=[[0.3, -0.8], [0.6, 0.2]],
        ),
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]], [[0.7, 0.2], [-1.0, 0.6]]], "head token head_size"),
            sizes=(1, 1),
            part=0,
            axis=0,
            cotangent=[[[0.3, -0.7], [0.5, 0.1]]],
        ),
        Example(values([0.2, -0.5, 1.0], "vocab"), sizes=(3,), part=0, axis=-1, cotangent=[0.3, -0.8, 0.6]),
    )


def _between_zeros(before: int, g: Tensor, after: int, axis: Axis) -> Tensor:
    """The gradient of a piece with zeros before and after it."""
    place, zero = position(g.form, axis), constant_like(0.0, g)

    def zeros(count: int) -> list[Tensor]:
        shape = tuple(count if n == place else size for n, size in zip(range(-g.ndim, 0), g.shape, strict=True))
        return [spread(zero, drop=tuple(range(-g.ndim, 0)), keep=(), axes=g.axes, shape=shape)] if count else []

    return concat(*zeros(before), g, *zeros(after), axis=place)


def _listed(sizes: tuple[int, ...]) -> str:
    return ", ".join(map(str, sizes)) or "no size"


split = Split()
