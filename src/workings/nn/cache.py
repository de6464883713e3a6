"""The KV cache: keys and values of earlier tokens, kept so that they are not computed again.

In a causal model a token attends to itself and earlier tokens only, so later tokens change nothing before them. The
keys and values of its attention can be kept, and a new token needs one row of work in place of the whole text.

`with_cache` puts other modules in the places of the heads and of the positions; all others stay as they are. A
trace shows the cache: `block1.attention.K_cache` is the kept rows with the new ones below them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from ..engine.arrays import dtype_name
from ..engine.errors import CallError, OptionError
from ..engine.tensor import Tensor
from ..ops.causal_mask import causal_mask
from ..ops.concat import concat
from ..ops.given import ids
from ..ops.lookup import lookup
from ..ops.merge_heads import merge_heads
from ..ops.positional_encoding import positional_encoding
from ..ops.reshape import reshape
from ..ops.split_heads import split_heads
from .attention import Head, PackedHeads, attend
from .block import CrossBlock
from .embedding import LearnedPositions, Sinusoidal, too_few_positions
from .head import AllTokens, LastToken, TokenSigmoid
from .masks import Causal, SeeAll
from .model import EncoderDecoder, Side, Transformer
from .module import Module, Same, scope
from .projection import project
from .sublayer import Dropped


class Cache:
    """The rows kept of the tokens so far, by their path, and how many tokens there were."""

    def __init__(self) -> None:
        self.rows: dict[str, Tensor] = {}
        self.length = 0

    def keep(self, path: str, rows: Tensor) -> None:
        """Keep rows under a path. A trace that begins only later writes them down as `K_kept`."""
        name = path.rpartition(".")[2].replace("_cache", "_kept")
        self.rows[path] = Tensor(rows.array, rows.form, name=name, mark=rows.mark, root=rows.root)

    def joined(self, path: str, new: Tensor) -> Tensor:
        """The kept rows and below them the new ones: a step of its own, which is kept in their place."""
        before = [self.rows[path]] if path in self.rows else []
        rows = concat(*before, new, axis="token", name=path.rpartition(".")[2])
        self.keep(path, rows)
        return rows

    def pick(self, texts: Tensor) -> None:
        """Go on with these texts of the batch, by their positions; one may be taken several times."""
        for path, rows in self.rows.items():
            if "batch" in rows.axes:
                folder, _, name = path.rpartition(".")
                with scope(folder):
                    self.keep(path, picked(rows, texts, name=f"{name.removesuffix('_cache')}_picked"))

    def forget(self, paths: tuple[str, ...]) -> None:
        """Forget these rows, and that there were any tokens."""
        for path in paths:
            self.rows.pop(path, None)
        self.length = 0


def picked(rows: Tensor, texts: Tensor, name: str = "picked") -> Tensor:
    """Some texts of a batch, by their positions along its first axis.

    >>> from workings import given
    >>> picked(given([[1.0, 2.0], [3.0, 4.0]], "batch token"), ids([1, 1, 0], "batch")).array.tolist()
    [[3.0, 4.0], [3.0, 4.0], [1.0, 2.0]]
    """
    size, *rest = rows.shape
    flat = reshape(rows, shape=(size, math.prod(rest)), axes=("old", "entry"), name=f"{name}_from")
    found = lookup(flat, texts, name=f"{name}_rows")
    return reshape(found, shape=(*texts.shape, *rest), axes=rows.axes, name=name)


# -- attention to the tokens before --------------------------------------------------------------


@dataclass(frozen=True)
class SoFar:
    """The mask where only the last tokens are queries: each attends to all tokens before it, and to itself."""

    def __call__(self, scores: Tensor) -> Tensor:
        queries, keys = scores.shape[-2:]
        return causal_mask(scores, past=keys - queries, name="masked")


SO_FAR = SoFar()


@dataclass(frozen=True)
class CachedHead(Module):
    """A head whose keys and values of earlier tokens are kept."""

    head: Head
    cache: Cache
    path: str
    transparent: ClassVar[tuple[str, ...]] = ("head",)

    def forward(self, X: Tensor, *more: Any) -> Tensor:
        head = self.head
        Q = project(X, head.W_Q, head.b_Q, name="Q")
        K = self.cache.joined(f"{self.path}K_cache", project(X, head.W_K, head.b_K, name="K"))
        V = self.cache.joined(f"{self.path}V_cache", project(X, head.W_V, head.b_V, name="V"))
        return attend(Q, K, V, SO_FAR, d=head.d)


@dataclass(frozen=True)
class CachedPackedHeads(Module):
    """Packed heads whose keys and values of earlier tokens are kept."""

    packed: PackedHeads
    cache: Cache
    path: str
    transparent: ClassVar[tuple[str, ...]] = ("packed",)

    def forward(self, X: Tensor, *more: Any) -> Tensor:
        packed, count = self.packed, self.packed.heads
        Q = split_heads(project(X, packed.W_Q, packed.b_Q, name="Q"), heads=count, name="Q_heads")
        K = split_heads(project(X, packed.W_K, packed.b_K, name="K"), heads=count, name="K_heads")
        V = split_heads(project(X, packed.W_V, packed.b_V, name="V"), heads=count, name="V_heads")
        K = self.cache.joined(f"{self.path}K_cache", K)
        V = self.cache.joined(f"{self.path}V_cache", V)
        context = attend(Q, K, V, SO_FAR, d=packed.d)
        return project(merge_heads(context, name="joined"), packed.W_O, packed.b_O, name="attended")


# -- attention to what an encoder made -----------------------------------------------------------


@dataclass(frozen=True)
class CrossHead(Module):
    """A head that attends to a memory, whose keys and values are computed once."""

    head: Head
    cache: Cache
    path: str
    transparent: ClassVar[tuple[str, ...]] = ("head",)

    def read(self, memory: Tensor) -> None:
        """Compute the keys and values of a memory, and keep them."""
        self.cache.keep(f"{self.path}K", project(memory, self.head.W_K, self.head.b_K, name="K"))
        self.cache.keep(f"{self.path}V", project(memory, self.head.W_V, self.head.b_V, name="V"))

    def forward(self, X: Tensor, *more: Any) -> Tensor:
        Q = project(X, self.head.W_Q, self.head.b_Q, name="Q")
        rows = self.cache.rows
        return attend(Q, rows[f"{self.path}K"], rows[f"{self.path}V"], d=self.head.d)


@dataclass(frozen=True)
class CrossPackedHeads(Module):
    """Packed heads that attend to a memory, whose keys and values are computed once."""

    packed: PackedHeads
    cache: Cache
    path: str
    transparent: ClassVar[tuple[str, ...]] = ("packed",)

    def read(self, memory: Tensor) -> None:
        """Compute the keys and values of a memory, and keep them."""
        packed, count = self.packed, self.packed.heads
        K, V = project(memory, packed.W_K, packed.b_K, name="K"), project(memory, packed.W_V, packed.b_V, name="V")
        self.cache.keep(f"{self.path}K_heads", split_heads(K, heads=count, name="K_heads"))
        self.cache.keep(f"{self.path}V_heads", split_heads(V, heads=count, name="V_heads"))

    def forward(self, X: Tensor, *more: Any) -> Tensor:
        packed, rows = self.packed, self.cache.rows
        Q = split_heads(project(X, packed.W_Q, packed.b_Q, name="Q"), heads=packed.heads, name="Q_heads")
        context = attend(Q, rows[f"{self.path}K_heads"], rows[f"{self.path}V_heads"], d=packed.d)
        return project(merge_heads(context, name="joined"), packed.W_O, packed.b_O, name="attended")


# -- positions that count on ---------------------------------------------------------------------


@dataclass(frozen=True)
class LaterWaves(Module):
    """Positions as sines and cosines, counted on from the tokens that were read before."""

    waves: Sinusoidal
    cache: Cache

    def forward(self, X: Tensor) -> Tensor:
        kind, layout = dtype_name(X.array), self.waves.layout
        return positional_encoding(_order(X, self.cache), size=X.shape[-1], layout=layout, dtype=kind, name="places")


@dataclass(frozen=True)
class LaterPositions(Module):
    """Learned positions, counted on from the tokens that were read before."""

    positions: LearnedPositions
    cache: Cache
    transparent: ClassVar[tuple[str, ...]] = ("positions",)

    def forward(self, X: Tensor) -> Tensor:
        table, length = self.positions.E_position, self.cache.length + X.size("token")
        if length > table.shape[0]:
            raise too_few_positions(length, table.shape[0])
        return lookup(table, _order(X, self.cache), name="places")


def _order(X: Tensor, cache: Cache) -> Tensor:
    return ids(list(range(cache.length, cache.length + X.size("token"))), name="order")


# -- whole models --------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cached(Module):
    """A model that reads a text bit by bit: first the beginning, then only what is new."""

    model: Module
    cache: Cache
    transparent: ClassVar[tuple[str, ...]] = ("model",)

    def forward(self, tokens: Tensor) -> Tensor:
        scores: Tensor = self.model(tokens)
        self.cache.length += tokens.size("token")
        return scores

    def pick(self, texts: Tensor) -> None:
        """Go on with these texts of the batch: `texts` are their positions, with the axis `batch`."""
        self.cache.pick(texts)

    def forget(self) -> None:
        """Begin a new text. What an encoder read stays."""
        self.cache.forget(tuple(path for path in self.cache.rows if path.endswith("_cache")))


@dataclass(frozen=True)
class Writer(Module):
    """The half of an encoder-decoder that generates."""

    decoder: Side
    head: Module
    cache: Cache
    transparent: ClassVar[tuple[str, ...]] = ("head",)

    def forward(self, tokens: Tensor) -> Tensor:
        if MEMORY not in self.cache.rows:
            raise CallError(
                "The encoder has not read a source yet.", hint="First read the source: cached.read(source)."
            )
        found: Tensor = self.head(self.decoder(tokens, self.cache.rows[MEMORY]))
        return found


@dataclass(frozen=True)
class CachedEncoderDecoder(Cached):
    """An encoder-decoder that reads its source once, and then generates bit by bit."""

    encoder: Module

    def read(self, source: Tensor) -> None:
        """Read the source: its memory, and the keys and values that every cross-attention makes of it."""
        self.cache.forget(tuple(self.cache.rows))
        memory = self.encoder(source)
        self.cache.keep(MEMORY, memory)
        for path, part in _all_parts(self.model, ""):
            if isinstance(part, CrossHead | CrossPackedHeads):
                with scope(path):
                    part.read(memory)


MEMORY = "memory"


def with_cache(model: Module) -> Cached:
    """A causal model that keeps the keys and values of earlier tokens. Give it only the new ones.

    >>> from workings import nn
    >>> model = nn.build(nn.Architecture(kind="decoder", vocab_size=4, width=2, head="all-tokens"), nn.Drawn(7))
    >>> cached = with_cache(model)
    >>> cached(ids([0, 1]))
    Tensor(token 2 × vocab 4, float64)
    >>> new, whole = cached(ids([3])).array, model(ids([0, 1, 3])).array
    >>> bool(abs(new[0] - whole[2]).max() < 1e-12)
    True
    """
    cache = Cache()
    if isinstance(model, Transformer):
        _refuse_head(model.head)
        return Cached(_cached(model, "", cache), cache)
    if isinstance(model, EncoderDecoder):
        _refuse_head(model.head)
        writer = Writer(_cached(model.decoder, "decoder.", cache), model.head, cache)
        return CachedEncoderDecoder(writer, cache, model.encoder)
    raise not_a_whole_model(model)


def not_a_whole_model(model: object) -> OptionError:
    return OptionError(
        f"{type(model).__name__} is not a whole model, from tokens to logits.",
        hint="Give a Transformer or an EncoderDecoder, such as nn.build makes.",
        option="cache",
    )


def has_dropout(where: str) -> OptionError:
    return OptionError(
        "This model uses dropout, as in training: the kept rows would be random.",
        hint="Build the model without draws: then there is no dropout.",
        option="cache",
        where=where,
    )


def _cached(module: Any, path: str, cache: Cache, crossing: bool = False) -> Any:
    """The same module, with its heads and positions replaced."""
    if isinstance(module, Head | PackedHeads):
        _refuse_mask(module, path, crossing)
        return HEADS[type(module)][crossing](module, cache, path)
    if isinstance(module, Sinusoidal):
        return LaterWaves(module, cache)
    if isinstance(module, LearnedPositions):
        return LaterPositions(module, cache)
    if isinstance(module, Dropped):
        raise has_dropout(path.rstrip("."))
    others: dict[str, Any] = {}
    for slot in fields(module):
        value = getattr(module, slot.name)
        across = crossing or (isinstance(module, CrossBlock) and slot.name == "cross_attention")
        if isinstance(value, Module):
            others[slot.name] = _cached(value, _below(path, value), cache, across)
        elif isinstance(value, tuple) and value and all(isinstance(part, Module) for part in value):
            others[slot.name] = tuple(_cached(part, _below(path, part), cache, across) for part in value)
    return replace(module, **others)


HEADS: Mapping[type, tuple[Any, Any]] = {  # to the tokens before, and across
    Head: (CachedHead, CrossHead),
    PackedHeads: (CachedPackedHeads, CrossPackedHeads),
}


def _refuse_head(head: Module) -> None:
    """Refuse a head that needs the whole text: only the new tokens are there."""
    if not isinstance(head, AllTokens | LastToken | TokenSigmoid | Same):
        raise OptionError(
            f"{type(head).__name__} needs the whole text, but with a cache only the new tokens are there.",
            hint="Use a head that answers token by token, such as AllTokens or LastToken.",
            option="cache",
        )


def _refuse_mask(head: Head | PackedHeads, path: str, crossing: bool) -> None:
    if not isinstance(head.mask, SeeAll if crossing else Causal):
        raise OptionError(
            "This attention does not attend to the whole source, and to which parts depends on the position."
            if crossing
            else "This attention is not causal: a new token changes the keys and values of earlier ones.",
            hint="Generate without the cache." if crossing else "Use a causal model, or generate without the cache.",
            where=path.rstrip("."),
            option="cache",
        )


def _all_parts(module: Module, path: str) -> Iterator[tuple[str, Module]]:
    for _, part in module.parts():
        below = _below(path, part)
        yield below.rstrip("."), part
        yield from _all_parts(part, below)


def _below(path: str, part: Module) -> str:
    return f"{path}{part.name}." if part.name else path
