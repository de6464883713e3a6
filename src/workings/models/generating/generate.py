"""Generation: one token after the other, each from all that stands before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext

from ...engine.context import CONTEXT
from ...engine.errors import CallError
from ...engine.sentences import add_sentences
from ...explain.view import Trace
from ...nn import EncoderDecoder
from ...nn.module import Module
from ...ops.concat import concat
from ...ops.given import ids
from ...ops.reshape import reshape
from .choice import Choice, choose
from .reader import reader_of, refuse_unfit, write_down

DRAWN = Choice()


def generate(
    model: Module,
    tokens: Sequence[int],
    choice: Choice = DRAWN,
    count: int = 20,
    *,
    start: int | None = None,
    end: int | None = None,
    cache: bool = True,
    record: Trace | None = None,
) -> Iterator[int]:
    """The tokens that follow, one at a time: at most `count` of them, and none after `end`.

    An encoder-decoder reads `tokens` and writes another text, which begins with `start`. `record` is a trace into
    which everything is written: `token3.block1.attention.K_cache`, `token3.shares`. Without the cache the whole
    text is read again for each token; the tokens are the same.

    >>> from workings import nn
    >>> model = nn.build(nn.Architecture(kind="decoder", vocabulary=4, width=2), nn.Drawn(7))
    >>> written = list(generate(model, [0, 1], Choice(seed=1), 5))
    >>> written == list(generate(model, [0, 1], Choice(seed=1), 5, cache=False))
    True
    """
    begin, source = beginning(model, tokens, start)
    refuse_unfit(model, begin, source)
    refuse_uncountable("count", count)
    if not isinstance(choice, Choice):
        raise CallError("generate.choice", kind=type(choice).__name__)
    return _tokens(model, begin, source, choice, count, end, cache, record)


def _tokens(
    model: Module,
    begin: Sequence[int],
    source: Sequence[int] | None,
    choice: Choice,
    count: int,
    end: int | None,
    cache: bool,
    record: Trace | None,
) -> Iterator[int]:
    with recorded(record):
        model.write_down()
        reader = reader_of(model, source, cache)
        text = write_down(ids(list(begin), name="prompt"))
    for number in range(1, count + 1):
        with recorded(record, f"token{number}"):
            chosen = choose(reader.scores(text), choice, position=text.size("token"))
            text = concat(text, reshape(chosen, shape=(1,), axes=("token",), name="new"), axis="token", name="text")
        # Outside of the recording, so that whoever asks for the tokens does not come to be recorded.
        token = int(chosen.array)
        yield token
        if token == end:
            return


def beginning(model: Module, tokens: Sequence[int], start: int | None) -> tuple[Sequence[int], Sequence[int] | None]:
    """With which tokens the written text begins, and what is read besides: the source of an encoder-decoder."""
    if not isinstance(tokens, Iterable):
        raise CallError("generate.tokens", kind=type(tokens).__name__)
    if not isinstance(model, EncoderDecoder):
        if start is not None:
            raise CallError("generate.start.none", start=start)
        return list(tokens), None
    if start is None:
        raise CallError("generate.start")
    return [start], list(tokens)


@contextmanager
def recorded(record: Trace | None, scope: str = "") -> Iterator[None]:
    """Into this trace, if one is given; else into the one that is open, if one is."""
    with nullcontext() if record is None else record:
        recorder = CONTEXT.get().recorder
        with recorder.scope(scope) if recorder is not None and scope else nullcontext():
            yield


def refuse_uncountable(name: str, value: object) -> None:
    if type(value) is not int or value < 1:
        raise CallError("generate.count", name=name, value=value)


add_sentences(
    "error",
    {
        "generate.choice": "How a token is chosen is said by a Choice; this is a {kind}.",
        "generate.choice.try": "Write Choice(greedy=True), or Choice(temperature=0.8, top_k=5, seed=7).",
        "generate.tokens": "A text to begin with is a list of token numbers; this is a {kind}.",
        "generate.tokens.try": "Write vocabulary.encode(text).",
        "generate.start": "An encoder-decoder writes a text of its own, and it is not said how that begins.",
        "generate.start.try": "Give the token with which its texts begin: start=vocabulary.start.",
        "generate.start.none": "This model goes on with the text that it is given; {start} would begin another.",
        "generate.start.none.try": "Leave out start, or put it before the other tokens.",
        "generate.count": "{name} must be a whole number of at least 1, and is {value}.",
        "generate.count.try": "Give such a number.",
    },
)
