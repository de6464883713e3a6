"""What people do wrong where gradients meet, and in the update."""

from __future__ import annotations

import numpy as np

from .cat_sleeps import CatSleeps
from .operations import Calculation
from .paper import Array, Person, person
from .transformer import Example2, Example3, Example5, HeadsAndLayers, MultiHead, ResidualAttention, SmallDecoder


class LastPathOnly(Calculation):
    """= for +=."""

    names = frozenset(
        {
            "collect.assigned",
            "collect.first_path_forgotten",
            "collect.residual_path_forgotten",
            "collect.only_second_path",
        }
    )

    def collect(self, at: str, *paths: Array) -> Array:
        return paths[-1]


class FirstPathOnly(Calculation):
    names = frozenset(
        {
            "collect.only_first_path",
            "collect.only_residual_path",
            "collect.last_path_forgotten",
            "collect.second_path_forgotten",
        }
    )

    def collect(self, at: str, *paths: Array) -> Array:
        return paths[0]


class OnePathForgotten(Calculation):
    names = frozenset({"collect.last_path_forgotten"})

    def collect(self, at: str, *paths: Array) -> Array:
        return np.sum(paths[:-1], axis=0)


class PathsAveraged(Calculation):
    names = frozenset({"collect.averaged"})

    def collect(self, at: str, *paths: Array) -> Array:
        return np.mean(paths, axis=0)


class TableOfAllRows(Calculation):
    names = frozenset({"lookup.to_all_rows"})

    def back_to_table(self, table: Array, tokens: Array, gradient: Array) -> Array:
        return np.tile(gradient.sum(axis=0), (len(table), 1))


class Uphill(Calculation):
    names = frozenset({"sgd.added"})

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight + self.rate * gradient


class WithoutRate(Calculation):
    names = frozenset({"sgd.rate_forgotten"})

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight - gradient


class RateTwice(Calculation):
    names = frozenset({"sgd.rate_twice"})

    def updated(self, weight: Array, gradient: Array) -> Array:
        return weight - self.rate * self.rate * gradient


class WeightScaledToo(Calculation):
    names = frozenset({"sgd.all_scaled"})

    def updated(self, weight: Array, gradient: Array) -> Array:
        return self.rate * (weight - gradient)


class OnlyTheStep(Calculation):
    names = frozenset({"sgd.weight_forgotten"})

    def updated(self, weight: Array, gradient: Array) -> Array:
        return -self.rate * gradient


A = "block1.attention"
COLLECT = (LastPathOnly, FirstPathOnly, OnePathForgotten, PathsAveraged)
UPDATE = (Uphill, WithoutRate, RateTwice, WeightScaledToo, OnlyTheStep)
UPDATES: tuple[type[Person], ...] = (
    *(
        person(mistake, lesson, "embedding.dX")
        for mistake in COLLECT
        for lesson in (Example3, ResidualAttention, MultiHead)
    ),
    *(person(mistake, Example5, f"{A}.dcontext") for mistake in COLLECT[:2]),
    *(person(mistake, SmallDecoder, f"{A}.dresidual") for mistake in COLLECT[:2]),
    *(person(TableOfAllRows, lesson, "embedding.dE") for lesson in (Example3, HeadsAndLayers)),
    *(person(mistake, Example3, f"{A}.W_Q_new") for mistake in UPDATE),
    *(person(mistake, Example2, "W_vocab_new") for mistake in UPDATE),
    *(person(mistake, HeadsAndLayers, "embedding.E_new") for mistake in UPDATE[:3]),
    *(person(mistake, CatSleeps, "X_new") for mistake in UPDATE[:3]),
)
