"""`workings generate`: the continuation of a text, token by token, or with a page on how each token was chosen."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, Protocol

from ..document.blocks import Document, Program, to_data
from ..engine.arrays import dtype_name
from ..engine.errors import InputError
from ..engine.files import write_user_file
from ..explain.trace import Trace
from ..generation.beams import Beam, beam_search
from ..generation.generate import generate
from ..generation.generation_page import beams_document, choice_document
from ..generation.reader import can_cache
from ..generation.sampling import Choice
from ..generation.stream import pieces
from ..nn import EncoderDecoder
from ..nn.module import Module
from ..text.tokens import Tokens
from ..training.threads import on_threads
from .output import give
from .streams import print_text

SCHEMA = "workings/generation/1"


class Trained(Protocol):
    """The parts of a checkpoint that generation needs."""

    @property
    def model(self) -> Module: ...

    @property
    def vocabulary(self) -> Tokens | None: ...

    @property
    def threads(self) -> int: ...


@dataclass(frozen=True)
class GenerateOptions:
    """The options of the command; None where one is not given."""

    max_new_tokens: int
    temperature: float | None = None
    top_k: int | None = None
    top_p: float | None = None
    greedy: bool = False
    beams: int | None = None
    seed: int | None = None
    cache: bool = True

    def __post_init__(self) -> None:
        for option, value in (("--max-new-tokens", self.max_new_tokens), ("--beams", self.beams)):
            if value is not None and value < 1:
                raise InputError(
                    f"{option} must be at least 1, not {value}.", hint=f"Give a larger number, or leave out {option}."
                )
        drawing = (self.temperature, self.top_k, self.top_p, self.seed)
        if self.beams is not None and (self.greedy or any(value is not None for value in drawing)):
            raise InputError(
                "Beam search looks for the likeliest text and samples nothing, so --temperature, --top-k, --top-p, "
                "--seed and --greedy have no effect on it.",
                hint="Leave out --beams, or leave out the others.",
            )

    @property
    def choice(self) -> Choice:
        temperature = 1.0 if self.temperature is None else self.temperature
        return Choice(temperature, self.top_k, self.top_p, self.greedy, self.seed or 0)


def generate_text(
    trained: Trained, prompt: str, options: GenerateOptions, explain: bool, format: str, output: Path | None
) -> None:
    """Continue a text. On the screen each token appears as it is generated; a page or a file is written at the end."""
    if trained.vocabulary is None:
        raise InputError(
            "This model was trained on token ids, so it has no vocabulary to encode a text with.",
            hint="Train it on texts, or generate from ids in Python.",
        )
    text = _Text(trained.model, trained.vocabulary, trained.vocabulary.encode(prompt))
    if options.cache and not can_cache(trained.model):
        options = replace(options, cache=False)
    with on_threads(trained.threads):
        text.give(options, explain, format, output)


class _Text:
    """A text and its continuation. An encoder-decoder reads the text, and generates another one."""

    def __init__(self, model: Module, vocabulary: Tokens, prompt: list[int]) -> None:
        self.model, self.vocabulary, self.prompt = model, vocabulary, prompt
        translates = isinstance(model, EncoderDecoder)
        self.start = vocabulary.start if translates else None
        if translates and self.start is None:
            raise InputError(
                "This encoder-decoder cannot start a text: its vocabulary has no start token.",
                hint="Train it with the start token <s> among the special tokens.",
            )
        self.before = [] if translates else prompt

    def give(self, options: GenerateOptions, explain: bool, format: str, output: Path | None) -> None:
        """Print the text, write it to a file, or make a page of it."""
        if format != "terminal" or explain:
            document, data = self.beams(options, explain) if options.beams is not None else self.whole(options, explain)
            give(document, lambda: {**data, "document": to_data(document)}, format, output)
        elif output is not None:
            write_user_file(output, ("".join(self.stream(options)) + "\n").encode())
        else:
            for piece in self.stream(options):
                print_text(piece)
            print_text("\n")

    def tokens(self, options: GenerateOptions, trace: Trace | None = None) -> Iterator[int]:
        end, cache = self.vocabulary.end, options.cache
        return generate(
            self.model,
            self.prompt,
            options.choice,
            options.max_new_tokens,
            start=self.start,
            end=end,
            cache=cache,
            record=trace,
        )

    def search(self, options: GenerateOptions, trace: Trace | None = None) -> list[Beam]:
        end, cache, width = self.vocabulary.end, options.cache, 1 if options.beams is None else options.beams
        return beam_search(
            self.model, self.prompt, width, options.max_new_tokens, start=self.start, end=end, cache=cache, record=trace
        )

    def shown(self, tokens: Iterable[int]) -> Iterator[str]:
        """The prompt and its continuation, without the end token."""
        if self.before:
            yield self.vocabulary.decode(self.before)
        yield from pieces(self.vocabulary, (id for id in tokens if id != self.vocabulary.end), self.before)

    def stream(self, options: GenerateOptions) -> Iterator[str]:
        """Piece by piece. The first piece waits for the first token, so that nothing is printed before an error."""
        if options.beams is not None:
            yield from self.shown(self.search(options)[0].tokens)
            return
        tokens = self.tokens(options)
        yield from self.shown(chain([next(tokens)], tokens))

    def trace(self) -> Trace:
        """A trace in the precision of the model's weights."""
        weight = next(iter(self.model.parameters().values()))
        return Trace(precision=dtype_name(weight.array))

    def whole(self, options: GenerateOptions, explain: bool) -> tuple[Document, dict[str, Any]]:
        trace = self.trace() if explain else None
        tokens = list(self.tokens(options, trace))
        text = "".join(self.shown(tokens))
        page = None if trace is None else choice_document(trace, self.vocabulary)
        choice = options.choice
        settings = {
            "temperature": choice.temperature, "top_k": choice.top_k, "top_p": choice.top_p, "greedy": choice.greedy,
            "seed": choice.seed, "cache": options.cache,
        }  # fmt: skip
        return _page(text, page), self.data(text, tokens, settings)

    def beams(self, options: GenerateOptions, explain: bool) -> tuple[Document, dict[str, Any]]:
        trace = self.trace() if explain else None
        found = self.search(options, trace)
        text = "".join(self.shown(found[0].tokens))
        page = None if trace is None else beams_document(trace, self.vocabulary)
        data = self.data(text, list(found[0].tokens), {"beams": options.beams, "cache": options.cache})
        return _page(text, page), {**data, "beams": [self.beam(beam) for beam in found]}

    def data(self, text: str, tokens: list[int], settings: dict[str, Any]) -> dict[str, Any]:
        return {"schema": SCHEMA, "prompt": self.prompt, "tokens": tokens, "text": text, "settings": settings}

    def beam(self, beam: Beam) -> dict[str, Any]:
        text = "".join(self.shown(beam.tokens))
        return {"text": text, "tokens": list(beam.tokens), "total": beam.total, "ended": beam.ended}


def _page(text: str, explained: Document | None) -> Document:
    blocks = () if explained is None else explained.blocks
    return Document("The text", (Program("text", text), *blocks))
