"""Attention on a user's matrices: which ones are needed, what must match, and the scenario that computes with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

from ...conventions import Convention
from ...conventions import convention as convention_called
from ...practice.answers.pasted import filled, read_rows
from ...practice.answers.spelling import shown
from ..errors import LabError
from .yaml_text import quoted, rows, scenario_text

QUERIES = ("Q", "K", "V")
WEIGHTS = ("W_Q", "W_K", "W_V")
PROJECTED = ("X", *WEIGHTS)
OPTIONAL = ("W_O", "cotangent")
MASKS = ("", "none", "causal")
ROWS, COLUMNS = 0, 1
DEFAULT = "seed"  # the convention of a scenario without one
AXES = {"Q": "query model", "K": "key model", "V": "key model"}


@dataclass(frozen=True, eq=False)
class OwnMatrices:
    """Q, K and V, or X with the weights of their projections; perhaps W_O, and the `cotangent`: the upstream gradient
    of the result. The `convention` is the name of one, or a single choice: `attention_scale=model`.

    >>> given = {name: numpy.eye(2) for name in ("Q", "K", "V")}
    >>> print(OwnMatrices(given).text().splitlines()[-2])
      - weights = softmax(scaled)
    """

    given: Mapping[str, NDArray[numpy.float64]]
    mask: str = ""
    heads: int = 1
    convention: str = ""

    def __post_init__(self) -> None:
        """Refuse sizes that do not match before anything is computed: here we know the names of the matrices."""
        if self.mask not in MASKS:
            raise LabError(f"The mask {shown(self.mask)} is unknown.", hint="Choose none, or causal.")
        for reason, one, other in self._pairs():
            if self._size(one) != self._size(other):
                raise LabError(
                    f"{self._sized(one)}, and {self._sized(other)}.", hint=f"These must be equal, because {reason}."
                )
        for name in self._queries:
            width = self._size((name, COLUMNS))
            if self.heads < 1 or width % self.heads:
                raise LabError(
                    f"The {width} columns of {name} cannot be split evenly among {self.heads} heads.",
                    hint=f"Give a positive number of heads that divides {width}.",
                )
        if self._is_causal and "Q" in self.given and len(self.given["Q"]) != len(self.given["K"]):
            raise LabError(
                f"A causal mask needs as many queries as keys: {len(self.given['Q'])} is not {len(self.given['K'])}.",
                hint="Give Q and K the same number of rows, or remove the mask.",
            )

    def text(self) -> str:
        """The scenario as YAML."""
        steps = list(self._steps())
        lines = [*self._followed(), *self._values(), "calculate:", *(f"  - {step}" for step in steps)]
        if "cotangent" in self.given:
            result = steps[-1].partition(" = ")[0]
            lines.append(f"backward: {{of: {result}, cotangent: {rows(self.given['cotangent'])}}}")
        return scenario_text(
            "Attention on your own matrices",
            "Every query is compared with every key; the attention weights then average the values. The numbers are "
            "yours.",
            lines,
        )

    # -- what fits ----------------------------------------------------------------------------------

    @property
    def _queries(self) -> tuple[str, ...]:
        """The matrices that have the columns of queries, keys and values."""
        return WEIGHTS if "X" in self.given else QUERIES

    @property
    def _is_causal(self) -> bool:
        return self.mask == "causal"

    def _pairs(self) -> Iterator[tuple[str, tuple[str, int], tuple[str, int]]]:
        """Sizes that must be equal, and why."""
        Q, K, V = self._queries
        if "X" in self.given:
            reason = "a row of X is multiplied by the columns of the weight"
            yield from ((reason, ("X", COLUMNS), (weight, ROWS)) for weight in WEIGHTS)
        else:
            yield "each key has one value", ("K", ROWS), ("V", ROWS)
        yield "a row of Q is multiplied by a row of K, column by column", (Q, COLUMNS), (K, COLUMNS)
        if "W_O" in self.given:
            yield "a context vector is multiplied by the columns of W_O", (V, COLUMNS), ("W_O", ROWS)
        if "cotangent" in self.given:
            reason = "each entry of the result has one entry of the cotangent"
            yield reason, ("X" if "X" in self.given else Q, ROWS), ("cotangent", ROWS)
            yield reason, ("W_O" if "W_O" in self.given else V, COLUMNS), ("cotangent", COLUMNS)

    def _size(self, place: tuple[str, int]) -> int:
        name, axis = place
        return int(self.given[name].shape[axis])

    def _sized(self, place: tuple[str, int]) -> str:
        name, axis = place
        return f"{name} has {self._size(place)} {'columns' if axis == COLUMNS else 'rows'}"

    # -- the scenario -------------------------------------------------------------------------------

    def _values(self) -> Iterator[str]:
        """The inputs; where Q and K are given, their axes say which is which."""
        yield "given:"
        for name in ("X", *QUERIES):
            if name in self.given:
                axes = f"axes: {AXES[name]}, " if name in AXES else ""
                yield f"  {name}: {{{axes}value: {rows(self.given[name])}}}"
        weights = [name for name in (*WEIGHTS, "W_O") if name in self.given]
        yield from ("parameters:",) if weights else ()
        yield from (f"  {name}: {rows(self.given[name])}" for name in weights)

    def _steps(self) -> Iterator[str]:
        """The steps, under the names that they have in every lesson."""
        Q, K, V = QUERIES
        if "X" in self.given:
            yield from (f"{letter} = X @ W_{letter}" for letter in QUERIES)
        if self.heads > 1:
            yield from (f"{letter}_heads = split_heads({letter}, heads={self.heads})" for letter in QUERIES)
            Q, K, V = (f"{letter}_heads" for letter in QUERIES)
        yield f"scores = {Q} @ {K}.T"
        yield f"scaled = divide_by_root(scores, d={self._divisor})"
        if self._is_causal:
            yield "masked = causal_mask(scaled)"
        yield f"weights = softmax({'masked' if self._is_causal else 'scaled'})"
        yield f"context = weights @ {V}"
        if self.heads > 1:
            yield "joined = merge_heads(context)"
        if "W_O" in self.given:
            yield f"attended = {'joined' if self.heads > 1 else 'context'} @ W_O"

    @property
    def _divisor(self) -> int:
        """What is under the root: the size of a head, unless the convention says the width of the model."""
        width = self._size((self._queries[0], COLUMNS))
        return width if self._convention.attention_scale == "model" else width // self.heads

    @property
    def _convention(self) -> Convention:
        field, equals, choice = self.convention.partition("=")
        return convention_called(DEFAULT, **{field: choice}) if equals else convention_called(field or DEFAULT)

    def _followed(self) -> Iterator[str]:
        field, equals, choice = self.convention.partition("=")
        if field:
            yield f"convention: {{{quoted(field)}: {quoted(choice)}}}" if equals else f"convention: {quoted(field)}"


def read_given(given: Mapping[str, str]) -> dict[str, NDArray[numpy.float64]]:
    """The matrices of the fields that are filled in: exactly those that are needed.

    >>> list(read_given({"Q": "1 0", "K": "1 0; 0 2", "V": "3 1; 2 2", "W_O": ""}))
    ['Q', 'K', 'V']
    """
    texts = filled(given)
    either = f"Give {', '.join(QUERIES)}, or {', '.join(PROJECTED)}"
    for name in texts:
        if name not in (*QUERIES, *PROJECTED, *OPTIONAL):
            raise LabError(f"There is no input {shown(name)}.", hint=f"{either}; {', '.join(OPTIONAL)} are optional.")
    needed = PROJECTED if any(name in texts for name in PROJECTED) else QUERIES
    if needed is PROJECTED and (twice := [name for name in QUERIES if name in texts]):
        raise LabError(
            f"{', '.join(twice)} follow from X and the weights, so they cannot be inputs too.",
            hint="Put them among your results, or leave X and the weights out.",
        )
    missing = [name for name in needed if name not in texts]
    if missing:
        raise LabError(f"Some inputs are missing: {', '.join(missing)}.", hint=f"{either}.")
    return {name: read_rows(name, texts[name]) for name in (*needed, *OPTIONAL) if name in texts}
