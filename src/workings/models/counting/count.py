"""Counting a model: its parameters, the operations of one pass, and the memory that it takes, line by line.

Nothing is looked up in a table of formulas: the weights are those that `nn.build` asks for, and the operations and
values are those of the steps that the modules record (survey.py).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...engine.errors import InputError
from ...engine.registry import nearest
from ...nn import Architecture, Shapes, build
from .count_lines import (
    Line,
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

BYTES: Mapping[str, int] = {"float32": 4, "float16": 2, "bfloat16": 2, "float64": 8}
TOKENS = 1024  # of a text, where no table of positions says how long it may be
MOST_TOKENS = 2**24  # of all texts together
MOST_SIZE = 10_000_000  # of a vocabulary, a width, a table of positions
MOST_PARTS = 1_000  # layers of a model, heads of a layer


@dataclass(frozen=True)
class Count:
    """All that was counted of one model. Operations are for `batch` texts of `tokens` tokens each."""

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
    cache: tuple[Line, ...]  # bytes; none if the model does not write one token after the other

    @property
    def bytes(self) -> int:
        """Of one number."""
        return BYTES[self.dtype]

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
    def stored(self) -> tuple[Line, ...]:
        """What training with Adam keeps besides the values: weights, gradients, two averages."""
        weights = self.all_parameters
        parts = (("weights", 1), ("gradients", 1), ("adam", 2))
        return tuple(
            Line(name, times((copies, self.bytes, weights)), copies * self.bytes * weights) for name, copies in parts
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
    architecture: Architecture, name: str = "", tokens: int | None = None, batch: int = 1, dtype: str = "float32"
) -> Count:
    """Count a model for texts of so many tokens: all that it has positions for, or else 1024.

    >>> from workings.models.presets import PRESETS
    >>> count(PRESETS["gpt2"]).all_parameters
    124439808
    """
    tokens = _checked(architecture, tokens, batch, dtype)
    whole = survey(architecture, tokens, batch)
    tape = survey(architecture, tokens, batch, level="tape", back=False)
    return Count(
        name=name,
        architecture=architecture,
        tokens=tokens,
        batch=batch,
        dtype=dtype,
        parameters=parameters(architecture),
        untied=total(parameters(replace(architecture, tied=False))),
        one_head=total(parameters(replace(architecture, heads=1, head_size=architecture.joined))),
        forward=in_sections(product_lines(whole)),
        backward=in_sections(backward_product_lines(whole)),
        entrywise=in_sections(entrywise_lines(whole)),
        entrywise_back=sum(whole.work(step).entrywise for step in whole.made("backward")),
        trace=in_sections(trace_lines(whole, BYTES[dtype])),
        tape=in_sections(tape_lines(tape, BYTES[dtype])),
        cache=_cache(architecture, tokens, batch, BYTES[dtype]),
    )


def parameters(architecture: Architecture) -> tuple[Section, ...]:
    """The weights that a model is built from."""
    return in_sections(parameter_lines(build(architecture, Shapes())))


def _cache(architecture: Architecture, tokens: int, batch: int, size: int) -> tuple[Line, ...]:
    """The keys and values that are kept while a text is written token by token. Of the tokens that an encoder read,
    the keys and values are the same for every token that is written.
    """
    a = architecture
    if a.kind != "encoder-decoder" and not a.causal:
        return ()
    sizes = (2, a.decoder_layers if a.kind == "encoder-decoder" else a.layers, tokens, a.heads, a.head_size, size)
    expression, value = times((*sizes, *([batch] if batch > 1 else []))), batch
    for factor in sizes:
        value *= factor
    names = ("own", "cross") if a.kind == "encoder-decoder" else ("own",)
    return tuple(Line(name, expression, value) for name in names)


def _checked(architecture: Architecture, tokens: int | None, batch: int, dtype: str) -> int:
    """The number of tokens; what cannot be counted is refused."""
    a = architecture
    limits = (
        ("vocabulary", MOST_SIZE), ("width", MOST_SIZE), ("hidden", MOST_SIZE), ("positions", MOST_SIZE),
        ("head_size", MOST_SIZE), ("classes", MOST_SIZE), ("segments", MOST_SIZE), ("heads", MOST_PARTS),
        ("layers", MOST_PARTS), ("decoder_layers", MOST_PARTS),
    )  # fmt: skip
    for size, most in limits:
        if getattr(a, size) > most:
            raise InputError("count.size", size=size, value=f"{getattr(a, size):,}", most=f"{most:,}")
    if dtype not in BYTES:
        raise InputError("count.dtype", dtype=dtype, known=", ".join(BYTES), nearest=nearest(str(dtype), BYTES, 1))
    if tokens is None:
        tokens = a.positions if a.position == "learned" else TOKENS
    for what, number in (("tokens", tokens), ("batch", batch)):
        if not isinstance(number, int) or isinstance(number, bool) or not 1 <= number <= MOST_TOKENS:
            raise InputError("count.number", what=what, value=number, most=f"{MOST_TOKENS:,}")
    if a.position == "learned" and tokens > a.positions:
        raise InputError("count.positions", tokens=f"{tokens:,}", most=f"{a.positions:,}")
    if tokens * batch > MOST_TOKENS:
        raise InputError("count.tokens", tokens=f"{tokens:,}", batch=f"{batch:,}", most=f"{MOST_TOKENS:,}")
    if a.head == "masked-tokens" and batch > 1:
        raise InputError("count.batch", batch=batch)
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


def _line_data(line: Line) -> dict[str, Any]:
    return {"name": line.name, "expression": line.expression, "value": line.value}
