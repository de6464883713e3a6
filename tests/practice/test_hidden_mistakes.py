"""What the own numbers of each lesson cannot show is known."""

import pytest
import yaml
from hidden_mistakes import FILE, hidden_in, own_numbers

from workings.lessons.contents import names
from workings.practice.exercise import exercise
from workings.practice.sheet import DIGITS
from workings.practice.variant import Variant

HIDDEN = yaml.safe_load(FILE.read_text(encoding="utf-8"))


def test_every_lesson_is_listed():
    assert list(HIDDEN) == list(names())


@pytest.mark.parametrize("name", names())
def test_a_lesson_hides_the_mistakes_that_are_listed(name):
    """If this fails: python tests/teach/practice/hidden_mistakes.py write, and read what has changed."""
    assert hidden_in(own_numbers(name)) == HIDDEN[name]


def test_a_twin_shows_what_the_numbers_of_its_source_hide():
    assert "softmax.wrong_axis" in HIDDEN["example-3"]
    assert "softmax.wrong_axis" not in hidden_in(Variant(exercise("example-3", "twin").trace, DIGITS))
