"""Scenarios to start from: a small decoder for a user's own sentence, or attention on their own matrices."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping

from ...practice.answers.spelling import shown
from ..answers.trace import ScenarioText
from ..errors import LabError
from .own_matrices import OwnMatrices, read_given
from .yaml_text import quoted, scenario_text

MAX_CHARS, MAX_WORDS, MAX_WORD_CHARS = 4000, 64, 40
TITLE_WORDS = 8
INVISIBLE = ("Cc", "Cf", "Cs", "Co", "Cn")  # Unicode categories: control, format, surrogate, private use, none
JOINERS = "\u200c\u200d"  # format characters too, but they join letters and emoji

# All weights are tenths, also those of the positions, so that a person can follow them by hand.
DECODER = "{kind: decoder, width: 4, heads: 2, hidden: 4, norm: none, position: learned}"
SEED = 1


def from_sentence(text: str) -> ScenarioText:
    """A small decoder that reads all words but the last, and predicts that one.

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
        "train: {learning_rate: 0.1}",
    )
    about = (
        "A small decoder reads all but the last of your words and predicts the next one. It is not trained yet: its "
        "weights are tenths, drawn from a fixed seed, so that you can follow every number by hand."
    )
    return ScenarioText("your-sentence", scenario_text(f"Your sentence: {shortened}", about, lines))


def from_matrices(given: Mapping[str, str], mask: str = "", heads: int = 1, convention: str = "") -> ScenarioText:
    """Attention on pasted matrices: Q, K and V, or X with W_Q, W_K, W_V and perhaps W_O; a `cotangent` adds the
    backward pass.

    >>> made = from_matrices({"Q": "1 0; 0 1", "K": "1 2; 0 1", "V": "1 2; 3 4"}, mask="causal")
    >>> "masked = causal_mask(scaled)" in made.text
    True
    """
    return ScenarioText("your-matrices", OwnMatrices(read_given(given), mask, heads, convention).text())


def _words(text: str) -> list[str]:
    if len(text) > MAX_CHARS:
        raise LabError(
            f"There are {len(text)} characters, and a sentence has at most {MAX_CHARS} here.",
            hint="Write a shorter sentence.",
        )
    words = unicodedata.normalize("NFC", _visible(text)).split()
    if len(set(words)) < 2:
        raise LabError(
            f"There are {len(set(words))} different words, and it takes two: one to read and one to predict.",
            hint="Write a short sentence, such as `the cat sat on the mat`.",
        )
    if len(words) > MAX_WORDS:
        raise LabError(
            f"There are {len(words)} words, and a page that you can follow has at most {MAX_WORDS}.",
            hint="Write a shorter sentence.",
        )
    for word in words:
        if len(word) > MAX_WORD_CHARS:
            raise LabError(
                f"The word {shown(word)} has {len(word)} characters; at most {MAX_WORD_CHARS} fit next to a matrix.",
                hint="Write a shorter word, or split it in two.",
            )
    return words


def _visible(text: str) -> str:
    """The text without invisible characters: terminal controls, direction marks, half of a surrogate pair."""
    seen = "".join(sign for sign in text if sign.isspace() or sign in JOINERS or not _is_invisible(sign))
    return " ".join(word for word in seen.split() if word.strip(JOINERS))


def _is_invisible(sign: str) -> bool:
    return unicodedata.category(sign) in INVISIBLE
