"""The cache: keys and values of the tokens that were read before, so that they are not computed again.

A causal model never changes what it made of earlier tokens: a token looks back only. So the keys and values of
its attention can be kept, and a new token needs one row of work in place of the whole text.

`with_cache` puts other modules in the places of the heads and of the positions; all others stay as they are. A
trace shows the cache: `block1.attention.K_cache` is the kept rows with the new ones below them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

from ..engine.arrays import dtype_name
from ..engine.context import CONTEXT
from ..engine.errors import CallError, ShapeError
from ..engine.sentences import add_sentences
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
from .embedding import LearnedPositions, Sinusoidal
from .head import AllTokens, LastToken, TokenSigmoid
from .masks import Causal, SeeAll
from .model import EncoderDecoder, Side, Transformer
from .module import Module, Same
from .projection import project
from .sublayer import Dropped


class Cache:
    """What is kept of the tokens so far: rows by their path, and how many tokens there were."""

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
                place, _, name = path.rpartition(".")
                with _place(place):
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
    """The mask of a text of which the last tokens ask: each sees all tokens before it, and itself."""

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

    def forward(self, X: Tensor, *beside: Any) -> Tensor:
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

    def forward(self, X: Tensor, *beside: Any) -> Tensor:
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
    """A head that looks at a memory, whose keys and values are computed once."""

    head: Head
    cache: Cache
    path: str
    transparent: ClassVar[tuple[str, ...]] = ("head",)

    def read(self, memory: Tensor) -> None:
        """Compute the keys and values of a memory, and keep them."""
        self.cache.keep(f"{self.path}K", project(memory, self.head.W_K, self.head.b_K, name="K"))
        self.cache.keep(f"{self.path}V", project(memory, self.head.W_V, self.head.b_V, name="V"))

    def forward(self, X: Tensor, *beside: Any) -> Tensor:
        Q = project(X, self.head.W_Q, self.head.b_Q, name="Q")
        rows = self.cache.rows
        return attend(Q, rows[f"{self.path}K"], rows[f"{self.path}V"], d=self.head.d)


@dataclass(frozen=True)
class CrossPackedHeads(Module):
    """Packed heads that look at a memory, whose keys and values are computed once."""

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

    def forward(self, X: Tensor, *beside: Any) -> Tensor:
        packed, rows = self.packed, self.cache.rows
        Q = split_heads(project(X, packed.W_Q, packed.b_Q, name="Q"), heads=packed.heads, name="Q_heads")
        context = attend(Q, rows[f"{self.path}K_heads"], rows[f"{self.path}V_heads"], d=packed.d)
        return project(merge_heads(context, name="joined"), packed.W_O, packed.b_O, name="attended")


# -- positions that count on ---------------------------------------------------------------------


@dataclass(frozen=True)
class LaterWaves(Module):
    """Positions as waves, counted on from the tokens that were read before."""

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
            raise ShapeError("shape.positions", length=length, most=table.shape[0])
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
    """The half of an encoder-decoder that writes."""

    decoder: Side
    head: Module
    cache: Cache
    transparent: ClassVar[tuple[str, ...]] = ("head",)

    def forward(self, tokens: Tensor) -> Tensor:
        if MEMORY not in self.cache.rows:
            raise CallError("cache.unread")
        found: Tensor = self.head(self.decoder(tokens, self.cache.rows[MEMORY]))
        return found


@dataclass(frozen=True)
class CachedEncoderDecoder(Cached):
    """An encoder-decoder that reads its source once, and then writes bit by bit."""

    encoder: Module

    def read(self, source: Tensor) -> None:
        """Read the source: its memory, and the keys and values that every cross-attention makes of it."""
        self.cache.forget(tuple(self.cache.rows))
        memory = self.encoder(source)
        self.cache.keep(MEMORY, memory)
        for path, part in _all_parts(self.model, ""):
            if isinstance(part, CrossHead | CrossPackedHeads):
                with _place(path):
                    part.read(memory)


MEMORY = "memory"


def with_cache(model: Module) -> Cached:
    """A causal model that keeps what it made of earlier tokens. Give it only what is new.

    >>> from workings import nn
    >>> model = nn.build(nn.Architecture(kind="decoder", vocabulary=4, width=2, head="all-tokens"), nn.Drawn(7))
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
    raise CallError("cache.model", kind=type(model).__name__)


def _cached(module: Any, path: str, cache: Cache, crossing: bool = False) -> Any:
    """The same module, with others in the places of the heads and positions in it."""
    if isinstance(module, Head | PackedHeads):
        _refuse_mask(module, path, crossing)
        return HEADS[type(module)][crossing](module, cache, path)
    if isinstance(module, Sinusoidal):
        return LaterWaves(module, cache)
    if isinstance(module, LearnedPositions):
        return LaterPositions(module, cache)
    if isinstance(module, Dropped):
        raise CallError("cache.dropout", where=path.rstrip("."))
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
    """Refuse a head that asks about the text as a whole: only what is new comes along here."""
    if not isinstance(head, AllTokens | LastToken | TokenSigmoid | Same):
        raise CallError("cache.head", head=type(head).__name__)


def _refuse_mask(head: Head | PackedHeads, path: str, crossing: bool) -> None:
    if not isinstance(head.mask, SeeAll if crossing else Causal):
        raise CallError("cache.cross_mask" if crossing else "cache.mask", where=path.rstrip("."))


def _all_parts(module: Module, path: str) -> Iterator[tuple[str, Module]]:
    for _, part in module.parts():
        below = _below(path, part)
        yield below.rstrip("."), part
        yield from _all_parts(part, below)


def _below(path: str, part: Module) -> str:
    return f"{path}{part.name}." if part.name else path


def _place(path: str) -> AbstractContextManager[None]:
    """Where the next steps belong, for work that is not done by calling a module."""
    recorder = CONTEXT.get().recorder
    return nullcontext() if recorder is None or not path else recorder.scope(path)


add_sentences(
    "error",
    {
        "cache.model": "A {kind} cannot be given a cache: it takes a whole model that goes from tokens to scores.",
        "cache.model.try": "Give a Transformer or an EncoderDecoder, such as nn.build makes.",
        "cache.mask": "This attention does not look back only, so that a new token changes what was made of the "
        "earlier ones: nothing can be kept.",
        "cache.mask.try": "Use a causal model, or generate without the cache.",
        "cache.cross_mask": "This attention may not look at the whole source, and which parts depends on the position.",
        "cache.cross_mask.try": "Generate without the cache.",
        "cache.head": "{head} asks about a text as a whole, and with a cache only the new tokens come along.",
        "cache.head.try": "Use a head that answers token by token, such as AllTokens or LastToken.",
        "cache.dropout": "This model leaves out entries at random, as in training: what is kept would be a mixture.",
        "cache.dropout.try": "Build the model without draws: then there is no dropout.",
        "cache.unread": "Nothing has been read yet that could be written about.",
        "cache.unread.try": "First read the source: cached.read(source).",
    },
)
