"""Counting a model: its parameters, the operations of one pass, and its memory, line by line.

There is no table of formulas: the weights are those that `nn.build` creates, and the operations and values are those of
the steps that the modules record (survey.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ..engine.arguments import unknown_choice
from ..engine.errors import InputError
from ..nn import Architecture, Shapes, build
from .count_lines import (
    CountLine,
    Section,
    backward_product_lines,
    entrywise_lines,
    in_sections,
    is_bias,
    parameter_lines,
    product_lines,
    tape_lines,
    times,
    total,
    trace_lines,
)
from .survey import survey

DTYPE_BYTES: Mapping[str, int] = {"float32": 4, "float16": 2, "bfloat16": 2, "float64": 8}
DEFAULT_TOKENS = 1024  # of a text, where no table of positions limits its length
MAX_TOKENS = 2**24  # of all texts together
MAX_SIZE = 10_000_000  # of a vocabulary, a width, a table of positions
MAX_PARTS = 1_000  # layers of a model, heads of a layer


@dataclass(frozen=True)
class Count:
    """Everything that was counted of one model. Operations are for `batch` texts of `tokens` tokens each."""

    name: str
    architecture: Architecture
    tokens: int
    batch: int
    dtype: str
    parameters: tuple[Section, ...]
    untied: int  # parameters, if the output layer had a table of its own
    one_head: int  # parameters, if all heads were one
    forward: tuple[Section, ...]  # matrix products
    backward: tuple[Section, ...]
    entrywise: tuple[Section, ...]  # the rest of the forward pass
    entrywise_back: int
    trace: tuple[Section, ...]  # bytes
    tape: tuple[Section, ...]
    cache: tuple[CountLine, ...]  # bytes; none if the model does not generate token by token

    @property
    def bytes(self) -> int:
        """The bytes of one number."""
        return DTYPE_BYTES[self.dtype]

    @property
    def all_parameters(self) -> int:
        return total(self.parameters)

    @property
    def biases(self) -> int:
        return sum(part.times * line.value for part in self.parameters for line in part.lines if is_bias(line))

    @property
    def flops(self) -> int:
        """Of all matrix products, forward and backward."""
        return total(self.forward) + total(self.backward)

    @property
    def flops_per_token(self) -> float:
        return self.flops / (self.batch * self.tokens)

    @property
    def rule_of_thumb(self) -> int:
        """6 operations for each parameter and each token."""
        return 6 * self.all_parameters

    @property
    def stored(self) -> tuple[CountLine, ...]:
        """What training with Adam stores besides activations: weights, gradients, two averages."""
        weights = self.all_parameters
        parts = (("weights", 1), ("gradients", 1), ("adam", 2))
        return tuple(
            CountLine(name, times((copies, self.bytes, weights)), copies * self.bytes * weights)
            for name, copies in parts
        )

    def to_data(self) -> dict[str, Any]:
        """Everything that was counted, as plain data for JSON."""
        sections = ("parameters", "forward", "backward", "entrywise", "trace", "tape")
        return {
            "schema": "workings/count/1",
            "model": self.name,
            "tokens": self.tokens,
            "batch": self.batch,
            "dtype": self.dtype,
            **{name: _sections_data(getattr(self, name)) for name in sections},
            "parameters_without_biases": self.all_parameters - self.biases,
            "parameters_untied": self.untied,
            "parameters_with_one_head": self.one_head,
            "entrywise_backward": self.entrywise_back,
            "flops_per_token": self.flops_per_token,
            "rule_of_thumb": self.rule_of_thumb,
            "cache": [_line_data(line) for line in self.cache],
            "stored": [_line_data(line) for line in self.stored],
        }


def count(
    architecture: Architecture, name: str = "", tokens: int | None = None, batch_size: int = 1, dtype: str = "float32"
) -> Count:
    """Count a model for texts of this many tokens: by default as many as it has positions for, or else 1024.

    >>> from workings.counting.presets import PRESETS
    >>> count(PRESETS["gpt2"]).all_parameters
    124439808
    """
    tokens = _checked(architecture, tokens, batch_size, dtype)
    whole = survey(architecture, tokens, batch_size)
    tape = survey(architecture, tokens, batch_size, level="tape", back=False)
    return Count(
        name=name,
        architecture=architecture,
        tokens=tokens,
        batch=batch_size,
        dtype=dtype,
        parameters=parameters(architecture),
        untied=total(parameters(replace(architecture, tied_embeddings=False))),
        one_head=total(parameters(replace(architecture, heads=1, head_size=architecture.joined))),
        forward=in_sections(product_lines(whole)),
        backward=in_sections(backward_product_lines(whole)),
        entrywise=in_sections(entrywise_lines(whole)),
        entrywise_back=sum(whole.work(step).entrywise for step in whole.made("backward")),
        trace=in_sections(trace_lines(whole, DTYPE_BYTES[dtype])),
        tape=in_sections(tape_lines(tape, DTYPE_BYTES[dtype])),
        cache=_cache(architecture, tokens, batch_size, DTYPE_BYTES[dtype]),
    )


def parameters(architecture: Architecture) -> tuple[Section, ...]:
    """The weights that a model is built from."""
    return in_sections(parameter_lines(build(architecture, Shapes())))


def _cache(architecture: Architecture, tokens: int, batch: int, size: int) -> tuple[CountLine, ...]:
    """The keys and values that are kept during generation. Those of the encoder's text are the same for every generated
    token.
    """
    a = architecture
    if a.kind != "encoder-decoder" and a.mask == "none":
        return ()
    sizes = (2, a.decoder_layers if a.kind == "encoder-decoder" else a.layers, tokens, a.heads, a.head_size, size)
    expression, value = times((*sizes, *([batch] if batch > 1 else []))), batch
    for factor in sizes:
        value *= factor
    names = ("own", "cross") if a.kind == "encoder-decoder" else ("own",)
    return tuple(CountLine(name, expression, value) for name in names)


def _checked(architecture: Architecture, tokens: int | None, batch_size: int, dtype: str) -> int:
    """The number of tokens; a model or a batch that cannot be counted is refused."""
    a = architecture
    limits = (
        ("vocab_size", MAX_SIZE), ("width", MAX_SIZE), ("hidden", MAX_SIZE), ("max_positions", MAX_SIZE),
        ("head_size", MAX_SIZE), ("classes", MAX_SIZE), ("segments", MAX_SIZE), ("heads", MAX_PARTS),
        ("layers", MAX_PARTS), ("decoder_layers", MAX_PARTS),
    )  # fmt: skip
    for size, most in limits:
        if getattr(a, size) > most:
            raise InputError(
                f"The {size} of the model is {getattr(a, size):,}; counting goes up to {most:,}.",
                hint="Check the sizes of the model.",
            )
    if dtype not in DTYPE_BYTES:
        raise unknown_choice("dtype", dtype, DTYPE_BYTES)
    if tokens is None:
        tokens = a.max_positions if a.position == "learned" else DEFAULT_TOKENS
    for what, number in (("tokens", tokens), ("batch_size", batch_size)):
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= MAX_TOKENS:
            raise InputError(
                f"{what} must be a whole number from 1 to {MAX_TOKENS:,}, and is {number}.",
                hint="Leave it out for the default, or give another number.",
            )
    if a.position == "learned" and tokens > a.max_positions:
        raise InputError(
            f"The model has {a.max_positions:,} positions, too few for {tokens:,} tokens.",
            hint=f"Leave out the number of tokens, or give at most {a.max_positions:,}.",
        )
    if tokens * batch_size > MAX_TOKENS:
        raise InputError(
            f"{batch_size:,} texts of {tokens:,} tokens are more than {MAX_TOKENS:,} tokens together.",
            hint="Take fewer or shorter texts: the operations grow with the number of texts.",
        )
    if a.head == "masked-tokens" and batch_size > 1:
        raise InputError(
            f"A head for masked tokens takes one text at a time, not {batch_size}.",
            hint="Leave out the batch size, and multiply.",
        )
    return tokens


def _sections_data(sections: tuple[Section, ...]) -> dict[str, Any]:
    parts = [
        {
            "name": part.name,
            "times": part.times,
            "lines": [_line_data(line) for line in part.lines],
            "total": part.total,
        }
        for part in sections
    ]
    return {"total": total(sections), "sections": parts}


def _line_data(line: CountLine) -> dict[str, Any]:
    return {"name": line.name, "expression": line.expression, "value": line.value}
