"""No computed number is typed into a lesson: digits in its prose must be names, or on a list with a reason."""

from __future__ import annotations

import re

import pytest
from lesson_words import words_of
from written_lessons import NAMES, each, written

NAME = re.compile(
    r"[A-Za-z_ᵀ][\w.-]*\d[\w.]*"  # W_1, block2, example-3, float64, GPT-2
    r"|\b(?:Example|Examples|Step|GPT|BERT)[- ]\d+"
    r"|\b(?:19|20)\d\d\b"  # years
)
PLACE = re.compile(r"\[-?\d+\]")  # an entry: [1][0]
IN_FORMULAS = re.compile(r"(?<![\d.])[0-2](?![\d.])|10000|10,?000")  # 1 - p, x^2, the base of positional encoding
# What else may stand there: lesson -> (text, why)
ALLOWED: dict[str, dict[str, str]] = {
}  # fmt: skip


def typed_numbers(name: str, kind: str, text: str) -> list[str]:
    for allowed in ALLOWED.get(name, ()):
        text = text.replace(allowed, "")
    text = PLACE.sub("", text)
    if kind == "math":
        text = IN_FORMULAS.sub("", re.sub(r"\\?[A-Za-z]+_?\{?\d", "", text))
    return re.findall(r"\d[\d.,]*", NAME.sub("", text))


@pytest.mark.parametrize("name", each(NAMES))
def test_no_computed_number_is_typed(name):
    file = written(name).lesson.file
    found = [(line, text) for line, kind, text in words_of(file.text) if typed_numbers(name, kind, text)]
    found += [(0, text) for text in (file.about,) if typed_numbers(name, "text", text)]
    assert not found


def test_a_typed_number_is_found():
    exercise = "::::{exercise} Half of it\nIs it 0.69?\n:::{answer}\nYes.\n:::\n::::\n"
    text = f"---\ntitle: x\n---\nThe loss is 1.38 here.\n\n{exercise}"
    assert [line for line, kind, words in words_of(text) if typed_numbers("", kind, words)] == [4, 7]
    assert not typed_numbers("", "text", "W_1, block2 and Example 3, in 2017, at scores[1][0]")
    assert typed_numbers("", "math", "x = 0.25") == ["0.25"]
