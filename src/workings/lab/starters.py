"""Scenarios to start from: a small decoder about somebody's own sentence, or attention on their own matrices."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from ..engine.sentences import say
from ..teach.answers.spelling import shown
from . import starter_sentences as _sentences  # noqa: F401 - puts them into the catalogue
from .answers import ScenarioText
from .errors import LabError
from .own_matrices import OwnMatrices, read_given
from .yaml_text import quoted, scenario_text

LONGEST, MOST_WORDS, LONGEST_WORD = 4000, 64, 40  # characters, words, characters of one word
TITLE_WORDS = 8
INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn")  # kinds of signs: steering, formatting, halves, private, none
JOINERS = "\u200c\u200d"  # formatting too, but they hold letters and emoji together

# Everything is drawn in tenths, the table of places as well, so that a person can follow it by hand.
DECODER = "{kind: decoder, width: 4, heads: 2, hidden: 4, norm: none, position: learned}"
SEED = 1


def from_sentence(text: str) -> ScenarioText:
    """A small decoder that reads all words but the last, and should guess that one.

    >>> print(from_sentence("the cat sat on the mat").text.splitlines()[3])
    vocabulary: "the cat sat on mat"
    """
    words = _words(text)
    *read, target = words
    shortened = " ".join(words[:TITLE_WORDS]) + (" ..." if len(words) > TITLE_WORDS else "")
    lines = (
        f"vocabulary: {quoted(' '.join(dict.fromkeys(words)))}",
        f"model: {DECODER}",
        f"parameters: {{seed: {SEED}}}",
        f"data: {{input: {quoted(' '.join(read))}, target: {quoted(target)}}}",
        "train: {rate: 0.1}",
    )
    title, about = say("lab.starter.sentence.title", words=shortened), say("lab.starter.sentence.about")
    return ScenarioText(say("lab.starter.sentence.name"), scenario_text(title, about, lines))


def from_matrices(given: Mapping[str, str], mask: str = "", heads: int = 1, convention: str = "") -> ScenarioText:
    """Attention on pasted matrices: Q, K and V, or X with W_Q, W_K, W_V and perhaps W_O; a `cotangent` adds the way
    back.

    >>> made = from_matrices({"Q": "1 0; 0 1", "K": "1 2; 0 1", "V": "1 2; 3 4"}, mask="causal")
    >>> "masked = causal_mask(scaled)" in made.text
    True
    """
    return ScenarioText(
        say("lab.starter.matrices.name"), OwnMatrices(read_given(given), mask, heads, convention).text()
    )


def _words(text: str) -> list[str]:
    if len(text) > LONGEST:
        raise LabError("lab.sentence.characters", count=len(text), most=LONGEST)
    words = unicodedata.normalize("NFC", _visible(text)).split()
    if len(set(words)) < 2:
        raise LabError("lab.sentence.short", count=len(set(words)))
    if len(words) > MOST_WORDS:
        raise LabError("lab.sentence.long", count=len(words), most=MOST_WORDS)
    for word in words:
        if len(word) > LONGEST_WORD:
            raise LabError("lab.sentence.word", word=shown(word), count=len(word), most=LONGEST_WORD)
    return words


def _visible(text: str) -> str:
    """The text without what nobody sees: signs that steer a terminal, turn the line round, or are only half a sign."""
    seen = "".join(sign for sign in text if sign.isspace() or sign in JOINERS or not _is_invisible(sign))
    return " ".join(word for word in seen.split() if word.strip(JOINERS))


def _is_invisible(sign: str) -> bool:
    return unicodedata.category(sign) in INVISIBLE
