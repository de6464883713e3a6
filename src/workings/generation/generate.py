"""Generation: one token after the other, each from everything before it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext

from ..engine.arguments import checks_arguments
from ..engine.context import CONTEXT
from ..engine.errors import CallError, OptionError
from ..explain.trace import Trace
from ..nn import EncoderDecoder
from ..nn.module import Module
from ..ops.concat import concat
from ..ops.given import ids
from ..ops.reshape import reshape
from .reader import reader_of, refuse_unfit, write_down
from .sampling import Choice, choose

DRAWN = Choice()


@checks_arguments
def generate(
    model: Module,
    prompt: Sequence[int],
    choice: Choice = DRAWN,
    max_new_tokens: int = 20,
    *,
    start: int | None = None,
    end: int | None = None,
    cache: bool = True,
    record: Trace | None = None,
) -> Iterator[int]:
    """The tokens that follow, one at a time: at most `max_new_tokens` of them, and none after `end`.

    An encoder-decoder reads the `prompt` and writes another text, which begins with `start`. `record` is a trace into
    which everything is recorded: `token3.block1.attention.K_cache`, `token3.shares`. Without the cache the whole
    text is read again for each token; the tokens are the same.

    >>> from workings import nn
    >>> model = nn.build(nn.Architecture(kind="decoder", vocab_size=4, width=2), nn.Drawn(7))
    >>> tokens = list(generate(model, [0, 1], Choice(seed=1), 5))
    >>> tokens == list(generate(model, [0, 1], Choice(seed=1), 5, cache=False))
    True
    """
    begin, source = beginning(model, prompt, start)
    refuse_unfit(model, begin, source)
    refuse_uncountable("max_new_tokens", max_new_tokens)
    if not isinstance(choice, Choice):
        raise CallError(
            f"How a token is chosen is given by a Choice, not by a {type(choice).__name__}.",
            hint="Write Choice(greedy=True), or Choice(temperature=0.8, top_k=5, seed=7).",
        )
    return _tokens(model, begin, source, choice, max_new_tokens, end, cache, record)


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
        # Outside of the recording, so that what the caller does with a token is not recorded.
        token = int(chosen.array)
        yield token
        if token == end:
            return


def beginning(model: Module, tokens: Sequence[int], start: int | None) -> tuple[Sequence[int], Sequence[int] | None]:
    """The tokens with which the generated text begins, and the source that an encoder-decoder reads."""
    if not isinstance(tokens, Iterable):
        raise CallError(
            f"A prompt is a list of token ids, not a {type(tokens).__name__}.",
            hint="Write vocabulary.encode(text).",
        )
    if not isinstance(model, EncoderDecoder):
        if start is not None:
            raise CallError(
                f"This model continues its prompt, and {start} would begin another text.",
                hint="Leave out start, or put it before the other tokens.",
            )
        return list(tokens), None
    if start is None:
        raise CallError(
            "An encoder-decoder generates a text of its own, and needs a token to begin it with.",
            hint="Give that token: start=vocabulary.start.",
        )
    return [start], list(tokens)


@contextmanager
def recorded(record: Trace | None, scope: str = "") -> Iterator[None]:
    """Record into this trace, if one is given; else into the one that is open, if there is one."""
    with nullcontext() if record is None else record:
        recorder = CONTEXT.get().recorder
        with recorder.scope(scope) if recorder is not None and scope else nullcontext():
            yield


def refuse_uncountable(name: str, value: object) -> None:
    if type(value) is not int or value < 1:
        raise OptionError(
            f"{name} must be a whole number of at least 1, and is {value}.", option=name, hint="Give such a number."
        )
