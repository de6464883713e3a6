"""`workings generate`: how a text goes on, token by token as it comes, or with a page on every choice."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from ..engine.arrays import dtype_name
from ..engine.errors import InputError
from ..engine.sentences import add_sentences, say
from ..explain.document import Document, Program, to_data
from ..explain.view import Trace
from ..models.generating.beams import Beam, beam_search
from ..models.generating.choice import Choice
from ..models.generating.choice_page import beams_document, choice_document
from ..models.generating.generate import generate
from ..models.generating.reader import can_keep
from ..models.generating.stream import pieces
from ..models.learning.threads import on_threads
from ..nn import EncoderDecoder
from ..nn.module import Module
from ..text.tokens import Tokens
from .output import ReaderLeft, give, write_whole

SCHEMA = "workings/generation/1"


class Trained(Protocol):
    """What is needed of a checkpoint."""

    @property
    def model(self) -> Module: ...

    @property
    def vocabulary(self) -> Tokens | None: ...

    @property
    def threads(self) -> int: ...


@dataclass(frozen=True)
class Asked:
    """What the command line says, where it says something."""

    tokens: int
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    greedy: bool = False
    beams: int | None = None
    seed: int | None = None
    cache: bool = True

    def __post_init__(self) -> None:
        for option, value in (("--tokens", self.tokens), ("--beams", self.beams)):
            if value is not None and value < 1:
                raise InputError("generate.least", option=option, value=value)
        drawing = (self.temperature, self.top_k, self.top_p, self.seed)
        if self.beams is not None and (self.greedy or any(value is not None for value in drawing)):
            raise InputError("generate.beams")

    @property
    def choice(self) -> Choice:
        temperature = 1.0 if self.temperature is None else self.temperature
        return Choice(temperature, self.top_k, self.top_p, self.greedy, self.seed or 0)


def generate_called(
    trained: Trained, prompt: str, asked: Asked, explain: bool, format: str, output: Path | None
) -> None:
    """Go on with a text. On the screen it appears as it comes; a page or a file is written when all of it is there."""
    if trained.vocabulary is None:
        raise InputError("generate.no_vocabulary")
    text = _Text(trained.model, trained.vocabulary, trained.vocabulary.encode(prompt))
    if asked.cache and not can_keep(trained.model):
        asked = replace(asked, cache=False)
    with on_threads(trained.threads):
        text.give(asked, explain, format, output)


class _Text:
    """A text that goes on. An encoder-decoder reads it, and writes another one."""

    def __init__(self, model: Module, vocabulary: Tokens, prompt: list[int]) -> None:
        self.model, self.vocabulary, self.prompt = model, vocabulary, prompt
        translates = isinstance(model, EncoderDecoder)
        self.start = vocabulary.start if translates else None
        if translates and self.start is None:
            raise InputError("generate.no_start")
        self.before = [] if translates else prompt

    def give(self, asked: Asked, explain: bool, format: str, output: Path | None) -> None:
        """The text alone, as it comes or into a file; or a page."""
        if format != "terminal" or explain:
            document, data = self.beams(asked, explain) if asked.beams is not None else self.whole(asked, explain)
            give(document, lambda: {**data, "document": to_data(document)}, format, output)
        elif output is not None:
            write_whole(output, ("".join(self.stream(asked)) + "\n").encode())
        else:
            for piece in self.stream(asked):
                _print(piece)
            _print("\n")

    def tokens(self, asked: Asked, trace: Trace | None = None) -> Iterator[int]:
        end, cache = self.vocabulary.end, asked.cache
        return generate(
            self.model, self.prompt, asked.choice, asked.tokens, start=self.start, end=end, cache=cache, record=trace
        )

    def search(self, asked: Asked, trace: Trace | None = None) -> list[Beam]:
        end, cache, width = self.vocabulary.end, asked.cache, 1 if asked.beams is None else asked.beams
        return beam_search(
            self.model, self.prompt, width, asked.tokens, start=self.start, end=end, cache=cache, record=trace
        )

    def shown(self, tokens: Iterable[int]) -> Iterator[str]:
        """The text before, and what comes after it, without the mark of its end."""
        if self.before:
            yield self.vocabulary.decode(self.before)
        yield from pieces(self.vocabulary, (id for id in tokens if id != self.vocabulary.end), self.before)

    def stream(self, asked: Asked) -> Iterator[str]:
        """Piece by piece. Nothing is given before the first token is there: what is refused is refused before."""
        if asked.beams is not None:
            yield from self.shown(self.search(asked)[0].tokens)
            return
        tokens = self.tokens(asked)
        yield from self.shown(chain([next(tokens)], tokens))

    def trace(self) -> Trace:
        """A trace in the numbers of the model: those of float32 are calculated with as such."""
        weight = next(iter(self.model.parameters().values()))
        return Trace(precision=dtype_name(weight.array))

    def whole(self, asked: Asked, explain: bool) -> tuple[Document, dict[str, Any]]:
        trace = self.trace() if explain else None
        tokens = list(self.tokens(asked, trace))
        text = "".join(self.shown(tokens))
        page = None if trace is None else choice_document(trace, self.vocabulary)
        choice = asked.choice
        settings = {
            "temperature": choice.temperature, "top_k": choice.top_k, "top_p": choice.top_p, "greedy": choice.greedy,
            "seed": choice.seed, "cache": asked.cache,
        }  # fmt: skip
        return _page(text, page), self.data(text, tokens, settings)

    def beams(self, asked: Asked, explain: bool) -> tuple[Document, dict[str, Any]]:
        trace = self.trace() if explain else None
        found = self.search(asked, trace)
        text = "".join(self.shown(found[0].tokens))
        page = None if trace is None else beams_document(trace, self.vocabulary)
        data = self.data(text, list(found[0].tokens), {"beams": asked.beams, "cache": asked.cache})
        return _page(text, page), {**data, "beams": [self.beam(beam) for beam in found]}

    def data(self, text: str, tokens: list[int], settings: dict[str, Any]) -> dict[str, Any]:
        return {"schema": SCHEMA, "prompt": self.prompt, "tokens": tokens, "text": text, "settings": settings}

    def beam(self, beam: Beam) -> dict[str, Any]:
        text = "".join(self.shown(beam.tokens))
        return {"text": text, "tokens": list(beam.tokens), "total": beam.total, "ended": beam.ended}


def _page(text: str, explained: Document | None) -> Document:
    blocks = () if explained is None else explained.blocks
    return Document(say("generate.title"), (Program("text", text), *blocks))


def _print(text: str) -> None:
    """Onto the screen at once; what it cannot show becomes a question mark."""
    encoding = sys.stdout.encoding or "ascii"
    try:
        sys.stdout.write(text.encode(encoding, "replace").decode(encoding))
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderLeft from None
    except OSError as error:
        raise InputError("output.screen", reason=error.strerror) from None


add_sentences("generate", {"title": "The text"})

add_sentences(
    "error",
    {
        "generate.least": "{option} takes a number of at least 1, and this is {value}.",
        "generate.least.try": "Give such a number, or leave it out.",
        "generate.beams": "Beam search looks for the likeliest text: nothing is drawn, and so there is nothing for a "
        "temperature, top-k, top-p, a seed or greedy to change.",
        "generate.beams.try": "Leave out --beams, or leave out the others.",
        "generate.no_vocabulary": "This model was trained on token numbers, and there is no vocabulary to read a text "
        "with.",
        "generate.no_vocabulary.try": "Train it on texts; or generate from numbers in Python.",
        "generate.no_start": "This model writes a text of its own, and its vocabulary has no token with which texts "
        "begin.",
        "generate.no_start.try": "Train it with such a token, <s>, among the special ones.",
    },
)
