"""Attention on matrices that somebody gives: what they must be, and the scenario that works with them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy
from numpy.typing import NDArray

from ..conventions import Convention
from ..conventions import convention as convention_called
from ..engine.sentences import say
from ..teach.answers.spelling import shown
from . import starter_sentences as _sentences  # noqa: F401 - puts them into the catalogue
from .errors import LabError
from .pasted import filled, read_rows
from .yaml_text import quoted, rows, scenario_text

QUERIES = ("Q", "K", "V")
WEIGHTS = ("W_Q", "W_K", "W_V")
PROJECTED = ("X", *WEIGHTS)
MORE = ("W_O", "cotangent")
MASKS = ("", "none", "causal")
ROWS, COLUMNS = 0, 1
DEFAULT = "seed"  # the convention of a scenario that names none
AXES = {"Q": "query model", "K": "key model", "V": "key model"}


@dataclass(frozen=True, eq=False)
class OwnMatrices:
    """Q, K and V, or X with the weights that make them; perhaps W_O, and the `cotangent`: how much each entry of the
    result counts. The `convention` is the name of one, or a choice of its own: `attention_scale=model`.

    >>> given = {name: numpy.eye(2) for name in ("Q", "K", "V")}
    >>> print(OwnMatrices(given).text().splitlines()[-2])
      - weights = softmax(scaled)
    """

    given: Mapping[str, NDArray[numpy.float64]]
    mask: str = ""
    heads: int = 1
    convention: str = ""

    def __post_init__(self) -> None:
        """Refuse what does not fit before anything is computed: here it is known what each matrix is called."""
        if self.mask not in MASKS:
            raise LabError("lab.matrices.mask", mask=shown(self.mask))
        for why, one, other in self._pairs():
            if self._size(one) != self._size(other):
                reason = say(f"lab.matrices.{why}")
                raise LabError("lab.matrices.shapes", one=self._sized(one), other=self._sized(other), why=reason)
        for name in self._queries:
            width = self._size((name, COLUMNS))
            if self.heads < 1 or width % self.heads:
                raise LabError("lab.matrices.heads", width=width, name=name, heads=self.heads)
        if self._is_causal and "Q" in self.given and len(self.given["Q"]) != len(self.given["K"]):
            raise LabError("lab.matrices.causal", queries=len(self.given["Q"]), keys=len(self.given["K"]))

    def text(self) -> str:
        """The scenario as YAML."""
        steps = list(self._steps())
        lines = [*self._followed(), *self._values(), "calculate:", *(f"  - {step}" for step in steps)]
        if "cotangent" in self.given:
            result = steps[-1].partition(" = ")[0]
            lines.append(f"backward: {{of: {result}, cotangent: {rows(self.given['cotangent'])}}}")
        return scenario_text(say("lab.starter.matrices.title"), say("lab.starter.matrices.about"), lines)

    # -- what fits ----------------------------------------------------------------------------------

    @property
    def _queries(self) -> tuple[str, ...]:
        """The matrices whose columns are those of queries, keys and values."""
        return WEIGHTS if "X" in self.given else QUERIES

    @property
    def _is_causal(self) -> bool:
        return self.mask == "causal"

    def _pairs(self) -> Iterator[tuple[str, tuple[str, int], tuple[str, int]]]:
        """Sizes that must be equal, and why."""
        Q, K, V = self._queries
        if "X" in self.given:
            yield from (("projected", ("X", COLUMNS), (weight, ROWS)) for weight in WEIGHTS)
        else:
            yield "mixed", ("K", ROWS), ("V", ROWS)
        yield "compared", (Q, COLUMNS), (K, COLUMNS)
        if "W_O" in self.given:
            yield "joined", (V, COLUMNS), ("W_O", ROWS)
        if "cotangent" in self.given:
            yield "cotangent", ("X" if "X" in self.given else Q, ROWS), ("cotangent", ROWS)
            yield "cotangent", ("W_O" if "W_O" in self.given else V, COLUMNS), ("cotangent", COLUMNS)

    def _size(self, place: tuple[str, int]) -> int:
        name, axis = place
        return int(self.given[name].shape[axis])

    def _sized(self, place: tuple[str, int]) -> str:
        key = "lab.matrices.columns" if place[1] else "lab.matrices.rows"
        return say(key, name=place[0], count=self._size(place))

    # -- the scenario -------------------------------------------------------------------------------

    def _values(self) -> Iterator[str]:
        """What is given; where queries and keys are two things, their axes say so."""
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
        """What stands under the root: the size of a head, unless the convention says the width of the model."""
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
    """The matrices of the fields that are filled in: all that is needed, and nothing else.

    >>> list(read_given({"Q": "1 0", "K": "1 0; 0 2", "V": "3 1; 2 2", "W_O": ""}))
    ['Q', 'K', 'V']
    """
    written = filled(given)
    said = {"queries": ", ".join(QUERIES), "projected": ", ".join(PROJECTED)}
    for name in written:
        if name not in (*QUERIES, *PROJECTED, *MORE):
            raise LabError("lab.matrices.unknown", name=shown(name), more=", ".join(MORE), **said)
    needed = PROJECTED if any(name in written for name in PROJECTED) else QUERIES
    if needed is PROJECTED and (twice := [name for name in QUERIES if name in written]):
        raise LabError("lab.matrices.both", names=", ".join(twice))
    missing = [name for name in needed if name not in written]
    if missing:
        raise LabError("lab.matrices.missing", missing=", ".join(missing), **said)
    return {name: read_rows(name, written[name]) for name in (*needed, *MORE) if name in written}
