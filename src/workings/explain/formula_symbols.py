"""Greek letters in the names of steps: a step that is called α is set as the letter, and read aloud as its name."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..engine.sentences import say
from .formula_tree import SIGNS, Symbol, Words, in_parts

# The command of each Greek letter; of ε and φ, which have two, the first.
COMMANDS: dict[str, str] = {}
for _command, _sign in SIGNS.items():
    if _sign.kind == "letter" and _sign.unicode.isalpha():
        COMMANDS.setdefault(_sign.unicode, _command)


def as_signs(item: Any) -> Any:
    r"""A formula in which a name that is one Greek letter has become this letter: \mathrm{α} is \alpha."""
    if isinstance(item, Words) and item.text in COMMANDS:
        return Symbol(COMMANDS[item.text])
    return in_parts(item, as_signs)


def spelled(item: Any) -> Any:
    r"""A formula to be read aloud: in dα and α_1 the Greek letters are words.

    >>> from workings.explain.formula import Formula, to_speech
    >>> to_speech(spelled(Formula((Words(r"\mathrm", "dα"),))))
    'd alpha'
    """
    if isinstance(item, Words) and any(sign in COMMANDS for sign in item.text):
        words = "".join(f" {_spoken(sign)} " if sign in COMMANDS else sign for sign in item.text)
        return replace(item, text=" ".join(words.split()))
    return in_parts(item, spelled)


def _spoken(sign: str) -> str:
    return say(f"speech.sign.{SIGNS[COMMANDS[sign]].name}")
