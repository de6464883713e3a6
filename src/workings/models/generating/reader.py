"""Readers: what a model says about the next token of a text. One reads all of it each time, one keeps what it read.

Where positions are learned there are only so many: of a longer text the last tokens are read, as many as there are
positions. Then every token has another position than before, and nothing that was kept is of use.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from ...engine.context import CONTEXT
from ...engine.errors import CallError, ShapeError
from ...engine.sentences import add_sentences
from ...engine.tensor import Tensor
from ...nn import AllTokens, Dropped, EncoderDecoder, LastToken, LearnedPositions, Transformer
from ...nn.cache import Cached, CachedEncoderDecoder, with_cache
from ...nn.module import Module
from ...ops.given import ids
from ...ops.split import split
from ...ops.take_row import take_row


class Reader(Protocol):
    """Reads a text and gives the scores of the token that follows it."""

    def scores(self, text: Tensor) -> Tensor: ...

    def pick(self, texts: Tensor) -> None:
        """Go on with these texts of a batch."""


@dataclass(frozen=True)
class Anew:
    """Reads the whole text each time."""

    model: Module
    before: tuple[Tensor, ...]  # the source of an encoder-decoder
    context: int | None

    def scores(self, text: Tensor) -> Tensor:
        return _last(self.model(*self.before, _from(text, _begin(text, self.context))))

    def pick(self, texts: Tensor) -> None:
        """Nothing is kept that would have to be picked."""


@dataclass(frozen=True)
class Keeping:
    """Reads only what is new, as long as the whole text fits in."""

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
    """A reader for a model; of an encoder-decoder it has read the source already, or will read it each time."""
    context = context_of(model)
    before = () if source is None else (write_down(ids(list(source), name="source")),)
    if not cache:
        return Anew(model, before, context)
    cached = with_cache(model)
    if isinstance(cached, CachedEncoderDecoder):
        cached.read(*before)
    return Keeping(cached, context)


def can_keep(model: Module) -> bool:
    """Whether what a model read before can be kept: only if no token looks at later ones."""
    try:
        with_cache(model)
    except CallError:
        return False
    return True


def context_of(model: Module) -> int | None:
    """The most tokens that a model can write in one text; None if there is no end.

    >>> from workings import nn
    >>> learned = nn.Architecture(kind="decoder", vocabulary=4, width=2, position="learned", positions=16)
    >>> context_of(nn.build(learned, nn.Drawn(7)))
    16
    """
    return _positions(model.decoder if isinstance(model, EncoderDecoder) else model)


def _positions(side: Module) -> int | None:
    sizes = [part.E_position.shape[0] for part in _parts(side) if isinstance(part, LearnedPositions)]
    return min(sizes, default=None)


def refuse_unfit(model: Module, text: Sequence[int], source: Sequence[int] | None) -> None:
    """Refuse a model that says nothing about the next token, and texts that it cannot read."""
    if not isinstance(model, Transformer | EncoderDecoder):
        raise CallError("cache.model", kind=type(model).__name__)
    if not isinstance(model.head, AllTokens | LastToken):
        raise CallError("generate.head", head=type(model.head).__name__)
    for part in _parts(model):
        if isinstance(part, Dropped):
            raise CallError("cache.dropout", where=part.name)
    if not text or (source is not None and not source):
        raise CallError("generate.empty")
    _refuse_long("generate.long", text, context_of(model))
    if isinstance(model, EncoderDecoder):
        _refuse_long("generate.long.source", source or (), _positions(model.encoder))


def _refuse_long(key: str, text: Sequence[int], most: int | None) -> None:
    if most is not None and len(text) > most:
        raise ShapeError(key, length=len(text), most=most)


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
    """The scores after the last token, of a head that gives them after every token."""
    return take_row(scores, index=-1, axis="token", name="next") if "token" in scores.axes else scores


def write_down(tensor: Tensor) -> Tensor:
    """Written down here and now, so that its path is its name."""
    recorder = CONTEXT.get().recorder
    if recorder is not None:
        recorder.id_of(tensor)
    return tensor


add_sentences(
    "error",
    {
        "generate.head": "{head} does not say which token comes next.",
        "generate.head.try": "Use a model with `head: all-tokens` or `head: last-token`.",
        "generate.empty": "There is no text to begin with.",
        "generate.empty.try": "Give at least one token.",
        "generate.long": "The text has {length} tokens, and this model has positions for {most}.",
        "generate.long.try": "Give at most the last {most} tokens. A text may grow longer while it is written: "
        "then its last {most} tokens are read.",
        "generate.long.source": "The text has {length} tokens, and the encoder has positions for {most}.",
        "generate.long.source.try": "Give at most {most} tokens.",
    },
)
