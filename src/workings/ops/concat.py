"""concat: joins arrays along an axis."""

from __future__ import annotations

from ..engine.arrays import Array, Index, namespace
from ..engine.errors import ShapeError
from ..engine.form import Axis, Form, Layout, elementwise, form_of, position, wrong_rank
from ..engine.hand import Hand, Paper
from ..engine.op import OPS, Primitive
from ..engine.page import Example, formula, mistake, rule, values
from ..engine.tensor import Tensor


class Concat(Primitive):
    """Joins arrays along an axis, in the given order.

    The parts must have the same size along every other axis.
    """

    @formula(r"y = [parts_1, \dots, parts_n]")
    def forward(self, *parts: Array, axis: int) -> Array:
        return namespace(parts[0]).concat(parts, axis=axis)

    def layout(self, *parts: Form, axis: Axis) -> Layout:  # type: ignore[override]
        first = _same_rank(parts)[0]
        words = elementwise(*(Form(part.axes, first.shape, first.kept) for part in parts))[0].axes
        place = position(form_of(words, first.shape), axis)
        for number, part in enumerate(parts, 1):
            for other in range(-len(words), 0):
                if other != place and part.shape[other] != first.shape[other]:
                    axis_text = f"'{words[other]}'" if words[other] else f"axis {other}"
                    raise ShapeError(
                        f"The parts do not fit side by side: {axis_text} has {first.shape[other]} in part 1 and "
                        f"{part.shape[other]} in part {number}.",
                        hint="Parts may differ only along the axis on which they are joined.",
                    )
        shape = list(first.shape)
        shape[place] = sum(part.shape[place] for part in parts)
        kept = tuple(n != place and all(part.kept[n] for part in parts) for n in range(-len(words), 0))
        return Layout(Form(words, tuple(shape), kept), {"axis": place})

    def source(self, *parts: Form, axis: int) -> str:  # type: ignore[override]
        return f"concatenate(({''.join(f'{{{n}}}, ' for n in range(len(parts)))}), {axis}, {{out}})"

    @rule("parts", r"dparts_{n,ij} = dy_{i,s_n+j}, \quad s_n = \sum_{m<n} sizes_m")
    def dparts(self, g: Tensor, parts: tuple[Tensor, ...], which: int, *, axis: Axis) -> Tensor:
        return OPS["split"](g, sizes=_sizes(g, parts, axis), part=which, axis=axis)

    derivation = (
        (
            r"y_{i,s_n+j} = parts_{n,ij}",
            "part n is copied to the place after all earlier parts, whose sizes sum to s_n",
        ),
        (r"dparts_{n,ij} = dy_{i,s_n+j}", "so each entry gets the gradient of its copy: its slice of dy"),
    )

    def by_hand(self, at: Index, *parts: Paper, axis: int) -> Hand:
        place = at[axis]
        for part in parts:
            if place < part.shape[axis]:
                break
            place -= part.shape[axis]
        return part[moved(at, axis, place)]

    def by_hand_dparts(self, at: Index, g: Paper, parts: tuple[Paper, ...], which: int, *, axis: int) -> Hand:
        before = sum(part.shape[axis] for part in parts[:which])
        return g[moved(at, axis, before + at[axis])]

    @mistake("You joined the parts in reverse order: the first part comes first.")
    def reversed_order(self, *parts: Tensor, axis: Axis) -> Tensor:
        return concat(*parts[::-1], axis=axis)

    @mistake("You joined the parts along the other axis: put them side by side, not below each other.")
    def wrong_axis(self, *parts: Tensor, axis: Axis) -> Tensor:
        return concat(*parts, axis=-2 if position(parts[0].form, axis) == -1 else -1)

    @mistake("You added the parts: put them side by side, so that each keeps all of its entries.")
    def added(self, *parts: Tensor, axis: Axis) -> Tensor:
        return OPS["collect"](*parts)

    @mistake("You repeated the first part: each part appears once.")
    def first_repeated(self, *parts: Tensor, axis: Axis) -> Tensor:
        return concat(*[parts[0]] * len(parts), axis=axis)

    @mistake("You sliced the gradient from the end: the first part gets the first slice.", of="parts")
    def cut_from_the_end(self, g: Tensor, which: int, *parts: Tensor, axis: Axis) -> Tensor:
        sizes = _sizes(g, parts, axis)
        return OPS["split"](g, sizes=(sum(sizes) - sizes[which], sizes[which]), part=1, axis=axis)

    @mistake("You split the gradient evenly among the parts: each part gets its own slice, unscaled.", of="parts")
    def shared_out(self, g: Tensor, which: int, *parts: Tensor, axis: Axis) -> Tensor:
        return self.dparts(g, parts, which, axis=axis) / len(parts)

    example = Example(
        values([[0.2, -0.5], [0.7, 0.1]], "token model"),
        values([[0.4, 0.9], [-0.8, 0.3]], "token model"),
        axis="model",
        cotangent=[[0.3, -0.8, 0.5, 0.6], [-0.7, 0.9, 0.1, 0.4]],
    )
    more_examples = (
        Example(
            values([[0.2, -0.5, 1.0]], "token model"),
            values([[0.7, 0.1, -0.3], [0.4, 0.9, -0.6]], "token model"),
            values([[-0.8, 0.3, 0.5]], "token model"),
            axis="token",
            cotangent=[[0.3, -0.8, 0.5], [0.6, 0.2, -0.4], [-0.7, 0.9, 0.1], [0.4, -0.2, 0.8]],
        ),
        Example(
            values([[[2.0, 1.5], [0.1, -0.4]]], "head token head_size"),
            values([[[0.7, 0.2], [-1.0, 0.6]], [[0.9, -0.1], [0.3, 0.8]]], "head token head_size"),
            axis=0,
            cotangent=[[[0.3, -0.7], [0.5, 0.1]], [[0.2, 0.9], [-0.4, 0.8]], [[0.6, -0.2], [-0.9, 0.7]]],
        ),
        Example(values([0.2, -0.5, 1.0], "vocab"), axis=-1, cotangent=[0.3, -0.8, 0.6]),
    )


def _same_rank(parts: tuple[Form, ...]) -> tuple[Form, ...]:
    one = len(parts[0].shape)
    if not one:
        raise wrong_rank("concat", "one axis or more", 0)
    for number, part in enumerate(parts, 1):
        if len(part.shape) != one:
            raise ShapeError(
                f"The parts do not fit side by side: part 1 has {one} axes and part {number} has {len(part.shape)}.",
                hint="Reshape them first, so that all have the same axes.",
            )
    return parts


def _sizes(g: Tensor, parts: tuple[Tensor, ...], axis: Axis) -> tuple[int, ...]:
    return tuple(part.shape[position(g.form, axis)] for part in parts)


def moved(at: Index, axis: int, place: int) -> Index:
    """The same entry at another place along one axis."""
    return (*at[: axis % len(at)], place, *at[axis % len(at) + 1 :])


concat = Concat()
