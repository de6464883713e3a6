"""Readers: the logits of the token that follows a text. One reads the whole text each time, one has a cache.

Where positions are learned, their number is limited: of a longer text, as many of the last tokens are read as there are
positions. Then every token has another position than before, and the cache is of no use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ..engine.context import CONTEXT
from ..engine.errors import CallError, OptionError
from ..engine.tensor import Tensor
from ..nn import AllTokens, Dropped, EncoderDecoder, LastToken, LearnedPositions, Transformer
from ..nn.cache import Cached, CachedEncoderDecoder, has_dropout, not_a_whole_model, with_cache
from ..nn.module import Module
from ..ops.given import ids
from ..ops.split import split
from ..ops.take_row import take_row


class Reader(Protocol):
    """Reads a text and gives the logits of the token that follows it."""

    def scores(self, text: Tensor) -> Tensor: ...

    def pick(self, texts: Tensor) -> None:
        """Go on with these texts of a batch."""


@dataclass(frozen=True)
class FullReader:
    """Reads the whole text each time."""

    model: Module
    before: tuple[Tensor, ...]  # the source of an encoder-decoder
    context: int | None

    def scores(self, text: Tensor) -> Tensor:
        return _last(self.model(*self.before, _from(text, _begin(text, self.context))))

    def pick(self, texts: Tensor) -> None:
        """There is no cache to pick from."""


@dataclass(frozen=True)
class CachedReader:
    """Reads only new tokens, as long as the whole text fits."""

    cached: Cached
    context: int | None

    def scores(self, text: Tensor) -> Tensor:
        begin = _begin(text, self.context)
        if begin:
            self.cached.forget()
        return _last(self.cached(_from(text, max(begin, self.cached.cache.length))))

    def pick(self, texts: Tensor) -> None:
        self.cached.pick(texts)


def reader_of(model: Module, source: Sequence[int] | None, cache: bool) -> Reader:
    """A reader for a model. That of an encoder-decoder has read the source already, or reads it each time."""
    context = context_of(model)
    before = () if source is None else (write_down(ids(list(source), name="source")),)
    if not cache:
        return FullReader(model, before, context)
    cached = with_cache(model)
    if isinstance(cached, CachedEncoderDecoder):
        cached.read(*before)
    return CachedReader(cached, context)


def can_cache(model: Module) -> bool:
    """Whether a model can have a cache: only if no token attends to later ones."""
    try:
        with_cache(model)
    except CallError:
        return False
    return True


def context_of(model: Module) -> int | None:
    """The most tokens of a text that a model can read; None if there is no limit.

    >>> from workings import nn
    >>> learned = nn.Architecture(kind="decoder", vocab_size=4, width=2, position="learned", max_positions=16)
    >>> context_of(nn.build(learned, nn.Drawn(7)))
    16
    """
    return _positions(model.decoder if isinstance(model, EncoderDecoder) else model)


def _positions(side: Module) -> int | None:
    sizes = [part.E_position.shape[0] for part in _parts(side) if isinstance(part, LearnedPositions)]
    return min(sizes, default=None)


def refuse_unfit(model: Module, text: Sequence[int], source: Sequence[int] | None) -> None:
    """Refuse a model that does not predict the next token, and texts that it cannot read."""
    if not isinstance(model, Transformer | EncoderDecoder):
        raise not_a_whole_model(model)
    if not isinstance(model.head, AllTokens | LastToken):
        raise CallError(
            f"{type(model.head).__name__} does not predict the next token.",
            hint="Use a model with `head: all-tokens` or `head: last-token`.",
        )
    for part in _parts(model):
        if isinstance(part, Dropped):
            raise has_dropout(part.name)
    if not text or (source is not None and not source):
        raise OptionError("The prompt is empty.", option="prompt", hint="Give at least one token.")
    _refuse_long(text, context_of(model), "this model")
    if isinstance(model, EncoderDecoder):
        _refuse_long(source or (), _positions(model.encoder), "the encoder")


def _refuse_long(text: Sequence[int], most: int | None, reader: str) -> None:
    if most is not None and len(text) > most:
        raise OptionError(
            f"The text has {len(text)} tokens, and {reader} has positions for {most}.",
            option="prompt",
            hint=f"Give at most the last {most} tokens.",
        )


def _parts(module: Module) -> list[Module]:
    return [module, *(inner for _, part in module.parts() for inner in _parts(part))]


def _begin(text: Tensor, context: int | None) -> int:
    """The first position that is read."""
    return 0 if context is None else max(0, text.size("token") - context)


def _from(text: Tensor, begin: int) -> Tensor:
    """A text from a position on."""
    if not begin:
        return text
    sizes = (begin, text.size("token") - begin)
    return split(text, sizes=sizes, part=1, axis="token", name="tokens")


def _last(scores: Tensor) -> Tensor:
    """The logits after the last token, where the head gives them after every token."""
    return take_row(scores, index=-1, axis="token", name="next") if "token" in scores.axes else scores


def write_down(tensor: Tensor) -> Tensor:
    """Record a tensor here and now, so that its path is its name."""
    recorder = CONTEXT.get().recorder
    if recorder is not None:
        recorder.id_of(tensor)
    return tensor
