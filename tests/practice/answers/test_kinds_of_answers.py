"""Shapes, sets of positions, choices, and the labels of entries."""

from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workings.engine.errors import InputError, WorkingsError
from workings.practice.answers.kinds import read_choice, read_positions, read_shape
from workings.practice.answers.labels import read_label

SETTINGS = settings(deadline=None, derandomize=True, database=None)

CHOICES = ("The", "cat", "cats", "sat", "attention", "attends")


@pytest.mark.parametrize(
    "text", ["2x3", "2 x 3", "2X3", "2×3", "2 × 3", r"2 \times 3", "(2, 3)", "(2,3,)", "[2,3]", "2 by 3", "2 3", "2*3",
             "torch.Size([2, 3])", "shape: (2, 3)", "shape = 2x3"],
)  # fmt: skip
def test_a_shape_is_written_in_many_ways(text):
    assert read_shape(text) == (2, 3)


def test_shapes_of_other_ranks():
    assert read_shape("(4,)") == read_shape("4") == read_shape("torch.Size([4])") == (4,)
    assert read_shape("()") == read_shape("torch.Size([])") == ()
    assert read_shape("2 x 3 x 4") == (2, 3, 4)


@pytest.mark.parametrize("text", ["", "two", "2x", "x3", "-2x3", "2.5x3", "2/3", "9" * 5000, "2x" * 5000, "(", "__"])
def test_what_is_no_shape_is_refused(text):
    with pytest.raises(InputError, match="is not a shape"):
        read_shape(text)


@pytest.mark.parametrize(
    "text", ["{0, 2}", "0 2", "0,2", "2, 0", "0 and 2", "[0; 2]", "0 & 2", "(2,0)", "0, and 2", "{0, 2, 2}"]
)
def test_positions_are_written_in_many_ways(text):
    assert read_positions(text) == {0, 2}


@pytest.mark.parametrize("text", ["none", "None", "{}", "[]", "∅", "{ }"])
def test_no_position_is_an_answer(text):
    assert read_positions(text) == frozenset()


@pytest.mark.parametrize("text", ["", "first", "0-2", "-1", "1.5", "0,,2", "0 or 2", "9" * 5000, "____"])
def test_what_is_no_set_of_positions_is_refused(text):
    with pytest.raises(InputError, match="is not a set of positions"):
        read_positions(text)


@pytest.mark.parametrize(
    ("text", "choice"),
    [("cat", "cat"), ("CATS", "cats"), ("'sat'", "sat"), ("“the”", "The"), (" The ", "The"),
     ("attent", "attention"), ("atten", None), ("ca", None), ("at", None), ("", None), ("dog", None), ("s", None)],
)  # fmt: skip
def test_a_choice_is_known_by_its_beginning(text, choice):
    if choice is None:
        with pytest.raises(InputError, match=r"is not one of the choices[\s\S]*The, cat, cats"):
            read_choice(text, CHOICES)
    else:
        assert read_choice(text, CHOICES) == choice


def test_choices_that_differ_in_capitals_only_are_told_apart():
    assert read_choice("Cat", ("cat", "Cat")) == "Cat"
    with pytest.raises(InputError):
        read_choice("CAT", ("cat", "Cat"))


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("scores[1][0]", "scores[1][0]"),
        ("scores[1, 0]", "scores[1][0]"),
        ("scores [1] [0]", "scores[1][0]"),
        (" scores[ 1 ;0 ] ", "scores[1][0]"),
        ("scores［1］［0］", "scores[1][0]"),
        ("W₁[0]", "W1[0]"),
        ("α[0,0]", "α[0][0]"),
        ("dX.via_Q[1,0]", "dX.via_Q[1][0]"),
        ("hidden in  weights [1]", "hidden in weights[1]"),
        ("block1.attention.head2.scores", "block1.attention.head2.scores"),
        ("0.25", None),
        ("", None),
        ("___", None),
        ("a" * 300, None),
    ],
)
def test_labels_have_one_spelling(text, label):
    assert read_label(text) == label


@SETTINGS
@given(st.text())
def test_no_text_does_more_harm_than_a_refusal(text):
    read_label(text)
    for read in (read_shape, read_positions, lambda text: read_choice(text, CHOICES)):
        with suppress(WorkingsError):
            read(text)
