"""No computed number is typed into a lesson: digits in its prose, its titles and its reasons are parts of names."""

from __future__ import annotations

import re

import pytest
from built_lessons import NAMES, each, written
from lesson_words import words_of

from workings.lessons.lesson import lesson
from workings.scenarios.reading.yaml_tree import data_of, read_yaml

NAME = re.compile(r"\b[^\W\d]\w*(?:[.-][^\W\d]\w*)*")  # W_1, block2, head1.weights, float64; not P-0.25, not loss.1.38
NUMBERED = re.compile(r"\b(?:Example |GPT-)\d+(?![.,]?\d)")
PLACE = re.compile(r"\[-?\d+\]")  # an entry: [1][0]
SUBSCRIPT = re.compile(r"_(?:\d|\{\d\})")
BOUNDS = re.compile(r"(?<![\d.,−-])[01](?![.,]?\d)")  # of a probability: the row adds up to 1
IN_FORMULAS = re.compile(r"(?<!\d)(?<!\d[.,])[0-2](?![.,]?\d)")  # 1 - p, x^2, max(0, x)


def typed_numbers(kind: str, text: str, names: tuple[str, ...] = ()) -> list[str]:
    """The numbers in a text, apart from those in `names`, such as that of the run width-4."""
    for name in sorted(names, key=len, reverse=True):
        text = re.sub(rf"(?<![\w.-]){re.escape(name)}(?![\w-]|\.\d)", "", text)
    text = BOUNDS.sub("", PLACE.sub("", text))
    if kind == "math":
        text = IN_FORMULAS.sub("", SUBSCRIPT.sub("", text))
    return re.findall(r"\d+(?:[.,]\d+)*", NAME.sub("", NUMBERED.sub("", text)))


def pieces_of(name):
    """(where, kind, text) of everything that somebody wrote for a page."""
    file = lesson(name).file
    yield from words_of(file.text)
    yield "title", "text", file.title
    yield "question", "text", file.question
    yield "about", "text", file.about
    source = file.folder / "source.yaml"
    claims = data_of(read_yaml(source.read_text(), source.name)) if source.exists() else {}
    reasons = claims.get("reasons") or {}
    yield from ((f"reason {key}", "text", reason) for key, reason in reasons.items())


@pytest.mark.parametrize("name", each(NAMES))
def test_no_computed_number_is_typed(name):
    runs = tuple(run for run in written(name).traces if re.search(r"\d", run))
    found = [piece for piece in pieces_of(name) if typed_numbers(piece[1], piece[2], (*NAMES, *runs))]
    assert found == []


def test_a_typed_number_is_found():
    exercise = "::::{exercise} Half of it\nIs it 0.69?\n:::{answer}\nYes.\n:::\n::::\n"
    figure = ":::{figure} plane E\n:labels: a, b 7\n:::\n"
    text = f"---\ntitle: x\n---\nThe loss is 1.38 here.\n\n{exercise}\n{figure}"
    assert [line for line, kind, words in words_of(text) if typed_numbers(kind, words)] == [4, 7, 13]


@pytest.mark.parametrize(
    ("kind", "text", "numbers"),
    [
        ("text", "W_1, block2 and Example 3, GPT-2, head1.weights, width-4 at scores[1][0]", []),
        ("text", "P-0.25 and loss.1.38 and x=3", ["0.25", "1.38", "3"]),
        ("text", "Example 3.5, in 2048 dimensions, width-4.5", ["3.5", "2048", "4.5"]),
        ("code", "loss1.38", ["38"]),
        ("math", r"W_1 x_{2} + \sqrt{2} - \max(0, x)^2", []),
        ("math", r"\sqrt{9} + x = 0.25", ["9", "0.25"]),
    ],
)
def test_only_names_may_have_digits(kind, text, numbers):
    assert typed_numbers(kind, text, ("width-4",)) == numbers
