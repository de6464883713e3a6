"""Sines and cosines added to embeddings, then attention with a residual: the sheet of positional-encoding."""

from __future__ import annotations

import numpy as np

from .paper import Array, Person

BASE = 10000


class InPlace(Person):
    """Nothing is wrong here."""

    lesson = "positional-encoding"

    def work(self) -> None:
        given = self.given
        embedded = self.write("embedded", given["E"][given["tokens"]])
        places = self.write("places", self.places(*embedded.shape))
        x = self.write("X", self.placed(embedded, places))
        q, k, v = (self.write(name, x @ given[f"W_{name}"]) for name in "QKV")
        scaled = self.write("scaled", self.write("scores", q @ k.T) / np.sqrt(k.shape[1]))
        weights = self.write("weights", np.exp(scaled) / np.exp(scaled).sum(axis=1, keepdims=True))
        self.write("residual", x + self.write("context", weights @ v))

    def places(self, tokens: int, width: int) -> Array:
        angles = self.order(tokens)[:, None] / BASE ** self.exponents(width)
        places = np.empty((tokens, width))
        places[:, 0::2], places[:, 1::2] = self.waves(angles)
        return places

    def order(self, tokens: int) -> Array:
        return np.arange(tokens)

    def exponents(self, width: int) -> Array:
        return np.arange(0, width, 2) / width

    def waves(self, angles: Array) -> tuple[Array, Array]:
        return np.sin(angles), np.cos(angles)

    def placed(self, embedded: Array, places: Array) -> Array:
        return embedded + places


class ExponentHalved(InPlace):
    wrong_step, mistake = "places", "positional_encoding.exponent_halved"

    def exponents(self, width: int) -> Array:
        return np.arange(width // 2) / width


class CosineFirst(InPlace):
    wrong_step, mistake = "places", "positional_encoding.exchanged"

    def waves(self, angles: Array) -> tuple[Array, Array]:
        return np.cos(angles), np.sin(angles)


class CountedFromOne(InPlace):
    wrong_step, mistake = "places", "positional_encoding.counted_from_one"

    def order(self, tokens: int) -> Array:
        return np.arange(1, tokens + 1)


class PlacedTwice(InPlace):
    wrong_step, mistake = "X", "add.position_twice"

    def placed(self, embedded: Array, places: Array) -> Array:
        return embedded + places + places


PEOPLE = (InPlace, ExponentHalved, CosineFirst, CountedFromOne, PlacedTwice)
