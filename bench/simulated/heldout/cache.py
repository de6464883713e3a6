"""Two more tokens that are generated with the keys and values of the first ones: the sheet of kv-cache."""

from __future__ import annotations

import numpy as np

from ..programs.paper import Array
from .attention import Attending, softmax


class Cached(Attending):
    """Nothing is wrong here."""

    lesson = "kv-cache"

    def work(self) -> None:
        self.cache: dict[str, Array] = {}
        tokens = self.given["prompt"]
        for at, places in (("token1.", [0, 1]), ("token2.", [2]), ("token3.", [3])):
            p = self.step(at, tokens, np.array(places))
            tokens = np.array([int(p.argmax())])

    def step(self, at: str, tokens: Array, order: Array) -> Array:
        given = self.given
        embedded = self.write(f"{at}embedding.embedded", given["E"][tokens])
        places = self.write(f"{at}embedding.position.places", self.places(order, at))
        x = self.write(f"{at}embedding.X", self.placed_at(embedded, places, at))
        for block in ("block1.attention.", "block2.attention."):
            q, k, v = (self.write(f"{at}{block}{name}", x @ given[f"{block}W_{name}"]) for name in "QKV")
            k, v = (self.remembered(at, f"{block}{name}", new) for name, new in (("K", k), ("V", v)))
            _, context = self.attend(q, k, v, f"{at}{block}")
            x = self.write(f"{at}{block}residual", x + context)
        last = self.write(f"{at}last", x[-1])
        logits = self.write(f"{at}logits", last @ given["W_vocab"])
        self.write(f"{at}shares", softmax(logits))
        return self.write(f"{at}P", softmax(logits))

    def places(self, order: Array, at: str) -> Array:
        return np.stack((np.sin(order), np.cos(order)), axis=1)

    def placed_at(self, embedded: Array, places: Array, at: str) -> Array:
        return embedded + places

    def remembered(self, at: str, name: str, new: Array) -> Array:
        known = self.cache.get(name)
        self.cache[name] = self.write(f"{at}{name}_cache", new if known is None else self.together(known, new))
        return self.cache[name]

    def together(self, known: Array, new: Array) -> Array:
        return np.concatenate((known, new))

    def visible(self, scaled: Array, at: str) -> Array:
        return self.write(f"{at}masked", self.masked(scaled))

    def masked(self, scaled: Array) -> Array:
        rows, columns = scaled.shape
        return np.where(np.tri(rows, columns, columns - rows, dtype=bool), scaled, -np.inf)


class PositionsStartAgain(Cached):
    """The new token is at position 0, because it is the first of its call."""

    wrong_step = "token2.embedding.position.places"
    names = frozenset(
        {"positional_encoding.past_forgotten", "positional_encoding.restarted", "positional_encoding.counted_from_zero"}
    )
    says = "You counted the positions from 0 again; the cached tokens come first."

    def places(self, order: Array, at: str) -> Array:
        return super().places(order - order[0], at)


class NewKeyInFront(Cached):
    wrong_step, names = "token2.block1.attention.K_cache", frozenset({"concat.reversed_order"})

    def together(self, known: Array, new: Array) -> Array:
        return np.concatenate((new, known))


class MaskWithoutThePast(Cached):
    """The mask of the square beginning, so that the new token attends to the first one alone."""

    wrong_step, names = "token2.block1.attention.masked", frozenset({"causal_mask.past_forgotten"})

    def masked(self, scaled: Array) -> Array:
        return np.where(np.tri(*scaled.shape, dtype=bool), scaled, -np.inf)


class NewTokenHasNoPosition(Cached):
    wrong_step, names = "token2.embedding.X", frozenset({"add.position_forgotten"})

    def placed_at(self, embedded: Array, places: Array, at: str) -> Array:
        return embedded + places if at == "token1." else embedded


PEOPLE = (Cached, PositionsStartAgain, NewKeyInFront, MaskWithoutThePast, NewTokenHasNoPosition)
