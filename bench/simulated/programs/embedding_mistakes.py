"""What people do wrong in embeddings and positions."""

from __future__ import annotations

import numpy as np

from .operations import BASE, Calculation
from .paper import Array, Person, person
from .transformer import Example3, Example6, HeadsAndLayers, PositionalEncoding, ResidualAttention, SmallDecoder


class RowsCountedFromOne(Calculation):
    """The row after the right one: ids that begin with 1."""

    names = frozenset({"lookup.counted_from_one", "lookup.row_after"})

    def lookup(self, table: Array, tokens: Array) -> Array:
        return table[(tokens + 1) % len(table)]


class ColumnsOfTheTable(Calculation):
    names = frozenset({"lookup.columns_taken"})

    def lookup(self, table: Array, tokens: Array) -> Array:
        return table.T[tokens]


class PositionsFromOne(Calculation):
    names = frozenset({"positional_encoding.counted_from_one"})

    def order(self, tokens: int) -> Array:
        return np.arange(1, tokens + 1)


class ExponentHalved(Calculation):
    names = frozenset({"positional_encoding.exponent_halved"})

    def positions(self, order: Array, width: int) -> Array:
        angles = order[:, None] / BASE ** (np.arange(width // 2) / width)
        return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(order), width)


class CosineFirst(Calculation):
    names = frozenset({"positional_encoding.exchanged"})

    def positions(self, order: Array, width: int) -> Array:
        angles = order[:, None] / BASE ** (np.arange(0, width, 2) / width)
        return np.stack([np.cos(angles), np.sin(angles)], axis=-1).reshape(len(order), width)


class SinesThenCosines(Calculation):
    names = frozenset({"positional_encoding.other_layout"})

    def positions(self, order: Array, width: int) -> Array:
        angles = order[:, None] / BASE ** (np.arange(0, width, 2) / width)
        return np.concatenate([np.sin(angles), np.cos(angles)], axis=-1)


class InDegrees(Calculation):
    names = frozenset({"positional_encoding.in_degrees"})

    def positions(self, order: Array, width: int) -> Array:
        angles = np.radians(order[:, None] / BASE ** (np.arange(0, width, 2) / width))
        return np.stack([np.sin(angles), np.cos(angles)], axis=-1).reshape(len(order), width)


class ExponentOfEachColumn(Calculation):
    """The exponent counts columns, not pairs of them: a sine and its cosine get different wavelengths."""

    names = frozenset({"positional_encoding.cosine_exponent"})

    def positions(self, order: Array, width: int) -> Array:
        angles = order[:, None] / BASE ** (np.arange(width) / width)
        return np.where(np.arange(width) % 2, np.cos(angles), np.sin(angles))


class PositionsForgotten(Calculation):
    names = frozenset({"add.position_forgotten", "add.forgotten"})

    def add_positions(self, embedded: Array, places: Array) -> Array:
        return embedded


class PositionsTwice(Calculation):
    names = frozenset({"add.position_twice"})

    def add_positions(self, embedded: Array, places: Array) -> Array:
        return embedded + 2 * places


class PositionsMultiplied(Calculation):
    names = frozenset({"add.multiplied"})

    def add_positions(self, embedded: Array, places: Array) -> Array:
        return embedded * places


EMBEDDINGS: tuple[type[Person], ...] = (
    *(person(RowsCountedFromOne, lesson, "embedding.X") for lesson in (Example3, ResidualAttention, HeadsAndLayers)),
    *(person(ColumnsOfTheTable, lesson, "embedding.X") for lesson in (HeadsAndLayers, Example6)),
    *(
        person(mistake, lesson, "embedding.position.places")
        for mistake in (
            PositionsFromOne, ExponentHalved, CosineFirst, SinesThenCosines, InDegrees, ExponentOfEachColumn,
        )
        for lesson in (PositionalEncoding, SmallDecoder)
    ),
    *(
        person(mistake, lesson, "embedding.X")
        for mistake in (PositionsForgotten, PositionsTwice, PositionsMultiplied)
        for lesson in (PositionalEncoding, SmallDecoder)
    ),
)  # fmt: skip
