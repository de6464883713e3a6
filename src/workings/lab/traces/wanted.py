"""Wanted: which trace is asked for. The same wish always means the same numbers, so its hash can be the key."""

from __future__ import annotations

import hashlib
import json
from dataclasses import asdict, dataclass, replace

from ...lessons.runs import Numbers
from ...scenarios.reading.scenario_file import DEFAULT
from ..errors import LabError

KEY_LENGTH = 24  # hexadecimal digits: enough that no two wishes ever share a key
MOST_DIGITS = 17  # that a float has


def check_digits(digits: int | None) -> None:
    if digits is not None and not 1 <= digits <= MOST_DIGITS:
        raise LabError(
            f"A number cannot be shown with {digits} digits.",
            hint=f"Choose from 1 to {MOST_DIGITS} digits: `digits=4`.",
        )


@dataclass(frozen=True)
class Wanted:
    """A run of a lesson or scenario of the package (`source`), or of one that is given whole (`scenario`, as YAML).
    What stays empty is as it says itself. The `edits` stand as in an address: `W_Q[0][1]=0.3`, `input=A C`,
    `model.mask=causal`; the symbols of the notation as `weights=α`.
    """

    source: str = ""
    scenario: str = ""
    run: str = DEFAULT
    precision: str = ""
    convention: str = ""
    numbers: Numbers = "document"
    digits: int | None = None
    count_from: int | None = None
    vectors: str = ""
    symbols: tuple[str, ...] = ()
    edits: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        """
        >>> Wanted("example-1").key == Wanted("example-1", edits=("W_Q[0][1]=0.3",)).key
        False
        """
        text = json.dumps(asdict(self), sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:KEY_LENGTH]

    @property
    def base(self) -> Wanted | None:
        """The same before its numbers were changed, by edits, precision or convention; None if they were not. The set
        of numbers that a lesson starts from is no change.
        """
        if not (self.edits or self.precision or self.convention):
            return None
        return replace(self, edits=(), precision="", convention="")
