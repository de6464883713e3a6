"""The form of a tensor: its axis words and sizes, and the rules by which forms combine.

Computing is positional; the words are checked. An axis without a word ("") fits every word.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any, NamedTuple

from .errors import AxisError, ShapeError

Axis = str | int


class Form:
    """Axis words, sizes, and which axes may be stretched (`kept`).

    An axis of size 1 is stretched to fit another input only if a reduction left it behind:
    one token does not silently become three. A form is never changed, and knows its hash:
    it is looked up for every step.
    """

    __slots__ = ("_hash", "axes", "kept", "shape")

    def __init__(self, axes: tuple[str, ...], shape: tuple[int, ...], kept: tuple[bool, ...]) -> None:
        self.axes = axes
        self.shape = shape
        self.kept = kept
        self._hash = hash((axes, shape, kept))

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, Form):
            return False
        return self.axes == other.axes and self.shape == other.shape and self.kept == other.kept

    def taking(self, places: Iterable[int]) -> Form:
        """The form of some of the axes, in this order."""
        places = list(places)
        return Form(
            tuple(self.axes[n] for n in places),
            tuple(self.shape[n] for n in places),
            tuple(self.kept[n] for n in places),
        )

    def __repr__(self) -> str:
        return f"Form({self})"

    def __str__(self) -> str:
        return shape_text(self.axes, self.shape) or "one number"


def shape_text(axes: tuple[str, ...], shape: tuple[int, ...]) -> str:
    """
    >>> shape_text(("token", ""), (3, 2))
    'token 3 × 2'
    """
    return " × ".join(f"{word} {size}".strip() for word, size in zip(axes, shape, strict=True))


NO_AXES = Form((), (), ())


@lru_cache(maxsize=4096)  # the same few forms come by with every step, and are then the same objects
def relabeled(form: Form, axes: tuple[str, ...]) -> Form:
    """The form with other words on its axes."""
    return Form(form_of(axes, form.shape).axes, form.shape, form.kept)


class Broadcast(NamedTuple):
    """One input is repeated along an axis, and the step says so."""

    input: int
    axis: str
    position: int
    times: int


class Layout(NamedTuple):
    """What a primitive makes of its inputs: the form of the result, its settings with
    axis words turned into positions, and what was broadcast.
    """

    form: Form
    settings: dict[str, Any]
    broadcast: tuple[Broadcast, ...] = ()


def form_of(axes: tuple[str, ...], shape: tuple[int, ...]) -> Form:
    """A form with nothing to stretch.

    >>> print(form_of(("token", "model"), (3, 2)))
    token 3 × model 2
    """
    if len(axes) != len(shape):
        raise ShapeError(
            f"The shape {shape} needs one word for each axis ({len(shape)}); given: "
            f"{' '.join(axes) or 'none'} ({len(axes)}).",
            hint="Give one word for each axis, or none at all.",
        )
    for word in axes:
        if word and axes.count(word) > 1:
            raise repeated_word(word)
    return Form(axes, shape, (False,) * len(shape))


def repeated_word(word: str) -> AxisError:
    return AxisError(
        f"The word '{word}' would name two axes of one tensor.",
        hint=f'Relabel one of them first: x.rename({word}="key").',
    )


def wrong_rank(op: str, needed: str, rank: int) -> ShapeError:
    """An input with too many or too few axes."""
    axes = "1 axis" if rank == 1 else f"{rank} axes"
    return ShapeError(
        f"{op} needs an input with {needed}; this one has {axes}.",
        hint="Reshape the input, or take one row of it first.",
    )


def position(form: Form, axis: Axis) -> int:
    """The position of an axis, counted from the right so that batch axes do not disturb it.

    >>> position(form_of(("query", "key"), (2, 3)), "query")
    -2
    """
    rank = len(form.axes)
    if isinstance(axis, str):
        if axis and axis in form.axes:
            return form.axes.index(axis) - rank
    elif -rank <= axis < rank:
        return axis if axis < 0 else axis - rank
    raise AxisError(f"There is no axis '{axis}' here.", hint=f"Axes of this input: {form!s}.")


def elementwise(*forms: Form) -> tuple[Form, tuple[Broadcast, ...]]:
    """Entry by entry: words agree from the right, sizes agree or may be stretched."""
    first = forms[0]
    if all(form == first for form in forms):
        return first, ()
    rank = max(len(form.shape) for form in forms)
    axes: list[str] = []
    shape: list[int] = []
    kept: list[bool] = []
    notes: list[Broadcast] = []
    for place in range(-rank, 0):
        present = {n: form for n, form in enumerate(forms) if len(form.shape) >= -place}
        word = _common_word([form.axes[place] for form in present.values()])
        size = max(form.shape[place] for form in present.values())
        for number, form in enumerate(forms):
            if number not in present:
                notes.append(Broadcast(number, word, place, size))
            elif form.shape[place] != size:
                if not form.kept[place]:
                    raise _unpaired(f"'{word}'" if word else f"axis {place}", form.shape[place], size)
                notes.append(Broadcast(number, word, place, size))
        axes.append(word)
        shape.append(size)
        kept.append(size == 1 and all(form.kept[place] for form in present.values()))
    return Form(tuple(axes), tuple(shape), tuple(kept)), tuple(notes)


def _unpaired(axis: str, one: int, other: int) -> ShapeError:
    return ShapeError(
        f"The entries do not pair up: {axis} has {one} in one input and {other} in another.",
        hint="Give both inputs the same shape. Broadcasting repeats only an axis that is missing on the left, or that "
        "a sum or a maximum left behind with one entry.",
    )


def _common_word(words: list[str]) -> str:
    named = list(dict.fromkeys(word for word in words if word))
    if len(named) > 1:
        raise AxisError(
            f"The axes do not mean the same: '{named[0]}' meets '{named[1]}'.",
            hint=f'Transpose one input, or relabel it: x.rename({named[0]}="{named[1]}").',
        )
    return named[0] if named else ""


def product(a: Form, b: Form) -> tuple[Form, tuple[Broadcast, ...]]:
    """The form of a matrix product; the left input may be a single row (one axis)."""
    if not a.shape or len(b.shape) < 2:
        few = a if not a.shape else b
        raise wrong_rank("matmul", "one axis or more on the left and two or more on the right", len(few.shape))
    if a.axes[-1] and b.axes[-2] and a.axes[-1] != b.axes[-2]:
        raise AxisError(
            f"The columns of the left input are '{a.axes[-1]}', the rows of the right input are '{b.axes[-2]}'.",
            hint=f'Transpose one of the two, or relabel it: x.rename({a.axes[-1]}="{b.axes[-2]}").',
        )
    if a.shape[-1] != b.shape[-2]:
        raise ShapeError(
            f"The product needs as many columns on the left as rows on the right: {a.shape[-1]} is not {b.shape[-2]}.",
            hint="Transpose one of the two, or check which one comes first.",
        )
    lead, notes = elementwise(a.taking(range(len(a.shape) - 2)), b.taking(range(len(b.shape) - 2)))
    row, column = a.taking([-2] if len(a.shape) > 1 else []), b.taking([-1])
    axes = lead.axes + row.axes + column.axes
    repeated = next((word for word in axes if word and axes.count(word) > 1), None)
    if repeated:
        raise repeated_word(repeated)
    form = Form(axes, lead.shape + row.shape + column.shape, lead.kept + row.kept + column.kept)
    return form, tuple(note._replace(position=note.position - 2) for note in notes)


def reduced(form: Form, places: tuple[int, ...], keep: bool) -> Form:
    """The form after a sum, mean or maximum over some axes."""
    rank = len(form.shape)
    gone = {place % rank for place in places}
    if not keep:
        return form.taking(n for n in range(rank) if n not in gone)
    shape = tuple(1 if n in gone else size for n, size in enumerate(form.shape))
    return Form(form.axes, shape, tuple(n in gone or kept for n, kept in enumerate(form.kept)))
