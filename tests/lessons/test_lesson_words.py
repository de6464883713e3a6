"""Readers learn the words of the field: what a softmax gives are probabilities or attention weights, never "shares"."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from lesson_words import words_of

import workings

PACKAGE = Path(workings.__file__).parent
OP_PAGES = sorted((PACKAGE.parents[1] / "docs" / "ops").glob("*.md"))
LESSONS = sorted(PACKAGE.glob("lessons/library/*/lesson.md")) + sorted(PACKAGE.glob("lessons/book/*.md"))

# To share is a verb if one of these follows: "blocks share no parameters", "all rows share gamma".
OBJECTS = "a|an|gamma|it|its|keys|no|nothing|one|parameters|the|their|values|weights"
NOUN = re.compile(rf"\bshares?\b(?! (?:{OBJECTS})\b)", re.IGNORECASE)
NOT_PROSE = re.compile(r"^```.*?^```|^\$\$.*?^\$\$|`[^`\n]*`|\]\([^)]*\)", re.MULTILINE | re.DOTALL)
INPUT = re.compile(r"No gradient for \w+:")  # the name of an input, which keeps what it was given


def nouns_in(text: str) -> list[str]:
    """Where a text says "share" for a part of a whole."""
    return [text[max(0, found.start() - 30) : found.end() + 20] for found in NOUN.finditer(text)]


@pytest.mark.parametrize("page", OP_PAGES, ids=lambda page: page.stem)
def test_op_page_calls_no_probability_a_share(page):
    assert nouns_in(INPUT.sub("", NOT_PROSE.sub("", page.read_text(encoding="utf-8")))) == []


@pytest.mark.parametrize("page", LESSONS, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_lesson_or_book_page_calls_no_probability_a_share(page):
    text = page.read_text(encoding="utf-8")
    found = [(line, noun) for line, kind, words in words_of(text) if kind == "text" for noun in nouns_in(words)]
    assert found == []


def test_there_are_pages_to_read():
    assert len(OP_PAGES) > 70
    assert {"lesson", "glossary", "preface"} <= {page.stem for page in LESSONS}


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("Softmax turns scores into shares: they sum to 1.", 1),
        ("Its share of the attention is large.", 1),
        ("Shares add up to 1, and each share counts.", 2),
        ("Blocks share no parameters, and a batch shares one update.", 0),
        ("All rows share gamma; all heads share keys and values.", 0),
        ("draw_by_share keeps its name.", 0),
    ],
)
def test_noun_is_found_and_verb_is_not(text, count):
    assert len(nouns_in(text)) == count
